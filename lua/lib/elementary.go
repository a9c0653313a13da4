package lib

import "math"

// The functions of the library math, rounded as C rounds them.
//
// DIFFERS: The last of 17 digits of math.sinh and math.tanh is now and then another one than in C, very seldom also that of exp, pow, ^, sin, cos, tan and their inverses.

// special tells whether package math has the last word: a result that is not
// finite or too small to be told from nothing.
func special(r float64) bool {
	return !(math.Abs(r) > 1e-150 && math.Abs(r) <= math.MaxFloat64)
}

func expOf(x float64) float64 {
	if r := math.Exp(x); r != r || r == 0 || math.IsInf(r, 1) {
		return r
	}
	m, k := double{x, 0}.exp()
	return math.Ldexp(m.hi, k)
}

func logOf(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return math.Log(x)
	}
	return log(x).hi
}

// log10Of, sinhOf, coshOf and tanhOf are not rounded to the nearest in C either;
// they are put together from others in the same way.
func log10Of(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return math.Log10(x)
	}
	const log2Hi, log2Lo = 3.01029995663611771306e-01, 3.69423907715893078616e-13 // of log10(2); hi has zeros at its end
	f, e := math.Frexp(x)
	if e > 0 {
		f, e = f*2, e-1
	}
	z := float64(float64(e)*log2Lo) + float64(math.Log10E*logOf(f))
	return z + float64(float64(e)*log2Hi)
}

func sinOf(x float64) float64 {
	if special(math.Sin(x)) {
		return math.Sin(x)
	}
	sin, _ := double{x, 0}.sinCos()
	return sin.hi
}

func cosOf(x float64) float64 {
	if special(math.Cos(x)) {
		return math.Cos(x)
	}
	_, cos := double{x, 0}.sinCos()
	return cos.hi
}

func tanOf(x float64) float64 {
	if special(math.Tan(x)) {
		return math.Tan(x)
	}
	sin, cos := double{x, 0}.sinCos()
	return sin.div(cos).hi
}

func atanOf(x float64) float64 { return atan2Of(x, 1) }

func atan2Of(y, x float64) float64 {
	near := math.Atan2(y, x)
	if special(near) || special(y) || special(x) || special(y/x) {
		return near
	}
	_, n := math.Frexp(y)
	_, m := math.Frexp(x)
	n = max(n, m)
	return angle(double{math.Ldexp(y, -n), 0}, double{math.Ldexp(x, -n), 0}, near)
}

func asinOf(x float64) float64 {
	near := math.Asin(x)
	if special(near) || math.Abs(x) == 1 {
		return near
	}
	return angle(double{x, 0}, exact(1, -x).mul(exact(1, x)).sqrt(), near)
}

func acosOf(x float64) float64 {
	near := math.Acos(x)
	if special(near) || special(x) || math.Abs(x) == 1 {
		return near
	}
	return angle(exact(1, -x).mul(exact(1, x)).sqrt(), double{x, 0}, near)
}

// expm1 returns e^x-1.
func expm1(x float64) float64 {
	if math.Abs(x) < 1e-5 {
		return math.Expm1(x)
	}
	m, k := double{x, 0}.exp()
	return m.times(math.Ldexp(1, k)).sub(one).hi
}

// large returns half of e^a where that itself may be too large.
func large(a float64) float64 {
	e := expOf(a / 2)
	return float64(0.5*e) * e
}

func sinhOf(x float64) float64 {
	a, half := math.Abs(x), math.Copysign(0.5, x)
	switch t := expm1(a); {
	case a < 1e-5 || x != x:
		return math.Sinh(x)
	case a > 700:
		return 2 * half * large(a)
	case a < 1:
		return half * (float64(2*t) - float64(t*t)/(t+1))
	case a < 22:
		return half * (t + t/(t+1))
	}
	return half * expOf(a)
}

func coshOf(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return x
	case a > 700:
		return large(a)
	case a < ln2A/2:
		t := expm1(a)
		w := 1 + t
		return 1 + float64(t*t)/(w+w)
	case a < 22:
		t := expOf(a)
		return float64(0.5*t) + 0.5/t
	}
	return 0.5 * expOf(a)
}

func tanhOf(x float64) float64 {
	a, z := math.Abs(x), 1.0
	switch {
	case a < 1e-5 || x != x:
		return math.Tanh(x)
	case a < 1:
		t := expm1(-2 * a)
		z = -t / (t + 2)
	case a < 22:
		z = 1 - 2/(expm1(2*a)+2)
	}
	return math.Copysign(z, x)
}

// Pow is the operator ^.
func Pow(a, b float64) float64 {
	r := math.Pow(a, b)
	switch {
	case math.IsNaN(r) && math.IsNaN(a) && math.Abs(math.Mod(b, 2)) == 1:
		return math.Abs(a)
	case math.IsNaN(r):
		return invalid(r, a, b)
	case r == 0 || math.IsInf(r, 0) || math.IsInf(b, 0) || a == 1 || b == 1 || b == 0:
		return r
	}
	f, e := math.Frexp(math.Abs(a))
	if math.Abs(b) <= 64 && b == math.Trunc(b) {
		return math.Copysign(integerPower(f, e, int(b)), r)
	}
	m, k := log(math.Abs(a)).mul(double{b, 0}).exp()
	return math.Copysign(math.Ldexp(m.hi, k), r)
}

// integerPower raises f * 2^e to a power.
func integerPower(f float64, e, power int) float64 {
	m, base := one, double{f, 0}
	for n := max(power, -power); n > 0; n >>= 1 {
		if n&1 != 0 {
			m = m.mul(base)
		}
		base = base.mul(base)
	}
	if power < 0 {
		m = one.div(m)
	}
	return math.Ldexp(m.hi, e*power)
}

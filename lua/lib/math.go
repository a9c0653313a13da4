package lib

import "math"

// Maths is the library math, without its generator.
var Maths = map[string]Function{
	"abs":   func(c *Call) { c.PushNumber(math.Abs(c.Number(1))) },
	"acos":  ofDomain(acosOf),
	"asin":  ofDomain(asinOf),
	"atan":  ofOne(atanOf),
	"ceil":  ofOne(math.Ceil),
	"cos":   ofOne(cosOf),
	"cosh":  ofOne(coshOf),
	"deg":   ofOne(func(x float64) float64 { return x / (math.Pi / 180) }),
	"exp":   ofOne(expOf),
	"floor": ofOne(math.Floor),
	"log":   ofOne(logOf),
	"log10": ofDomain(log10Of),
	"rad":   ofOne(func(x float64) float64 { return x * (math.Pi / 180) }),
	"sin":   ofOne(sinOf),
	"sinh":  ofOne(sinhOf),
	"sqrt":  ofOne(math.Sqrt),
	"tan":   ofOne(tanOf),
	"tanh":  ofOne(tanhOf),
	"atan2": atan2,
	"fmod":  ofTwo(math.Mod),
	"mod":   ofTwo(math.Mod),
	"pow": func(c *Call) {
		b := c.Number(2)
		c.PushNumber(Pow(c.Number(1), b))
	},
	"max": best(func(a, b float64) bool { return a > b }),
	"min": best(func(a, b float64) bool { return a < b }),
	"frexp": func(c *Call) {
		x := c.Number(1)
		frac, exp := math.Frexp(x)
		c.PushNumber(frac)
		c.PushNumber(float64(exp))
	},
	"ldexp": func(c *Call) {
		exp := c.Int(2)
		c.PushNumber(math.Ldexp(c.Number(1), exp))
	},
	"modf": modf,
}

func ofOne(f func(float64) float64) Function {
	return func(c *Call) {
		x := c.Number(1)
		c.PushNumber(invalid(f(x), x, x))
	}
}

// ofDomain is for functions that give a NaN without a sign outside of their
// domain.
func ofDomain(f func(float64) float64) Function {
	return func(c *Call) {
		x := c.Number(1)
		if r := f(x); math.IsNaN(x) {
			c.PushNumber(x)
		} else if math.IsNaN(r) {
			c.PushNumber(math.Abs(r))
		} else {
			c.PushNumber(r)
		}
	}
}

func ofTwo(f func(a, b float64) float64) Function {
	return func(c *Call) {
		b := c.Number(2) // first, as C evaluates arguments
		a := c.Number(1)
		c.PushNumber(invalid(f(a, b), a, b))
	}
}

// invalid gives a NaN the sign it has in C: that of the first operand that is
// one, else a minus.
func invalid(r, a, b float64) float64 {
	switch {
	case !math.IsNaN(r):
		return r
	case math.IsNaN(a):
		return a
	case math.IsNaN(b):
		return b
	}
	return NaN()
}

func atan2(c *Call) {
	x := c.Number(2)
	y := c.Number(1)
	if math.IsNaN(x) {
		c.PushNumber(x)
		return
	}
	c.PushNumber(invalid(atan2Of(y, x), y, x))
}

// Arithmetic of numbers of which one may be a NaN. What the processor makes of
// two NaNs depends on the order in which a compiler names them.
func Add(a, b float64) float64 { return invalid(a+b, a, b) }
func Sub(a, b float64) float64 { return invalid(a-b, a, b) }
func Mul(a, b float64) float64 { return invalid(a*b, a, b) }
func Div(a, b float64) float64 { return invalid(a/b, a, b) }

func best(better func(a, b float64) bool) Function {
	return func(c *Call) {
		r := c.Number(1)
		for i := 2; i <= c.N(); i++ {
			if x := c.Number(i); better(x, r) {
				r = x
			}
		}
		c.PushNumber(r)
	}
}

func modf(c *Call) {
	x := c.Number(1)
	if math.IsInf(x, 0) {
		c.PushNumber(x)
		c.PushNumber(math.Copysign(0, x))
		return
	}
	whole := math.Trunc(x)
	c.PushNumber(whole)
	c.PushNumber(math.Copysign(x-whole, x))
}

// Mod is the operator %: the remainder has the sign of the divisor.
func Mod(a, b float64) float64 {
	return invalid(a-math.Floor(a/b)*b, a, b)
}

// RandomNumber is math.random.
func RandomNumber(c *Call, g *Random) {
	r := float64(g.Next()%math.MaxInt32) / math.MaxInt32
	switch c.N() {
	case 0:
		c.PushNumber(r)
	case 1:
		u := c.Int(1)
		if u < 1 {
			c.ArgError(1, "interval is empty")
		}
		c.PushNumber(math.Floor(r*float64(u)) + 1)
	case 2:
		l, u := c.Int(1), c.Int(2)
		if l > u {
			c.ArgError(2, "interval is empty")
		}
		c.PushNumber(math.Floor(r*float64(int32(u-l+1))) + float64(l))
	default:
		c.Errorf("wrong number of arguments")
	}
}

// RandomSeed is math.randomseed.
func RandomSeed(c *Call, g *Random) { g.Seed(int32(c.Int(1))) }

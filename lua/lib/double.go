package lib

import (
	"math"
	"math/big"
)

// double is a number written as a sum of two, of about 106 bits; lo is at most
// half a unit in the last place of hi, so hi is the sum rounded.
//
// Idea: scripts see all 17 digits of a number, and C's functions round nearly
// always to the nearest. Package math is often one unit off, and differs from
// processor to processor; so exp, log, pow, sin and their kin are worked out with
// twice the digits and rounded once.
type double struct{ hi, lo float64 }

// exact makes a+b.
func exact(a, b float64) double {
	s := a + b
	t := s - a
	return double{s, (a - (s - t)) + (b - t)}
}

// product makes a*b.
func product(a, b float64) double {
	p := a * b
	return double{p, math.FMA(a, b, -p)}
}

func (a double) add(b double) double {
	s, t := exact(a.hi, b.hi), exact(a.lo, b.lo)
	s = exact(s.hi, s.lo+t.hi)
	return exact(s.hi, s.lo+t.lo)
}

func (a double) neg() double         { return double{-a.hi, -a.lo} }
func (a double) sub(b double) double { return a.add(b.neg()) }

func (a double) mul(b double) double {
	p := product(a.hi, b.hi)
	return exact(p.hi, p.lo+(a.hi*b.lo+a.lo*b.hi))
}

func (a double) div(b double) double {
	q := a.hi / b.hi
	r := a.sub(b.mul(double{q, 0}))
	p := r.hi / b.hi
	r = r.sub(b.mul(double{p, 0}))
	return exact(q, p).add(double{r.hi / b.hi, 0})
}

// over divides by a number.
func (a double) over(n float64) double {
	q := a.hi / n
	return exact(q, (math.FMA(-q, n, a.hi)+a.lo)/n)
}

func (a double) sqrt() double {
	s := math.Sqrt(a.hi)
	return exact(s, a.sub(product(s, s)).hi/(2*s))
}

// times multiplies by a power of two.
func (a double) times(power float64) double { return double{a.hi * power, a.lo * power} }

var one = double{1, 0}

// The parts of constants.
const (
	ln2A, ln2B, ln2C = 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56, 0x1.7b57a079a1934p-111
	halfPiA, halfPiB = 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54
	halfPiC          = -0x1.f1976b7ed8fbcp-110
)

// less subtracts n times the constant a+b+c.
func (x double) less(n, a, b, c float64) double {
	return x.sub(product(n, a)).sub(product(n, b)).sub(double{n * c, 0})
}

// exp returns m and k, of which e^x is m * 2^k.
func (x double) exp() (m double, k int) {
	n := math.RoundToEven(x.hi / ln2A)
	r := x.less(n, ln2A, ln2B, ln2C).times(1.0 / 256)
	e := r.over(11)
	for i := 10.0; i > 1; i-- {
		e = one.add(e).mul(r).over(i)
	}
	e = one.add(e).mul(r) // e^r-1
	for range 8 {
		e = e.times(2).add(e.mul(e))
	}
	return one.add(e), int(n)
}

// log returns the logarithm of a finite number above 0.
func log(x float64) double {
	f, e := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f, e = f*2, e-1
	}
	var y double
	if math.Abs(f-1) < 1.0/16 {
		z := exact(f, -1).div(exact(f, 1))
		square, s := z.mul(z), double{}
		for i := 27.0; i > 1; i -= 2 {
			s = s.add(one.over(i)).mul(square)
		}
		y = one.add(s).mul(z).times(2)
	} else {
		near := math.Log(f)
		m, k := double{-near, 0}.exp()
		t := m.times(math.Ldexp(1, k)).mul(double{f, 0}).sub(one)
		y = double{near, 0}.add(t.sub(t.mul(t).times(0.5)))
	}
	return y.less(-float64(e), ln2A, ln2B, ln2C)
}

// reduce returns r and a quadrant q, of which x is r + q*pi/2.
func reduce(x double) (r double, q int) {
	if math.Abs(x.hi) < 1e6 {
		n := math.RoundToEven(x.hi / halfPiA)
		return x.less(n, halfPiA, halfPiB, halfPiC), int(n) & 3
	}
	const precision = 1300
	half, _ := new(big.Float).SetPrec(precision).SetString(pi)
	half.Quo(half, big.NewFloat(2))
	rest := new(big.Float).SetPrec(precision).SetFloat64(x.hi)
	count, _ := new(big.Float).SetPrec(precision).Quo(rest, half).Int(nil)
	rest.Sub(rest, new(big.Float).SetPrec(precision).Mul(half, new(big.Float).SetPrec(precision).SetInt(count)))
	hi, _ := rest.Float64()
	lo, _ := rest.Sub(rest, new(big.Float).SetFloat64(hi)).Float64()
	r, q = reduce(double{hi, lo})
	return r, (q + int(new(big.Int).And(count, big.NewInt(3)).Int64())) & 3
}

// pi has as many digits as the largest number needs.
const pi = "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651328230664709" +
	"384460955058223172535940812848111745028410270193852110555964462294895493038196442881097566593344612847564823378678316527120190" +
	"914564856692346034861045432664821339360726024914127372458700660631558817488152092096282925409171536436789259036001133053054882" +
	"0466521384146951941511609"

// sinCos returns the sine and the cosine.
func (x double) sinCos() (sin, cos double) {
	r, q := reduce(x)
	square := r.mul(r).neg()
	var s, c double
	for i := 26.0; i > 1; i -= 2 {
		s = one.add(s).mul(square).over(i * (i + 1))
		c = one.add(c).mul(square).over(i * (i - 1))
	}
	sin, cos = one.add(s).mul(r), one.add(c)
	if q&1 != 0 {
		sin, cos = cos, sin.neg()
	}
	if q&2 != 0 {
		sin, cos = sin.neg(), cos.neg()
	}
	return sin, cos
}

// angle returns the angle of the point x, y; near is about that.
func angle(y, x double, near float64) float64 {
	sin, cos := double{near, 0}.sinCos()
	more := y.mul(cos).sub(x.mul(sin)).div(x.mul(cos).add(y.mul(sin)))
	return double{near, 0}.add(more).hi
}

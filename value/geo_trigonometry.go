package value

import "math"

// Distances that are stored show all their bits, and those of Redis come from the
// C library's sine, cosine and arcsine, which are right to the last bit nearly
// always; those of package math are not. So here is a more exact way: an angle is
// taken apart into one of a table, of which sine and cosine are known to twice
// the precision, and a small rest, for which a short series does.

// doubled is a float of twice the precision: the sum of two, of which the second
// is at most half of the last bit of the first.
type doubled struct{ hi, lo float64 }

// twoSum adds without loss.
func twoSum(a, b float64) doubled {
	s := a + b
	t := s - a
	return doubled{s, float64(a-float64(s-t)) + float64(b-t)}
}

// twoProduct multiplies without loss.
func twoProduct(a, b float64) doubled {
	p := float64(a * b)
	return doubled{p, math.FMA(a, b, -p)}
}

func (x doubled) plus(y doubled) doubled {
	s := twoSum(x.hi, y.hi)
	return twoSum(s.hi, s.lo+float64(x.lo+y.lo))
}

func (x doubled) times(y doubled) doubled {
	p := twoProduct(x.hi, y.hi)
	return twoSum(p.hi, p.lo+float64(float64(x.hi*y.lo)+float64(x.lo*y.hi)))
}

func (x doubled) over(d float64) doubled {
	q := x.hi / d
	rest := -math.FMA(q, d, -x.hi) + x.lo
	return twoSum(q, rest/d)
}

func (x doubled) neg() doubled { return doubled{-x.hi, -x.lo} }

func (x doubled) value() float64 { return x.hi + x.lo }

const anglesPerUnit = 256

// sines and cosines are those of 0, 1/256, 2/256 ... beyond a quarter of pi.
var sines, cosines = angleTables()

func angleTables() (s, c [203]doubled) {
	for i := range s {
		x := doubled{float64(i) / anglesPerUnit, 0}
		s[i], c[i] = series(x, x), series(doubled{1, 0}, x)
	}
	return s, c
}

// series sums up the Taylor series of the sine (first is x) or the cosine (first is 1).
func series(first, x doubled) doubled {
	sum, term, n := first, first, 1.0
	if first != x {
		n = 0
	}
	for range 14 {
		term = term.times(x).times(x).over((n + 1) * (n + 2)).neg()
		sum, n = sum.plus(term), n+2
	}
	return sum
}

// halfPi is pi/2 in three parts.
var halfPi = [3]float64{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110}

func sin(x float64) float64 { return sine(x, 0).value() }
func cos(x float64) float64 { return sine(x, 1).value() }

// sine is the sine of x and so many right angles, for |x| up to some turns.
func sine(x float64, quarters int) doubled {
	r := doubled{x, 0}
	if k := math.Round(x / halfPi[0]); k != 0 {
		r = twoSum(-k*halfPi[0], x)
		r = r.plus(twoProduct(-k, halfPi[1])).plus(doubled{-k * halfPi[2], 0})
		quarters += int(k)
	}
	if quarters&1 == 1 {
		r = cosineNear(r)
	} else {
		r = sineNear(r)
	}
	if quarters&2 == 2 {
		r = r.neg()
	}
	return r
}

// split takes an angle up to a quarter of pi apart: the place in the tables,
// the rest x and what is left of that, and the small parts of the rest's sine and
// cosine: those are x and 1 larger.
func split(r doubled) (i int, x, smallSine, smallCosine float64) {
	i = int(r.hi*anglesPerUnit + 0.5)
	x = r.hi - float64(i)/anglesPerUnit
	square := x * x
	smallSine = x*square*(-1.0/6+square*(1.0/120-square/5040)) + r.lo
	smallCosine = square*(-0.5+square*(1.0/24-square/720)) - x*r.lo
	return i, x, smallSine, smallCosine
}

func sineNear(r doubled) doubled {
	if r.hi < 0 {
		return sineNear(r.neg()).neg()
	}
	i, x, smallSine, smallCosine := split(r)
	s, c := sines[i], cosines[i]
	p := twoProduct(c.hi, x)
	q := twoSum(s.hi, p.hi)
	return twoSum(q.hi, q.lo+(p.lo+s.lo+s.hi*smallCosine+c.hi*smallSine+c.lo*x))
}

func cosineNear(r doubled) doubled {
	if r.hi < 0 {
		r = r.neg()
	}
	i, x, smallSine, smallCosine := split(r)
	s, c := sines[i], cosines[i]
	p := twoProduct(-s.hi, x)
	q := twoSum(c.hi, p.hi)
	return twoSum(q.hi, q.lo+(p.lo+c.lo+c.hi*smallCosine-s.hi*smallSine-s.lo*x))
}

// asin improves on the arcsine of package math by one step of Newton's.
func asin(y float64) float64 {
	x := math.Asin(y)
	s, c := sine(x, 0), cos(x)
	if !(c > 1e-9) {
		return x
	}
	return x + ((y-s.hi)-s.lo)/c
}

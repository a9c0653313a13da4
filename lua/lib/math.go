package lib

import "math"

// Maths is the library math, without its generator.
var Maths = map[string]Function{
	"abs":   ofOne(math.Abs),
	"acos":  ofOne(math.Acos),
	"asin":  ofOne(math.Asin),
	"atan":  ofOne(math.Atan),
	"ceil":  ofOne(math.Ceil),
	"cos":   ofOne(math.Cos),
	"cosh":  ofOne(math.Cosh),
	"deg":   ofOne(func(x float64) float64 { return x / (math.Pi / 180) }),
	"exp":   ofOne(math.Exp),
	"floor": ofOne(math.Floor),
	"log":   ofOne(math.Log),
	"log10": ofOne(math.Log10),
	"rad":   ofOne(func(x float64) float64 { return x * (math.Pi / 180) }),
	"sin":   ofOne(math.Sin),
	"sinh":  ofOne(math.Sinh),
	"sqrt":  ofOne(math.Sqrt),
	"tan":   ofOne(math.Tan),
	"tanh":  ofOne(math.Tanh),
	"atan2": ofTwo(math.Atan2),
	"fmod":  ofTwo(math.Mod),
	"mod":   ofTwo(math.Mod),
	"pow":   ofTwo(math.Pow),
	"max":   best(func(a, b float64) bool { return a > b }),
	"min":   best(func(a, b float64) bool { return a < b }),
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

func ofTwo(f func(a, b float64) float64) Function {
	return func(c *Call) {
		b := c.Number(2) // first, as C evaluates arguments
		a := c.Number(1)
		c.PushNumber(invalid(f(a, b), a, b))
	}
}

// invalid gives a NaN that came from numbers the sign it has in C.
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

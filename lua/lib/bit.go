package lib

import (
	"math"
	"math/bits"
)

// Bits is the library bit: operations on 32-bit integers.
var Bits = map[string]Function{
	"tobit":   func(c *Call) { c.pushBits(c.bits(1)) },
	"bnot":    func(c *Call) { c.pushBits(^c.bits(1)) },
	"band":    fold(func(a, b uint32) uint32 { return a & b }),
	"bor":     fold(func(a, b uint32) uint32 { return a | b }),
	"bxor":    fold(func(a, b uint32) uint32 { return a ^ b }),
	"lshift":  shift(func(a uint32, n int) uint32 { return a << n }),
	"rshift":  shift(func(a uint32, n int) uint32 { return a >> n }),
	"arshift": shift(func(a uint32, n int) uint32 { return uint32(int32(a) >> n) }),
	"rol":     shift(bits.RotateLeft32),
	"ror":     shift(func(a uint32, n int) uint32 { return bits.RotateLeft32(a, -n) }),
	"bswap":   func(c *Call) { c.pushBits(bits.ReverseBytes32(c.bits(1))) },
	"tohex":   toHex,
}

// bits returns argument i as 32 bits: rounded to the nearest integer, ties to
// even, and wrapped around.
//
// Adding 2^52 + 2^51 leaves the integer in the low bits of the mantissa, which
// also says what becomes of numbers that are no integers of 52 bits.
func (c *Call) bits(i int) uint32 {
	return uint32(math.Float64bits(c.Number(i) + 0x18000000000000))
}

func (c *Call) pushBits(b uint32) { c.PushNumber(float64(int32(b))) }

func fold(f func(a, b uint32) uint32) Function {
	return func(c *Call) {
		acc := c.bits(1)
		for i := c.N(); i > 1; i-- {
			acc = f(acc, c.bits(i))
		}
		c.pushBits(acc)
	}
}

func shift(f func(a uint32, n int) uint32) Function {
	return func(c *Call) {
		a := c.bits(1)
		c.pushBits(f(a, int(c.bits(2)&31)))
	}
}

func toHex(c *Call) {
	b, n := c.bits(1), int32(8)
	if c.N() >= 2 {
		n = int32(c.bits(2))
	}
	digits := "0123456789abcdef"
	if n < 0 {
		n, digits = -n, "0123456789ABCDEF"
	}
	if n > 8 || n < 0 {
		n = 8
	}
	var out [8]byte
	for i := n - 1; i >= 0; i-- {
		out[i] = digits[b&15]
		b >>= 4
	}
	c.PushString(string(out[:n]))
}

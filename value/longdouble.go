package value

import (
	"cmp"
	"math/big"
	"math/bits"
	"strconv"
)

// LongDouble is the 80-bit x87 number in which INCRBYFLOAT and HINCRBYFLOAT add:
// 64 bits of mantissa, 15 of exponent, rounded to nearest even. Go has no such
// type, and a double would show other digits after the first addition (0.1+0.2 is
// 0.3 here).
//
// The value is mant * 2^exp with the top bit of mant set, or mant zero. Numbers
// below the smallest normal one keep their full mantissa; they are too small to
// show in any result. A zero has no sign: none shows either.
type LongDouble struct {
	mant uint64
	exp  int32
	neg  bool
	inf  bool
}

const (
	maxLongDoubleText = 5 * 1024 // spelled, with C's terminating zero
	topExponent       = 16384    // finite values are below 2^topExponent
	bottomExponent    = -16445   // of the smallest denormal
)

// IntLongDouble is n, exactly.
func IntLongDouble(n int64) LongDouble {
	if n < 0 {
		return roundLongDouble(true, 0, uint64(-n), false, 0)
	}
	return roundLongDouble(false, 0, uint64(n), false, 0)
}

// ParseLongDouble reads INCRBYFLOAT's operands: the syntax of ParseFloat in fewer
// than 5120 bytes, to the nearest long double. Infinities pass; adding them does
// not.
func ParseLongDouble(s []byte) (LongDouble, bool) {
	if len(s) >= maxLongDoubleText {
		return LongDouble{}, false
	}
	n, ok := scanNumeral(s)
	if !ok {
		return LongDouble{}, false
	}
	if n.inf {
		return LongDouble{neg: n.neg, inf: true}, true
	}
	if n.zero {
		return LongDouble{}, true
	}
	var x LongDouble
	if n.hex {
		x = n.hexLongDouble()
	} else {
		x = n.decimalLongDouble()
	}
	return x, !x.inf && x.mant != 0
}

// Add is x+y; finite is false for an infinity or NaN.
func (x LongDouble) Add(y LongDouble) (sum LongDouble, finite bool) {
	switch {
	case x.inf || y.inf:
		return LongDouble{}, false
	case x.mant == 0:
		return y, true
	case y.mant == 0:
		return x, true
	}
	if x.exp < y.exp || x.exp == y.exp && x.mant < y.mant {
		x, y = y, x
	}
	// Both as 128 bits, one bit free above for the carry.
	xh, xl := x.mant>>1, x.mant<<63
	yh, yl, sticky := shiftRight(y.mant>>1, y.mant<<63, uint(x.exp-y.exp))
	var hi, lo, carry uint64
	if x.neg == y.neg {
		lo, carry = bits.Add64(xl, yl, 0)
		hi, _ = bits.Add64(xh, yh, carry)
	} else {
		var borrow uint64
		if sticky { // y is a little more than its bits say: take one more off, the rest stays sticky
			borrow = 1
		}
		lo, carry = bits.Sub64(xl, yl, borrow)
		hi, _ = bits.Sub64(xh, yh, carry)
	}
	sum = roundLongDouble(x.neg, hi, lo, sticky, int(x.exp)-63)
	return sum, !sum.inf
}

// Neg is -x.
func (x LongDouble) Neg() LongDouble {
	x.neg = !x.neg
	return x
}

// Cmp is -1, 0 or 1 as x is below y, equal to it or above it.
func (x LongDouble) Cmp(y LongDouble) int {
	sign := x.sign()
	if sign != y.sign() || sign == 0 {
		return cmp.Compare(sign, y.sign())
	}
	size := 0
	switch {
	case x.inf && y.inf:
	case x.inf:
		size = 1
	case y.inf:
		size = -1
	case x.exp != y.exp:
		size = cmp.Compare(x.exp, y.exp)
	default:
		size = cmp.Compare(x.mant, y.mant)
	}
	return size * sign
}

func (x LongDouble) sign() int {
	switch {
	case x.mant == 0 && !x.inf:
		return 0
	case x.neg:
		return -1
	}
	return 1
}

// AppendTo appends x as INCRBYFLOAT shows it: 17 decimals at most, trailing zeros
// cut, never an exponent. X must be finite.
func (x LongDouble) AppendTo(dst []byte) []byte {
	if x.exp > 0 {
		n := new(big.Int).SetUint64(x.mant)
		n.Lsh(n, uint(x.exp))
		if x.neg {
			n.Neg(n)
		}
		return n.Append(dst, 10)
	}
	// x*10^17, rounded half to even, has at most 121 bits.
	const unit = 1e17
	hi, lo := bits.Mul64(x.mant, unit)
	if shift := uint(-x.exp); shift > 0 {
		var half uint64
		var rest bool
		hi, lo, rest = shiftRight(hi, lo, shift-1)
		half = lo & 1
		hi, lo, _ = shiftRight(hi, lo, 1)
		if half == 1 && (rest || lo&1 == 1) {
			lo, half = bits.Add64(lo, 1, 0)
			hi += half
		}
	}
	whole, frac := bits.Div64(hi, lo, unit)
	if x.neg && (whole|frac) != 0 {
		dst = append(dst, '-')
	}
	dst = strconv.AppendUint(dst, whole, 10)
	if frac == 0 {
		return dst
	}
	point := len(dst)
	dst = strconv.AppendUint(dst, unit+frac, 10)
	dst[point] = '.'
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// shiftRight shifts 128 bits and tells whether a one fell out.
func shiftRight(hi, lo uint64, n uint) (h, l uint64, lost bool) {
	switch {
	case n == 0:
		return hi, lo, false
	case n < 64:
		return hi >> n, lo>>n | hi<<(64-n), lo<<(64-n) != 0
	case n < 128:
		return 0, hi >> (n - 64), lo != 0 || hi<<(128-n) != 0
	}
	return 0, 0, hi|lo != 0
}

// roundLongDouble is the nearest long double to (hi:lo)*2^exp, or to slightly
// more than that when sticky.
func roundLongDouble(neg bool, hi, lo uint64, sticky bool, exp int) LongDouble {
	if hi == 0 {
		hi, lo, exp = lo, 0, exp-64
	}
	if hi == 0 {
		return LongDouble{}
	}
	n := bits.LeadingZeros64(hi)
	hi, lo, exp = hi<<n|lo>>(64-n), lo<<n, exp-n+64
	const half = 1 << 63
	if lo > half || lo == half && (sticky || hi&1 == 1) {
		if hi++; hi == 0 {
			hi, exp = half, exp+1
		}
	}
	switch top := exp + 64; {
	case top > topExponent:
		return LongDouble{neg: neg, inf: true}
	case top < bottomExponent, top == bottomExponent && hi == half:
		return LongDouble{}
	}
	return LongDouble{mant: hi, exp: int32(exp), neg: neg}
}

// Decimals that fit: 19 digits times or over a power of ten whose power of five
// fits 63 bits take one multiplication or division. Others go through integers of
// the length needed, some 30,000 bits at worst.
const (
	wordDigits = 19
	wordPower  = 27
)

func (n *numeral) decimalLongDouble() LongDouble {
	var word uint64
	digits := 0
	for _, c := range n.mant {
		if c == '.' || digits == 0 && c == '0' {
			continue
		}
		if digits++; digits <= wordDigits {
			word = word*10 + uint64(c-'0')
		}
	}
	exp := n.exp - n.frac
	switch {
	case digits+exp > 5000:
		return LongDouble{inf: true}
	case digits+exp < -5000:
		return LongDouble{}
	case digits > wordDigits || exp < -wordPower || exp > wordPower:
		return n.longDecimal(exp)
	}
	five := uint64(1)
	for range max(exp, -exp) {
		five *= 5
	}
	if exp >= 0 {
		hi, lo := bits.Mul64(word, five)
		return roundLongDouble(n.neg, hi, lo, false, exp)
	}
	up, down := bits.LeadingZeros64(word), bits.LeadingZeros64(five)
	hi, lo, shift := word<<up, uint64(0), 64
	if five <<= down; hi >= five {
		hi, lo, shift = hi>>1, hi<<63, 63
	}
	quo, rem := bits.Div64(hi, lo, five)
	rest := uint64(1) << 63 // what the remainder is worth, against one half
	switch half := five - rem; {
	case rem == 0:
		rest = 0
	case rem < half:
		rest = 1
	case rem > half:
		rest++
	}
	return roundLongDouble(n.neg, quo, rest, false, exp+down-up-shift-64)
}

func (n *numeral) longDecimal(exp int) LongDouble {
	digits := make([]byte, 0, len(n.mant))
	for _, c := range n.mant {
		if c != '.' {
			digits = append(digits, c)
		}
	}
	num, _ := new(big.Int).SetString(string(digits), 10)
	den := big.NewInt(1)
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exp, -exp))), nil)
	if exp >= 0 {
		num.Mul(num, power)
	} else {
		den = power
	}
	// A quotient of 127 or 128 bits, the remainder sticky.
	shift := 128 - num.BitLen() + den.BitLen() - 1
	if shift >= 0 {
		num.Lsh(num, uint(shift))
	} else {
		den.Lsh(den, uint(-shift))
	}
	quo, rem := num.QuoRem(num, den, new(big.Int))
	lo := new(big.Int).And(quo, new(big.Int).SetUint64(1<<64-1)).Uint64()
	hi := quo.Rsh(quo, 64).Uint64()
	return roundLongDouble(n.neg, hi, lo, rem.Sign() != 0, -shift)
}

func (n *numeral) hexLongDouble() LongDouble {
	var hi, lo uint64
	sticky, exp := false, n.exp-4*n.frac
	for _, c := range n.mant {
		if c == '.' {
			continue
		}
		d := uint64(c - '0')
		if c > '9' {
			d = uint64(c|0x20-'a') + 10
		}
		if hi>>60 != 0 {
			sticky = sticky || d != 0
			exp += 4
			continue
		}
		hi, lo = hi<<4|lo>>60, lo<<4|d
	}
	return roundLongDouble(n.neg, hi, lo, sticky, exp)
}

package value

import "strconv"

// The numbers of Redis's arguments. An integer has exactly one spelling, so that
// a string which reads as one can be stored as one; a float is whatever C's
// strtod takes up to the last byte, without leading space, NaN or overflow.

// ParseInt reads a 64-bit integer: no plus sign, no leading zero, no space, no
// "-0".
func ParseInt(s []byte) (int64, bool) {
	neg := len(s) > 0 && s[0] == '-'
	digits := s
	if neg {
		digits = s[1:]
	}
	if len(digits) == 0 || len(digits) > 19 {
		return 0, false
	}
	if digits[0] == '0' {
		return 0, len(s) == 1
	}
	var v uint64
	for _, c := range digits {
		if c -= '0'; c > 9 {
			return 0, false
		}
		v = v*10 + uint64(c)
	}
	switch {
	case neg && v <= 1<<63:
		return int64(-v), true
	case !neg && v < 1<<63:
		return int64(v), true
	}
	return 0, false
}

// AppendInt appends n in the spelling that ParseInt reads.
func AppendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

// intLen is the length of n's spelling.
func intLen(n int64) int {
	size, u := 1, uint64(n)
	if n < 0 {
		size, u = 2, -u
	}
	for ; u >= 10; u /= 10 {
		size++
	}
	return size
}

// ParseFloat reads a double as ZADD reads a score: decimal or hexadecimal,
// infinities included. A number too large for a double, or too small to differ
// from zero, is refused.
func ParseFloat(s []byte) (float64, bool) {
	n, ok := scanNumeral(s)
	if !ok {
		return 0, false
	}
	v, inRange := n.float()
	return v, inRange
}

// ParseScore reads the end of a score range: "(" excludes it. It is more lenient
// than ParseFloat, as Redis is: leading space, anything after a zero byte, the
// empty string (zero) and numbers beyond a double's range pass.
func ParseScore(s []byte) (v float64, exclusive, ok bool) {
	if len(s) > 0 && s[0] == '(' {
		s, exclusive = s[1:], true
	}
	for i, c := range s {
		if c == 0 {
			s = s[:i]
			break
		}
	}
	if len(s) == 0 {
		return 0, exclusive, true
	}
	for len(s) > 0 && (s[0] == ' ' || s[0] >= '\t' && s[0] <= '\r') {
		s = s[1:]
	}
	n, ok := scanNumeral(s)
	if !ok {
		return 0, exclusive, false
	}
	v, _ = n.float()
	return v, exclusive, true
}

// numeral is the spelling of a float taken apart, aliasing it.
type numeral struct {
	text []byte
	neg  bool
	inf  bool
	hex  bool
	zero bool   // no digit differs from 0
	mant []byte // digits with at most one point
	frac int    // digits after the point
	exp  int    // written exponent (of ten, or of two in hex), clamped
	pow  bool   // an exponent is written
}

const maxExponent = 1 << 20

// scanNumeral accepts what strtod consumes as a whole, except NaN.
func scanNumeral(s []byte) (n numeral, ok bool) {
	n.text, n.zero = s, true
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		n.neg = s[0] == '-'
		s = s[1:]
	}
	if equalFold(s, "inf") || equalFold(s, "infinity") {
		n.inf = true
		return n, true
	}
	if len(s) > 1 && s[0] == '0' && s[1]|0x20 == 'x' {
		n.hex = true
		s = s[2:]
	}
	rest := n.scanMantissa(s)
	if len(n.mant) == 0 {
		return n, false
	}
	if len(rest) == 0 {
		return n, true
	}
	if mark := rest[0] | 0x20; n.hex && mark != 'p' || !n.hex && mark != 'e' {
		return n, false
	}
	n.pow = true
	return n, n.scanExponent(rest[1:])
}

// scanMantissa takes the digits and the point; mant stays empty without a digit.
func (n *numeral) scanMantissa(s []byte) (rest []byte) {
	i, digits, point := 0, 0, -1
	for ; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '.' && point < 0:
			point = i
			continue
		case c >= '0' && c <= '9', n.hex && c|0x20 >= 'a' && c|0x20 <= 'f':
		default:
			goto done
		}
		digits++
		n.zero = n.zero && c == '0'
	}
done:
	if digits > 0 {
		n.mant = s[:i]
	}
	if point >= 0 {
		n.frac = i - point - 1
	}
	return s[i:]
}

func (n *numeral) scanExponent(s []byte) bool {
	neg := len(s) > 0 && s[0] == '-'
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
		n.exp = min(n.exp*10+int(c-'0'), maxExponent)
	}
	if neg {
		n.exp = -n.exp
	}
	return len(s) > 0
}

// float is the nearest double, and whether it is in range.
func (n *numeral) float() (v float64, inRange bool) {
	text := stringOf(n.text)
	if n.hex && !n.pow {
		text += "p0"
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && (v != 0 || n.zero)
}

// equalFold compares with a lower-case ASCII word.
func equalFold(s []byte, word string) bool {
	if len(s) != len(word) {
		return false
	}
	for i, c := range s {
		if c|0x20 != word[i] {
			return false
		}
	}
	return true
}

package lib

import (
	"math"
	"strconv"
)

// FormatNumber writes a number as Lua does: %.14g in C's terms.
func FormatNumber(n float64) string {
	if n == math.Trunc(n) && n > -1e14 && n < 1e14 && !(n == 0 && math.Signbit(n)) {
		return strconv.FormatInt(int64(n), 10)
	}
	var buf [32]byte
	return string(AppendG(buf[:0], n, 14))
}

// AppendNumber appends what FormatNumber returns.
func AppendNumber(dst []byte, n float64) []byte {
	if n == math.Trunc(n) && n > -1e14 && n < 1e14 && !(n == 0 && math.Signbit(n)) {
		return strconv.AppendInt(dst, int64(n), 10)
	}
	return AppendG(dst, n, 14)
}

// AppendG appends n as C's %.<precision>g.
func AppendG(dst []byte, n float64, precision int) []byte {
	if special := nonFinite(n); special != "" {
		return append(dst, special...)
	}
	return strconv.AppendFloat(dst, n, 'g', precision, 64)
}

// nonFinite returns C's text for an infinity or a NaN, whose sign C shows.
func nonFinite(n float64) string {
	switch {
	case math.IsInf(n, 1):
		return "inf"
	case math.IsInf(n, -1):
		return "-inf"
	case math.IsNaN(n) && math.Signbit(n):
		return "-nan"
	case math.IsNaN(n):
		return "nan"
	}
	return ""
}

// NaN is what 0/0 gives on the processors Redis runs on: a NaN with its sign
// bit set, which prints as -nan.
func NaN() float64 { return math.Float64frombits(0xfff8000000000000) }

// ParseNumber reads a number as tonumber and the coercions of arithmetic do:
// what C's strtod accepts (decimal and hexadecimal fractions, inf, nan), with
// white space around it. As in C, a NUL ends the text.
func ParseNumber(s string) (float64, bool) {
	s = trimSpace(s)
	n, rest, ok := scanNumber(s)
	if !ok {
		return 0, false
	}
	rest = trimSpace(rest)
	return n, rest == "" || rest[0] == 0
}

func trimSpace(s string) string {
	for s != "" && isSpace(s[0]) {
		s = s[1:]
	}
	return s
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// scanNumber reads the longest number at the start of s, as strtod does.
func scanNumber(s string) (n float64, rest string, ok bool) {
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	negative := i > 0 && s[0] == '-'
	if end := scanWord(s, i); end > i {
		n = math.Inf(1)
		if lower(s[i]) == 'n' {
			n = math.Float64frombits(0x7ff8000000000000)
		}
		if negative {
			n = math.Copysign(n, -1)
		}
		return n, s[end:], true
	}
	if n, end := scanHex(s, i); end > i {
		if negative {
			n = -n
		}
		return n, s[end:], true
	}
	end := scanDecimal(s, i)
	if end == i {
		return 0, s, false
	}
	n, _ = strconv.ParseFloat(s[:end], 64) // out of range gives an infinity or 0, as in C
	return n, s[end:], true
}

// scanWord returns the end of inf, infinity, nan or nan(...) at s[i:], or i.
func scanWord(s string, i int) int {
	has := func(at int, word string) bool {
		if len(s)-at < len(word) {
			return false
		}
		for j := range len(word) {
			if lower(s[at+j]) != word[j] {
				return false
			}
		}
		return true
	}
	switch {
	case has(i, "infinity"):
		return i + 8
	case has(i, "inf"):
		return i + 3
	case has(i, "nan"):
		i += 3
		if i < len(s) && s[i] == '(' {
			for j := i + 1; j < len(s); j++ {
				switch c := lower(s[j]); {
				case c == ')':
					return j + 1
				case !isDigit(c) && c != '_' && (c < 'a' || c > 'z'):
					return i
				}
			}
		}
		return i
	}
	return i
}

// scanDecimal returns the end of the decimal number at s[i:], or i.
func scanDecimal(s string, i int) int {
	start, digits := i, 0
	for ; i < len(s) && isDigit(s[i]); i++ {
		digits++
	}
	if i < len(s) && s[i] == '.' {
		i++
		for ; i < len(s) && isDigit(s[i]); i++ {
			digits++
		}
	}
	if digits == 0 {
		return start
	}
	return scanExponent(s, i, 'e')
}

// scanExponent returns the end of the exponent at s[i:], or i.
func scanExponent(s string, i int, mark byte) int {
	if i >= len(s) || lower(s[i]) != mark {
		return i
	}
	j := i + 1
	if j < len(s) && (s[j] == '-' || s[j] == '+') {
		j++
	}
	if j >= len(s) || !isDigit(s[j]) {
		return i
	}
	for j < len(s) && isDigit(s[j]) {
		j++
	}
	return j
}

// scanHex reads the hexadecimal number at s[i:]; the end is i if there is none.
func scanHex(s string, i int) (float64, int) {
	if len(s)-i < 2 || s[i] != '0' || lower(s[i+1]) != 'x' {
		return 0, i
	}
	start, digits := i, 0
	i += 2
	for ; i < len(s) && hexDigit(s[i]) >= 0; i++ {
		digits++
	}
	if i < len(s) && s[i] == '.' {
		i++
		for ; i < len(s) && hexDigit(s[i]) >= 0; i++ {
			digits++
		}
	}
	if digits == 0 {
		return 0, start + 1 // only the 0 is a number
	}
	end := scanExponent(s, i, 'p')
	text := s[start:end]
	if end == i {
		text += "p0"
	}
	n, _ := strconv.ParseFloat(text, 64)
	return n, end
}

func hexDigit(c byte) int {
	switch c = lower(c); {
	case isDigit(c):
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	}
	return -1
}

// AppendArgument appends a number as an argument of a command: %.17g in C's terms.
func AppendArgument(dst []byte, n float64) []byte {
	if n == math.Trunc(n) && n > -1e15 && n < 1e15 && !(n == 0 && math.Signbit(n)) {
		return strconv.AppendInt(dst, int64(n), 10)
	}
	return AppendG(dst, n, 17)
}

package resp

import (
	"math"
	"strconv"
)

// FormatDouble gives f as Redis 7.0 writes scores and doubles: what C's printf
// makes of "%.17g", so 0.1 is "0.10000000000000001" and 1e17 is "1e+17".
func FormatDouble(f float64) string {
	var text [32]byte
	return string(AppendDouble(text[:0], f))
}

// AppendDouble appends FormatDouble's text to dst.
func AppendDouble(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		if math.Signbit(f) {
			dst = append(dst, '-')
		}
		return append(dst, "nan"...)
	case math.IsInf(f, 1):
		return append(dst, "inf"...)
	case math.IsInf(f, -1):
		return append(dst, "-inf"...)
	}
	// An integer of at most 17 digits is printed whole; the sign of -0 is not
	// an integer's.
	if -1e17 < f && f < 1e17 {
		if n := int64(f); float64(n) == f && (n != 0 || !math.Signbit(f)) {
			return strconv.AppendInt(dst, n, 10)
		}
	}
	return strconv.AppendFloat(dst, f, 'g', 17, 64)
}

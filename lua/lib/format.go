package lib

import (
	"math"
	"strconv"
	"strings"
)

// directive is one % of a format, in C's terms.
type directive struct {
	minus, plus, space, sharp, zero bool
	width, precision                int // precision is -1 if there is none
	verb                            byte
}

func stringFormat(c *Call) {
	format := c.String(1)
	var b []byte
	arg := 1
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b = append(b, format[i])
			continue
		}
		i++
		if i < len(format) && format[i] == '%' {
			b = append(b, '%')
			continue
		}
		arg++
		if arg > c.N() {
			c.ArgError(arg, "no value")
		}
		var d directive
		d, i = readDirective(c, format, i)
		b = d.append(c, b, arg)
		c.bound(len(b))
	}
	c.PushString(string(b))
}

func readDirective(c *Call, format string, i int) (directive, int) {
	d := directive{precision: -1}
	start := i
	for ; i < len(format) && strings.IndexByte("-+ #0", format[i]) >= 0; i++ {
		switch format[i] {
		case '-':
			d.minus = true
		case '+':
			d.plus = true
		case ' ':
			d.space = true
		case '#':
			d.sharp = true
		case '0':
			d.zero = true
		}
	}
	if i-start > 5 {
		c.Errorf("invalid format (repeated flags)")
	}
	d.width, i = twoDigits(format, i)
	if i < len(format) && format[i] == '.' {
		d.precision, i = twoDigits(format, i+1)
	}
	if i < len(format) && isDigit(format[i]) {
		c.Errorf("invalid format (width or precision too long)")
	}
	if i < len(format) {
		d.verb = format[i]
	}
	return d, i
}

func twoDigits(s string, i int) (n, end int) {
	for end = i; end < len(s) && end < i+2 && isDigit(s[end]); end++ {
		n = n*10 + int(s[end]-'0')
	}
	return n, end
}

func (d directive) append(c *Call, b []byte, arg int) []byte {
	switch d.verb {
	case 'c':
		return append(b, untilNUL(d.pad(string([]byte{toByte(c.Number(arg))})))...)
	case 'd', 'i':
		n := c.Integer(arg)
		if n < 0 {
			return append(b, d.integer("-", strconv.FormatUint(-uint64(n), 10))...)
		}
		sign := ""
		if d.plus {
			sign = "+"
		} else if d.space {
			sign = " "
		}
		return append(b, d.integer(sign, strconv.FormatUint(uint64(n), 10))...)
	case 'u':
		return append(b, d.integer("", strconv.FormatUint(toUint64(c.Number(arg)), 10))...)
	case 'o', 'x', 'X':
		return append(b, d.unsigned(toUint64(c.Number(arg)))...)
	case 'e', 'E', 'f', 'g', 'G':
		return append(b, d.float(c.Number(arg))...)
	case 'q':
		return appendQuoted(c, b, c.String(arg))
	case 's':
		s := c.String(arg)
		if d.precision < 0 && len(s) >= 100 {
			return append(b, s...)
		}
		s = untilNUL(s)
		if d.precision >= 0 && len(s) > d.precision {
			s = s[:d.precision]
		}
		return append(b, d.pad(s)...)
	}
	verb := string([]byte{d.verb})
	if d.verb == 0 {
		verb = ""
	}
	c.Errorf("invalid option '%%%s' to 'format'", verb)
	return b
}

// toByte converts as a C cast to a 32-bit integer and from there to a byte does.
func toByte(n float64) byte {
	if n > -0x1p31-1 && n < 0x1p31 {
		return byte(int32(n))
	}
	return 0
}

// toUint64 converts as a C cast to an unsigned integer does.
func toUint64(n float64) uint64 {
	switch {
	case n >= 0x1p64:
		return 0
	case n >= 0x1p63:
		return uint64(n)
	}
	return uint64(ToInt64(n))
}

func untilNUL(s string) string {
	if i := strings.IndexByte(s, 0); i >= 0 {
		return s[:i]
	}
	return s
}

// pad fills up to the width with spaces.
func (d directive) pad(s string) string {
	if len(s) >= d.width {
		return s
	}
	fill := strings.Repeat(" ", d.width-len(s))
	if d.minus {
		return s + fill
	}
	return fill + s
}

// zeros puts zeros between a prefix and digits up to the width.
func (d directive) zeros(prefix, digits string) string {
	if n := d.width - len(prefix) - len(digits); n > 0 {
		digits = strings.Repeat("0", n) + digits
	}
	return prefix + digits
}

func (d directive) integer(prefix, digits string) string {
	if d.precision >= 0 {
		if digits == "0" && d.precision == 0 {
			digits = ""
		}
		if n := d.precision - len(digits); n > 0 {
			digits = strings.Repeat("0", n) + digits
		}
	} else if d.zero && !d.minus {
		return d.zeros(prefix, digits)
	}
	return d.pad(prefix + digits)
}

func (d directive) unsigned(n uint64) string {
	if d.verb == 'o' {
		digits := strconv.FormatUint(n, 8)
		if d.sharp && digits != "0" && len(digits) >= d.precision {
			digits = "0" + digits
		}
		if d.sharp && n == 0 && d.precision == 0 {
			return d.pad("0")
		}
		return d.integer("", digits)
	}
	digits, prefix := strconv.FormatUint(n, 16), ""
	if d.sharp && n != 0 {
		prefix = "0x"
	}
	if d.verb == 'X' {
		digits, prefix = strings.ToUpper(digits), strings.ToUpper(prefix)
	}
	return d.integer(prefix, digits)
}

func (d directive) float(n float64) string {
	sign := ""
	switch {
	case math.Signbit(n):
		sign = "-"
	case d.plus:
		sign = "+"
	case d.space:
		sign = " "
	}
	n = math.Abs(n)
	upper := d.verb < 'a'
	digits := nonFinite(n)
	if digits == "" {
		digits = d.digits(n)
	} else {
		d.zero = false
	}
	if upper {
		digits = strings.ToUpper(digits)
	}
	if d.zero && !d.minus {
		return d.zeros(sign, digits)
	}
	return d.pad(sign + digits)
}

// digits writes a finite number that is not negative.
func (d directive) digits(n float64) string {
	verb, precision := lower(d.verb), d.precision
	if precision < 0 {
		precision = 6
	}
	if verb == 'g' {
		precision = max(precision, 1)
	}
	s := strconv.FormatFloat(n, verb, precision, 64)
	if !d.sharp {
		return s
	}
	mantissa, exponent := s, ""
	if i := strings.IndexByte(s, 'e'); i >= 0 {
		mantissa, exponent = s[:i], s[i:]
	}
	if !strings.Contains(mantissa, ".") {
		mantissa += "."
	}
	if verb == 'g' {
		significant := len(strings.TrimLeft(strings.Replace(mantissa, ".", "", 1), "0"))
		if n == 0 {
			significant = 1
		}
		if significant < precision {
			mantissa += strings.Repeat("0", precision-significant)
		}
	}
	return mantissa + exponent
}

// appendQuoted writes a string so that Lua can read it back.
func appendQuoted(c *Call, b []byte, s string) []byte {
	c.bound(len(b) + len(s))
	b = append(b, '"')
	for i := range len(s) {
		c.passed(i)
		switch x := s[i]; x {
		case '"', '\\', '\n':
			b = append(b, '\\', x)
		case '\r':
			b = append(b, `\r`...)
		case 0:
			b = append(b, `\000`...)
		default:
			b = append(b, x)
		}
	}
	return append(b, '"')
}

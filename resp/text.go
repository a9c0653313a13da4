package resp

import (
	"strconv"
	"strings"
)

// String gives v as redis-cli shows replies to a person, without a line end
// after it: a status bare, a bulk string quoted, elements numbered and
// indented, a verbatim string as it is. Unlike redis-cli it tells the nulls
// apart, (nil) RESP2's bulk, (nil array) its array, (null) RESP3's; it shows
// attributes, as pairs numbered 1| before the value; and no line ends in a
// space.
func (v Value) String() string {
	return string(v.appendText(nil, ""))
}

// appendText writes v; indent is what further lines of it begin with.
func (v Value) appendText(dst []byte, indent string) []byte {
	if len(v.Attrs) > 0 {
		dst = appendPairs(dst, v.Attrs, '|', indent)
		dst = append(append(dst, '\n'), indent...)
	}
	switch v.Type {
	case TypeError:
		return append(append(dst, "(error) "...), v.Str...)
	case TypeBulkError:
		return append(append(dst, "(bulk error) "...), v.Str...)
	case TypeInt:
		return strconv.AppendInt(append(dst, "(integer) "...), v.Int, 10)
	case TypeDouble:
		return append(append(dst, "(double) "...), v.text()...)
	case TypeBigNumber:
		return append(append(dst, "(big number) "...), v.Str...)
	case TypeBool:
		return append(strconv.AppendBool(append(dst, '('), v.Bool), ')')
	case TypeNull:
		return append(dst, "(null)"...)
	case TypeBulk:
		if v.Nil {
			return append(dst, "(nil)"...)
		}
		return AppendQuoted(dst, v.Str)
	case TypeArray, TypeSet, TypePush, TypeMap:
		return v.appendAggregate(dst, indent)
	default: // a status or a verbatim string
		return append(dst, v.Str...)
	}
}

func (v Value) appendAggregate(dst []byte, indent string) []byte {
	name, mark := "array", byte(')')
	switch v.Type {
	case TypeSet:
		name, mark = "set", '~'
	case TypePush:
		name, mark = "push", '>'
	case TypeMap:
		name, mark = "hash", '#'
	}
	switch {
	case v.Nil:
		return append(append(append(dst, "(nil "...), name...), ')')
	case len(v.Elems) == 0:
		return append(append(append(dst, "(empty "...), name...), ')')
	case v.Type == TypeMap:
		return appendPairs(dst, v.Elems, mark, indent)
	}
	width := len(strconv.Itoa(len(v.Elems)))
	inner := indent + strings.Repeat(" ", width+2)
	for i, e := range v.Elems {
		dst = appendOrdinal(dst, i, width, mark, indent)
		dst = e.appendText(dst, inner)
	}
	return dst
}

func appendPairs(dst []byte, kv []Value, mark byte, indent string) []byte {
	width := len(strconv.Itoa(len(kv) / 2))
	inner := indent + strings.Repeat(" ", width+2)
	for i := 0; i+1 < len(kv); i += 2 {
		dst = appendOrdinal(dst, i/2, width, mark, indent)
		dst = kv[i].appendText(dst, inner)
		dst = append(dst, " =>"...)
		if value := kv[i+1]; len(value.Elems) > 0 || len(value.Attrs) > 0 {
			dst = append(append(dst, '\n'), inner...)
		} else {
			dst = append(dst, ' ')
		}
		dst = kv[i+1].appendText(dst, inner)
	}
	return dst
}

// appendOrdinal begins element i: the first stands on the line that is open.
func appendOrdinal(dst []byte, i, width int, mark byte, indent string) []byte {
	if i > 0 {
		dst = append(append(dst, '\n'), indent...)
	}
	number := strconv.Itoa(i + 1)
	for n := len(number); n < width; n++ {
		dst = append(dst, ' ')
	}
	return append(append(dst, number...), mark, ' ')
}

// AppendQuoted appends s between double quotes, with the escapes that redis-cli
// and MONITOR use.
func AppendQuoted(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		case '\a':
			dst = append(dst, `\a`...)
		case '\b':
			dst = append(dst, `\b`...)
		default:
			if c < ' ' || c > '~' {
				dst = append(dst, '\\', 'x', hex[c>>4], hex[c&15])
			} else {
				dst = append(dst, c)
			}
		}
	}
	return append(dst, '"')
}

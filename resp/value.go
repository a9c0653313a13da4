package resp

import (
	"slices"
	"strconv"
)

// The types of a Value: the first byte of its encoding.
const (
	TypeStatus    = '+'
	TypeError     = '-'
	TypeInt       = ':'
	TypeBulk      = '$'
	TypeArray     = '*'
	TypeNull      = '_' // RESP3 from here on
	TypeDouble    = ','
	TypeBool      = '#'
	TypeBigNumber = '('
	TypeBulkError = '!'
	TypeVerbatim  = '='
	TypeMap       = '%'
	TypeSet       = '~'
	TypePush      = '>'
	TypeAttribute = '|' // never a Value's type: it goes to the Attrs of the next
)

// A Value is one decoded reply of either protocol. It owns its memory.
type Value struct {
	Type   byte
	Nil    bool    // a RESP2 null: a bulk string or array of length -1
	Bool   bool    // of a boolean
	Str    string  // the text of every type that has one; of a double as sent
	Format string  // of a verbatim string, three bytes
	Int    int64   // of an integer
	Float  float64 // of a double
	Elems  []Value // of an aggregate; a map's are key, value, key, value
	Attrs  []Value // RESP3 attributes that came before it: key, value, ...
}

// IsNull reports whether v is a null of any type and protocol.
func (v Value) IsNull() bool { return v.Nil || v.Type == TypeNull }

// IsError reports whether v is an error.
func (v Value) IsError() bool { return v.Type == TypeError || v.Type == TypeBulkError }

// Equal reports whether v and u are the same on the wire: same types, same
// texts, elements and attributes in the same order.
func (v Value) Equal(u Value) bool {
	if v.Type != u.Type || v.Nil != u.Nil || v.Bool != u.Bool || v.Int != u.Int ||
		v.text() != u.text() || v.Format != u.Format {
		return false
	}
	return slices.EqualFunc(v.Elems, u.Elems, Value.Equal) &&
		slices.EqualFunc(v.Attrs, u.Attrs, Value.Equal)
}

// text is Str, which a double made by hand need not have.
func (v Value) text() string {
	if v.Type == TypeDouble && v.Str == "" {
		return FormatDouble(v.Float)
	}
	return v.Str
}

// AppendValue appends v's encoding. What Decode read it writes again.
func AppendValue(dst []byte, v Value) []byte {
	if len(v.Attrs) > 0 {
		dst = AppendAttribute(dst, len(v.Attrs)/2)
		dst = appendValues(dst, v.Attrs)
	}
	switch v.Type {
	case TypeInt:
		return AppendInt(dst, v.Int)
	case TypeNull:
		return AppendNull(dst)
	case TypeBool:
		return AppendBool(dst, v.Bool)
	case TypeBulk, TypeBulkError, TypeVerbatim:
		return appendBlob(dst, v)
	case TypeArray, TypeSet, TypePush, TypeMap:
		if v.Nil {
			return AppendNilArray(dst)
		}
		n := len(v.Elems)
		if v.Type == TypeMap {
			n /= 2
		}
		return appendValues(appendHeader(dst, v.Type, int64(n)), v.Elems)
	default: // the types of one line
		return appendLine(append(dst, v.Type), v.text())
	}
}

func appendBlob(dst []byte, v Value) []byte {
	switch {
	case v.Nil:
		return AppendNilBulk(dst)
	case v.Type == TypeVerbatim:
		dst = append(dst, v.Type)
		dst = strconv.AppendInt(dst, int64(len(v.Format)+1+len(v.Str)), 10)
		dst = append(append(append(dst, crlf...), v.Format...), ':')
	default:
		dst = appendHeader(dst, v.Type, int64(len(v.Str)))
	}
	return append(append(dst, v.Str...), crlf...)
}

func appendValues(dst []byte, vs []Value) []byte {
	for _, v := range vs {
		dst = AppendValue(dst, v)
	}
	return dst
}

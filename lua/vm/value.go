// Package vm runs compiled Lua functions.
package vm

import (
	"math"
	"unsafe"

	"minikv/lua/lib"
)

// Value is a Lua value of two words. The zero Value is nil.
//
// A number has a mark for its pointer and its bits in the other word. A boolean
// is one of two marks. Of a string the pointer leads to its bytes, of any other
// value to the object; the other word holds the kind, and a string's length.
//
// Invariant: the kinds are patterns of bits that no number has: signalling NaNs,
// which arithmetic does not produce and Number does not let in. So one
// comparison of that word tells a kind.
type Value struct {
	p unsafe.Pointer
	n uint64
}

const (
	tagString   = 0x7ff1 << 48 // plus the length
	tagTable    = 0x7ff2 << 48
	tagFunction = 0x7ff3 << 48
	tagThread   = 0x7ff4 << 48
	tagNull     = 0x7ff5 << 48
	tagBool     = 0x7ff6 << 48

	lengthMask = 1<<48 - 1
)

// marks are what the pointers of values lead to that have no object. They are
// never written; the fields differ in address only.
var marks struct{ number, no, yes, empty, null byte }

var (
	// Null is the value that stands for null in JSON: a light userdata.
	Null  = Value{unsafe.Pointer(&marks.null), tagNull}
	False = Value{unsafe.Pointer(&marks.no), tagBool}
	True  = Value{unsafe.Pointer(&marks.yes), tagBool}
)

// Number makes a number.
func Number(n float64) Value {
	if n != n {
		n = quiet(n)
	}
	return Value{unsafe.Pointer(&marks.number), math.Float64bits(n)}
}

// quiet returns the NaN of the same sign that arithmetic produces.
func quiet(n float64) float64 {
	if math.Signbit(n) {
		return lib.NaN()
	}
	return math.Float64frombits(0x7ff8000000000000)
}

// number makes a number that is a result of arithmetic.
func number(n float64) Value {
	return Value{unsafe.Pointer(&marks.number), math.Float64bits(n)}
}

// String makes a string. It aliases s.
func String(s string) Value {
	if s == "" {
		return Value{unsafe.Pointer(&marks.empty), tagString}
	}
	return Value{unsafe.Pointer(unsafe.StringData(s)), tagString | uint64(len(s))}
}

// Bool makes a boolean.
func Bool(b bool) Value {
	if b {
		return True
	}
	return False
}

// TableValue makes a value of a table.
func TableValue(t *Table) Value { return Value{unsafe.Pointer(t), tagTable} }

func functionValue(f *Function) Value { return Value{unsafe.Pointer(f), tagFunction} }
func threadValue(t *Thread) Value     { return Value{unsafe.Pointer(t), tagThread} }

func (v Value) isNumber() bool   { return v.p == unsafe.Pointer(&marks.number) }
func (v Value) isString() bool   { return v.n>>48 == tagString>>48 }
func (v Value) isTable() bool    { return v.n == tagTable }
func (v Value) isFunction() bool { return v.n == tagFunction }

// IsNil tells whether v is nil.
func (v Value) IsNil() bool { return v.p == nil }

// Truth tells whether a condition holds for v: all but nil and false.
func (v Value) Truth() bool { return v.p != nil && v.p != unsafe.Pointer(&marks.no) }

func (v Value) num() float64        { return math.Float64frombits(v.n) }
func (v Value) str() string         { return unsafe.String((*byte)(v.p), int(v.n&lengthMask)) }
func (v Value) table() *Table       { return (*Table)(v.p) }
func (v Value) function() *Function { return (*Function)(v.p) }
func (v Value) thread() *Thread     { return (*Thread)(v.p) }

// Kind returns the type of v.
func (v Value) Kind() lib.Kind {
	switch {
	case v.p == nil:
		return lib.Nil
	case v.isNumber():
		return lib.Number
	}
	switch v.n >> 48 {
	case tagString >> 48:
		return lib.String
	case tagTable >> 48:
		return lib.Table
	case tagFunction >> 48:
		return lib.Closure
	case tagThread >> 48:
		return lib.Thread
	case tagBool >> 48:
		return lib.Boolean
	}
	return lib.LightUserdata
}

// Str returns the string of a string.
func (v Value) Str() (string, bool) {
	if v.isString() {
		return v.str(), true
	}
	return "", false
}

// Num returns the number of a number.
func (v Value) Num() (float64, bool) {
	if v.isNumber() {
		return v.num(), true
	}
	return 0, false
}

// Table returns the table of a table.
func (v Value) Table() (*Table, bool) {
	if v.isTable() {
		return v.table(), true
	}
	return nil, false
}

// Text returns a string or number as a string.
func (v Value) Text() (string, bool) {
	switch {
	case v.isString():
		return v.str(), true
	case v.isNumber():
		return lib.FormatNumber(v.num()), true
	}
	return "", false
}

// ToNumber returns a number, or a string that reads as one, as a number.
func (v Value) ToNumber() (float64, bool) {
	switch {
	case v.isNumber():
		return v.num(), true
	case v.isString():
		return lib.ParseNumber(v.str())
	}
	return 0, false
}

// isLong tells whether v is a string so long that it takes a while to hash it or
// to compare it.
func (v Value) isLong() bool { return v.n>>48 == tagString>>48 && v.n&lengthMask > 1<<12 }

// cost is how many steps a string counts for, that is looked at byte by byte.
func (v Value) cost() int { return int(v.n&lengthMask) >> 6 }

// rawEqual compares without metamethods.
func rawEqual(a, b Value) bool {
	switch {
	case a.p == b.p && !a.isNumber():
		return a.n == b.n
	case a.isNumber():
		return b.isNumber() && a.num() == b.num()
	}
	return a.n == b.n && a.isString() && a.str() == b.str()
}

// hashString is Redis's hash of strings: over each byte from the last to the
// first, unseeded. The order of a table's keys comes from it.
func hashString(s string) uint32 {
	h := uint32(len(s))
	for i := len(s) - 1; i >= 0; i-- {
		h ^= h<<5 + h>>2 + uint32(s[i])
	}
	return h
}

// toLib converts a value for a library function.
func (v Value) toLib() lib.Value {
	switch v.Kind() {
	case lib.String:
		return lib.Value{Kind: lib.String, Str: v.str()}
	case lib.Number:
		return lib.Value{Kind: lib.Number, Num: v.num()}
	case lib.Boolean:
		return lib.Bool(v.Truth())
	case lib.Table:
		return lib.Value{Kind: lib.Table, Ref: v.table()}
	case lib.Closure:
		return lib.Value{Kind: lib.Closure, Ref: v.function()}
	case lib.Thread:
		return lib.Value{Kind: lib.Thread, Ref: v.thread()}
	case lib.LightUserdata:
		return LibNull
	}
	return lib.Value{}
}

// LibNull is Null for library functions.
var LibNull = lib.Value{Kind: lib.LightUserdata, Ref: nullRef{}}

type nullRef struct{}

// fromLib converts what a library function made or passed on.
func fromLib(v lib.Value) Value {
	switch v.Kind {
	case lib.String:
		return String(v.Str)
	case lib.Number:
		return Number(v.Num)
	case lib.Boolean:
		return Bool(v.Num != 0)
	case lib.Table:
		return TableValue(v.Ref.(*Table))
	case lib.Closure:
		return functionValue(v.Ref.(*Function))
	case lib.Thread:
		return threadValue(v.Ref.(*Thread))
	case lib.LightUserdata:
		return Null
	}
	return Value{}
}

// Package lib holds the library functions of scripts, written against a value
// of their own so that they do not depend on the machine that runs them.
//
// A machine converts a function's arguments to Values, fills a Call, runs the
// Function, and converts the results back. What only a machine can do (make a
// table, call a function, raise an error) goes through Runtime.
package lib

// Kind is the type of a Value.
type Kind uint8

// The kinds, in the order in which Lua 5.1 numbers them.
const (
	Nil Kind = iota
	Boolean
	LightUserdata
	Number
	String
	Table
	Closure
	Userdata
	Thread
)

var kindNames = [...]string{"nil", "boolean", "userdata", "number", "string", "table", "function", "userdata", "thread"}

// String returns the name that type() gives.
func (k Kind) String() string { return kindNames[k] }

// Value is a Lua value. The zero Value is nil.
type Value struct {
	Kind Kind
	Num  float64 // of a Number; 1 of true
	Str  string  // of a String
	Ref  any     // a Map for a Table; else the machine's own
}

// Map is a table, without metamethods.
type Map interface {
	Get(key Value) Value
	// Set stores v; key must not be nil or NaN.
	Set(key, v Value)
	Index(i int) Value
	SetIndex(i int, v Value)
	Len() int
	// Next returns the pair after key, the first one after nil. more is false
	// after the last pair.
	Next(key Value) (k, v Value, more bool)
	// Insert and Remove shift the elements from i up; 1 <= i <= Len()+1.
	Insert(i int, v Value)
	Remove(i int)
}

// Num returns a number.
func Num(n float64) Value { return Value{Kind: Number, Num: n} }

// Str returns a string.
func Str(s string) Value { return Value{Kind: String, Str: s} }

// Bool returns a boolean.
func Bool(b bool) Value {
	if b {
		return Value{Kind: Boolean, Num: 1}
	}
	return Value{Kind: Boolean}
}

// Truth tells whether a condition holds for v: all but nil and false.
func (v Value) Truth() bool { return v.Kind > Boolean || v.Kind == Boolean && v.Num != 0 }

// Map returns the table of a Table.
func (v Value) Map() Map { return v.Ref.(Map) }

// Text returns v as a string: a string itself, or a number in Lua's format.
func (v Value) Text() (string, bool) {
	switch v.Kind {
	case String:
		return v.Str, true
	case Number:
		return FormatNumber(v.Num), true
	}
	return "", false
}

// Number returns v as a number: a number itself, or a string that reads as one.
func (v Value) Number() (float64, bool) {
	switch v.Kind {
	case Number:
		return v.Num, true
	case String:
		return ParseNumber(v.Str)
	}
	return 0, false
}

package lib

import (
	"fmt"
	"math"
)

// A Function is a library function. It reads its arguments from c and pushes
// its results there.
type Function func(c *Call)

// Runtime is what only the machine that runs a script can do.
type Runtime interface {
	// NewTable makes an empty table with room for so many elements and pairs.
	NewTable(elements, pairs int) Value
	// NewFunction makes a function value of f.
	NewFunction(f Function) Value
	// First calls a function and returns its first result.
	First(fn Value, args ...Value) Value
	// Less compares as < does, metamethods included.
	Less(a, b Value) bool
	// Throw raises v as an error. It does not return.
	Throw(v Value)
	// Where names the line of the function level calls up, as
	// "user_script:1: ", or nothing if that was not written in Lua.
	Where(level int) string
	// Callee describes how the running function was called: its name in the
	// calling line, or "?", and whether it was called as a method.
	Callee() (name string, method bool)
	// ReadOnly tells whether a table may not be modified.
	ReadOnly(t Value) bool
	// ToString writes any value, asking its __tostring first.
	ToString(v Value) string
	// Field reads t[key], metamethods included.
	Field(t, key Value) Value
	// Work accounts for n steps of a long operation and may stop the script.
	Work(n int)
	// Room refuses to make something of n bytes if that is more than a script may
	// have; Charge accounts for n bytes made, other than the results.
	Room(n int)
	Charge(n int)
}

// Call is one call of a Function.
type Call struct {
	Runtime
	Args    []Value
	Results []Value
}

// N returns the number of arguments.
func (c *Call) N() int { return len(c.Args) }

// Arg returns argument i, from 1; nil if it is missing.
func (c *Call) Arg(i int) Value {
	if i > len(c.Args) {
		return Value{}
	}
	return c.Args[i-1]
}

// Missing tells whether argument i is missing or nil.
func (c *Call) Missing(i int) bool { return c.Arg(i).Kind == Nil }

// Push adds a result.
func (c *Call) Push(v Value)         { c.Results = append(c.Results, v) }
func (c *Call) PushNumber(n float64) { c.Push(Num(n)) }
func (c *Call) PushString(s string)  { c.Push(Str(s)) }
func (c *Call) PushBool(b bool)      { c.Push(Bool(b)) }

// Any checks that argument i is there.
func (c *Call) Any(i int) Value {
	if i > len(c.Args) {
		c.ArgError(i, "value expected")
	}
	return c.Args[i-1]
}

// String returns argument i, a string or a number, as a string.
func (c *Call) String(i int) string {
	v := c.Arg(i)
	if v.Kind == String {
		return v.Str
	}
	s, ok := v.Text()
	if !ok {
		c.TypeError(i, "string")
	}
	return s
}

// OptString returns argument i, or s if it is missing.
func (c *Call) OptString(i int, s string) string {
	if c.Missing(i) {
		return s
	}
	return c.String(i)
}

// Number returns argument i, a number or a string that reads as one.
func (c *Call) Number(i int) float64 {
	v := c.Arg(i)
	if v.Kind == Number {
		return v.Num
	}
	n, ok := v.Number()
	if !ok {
		c.TypeError(i, "number")
	}
	return n
}

// OptNumber returns argument i, or n if it is missing.
func (c *Call) OptNumber(i int, n float64) float64 {
	if c.Missing(i) {
		return n
	}
	return c.Number(i)
}

// Integer returns argument i truncated to 64 bits, as a C cast does.
func (c *Call) Integer(i int) int64 { return ToInt64(c.Number(i)) }

// OptInteger returns argument i, or n if it is missing.
func (c *Call) OptInteger(i int, n int64) int64 {
	if c.Missing(i) {
		return n
	}
	return c.Integer(i)
}

// Int returns argument i truncated to 32 bits, as a C cast does.
func (c *Call) Int(i int) int { return int(int32(c.Integer(i))) }

// OptInt returns argument i, or n if it is missing.
func (c *Call) OptInt(i, n int) int {
	if c.Missing(i) {
		return n
	}
	return c.Int(i)
}

// Table returns argument i, a table.
func (c *Call) Table(i int) Map {
	v := c.Arg(i)
	if v.Kind != Table {
		c.TypeError(i, "table")
	}
	return v.Map()
}

// Writable returns argument i, a table that may be modified.
func (c *Call) Writable(i int) Map {
	t := c.Table(i)
	if c.ReadOnly(c.Args[i-1]) {
		c.Throw(Str("Attempt to modify a readonly table"))
	}
	return t
}

// Func returns argument i, a function.
func (c *Call) Func(i int) Value {
	v := c.Arg(i)
	if v.Kind != Closure {
		c.TypeError(i, "function")
	}
	return v
}

// ArgError raises a complaint about argument i. The receiver of a method call
// is not counted.
func (c *Call) ArgError(i int, complaint string) {
	name, method := c.Callee()
	if method {
		i--
		if i == 0 {
			c.Errorf("calling '%s' on bad self (%s)", name, complaint)
		}
	}
	c.Errorf("bad argument #%d to '%s' (%s)", i, name, complaint)
}

// TypeError raises the complaint that argument i is of another type.
func (c *Call) TypeError(i int, expected string) {
	got := "no value"
	if i <= len(c.Args) {
		got = c.Args[i-1].Kind.String()
	}
	c.ArgError(i, expected+" expected, got "+got)
}

// Errorf raises a text with the calling line in front of it. As in C, a string
// put into it ends at its first NUL.
func (c *Call) Errorf(format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = untilNUL(s)
		}
	}
	c.Throw(Str(c.Where(1) + fmt.Sprintf(format, args...)))
}

// ToInt64 converts as a C cast does on the processors Redis runs on: what does
// not fit becomes the smallest integer.
func ToInt64(n float64) int64 {
	if n >= -0x1p63 && n < 0x1p63 {
		return int64(n)
	}
	return math.MinInt64
}

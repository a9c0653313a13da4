package lib

import "strings"

// Bases are the global functions that need nothing from the machine but what
// Runtime offers.
var Bases = map[string]Function{
	"assert":         assert,
	"collectgarbage": collectGarbage,
	"error":          raise,
	"gcinfo":         func(c *Call) { c.PushNumber(memoryKB) },
	"rawequal":       func(c *Call) { c.PushBool(Same(c.Any(1), c.Any(2))) },
	"rawget":         rawGet,
	"rawset":         rawSet,
	"select":         selectArgs,
	"tonumber":       toNumber,
	"tostring":       func(c *Call) { c.PushString(c.ToString(c.Any(1))) },
	"type":           func(c *Call) { c.PushString(c.Any(1).Kind.String()) },
	"unpack":         unpack,
}

// memoryKB is what a script is told about memory in use: the collector is
// Go's, and a number that changes would make scripts unrepeatable.
//
// DIFFERS: collectgarbage("count") and gcinfo() always report 64 kB, and the other options of collectgarbage do nothing.
const memoryKB = 64

// Same tells whether two values are the same, without metamethods.
func Same(a, b Value) bool {
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case Number, Boolean:
		return a.Num == b.Num
	case String:
		return a.Str == b.Str
	}
	return a.Ref == b.Ref
}

func assert(c *Call) {
	if !c.Any(1).Truth() {
		c.Errorf("%s", c.OptString(2, "assertion failed!"))
	}
	c.Results = append(c.Results, c.Args...)
}

func raise(c *Call) {
	level := c.OptInt(2, 1)
	v := c.Arg(1)
	if s, ok := v.Text(); ok && level > 0 {
		v = Str(c.Where(level) + s)
	}
	c.Throw(v)
}

func collectGarbage(c *Call) {
	option := c.OptString(1, "collect")
	switch option {
	case "collect", "stop", "restart":
		c.OptInt(2, 0)
		c.PushNumber(0)
	case "count":
		c.OptInt(2, 0)
		c.PushNumber(memoryKB)
	case "step":
		c.OptInt(2, 0)
		c.PushBool(false)
	case "setpause", "setstepmul":
		c.OptInt(2, 0)
		c.PushNumber(200)
	default:
		c.ArgError(1, "invalid option '"+untilNUL(option)+"'")
	}
}

func rawGet(c *Call) {
	t := c.Table(1)
	c.Push(t.Get(c.Any(2)))
}

func rawSet(c *Call) {
	t := c.Table(1)
	k, v := c.Any(2), c.Any(3)
	c.Writable(1)
	c.CheckKey(k)
	t.Set(k, v)
	c.Push(c.Arg(1))
}

// CheckKey raises an error if k cannot be the key of a table.
func (c *Call) CheckKey(k Value) {
	switch {
	case k.Kind == Nil:
		c.Throw(Str("table index is nil"))
	case k.Kind == Number && k.Num != k.Num:
		c.Throw(Str("table index is NaN"))
	}
}

func selectArgs(c *Call) {
	n := c.N()
	if c.Arg(1).Kind == String && strings.HasPrefix(c.Arg(1).Str, "#") {
		c.PushNumber(float64(n - 1))
		return
	}
	i := c.Int(1)
	switch {
	case i < 0:
		i += n
	case i > n:
		i = n
	}
	if i < 1 {
		c.ArgError(1, "index out of range")
	}
	c.Results = append(c.Results, c.Args[i:]...)
}

// maxSlots is how many values a function may put on the stack at once.
const maxSlots = 8000

func unpack(c *Call) {
	t := c.Table(1)
	i, e := c.OptInt(2, 1), 0
	if c.Missing(3) {
		e = t.Len()
	} else {
		e = c.Int(3)
	}
	if i > e {
		return
	}
	if n := e - i + 1; n >= maxSlots-c.N() {
		c.Errorf("too many results to unpack")
	}
	for ; i <= e; i++ {
		c.Push(t.Index(i))
	}
}

func toNumber(c *Call) {
	base := c.OptInt(2, 10)
	if base == 10 {
		if n, ok := c.Any(1).Number(); ok {
			c.PushNumber(n)
			return
		}
		c.Push(Value{})
		return
	}
	s := c.String(1)
	if base < 2 || base > 36 {
		c.ArgError(2, "base out of range")
	}
	if n, ok := parseUnsigned(s, uint64(base)); ok {
		c.PushNumber(n)
		return
	}
	c.Push(Value{})
}

// parseUnsigned reads an integer as C's strtoul does: a sign is taken, and a
// negative number wraps around.
func parseUnsigned(s string, base uint64) (float64, bool) {
	s = trimSpace(s)
	negative := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		negative, s = s[0] == '-', s[1:]
	}
	if base == 16 && len(s) > 2 && s[0] == '0' && lower(s[1]) == 'x' && hexDigit(s[2]) >= 0 {
		s = s[2:]
	}
	n, digits, full := uint64(0), 0, false
	for ; s != ""; s = s[1:] {
		d := digit36(s[0])
		if d < 0 || uint64(d) >= base {
			break
		}
		if n > (1<<64-1-uint64(d))/base {
			full = true
		}
		n = n*base + uint64(d)
		digits++
	}
	if digits == 0 {
		return 0, false
	}
	switch {
	case full:
		n = 1<<64 - 1
	case negative:
		n = -n
	}
	s = trimSpace(s)
	return float64(n), s == "" || s[0] == 0
}

func digit36(c byte) int {
	switch c = lower(c); {
	case isDigit(c):
		return int(c - '0')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 10
	}
	return -1
}

package lib

import "math"

func (j *JSON) encode(c *Call) {
	if c.N() != 1 {
		c.ArgError(1, "expected 1 argument")
	}
	e := jsonEncoder{c: c, j: j, b: j.buffer[:0]}
	e.value(c.Arg(1), 0)
	if j.buffer = e.b; cap(e.b) > maxBuffer {
		j.buffer = nil
	}
	c.PushString(string(e.b))
}

// maxBuffer bounds the buffer that is kept from one call of encode to the next.
const maxBuffer = 1 << 14

type jsonEncoder struct {
	c *Call
	j *JSON
	b []byte
}

func (e *jsonEncoder) refuse(v Value, reason string) {
	e.c.Errorf("Cannot serialise %s: %s", v.Kind, reason)
}

func (e *jsonEncoder) value(v Value, depth int) {
	e.c.Work(1)
	switch v.Kind {
	case String:
		e.text(v.Str)
	case Number:
		e.number(v)
	case Boolean:
		if v.Truth() {
			e.b = append(e.b, "true"...)
		} else {
			e.b = append(e.b, "false"...)
		}
	case Table:
		e.table(v, depth+1)
	case Nil:
		e.b = append(e.b, "null"...)
	default:
		if !Same(v, e.j.Null) {
			e.refuse(v, "type not supported")
		}
		e.b = append(e.b, "null"...)
	}
}

func (e *jsonEncoder) number(v Value) {
	if math.IsNaN(v.Num) || math.IsInf(v.Num, 0) {
		switch e.j.EncodeInvalid {
		case InvalidNull:
			e.b = append(e.b, "null"...)
			return
		case InvalidError:
			e.refuse(v, "must not be NaN or Inf")
		}
		if math.IsNaN(v.Num) {
			v.Num = math.NaN() // without its sign
		}
	}
	if e.j.Precision == 14 {
		e.b = AppendNumber(e.b, v.Num)
		return
	}
	e.b = AppendG(e.b, v.Num, e.j.Precision)
}

// plain tells which bytes stand for themselves in a string.
var plain = func() (set [256]bool) {
	for x := range set {
		set[x] = x >= ' ' && x != '"' && x != '\\' && x != '/' && x != 0x7f
	}
	return set
}()

func (e *jsonEncoder) text(s string) {
	const hex = "0123456789abcdef"
	e.b = append(e.b, '"')
	e.c.bound(len(e.b) + len(s))
	for i, done := 0, 0; i <= len(s); i++ {
		e.c.passed(i)
		if i < len(s) && plain[s[i]] {
			continue
		}
		e.b = append(e.b, s[done:i]...)
		if done = i + 1; i == len(s) {
			break
		}
		switch x := s[i]; x {
		case '"', '\\', '/':
			e.b = append(e.b, '\\', x)
		case '\b':
			e.b = append(e.b, `\b`...)
		case '\t':
			e.b = append(e.b, `\t`...)
		case '\n':
			e.b = append(e.b, `\n`...)
		case '\f':
			e.b = append(e.b, `\f`...)
		case '\r':
			e.b = append(e.b, `\r`...)
		default:
			e.b = append(e.b, '\\', 'u', '0', '0', hex[x>>4], hex[x&15])
		}
	}
	e.b = append(e.b, '"')
}

func (e *jsonEncoder) table(v Value, depth int) {
	if depth > e.j.EncodeDepth {
		e.c.Errorf("Cannot serialise, excessive nesting (%d)", depth)
	}
	e.c.bound(len(e.b))
	t := v.Map()
	n := e.length(v, t)
	if n <= 0 {
		e.object(t, depth)
		return
	}
	e.b = append(e.b, '[')
	for i := 1; i <= n; i++ {
		if i > 1 {
			e.b = append(e.b, ',')
		}
		e.value(t.Index(i), depth)
	}
	e.b = append(e.b, ']')
}

// ordered is a Map whose pairs can be reached without looking for the last key:
// After returns the first pair from a place on, 0 to begin with, and the place
// behind it; k is nil behind the last pair.
type ordered interface {
	After(place int) (k, v Value, next int)
}

func inOrder(t Map) ordered {
	if o, ok := t.(ordered); ok {
		return o
	}
	return &successors{t: t}
}

// successors goes through a Map by its keys.
type successors struct {
	t    Map
	last Value
}

// After goes on from the last key, or begins anew.
func (s *successors) After(place int) (k, v Value, next int) {
	if place == 0 {
		s.last = Value{}
	}
	k, v, _ = s.t.Next(s.last)
	s.last = k
	return k, v, place + 1
}

// length returns the highest index of an array; a table with any other key is
// not an array, nor is one with too many holes.
func (e *jsonEncoder) length(v Value, t Map) int {
	highest, items := int32(0), 0
	o := inOrder(t)
	for k, _, next := o.After(0); k.Kind != Nil; k, _, next = o.After(next) {
		if k.Kind != Number || k.Num < 1 || k.Num != math.Floor(k.Num) {
			return -1
		}
		if k.Num > math.MaxInt32 {
			return -1
		}
		highest = max(highest, int32(k.Num))
		items++
	}
	if r := e.j.SparseRatio; r > 0 && int(highest) > items*r && int(highest) > e.j.SparseSafe {
		if !e.j.SparseConvert {
			e.refuse(v, "excessively sparse array")
		}
		return -1
	}
	return int(highest)
}

func (e *jsonEncoder) object(t Map, depth int) {
	e.b = append(e.b, '{')
	first := true
	o := inOrder(t)
	for k, v, next := o.After(0); k.Kind != Nil; k, v, next = o.After(next) {
		if !first {
			e.b = append(e.b, ',')
		}
		first = false
		switch k.Kind {
		case Number:
			e.b = append(e.b, '"')
			e.number(k)
			e.b = append(e.b, '"')
		case String:
			e.text(k.Str)
		default:
			e.refuse(k, "table key must be a number or string")
		}
		e.b = append(e.b, ':')
		e.value(v, depth)
	}
	e.b = append(e.b, '}')
}

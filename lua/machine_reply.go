package lua

import (
	"bytes"

	"minikv/lua/lib"
	"minikv/lua/vm"
	"minikv/resp"
)

// fromReply converts the first reply in b, as redis.call returns it, and
// returns what follows it. b is a reply the server itself wrote, so it is
// complete and well formed.
func (m *machine) fromReply(b []byte) (vm.Value, []byte) {
	end := bytes.IndexByte(b, '\r')
	if end < 1 {
		return vm.Value{}, nil
	}
	line, rest := b[1:end], b[end+2:]
	switch b[0] {
	case ':':
		return vm.Number(float64(integer(line))), rest
	case '$':
		n := int(integer(line))
		if n < 0 {
			return vm.False, rest
		}
		return m.text.string(rest[:n]), rest[n+2:]
	case '+':
		return m.field("ok", m.text.string(line)), rest
	case '-':
		return vm.TableValue(m.errorTable(string(line), true)), rest
	case '*':
		return m.fromArray(int(integer(line)), rest)
	case '_':
		return vm.Value{}, rest
	case '#':
		return vm.Bool(len(line) == 1 && line[0] == 't'), rest
	case ',':
		n, _ := lib.ParseNumber(string(line))
		return m.field("double", vm.Number(n)), rest
	case '(':
		return m.field("big_number", m.text.string(line)), rest
	case '=':
		n := int(integer(line))
		t := m.vm.NewTable(0, 0)
		t.SetField("string", m.text.string(rest[4:n]))
		t.SetField("format", m.text.string(rest[:3]))
		return m.field("verbatim_string", vm.TableValue(t)), rest[n+2:]
	case '%':
		return m.fromMap(int(integer(line)), rest)
	case '~':
		return m.fromSet(int(integer(line)), rest)
	}
	return vm.Value{}, rest
}

func (m *machine) fromArray(n int, b []byte) (vm.Value, []byte) {
	if n < 0 {
		return vm.False, b
	}
	t := m.vm.NewTable(n, 0)
	for i := 1; i <= n; i++ {
		var v vm.Value
		v, b = m.fromReply(b)
		t.SetElement(i, v)
	}
	return vm.TableValue(t), b
}

func (m *machine) fromMap(n int, b []byte) (vm.Value, []byte) {
	t := m.vm.NewTable(0, n)
	for range n {
		var k, v vm.Value
		k, b = m.fromReply(b)
		v, b = m.fromReply(b)
		t.SetPair(k, v)
	}
	return m.field("map", vm.TableValue(t)), b
}

func (m *machine) fromSet(n int, b []byte) (vm.Value, []byte) {
	t := m.vm.NewTable(0, n)
	for range n {
		var k vm.Value
		k, b = m.fromReply(b)
		t.SetPair(k, vm.True)
	}
	return m.field("set", vm.TableValue(t)), b
}

// field makes a table with one field.
func (m *machine) field(name string, v vm.Value) vm.Value {
	t := m.vm.NewTable(0, 0)
	t.SetField(name, v)
	return vm.TableValue(t)
}

// writeReply writes what a script returned.
func (m *machine) writeReply(v vm.Value, out *resp.Writer) Result {
	if t, ok := v.Table(); ok {
		if e, ok := t.Field("err").Str(); ok {
			out.Error(line(e))
			return Result{Failed: true, Counted: t.Field(statsField) == vm.True}
		}
	}
	m.writeValue(v, out, 0)
	return Result{}
}

func (m *machine) writeValue(v vm.Value, out *resp.Writer, depth int) {
	switch v.Kind() {
	case lib.String:
		s, _ := v.Str()
		out.BulkString(s)
	case lib.Number:
		n, _ := v.Num()
		out.Int(lib.ToInt64(n))
	case lib.Boolean:
		m.writeBool(v.Truth(), out)
	case lib.Table:
		t, _ := v.Table()
		m.writeTable(t, out, depth)
	default:
		out.Null()
	}
}

// writeBool writes a boolean: true is 1 and false is null, unless the script
// asked for RESP3 and so means booleans.
func (m *machine) writeBool(v bool, out *resp.Writer) {
	switch {
	case m.proto == 3:
		out.Bool(v)
	case v:
		out.Int(1)
	default:
		out.Null()
	}
}

func (m *machine) writeTable(t *vm.Table, out *resp.Writer, depth int) {
	if depth >= maxReplyDepth {
		out.Error("ERR reached lua stack limit")
		return
	}
	if t.HasFields() && m.writeTyped(t, out, depth) {
		return
	}
	n := 0
	for !t.Element(n + 1).IsNil() {
		n++
	}
	out.Array(n)
	for i := 1; i <= n; i++ {
		m.writeValue(t.Element(i), out, depth+1)
	}
}

// writeTyped writes a table that stands for a reply of a certain type.
func (m *machine) writeTyped(t *vm.Table, out *resp.Writer, depth int) bool {
	if s, ok := t.Field("err").Str(); ok {
		out.Error(line(s))
		return true
	}
	if s, ok := t.Field("ok").Str(); ok {
		out.Status(line(s))
		return true
	}
	if n, ok := t.Field("double").Num(); ok {
		out.Double(n)
		return true
	}
	if pairs, ok := t.Field("map").Table(); ok {
		out.Map(count(pairs))
		pairs.Pairs(func(k, v vm.Value) {
			m.writeValue(k, out, depth+1)
			m.writeValue(v, out, depth+1)
		})
		return true
	}
	if set, ok := t.Field("set").Table(); ok {
		out.Set(count(set))
		set.Pairs(func(k, _ vm.Value) { m.writeValue(k, out, depth+1) })
		return true
	}
	if s, ok := t.Field("big_number").Str(); ok {
		out.BigNumber(line(s))
		return true
	}
	if vt, ok := t.Field("verbatim_string").Table(); ok {
		format, okF := vt.Field("format").Text()
		s, okS := vt.Field("string").Text()
		if okF && okS {
			out.Verbatim(format, []byte(s))
			return true
		}
	}
	return false
}

func count(t *vm.Table) int {
	n := 0
	t.Pairs(func(_, _ vm.Value) { n++ })
	return n
}

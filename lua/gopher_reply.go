package lua

import (
	"strings"

	"bytes"
	"math"
	"strconv"

	gl "github.com/yuin/gopher-lua"

	"minikv/lua/lib"
	"minikv/resp"
)

// fromReply converts the first reply in b, as redis.call returns it, and
// returns what follows it. b is a reply the server itself wrote, so it is
// complete and well formed.
func (m *gopher) fromReply(b []byte, proto int) (gl.LValue, []byte) {
	end := bytes.IndexByte(b, '\r')
	if end < 1 {
		return gl.LNil, nil
	}
	line, rest := b[1:end], b[end+2:]
	switch b[0] {
	case ':':
		return gl.LNumber(integer(line)), rest
	case '$':
		n := int(integer(line))
		if n < 0 {
			return gl.LFalse, rest
		}
		return gl.LString(rest[:n]), rest[n+2:]
	case '+':
		return m.statusTable(string(line)), rest
	case '-':
		return m.errorTable(string(line), true), rest
	case '*':
		return m.fromArray(int(integer(line)), rest, proto)
	case '_':
		return gl.LNil, rest
	case '#':
		return gl.LBool(len(line) == 1 && line[0] == 't'), rest
	case ',':
		n, _ := lib.ParseNumber(string(line))
		return m.field("double", gl.LNumber(n)), rest
	case '(':
		return m.field("big_number", gl.LString(line)), rest
	case '=':
		n := int(integer(line))
		t := m.l.CreateTable(0, 2)
		t.RawSetString("format", gl.LString(rest[:3]))
		t.RawSetString("string", gl.LString(rest[4:n]))
		return m.field("verbatim_string", t), rest[n+2:]
	case '%':
		return m.fromMap(int(integer(line)), rest, proto)
	case '~':
		return m.fromSet(int(integer(line)), rest, proto)
	}
	return gl.LNil, rest
}

func (m *gopher) fromArray(n int, b []byte, proto int) (gl.LValue, []byte) {
	if n < 0 {
		return gl.LFalse, b
	}
	t := m.l.CreateTable(n, 0)
	for i := 1; i <= n; i++ {
		var v gl.LValue
		v, b = m.fromReply(b, proto)
		t.RawSetInt(i, v)
	}
	return t, b
}

func (m *gopher) fromMap(n int, b []byte, proto int) (gl.LValue, []byte) {
	t := m.l.CreateTable(0, n)
	for range n {
		var k, v gl.LValue
		k, b = m.fromReply(b, proto)
		v, b = m.fromReply(b, proto)
		if badKey(k) == "" {
			rawSet(t, k, v)
		}
	}
	return m.field("map", t), b
}

func (m *gopher) fromSet(n int, b []byte, proto int) (gl.LValue, []byte) {
	t := m.l.CreateTable(0, n)
	for range n {
		var k gl.LValue
		k, b = m.fromReply(b, proto)
		if badKey(k) == "" {
			rawSet(t, k, gl.LTrue)
		}
	}
	return m.field("set", t), b
}

// field makes a table with one field.
func (m *gopher) field(name string, v gl.LValue) *gl.LTable {
	t := m.l.CreateTable(0, 1)
	t.RawSetString(name, v)
	return t
}

// integer reads a RESP number.
func integer(b []byte) int64 {
	if len(b) < 18 {
		n, neg := int64(0), false
		for i, c := range b {
			if i == 0 && c == '-' {
				neg = true
				continue
			}
			n = n*10 + int64(c-'0')
		}
		if neg {
			return -n
		}
		return n
	}
	n, _ := strconv.ParseInt(string(b), 10, 64)
	return n
}

// maxReplyDepth is how deep a table may be nested that a script returns.
const maxReplyDepth = 7995

// line is a text as it goes into a reply of one line: it ends at a NUL, and
// line breaks become spaces.
func line(s string) string {
	s, _, _ = strings.Cut(s, "\x00")
	return lineBreaks.Replace(s)
}

var lineBreaks = strings.NewReplacer("\r", " ", "\n", " ")

// writeReply writes what a script returned.
func (m *gopher) writeReply(v gl.LValue, out *resp.Writer) Result {
	var res Result
	if t, ok := v.(*gl.LTable); ok {
		if e, ok := t.RawGetString("err").(gl.LString); ok {
			res.Failed = true
			res.Counted = t.RawGetString("ignore_error_stats_update") == gl.LTrue
			out.Error(line(string(e)))
			return res
		}
	}
	m.writeValue(v, out, 0)
	return res
}

func (m *gopher) writeValue(v gl.LValue, out *resp.Writer, depth int) {
	switch v := v.(type) {
	case gl.LString:
		out.BulkString(string(v))
	case gl.LNumber:
		out.Int(lib.ToInt64(float64(v)))
	case gl.LBool:
		m.writeBool(bool(v), out)
	case *gl.LTable:
		m.writeTable(m.behind(v), out, depth)
	default:
		out.Null()
	}
}

// writeBool writes a boolean: true is 1 and false is null, unless the script
// asked for RESP3 and so means booleans.
func (m *gopher) writeBool(v bool, out *resp.Writer) {
	switch {
	case m.run.proto == 3:
		out.Bool(v)
	case v:
		out.Int(1)
	default:
		out.Null()
	}
}

func (m *gopher) writeTable(t *gl.LTable, out *resp.Writer, depth int) {
	if depth >= maxReplyDepth {
		out.Error("ERR reached lua stack limit")
		return
	}
	if s, ok := t.RawGetString("err").(gl.LString); ok {
		out.Error(line(string(s)))
		return
	}
	if s, ok := t.RawGetString("ok").(gl.LString); ok {
		out.Status(line(string(s)))
		return
	}
	if n, ok := t.RawGetString("double").(gl.LNumber); ok {
		out.Double(float64(n))
		return
	}
	if mt, ok := t.RawGetString("map").(*gl.LTable); ok {
		m.writeMap(mt, out, depth)
		return
	}
	if set, ok := t.RawGetString("set").(*gl.LTable); ok {
		m.writeSet(set, out, depth)
		return
	}
	if s, ok := t.RawGetString("big_number").(gl.LString); ok {
		out.BigNumber(line(string(s)))
		return
	}
	if vt, ok := t.RawGetString("verbatim_string").(*gl.LTable); ok {
		format, okF := text(vt.RawGetString("format"))
		s, okS := text(vt.RawGetString("string"))
		if okF && okS {
			out.Verbatim(format, []byte(s))
			return
		}
	}
	n := 0
	for rawIndex(t, n+1) != gl.LNil {
		n++
	}
	out.Array(n)
	for i := 1; i <= n; i++ {
		m.writeValue(rawIndex(t, i), out, depth+1)
	}
}

func (m *gopher) writeMap(t *gl.LTable, out *resp.Writer, depth int) {
	out.Map(size(t))
	for k, v := t.Next(gl.LNil); k != gl.LNil; k, v = t.Next(k) {
		m.writeValue(k, out, depth+1)
		m.writeValue(v, out, depth+1)
	}
}

func (m *gopher) writeSet(t *gl.LTable, out *resp.Writer, depth int) {
	out.Set(size(t))
	for k, _ := t.Next(gl.LNil); k != gl.LNil; k, _ = t.Next(k) {
		m.writeValue(k, out, depth+1)
	}
}

func size(t *gl.LTable) int {
	n := 0
	for k, _ := t.Next(gl.LNil); k != gl.LNil && n < math.MaxInt; k, _ = t.Next(k) {
		n++
	}
	return n
}

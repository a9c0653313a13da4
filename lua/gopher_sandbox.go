package lua

import (
	"math"
	"strings"

	gl "github.com/yuin/gopher-lua"

	"minikv/lua/lib"
)

// openSandbox fills the globals with exactly what Redis gives to scripts.
//
// A library table is not itself visible: a script sees an empty table, its
// proxy, whose metatable reads from the library and refuses writes. pairs,
// next, rawget and the library functions look behind a proxy.
func (m *gopher) openSandbox() {
	m.openBase()
	m.openErrors()
	strs := m.natives(lib.Strings)
	strs["dump"] = m.l.NewFunction(m.stringDump)
	text := m.library("string", strs)
	m.library("table", m.natives(lib.Tables))
	m.library("math", m.mathMembers())
	m.library("bit", m.natives(lib.Bits))
	m.library("struct", m.natives(lib.Structs))
	m.library("cjson", m.jsonMembers(m.json))
	m.library("cmsgpack", m.packMembers())
	m.library("coroutine", m.coroutineMembers())
	m.library("redis", m.redisMembers())
	m.openTypes(text)
	m.globals.RawSetString("_VERSION", gl.LString("Lua 5.1"))
	m.lib["_VERSION"] = gl.LString("Lua 5.1")
}

// members are the fields of a library.
type members map[string]gl.LValue

func (m *gopher) natives(functions map[string]lib.Function) members {
	out := members{}
	for name, f := range functions {
		out[name] = m.native(name, f)
	}
	return out
}

// library makes a library, its proxy and the global that holds it. It returns
// the library itself.
func (m *gopher) library(name string, fields members) *gl.LTable {
	t := m.fields(fields)
	for k, v := range fields {
		m.lib[name+"."+k] = v
	}
	p := m.proxy(t)
	m.globals.RawSetString(name, p)
	m.lib[name] = p
	return t
}

func (m *gopher) fields(fields members) *gl.LTable {
	t := m.l.CreateTable(0, len(fields))
	for k, v := range fields {
		t.RawSetString(k, v)
	}
	return t
}

// global makes a global function.
func (m *gopher) global(name string, f *gl.LFunction) {
	m.globals.RawSetString(name, f)
	m.lib[name] = f
}

// proxy makes the table through which scripts see t.
func (m *gopher) proxy(t *gl.LTable) *gl.LTable {
	p, mt := m.l.CreateTable(0, 0), m.l.CreateTable(0, 2)
	mt.RawSetString("__index", t)
	mt.RawSetString("__newindex", m.l.NewFunction(refuse))
	p.Metatable = mt
	m.proxies[p] = t
	m.fixed[p], m.fixed[t] = true, true
	return p
}

// behind returns the library behind a proxy, and any other table itself.
func (m *gopher) behind(t *gl.LTable) *gl.LTable {
	if t.Metatable != gl.LNil {
		if lib, ok := m.proxies[t]; ok {
			return lib
		}
	}
	return t
}

// readOnly tells whether scripts may not change a table: it is a proxy, or the
// library behind one.
func (m *gopher) readOnly(t *gl.LTable) bool {
	return m.fixed[t]
}

const readOnlyText = "Attempt to modify a readonly table"

// refuse is what a write to a read-only table calls.
func refuse(l *gl.LState) int {
	l.Error(gl.LString(where(l, 1)+readOnlyText), 0)
	return 0
}

// protectGlobals refuses what scripts may not do with globals. Assignments to
// globals are already refused by the rewriter.
func (m *gopher) protectGlobals() {
	m.globals.Metatable = m.missing()
	p := m.proxy(m.globals)
	m.globals.RawSetString("_G", p)
	m.lib["_G"] = p
}

// missing makes the metatable of a table whose missing fields are errors.
func (m *gopher) missing() *gl.LTable {
	mt := m.l.CreateTable(0, 2)
	mt.RawSetString("__index", m.l.NewFunction(func(l *gl.LState) int {
		name, _ := text(l.Get(2))
		l.RaiseError("Script attempted to access nonexistent global variable '%s'", name)
		return 0
	}))
	mt.RawSetString("__newindex", m.l.NewFunction(refuse))
	return mt
}

func (m *gopher) mathMembers() members {
	out := m.natives(lib.Maths)
	out["pi"] = gl.LNumber(math.Pi)
	out["huge"] = gl.LNumber(math.Inf(1))
	out["random"] = m.native("random", func(c *lib.Call) { lib.RandomNumber(c, m.random) })
	out["randomseed"] = m.native("randomseed", func(c *lib.Call) { lib.RandomSeed(c, m.random) })
	return out
}

func (m *gopher) jsonMembers(j *lib.JSON) members {
	out := m.natives(j.Functions())
	out["_NAME"], out["_VERSION"] = gl.LString("cjson"), gl.LString("2.1.0")
	out["null"] = m.null
	out["new"] = m.native("new", func(c *lib.Call) {
		c.Push(fromLua(m.fields(m.jsonMembers(lib.NewJSON(m.json.Null)))))
	})
	return out
}

func (m *gopher) packMembers() members {
	out := m.natives(lib.Packs)
	out["_NAME"], out["_VERSION"] = gl.LString("cmsgpack"), gl.LString("lua-cmsgpack 0.4.0")
	out["_COPYRIGHT"] = gl.LString("Copyright (C) 2012, Salvatore Sanfilippo")
	out["_DESCRIPTION"] = gl.LString("MessagePack C implementation for Lua")
	return out
}

// openTypes gives strings their methods, and every type without fields of its
// own the messages Lua has for a wrong use.
func (m *gopher) openTypes(text *gl.LTable) {
	for _, v := range []gl.LValue{gl.LNil, gl.LTrue, gl.LNumber(0), gl.LString(""), m.guard, m.l} {
		mt := m.l.CreateTable(0, 12)
		for event, f := range m.complaints() {
			mt.RawSetString(event, f)
		}
		if v.Type() == gl.LTString {
			mt.RawSetString("__index", text)
			shown := m.l.CreateTable(0, 1)
			shown.RawSetString("__index", m.lib["string"])
			m.lib["\x00stringmeta"] = m.proxy(shown)
			mt.RawSetString("__newindex", m.l.NewFunction(m.cannotIndex))
		}
		m.l.SetMetatable(v, mt)
	}
}

// complaints are the metamethods of types on which an operation has no meaning.
func (m *gopher) complaints() map[string]*gl.LFunction {
	out := map[string]*gl.LFunction{
		"__index":    m.l.NewFunction(m.cannotIndex),
		"__newindex": m.l.NewFunction(m.cannotIndex),
		"__call":     m.l.NewFunction(m.cannotCall),
		"__len":      m.l.NewFunction(m.cannotMeasure),
		"__unm":      m.l.NewFunction(m.negate),
		"__concat":   m.l.NewFunction(m.concat),
	}
	for event, f := range map[string]func(a, b float64) float64{
		"__add": func(a, b float64) float64 { return a + b },
		"__sub": func(a, b float64) float64 { return a - b },
		"__mul": func(a, b float64) float64 { return a * b },
		"__div": func(a, b float64) float64 { return a / b },
		"__mod": lib.Mod,
		"__pow": math.Pow,
	} {
		out[event] = m.arithmetic(f)
	}
	return out
}

// arithmetic is an operation on operands that are not both numbers.
func (m *gopher) arithmetic(f func(a, b float64) float64) *gl.LFunction {
	return m.l.NewFunction(func(l *gl.LState) int { return m.operate(l, "", f) })
}

// negate is the operator - with one operand.
func (m *gopher) negate(l *gl.LState) int {
	v := l.Get(1)
	l.SetTop(0)
	l.Push(v)
	l.Push(v)
	return m.operate(l, "", func(a, _ float64) float64 { return -a })
}

// operate applies an operation to l's arguments: strings that read as numbers
// are, a metamethod is asked, and all else is an error.
func (m *gopher) operate(l *gl.LState, event string, f func(a, b float64) float64) int {
	x, y := l.Get(1), l.Get(2)
	a, okA := fromLua(x).Number()
	b, okB := fromLua(y).Number()
	if okA && okB {
		l.Push(gl.LNumber(f(a, b)))
		return 1
	}
	for _, v := range []gl.LValue{x, y} {
		if meta := m.metamethod(l, v, event); meta != gl.LNil {
			l.Push(meta)
			l.Push(x)
			l.Push(y)
			l.Call(2, 1)
			return 1
		}
	}
	culprit := 1
	if okA {
		culprit = 2
	}
	return m.complain(l, "perform arithmetic on", l.Get(culprit), func(i instruction) string {
		if event != "" {
			return i.argument(culprit)
		}
		return i.operand(culprit)
	})
}

// concat is the .. operator; the rewriter puts it in its place.
func (m *gopher) concat(l *gl.LState) int {
	n := l.GetTop()
	var b strings.Builder
	for i := 1; i <= n; i++ {
		s, ok := text(l.Get(i))
		if !ok {
			return m.concatMeta(l, n)
		}
		if i == 1 && n == 2 {
			if t, ok := l.Get(2).(gl.LString); ok {
				m.joins(l, len(s)+len(t))
				l.Push(gl.LString(s + string(t)))
				return 1
			}
		}
		m.joins(l, b.Len()+len(s))
		b.WriteString(s)
	}
	l.Push(gl.LString(b.String()))
	return 1
}

// joins accounts for a string of n bytes that .. builds: it must not be too
// long, and copying it takes time.
func (m *gopher) joins(l *gl.LState, n int) {
	if n > lib.MaxString {
		l.Error(gl.LString("not enough memory"), 0)
	}
	m.pace.work(n >> 8)
}

// concatMeta concatenates from the right, asking __concat where it must.
func (m *gopher) concatMeta(l *gl.LState, n int) int {
	acc, at := l.Get(n), n
	for i := n - 1; i >= 1; i-- {
		left := l.Get(i)
		s, okS := text(left)
		t, okT := text(acc)
		if okS && okT {
			m.joins(l, len(s)+len(t))
			acc, at = gl.LString(s+t), 0
			continue
		}
		f := m.metamethod(l, left, "__concat")
		if f == gl.LNil {
			f = m.metamethod(l, acc, "__concat")
		}
		if f == gl.LNil {
			if !okS {
				acc, at = left, i
			}
			return m.complain(l, "concatenate", acc, func(x instruction) string { return x.argument(at) })
		}
		l.Push(f)
		l.Push(left)
		l.Push(acc)
		l.Call(2, 1)
		acc, at = l.Get(-1), 0
		l.Pop(1)
	}
	l.Push(acc)
	return 1
}

// metamethod returns what a script gave a table for an event.
func (m *gopher) metamethod(_ *gl.LState, v gl.LValue, event string) gl.LValue {
	if t, ok := v.(*gl.LTable); ok {
		if mt, ok := t.Metatable.(*gl.LTable); ok {
			return mt.RawGetString(event)
		}
	}
	return gl.LNil
}

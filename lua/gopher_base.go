package lua

import (
	"fmt"
	"strings"

	gl "github.com/yuin/gopher-lua"

	"minikv/lua/lib"
	"minikv/lua/rewrite"
)

// openBase makes the global functions.
func (m *gopher) openBase() {
	for name, f := range lib.Bases {
		m.global(name, m.native(name, f))
	}
	m.next = m.l.NewFunction(m.baseNext)
	m.ipairs = m.l.NewFunction(m.baseIPairsStep)
	m.global("next", m.next)
	for name, f := range map[string]gl.LGFunction{
		"pairs":        m.basePairs,
		"ipairs":       m.baseIPairs,
		"getmetatable": m.baseGetMetatable,
		"pcall":        m.basePCall,
		"xpcall":       m.baseXPCall,
		"loadstring":   m.baseLoadString,
		"load":         m.baseLoad,
	} {
		m.global(name, m.l.NewFunction(f))
	}
	m.global("setmetatable", m.native("setmetatable", m.baseSetMetatable))
}

// openErrors makes the functions that the rewriter calls in place of operators.
func (m *gopher) openErrors() {
	for path, f := range map[string]gl.LGFunction{
		rewrite.ReadOnly: refuse,
		rewrite.Concat:   m.concat,
		rewrite.Merge:    merge,
		rewrite.Mod:      m.mod,
		rewrite.Len:      m.length,
		rewrite.ForInit:  forNumber("initial value"),
		rewrite.ForLimit: forNumber("limit"),
		rewrite.ForStep:  forNumber("step"),
	} {
		m.lib[path] = m.l.NewFunction(f)
	}
	m.global("__redis__err__handler", m.l.NewFunction(m.redisErrorHandler))
}

// merge joins the pieces of a long table constructor.
func merge(l *gl.LState) int {
	whole := l.Get(1).(*gl.LTable)
	at := whole.Len()
	for i := 2; i <= l.GetTop(); i++ {
		piece := l.Get(i).(*gl.LTable)
		n := piece.Len()
		for j := 1; j <= n; j++ {
			whole.RawSetInt(at+j, piece.RawGetInt(j))
		}
		at += n
		for k, v := piece.Next(gl.LNil); k != gl.LNil; k, v = piece.Next(k) {
			if i, ok := k.(gl.LNumber); ok && i >= 1 && i <= gl.LNumber(n) {
				continue
			}
			if whole.RawGet(k) == gl.LNil {
				whole.RawSet(k, v)
			}
		}
	}
	l.Push(whole)
	return 1
}

// mod is the operator %.
func (m *gopher) mod(l *gl.LState) int {
	x, okX := l.Get(1).(gl.LNumber)
	y, okY := l.Get(2).(gl.LNumber)
	if okX && okY {
		l.Push(gl.LNumber(lib.Mod(float64(x), float64(y))))
		return 1
	}
	return m.operate(l, "__mod", lib.Mod)
}

// length is the operator #, which asks no metatable.
func (m *gopher) length(l *gl.LState) int {
	switch v := l.Get(1).(type) {
	case *gl.LTable:
		l.Push(gl.LNumber(v.Len()))
	case gl.LString:
		l.Push(gl.LNumber(len(v)))
	default:
		return m.complain(l, "get length of", v, func(i instruction) string { return i.argument(1) })
	}
	return 1
}

// forNumber reads a number that controls a numeric for.
func forNumber(part string) gl.LGFunction {
	return func(l *gl.LState) int {
		v := l.Get(1)
		if _, ok := v.(gl.LNumber); !ok {
			n, ok := fromLua(v).Number()
			if !ok {
				l.RaiseError("'for' %s must be a number", part)
			}
			v = gl.LNumber(n)
		}
		l.Push(v)
		return 1
	}
}

func (m *gopher) redisErrorHandler(l *gl.LState) int {
	t, ok := l.Get(1).(*gl.LTable)
	if !ok {
		t = m.errorTable("ERR "+m.toString(l, l.Get(1)), false)
	}
	if source, line, ok := m.place(l, 1); ok && !m.readOnly(t) {
		t.RawSetString("source", gl.LString(source))
		t.RawSetString("line", gl.LNumber(line))
	}
	l.Push(t)
	return 1
}

// badArgument raises a complaint about argument i, for functions that are not
// lib functions.
func (m *gopher) badArgument(l *gl.LState, own string, i int, expected string) {
	c := m.enter(l, own)
	if strings.HasSuffix(expected, "expected") {
		c.ArgError(i, expected)
	}
	c.TypeError(i, expected)
}

// baseNext is next.
//
// DIFFERS: next with a key that is not in the table goes on at the beginning or ends; Redis raises "invalid key to 'next'".
func (m *gopher) baseNext(l *gl.LState) int {
	t, ok := l.Get(1).(*gl.LTable)
	if !ok {
		m.badArgument(l, "next", 1, "table")
	}
	k, v := m.behind(t).Next(l.Get(2))
	l.Push(k)
	if k == gl.LNil {
		return 1
	}
	l.Push(v)
	return 2
}

func (m *gopher) basePairs(l *gl.LState) int {
	if _, ok := l.Get(1).(*gl.LTable); !ok {
		m.badArgument(l, "pairs", 1, "table")
	}
	t := l.Get(1)
	l.Push(m.next)
	l.Push(t)
	l.Push(gl.LNil)
	return 3
}

func (m *gopher) baseIPairs(l *gl.LState) int {
	if _, ok := l.Get(1).(*gl.LTable); !ok {
		m.badArgument(l, "ipairs", 1, "table")
	}
	t := l.Get(1)
	l.Push(m.ipairs)
	l.Push(t)
	l.Push(gl.LNumber(0))
	return 3
}

func (m *gopher) baseIPairsStep(l *gl.LState) int {
	t, ok := l.Get(1).(*gl.LTable)
	if !ok {
		m.badArgument(l, "?", 1, "table")
	}
	n, _ := l.Get(2).(gl.LNumber)
	i := int(n) + 1
	v := rawIndex(m.behind(t), i)
	if v == gl.LNil {
		l.Push(gl.LNil)
		return 1
	}
	l.Push(gl.LNumber(i))
	l.Push(v)
	return 2
}

func (m *gopher) baseGetMetatable(l *gl.LState) int {
	var mt gl.LValue = gl.LNil
	switch v := l.Get(1).(type) {
	case *gl.LTable:
		switch {
		case v == m.lib["_G"]:
			mt = m.lib["\x00globalmeta"]
		case m.proxies[v] == nil:
			mt = v.Metatable
		}
	case gl.LString:
		mt = m.lib["\x00stringmeta"]
	default:
		if l.GetTop() == 0 {
			m.badArgument(l, "getmetatable", 1, "value expected")
		}
	}
	if t, ok := mt.(*gl.LTable); ok {
		if p := t.RawGetString("__metatable"); p != gl.LNil {
			mt = p
		}
	}
	l.Push(mt)
	return 1
}

func (m *gopher) baseSetMetatable(c *lib.Call) {
	c.Table(1)
	mt := c.Arg(2)
	if c.N() < 2 || mt.Kind != lib.Nil && mt.Kind != lib.Table {
		c.ArgError(2, "nil or table expected")
	}
	t := toLua(c.Arg(1)).(*gl.LTable)
	if old, ok := t.Metatable.(*gl.LTable); ok && old.RawGetString("__metatable") != gl.LNil {
		c.Errorf("cannot change a protected metatable")
	}
	c.Writable(1)
	t.Metatable = toLua(mt)
	c.Push(c.Arg(1))
}

// toString writes any value as tostring does.
func (m *gopher) toString(l *gl.LState, v gl.LValue) string {
	if s, ok := text(v); ok {
		return s
	}
	if f := m.metamethod(l, v, "__tostring"); f != gl.LNil {
		l.Push(f)
		l.Push(v)
		l.Call(1, 1)
		r := l.Get(-1)
		l.Pop(1)
		s, ok := text(r)
		if !ok {
			l.RaiseError("'tostring' must return a string to 'print'")
		}
		return s
	}
	if v == m.null {
		return "userdata: (nil)"
	}
	return v.String()
}

// less compares as < does.
func (m *gopher) less(l *gl.LState, a, b gl.LValue) bool {
	if x, ok := a.(gl.LNumber); ok {
		if y, ok := b.(gl.LNumber); ok {
			return x < y
		}
	}
	if x, ok := a.(gl.LString); ok {
		if y, ok := b.(gl.LString); ok {
			return x < y
		}
	}
	if _, ok := a.(*gl.LTable); ok && a.Type() == b.Type() {
		if m.metamethod(l, a, "__lt") != gl.LNil {
			return l.LessThan(a, b)
		}
	}
	l.Error(gl.LString(compareText(a.Type().String(), b.Type().String())), 0)
	return false
}

func compareText(a, b string) string {
	if a == b {
		return fmt.Sprintf("attempt to compare two %s values", a)
	}
	return fmt.Sprintf("attempt to compare %s with %s", a, b)
}

func (m *gopher) baseLoadString(l *gl.LState) int {
	s, ok := text(l.Get(1))
	if !ok {
		m.badArgument(l, "loadstring", 1, "string")
	}
	return m.load(l, s, m.chunkName(l, "loadstring", s))
}

// chunkName returns argument 2, or a name if it is missing.
func (m *gopher) chunkName(l *gl.LState, function, name string) string {
	if v := l.Get(2); v != gl.LNil {
		s, ok := text(v)
		if !ok {
			m.badArgument(l, function, 2, "string")
		}
		return s
	}
	return name
}

// maxChunk bounds the source that load collects.
const maxChunk = 64 << 20

func (m *gopher) baseLoad(l *gl.LState) int {
	f, ok := l.Get(1).(*gl.LFunction)
	if !ok {
		m.badArgument(l, "load", 1, "function")
	}
	name := m.chunkName(l, "load", "=(load)")
	var b strings.Builder
	for {
		ok, v := m.protect(l, f, nil)
		switch {
		case !ok:
			l.Push(gl.LNil)
			l.Push(v[0])
			return 2
		case len(v) == 0 || v[0] == gl.LNil:
			return m.load(l, b.String(), name)
		}
		s, ok := text(v[0])
		if !ok {
			l.Error(gl.LString(where(l, 1)+"reader function must return a string"), 0)
		}
		if b.Len() > maxChunk {
			l.Error(gl.LString("not enough memory"), 0)
		}
		if s == "" {
			return m.load(l, b.String(), name)
		}
		b.WriteString(s)
	}
}

// stringDump is string.dump: the header of a compiled chunk. Redis, too, can
// load no such chunk again.
func (m *gopher) stringDump(l *gl.LState) int {
	f, ok := l.Get(1).(*gl.LFunction)
	if !ok {
		m.badArgument(l, "dump", 1, "function")
	}
	if f.IsG {
		l.Error(gl.LString(where(l, 1)+"unable to dump given function"), 0)
	}
	l.Push(gl.LString("\x1bLuaQ\x00\x01\x04\x08\x04\x08\x00"))
	return 1
}

// load compiles source and returns its function, or nil and why not.
func (m *gopher) load(l *gl.LState, source, name string) int {
	c, err := m.compile([]byte(source), chunkID(name, 60))
	if err != nil {
		l.Push(gl.LNil)
		l.Push(gl.LString(chunkID(name, 80) + strings.TrimPrefix(err.Error(), chunkID(name, 60))))
		return 2
	}
	m.run.code = append(m.run.code, c)
	c.bind(m.run.keys, m.run.args)
	l.Push(m.l.NewFunctionFromProto(c.proto))
	return 1
}

// chunkID is the name a chunk has in messages: a name given with = or @, else
// the beginning of its first line.
// size bounds the whole name.
func chunkID(name string, size int) string {
	name, _, _ = strings.Cut(name, "\x00")
	switch {
	case strings.HasPrefix(name, "="):
		return name[1:min(len(name), size)]
	case strings.HasPrefix(name, "@"):
		name = name[1:]
		if most := size - 8; len(name) > most {
			name = "..." + name[len(name)-most:]
		}
		return name
	}
	line, room := name, size-17
	if i := strings.IndexAny(line, "\r\n"); i >= 0 {
		line = line[:i]
	}
	cut := len(line) > room
	if cut {
		line = line[:room]
	}
	if cut || len(line) < len(name) {
		line += "..."
	}
	return `[string "` + line + `"]`
}

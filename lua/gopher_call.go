package lua

import (
	"fmt"

	gl "github.com/yuin/gopher-lua"

	"minikv/lua/lib"
)

// gopherCall is one call of a library function: the lib.Call it reads and the
// lib.Runtime behind it. Calls are reused; depth tells how many are running.
type gopherCall struct {
	lib.Call
	m    *gopher
	l    *gl.LState
	name string
}

// native makes a library function callable by scripts. name is what messages
// call it where the calling line does not tell.
func (m *gopher) native(name string, f lib.Function) *gl.LFunction {
	return m.l.NewFunction(func(l *gl.LState) int {
		c := m.enter(l, name)
		f(&c.Call)
		n := len(c.Results)
		for _, v := range c.Results {
			l.Push(toLua(v))
		}
		m.leave(c)
		return n
	})
}

func (m *gopher) enter(l *gl.LState, name string) *gopherCall {
	if m.depth == len(m.calls) {
		m.calls = append(m.calls, &gopherCall{m: m})
	}
	c := m.calls[m.depth]
	m.depth++
	if c.Runtime == nil {
		c.Runtime = c
	}
	c.l, c.name = l, name
	c.Args, c.Results = c.Args[:0], c.Results[:0]
	for i, n := 1, l.GetTop(); i <= n; i++ {
		c.Args = append(c.Args, m.argument(l.Get(i)))
	}
	return c
}

// leave ends a call. After an error it is not reached: whoever catches the
// error restores depth.
func (m *gopher) leave(c *gopherCall) {
	m.depth--
	if cap(c.Args) > 1<<10 || cap(c.Results) > 1<<10 {
		c.Args, c.Results = nil, nil
	}
	clear(c.Args)
	clear(c.Results)
}

// argument converts an argument. A library table stands for what is behind it.
func (m *gopher) argument(v gl.LValue) lib.Value {
	if t, ok := v.(*gl.LTable); ok {
		return lib.Value{Kind: lib.Table, Ref: (*table)(m.behind(t))}
	}
	return fromLua(v)
}

func (c *gopherCall) NewTable(elements, pairs int) lib.Value {
	return lib.Value{Kind: lib.Table, Ref: (*table)(c.l.CreateTable(elements, pairs))}
}

func (c *gopherCall) NewFunction(f lib.Function) lib.Value {
	return lib.Value{Kind: lib.Closure, Ref: c.m.native("?", f)}
}

func (c *gopherCall) First(fn lib.Value, args ...lib.Value) lib.Value {
	c.l.Push(toLua(fn))
	for _, a := range args {
		c.l.Push(toLua(a))
	}
	c.m.nest(c.l)
	c.l.Call(len(args), 1)
	c.m.lanes.nested--
	v := fromLua(c.l.Get(-1))
	c.l.Pop(1)
	return v
}

func (c *gopherCall) Less(a, b lib.Value) bool {
	return c.m.less(c.l, toLua(a), toLua(b))
}

func (c *gopherCall) Throw(v lib.Value) { c.l.Error(toLua(v), 0) }

func (c *gopherCall) Where(level int) string { return c.m.whereOutside(c.l, level) }

func (c *gopherCall) Callee() (string, bool) { return c.m.callee(c.l, c.name) }

func (c *gopherCall) ReadOnly(t lib.Value) bool {
	return c.m.readOnly((*gl.LTable)(t.Ref.(*table)))
}

func (c *gopherCall) ToString(v lib.Value) string { return c.m.toString(c.l, toLua(v)) }

func (c *gopherCall) Field(t, key lib.Value) lib.Value {
	return fromLua(c.l.GetTable(toLua(t), toLua(key)))
}

func (c *gopherCall) Room(int)   {}
func (c *gopherCall) Charge(int) {}

func (c *gopherCall) Work(n int) {
	if c.m.pace.work(n) {
		c.l.RaiseError("%s", c.m.pace.stop)
	}
}

// whereOutside is where for a level that may lie outside of a protected call. On
// a lane the last frame is that of guarded, which stands for pcall.
func (m *gopher) whereOutside(l *gl.LState, level int) string {
	if _, ok := l.GetStack(level); ok {
		return where(l, level)
	}
	for i, lane := range m.lanes.idle[:m.lanes.used] {
		if lane != l {
			continue
		}
		frames := 0
		for _, ok := l.GetStack(0); ok; _, ok = l.GetStack(frames) {
			frames++
		}
		return m.whereOutside(m.lanes.outer[i], level-frames+1)
	}
	return ""
}

// where names the line of the function at a level of the stack, or nothing if
// it is not written in Lua.
func where(l *gl.LState, level int) string {
	d, ok := l.GetStack(level)
	if !ok {
		return ""
	}
	if _, err := l.GetInfo("Sl", d, gl.LNil); err != nil || d.Source == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d: ", d.Source, d.CurrentLine)
}

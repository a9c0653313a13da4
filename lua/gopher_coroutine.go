package lua

import (
	"runtime"
	"strings"

	gl "github.com/yuin/gopher-lua"
)

// coroutines are the coroutines of the running script that are not dead.
type coroutines struct {
	of      map[*gl.LState]*coroutine
	current *coroutine // nil in the script itself
	body    *gl.LFunction
	mark    *gl.LUserData
	arm     *gl.LFunction
}

type coroutine struct {
	thread *gl.LState
	f      *gl.LFunction
	parent *coroutine
	begun  bool
	active bool // running, or waiting for another that it resumed
}

func (cs *coroutines) reset() { cs.of, cs.current = nil, nil }

// coroutineMembers are the fields of the table coroutine.
//
// gopher-lua's resume cannot tell no result from one nil. So every value that
// passes it, at a yield and at the end, has a mark in front; body is the Lua
// function that puts it there at the end; arm makes errors pass through raised.
func (m *gopher) coroutineMembers() members {
	m.co.mark = &gl.LUserData{Metatable: gl.LNil}
	m.co.body = m.mustCompile("return function(mark, arm, f, ...) arm() return mark, f(...) end")
	m.co.arm = m.l.NewFunction(func(l *gl.LState) int { l.Panic = m.onError; return 0 })
	out := members{}
	for name, f := range map[string]gl.LGFunction{
		"create":  m.coCreate,
		"resume":  m.coResume,
		"wrap":    m.coWrap,
		"yield":   m.coYield,
		"status":  m.coStatus,
		"running": m.coRunning,
	} {
		out[name] = m.l.NewFunction(f)
	}
	return out
}

// mustCompile makes the function that a piece of the machine's own Lua returns.
func (m *gopher) mustCompile(source string) *gl.LFunction {
	f, err := m.l.Load(strings.NewReader(source), "=[C]")
	if err != nil {
		panic(err)
	}
	m.l.Push(f)
	m.l.Call(0, 1)
	f = m.l.Get(-1).(*gl.LFunction)
	m.l.SetTop(0)
	return f
}

func (m *gopher) newCoroutine(l *gl.LState) *coroutine {
	f, ok := l.Get(1).(*gl.LFunction)
	if !ok || f.IsG {
		m.badArgument(l, "create", 1, "Lua function expected")
	}
	c := &coroutine{thread: m.thread(l), f: f}
	if m.co.of == nil {
		m.co.of = map[*gl.LState]*coroutine{}
	}
	m.co.of[c.thread] = c
	return c
}

func (m *gopher) coCreate(l *gl.LState) int {
	l.Push(m.newCoroutine(l).thread)
	return 1
}

func (m *gopher) coResume(l *gl.LState) int {
	t, ok := l.Get(1).(*gl.LState)
	if !ok {
		m.badArgument(l, "resume", 1, "coroutine expected")
	}
	ok, values := m.resume(l, t, 2)
	l.SetTop(0)
	l.Push(gl.LBool(ok))
	for _, v := range values {
		l.Push(v)
	}
	return 1 + len(values)
}

func (m *gopher) coWrap(l *gl.LState) int {
	c := m.newCoroutine(l)
	t := c.thread
	l.Push(m.l.NewFunction(func(l *gl.LState) int {
		ok, values := m.resume(l, t, 1)
		if !ok {
			if s, ok := text(values[0]); ok {
				values[0] = gl.LString(where(l, 1) + s)
			}
			l.Error(values[0], 0)
		}
		l.SetTop(0)
		for _, v := range values {
			l.Push(v)
		}
		return len(values)
	}))
	return 1
}

// resume continues a coroutine with l's arguments from the given one on.
func (m *gopher) resume(l *gl.LState, t *gl.LState, from int) (bool, []gl.LValue) {
	c := m.co.of[t]
	switch {
	case c == nil:
		return false, []gl.LValue{gl.LString("cannot resume dead coroutine")}
	case c.active:
		return false, []gl.LValue{gl.LString("cannot resume " + m.status(t) + " coroutine")}
	}
	var args []gl.LValue
	if !c.begun {
		args = append(args, m.co.mark, m.co.arm, c.f)
	}
	for i := from; i <= l.GetTop(); i++ {
		args = append(args, l.Get(i))
	}
	lanes, depth := m.lanes, m.depth
	m.nest(l)
	c.begun, c.active, c.parent = true, true, m.co.current
	m.co.current = c
	state, err, values := l.Resume(t, m.co.body, args...)
	m.co.current = c.parent
	m.lanes.used, m.lanes.nested = lanes.used, lanes.nested
	c.active = false
	if state != gl.ResumeYield {
		delete(m.co.of, t)
	}
	if state == gl.ResumeError {
		m.depth = depth
		return false, []gl.LValue{m.caught(l, err)}
	}
	return true, values[1:]
}

func (m *gopher) coYield(l *gl.LState) int {
	if c := m.co.current; c == nil || c.thread != l || !yieldable() {
		l.Error(gl.LString("attempt to yield across metamethod/C-call boundary"), 0)
	}
	l.Insert(m.co.mark, 1)
	return -1
}

// yieldable tells whether only Lua functions are between yield and resume. A
// library function or metamethod in between shows as a second main loop on the
// Go stack.
func yieldable() bool {
	var pcs [64]uintptr
	n := runtime.Callers(3, pcs[:])
	frames := runtime.CallersFrames(pcs[:n])
	loops := 0
	for {
		f, more := frames.Next()
		switch {
		case strings.HasSuffix(f.Function, "gopher-lua.threadRun"):
			return loops == 1
		case strings.Contains(f.Function, "gopher-lua.mainLoop"):
			if loops++; loops > 1 {
				return false
			}
		}
		if !more {
			return false
		}
	}
}

func (m *gopher) coStatus(l *gl.LState) int {
	t, ok := l.Get(1).(*gl.LState)
	if !ok {
		m.badArgument(l, "status", 1, "coroutine expected")
	}
	l.Push(gl.LString(m.status(t)))
	return 1
}

func (m *gopher) status(t *gl.LState) string {
	c := m.co.of[t]
	switch {
	case c == nil:
		return "dead"
	case c == m.co.current:
		return "running"
	case c.active:
		return "normal"
	}
	return "suspended"
}

func (m *gopher) coRunning(l *gl.LState) int {
	if m.co.current == nil {
		l.Push(gl.LNil)
		return 1
	}
	l.Push(m.co.current.thread)
	return 1
}

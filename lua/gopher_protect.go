package lua

import (
	"strings"

	gl "github.com/yuin/gopher-lua"
)

// lanes are the states on which protected calls run.
//
// Idea: when gopher-lua raises an error it detaches the captured variables of
// every function on the state's stack, also of those that go on after a pcall
// has caught the error; their closures would then see old values. So each
// protected call runs on a stack of its own, and only what really ended is
// detached.
//
// Lanes are reused: idle[i] serves the protected call at depth i.
type lanes struct {
	idle   []*gl.LState
	outer  []*gl.LState // on which the protected call was made
	used   int
	nested int // calls from Go into Lua, bounded as Lua bounds them
}

const (
	// maxDepth is how many calls deep a script may go, as in Lua 5.1.
	maxDepth = 20000
	// maxRegistry bounds the values on one stack.
	maxRegistry = 1 << 20
	// maxNested is how often Lua and library functions may call each other.
	maxNested = 200
)

// coroutineOptions make a state that starts small.
var coroutineOptions = gl.Options{
	CallStackSize:       maxDepth,
	RegistrySize:        256,
	RegistryMaxSize:     maxRegistry,
	RegistryGrowStep:    1 << 10,
	MinimizeStackMemory: true,
	SkipOpenLibs:        true,
}

// laneOptions make the lane at a depth. A stack that grows fails in a way that
// makes gopher-lua write a trace; so it is fixed, and short for inner lanes.
//
// DIFFERS: Within a pcall inside of a pcall, functions may be nested 2000 deep, not 20000.
func laneOptions(depth int) gl.Options {
	o := coroutineOptions
	o.MinimizeStackMemory = false
	if depth > 0 {
		o.CallStackSize = maxDepth / 10
	}
	return o
}

// thread makes a state that shares l's globals. Made with a context in place
// it would start a goroutine.
func (m *gopher) thread(l *gl.LState) *gl.LState {
	ctx := l.RemoveContext()
	t, _ := l.NewThread()
	if ctx != nil {
		l.SetContext(ctx)
		t.SetContext(ctx)
	}
	return t
}

// lane takes a state for a protected call made on l.
func (m *gopher) lane(l *gl.LState) *gl.LState {
	if m.lanes.used == len(m.lanes.idle) {
		options := l.Options
		l.Options = laneOptions(m.lanes.used)
		t := m.thread(l)
		l.Options, t.Options = options, options
		m.lanes.idle, m.lanes.outer = append(m.lanes.idle, t), append(m.lanes.outer, nil)
	}
	t := m.lanes.idle[m.lanes.used]
	m.lanes.outer[m.lanes.used] = l
	m.lanes.used++
	if ctx := l.Context(); ctx != nil {
		t.SetContext(ctx)
	} else {
		t.RemoveContext()
	}
	return t
}

// nest counts a call from Go into Lua.
func (m *gopher) nest(l *gl.LState) {
	if m.lanes.nested >= maxNested-1 {
		l.Error(gl.LString("C stack overflow"), 0)
	}
	m.lanes.nested++
}

// protect calls f and returns its results, or the error it raised.
func (m *gopher) protect(l *gl.LState, f gl.LValue, args []gl.LValue) (ok bool, values []gl.LValue) {
	lanes, depth, co := m.lanes, m.depth, m.co.current
	m.nest(l)
	t := m.lane(l)
	t.Push(m.guard)
	t.Push(f)
	for _, v := range args {
		t.Push(v)
	}
	err := t.PCall(len(args)+1, gl.MultRet, nil)
	m.lanes.used, m.lanes.nested = lanes.used, lanes.nested
	if err != nil {
		m.depth, m.co.current = depth, co
		t.SetTop(0)
		return false, []gl.LValue{m.caught(l, err)}
	}
	values = make([]gl.LValue, t.GetTop())
	for i := range values {
		values[i] = t.Get(i + 1)
	}
	t.SetTop(0)
	return true, values
}

// caught returns the error value that a script may handle. A script that must
// stop may handle none.
func (m *gopher) caught(l *gl.LState, err error) gl.LValue {
	if m.pace.stop != "" {
		l.RaiseError("%s", m.pace.stop)
	}
	e, ok := err.(*gl.ApiError)
	if !ok {
		return gl.LString(err.Error())
	}
	if crashed(e.Object) {
		m.damaged = true
	}
	return m.clean(e.Object)
}

func (m *gopher) basePCall(l *gl.LState) int {
	n := l.GetTop()
	if n == 0 {
		l.Push(gl.LFalse)
		l.Push(gl.LString("attempt to call a boolean value"))
		return 2
	}
	args := make([]gl.LValue, 0, 8)
	for i := 2; i <= n; i++ {
		args = append(args, l.Get(i))
	}
	ok, values := m.protect(l, l.Get(1), args)
	l.Push(gl.LBool(ok))
	if !ok {
		values = caughtValues(values[0])
	}
	for _, v := range values {
		l.Push(v)
	}
	return 1 + len(values)
}

// caughtValues are what Redis's pcall makes of a thrown value: of an error reply
// its text; any other table is followed by its field err, as it happens.
func caughtValues(v gl.LValue) []gl.LValue {
	t, ok := v.(*gl.LTable)
	if !ok {
		return []gl.LValue{v}
	}
	e := t.RawGetString("err")
	if _, ok := text(e); ok {
		return []gl.LValue{e}
	}
	return []gl.LValue{v, e}
}

func (m *gopher) baseXPCall(l *gl.LState) int {
	if l.GetTop() < 2 {
		m.badArgument(l, "xpcall", 2, "value expected")
	}
	handler := l.Get(2)
	ok, values := m.protect(l, l.Get(1), nil)
	if !ok {
		handled := false
		handled, values = m.protect(l, handler, values)
		if !handled {
			values = []gl.LValue{gl.LString("error in error handling")}
		} else if len(values) == 0 {
			values = []gl.LValue{gl.LNil}
		}
		values = values[:1]
	}
	l.Push(gl.LBool(ok))
	for _, v := range values {
		l.Push(v)
	}
	return 1 + len(values)
}

// clean words an error of gopher-lua's as Lua words it.
func (m *gopher) clean(v gl.LValue) gl.LValue {
	s, ok := v.(gl.LString)
	if !ok {
		return v
	}
	place, message := splitPlace(string(s))
	if t := reword(message); t != message {
		return gl.LString(place + t)
	}
	return v
}

// explain is clean for an error that has just been raised: what the operands
// are called is known.
func (m *gopher) explain(l *gl.LState, v gl.LValue) gl.LValue {
	s, ok := v.(gl.LString)
	if !ok {
		return v
	}
	_, message := splitPlace(string(s))
	text := reword(message)
	if text == message {
		return v
	}
	if i, ok := m.current(l, 0); ok {
		if name := i.operandOf(message); name != "" {
			verb, rest, _ := strings.Cut(text, " a ")
			text = verb + " " + name + " (a " + rest + ")"
		}
	}
	return gl.LString(where(l, 0) + text)
}

// splitPlace splits "user_script:1: message" behind its place.
func splitPlace(s string) (place, message string) {
	for i := 0; i+1 < len(s); i++ {
		if s[i] != ':' || s[i+1] < '0' || s[i+1] > '9' {
			continue
		}
		j := i + 1
		for j < len(s) && s[j] >= '0' && s[j] <= '9' {
			j++
		}
		if strings.HasPrefix(s[j:], ": ") {
			return s[:j+2], s[j+2:]
		}
	}
	return "", s
}

// reword translates the messages of the machine.
func reword(s string) string {
	switch s {
	case "attempt to call a non-function object":
		return "attempt to call a table value"
	case "__unm undefined":
		return "attempt to perform arithmetic on a table value"
	case "__len undefined":
		return "attempt to get length of a userdata value"
	case "registry overflow", "lua callstack overflow":
		return "stack overflow"
	case "too many recursions in gettable":
		return "loop in gettable"
	case "too many recursions in settable":
		return "loop in settable"
	}
	if rest, ok := strings.CutPrefix(s, "attempt to index a non-table object("); ok {
		if kind, _, ok := strings.Cut(rest, ")"); ok {
			return "attempt to index a " + kind + " value"
		}
	}
	if rest, ok := strings.CutPrefix(s, "attempt to compare "); ok {
		if a, b, ok := strings.Cut(rest, " with "); ok && a == b {
			return compareText(a, b)
		}
	}
	if rest, ok := strings.CutPrefix(s, "cannot perform "); ok {
		if _, operands, ok := strings.Cut(rest, " operation between "); ok {
			a, b, _ := strings.Cut(operands, " and ")
			if a == "number" {
				a = b
			}
			return "attempt to perform arithmetic on a " + a + " value"
		}
	}
	return s
}

package lua

import (
	"strings"

	gl "github.com/yuin/gopher-lua"

	"minikv/lua/lib"
	"minikv/resp"
)

// guarded calls its first argument with the others, after arming the state; it
// is what every protected call calls.
func (m *gopher) guarded(l *gl.LState) int {
	l.Panic = m.onError
	l.Call(l.GetTop()-1, gl.MultRet)
	return l.GetTop()
}

// raised runs where an error is raised, with the failing function still on the
// stack: it words the error and notes the place that the error reply names. An
// error with a trace spares gopher-lua to write one, which takes seconds when
// the stack is deep.
func (m *gopher) raised(l *gl.LState) {
	v := m.explain(l, l.Get(-1))
	if l == m.l {
		m.run.source, m.run.line, m.run.placed = m.place(l, 0)
	}
	panic(&gl.ApiError{Type: gl.ApiErrorRun, Object: v, StackTrace: "-"})
}

// place finds the function at a level of the stack, or its caller if it is not
// written in Lua.
func (m *gopher) place(l *gl.LState, level int) (source string, line int, ok bool) {
	for end := level + 1; level <= end; level++ {
		d, there := l.GetStack(level)
		if !there {
			return "", 0, false
		}
		if _, err := l.GetInfo("Sl", d, gl.LNil); err != nil {
			return "", 0, false
		}
		if d.Source != "" {
			return chunkSource(d.Source), d.CurrentLine, true
		}
	}
	return "=[C]", -1, true
}

// chunkSource turns the short name a chunk has in messages into its source.
func chunkSource(name string) string {
	if strings.HasPrefix(name, "[string ") {
		return name
	}
	return "@" + name
}

// fail writes the error reply of a script that ended with err.
func (m *gopher) fail(err error, reply *resp.Writer) Result {
	text, counted := m.failure(err)
	reply.Error(m.suffix(line(text)))
	return Result{Failed: true, Counted: counted}
}

// failure returns the text of err, with which a script ended, and whether a
// command has already counted it.
func (m *gopher) failure(err error) (text string, counted bool) {
	var v gl.LValue = gl.LString(err.Error())
	if e, ok := err.(*gl.ApiError); ok {
		v = e.Object
	}
	m.l.SetTop(0)
	m.damaged = m.damaged || crashed(v)
	if m.pace.stop != "" {
		return withCode(m.pace.stop), false
	}
	return m.errorText(v)
}

// errorText returns the text of a thrown value and whether a command has
// already counted it.
func (m *gopher) errorText(v gl.LValue) (string, bool) {
	t, ok := v.(*gl.LTable)
	if !ok {
		return "ERR " + m.toString(m.l, m.clean(v)), false
	}
	counted := t.RawGetString("ignore_error_stats_update") == gl.LTrue
	if s, ok := text(t.RawGetString("err")); ok {
		return s, counted
	}
	return "ERR unknown error", counted
}

// suffix adds where the error was raised.
func (m *gopher) suffix(text string) string {
	if !m.run.placed {
		return text
	}
	return text + " script: " + m.run.name + ", on " + m.run.source + ":" + lib.FormatNumber(float64(m.run.line)) + "."
}

// errorTable makes the table that stands for an error reply.
func (m *gopher) errorTable(text string, counted bool) *gl.LTable {
	t := m.l.CreateTable(0, 2)
	t.RawSetString("err", gl.LString(text))
	if counted {
		t.RawSetString("ignore_error_stats_update", gl.LTrue)
	}
	return t
}

// raise throws an error reply from redis.*, where it goes with a code in front
// and without a position.
func (m *gopher) raise(l *gl.LState, text string) {
	l.Error(m.errorTable(withCode(text), false), 0)
}

// withCode puts the code ERR in front of a text. One that begins with - brings
// its own code, if there is a second word.
func withCode(text string) string {
	text, own := strings.CutPrefix(text, "-")
	if own && strings.Contains(text, " ") {
		return text
	}
	return "ERR " + text
}

// text returns a string or number as a string.
func text(v gl.LValue) (string, bool) {
	switch v := v.(type) {
	case gl.LString:
		return string(v), true
	case gl.LNumber:
		return lib.FormatNumber(float64(v)), true
	}
	return "", false
}

// crashed tells an error of the Lua state itself from those of scripts.
func crashed(v gl.LValue) bool {
	s, ok := v.(gl.LString)
	return ok && strings.HasPrefix(string(s), "runtime error: ")
}

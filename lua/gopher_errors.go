package lua

import (
	"strings"

	gl "github.com/yuin/gopher-lua"

	"minikv/lua/lib"
	"minikv/resp"
)

// placeError runs where an error is raised and that is not caught, with the
// failing function still on the stack: it notes the source and line that the
// error reply names.
func (m *gopher) placeError(l *gl.LState) int {
	m.run.source, m.run.line, m.run.placed = m.place(l)
	l.Push(m.explain(l, l.Get(1)))
	return 1
}

// place finds the running function, or its caller if it is not written in Lua.
func (m *gopher) place(l *gl.LState) (source string, line int, ok bool) {
	for level := 1; level <= 2; level++ {
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
	var v gl.LValue = gl.LString(err.Error())
	if e, ok := err.(*gl.ApiError); ok {
		v = e.Object
	}
	m.l.SetTop(0)
	if crashed(v) {
		m.open()
	}
	res := Result{Failed: true}
	text := ""
	switch {
	case m.pace.stop != "":
		text = withCode(m.pace.stop)
	default:
		if !m.run.placed {
			m.placeByText(v)
		}
		text, res.Counted = m.errorText(v)
	}
	reply.Error(m.suffix(line(text)))
	return res
}

// placeByText takes the place from the text of an error; where the stack is
// full, no function can be called to find it.
func (m *gopher) placeByText(v gl.LValue) {
	s, _ := text(v)
	if place, _ := splitPlace(s); place != "" {
		name, line, _ := strings.Cut(strings.TrimSuffix(place, ": "), ":")
		n, _ := lib.ParseNumber(line)
		m.run.source, m.run.line, m.run.placed = chunkSource(name), int(n), true
	}
}

// errorText returns the text of a thrown value and whether a command has
// already counted it.
//
// DIFFERS: Redis 7.0.15 crashes when a script throws a table without a string in its err field; minikv answers with an error.
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
	return text + " script: " + m.run.script.SHA + ", on " + m.run.source + ":" + lib.FormatNumber(float64(m.run.line)) + "."
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

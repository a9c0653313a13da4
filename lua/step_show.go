package lua

import (
	"fmt"

	"minikv/lua/lib"
	"minikv/lua/vm"
	"minikv/resp"
)

// Variable is a variable of a stopped run.
type Variable struct {
	Name string
	// Value is nil, a bool, a float64 or a string; anything else of Lua's is
	// nil here.
	Value any
	Type  string // as type() tells it

	text string
}

// String describes the value as Redis's debugger does: {1; "x"; {["k"]=true}}.
func (v Variable) String() string { return v.text }

// Frame is a function that a stopped run is in.
type Frame struct {
	Source string // the chunk, "user_script" of the script; empty if it is not written in Lua
	Line   int
	Name   string // as the line that called it calls it; empty if it has none
}

// Trace lists the functions the run is in, innermost first: those of the running
// coroutine. A function that has ended by calling another leaves an empty Frame.
func (s *Stepper) Trace() (out []Frame) {
	if !s.show() {
		return nil
	}
	for _, l := range s.stage.m.vm.Levels() {
		out = append(out, Frame{l.Source, l.Line, l.Name})
	}
	return out
}

// Line is the line that comes next, of the innermost function written in Lua.
func (s *Stepper) Line() int {
	for _, f := range s.Trace() {
		if f.Source != "" {
			return f.Line
		}
	}
	return 0
}

// Locals lists the local variables in scope in a function of Trace, in the order
// of their declaration; those that hold a loop have names in parentheses. No
// description is longer than limit bytes, or a megabyte if limit is 0.
func (s *Stepper) Locals(level, limit int) []Variable {
	return s.variables((*vm.VM).Locals, level, limit)
}

// Upvalues lists the variables of outer functions that a function of Trace uses.
func (s *Stepper) Upvalues(level, limit int) []Variable {
	return s.variables((*vm.VM).Upvalues, level, limit)
}

func (s *Stepper) variables(of func(*vm.VM, vm.Level) []vm.Local, level, limit int) (out []Variable) {
	if !s.show() {
		return nil
	}
	levels := s.stage.m.vm.Levels()
	if level < 0 || level >= len(levels) {
		return nil
	}
	for _, l := range of(s.stage.m.vm, levels[level]) {
		out = append(out, variable(l.Name, l.Value, limit))
	}
	return out
}

// Proto is the protocol that the script has chosen for the replies of its
// commands.
func (s *Stepper) Proto() int {
	if !s.show() {
		return 2
	}
	return s.stage.m.proto
}

// Global is a global variable, such as KEYS and ARGV. A script has none of its
// own: Redis lets it make none.
func (s *Stepper) Global(name string, limit int) Variable {
	if !s.show() {
		return Variable{Name: name, Type: "nil", text: "nil"}
	}
	return variable(name, s.stage.m.vm.Global(name), limit)
}

// Eval runs code in the midst of the run, with KEYS, ARGV and the libraries, but
// without the local variables. It may be an expression. What it changes in the
// tables it reaches, the script sees. failed: the value is the text of an error.
//
// DIFFERS: code given to eval that throws a table or nil is answered with an error; Redis 7.0.15's debugger crashes.
func (s *Stepper) Eval(w Watcher, source string, limit int) (v Variable, failed bool) {
	if !s.show() {
		return Variable{Type: "nil", text: "nil"}, false
	}
	g := s.stage
	g.watcher = w
	defer func() { g.watcher = nil }()
	value, failed := g.evaluate(source)
	s.tape.evals = append(s.tape.evals, evaluation{s.at, source})
	s.tape.size += len(source) + 32
	if !failed {
		return variable("", value, limit), false
	}
	if t, ok := value.Table(); ok {
		value = t.Field("err")
	}
	text, ok := value.Text()
	if !ok {
		text = "unknown error"
	}
	return Variable{Value: text, Type: "string", text: text}, true
}

func variable(name string, v vm.Value, limit int) Variable {
	out := Variable{Name: name, Type: v.Kind().String(), text: describe(v, limit)}
	switch v.Kind() {
	case lib.Boolean:
		out.Value = v.Truth()
	case lib.Number:
		out.Value, _ = v.Num()
	case lib.String:
		s, _ := v.Str()
		out.Value = string([]byte(s))
	}
	return out
}

const (
	maxShown      = 1 << 20 // bytes of a description
	maxShownDepth = 10
	tooDeep       = "<max recursion level reached! Nested table?>"
)

// describe writes a value in the notation of Redis's debugger.
//
// DIFFERS: without a maxlen the debugger still shows no more than about a megabyte of a value.
func describe(v vm.Value, limit int) string {
	if limit <= 0 || limit > maxShown {
		limit = maxShown
	}
	return string(appendValue(nil, v, 0, limit))
}

// appendValue stops soon after limit bytes.
func appendValue(b []byte, v vm.Value, depth, limit int) []byte {
	if depth == maxShownDepth {
		return append(b, tooDeep...)
	}
	switch v.Kind() {
	case lib.Nil:
		return append(b, "nil"...)
	case lib.Boolean:
		return fmt.Append(b, v.Truth())
	case lib.Number:
		n, _ := v.Num()
		return lib.AppendG(b, n, 6)
	case lib.String:
		s, _ := v.Str()
		return resp.AppendQuoted(b, s[:min(len(s), limit)])
	case lib.Table:
		t, _ := v.Table()
		return appendTable(b, t, depth, limit)
	case lib.LightUserdata:
		return append(b, `"light-userdata@(nil)"`...)
	}
	return fmt.Appendf(b, `"%s@%#x"`, v.Kind(), v.Address())
}

// appendTable writes a list without keys if its keys come in the order 1, 2, 3.
func appendTable(b []byte, t *vm.Table, depth, limit int) []byte {
	list, n := true, 0
	t.Each(func(k, _ vm.Value) bool {
		n++
		i, ok := k.Num()
		list = ok && i == float64(n)
		return list
	})
	b = append(b, '{')
	first := true
	t.Each(func(k, v vm.Value) bool {
		if !first {
			b = append(b, "; "...)
		}
		first = false
		if !list {
			b = append(b, '[')
			b = appendValue(b, k, depth+1, limit)
			b = append(b, "]="...)
		}
		b = appendValue(b, v, depth+1, limit)
		return len(b) <= limit
	})
	return append(b, '}')
}

package lua

import (
	"reflect"
	"strings"

	gl "github.com/yuin/gopher-lua"

	"minikv/lua/rewrite"
)

// instruction is the instruction that a Lua function is executing.
type instruction struct {
	names *rewrite.Names
	code  []uint32
	pc    int
}

// current finds the instruction that a level of the stack is executing, and
// the names of its function.
//
// gopher-lua does not export how far a function has come. Reflection may read
// it; this happens only to word an error.
func (m *gopher) current(l *gl.LState, level int) (instruction, bool) {
	d, ok := l.GetStack(level)
	if !ok {
		return instruction{}, false
	}
	fn, err := l.GetInfo("f", d, gl.LNil)
	f, isFunction := fn.(*gl.LFunction)
	if err != nil || !isFunction || f.IsG {
		return instruction{}, false
	}
	frame := reflect.ValueOf(d).Elem().FieldByName("frame")
	if !frame.IsValid() || frame.IsNil() {
		return instruction{}, false
	}
	pc := frame.Elem().FieldByName("Pc")
	if !pc.IsValid() || pc.Int() < 1 {
		return instruction{}, false
	}
	names := m.namesOf(f.Proto)
	return instruction{names, f.Proto.Code, int(pc.Int()) - 1}, names != nil
}

// namesOf finds the names of a function of the running script.
func (m *gopher) namesOf(p *gl.FunctionProto) *rewrite.Names {
	for _, c := range m.run.code {
		if n := c.namesOf(p); n != nil {
			return n
		}
	}
	return nil
}

func (c *gopherCode) namesOf(p *gl.FunctionProto) *rewrite.Names {
	if !contains(c.proto, p) {
		return nil
	}
	if c.names == nil {
		chunk, err := c.tree()
		if err != nil {
			return nil
		}
		c.names = rewrite.NamesOf(chunk)
	}
	return findNames(c.proto, c.names, p)
}

func contains(in, p *gl.FunctionProto) bool {
	if in == p {
		return true
	}
	for _, f := range in.FunctionPrototypes {
		if contains(f, p) {
			return true
		}
	}
	return false
}

func findNames(in *gl.FunctionProto, n *rewrite.Names, p *gl.FunctionProto) *rewrite.Names {
	if in == p {
		return n
	}
	for i, f := range in.FunctionPrototypes {
		if i < len(n.Inner) {
			if found := findNames(f, n.Inner[i], p); found != nil {
				return found
			}
		}
	}
	return nil
}

// ordinal tells which instruction among those with given operations this one
// is, from 0, and how many there are; -1 if it is none.
func (i instruction) ordinal(operations ...int) (n, total int) {
	n = -1
	for pc, word := range i.code {
		for _, op := range operations {
			if int(word>>26) != op {
				continue
			}
			if pc == i.pc {
				n = total
			}
			total++
		}
	}
	return n, total
}

// pick returns the name that belongs to this instruction. If the names do not
// fit the code, none does.
func pick[T any](i instruction, names []T, operations ...int) (name T) {
	if n, total := i.ordinal(operations...); n >= 0 && total == len(names) {
		return names[n]
	}
	return name
}

func (i instruction) index() string {
	if s := pick(i, i.names.Index, gl.OP_GETTABLE, gl.OP_GETTABLEKS, gl.OP_SELF); s != "" {
		return s
	}
	return pick(i, i.names.Store, gl.OP_SETTABLE, gl.OP_SETTABLEKS)
}

func (i instruction) call() rewrite.CallNames {
	return pick(i, i.names.Calls, gl.OP_CALL, gl.OP_TAILCALL)
}

func (i instruction) length() string { return pick(i, i.names.Lengths, gl.OP_LEN) }

func (i instruction) operand(n int) string {
	return pick(i, i.names.Operands, gl.OP_ADD, gl.OP_SUB, gl.OP_MUL, gl.OP_DIV, gl.OP_MOD, gl.OP_POW, gl.OP_UNM)[n-1]
}

// operandOf returns the name of the operand that a message of gopher-lua's is
// about.
func (i instruction) operandOf(message string) string {
	switch {
	case message == "attempt to call a non-function object":
		return i.call().Function
	case message == "__unm undefined", strings.HasPrefix(message, "cannot perform ") && !strings.Contains(message, "between number and"):
		return i.operand(1)
	case strings.HasPrefix(message, "cannot perform "):
		return i.operand(2)
	}
	return ""
}

// argument returns the name of an operand of an operator that is a call.
func (i instruction) argument(n int) string {
	if c := i.call(); n > 0 && n <= len(c.Operands) {
		return c.Operands[n-1]
	}
	return ""
}

// complain raises that an operation has no meaning for a value. name finds
// what the value is called in the line that runs the operation.
func (m *gopher) complain(l *gl.LState, verb string, v gl.LValue, name func(instruction) string) int {
	described := "a " + v.Type().String() + " value"
	if i, ok := m.current(l, 1); ok {
		if n := name(i); n != "" {
			described = n + " (" + described + ")"
		}
	}
	l.Error(gl.LString(where(l, 1)+"attempt to "+verb+" "+described), 0)
	return 0
}

func (m *gopher) cannotIndex(l *gl.LState) int {
	return m.complain(l, "index", l.Get(1), instruction.index)
}

func (m *gopher) cannotCall(l *gl.LState) int {
	return m.complain(l, "call", l.Get(1), func(i instruction) string { return i.call().Function })
}

func (m *gopher) cannotMeasure(l *gl.LState) int {
	return m.complain(l, "get length of", l.Get(1), instruction.length)
}

// callee describes how the running library function was called; own is its
// name where nothing else is known.
func (m *gopher) callee(l *gl.LState, own string) (name string, method bool) {
	i, ok := m.current(l, 1)
	if !ok {
		return "?", false
	}
	c := i.call()
	if _, quoted, ok := strings.Cut(c.Function, "'"); ok {
		return strings.TrimSuffix(quoted, "'"), c.Method
	}
	return "?", false
}

package vm

import (
	"strconv"

	"minikv/lua/compile"
	"minikv/lua/lib"
)

// Raised is an error on its way up, as a panic.
type Raised struct{ Value Value }

// memoryError is raised where there is no thread at hand.
type memoryError struct{}

var outOfMemory = memoryError{}

// caught turns what a panic brought into a Lua value; what is no error of a
// script goes on. So does the word to stop.
func (vm *VM) caught(r any) Value {
	if vm.Stop != "" {
		panic(&Raised{String(vm.Stop)})
	}
	return Thrown(r)
}

// Thrown returns the value of an error that a panic brought. Any other panic
// goes on.
func Thrown(r any) Value {
	switch r := r.(type) {
	case *Raised:
		return r.Value
	case memoryError:
		return String("not enough memory")
	case limitError:
		return String(r.text())
	}
	panic(r)
}

// Throw raises a value.
func (c Call) Throw(v Value) { panic(&Raised{v}) }

func (t *Thread) throw(text string) { panic(&Raised{String(text)}) }

// fail raises an error with the current line in front, if a Lua function is
// running.
func (t *Thread) fail(text string) { t.throw(t.where(0) + text) }

// where names the line that the function level calls up is at, as
// "user_script:1: ", or nothing if that was not written in Lua.
func (t *Thread) where(level int) string {
	i := t.level(level)
	if i < 0 || t.frames[i].fn.proto == nil {
		return ""
	}
	source, line := t.frames[i].position()
	return source + ":" + strconv.Itoa(line) + ": "
}

// level finds a frame; -1 if there is none. A function that ended by calling
// another still counts, though nothing is known of it.
func (t *Thread) level(level int) int {
	i := t.depth
	for ; level > 0 && i >= 0; i-- {
		level--
		if f := &t.frames[i]; f.fn.proto != nil {
			level -= f.tails
		}
	}
	if level != 0 {
		return -1
	}
	return i
}

func (f *frame) position() (source string, line int) {
	p := f.fn.proto
	return p.Source, int(p.Lines[max(f.pc-1, 0)])
}

// Place finds the function at a level of the running thread, or its caller if
// it is not written in Lua. source is the chunk's name as it was given.
func (vm *VM) Place(level int) (source string, line int, ok bool) {
	t := vm.running
	for end := level + 1; level <= end; level++ {
		i := t.level(level)
		if i < 0 {
			return "", 0, false
		}
		if f := &t.frames[i]; f.fn.proto != nil {
			_, line = f.position()
			return f.fn.proto.Chunk, line, true
		}
	}
	return "=[C]", -1, true
}

// callee describes how the running native function was called: its name in the
// calling line, or "?", and whether it was called as a method.
func (t *Thread) callee() (name string, method bool) {
	if t.depth < 1 || t.frames[t.depth-1].fn.proto == nil {
		return "?", false
	}
	f := &t.frames[t.depth-1]
	t.vm.work(f.pc >> 4)
	pc := f.pc - 1
	i := f.fn.proto.Code[pc]
	switch i.Op() {
	case compile.Call, compile.TailCall, compile.TForLoop:
		kind, name := f.fn.proto.NameOf(pc, i.A())
		if kind != "" {
			return name, kind == "method"
		}
	}
	return "?", false
}

// typeError raises that an operation has no meaning for a value. reg is where
// the running function read it, or -1.
func (t *Thread) typeError(operation string, v Value, reg int) {
	what := "a " + v.Kind().String() + " value"
	if f := &t.frames[t.depth]; f.fn.proto != nil && reg >= 0 && reg < f.fn.proto.MaxStack {
		t.vm.work(f.pc >> 4)
		if kind, name := f.fn.proto.NameOf(f.pc-1, reg); kind != "" {
			what = kind + " '" + name + "' (" + what + ")"
		}
	}
	t.fail("attempt to " + operation + " " + what)
}

func (t *Thread) orderError(a, b Value) {
	x, y := a.Kind().String(), b.Kind().String()
	if x == y {
		t.fail("attempt to compare two " + x + " values")
	}
	t.fail("attempt to compare " + x + " with " + y)
}

// argError raises a complaint about argument i of the running function.
func (c Call) argError(i int, complaint string) {
	c.library(func(l *lib.Call) { l.ArgError(i, complaint) })
}

func (c Call) typeError(i int, expected string) {
	c.library(func(l *lib.Call) { l.TypeError(i, expected) })
}

// readOnly is what a write to a table of the sandbox raises.
const readOnly = "Attempt to modify a readonly table"

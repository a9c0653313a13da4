package vm

import (
	"minikv/lua/compile"
	"minikv/lua/lib"
)

// Paused is what a watcher of lines, or a native function, panics with to leave
// a run that goes on later. Nothing in between catches it; the frames stay.
type Paused struct{}

// CompileLines is Compile for code that tells of its lines.
func CompileLines(source, name string) (*Code, error) {
	f, err := compile.Chunk(source, name)
	if err != nil {
		return nil, err
	}
	return &Code{&Function{proto: newProto(f.WithLines())}}, nil
}

// Watch has code made by CompileLines, and what that loads, tell of each line
// before it begins.
func (vm *VM) Watch(f func(line int)) { vm.watch = f }

func (vm *VM) lines(line int) {
	if vm.steps--; vm.steps < 0 { // jumps may pass Loop by
		vm.poll()
	}
	if vm.watch != nil {
		vm.watch(line)
	}
}

// newProto makes a chunk that a script loads ready to run.
func (vm *VM) newProto(f *compile.Function) *proto {
	if vm.watch != nil {
		f = f.WithLines()
	}
	return newProto(f)
}

// Fresh makes the state number what it makes as a new one does, so that a run
// is the same as the first one, down to the order of keys that are tables.
func (vm *VM) Fresh() func() {
	ids := vm.ids
	return func() { vm.ids = ids }
}

// Resumable tells, at the beginning of a line or in a native function that is
// about to leave, whether Resume can go on from here: no function written in Go
// waits for one written in Lua. A native function is called anew.
func (vm *VM) Resumable() bool {
	t := vm.running
	if t != vm.main || vm.nested != 1 || vm.depth != 0 || t.depth < 0 {
		return false
	}
	f := &t.frames[t.depth]
	if f.fn.proto != nil {
		return true
	}
	if t.depth == 0 {
		return false
	}
	g := &t.frames[t.depth-1]
	i := g.fn.proto.Code[g.pc-1]
	if op := i.Op(); op != compile.Call && op != compile.TailCall {
		return false
	}
	n := i.B() - 1
	if n < 0 {
		n = t.top - f.base
	}
	return n == f.top-f.base
}

// AtCall tells whether the run was left inside of a native function.
func (vm *VM) AtCall() bool { return vm.main.frames[vm.main.depth].fn.proto == nil }

// Source is the chunk that the running function was written in.
func (vm *VM) Source() string {
	t := vm.running
	if p := t.frames[t.depth].fn.proto; p != nil {
		return p.Source
	}
	return ""
}

// Resume goes on with a run that was left where it was Resumable.
func (vm *VM) Resume() Value {
	t := vm.main
	if vm.AtCall() {
		t.depth--
		t.frames[t.depth].pc--
	}
	if t.settle(t.execute()) == 0 {
		return Value{}
	}
	return t.stack[0]
}

// Level is a running function.
type Level struct {
	Source string // empty if it is not written in Lua, or nothing is known of it
	Line   int    // where it is
	Name   string // as its caller calls it; empty if it has none

	frame int
}

// Levels lists the running functions of the running coroutine, innermost first.
func (vm *VM) Levels() (out []Level) {
	t := vm.running
	for i := t.depth; i >= 0; i-- {
		l := Level{frame: i}
		f := &t.frames[i]
		if f.fn.proto != nil {
			l.Source, l.Line = f.position()
			if f.tails == 0 {
				l.Name = t.nameOf(i)
			}
		}
		out = append(out, l)
		if f.fn.proto != nil && f.tails > 0 {
			out = append(out, Level{frame: -1})
		}
	}
	return out
}

// nameOf is what the caller of frame i calls its function.
func (t *Thread) nameOf(i int) string {
	if i == 0 || t.frames[i].entry || t.frames[i-1].fn.proto == nil {
		return ""
	}
	f := &t.frames[i-1]
	at := f.fn.proto.Code[f.pc-1]
	switch at.Op() {
	case compile.Call, compile.TailCall, compile.TForLoop:
		_, name := f.fn.proto.NameOf(f.pc-1, at.A())
		return name
	}
	return ""
}

// Local is a variable and its value.
type Local struct {
	Name  string
	Value Value
}

// Locals lists the local variables in scope where a running function is, in the
// order of their declaration.
func (vm *VM) Locals(l Level) (out []Local) {
	t := vm.running
	if l.frame < 0 || l.Source == "" {
		return nil
	}
	f := &t.frames[l.frame]
	pc := f.pc - 1
	for _, v := range f.fn.proto.Locals {
		if v.Start <= pc && pc < v.End {
			out = append(out, Local{v.Name, t.stack[f.base+v.Reg]})
		}
	}
	return out
}

// Upvalues lists the variables of outer functions that a running function uses.
func (vm *VM) Upvalues(l Level) (out []Local) {
	if l.frame < 0 || l.Source == "" {
		return nil
	}
	fn := vm.running.frames[l.frame].fn
	for i, u := range fn.upvalues {
		out = append(out, Local{fn.proto.Upvalues[i].Name, *u.p})
	}
	return out
}

// Eval runs a chunk while a run is paused. The paused functions are left as they
// are; an error is returned as the value it was raised with.
func (vm *VM) Eval(c *Code) (v Value, thrown bool) {
	t := vm.running
	depth, nested, running, top, extra := t.depth, vm.nested, vm.running, t.top, t.extra
	libDepth, watch := vm.depth, vm.watch
	vm.watch = nil
	at := max(t.frames[t.depth].top, top) + 1
	t.reach(at + 1)
	t.stack[at] = functionValue(c.fn)
	n, thrown, e := t.protect(at, 0)
	switch {
	case thrown:
		v = e
		t.unwind(depth, nested, at)
	case n > 0:
		v = t.stack[at]
	}
	vm.running, t.top, t.extra, vm.nested = running, top, extra, nested
	vm.depth, vm.watch = libDepth, watch
	return v, thrown
}

// Global reads a global variable, without metamethods.
func (vm *VM) Global(name string) Value { return vm.Globals.Field(name) }

// Each goes through the pairs of a table in the order in which next does, until
// f returns false.
func (t *Table) Each(f func(k, v Value) bool) {
	for at := 0; ; {
		k, v, next := t.after(at)
		if k.p == nil || !f(k, v) {
			return
		}
		at = next
	}
}

// Address is what stands for the address of a table, function or coroutine.
func (v Value) Address() uint64 {
	var id uint32
	switch v.Kind() {
	case lib.Table:
		id = v.table().identity()
	case lib.Closure:
		id = v.function().identity()
	case lib.Thread:
		id = v.thread().identity()
	}
	return addressOf(id)
}

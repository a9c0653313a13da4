package vm

import (
	"unsafe"

	"minikv/lua/compile"
	"minikv/lua/lib"
)

// Maths returns the functions of the library math, without its generator.
func (vm *VM) Maths() map[string]Value {
	out := vm.Libraries(lib.Maths)
	floor := lib.Maths["floor"]
	out["floor"] = vm.Native(func(c Call) int {
		if n, ok := c.small(1); ok {
			x := c.Arg(1).num()
			if f := float64(n); f > x {
				return c.Return(number(f - 1))
			} else if f != 0 {
				return c.Return(number(f))
			}
		}
		return c.library(floor)
	})
	return out
}

// Libraries makes function values of library functions.
func (vm *VM) Libraries(functions map[string]lib.Function) map[string]Value {
	out := map[string]Value{}
	for name, f := range functions {
		out[name] = vm.Library(f)
	}
	return out
}

// SetStrings gives strings their methods.
func (vm *VM) SetStrings(methods *Table) {
	vm.stringIndex = methods
	vm.stringMeta = NewTable(0, 1)
	vm.stringMeta.SetField("__index", TableValue(methods))
	vm.stringMeta.readOnly = true
}

// Code is a compiled chunk, ready to run.
type Code struct{ fn *Function }

// Compile compiles a chunk. The text of the error begins with the chunk's name
// and a line.
func Compile(source, name string) (*Code, error) {
	f, err := compile.Chunk(source, name)
	if err != nil {
		return nil, err
	}
	return &Code{&Function{proto: newProto(f)}}, nil
}

// Run runs a chunk. An error leaves it as a panic, for Thrown; until Reset the
// failed functions are still there for Place.
func (vm *VM) Run(c *Code) Value {
	t := vm.main
	t.reach(1)
	t.stack[0] = functionValue(c.fn)
	if t.settle(t.run(0, 0)) == 0 {
		return Value{}
	}
	return t.stack[0]
}

// Call calls a function, as Run runs a chunk.
func (vm *VM) Call(f *Function, args ...Value) Value { return vm.main.call(functionValue(f), args...) }

// Reset makes the state ready for another run.
func (vm *VM) Reset() { vm.reset() }

// ToString writes any value as tostring does, without asking metamethods.
func (vm *VM) ToString(v Value) string { return v.describe() }

// Coroutines returns the library coroutine.
func (vm *VM) Coroutines() map[string]Value {
	out := map[string]Value{}
	for name, f := range map[string]Native{
		"create": coroutineCreate, "resume": coroutineResume, "wrap": coroutineWrap,
		"yield": coroutineYield, "status": coroutineStatus, "running": coroutineRunning,
	} {
		out[name] = vm.Native(f)
	}
	return out
}

// owned makes a string of bytes that nobody else changes any more.
func owned(b []byte) Value { return String(unsafe.String(unsafe.SliceData(b), len(b))) }

// Alias makes a string of bytes that do not change while it is in use.
func Alias(b []byte) Value { return owned(b) }

// Where names the line that the function level calls up is at.
func (c Call) Where(level int) string { return c.t.where(level) }

// IsReadOnly tells whether scripts cannot change the table.
func (t *Table) IsReadOnly() bool { return t.readOnly }

// HasFields tells whether the table may have keys that are not its elements.
func (t *Table) HasFields() bool { return t.hasNodes() }

// Fill makes the table one of strings, which alias items, and of nothing else.
func (t *Table) Fill(items [][]byte) {
	clear(t.array[:cap(t.array)])
	if cap(t.array) < len(items) || cap(t.array) > 1<<10 && len(items) < 1<<10 {
		t.array = make([]Value, len(items))
	}
	*t = Table{array: t.array[:len(items)], nodes: noNodes, id: t.id}
	for i, b := range items {
		t.array[i] = Alias(b)
	}
}

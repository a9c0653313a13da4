package vm

import (
	"minikv/lua/compile"
	"minikv/lua/lib"
)

// Call is one call of a native function. Its arguments are on the stack, and
// its results take the place of the function.
type Call struct {
	t  *Thread
	at int
	n  int
}

// N returns the number of arguments.
func (c Call) N() int { return c.n }

// Arg returns argument i, from 1; nil if it is missing.
func (c Call) Arg(i int) Value {
	if i > c.n {
		return Value{}
	}
	return c.t.stack[c.at+i]
}

// Return gives one result.
func (c Call) Return(v Value) int {
	c.t.stack[c.at] = v
	return 1
}

// Return2 gives two results.
func (c Call) Return2(v, w Value) int {
	c.t.stack[c.at], c.t.stack[c.at+1] = v, w
	return 2
}

// Return3 gives three results.
func (c Call) Return3(u, v, w Value) int {
	c.t.stack[c.at], c.t.stack[c.at+1], c.t.stack[c.at+2] = u, v, w
	return 3
}

// Ignored tells whether the caller surely looks at no result: the call is a
// statement.
func (c Call) Ignored() bool {
	if c.t.depth == 0 {
		return false
	}
	f := &c.t.frames[c.t.depth-1]
	if f.fn.native != nil {
		return false
	}
	i := f.fn.proto.Code[f.pc-1]
	return i.Op() == compile.Call && i.C() == 1
}

// VM returns the state.
func (c Call) VM() *VM { return c.t.vm }

// enter begins a Lua function whose arguments are on the stack.
func (t *Thread) enter(fn *Function, at, n, want int) {
	p := fn.proto
	base := at + 1
	varargs := 0
	if p.Vararg {
		base += n
		varargs = max(n-p.Params, 0)
	}
	t.reach(base + p.MaxStack)
	t.vm.steps -= varargs >> 4
	f := t.push()
	*f = frame{fn: fn, at: at, base: base, top: base + p.MaxStack, want: want, varargs: varargs}
	if !p.Vararg {
		for ; n < p.Params; n++ {
			t.stack[base+n] = Value{}
		}
		return
	}
	for i := range p.Params {
		if i < n {
			t.stack[base+i] = t.stack[at+1+i]
			t.stack[at+1+i] = Value{}
		} else {
			t.stack[base+i] = Value{}
		}
	}
	if p.Line > 0 { // a chunk has no variable arg
		t.stack[base+p.Params] = t.arg(p, base, varargs)
	}
}

// arg makes the table arg of a function that does not use ... itself.
func (t *Thread) arg(p *proto, base, varargs int) Value {
	if !p.NeedsArg {
		return Value{}
	}
	arg := t.vm.NewTable(varargs, 1)
	copy(arg.array, t.stack[base-varargs:base])
	arg.SetField("n", number(float64(varargs)))
	return TableValue(arg)
}

// native calls a native function and returns how many results it left at at.
func (t *Thread) native(fn *Function, at, n int) int {
	t.reach(at + 1 + n)
	f := t.push()
	*f = frame{fn: fn, at: at, base: at + 1, top: at + 1 + n}
	n = fn.native(Call{t, at, n})
	t.depth--
	return n
}

// run calls what is on the stack at at, with n arguments behind it. It returns
// how many results have taken its place, or failed.
func (t *Thread) run(at, n int) int {
	vm := t.vm
	if vm.nested++; vm.nested >= maxNested {
		t.overflow()
	}
	v := t.stack[at]
	if !v.isFunction() {
		n = t.callable(at, n)
		v = t.stack[at]
	}
	if fn := v.function(); fn.native != nil {
		n = t.native(fn, at, n)
	} else {
		t.enter(fn, at, n, -1)
		t.frames[t.depth].entry = true
		n = t.execute()
	}
	vm.nested--
	return n
}

// settle raises the error of a call that has failed.
func (t *Thread) settle(n int) int {
	switch n {
	case failed:
		panic(&Raised{t.thrown})
	case yielded:
		t.throw(acrossCall)
	}
	return n
}

// overflow raises the error of too many calls from Go into Lua; an error
// handler has a little more room.
func (t *Thread) overflow() {
	if t.vm.nested == maxNested {
		t.fail("C stack overflow")
	}
	if t.vm.nested >= maxNested+maxNested/8 {
		panic(&Raised{String(handlerFailed)})
	}
}

const handlerFailed = "error in error handling"

// callable puts the metamethod __call in front of a value and its arguments.
func (t *Thread) callable(at, n int) int {
	v := t.stack[at]
	mm := t.vm.metamethod(v, evCall)
	if !mm.isFunction() {
		t.typeError("call", v, at-t.frames[t.depth].base)
	}
	t.reach(at + n + 2)
	copy(t.stack[at+1:at+n+2], t.stack[at:at+n+1])
	t.stack[at] = mm
	return n + 1
}

// call calls a value from a native function or metamethod and returns its first
// result.
func (t *Thread) call(fn Value, args ...Value) Value {
	at := 0
	if t.depth >= 0 {
		at = t.frames[t.depth].top
	}
	t.reach(at + len(args) + 1)
	t.stack[at] = fn
	copy(t.stack[at+1:], args)
	if t.settle(t.run(at, len(args))) == 0 {
		return Value{}
	}
	return t.stack[at]
}

// libCall is one call of a library function: the lib.Call it reads and the
// lib.Runtime behind it. Calls are reused; vm.depth tells how many are running.
type libCall struct {
	lib.Call
	t *Thread
}

// Library makes a function value of a library function.
func (vm *VM) Library(f lib.Function) Value {
	return vm.Native(func(c Call) int { return c.library(f) })
}

func (c Call) library(f lib.Function) int {
	vm := c.t.vm
	if vm.depth == len(vm.calls) {
		vm.calls = append(vm.calls, &libCall{})
	}
	l := vm.calls[vm.depth]
	vm.depth++
	if l.Runtime == nil {
		l.Runtime = l
	}
	l.t = c.t
	held := vm.memory.held
	l.Args, l.Results = l.Args[:0], l.Results[:0]
	size := 0
	for _, v := range c.t.stack[c.at+1 : c.at+1+c.n] {
		x := v.toLib()
		size += len(x.Str)
		if v.isTable() {
			size += (len(v.table().array) + len(v.table().nodes)) << 7
		}
		l.Args = append(l.Args, x)
	}
	f(&l.Call)
	vm.depth--
	vm.memory.held = held
	vm.work(8 + size>>8)
	n := len(l.Results)
	if n > 1 {
		c.t.reach(c.at + n)
	}
	made := 0
	for i, v := range l.Results {
		c.t.stack[c.at+i] = fromLib(v)
		if v.Kind == lib.String {
			made += stringSize + len(v.Str)
		}
	}
	if cap(l.Args) > 1<<10 || cap(l.Results) > 1<<10 {
		l.Args, l.Results = nil, nil
	}
	clear(l.Args)
	clear(l.Results)
	if made > 0 {
		vm.Charge(made)
	}
	return n
}

func (l *libCall) NewTable(elements, pairs int) lib.Value {
	t := l.t.vm.NewTable(elements, pairs)
	l.t.vm.memory.held += tableSize + t.size()
	return TableValue(t).toLib()
}

func (l *libCall) NewFunction(f lib.Function) lib.Value { return l.t.vm.Library(f).toLib() }

func (l *libCall) First(fn lib.Value, args ...lib.Value) lib.Value {
	t := l.t
	at := t.frames[t.depth].top
	t.reach(at + len(args) + 1)
	t.stack[at] = fromLib(fn)
	for i, a := range args {
		t.stack[at+1+i] = fromLib(a)
	}
	if t.settle(t.run(at, len(args))) == 0 {
		return lib.Value{}
	}
	return t.stack[at].toLib()
}

func (l *libCall) Less(a, b lib.Value) bool { return l.t.less(fromLib(a), fromLib(b)) }

func (l *libCall) Throw(v lib.Value) { panic(&Raised{fromLib(v)}) }

func (l *libCall) Where(level int) string { return l.t.where(level) }

func (l *libCall) Callee() (string, bool) { return l.t.callee() }

func (l *libCall) ReadOnly(t lib.Value) bool { return t.Ref.(*Table).readOnly }

func (l *libCall) ToString(v lib.Value) string { return fromLib(v).describe() }

func (l *libCall) Field(t, key lib.Value) lib.Value {
	return l.t.index(fromLib(t), fromLib(key), -1).toLib()
}

func (l *libCall) Work(n int) { l.t.vm.work(n) }

func (l *libCall) Room(n int) { l.t.vm.room(n) }

func (l *libCall) Charge(n int) { l.t.vm.hold(n) }

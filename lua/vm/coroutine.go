package vm

const acrossCall = "attempt to yield across metamethod/C-call boundary"

// threadWork is what a thread costs to make and to collect, in steps.
const threadWork = 500

// newCoroutine makes a coroutine of argument 1.
func (c Call) newCoroutine() *Thread {
	v := c.Arg(1)
	if !v.isFunction() || v.function().native != nil {
		c.argError(1, "Lua function expected")
	}
	c.t.vm.Charge(threadSize + (minStack+slack)*valueSize + 4*frameSize)
	c.t.vm.work(threadWork)
	co := c.t.vm.newThread()
	co.stack[0] = v
	return co
}

func coroutineCreate(c Call) int { return c.Return(threadValue(c.newCoroutine())) }

func (v Value) isThread() bool { return v.n == tagThread }

func coroutineResume(c Call) int {
	if !c.Arg(1).isThread() {
		c.argError(1, "coroutine expected")
	}
	n, ok, e := c.resume(c.Arg(1).thread(), 2)
	if !ok {
		return c.Return2(False, e)
	}
	c.t.stack[c.at] = True
	return n + 1
}

func coroutineWrap(c Call) int {
	co := c.newCoroutine()
	resume := c.t.vm.native(func(c Call) int {
		n, ok, e := c.resume(co, 1)
		if !ok {
			if s, text := e.Text(); text {
				e = String(c.t.where(1) + s)
			}
			c.Throw(e)
		}
		copy(c.t.stack[c.at:c.at+n], c.t.stack[c.at+1:])
		return n
	})
	resume.keep(threadValue(co))
	return c.Return(functionValue(resume))
}

// resume continues a coroutine with the arguments from the given one on. The n
// values that come back are on the stack behind the running function.
func (c Call) resume(co *Thread, from int) (n int, ok bool, e Value) {
	t, vm := c.t, c.t.vm
	if co.status != suspended {
		return 0, false, String("cannot resume " + co.status.String() + " coroutine")
	}
	if vm.nested >= maxNested {
		return 0, false, String("C stack overflow")
	}
	args := c.n - from + 1
	n, e = co.resumed(t, c.at+from, max(args, 0))
	if n < 0 {
		return 0, false, e
	}
	from = co.results()
	t.reach(c.at + 1 + n)
	copy(t.stack[c.at+1:], co.stack[from:from+n])
	return n, true, e
}

// results is where the values are that a coroutine has just given.
func (t *Thread) results() int {
	if t.status == dead {
		return 0
	}
	return t.top
}

// resumed runs a coroutine on the arguments at from on t's stack. It returns
// how many values the coroutine gave, or -1 and its error.
func (t *Thread) resumed(by *Thread, from, args int) (n int, e Value) {
	vm := t.vm
	nested, libDepth := vm.nested, vm.depth
	by.status, t.status = normal, running
	vm.running = t
	vm.nested++
	t.nested = vm.nested
	defer func() {
		if r := recover(); r != nil {
			e = vm.caught(r)
			t.status = dead
			n = -1
			t.closeFrom(0)
			vm.depth, vm.memory.held = libDepth, 0
		}
		by.status, vm.running, vm.nested = running, by, nested
	}()
	if t.depth < 0 {
		t.reach(1 + args)
		copy(t.stack[1:], by.stack[from:from+args])
		t.enter(t.stack[0].function(), 0, args, -1)
		t.frames[t.depth].entry = true
	} else {
		f := &t.frames[t.depth]
		i := f.fn.proto.Code[f.pc-1]
		at := f.base + i.A()
		t.reach(at + args)
		copy(t.stack[at:], by.stack[from:from+args])
		t.frames[t.depth].deliver(t, at, args, i.C()-1)
	}
	switch n = t.execute(); n {
	case yielded:
		t.status = suspended
		return t.given, Value{}
	case failed:
		t.status = dead
		t.closeFrom(0)
		return -1, t.thrown
	}
	t.status = dead
	return n, Value{}
}

// deliver gives a call its results; the values are already in place.
func (f *frame) deliver(t *Thread, at, n, want int) {
	if want < 0 {
		t.top = at + n
		return
	}
	for ; n < want; n++ {
		t.stack[at+n] = Value{}
	}
}

// coroutineYield leaves its arguments where they are; execute ends.
func coroutineYield(c Call) int {
	t := c.t
	if t == t.vm.main || t.vm.nested > t.nested {
		t.throw(acrossCall)
	}
	t.top, t.given = c.at+1, c.n
	return yielded
}

func (s status) String() string {
	return [...]string{"suspended", "running", "normal", "dead"}[s]
}

func coroutineStatus(c Call) int {
	if !c.Arg(1).isThread() {
		c.argError(1, "coroutine expected")
	}
	return c.Return(String(c.Arg(1).thread().status.String()))
}

func coroutineRunning(c Call) int {
	if c.t == c.t.vm.main {
		return c.Return(Value{})
	}
	return c.Return(threadValue(c.t))
}

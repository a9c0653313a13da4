package vm

// protect calls what is on the stack at at, with n arguments behind it, and
// returns how many results have taken its place. If that raises an error, caught
// is true and the frames stay as they were then, until unwind.
func (t *Thread) protect(at, n int) (results int, caught bool, thrown Value) {
	vm := t.vm
	libDepth := vm.depth
	defer func() {
		if r := recover(); r != nil {
			thrown = vm.caught(r)
			caught = true
			vm.depth, vm.running, vm.memory.held = libDepth, t, 0
		}
	}()
	switch results = t.run(at, n); results {
	case failed:
		return 0, true, t.thrown
	case yielded:
		return 0, true, String(acrossCall)
	}
	return results, false, Value{}
}

// unwind leaves all frames above one.
func (t *Thread) unwind(depth, nested, at int) {
	t.depth, t.vm.nested = depth, nested
	t.closeFrom(at)
}

// pcall is Redis's: of an error reply it returns the text.
func pcall(c Call) int {
	t, at := c.t, c.at
	if c.n == 0 {
		return c.Return2(False, String("attempt to call a boolean value"))
	}
	depth, nested := t.depth, t.vm.nested
	n, caught, v := t.protect(at+1, c.n-1)
	if !caught {
		t.stack[at] = True
		return n + 1
	}
	t.unwind(depth, nested, at+1)
	t.stack[at], t.stack[at+1] = False, v
	if h, ok := v.Table(); ok {
		e := h.Field("err")
		if e.isString() || e.isNumber() {
			t.stack[at+1] = e
			return 2
		}
		t.stack[at+2] = e
		return 3
	}
	return 2
}

// maxHandlers is how often the error handler of xpcall handles its own errors.
const maxHandlers = 220

func xpcall(c Call) int {
	t, at := c.t, c.at
	if c.n < 2 {
		c.argError(2, "value expected")
	}
	handler := t.stack[at+2]
	depth, nested := t.depth, t.vm.nested
	n, caught, v := t.protect(at+1, 0)
	if !caught {
		t.stack[at] = True
		return n + 1
	}
	v = t.handle(handler, v)
	t.unwind(depth, nested, at+1)
	return c.Return2(False, v)
}

// handle calls an error handler while the failed functions are still there.
func (t *Thread) handle(handler, v Value) Value {
	extra := t.extra
	t.extra = maxNested
	defer func() {
		t.extra = extra
		t.frames = t.frames[:min(len(t.frames), maxFrames+extra)]
	}()
	for range maxHandlers {
		at := t.frames[t.depth].top
		t.reach(at + 2)
		t.stack[at], t.stack[at+1] = handler, v
		depth, nested := t.depth, t.vm.nested
		t.vm.nested = min(nested, maxNested-1)
		n, caught, e := t.protect(at, 1)
		t.vm.nested = nested
		if !caught {
			if n == 0 {
				return Value{}
			}
			return t.stack[at]
		}
		t.unwind(depth, nested, at)
		if !handler.isFunction() {
			break
		}
		v = e
	}
	return String(handlerFailed)
}

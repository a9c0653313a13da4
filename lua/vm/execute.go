package vm

import (
	"math"
	"unsafe"

	"minikv/lua/compile"
)

// registers are those of a frame. A frame has at most 250 of them and the stack
// always has room for 256, so a byte is an index that needs no check.
type registers = *[256]Value

func (t *Thread) registers(base int) registers {
	return (registers)(unsafe.Pointer(&t.stack[base : base+256][0]))
}

// What calls return in place of a number of results.
const (
	yielded = -1 // the coroutine is to be left
	failed  = -2 // the function error was called; the value is in thrown
)

// execute runs the functions on the frames from the current one up to the one
// that was entered from Go. It returns how many results have taken the place of
// that one, or yielded or failed.
//
// Whatever may call, raise an error or look at the frames first saves pc; after
// a call the stack may have moved, so the registers are found anew.
func (t *Thread) execute() int {
	vm := t.vm
frames:
	f := &t.frames[t.depth]
	fn := f.fn
	code, k := fn.proto.Code, fn.proto.k
	base, pc := f.base, f.pc
	r := t.registers(base)
	for {
		i := code[pc]
		pc++
		a := uint8(i >> 8)
		switch compile.Op(i) {
		case compile.Move:
			r[a] = r[uint8(i>>16)]
		case compile.LoadK:
			r[a] = k[i>>32]
		case compile.LoadBool:
			r[a] = Bool(uint8(i>>16) != 0)
			if uint8(i>>24) != 0 {
				pc++
			}
		case compile.LoadNil:
			for x := int(a); x <= int(uint8(i>>16)); x++ {
				r[uint8(x)] = Value{}
			}
		case compile.GetUpval:
			r[a] = *fn.upvalues[i>>32].p
		case compile.SetUpval:
			*fn.upvalues[i>>32].p = r[a]
		case compile.GetGlobal:
			d := i >> 32
			if p := vm.Globals.findString(k[d], fn.proto.hashes[d]); p != nil && p.p != nil {
				r[a] = *p
				continue
			}
			f.pc = pc
			v := t.index(TableValue(vm.Globals), k[d], -1)
			f, r = &t.frames[t.depth], t.registers(base)
			r[a] = v
		case compile.SetGlobal:
			f.pc = pc
			t.setIndex(TableValue(vm.Globals), k[i>>32], r[a], -1)
			f, r = &t.frames[t.depth], t.registers(base)

		case compile.GetTable:
			b := uint8(i >> 16)
			o, key := r[b], r[uint8(i>>24)]
			if o.isTable() {
				h := o.table()
				if key.isNumber() {
					n := key.num()
					if x := int(n); float64(x) == n && uint(x-1) < uint(len(h.array)) {
						if v := h.array[x-1]; v.p != nil {
							r[a] = v
							continue
						}
					}
				}
				if !key.isLong() {
					if v := h.get(key); v.p != nil || h.meta == nil {
						r[a] = v
						continue
					}
				}
			}
			f.pc = pc
			v := t.index(o, key, int(b))
			f, r = &t.frames[t.depth], t.registers(base)
			r[a] = v
		case compile.GetField:
			b, d := uint8(i>>16), i>>32
			o := r[b]
			if o.isTable() {
				h := o.table()
				if p := h.findString(k[d], fn.proto.hashes[d]); p != nil && p.p != nil {
					r[a] = *p
					continue
				}
				if h.meta == nil {
					r[a] = Value{}
					continue
				}
				if v, ok := inherited(h.meta, k[d], fn.proto.hashes[d]); ok {
					r[a] = v
					continue
				}
			}
			f.pc = pc
			v := t.index(o, k[d], int(b))
			f, r = &t.frames[t.depth], t.registers(base)
			r[a] = v
		case compile.GetIndex:
			b := uint8(i >> 16)
			o, key := r[b], k[i>>32]
			if o.isTable() {
				h := o.table()
				if v := h.get(key); v.p != nil || h.meta == nil {
					r[a] = v
					continue
				}
			}
			f.pc = pc
			v := t.index(o, key, int(b))
			f, r = &t.frames[t.depth], t.registers(base)
			r[a] = v
		case compile.SetTable:
			o, key, v := r[a], r[uint8(i>>16)], r[uint8(i>>24)]
			if o.isTable() {
				h := o.table()
				if key.isNumber() && !h.readOnly {
					n := key.num()
					if x := int(n); float64(x) == n && uint(x-1) < uint(len(h.array)) {
						if p := &h.array[x-1]; p.p != nil || h.meta == nil {
							*p = v
							continue
						}
					}
				}
			}
			f.pc = pc
			t.setIndex(o, key, v, int(a))
			f, r = &t.frames[t.depth], t.registers(base)
		case compile.SetField:
			d := i >> 32
			o, v := r[a], r[uint8(i>>24)]
			if o.isTable() {
				h := o.table()
				if p := h.findString(k[d], fn.proto.hashes[d]); p != nil && p.p != nil && !h.readOnly {
					*p = v
					continue
				}
			}
			f.pc = pc
			t.setIndex(o, k[d], v, int(a))
			f, r = &t.frames[t.depth], t.registers(base)
		case compile.SetIndex:
			f.pc = pc
			t.setIndex(r[a], k[i>>32], r[uint8(i>>24)], int(a))
			f, r = &t.frames[t.depth], t.registers(base)
		case compile.NewTable:
			f.pc = pc
			r[a] = TableValue(vm.NewTable(compile.Size(i.B()), compile.Size(i.C())))
			if vm.steps--; vm.steps < 0 {
				vm.poll()
			}
		case compile.Self:
			b, d := uint8(i>>16), i>>32
			o := r[b]
			if o.isTable() {
				h := o.table()
				if p := h.findString(k[d], fn.proto.hashes[d]); p != nil && p.p != nil {
					r[a+1], r[a] = o, *p
					continue
				}
				if v, ok := inherited(h.meta, k[d], fn.proto.hashes[d]); ok {
					r[a+1], r[a] = o, v
					continue
				}
			} else if o.isString() {
				if p := vm.stringIndex.findString(k[d], fn.proto.hashes[d]); p != nil {
					r[a+1], r[a] = o, *p
					continue
				}
			}
			f.pc = pc
			v := t.index(o, k[d], int(b))
			f, r = &t.frames[t.depth], t.registers(base)
			r[a+1], r[a] = o, v

		case compile.Add:
			x, y := &r[uint8(i>>16)], &r[uint8(i>>24)]
			if x.isNumber() && y.isNumber() {
				if v := x.num() + y.num(); v == v {
					r[a] = number(v)
					continue
				}
			}
			r, f = t.slow(i, pc, a)
		case compile.AddK:
			if x := &r[uint8(i>>16)]; x.isNumber() {
				if v := x.num() + k[i>>32].num(); v == v {
					r[a] = number(v)
					continue
				}
			}
			r, f = t.slow(i, pc, a)
		case compile.AddKR:
			if x := &r[uint8(i>>16)]; x.isNumber() {
				if v := k[i>>32].num() + x.num(); v == v {
					r[a] = number(v)
					continue
				}
			}
			r, f = t.slow(i, pc, a)
		case compile.Sub:
			x, y := &r[uint8(i>>16)], &r[uint8(i>>24)]
			if x.isNumber() && y.isNumber() {
				if v := x.num() - y.num(); v == v {
					r[a] = number(v)
					continue
				}
			}
			r, f = t.slow(i, pc, a)
		case compile.SubK:
			if x := &r[uint8(i>>16)]; x.isNumber() {
				if v := x.num() - k[i>>32].num(); v == v {
					r[a] = number(v)
					continue
				}
			}
			r, f = t.slow(i, pc, a)
		case compile.SubKR:
			if x := &r[uint8(i>>16)]; x.isNumber() {
				if v := k[i>>32].num() - x.num(); v == v {
					r[a] = number(v)
					continue
				}
			}
			r, f = t.slow(i, pc, a)
		case compile.Mul:
			x, y := &r[uint8(i>>16)], &r[uint8(i>>24)]
			if x.isNumber() && y.isNumber() {
				if v := x.num() * y.num(); v == v {
					r[a] = number(v)
					continue
				}
			}
			r, f = t.slow(i, pc, a)
		case compile.MulK, compile.MulKR:
			if x := &r[uint8(i>>16)]; x.isNumber() {
				if v := x.num() * k[i>>32].num(); v == v {
					r[a] = number(v)
					continue
				}
			}
			r, f = t.slow(i, pc, a)
		case compile.Div:
			x, y := &r[uint8(i>>16)], &r[uint8(i>>24)]
			if x.isNumber() && y.isNumber() {
				if v := x.num() / y.num(); v == v {
					r[a] = number(v)
					continue
				}
			}
			r, f = t.slow(i, pc, a)
		case compile.DivK:
			if x := &r[uint8(i>>16)]; x.isNumber() {
				if v := x.num() / k[i>>32].num(); v == v {
					r[a] = number(v)
					continue
				}
			}
			r, f = t.slow(i, pc, a)
		case compile.DivKR:
			if x := &r[uint8(i>>16)]; x.isNumber() {
				if v := k[i>>32].num() / x.num(); v == v {
					r[a] = number(v)
					continue
				}
			}
			r, f = t.slow(i, pc, a)
		case compile.Mod:
			x, y := &r[uint8(i>>16)], &r[uint8(i>>24)]
			if x.isNumber() && y.isNumber() {
				r[a] = number(mod(x.num(), y.num()))
				continue
			}
			r, f = t.slow(i, pc, a)
		case compile.ModK:
			if x := &r[uint8(i>>16)]; x.isNumber() {
				m, n := x.num(), k[i>>32].num()
				if v := m - float64(math.Floor(m/n)*n); v == v {
					r[a] = number(v)
					continue
				}
			}
			r, f = t.slow(i, pc, a)
		case compile.ModKR, compile.Pow, compile.PowK, compile.PowKR:
			r, f = t.slow(i, pc, a)
		case compile.Unm:
			if x := &r[uint8(i>>16)]; x.isNumber() {
				r[a] = Value{x.p, x.n ^ 1<<63}
				continue
			}
			r, f = t.slow(i, pc, a)
		case compile.Not:
			r[a] = Bool(!r[uint8(i>>16)].Truth())
		case compile.Len:
			b := uint8(i >> 16)
			f.pc = pc
			r[a] = t.length(r[b], int(b))
		case compile.Concat:
			f.pc = pc
			v := t.concat(base, i.B(), i.C())
			f, r = &t.frames[t.depth], t.registers(base)
			r[a] = v

		case compile.Jump:
			pc += i.D()
		case compile.Loop:
			pc += i.D()
			if vm.steps--; vm.steps < 0 {
				f.pc = pc
				vm.poll()
			}
		case compile.Test:
			if r[a].Truth() == (uint8(i>>16) != 0) {
				pc += i.D()
			}
		case compile.TestSet:
			if b := uint8(i >> 16); r[b].Truth() == (uint8(i>>24) != 0) {
				r[a] = r[b]
				pc += i.D()
			}
		case compile.Eq:
			x, y := r[uint8(i>>16)], r[uint8(i>>24)]
			equal := false
			if x.isTable() && y.isTable() && x.p != y.p {
				f.pc = pc
				equal = t.equal(x, y)
				f, r = &t.frames[t.depth], t.registers(base)
			} else {
				if x.isLong() {
					f.pc = pc
					vm.work(x.cost())
				}
				equal = rawEqual(x, y)
			}
			if equal == (a != 0) {
				pc += i.D()
			}
		case compile.EqK:
			if rawEqual(r[uint8(i>>16)], k[uint8(i>>24)]) == (a != 0) {
				pc += i.D()
			}
		case compile.Lt:
			x, y := r[uint8(i>>16)], r[uint8(i>>24)]
			less := false
			if x.isNumber() && y.isNumber() {
				less = x.num() < y.num()
			} else {
				f.pc = pc
				less = t.less(x, y)
				f, r = &t.frames[t.depth], t.registers(base)
			}
			if less == (a != 0) {
				pc += i.D()
			}
		case compile.LtK:
			x, y := r[uint8(i>>16)], k[uint8(i>>24)]
			less := false
			if x.isNumber() {
				less = x.num() < y.num()
			} else {
				f.pc = pc
				less = t.less(x, y)
				f, r = &t.frames[t.depth], t.registers(base)
			}
			if less == (a != 0) {
				pc += i.D()
			}
		case compile.LtKR:
			x, y := k[uint8(i>>24)], r[uint8(i>>16)]
			less := false
			if y.isNumber() {
				less = x.num() < y.num()
			} else {
				f.pc = pc
				less = t.less(x, y)
				f, r = &t.frames[t.depth], t.registers(base)
			}
			if less == (a != 0) {
				pc += i.D()
			}
		case compile.Le, compile.LeK, compile.LeKR:
			x := r[uint8(i>>16)]
			var y Value
			switch compile.Op(i) {
			case compile.Le:
				y = r[uint8(i>>24)]
			case compile.LeK:
				y = k[uint8(i>>24)]
			default:
				x, y = k[uint8(i>>24)], x
			}
			less := false
			if x.isNumber() && y.isNumber() {
				less = x.num() <= y.num()
			} else {
				f.pc = pc
				less = t.lessEqual(x, y)
				f, r = &t.frames[t.depth], t.registers(base)
			}
			if less == (a != 0) {
				pc += i.D()
			}

		case compile.Call:
			f.pc = pc
			if vm.steps--; vm.steps < 0 {
				vm.poll()
			}
			at, n := base+int(a), int(uint8(i>>16))-1
			if n < 0 {
				n = t.top - at - 1
			}
			v := r[a]
			if !v.isFunction() {
				n = t.callable(at, n)
				v = t.stack[at]
			}
			want := int(uint8(i>>24)) - 1
			callee := v.function()
			if callee.native == nil {
				t.enter(callee, at, n, want)
				goto frames
			}
			n = t.native(callee, at, n)
			if n < 0 {
				return n
			}
			f, r = &t.frames[t.depth], t.registers(base)
			switch {
			case want == 1 && n == 1:
			case want < 0:
				t.top = at + n
			default:
				for ; n < want; n++ {
					t.stack[at+n] = Value{}
				}
			}
		case compile.TailCall:
			f.pc = pc
			if vm.steps--; vm.steps < 0 {
				vm.poll()
			}
			at, n := base+int(a), int(uint8(i>>16))-1
			if n < 0 {
				n = t.top - at - 1
			}
			v := r[a]
			if !v.isFunction() {
				n = t.callable(at, n)
				v = t.stack[at]
			}
			callee := v.function()
			if callee.native != nil {
				if n = t.native(callee, at, n); n < 0 {
					return n
				}
				t.top = at + n
				f, r = &t.frames[t.depth], t.registers(base)
				continue // with the return that follows
			}
			if len(t.open) > 0 {
				t.closeFrom(f.at)
			}
			copy(t.stack[f.at:], t.stack[at:at+n+1])
			to, want, tails, entry := f.at, f.want, f.tails, f.entry
			t.depth--
			t.enter(callee, to, n, want)
			g := &t.frames[t.depth]
			g.tails, g.entry = tails+1, entry
			goto frames
		case compile.Return:
			n := int(uint8(i>>16)) - 1
			from := base + int(a)
			if n < 0 {
				n = t.top - from
			}
			if len(t.open) > 0 {
				t.closeFrom(f.at)
			}
			at, want := f.at, f.want
			if n == 1 {
				t.stack[at] = r[a]
			} else {
				copy(t.stack[at:at+n], t.stack[from:from+n])
			}
			t.depth--
			if f.entry {
				return n
			}
			if want < 0 {
				t.top = at + n
			} else {
				for ; n < want; n++ {
					t.stack[at+n] = Value{}
				}
			}
			goto frames
		case compile.Vararg:
			n := int(uint8(i>>16)) - 1
			if n < 0 {
				n = f.varargs
				f.pc = pc
				vm.work(n >> 4)
				t.reach(base + int(a) + n)
				r = t.registers(base)
				t.top = base + int(a) + n
			}
			to := base + int(a)
			for x := range n {
				if x < f.varargs {
					t.stack[to+x] = t.stack[base-f.varargs+x]
				} else {
					t.stack[to+x] = Value{}
				}
			}

		case compile.ForPrep:
			f.pc = pc
			t.prepare(r, a)
			pc += i.D()
		case compile.ForLoop:
			step, limit := r[a+2].num(), r[a+1].num()
			x := r[a].num() + step
			if step > 0 {
				if !(x <= limit) {
					continue
				}
			} else if !(limit <= x) {
				continue
			}
			r[a].n = math.Float64bits(x)
			if v := &r[a+3]; v.isNumber() {
				v.n = math.Float64bits(x)
			} else {
				*v = number(x)
			}
			pc += i.D()
			if vm.steps--; vm.steps < 0 {
				f.pc = pc
				vm.poll()
			}
		case compile.TForLoop:
			f.pc = pc
			if vm.steps--; vm.steps < 0 {
				vm.poll()
			}
			n := int(uint8(i >> 24))
			if it := r[a]; it.n == tagFunction && it.function() == vm.next && r[a+1].isTable() {
				h := r[a+1].table()
				place := h.place(r[a+2])
				if place < 0 {
					t.iterate(base+int(a), n)
				}
				key, v, next := h.after(place)
				vm.steps -= (next - place) >> 4
				r[a+3], r[a+4] = key, v
				for x := 2; x < n; x++ {
					r[a+3+uint8(x)] = Value{}
				}
			} else {
				t.iterate(base+int(a), n)
				f, r = &t.frames[t.depth], t.registers(base)
			}
			if r[a+3].p != nil {
				r[a+2] = r[a+3]
				pc += i.D()
			}
		case compile.SetList:
			h := r[a].table()
			n := int(uint8(i >> 16))
			if n == 0 {
				n = t.top - (base + int(a) + 1)
			}
			first := i.D()
			if first+n > len(h.array) {
				f.pc = pc
				vm.Charge((first + n - len(h.array)) * valueSize)
				h.resizeArray(first + n)
			}
			copy(h.array[first:first+n], t.stack[base+int(a)+1:])
		case compile.Close:
			if len(t.open) > 0 {
				t.closeFrom(base + int(a))
			}
		case compile.Line:
			f.pc = pc
			vm.lines(int(i >> 32))
		case compile.Closure:
			f.pc = pc
			r[a] = functionValue(t.closure(fn.proto.protos[i>>32], fn, base))
			if vm.steps--; vm.steps < 0 {
				vm.poll()
			}
		}
	}
}

// inherited looks a string key up along __index tables; ok is false if a
// function has to be asked.
func inherited(meta *Table, k Value, hash uint32) (v Value, ok bool) {
	for range maxLoop {
		mm := meta.event(evIndex)
		if mm.p == nil {
			return Value{}, true
		}
		if !mm.isTable() {
			return Value{}, false
		}
		h := mm.table()
		if p := h.findString(k, hash); p != nil && p.p != nil {
			return *p, true
		}
		if meta = h.meta; meta == nil {
			return Value{}, true
		}
	}
	return Value{}, false
}

// slow applies an arithmetic operator whose operands are not all numbers, or
// that is seldom used.
func (t *Thread) slow(i compile.Instr, pc int, a uint8) (registers, *frame) {
	f := &t.frames[t.depth]
	f.pc = pc
	base := f.base
	r := t.registers(base)
	op := i.Op()
	x, y := i.B(), i.C()
	left, right := r[x], r[y]
	switch {
	case op == compile.Unm:
		right, y = left, x
	case (op-compile.Add)%3 == 1:
		right, y = f.fn.proto.k[i.D()], -1
	case (op-compile.Add)%3 == 2:
		left, right, x, y = f.fn.proto.k[i.D()], left, -1, x
	}
	v := t.operation(op, left, right, x, y)
	f, r = &t.frames[t.depth], t.registers(base)
	r[a] = v
	return r, f
}

// prepare checks the numbers that control a loop.
func (t *Thread) prepare(r registers, a uint8) {
	for x, part := range [3]string{"initial value", "limit", "step"} {
		v := &r[a+uint8(x)]
		n, ok := v.ToNumber()
		if !ok {
			t.fail("'for' " + part + " must be a number")
		}
		*v = number(n)
	}
	r[a] = number(r[a].num() - r[a+2].num())
}

// iterate calls the iterator of a loop. It is a call from Go, across which
// nothing can yield.
func (t *Thread) iterate(at, want int) {
	t.reach(at + 6)
	copy(t.stack[at+3:at+6], t.stack[at:at+3])
	n := 0
	if v := t.stack[at+3]; v.isFunction() && v.function().native != nil {
		n = t.settle(t.native(v.function(), at+3, 2))
	} else {
		n = t.settle(t.run(at+3, 2))
	}
	for ; n < want; n++ {
		t.stack[at+3+n] = Value{}
	}
}

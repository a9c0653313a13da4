package vm

import (
	"math"

	"minikv/lua/compile"
	"minikv/lua/lib"
)

// event is a metamethod.
type event uint8

const (
	evIndex event = iota
	evNewIndex
	evCall
	evEq
	evLt
	evLe
	evConcat
	evAdd
	evSub
	evMul
	evDiv
	evMod
	evPow
	evUnm
	evToString
	evMetatable
	events
)

// eventNames are the keys of metamethods with their hashes.
var eventNames = func() (out [events]struct {
	key  Value
	hash uint32
}) {
	for i, name := range [events]string{"__index", "__newindex", "__call", "__eq", "__lt", "__le", "__concat",
		"__add", "__sub", "__mul", "__div", "__mod", "__pow", "__unm", "__tostring", "__metatable"} {
		out[i].key, out[i].hash = String(name), hashString(name)
	}
	return out
}()

// event returns what a metatable has for an event. What is absent is noted,
// until the table is written to.
func (t *Table) event(e event) Value {
	if t == nil || t.absent&(1<<e) != 0 {
		return Value{}
	}
	if p := t.findString(eventNames[e].key, eventNames[e].hash); p != nil && p.p != nil {
		return *p
	}
	t.absent |= 1 << e
	return Value{}
}

// metamethod returns the metamethod of any value.
func (vm *VM) metamethod(v Value, e event) Value {
	switch {
	case v.isTable():
		return v.table().meta.event(e)
	case v.isString():
		return vm.stringMeta.event(e)
	}
	return Value{}
}

// maxLoop is how many __index tables are followed.
const maxLoop = 100

// index reads o[k]. reg is the register of o, or -1.
func (t *Thread) index(o, k Value, reg int) Value {
	if k.isLong() {
		t.vm.work(k.cost())
	}
	for range maxLoop {
		var mm Value
		if o.isTable() {
			h := o.table()
			if v := h.get(k); v.p != nil {
				return v
			}
			if mm = h.meta.event(evIndex); mm.p == nil {
				return Value{}
			}
		} else if mm = t.vm.metamethod(o, evIndex); mm.p == nil {
			t.typeError("index", o, reg)
		}
		if mm.isFunction() {
			return t.call(mm, o, k)
		}
		o, reg = mm, -1
	}
	t.fail("loop in gettable")
	return Value{}
}

// setIndex stores o[k] = v.
func (t *Thread) setIndex(o, k, v Value, reg int) {
	if k.isLong() {
		t.vm.work(k.cost())
	}
	for range maxLoop {
		var mm Value
		if o.isTable() {
			h := o.table()
			if h.readOnly {
				t.fail(readOnly)
			}
			p := h.slot(k)
			if p == nil {
				p = t.insert(h, k) // even if a metamethod is called after all
			}
			if p.p == nil {
				mm = h.meta.event(evNewIndex)
			}
			if mm.p == nil {
				h.absent = 0
				*p = v
				return
			}
		} else if mm = t.vm.metamethod(o, evNewIndex); mm.p == nil {
			t.typeError("index", o, reg)
		}
		if mm.isFunction() {
			t.call(mm, o, k, v)
			return
		}
		o, reg = mm, -1
	}
	t.fail("loop in settable")
}

// setNew stores a pair at a place that holds nil or does not exist yet.
func (t *Thread) setNew(h *Table, p *Value, k, v Value) {
	h.absent = 0
	if p == nil {
		p = t.insert(h, k)
	}
	*p = v
}

// insert makes room for a key that has none.
func (t *Thread) insert(h *Table, k Value) *Value {
	switch {
	case k.p == nil:
		t.fail("table index is nil")
	case k.isNumber() && k.num() != k.num():
		t.fail("table index is NaN")
	}
	size := h.size()
	p := h.insert(k)
	t.vm.Charge(max(h.size()-size, 0))
	return p
}

// operation applies an arithmetic operator to values that are not both numbers.
// x and y are the registers of the operands, or -1.
func (t *Thread) operation(op compile.Op, a, b Value, x, y int) Value {
	m, okA := a.ToNumber()
	n, okB := b.ToNumber()
	e := evAdd + event((op-compile.Add)/3)
	if op == compile.Unm {
		e = evUnm
	}
	if okA && okB {
		return number(compute(e, m, n))
	}
	mm := t.vm.metamethod(a, e)
	if mm.p == nil {
		mm = t.vm.metamethod(b, e)
	}
	if mm.p == nil {
		if !okA {
			b, y = a, x
		}
		t.typeError("perform arithmetic on", b, y)
	}
	return t.call(mm, a, b)
}

func compute(e event, a, b float64) float64 {
	switch e {
	case evAdd:
		return lib.Add(a, b)
	case evSub:
		return lib.Sub(a, b)
	case evMul:
		return lib.Mul(a, b)
	case evDiv:
		return lib.Div(a, b)
	case evMod:
		return mod(a, b)
	case evPow:
		return pow(a, b)
	}
	return -a
}

func mod(a, b float64) float64 {
	r := a - float64(math.Floor(a/b)*b)
	if r != r {
		return lib.Mod(a, b)
	}
	return r
}

func pow(a, b float64) float64 {
	switch {
	case b == 2 && a == a:
		return a * a
	case b == 0.5 && a > 0:
		return math.Sqrt(a)
	}
	return lib.Pow(a, b)
}

// length is the operator #, which asks no metatable.
func (t *Thread) length(v Value, reg int) Value {
	switch {
	case v.isTable():
		return number(float64(v.table().Len()))
	case v.isString():
		return number(float64(v.n & lengthMask))
	}
	t.typeError("get length of", v, reg)
	return Value{}
}

// equal compares as == does.
func (t *Thread) equal(a, b Value) bool {
	if rawEqual(a, b) {
		return true
	}
	if !a.isTable() || !b.isTable() {
		return false
	}
	m, n := a.table().meta, b.table().meta
	mm := m.event(evEq)
	if mm.p == nil || m != n && !rawEqual(mm, n.event(evEq)) {
		return false
	}
	return t.call(mm, a, b).Truth()
}

// less compares as < does.
func (t *Thread) less(a, b Value) bool {
	switch {
	case a.isNumber() && b.isNumber():
		return a.num() < b.num()
	case a.isString() && b.isString():
		t.vm.work(min(a.cost(), b.cost()))
		return a.str() < b.str()
	}
	if v, ok := t.compareMeta(evLt, a, b); ok {
		return v
	}
	t.orderError(a, b)
	return false
}

// lessEqual compares as <= does.
func (t *Thread) lessEqual(a, b Value) bool {
	switch {
	case a.isNumber() && b.isNumber():
		return a.num() <= b.num()
	case a.isString() && b.isString():
		t.vm.work(min(a.cost(), b.cost()))
		return a.str() <= b.str()
	}
	if v, ok := t.compareMeta(evLe, a, b); ok {
		return v
	}
	if v, ok := t.compareMeta(evLt, b, a); ok {
		return !v
	}
	t.orderError(a, b)
	return false
}

// compareMeta asks a metamethod that both values share.
func (t *Thread) compareMeta(e event, a, b Value) (result, ok bool) {
	if a.Kind() != b.Kind() {
		return false, false
	}
	mm := t.vm.metamethod(a, e)
	if mm.p == nil || !rawEqual(mm, t.vm.metamethod(b, e)) {
		return false, false
	}
	return t.call(mm, a, b).Truth(), true
}

// maxString bounds what .. may build, as it bounds the library functions.
const maxString = 128 << 20

// concat joins the values in the registers from first to last.
func (t *Thread) concat(base, first, last int) Value {
	buf := t.vm.scratch[:0]
	if n := t.lengths(base+first, base+last+1); n > maxScratch {
		buf = make([]byte, 0, n)
	}
	total := 0
	for _, v := range t.stack[base+first : base+last+1] {
		switch {
		case v.isString():
			if total += int(v.n & lengthMask); total > maxString {
				panic(outOfMemory)
			}
			buf = append(buf, v.str()...)
		case v.isNumber():
			buf = lib.AppendNumber(buf, v.num())
		default:
			return t.concatMeta(base, first, last)
		}
	}
	t.vm.work(len(buf) >> 8)
	t.vm.Charge(stringSize + len(buf))
	if cap(buf) > maxScratch {
		return owned(buf)
	}
	t.vm.scratch = buf
	return String(string(buf))
}

// maxScratch is how long a string is joined in the buffer for short ones.
const maxScratch = 1 << 10

// lengths adds up the lengths of the strings on a part of the stack.
func (t *Thread) lengths(from, to int) int {
	n := 0
	for _, v := range t.stack[from:to] {
		if v.isString() {
			n += int(v.n & lengthMask)
		}
	}
	if n > maxString {
		panic(outOfMemory)
	}
	t.vm.room(n)
	return n
}

// concatMeta joins two by two from the right, asking __concat where it must.
func (t *Thread) concatMeta(base, first, last int) Value {
	acc := t.stack[base+last]
	for i := last - 1; i >= first; i-- {
		left := t.stack[base+i]
		s, okS := left.Text()
		r, okR := acc.Text()
		if okS && okR {
			if len(s)+len(r) > maxString {
				panic(outOfMemory)
			}
			t.vm.room(len(s) + len(r))
			acc = String(s + r)
			t.vm.Charge(stringSize + len(s) + len(r))
			continue
		}
		mm := t.vm.metamethod(left, evConcat)
		if mm.p == nil {
			mm = t.vm.metamethod(acc, evConcat)
		}
		if mm.p == nil {
			if okS {
				t.typeError("concatenate", acc, i+1)
			}
			t.typeError("concatenate", left, i)
		}
		acc = t.call(mm, left, acc)
	}
	return acc
}

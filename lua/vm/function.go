package vm

import "minikv/lua/compile"

// Native is a function written in Go. It reads its arguments from c, returns
// how many results it has, and has put those there through c.
type Native func(c Call) int

// Function is a function value: a native one, or a closure.
type Function struct {
	proto    *proto
	native   Native
	upvalues []*upvalue
	id       uint32
	round    uint32      // of the last count of memory
	store    [1]*upvalue // of a closure with one upvalue
	// coroutine is that of a function which coroutine.wrap made.
	coroutine *Thread
}

func (f *Function) identity() uint32 { return f.id }
func (t *Table) identity() uint32    { return t.id }

// proto is a compiled function made ready to run.
type proto struct {
	*compile.Function
	k      []Value
	hashes []uint32 // of the constants that are strings
	protos []*proto
	round  uint32 // of the last count of memory
}

func newProto(f *compile.Function) *proto {
	p := &proto{Function: f, k: make([]Value, len(f.Constants)), hashes: make([]uint32, len(f.Constants))}
	for i, k := range f.Constants {
		switch k.Kind {
		case compile.False:
			p.k[i] = False
		case compile.True:
			p.k[i] = True
		case compile.Number:
			p.k[i] = Number(k.Num)
		case compile.String:
			p.k[i], p.hashes[i] = String(k.Str), hashString(k.Str)
		}
	}
	for _, g := range f.Functions {
		p.protos = append(p.protos, newProto(g))
	}
	return p
}

// upvalue is a variable that closures share. While the function that declared
// it runs, p leads to its register; then to value.
type upvalue struct {
	p     *Value
	index int // on the stack, while it is open
	value Value
}

// capture returns the upvalue of a place on the stack.
func (t *Thread) capture(index int) *upvalue {
	i := len(t.open)
	for i > 0 && t.open[i-1].index >= index {
		if i--; t.open[i].index == index {
			return t.open[i]
		}
	}
	u := &upvalue{p: &t.stack[index], index: index}
	t.open = append(t.open, nil)
	copy(t.open[i+1:], t.open[i:])
	t.open[i] = u
	return u
}

// closeFrom closes all upvalues from a place on the stack up.
func (t *Thread) closeFrom(index int) {
	for i := len(t.open) - 1; i >= 0; i-- {
		u := t.open[i]
		if u.index < index {
			return
		}
		u.value = *u.p
		u.p = &u.value
		t.open[i] = nil
		t.open = t.open[:i]
	}
}

// closure makes a function of a proto.
func (t *Thread) closure(p *proto, outer *Function, base int) *Function {
	t.vm.ids++
	t.vm.Charge(functionSize + len(p.Upvalues)*upvalueSize)
	f := &Function{proto: p, id: t.vm.ids}
	switch n := len(p.Upvalues); n {
	case 0:
		return f
	case 1:
		f.upvalues = f.store[:]
	default:
		f.upvalues = make([]*upvalue, n)
	}
	for i := range p.Upvalues {
		if u := &p.Upvalues[i]; u.InStack {
			f.upvalues[i] = t.capture(base + u.Index)
		} else {
			f.upvalues[i] = outer.upvalues[u.Index]
		}
	}
	return f
}

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
	store    [1]*upvalue // upvalues of a closure with one
}

// keep gives a native function what it keeps alive, for memory to be counted.
func (f *Function) keep(v Value) {
	u := &upvalue{value: v}
	u.p = &u.value
	f.store[0] = u
	f.upvalues = f.store[:]
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
	joined bool   // its closures are made as joinedClosures
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
	p.joined = len(f.Upvalues) == 1 && f.Upvalues[0].InStack && p.small()
	return p
}

// small tells whether a function is so short that it does not matter how long
// it is kept.
func (p *proto) small() bool {
	if len(p.Functions) > 0 || len(p.Code) > 64 || len(p.Locals) > 64 {
		return false
	}
	size := 0
	for _, k := range p.Constants {
		size += valueSize + len(k.Str)
	}
	for _, l := range p.Locals {
		size += len(l.Name)
	}
	return size < 1<<10
}

// upvalue is a variable that closures share. While the function that declared
// it runs, p leads to its register; then to value.
type upvalue struct {
	p     *Value
	value Value
}

// openUpvalue is an upvalue whose variable is still on the stack, at index.
type openUpvalue struct {
	*upvalue
	index int
}

// joinedClosure is a closure with its only upvalue, made at once. Other closures
// may share the upvalue and then keep this one, which memory limits do not see:
// so it is for small functions only, and the upvalue is all that it leads to.
type joinedClosure struct {
	Function
	upvalue upvalue
}

// capture returns the upvalue of a place on the stack.
func (t *Thread) capture(index int) *upvalue {
	i, u := t.findOpen(index)
	if u == nil {
		u = &upvalue{}
		t.addOpen(i, u, index)
	}
	return u
}

// findOpen returns the open upvalue of a place on the stack, or nil and where
// among the open ones it belongs.
func (t *Thread) findOpen(index int) (i int, u *upvalue) {
	i = len(t.open)
	for i > 0 && t.open[i-1].index >= index {
		if i--; t.open[i].index == index {
			return i, t.open[i].upvalue
		}
	}
	return i, nil
}

// addOpen makes u the upvalue of a place on the stack.
func (t *Thread) addOpen(i int, u *upvalue, index int) {
	u.p = &t.stack[index]
	t.open = append(t.open, openUpvalue{u, index})
	if last := len(t.open) - 1; i < last {
		copy(t.open[i+1:], t.open[i:last])
		t.open[i] = openUpvalue{u, index}
	}
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
		t.open[i] = openUpvalue{}
		t.open = t.open[:i]
	}
}

// closure makes a function of a proto.
func (t *Thread) closure(p *proto, outer *Function, base int) *Function {
	t.vm.ids++
	t.vm.Charge(functionSize + len(p.Upvalues)*upvalueSize)
	if p.joined {
		index := base + p.Upvalues[0].Index
		if i, u := t.findOpen(index); u == nil {
			j := &joinedClosure{Function: Function{proto: p, id: t.vm.ids}}
			t.addOpen(i, &j.upvalue, index)
			j.store[0] = &j.upvalue
			j.upvalues = j.store[:]
			return &j.Function
		}
	}
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

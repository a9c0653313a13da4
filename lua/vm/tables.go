package vm

import (
	"minikv/lua/lib"
)

// Tables returns the library table.
func (vm *VM) Tables() map[string]Value {
	out := map[string]Value{}
	for name, f := range lib.Tables {
		out[name] = vm.Library(f)
	}
	out["insert"], out["remove"] = vm.Native(tableInsert), vm.Native(tableRemove)
	out["concat"], out["sort"] = vm.Native(tableConcat), vm.Native(tableSort)
	out["getn"] = vm.Native(func(c Call) int { return c.Return(number(float64(c.table(1).Len()))) })
	return out
}

func tableInsert(c Call) int {
	h := c.table(1)
	size := h.size()
	if c.n != 2 {
		c.work(1)
		n := c.library(lib.Tables["insert"])
		c.t.vm.Charge(max(h.size()-size, 0))
		return n
	}
	end := h.Len() + 1
	c.writable(1)
	if end <= len(h.array) {
		h.array[end-1] = c.Arg(2)
		return 0
	}
	h.setInt(end, c.Arg(2))
	c.t.vm.Charge(max(h.size()-size, 0))
	return 0
}

// work accounts for the elements of table i that may be moved.
func (c Call) work(i int) {
	if h, ok := c.Arg(i).Table(); ok {
		c.t.vm.work(len(h.array) >> 4)
	}
}

func tableRemove(c Call) int {
	if c.n != 1 {
		c.work(1)
		return c.library(lib.Tables["remove"])
	}
	h := c.table(1)
	n := h.Len()
	if n == 0 {
		return 0
	}
	c.writable(1)
	v := h.getInt(n)
	h.setInt(n, Value{})
	return c.Return(v)
}

func tableConcat(c Call) int {
	h, ok := c.Arg(1).Table()
	sep := c.Arg(2)
	if !ok || c.n > 2 || sep.p != nil && !sep.isString() {
		return c.library(lib.Tables["concat"])
	}
	sepText := ""
	if sep.isString() {
		sepText = sep.str()
	}
	n := h.Len()
	if n > len(h.array) {
		return c.library(lib.Tables["concat"])
	}
	total := 0
	for _, v := range h.array[:n] {
		if total += len(sepText); v.isString() {
			total += len(v.str())
		} else {
			total += 16
		}
		if !v.isString() && !v.isNumber() || total > maxString {
			return c.library(lib.Tables["concat"])
		}
	}
	vm := c.t.vm
	vm.room(total)
	b, polled := make([]byte, 0, total), 0
	for i, v := range h.array[:n] {
		if i&0xff == 0 || len(b)-polled > 1<<16 {
			vm.work(1<<6 + (len(b)-polled)>>8)
			polled = len(b)
		}
		if i > 0 {
			b = append(b, sepText...)
		}
		if v.isString() {
			b = append(b, v.str()...)
		} else {
			b = lib.AppendNumber(b, v.num())
		}
	}
	vm.Charge(stringSize + total)
	return c.Return(owned(b))
}

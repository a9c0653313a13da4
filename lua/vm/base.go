package vm

import (
	"fmt"
	"strconv"
	"strings"

	"minikv/lua/compile"
	"minikv/lua/lib"
)

// Base returns the global functions.
func (vm *VM) Base() map[string]Value {
	out := map[string]Value{}
	for name, f := range lib.Bases {
		out[name] = vm.Library(f)
	}
	for name, f := range map[string]Native{
		"next": baseNext, "getmetatable": baseGetMetatable, "setmetatable": baseSetMetatable,
		"pcall": pcall, "xpcall": xpcall, "loadstring": baseLoadString, "load": baseLoad,
		"type": baseType, "tostring": baseToString, "tonumber": baseToNumber, "rawget": baseRawGet,
		"rawset": baseRawSet, "rawequal": baseRawEqual, "select": baseSelect, "unpack": baseUnpack, "error": baseError,
	} {
		out[name] = vm.Native(f)
	}
	vm.next = out["next"].function()
	step := vm.Native(ipairsStep)
	out["pairs"] = vm.Native(func(c Call) int {
		c.table(1)
		return c.Return3(out["next"], c.Arg(1), Value{})
	})
	out["ipairs"] = vm.Native(func(c Call) int {
		c.table(1)
		return c.Return3(step, c.Arg(1), number(0))
	})
	return out
}

// table returns argument i, a table.
func (c Call) table(i int) *Table {
	if i > c.n || !c.t.stack[c.at+i].isTable() {
		c.typeError(i, "table")
	}
	return c.t.stack[c.at+i].table()
}

// writable returns argument i, a table that scripts may change.
func (c Call) writable(i int) *Table {
	t := c.table(i)
	if t.readOnly {
		c.t.throw(readOnly)
	}
	return t
}

// any checks that argument i is there.
func (c Call) any(i int) Value {
	if i > c.n {
		c.argError(i, "value expected")
	}
	return c.t.stack[c.at+i]
}

// integer returns argument i truncated to 32 bits.
func (c Call) integer(i int) int {
	v := c.Arg(i)
	n, ok := v.ToNumber()
	if !ok {
		c.typeError(i, "number")
	}
	return int(int32(lib.ToInt64(n)))
}

// text returns argument i, a string or a number, as a string.
func (c Call) text(i int) string {
	v := c.Arg(i)
	if v.isString() {
		return v.str()
	}
	s, ok := v.Text()
	if !ok {
		c.typeError(i, "string")
	}
	return s
}

func baseNext(c Call) int {
	h := c.table(1)
	place := h.place(c.Arg(2))
	if place < 0 {
		c.t.fail("invalid key to 'next'")
	}
	k, v, next := h.after(place)
	c.t.vm.steps -= (next - place) >> 4
	if k.p == nil {
		return c.Return(Value{})
	}
	return c.Return2(k, v)
}

func ipairsStep(c Call) int {
	i := c.integer(2) + 1
	v := c.table(1).getInt(i)
	if v.p == nil {
		return c.Return(Value{})
	}
	return c.Return2(number(float64(i)), v)
}

func baseType(c Call) int { return c.Return(kindNames[c.any(1).Kind()]) }

var kindNames = func() (out [9]Value) {
	for k := range out {
		out[k] = String(lib.Kind(k).String())
	}
	return out
}()

func baseToString(c Call) int {
	v := c.any(1)
	if v.isString() {
		return c.Return(v)
	}
	if mm := c.t.vm.metamethod(v, evToString); mm.p != nil {
		return c.Return(c.t.call(mm, v)) // whatever that is
	}
	c.t.vm.Charge(stringSize + 16)
	return c.Return(String(v.describe()))
}

// describe writes a value as tostring does if there is no metamethod.
func (v Value) describe() string {
	switch v.Kind() {
	case lib.String:
		return v.str()
	case lib.Number:
		return lib.FormatNumber(v.num())
	case lib.Nil:
		return "nil"
	case lib.Boolean:
		return strconv.FormatBool(v.Truth())
	case lib.Table:
		return address("table", v.table().identity())
	case lib.Closure:
		return address("function", v.function().identity())
	case lib.Thread:
		return address("thread", v.thread().identity())
	}
	return "userdata: (nil)"
}

// address writes what stands for an object's address: made of its number, so
// that a script writes the same in every run.
func address(kind string, id uint32) string {
	return fmt.Sprintf("%s: 0x%012x", kind, addressOf(id))
}

func addressOf(id uint32) uint64 { return 0x7f0000000000 + uint64(id)<<5 }

func baseToNumber(c Call) int {
	if c.n == 1 || c.n > 1 && c.Arg(2).p == nil {
		v := c.Arg(1)
		if v.isNumber() {
			return c.Return(v)
		}
		if n, ok := v.ToNumber(); ok {
			return c.Return(Number(n))
		}
		return c.Return(Value{})
	}
	return c.library(lib.Bases["tonumber"])
}

func baseRawGet(c Call) int {
	h := c.table(1)
	return c.Return(h.get(c.any(2)))
}

func baseRawSet(c Call) int {
	h := c.table(1)
	k, v := c.any(2), c.any(3)
	c.writable(1)
	c.t.setNew(h, h.slot(k), k, v)
	return c.Return(c.Arg(1))
}

func baseRawEqual(c Call) int { return c.Return(Bool(rawEqual(c.any(1), c.any(2)))) }

func baseSelect(c Call) int {
	if v := c.Arg(1); !v.isNumber() || v.num() < 1 || v.num() != float64(int32(v.num())) {
		return c.library(lib.Bases["select"])
	}
	i := int(c.Arg(1).num())
	if i >= c.n {
		return 0
	}
	copy(c.t.stack[c.at:], c.t.stack[c.at+1+i:c.at+1+c.n])
	return c.n - i
}

// maxSlots is how many values a function may put on the stack at once.
const maxSlots = 8000

func baseUnpack(c Call) int {
	h := c.table(1)
	i, e := 1, 0
	if c.n >= 2 && c.Arg(2).p != nil {
		i = c.integer(2)
	}
	if c.n >= 3 && c.Arg(3).p != nil {
		e = c.integer(3)
	} else {
		e = h.Len()
	}
	if i > e {
		return 0
	}
	n := e - i + 1
	if n >= maxSlots-c.n {
		c.t.throw(c.t.where(1) + "too many results to unpack")
	}
	c.t.reach(c.at + n)
	for j := range n {
		c.t.stack[c.at+j] = h.getInt(i + j)
	}
	return n
}

func baseError(c Call) int {
	level := 1
	if c.n >= 2 && c.Arg(2).p != nil {
		level = c.integer(2)
	}
	v := c.Arg(1)
	if s, ok := v.Text(); ok && level > 0 {
		v = String(c.t.where(level) + s)
	}
	c.t.thrown = v
	return failed
}

func baseGetMetatable(c Call) int {
	v := c.any(1)
	var mt *Table
	switch {
	case v.isTable():
		mt = v.table().meta
	case v.isString():
		mt = c.t.vm.stringMeta
	}
	if mt == nil {
		return c.Return(Value{})
	}
	if p := mt.event(evMetatable); p.p != nil {
		return c.Return(p)
	}
	return c.Return(TableValue(mt))
}

func baseSetMetatable(c Call) int {
	h := c.table(1)
	mt := c.Arg(2)
	if c.n < 2 || mt.p != nil && !mt.isTable() {
		c.argError(2, "nil or table expected")
	}
	if h.meta.event(evMetatable).p != nil {
		c.t.throw(c.t.where(1) + "cannot change a protected metatable")
	}
	c.writable(1)
	h.meta = nil
	if mt.isTable() {
		h.meta = mt.table()
	}
	return c.Return(c.Arg(1))
}

func baseLoadString(c Call) int {
	s := c.text(1)
	return c.load(s, c.chunkName(s))
}

// chunkName returns argument 2, or a name if it is missing.
func (c Call) chunkName(otherwise string) string {
	if c.Arg(2).p == nil {
		return otherwise
	}
	return c.text(2)
}

// maxChunk bounds the source that load collects.
const maxChunk = 64 << 20

// DIFFERS: load returns the error of its reader as it was thrown; where no pcall is around, Redis returns a table with the text in its err field, and within xpcall what the handler makes of it.
func baseLoad(c Call) int {
	t, at := c.t, c.at
	name := c.chunkName("=(load)") // looked at first, as in Lua 5.1
	f := c.Arg(1)
	if !f.isFunction() {
		c.typeError(1, "function")
	}
	var b strings.Builder
	ends := 0 // Lua 5.1 looks whether there is anything, and then begins: it asks twice before it takes a chunk for empty
	for {
		t.vm.work(1)
		depth, nested := t.depth, t.vm.nested
		top := t.frames[t.depth].top
		t.reach(top + 1)
		t.stack[top] = f
		n, caught, e := t.protect(top, 0)
		if caught {
			t.unwind(depth, nested, at+1)
			return c.Return2(Value{}, e)
		}
		v := t.stack[top]
		s, ok := "", true
		if n > 0 && v.p != nil {
			s, ok = v.Text()
		}
		if !ok {
			return c.Return2(Value{}, String(t.where(1)+"reader function must return a string"))
		}
		t.vm.room(b.Len())
		if b.Len() > maxChunk {
			panic(outOfMemory)
		}
		if s == "" {
			if ends++; b.Len() > 0 || ends == 2 {
				return c.load(b.String(), name)
			}
		}
		b.WriteString(s)
	}
}

// load compiles a chunk and returns its function, or nil and why not.
func (c Call) load(source, name string) int {
	vm := c.t.vm
	vm.Charge(4 * len(source)) // about what the code takes
	name, _, _ = strings.Cut(name, "\x00")
	f, err := compile.Nested(source, chunkID(name, 60), name, vm.nested, vm.work)
	if err != nil {
		text := chunkID(name, 80) + strings.TrimPrefix(err.Error(), chunkID(name, 60))
		return c.Return2(Value{}, String(text))
	}
	return c.Return(functionValue(c.t.closure(c.t.vm.newProto(f), nil, 0)))
}

// chunkID is the name a chunk has in messages: a name given with = or @, else
// the beginning of its first line. size bounds the whole name.
func chunkID(name string, size int) string {
	switch {
	case strings.HasPrefix(name, "="):
		return name[1:min(len(name), size)]
	case strings.HasPrefix(name, "@"):
		name = name[1:]
		if most := size - 8; len(name) > most {
			name = "..." + name[len(name)-most:]
		}
		return name
	}
	line, room := name, size-17
	if i := strings.IndexAny(line, "\r\n"); i >= 0 {
		line = line[:i]
	}
	cut := len(line) > room
	if cut {
		line = line[:room]
	}
	if cut || len(line) < len(name) {
		line += "..."
	}
	return `[string "` + line + `"]`
}

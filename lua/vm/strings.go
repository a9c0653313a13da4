package vm

import (
	"minikv/lua/lib"
)

// Strings returns the library string. The functions that scripts call most do
// without the detour over lib.Call; where they cannot go on, they take it.
func (vm *VM) Strings() map[string]Value {
	out := map[string]Value{}
	for name, f := range lib.Strings {
		out[name] = vm.Library(f)
	}
	out["byte"], out["sub"] = vm.Native(stringByte), vm.Native(stringSub)
	out["len"], out["dump"] = vm.Native(stringLen), vm.Native(stringDump)
	return out
}

// small returns argument i if it is a number that fits an index.
func (c Call) small(i int) (int, bool) {
	if i > c.n {
		return 0, false
	}
	v := c.t.stack[c.at+i]
	if !v.isNumber() || !(v.num() > -1<<40 && v.num() < 1<<40) {
		return 0, false
	}
	return int(v.num()), true
}

func stringByte(c Call) int {
	if c.n >= 1 && c.n <= 2 {
		s, i, ok := c.t.stack[c.at+1], 1, true
		if c.n == 2 {
			i, ok = c.small(2)
		}
		if ok && s.isString() {
			text := s.str()
			if i < 0 {
				i += len(text) + 1
			}
			if i >= 1 && i <= len(text) {
				return c.Return(number(float64(text[i-1])))
			}
		}
	}
	return c.library(lib.Strings["byte"])
}

func stringSub(c Call) int {
	i, okI := c.small(2)
	j, okJ := -1, c.n == 2
	if c.n >= 3 {
		j, okJ = c.small(3)
	}
	if !okI || !okJ || !c.t.stack[c.at+1].isString() {
		return c.library(lib.Strings["sub"])
	}
	s := c.t.stack[c.at+1].str()
	if i < 0 {
		i += len(s) + 1
	}
	if j < 0 {
		j += len(s) + 1
	}
	if i, j = max(i, 1), min(j, len(s)); i > j {
		return c.Return(String(""))
	}
	return c.Return(String(s[i-1 : j]))
}

func stringLen(c Call) int {
	return c.Return(number(float64(len(c.text(1)))))
}

// stringDump is string.dump. Redis, too, can load no such chunk again.
//
// DIFFERS: string.dump returns only the header of a compiled chunk.
func stringDump(c Call) int {
	f := c.Arg(1)
	if !f.isFunction() {
		c.typeError(1, "function")
	}
	if f.function().native != nil {
		c.t.throw(c.t.where(1) + "unable to dump given function")
	}
	return c.Return(String("\x1bLuaQ\x00\x01\x04\x08\x04\x08\x00"))
}

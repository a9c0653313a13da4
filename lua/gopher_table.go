package lua

import (
	"math"

	gl "github.com/yuin/gopher-lua"

	"minikv/lua/lib"
)

// A table's keys come in the order in which they were added.
//
// DIFFERS: pairs, cjson.encode and cmsgpack.pack go through the keys of a table in another order than Redis, that of their insertion.
//
// DIFFERS: The length of a table with holes may be another one of its borders than in Redis.

// table is a gopher-lua table seen as a lib.Map. The conversion is free: it is
// the same pointer under another name.
//
// A value inside of a table needs no machine to be converted, except for null
// and the proxies of library tables, which are told by their own marks.
type table gl.LTable

func (t *table) lua() *gl.LTable { return (*gl.LTable)(t) }

func (t *table) Get(key lib.Value) lib.Value { return fromLua(t.lua().RawGet(toLua(key))) }
func (t *table) Set(key, v lib.Value)        { rawSet(t.lua(), toLua(key), toLua(v)) }

func (t *table) Index(i int) lib.Value { return fromLua(rawIndex(t.lua(), i)) }

func (t *table) SetIndex(i int, v lib.Value) { rawSet(t.lua(), gl.LNumber(i), toLua(v)) }

func (t *table) Len() int { return t.lua().Len() }

func (t *table) Next(key lib.Value) (k, v lib.Value, more bool) {
	lk, lv := t.lua().Next(toLua(key))
	if lk == gl.LNil {
		return k, v, false
	}
	return fromLua(lk), fromLua(lv), true
}

func (t *table) Insert(i int, v lib.Value) { t.lua().Insert(i, toLua(v)) }

// Remove takes element i out; the table shrinks at its end, so that popping
// elements one after the other does not get slower.
func (t *table) Remove(i int) { t.lua().Remove(i) }

// rawIndex reads t[i] for any integer.
func rawIndex(t *gl.LTable, i int) gl.LValue {
	if i < 1 || i >= gl.MaxArrayIndex {
		return t.RawGetH(gl.LNumber(i))
	}
	return t.RawGetInt(i)
}

// rawSet stores a pair. Removing what is not there makes no room for it, which
// gopher-lua would: t[50000000] = nil.
func rawSet(t *gl.LTable, k, v gl.LValue) {
	if v == gl.LNil && t.RawGet(k) == gl.LNil {
		return
	}
	t.RawSet(k, v)
}

// badKey tells why a value cannot be a key, if it cannot.
func badKey(k gl.LValue) string {
	if k == gl.LNil {
		return "table index is nil"
	}
	if n, ok := k.(gl.LNumber); ok && math.IsNaN(float64(n)) {
		return "table index is NaN"
	}
	return ""
}

// nullValue is the only userdata of scripts: cjson.null.
type nullValue struct{}

// fromLua converts a value for a library function.
func fromLua(v gl.LValue) lib.Value {
	switch v := v.(type) {
	case gl.LString:
		return lib.Value{Kind: lib.String, Str: string(v)}
	case gl.LNumber:
		return lib.Value{Kind: lib.Number, Num: float64(v)}
	case gl.LBool:
		return lib.Bool(bool(v))
	case *gl.LTable:
		return lib.Value{Kind: lib.Table, Ref: (*table)(v)}
	case *gl.LFunction:
		return lib.Value{Kind: lib.Closure, Ref: v}
	case *gl.LUserData:
		return lib.Value{Kind: lib.LightUserdata, Ref: v}
	case *gl.LState:
		return lib.Value{Kind: lib.Thread, Ref: v}
	}
	return lib.Value{}
}

// toLua converts a value that a library function made or passed on.
func toLua(v lib.Value) gl.LValue {
	switch v.Kind {
	case lib.String:
		return gl.LString(v.Str)
	case lib.Number:
		return gl.LNumber(v.Num)
	case lib.Boolean:
		return gl.LBool(v.Num != 0)
	case lib.Table:
		return (*gl.LTable)(v.Ref.(*table))
	case lib.Closure, lib.LightUserdata, lib.Userdata, lib.Thread:
		return v.Ref.(gl.LValue)
	}
	return gl.LNil
}

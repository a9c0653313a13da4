package lib

import (
	"encoding/binary"
	"math"
)

// Packs is the library cmsgpack.
var Packs = map[string]Function{
	"pack":         packAll,
	"unpack":       func(c *Call) { unpackSome(c, 0, 0) },
	"unpack_one":   func(c *Call) { unpackSome(c, 1, c.OptInteger(2, 0)) },
	"unpack_limit": func(c *Call) { unpackSome(c, c.Integer(2), c.OptInteger(3, 0)) },
}

// maxPackDepth is how deep tables are packed; what is deeper becomes nil.
const maxPackDepth = 16

func packAll(c *Call) {
	if c.N() == 0 {
		c.ArgError(0, "MessagePack pack needs input.")
	}
	p := packer{c: c}
	for _, v := range c.Args {
		p.value(v, 0)
	}
	c.PushString(string(p.b))
}

type packer struct {
	c *Call
	b []byte
}

func (p *packer) value(v Value, depth int) {
	p.c.Work(1)
	p.c.bound(len(p.b) + len(v.Str))
	switch v.Kind {
	case String:
		p.head(len(v.Str), 0xa0, 32, 0xd9)
		p.b = append(p.b, v.Str...)
	case Boolean:
		if v.Truth() {
			p.b = append(p.b, 0xc3)
		} else {
			p.b = append(p.b, 0xc2)
		}
	case Number:
		p.number(v.Num)
	case Table:
		if depth == maxPackDepth {
			p.b = append(p.b, 0xc0)
			return
		}
		p.table(v.Map(), depth)
	default:
		p.b = append(p.b, 0xc0)
	}
}

// head writes the length of a string, array or map: in the first byte if it is
// below small, else in 1 (strings only), 2 or 4 bytes after it.
func (p *packer) head(n int, base byte, small int, first byte) {
	isString := base == 0xa0
	switch {
	case n < small:
		p.b = append(p.b, base|byte(n))
	case isString && n <= 0xff:
		p.b = append(p.b, first, byte(n))
	case n <= 0xffff:
		if isString {
			first++
		}
		p.b = binary.BigEndian.AppendUint16(append(p.b, first), uint16(n))
	default:
		if isString {
			first++
		}
		p.b = binary.BigEndian.AppendUint32(append(p.b, first+1), uint32(n))
	}
}

func (p *packer) number(n float64) {
	be := binary.BigEndian
	if i := ToInt64(n); float64(i) == n && n < 0x1p63 {
		switch {
		case i >= 0 && i <= 0x7f, i < 0 && i >= -32:
			p.b = append(p.b, byte(i))
		case i >= 0 && i <= 0xff:
			p.b = append(p.b, 0xcc, byte(i))
		case i >= 0 && i <= 0xffff:
			p.b = be.AppendUint16(append(p.b, 0xcd), uint16(i))
		case i >= 0 && i <= 0xffffffff:
			p.b = be.AppendUint32(append(p.b, 0xce), uint32(i))
		case i >= 0:
			p.b = be.AppendUint64(append(p.b, 0xcf), uint64(i))
		case i >= math.MinInt8:
			p.b = append(p.b, 0xd0, byte(i))
		case i >= math.MinInt16:
			p.b = be.AppendUint16(append(p.b, 0xd1), uint16(i))
		case i >= math.MinInt32:
			p.b = be.AppendUint32(append(p.b, 0xd2), uint32(i))
		default:
			p.b = be.AppendUint64(append(p.b, 0xd3), uint64(i))
		}
		return
	}
	if f := float32(n); float64(f) == n {
		p.b = be.AppendUint32(append(p.b, 0xca), math.Float32bits(f))
		return
	}
	p.b = be.AppendUint64(append(p.b, 0xcb), math.Float64bits(n))
}

// table packs a table whose keys are exactly 1 to n as an array, any other as
// a map.
func (p *packer) table(t Map, depth int) {
	pairs, highest, array := 0, 0.0, true
	for k, _, more := t.Next(Value{}); more; k, _, more = t.Next(k) {
		pairs++
		if k.Kind != Number || k.Num <= 0 || k.Num != math.Floor(k.Num) {
			array = false
		}
		highest = max(highest, k.Num)
	}
	if array && int64(highest) == int64(pairs) {
		p.head(pairs, 0x90, 16, 0xdc)
		for i := 1; i <= pairs; i++ {
			p.value(t.Index(i), depth+1)
		}
		return
	}
	p.head(pairs, 0x80, 16, 0xde)
	for k, v, more := t.Next(Value{}); more; k, v, more = t.Next(k) {
		p.value(k, depth+1)
		p.value(v, depth+1)
	}
}

// unpackSome reads up to limit values from offset on, or all if both are 0. It
// returns them after the offset of the next, unless it was asked for all.
func unpackSome(c *Call, limit, offset int64) {
	s := c.String(1)
	switch {
	case limit < 0 || offset < 0:
		c.Errorf("Invalid request to unpack with offset of %d and limit of %d.", int32(offset), len(s))
	case offset > int64(len(s)):
		c.Errorf("Start offset %d greater than input length %d.", int32(offset), len(s))
	}
	all := limit == 0 && offset == 0
	if limit == 0 && all {
		limit = math.MaxInt64
	}
	u := unpacker{c: c, in: s[offset:]}
	if !all {
		c.Push(Value{})
	}
	for n := int64(0); n < limit && u.in != ""; n++ {
		if n >= int64(maxSlots-c.N()) {
			c.Errorf("stack overflow (too many return values at once; use unpack_one or unpack_limit instead.)")
		}
		c.Push(u.value(0))
	}
	if !all {
		next := -1
		if u.in != "" {
			next = len(s) - len(u.in)
		}
		c.Results[0] = Num(float64(next))
	}
}

type unpacker struct {
	c  *Call
	in string
}

// maxUnpackDepth is what Redis's stack has room for.
const maxUnpackDepth = 3990

func (u *unpacker) take(n int) string {
	if n > len(u.in) {
		u.c.Errorf("Missing bytes in input.")
	}
	s := u.in[:n]
	u.c.Charge(n)
	u.in = u.in[n:]
	return s
}

// uint takes a big-endian integer.
func (u *unpacker) uint(size int) uint64 {
	var v uint64
	s := u.take(size)
	for i := range size {
		v = v<<8 | uint64(s[i])
	}
	return v
}

func (u *unpacker) value(depth int) Value {
	u.c.Work(1)
	switch h := u.take(1)[0]; {
	case h <= 0x7f, h >= 0xe0:
		return Num(float64(int8(h)))
	case h <= 0x8f:
		return u.pairs(int(h&15), depth)
	case h <= 0x9f:
		return u.array(int(h&15), depth)
	case h <= 0xbf:
		return Str(u.take(int(h & 31)))
	default:
		return u.sized(h, depth)
	}
}

func (u *unpacker) sized(h byte, depth int) Value {
	switch h {
	case 0xc0:
		return Value{}
	case 0xc2, 0xc3:
		return Bool(h == 0xc3)
	case 0xca:
		return Num(float64(math.Float32frombits(uint32(u.uint(4)))))
	case 0xcb:
		return Num(math.Float64frombits(u.uint(8)))
	case 0xcc, 0xcd, 0xce, 0xcf:
		return Num(float64(int64(u.uint(1 << (h - 0xcc)))))
	case 0xd0:
		return Num(float64(int8(u.uint(1))))
	case 0xd1:
		return Num(float64(int16(u.uint(2))))
	case 0xd2:
		return Num(float64(int32(u.uint(4))))
	case 0xd3:
		return Num(float64(int64(u.uint(8))))
	case 0xd9, 0xda, 0xdb:
		return Str(u.take(int(u.uint(1 << (h - 0xd9)))))
	case 0xdc, 0xdd:
		return u.array(int(u.uint(2<<(h-0xdc))), depth)
	case 0xde, 0xdf:
		return u.pairs(int(u.uint(2<<(h-0xde))), depth)
	}
	u.c.Errorf("Bad data format in input.")
	return Value{}
}

// array takes n values. What is not there is missed before room is made for it.
func (u *unpacker) array(n, depth int) Value {
	if depth >= maxUnpackDepth {
		u.c.Errorf("stack overflow (in function mp_decode_to_lua_array)")
	}
	v := u.c.NewTable(min(n, len(u.in)), 0)
	t := v.Map()
	for i := 1; i <= n; i++ {
		t.SetIndex(i, u.value(depth+1))
	}
	return v
}

func (u *unpacker) pairs(n, depth int) Value {
	if depth >= maxUnpackDepth {
		u.c.Errorf("stack overflow (in function mp_decode_to_lua_hash)")
	}
	v := u.c.NewTable(0, min(n, len(u.in)/2))
	t := v.Map()
	for range n {
		k := u.value(depth + 1)
		x := u.value(depth + 1)
		u.c.CheckKey(k)
		t.Set(k, x)
	}
	return v
}

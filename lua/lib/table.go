package lib

import "strings"

// Tables is the library table.
var Tables = map[string]Function{
	"concat":   tableConcat,
	"foreach":  tableForeach,
	"foreachi": tableForeachI,
	"getn":     func(c *Call) { c.PushNumber(float64(c.Table(1).Len())) },
	"insert":   tableInsert,
	"maxn":     tableMaxN,
	"remove":   tableRemove,
	"setn":     tableSetN,
	"sort":     tableSort,
}

func tableConcat(c *Call) {
	sep := c.OptString(2, "")
	t := c.Table(1)
	i, last := c.OptInt(3, 1), 0
	if c.Missing(4) {
		last = t.Len()
	} else {
		last = c.Int(4)
	}
	var b strings.Builder
	var num [32]byte
	for first := i; i <= last; i++ {
		v := t.Index(i)
		c.Work(1 + len(v.Str)>>8)
		c.bound(b.Len() + len(sep) + len(v.Str))
		if i > first {
			b.WriteString(sep)
		}
		switch v.Kind {
		case String:
			b.WriteString(v.Str)
		case Number:
			b.Write(AppendNumber(num[:0], v.Num))
		default:
			c.Errorf("invalid value (%s) at index %d in table for 'concat'", v.Kind, i)
		}
	}
	c.PushString(b.String())
}

// MaxString bounds the strings that a library function or .. may build.
//
// DIFFERS: A string that one call of a library function, or one .., builds may have at most 128 MB; beyond it raises "not enough memory".
const MaxString = 128 << 20

// bound refuses a string that gets too long.
func (c *Call) bound(n int) {
	c.Room(n)
	if n > MaxString {
		c.Throw(Str("not enough memory"))
	}
}

func tableForeach(c *Call) {
	t, f := c.Table(1), c.Func(2)
	for k, v, more := t.Next(Value{}); more; k, v, more = t.Next(k) {
		if r := c.First(f, k, v); r.Kind != Nil {
			c.Push(r)
			return
		}
	}
}

func tableForeachI(c *Call) {
	t := c.Table(1)
	n, f := t.Len(), c.Func(2)
	for i := 1; i <= n; i++ {
		if r := c.First(f, Num(float64(i)), t.Index(i)); r.Kind != Nil {
			c.Push(r)
			return
		}
	}
}

func tableInsert(c *Call) {
	t := c.Table(1)
	end := t.Len() + 1
	switch c.N() {
	case 2:
		c.Writable(1)
		t.SetIndex(end, c.Arg(2))
	case 3:
		pos := c.Int(2)
		c.Writable(1)
		switch {
		case pos >= end:
			t.SetIndex(pos, c.Arg(3))
		case pos >= 1:
			t.Insert(pos, c.Arg(3))
		default:
			for i := end; i > pos; i-- {
				c.Work(1)
				t.SetIndex(i, t.Index(i-1))
			}
			t.SetIndex(pos, c.Arg(3))
		}
	default:
		c.Errorf("wrong number of arguments to 'insert'")
	}
}

func tableRemove(c *Call) {
	t := c.Table(1)
	end := t.Len()
	pos := c.OptInt(2, end)
	if pos < 1 || pos > end {
		return
	}
	c.Writable(1)
	c.Push(t.Index(pos))
	t.Remove(pos)
}

func tableMaxN(c *Call) {
	t, highest := c.Table(1), 0.0
	for k, _, more := t.Next(Value{}); more; k, _, more = t.Next(k) {
		c.Work(1)
		if k.Kind == Number {
			highest = max(highest, k.Num)
		}
	}
	c.PushNumber(highest)
}

func tableSetN(c *Call) {
	c.Table(1)
	c.Errorf("'setn' is obsolete")
}

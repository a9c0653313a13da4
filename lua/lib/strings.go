package lib

import "strings"

// Strings is the library string, without dump.
var Strings = map[string]Function{
	"byte":    stringByte,
	"char":    stringChar,
	"find":    func(c *Call) { findOrMatch(c, true) },
	"format":  stringFormat,
	"gfind":   stringGMatch,
	"gmatch":  stringGMatch,
	"gsub":    stringGSub,
	"len":     func(c *Call) { c.PushNumber(float64(len(c.String(1)))) },
	"lower":   func(c *Call) { c.PushString(c.mapBytes(c.String(1), 'A', 'Z')) },
	"match":   func(c *Call) { findOrMatch(c, false) },
	"rep":     stringRep,
	"reverse": stringReverse,
	"sub":     stringSub,
	"upper":   func(c *Call) { c.PushString(c.mapBytes(c.String(1), 'a', 'z')) },
}

// fromEnd resolves an index that may count from the end of n bytes.
func fromEnd(i int64, n int) int64 {
	if i < 0 {
		i += int64(n) + 1
	}
	return max(i, 0)
}

func stringByte(c *Call) {
	s := c.String(1)
	i := fromEnd(c.OptInteger(2, 1), len(s))
	e := fromEnd(c.OptInteger(3, i), len(s))
	i, e = max(i, 1), min(e, int64(len(s)))
	if e-i >= int64(maxSlots-c.N()) {
		c.Errorf("stack overflow (string slice too long)")
	}
	for ; i <= e; i++ {
		c.PushNumber(float64(s[i-1]))
	}
}

func stringChar(c *Call) {
	b := make([]byte, c.N())
	for i := range b {
		n := c.Int(i + 1)
		if n != int(byte(n)) {
			c.ArgError(i+1, "invalid value")
		}
		b[i] = byte(n)
	}
	c.PushString(string(b))
}

func stringRep(c *Call) {
	s, n := c.String(1), c.Int(2)
	if n <= 0 || s == "" {
		c.PushString("")
		return
	}
	if n > MaxString/len(s) {
		c.bound(MaxString + 1)
	}
	c.bound(n * len(s))
	c.PushString(c.repeat(s, n))
}

// lot is how many bytes are gone through between two calls of Work.
const lot = 1 << 16

// passed accounts for byte i of a long string.
func (c *Call) passed(i int) {
	if i%lot == lot-1 {
		c.Work(lot >> 4)
	}
}

// repeat is strings.Repeat in lots.
func (c *Call) repeat(s string, n int) string {
	total := n * len(s)
	if total <= lot {
		return strings.Repeat(s, n)
	}
	c.Work(total >> 12) // to get the memory
	var b strings.Builder
	b.Grow(total)
	piece := s
	if len(s) < lot {
		piece = strings.Repeat(s, lot/len(s))
	}
	for b.Len() < total {
		c.Work(lot >> 8)
		at := b.Len() % len(piece)
		b.WriteString(piece[at:min(at+lot, len(piece), at+total-b.Len())])
	}
	return b.String()
}

func stringReverse(c *Call) {
	s := c.String(1)
	c.Room(len(s))
	b := make([]byte, len(s))
	for i := range len(s) {
		c.passed(i)
		b[len(s)-1-i] = s[i]
	}
	c.PushString(string(b))
}

func stringSub(c *Call) {
	s := c.String(1)
	i := fromEnd(c.Integer(2), len(s))
	e := fromEnd(c.OptInteger(3, -1), len(s))
	i, e = max(i, 1), min(e, int64(len(s)))
	if i > e {
		c.PushString("")
		return
	}
	c.PushString(s[i-1 : e])
}

// mapBytes changes the case of the letters from lo to hi, and of no others.
func (c *Call) mapBytes(s string, lo, hi byte) string {
	c.Room(len(s))
	b := []byte(s)
	for i, x := range b {
		c.passed(i)
		if x >= lo && x <= hi {
			b[i] = x ^ ' '
		}
	}
	return string(b)
}

func findOrMatch(c *Call, find bool) {
	src, pat := c.String(1), c.String(2)
	start := int(min(max(fromEnd(c.OptInteger(3, 1), len(src))-1, 0), int64(len(src))))
	if find && (c.Arg(4).Truth() || !strings.ContainsAny(untilNUL(pat), "^$*+?.([%-")) {
		if i := c.index(src[start:], pat); i >= 0 {
			c.PushNumber(float64(start + i + 1))
			c.PushNumber(float64(start + i + len(pat)))
			return
		}
		c.Push(Value{})
		return
	}
	m := newMatcher(c, src, pat, true)
	s, e := m.find(start)
	if s < 0 {
		c.Push(Value{})
		return
	}
	if find {
		c.PushNumber(float64(s + 1))
		c.PushNumber(float64(e))
	}
	c.Results = m.appendCaptures(c.Results, s, e, !find)
}

// index is strings.Index in lots.
func (c *Call) index(s, part string) int {
	at, size := 0, max(lot, 2*len(part))
	for len(s)-at > size {
		if i := strings.Index(s[at:at+size], part); i >= 0 {
			return at + i
		}
		c.Work(size >> 4)
		at += size - len(part) + 1
	}
	if i := strings.Index(s[at:], part); i >= 0 {
		return at + i
	}
	return -1
}

// stringGMatch returns an iterator over the matches.
func stringGMatch(c *Call) {
	m := newMatcher(c, c.String(1), c.String(2), false)
	next := 0
	c.Push(c.NewFunction(func(c *Call) {
		m.c = c
		if next > len(m.src) {
			return
		}
		s, e := m.find(next)
		if s < 0 {
			next = len(m.src) + 1
			return
		}
		next = e
		if e == s {
			next++
		}
		c.Results = m.appendCaptures(c.Results, s, e, true)
	}))
}

func stringGSub(c *Call) {
	src, pat := c.String(1), c.String(2)
	repl := c.Arg(3)
	limit := c.OptInt(4, len(src)+1)
	switch repl.Kind {
	case Number:
		repl = Str(FormatNumber(repl.Num))
	case String, Table, Closure:
	default:
		c.ArgError(3, "string/function/table expected")
	}
	m := newMatcher(c, src, pat, true)
	var b strings.Builder
	n, at := 0, 0
	for n < limit {
		var s, e int
		if m.pat.anchor {
			s, e = at, m.at(at)
			if e < 0 {
				break
			}
		} else if s, e = m.find(at); s < 0 {
			break
		}
		n++
		c.bound(b.Len() + s - at + len(repl.Str))
		c.Work((s - at + len(repl.Str)) >> 8)
		b.WriteString(src[at:s])
		m.replace(&b, repl, s, e)
		at = e
		if e == s {
			if s == len(src) {
				break
			}
			b.WriteByte(src[s])
			at = s + 1
		}
		if m.pat.anchor {
			break
		}
	}
	if n == 0 {
		c.PushString(src)
	} else {
		b.WriteString(src[at:])
		c.PushString(b.String())
	}
	c.PushNumber(float64(n))
}

// replace writes what stands for the match from s to e.
func (m *matcher) replace(b *strings.Builder, repl Value, s, e int) {
	var v Value
	switch repl.Kind {
	case String:
		m.expand(b, repl.Str, s, e)
		return
	case Table:
		v = m.c.Field(repl, m.capture(0, s, e))
	default:
		v = m.c.First(repl, m.appendCaptures(nil, s, e, true)...)
	}
	if !v.Truth() {
		b.WriteString(m.src[s:e])
		return
	}
	text, ok := v.Text()
	if !ok {
		m.c.Errorf("invalid replacement value (a %s)", v.Kind)
	}
	b.WriteString(text)
}

// expand writes a replacement string: %1 is a capture, %0 the match, and % takes
// the meaning from any other byte; at the end it stands for a NUL.
func (m *matcher) expand(b *strings.Builder, repl string, s, e int) {
	for {
		i := strings.IndexByte(repl, '%')
		if i < 0 {
			b.WriteString(repl)
			return
		}
		b.WriteString(repl[:i])
		var x byte
		if i+1 < len(repl) {
			x = repl[i+1]
		}
		switch {
		case !isDigit(x):
			b.WriteByte(x)
		case x == '0':
			b.WriteString(m.src[s:e])
		default:
			t, _ := m.capture(int(x-'1'), s, e).Text()
			b.WriteString(t)
		}
		repl = repl[min(i+2, len(repl)):]
	}
}

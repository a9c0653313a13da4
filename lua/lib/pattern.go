package lib

// pattern is a Lua pattern, read once and then matched as often as needed.
//
// Idea: a malformed pattern is an error only when matching gets as far as the
// malformed place; so reading does not fail but leaves an item that raises the
// error when it is reached.
type pattern struct {
	items  []item
	anchor bool
}

type itemKind uint8

const (
	itemByte     itemKind = iota // one byte, equal to b
	itemAny                      // one byte
	itemSet                      // one byte of set
	itemOpen                     // (
	itemPosition                 // ()
	itemClose                    // )
	itemBack                     // %1
	itemBalance                  // %bxy
	itemFrontier                 // %f[set]
	itemEnd                      // $ at the end
	itemFault                    // malformed from here on
)

type item struct {
	kind   itemKind
	repeat byte // *, +, -, ? or 0
	b, b2  byte
	set    *set
	fault  string
}

// set is a set of bytes.
type set [4]uint64

func (s *set) has(b byte) bool { return s[b>>6]&(1<<(b&63)) != 0 }
func (s *set) add(b byte)      { s[b>>6] |= 1 << (b & 63) }

func (s *set) addRange(lo, hi byte) {
	for b := int(lo); b <= int(hi); b++ {
		s.add(byte(b))
	}
}

func (s *set) addWhere(in func(byte) bool) {
	for b := range 256 {
		if in(byte(b)) {
			s.add(byte(b))
		}
	}
}

func (s *set) invert() {
	for i := range s {
		s[i] = ^s[i]
	}
}

// maxPattern bounds the memory that a pattern takes once it is read.
//
// DIFFERS: A pattern of more than 1 MB raises "pattern too long".
const maxPattern = 1 << 20

// readPattern reads a pattern, which a NUL ends. With anchored, a ^ at its start
// is an anchor.
func (c *Call) readPattern(p string, anchored bool) pattern {
	var pat pattern
	p = untilNUL(p)
	if len(p) > maxPattern {
		c.Errorf("pattern too long")
	}
	c.Room(len(p) * 64)
	c.Work(len(p))
	if anchored && p != "" && p[0] == '^' {
		pat.anchor, p = true, p[1:]
	}
	pat.items = make([]item, 0, len(p))
	for p != "" {
		var it item
		it, p = readItem(p)
		pat.items = append(pat.items, it)
		if it.kind == itemFault {
			break
		}
	}
	return pat
}

func readItem(p string) (item, string) {
	switch p[0] {
	case '(':
		if len(p) > 1 && p[1] == ')' {
			return item{kind: itemPosition}, p[2:]
		}
		return item{kind: itemOpen}, p[1:]
	case ')':
		return item{kind: itemClose}, p[1:]
	case '$':
		if len(p) == 1 {
			return item{kind: itemEnd}, ""
		}
	case '%':
		if len(p) > 1 {
			switch c := p[1]; {
			case c == 'b':
				if len(p) < 4 {
					return item{kind: itemFault, fault: "unbalanced pattern"}, ""
				}
				return item{kind: itemBalance, b: p[2], b2: p[3]}, p[4:]
			case c == 'f':
				return readFrontier(p[2:])
			case isDigit(c):
				return item{kind: itemBack, b: c}, p[2:]
			}
		}
	}
	it, rest := readSingle(p)
	if it.kind != itemFault && rest != "" {
		switch rest[0] {
		case '*', '+', '-', '?':
			it.repeat, rest = rest[0], rest[1:]
		}
	}
	return it, rest
}

func readFrontier(p string) (item, string) {
	if p == "" || p[0] != '[' {
		return item{kind: itemFault, fault: "missing '[' after '%f' in pattern"}, ""
	}
	it, rest := readSet(p)
	if it.kind == itemSet {
		it.kind = itemFrontier
	}
	return it, rest
}

// readSingle reads what stands for one byte.
func readSingle(p string) (item, string) {
	switch p[0] {
	case '.':
		return item{kind: itemAny}, p[1:]
	case '[':
		return readSet(p)
	case '%':
		if len(p) == 1 {
			return item{kind: itemFault, fault: "malformed pattern (ends with '%')"}, ""
		}
		var s set
		if s.addClass(p[1]) {
			return item{kind: itemSet, set: &s}, p[2:]
		}
		return item{kind: itemByte, b: p[1]}, p[2:]
	}
	return item{kind: itemByte, b: p[0]}, p[1:]
}

// readSet reads [...]. A ] that comes first is a member.
func readSet(p string) (item, string) {
	var s set
	i, inverted := 1, false
	if i < len(p) && p[i] == '^' {
		i, inverted = i+1, true
	}
	for first := true; ; first = false {
		switch {
		case i >= len(p):
			return item{kind: itemFault, fault: "malformed pattern (missing ']')"}, ""
		case p[i] == ']' && !first:
			if inverted {
				s.invert()
			}
			return item{kind: itemSet, set: &s}, p[i+1:]
		case p[i] == '%':
			if i+1 >= len(p) {
				return item{kind: itemFault, fault: "malformed pattern (missing ']')"}, ""
			}
			if !s.addClass(p[i+1]) {
				s.add(p[i+1])
			}
			i += 2
		case i+2 < len(p) && p[i+1] == '-' && p[i+2] != ']':
			s.addRange(p[i], p[i+2])
			i += 3
		default:
			s.add(p[i])
			i++
		}
	}
}

// addClass adds the bytes of a class such as %a, if c names one. A capital
// letter stands for the complement.
func (s *set) addClass(c byte) bool {
	var in func(byte) bool
	switch lower(c) {
	case 'a':
		in = isAlpha
	case 'c':
		in = func(b byte) bool { return b < ' ' || b == 0x7f }
	case 'd':
		in = isDigit
	case 'l':
		in = func(b byte) bool { return b >= 'a' && b <= 'z' }
	case 'p':
		in = func(b byte) bool { return b > ' ' && b < 0x7f && !isAlpha(b) && !isDigit(b) }
	case 's':
		in = isSpace
	case 'u':
		in = func(b byte) bool { return b >= 'A' && b <= 'Z' }
	case 'w':
		in = func(b byte) bool { return isAlpha(b) || isDigit(b) }
	case 'x':
		in = func(b byte) bool { return hexDigit(b) >= 0 }
	case 'z':
		in = func(b byte) bool { return b == 0 }
	default:
		return false
	}
	if c != lower(c) {
		s.addWhere(func(b byte) bool { return !in(b) })
	} else {
		s.addWhere(in)
	}
	return true
}

func isAlpha(b byte) bool { b = lower(b); return b >= 'a' && b <= 'z' }

package lib

import "strings"

const (
	maxCaptures = 32
	unfinished  = -1 // length of a capture that is still open
	position    = -2 // length of a capture that is a position
)

type capture struct{ start, length int }

// matcher matches one pattern against one subject.
//
// Matching backtracks, and takes exponential time on some patterns as it does
// in Lua; every step is accounted for, so that the script can be stopped.
type matcher struct {
	c        *Call
	pat      pattern
	src      string
	captures [maxCaptures]capture
	level    int
	steps    int
}

func newMatcher(c *Call, src, pat string, anchored bool) *matcher {
	return &matcher{c: c, src: src, pat: c.readPattern(pat, anchored)}
}

// stepsPerWork is how many steps pass between two calls of Work.
const stepsPerWork = 1 << 12

func (m *matcher) step() {
	if m.steps++; m.steps >= stepsPerWork {
		m.steps = 0
		m.c.Work(stepsPerWork)
	}
}

// find returns the first match at or after start, or -1.
func (m *matcher) find(start int) (from, to int) {
	first := -1 // the byte a match must begin with, if that is known
	if len(m.pat.items) > 0 && !m.pat.anchor {
		if it := m.pat.items[0]; it.kind == itemByte && (it.repeat == 0 || it.repeat == '+') {
			first = int(it.b)
		}
	}
	for s := start; s <= len(m.src); s++ {
		if first >= 0 {
			i := strings.IndexByte(m.src[s:], byte(first))
			if i < 0 {
				m.c.Work((len(m.src) - s) >> 8)
				return -1, -1
			}
			m.c.Work(i >> 8)
			s += i
		}
		if e := m.at(s); e >= 0 {
			return s, e
		}
		if m.pat.anchor {
			break
		}
	}
	return -1, -1
}

// at matches at s and returns the end of the match, or -1.
func (m *matcher) at(s int) int {
	m.step()
	m.level = 0
	return m.match(0, s)
}

func (m *matcher) fits(it *item, s int) bool {
	if s >= len(m.src) {
		return false
	}
	switch b := m.src[s]; it.kind {
	case itemByte:
		return b == it.b
	case itemAny:
		return true
	default:
		return it.set.has(b)
	}
}

// match matches the items from i on at s.
func (m *matcher) match(i, s int) int {
	for ; i < len(m.pat.items); i++ {
		m.step()
		it := &m.pat.items[i]
		switch it.kind {
		case itemOpen:
			return m.open(i, s, unfinished)
		case itemPosition:
			return m.open(i, s, position)
		case itemClose:
			return m.close(i, s)
		case itemBack:
			if s = m.back(it.b, s); s < 0 {
				return -1
			}
		case itemBalance:
			if s = m.balance(it, s); s < 0 {
				return -1
			}
		case itemFrontier:
			if !m.frontier(it, s) {
				return -1
			}
		case itemEnd:
			if s != len(m.src) {
				return -1
			}
		case itemFault:
			m.c.Errorf("%s", it.fault)
		default:
			switch it.repeat {
			case 0:
				if !m.fits(it, s) {
					return -1
				}
				s++
			case '?':
				if m.fits(it, s) {
					if e := m.match(i+1, s+1); e >= 0 {
						return e
					}
				}
			case '-':
				return m.shortest(it, i, s)
			default:
				return m.longest(it, i, s)
			}
		}
	}
	return s
}

// longest matches as many bytes as it can and gives back one by one.
func (m *matcher) longest(it *item, i, s int) int {
	n := 0
	for m.fits(it, s+n) {
		n++
		m.step()
	}
	least := 0
	if it.repeat == '+' {
		least = 1
	}
	if i+1 == len(m.pat.items) && n >= least {
		return s + n
	}
	for ; n >= least; n-- {
		if e := m.match(i+1, s+n); e >= 0 {
			return e
		}
	}
	return -1
}

// shortest matches as few bytes as it can.
func (m *matcher) shortest(it *item, i, s int) int {
	for {
		if e := m.match(i+1, s); e >= 0 {
			return e
		}
		if !m.fits(it, s) {
			return -1
		}
		s++
	}
}

func (m *matcher) open(i, s, length int) int {
	if m.level >= maxCaptures {
		m.c.Errorf("too many captures")
	}
	m.captures[m.level] = capture{s, length}
	m.level++
	e := m.match(i+1, s)
	if e < 0 {
		m.level--
	}
	return e
}

func (m *matcher) close(i, s int) int {
	l := m.level - 1
	for l >= 0 && m.captures[l].length != unfinished {
		l--
	}
	if l < 0 {
		m.c.Errorf("invalid pattern capture")
	}
	m.captures[l].length = s - m.captures[l].start
	e := m.match(i+1, s)
	if e < 0 {
		m.captures[l].length = unfinished
	}
	return e
}

// back matches what a capture matched before.
func (m *matcher) back(digit byte, s int) int {
	l := int(digit) - '1'
	if l < 0 || l >= m.level || m.captures[l].length == unfinished {
		m.c.Errorf("invalid capture index")
	}
	k := m.captures[l]
	if k.length < 0 || len(m.src)-s < k.length || m.src[s:s+k.length] != m.src[k.start:k.start+k.length] {
		return -1
	}
	return s + k.length
}

// balance matches from an opening byte to the closing byte that belongs to it.
func (m *matcher) balance(it *item, s int) int {
	if s >= len(m.src) || m.src[s] != it.b {
		return -1
	}
	depth := 1
	for s++; s < len(m.src); s++ {
		m.step()
		switch m.src[s] {
		case it.b2:
			if depth--; depth == 0 {
				return s + 1
			}
		case it.b:
			depth++
		}
	}
	return -1
}

// frontier matches between a byte that is not in the set and one that is; the
// subject is thought of as between two NULs.
func (m *matcher) frontier(it *item, s int) bool {
	var before, after byte
	if s > 0 {
		before = m.src[s-1]
	}
	if s < len(m.src) {
		after = m.src[s]
	}
	return !it.set.has(before) && it.set.has(after)
}

// capture returns capture i of the match from s to e; the whole match stands
// in for the first if there is none.
func (m *matcher) capture(i, s, e int) Value {
	if i >= m.level {
		if i != 0 {
			m.c.Errorf("invalid capture index")
		}
		return Str(m.src[s:e])
	}
	k := m.captures[i]
	switch k.length {
	case unfinished:
		m.c.Errorf("unfinished capture")
	case position:
		return Num(float64(k.start + 1))
	}
	return Str(m.src[k.start : k.start+k.length])
}

// appendCaptures appends all captures; whole tells whether the match stands in
// for them if there are none.
func (m *matcher) appendCaptures(dst []Value, s, e int, whole bool) []Value {
	n := m.level
	if n == 0 && whole {
		n = 1
	}
	for i := range n {
		dst = append(dst, m.capture(i, s, e))
	}
	return dst
}

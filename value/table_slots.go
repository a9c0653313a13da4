package value

import (
	"fmt"
	"math/bits"
)

// slots is one array of chains. It is cut into segments that are made when a
// chain is first put into them, and given back as soon as the last chain has
// moved out: a large array is never made or cleared at once.
type slots[E any] struct {
	mask uint64 // slots - 1
	dir  [][]*Node[E]
}

const (
	segmentBits = 12
	segmentLen  = 1 << segmentBits
	segmentMask = segmentLen - 1
)

func newSlots[E any](n uint64) slots[E] {
	return slots[E]{mask: n - 1, dir: make([][]*Node[E], (n+segmentMask)>>segmentBits)}
}

func (s *slots[E]) len() uint64 {
	if s.dir == nil {
		return 0
	}
	return s.mask + 1
}

func (s *slots[E]) at(i uint64) *Node[E] {
	if seg := s.dir[i>>segmentBits]; i&segmentMask < uint64(len(seg)) {
		return seg[i&segmentMask]
	}
	return nil
}

func (s *slots[E]) set(i uint64, n *Node[E]) {
	seg := s.dir[i>>segmentBits]
	if seg == nil {
		seg = make([]*Node[E], min(s.mask+1, segmentLen))
		s.dir[i>>segmentBits] = seg
	}
	seg[i&segmentMask] = n
}

func (s *slots[E]) push(i uint64, n *Node[E]) {
	n.next = s.at(i)
	s.set(i, n)
}

// each calls yield for every node until it answers false.
func (s *slots[E]) each(yield func(*Node[E]) bool) bool {
	for _, seg := range s.dir {
		for _, n := range seg {
			for n != nil {
				next := n.next
				if !yield(n) {
					return false
				}
				n = next
			}
		}
	}
	return true
}

func (s *slots[E]) clone(value func(E) E) slots[E] {
	c := slots[E]{mask: s.mask}
	if s.dir == nil {
		return c
	}
	c.dir = make([][]*Node[E], len(s.dir))
	for i, seg := range s.dir {
		if seg == nil {
			continue
		}
		c.dir[i] = make([]*Node[E], len(seg))
		for j, n := range seg {
			for to := &c.dir[i][j]; n != nil; n = n.next {
				v := n.Val
				if value != nil {
					v = value(v)
				}
				*to = &Node[E]{Key: n.Key, Val: v, hash: n.hash}
				to = &(*to).next
			}
		}
	}
	return c
}

// chain is the chain that holds hash h if any does.
func (t *Table[E]) chain(h uint64) *Node[E] {
	if i := h & t.cur.mask; i >= t.moved {
		return t.cur.at(i)
	}
	return t.next.at(h & t.next.mask)
}

// home is the array and the slot where hash h lives now.
func (t *Table[E]) home(h uint64) (*slots[E], uint64) {
	if i := h & t.cur.mask; i >= t.moved {
		return &t.cur, i
	}
	return &t.next, h & t.next.mask
}

func (t *Table[E]) moving() bool { return t.next.dir != nil }

// grow starts moving to a larger array when one more node would outnumber the
// slots.
func (t *Table[E]) grow() {
	switch {
	case t.cur.dir == nil:
		t.cur = newSlots[E](minSlots)
	case t.moving() || t.held > 0 || uint64(t.used) < t.cur.len():
	default:
		t.next = newSlots[E](roundUp(uint64(t.used) + 1))
	}
}

// shrink starts moving to a smaller array when most slots are empty. A quarter
// leaves the nodes room to double before the table grows again, and keeps a step
// of Scan short.
func (t *Table[E]) shrink() {
	switch {
	case t.held > 0:
	case t.used == 0:
		t.Clear()
	case t.moving() || t.cur.len() <= minSlots || uint64(t.used) >= t.cur.len()/8:
	default:
		t.next = newSlots[E](max(t.cur.len()/4, minSlots))
	}
}

// settle shrinks at once what an iteration has emptied: it costs no more than the
// iteration did.
func (t *Table[E]) settle() {
	for t.used > 0 && uint64(t.used) < t.cur.len()/8 && t.cur.len() > minSlots {
		if !t.moving() {
			t.next = newSlots[E](max(roundUp(uint64(t.used)*2), minSlots))
		}
		for t.moving() {
			t.step()
		}
	}
	if t.used == 0 {
		t.Clear()
	}
}

// step moves a few chains to the new array.
func (t *Table[E]) step() {
	if !t.moving() || t.held > 0 {
		return
	}
	moves := 0
	for visits := 0; visits < visitsAStep && moves < movesAStep && t.moved <= t.cur.mask; visits++ {
		if t.cur.dir[t.moved>>segmentBits] == nil {
			t.moved = min((t.moved|segmentMask)+1, t.cur.len())
			continue
		}
		n := t.cur.at(t.moved)
		t.cur.set(t.moved, nil)
		t.moved++
		if n != nil {
			moves++
		}
		for n != nil {
			next := n.next
			t.next.push(n.hash&t.next.mask, n)
			n = next
		}
		if t.moved&segmentMask == 0 {
			t.cur.dir[t.moved>>segmentBits-1] = nil
		}
	}
	if t.moved > t.cur.mask {
		t.cur, t.next, t.moved = t.next, slots[E]{}, 0
	}
}

func roundUp(n uint64) uint64 {
	if n <= minSlots {
		return minSlots
	}
	return 1 << bits.Len64(n-1)
}

// Check verifies the table's structure.
func (t *Table[E]) Check() error {
	count := 0
	for _, s := range []*slots[E]{&t.cur, &t.next} {
		if n := s.len(); n != 0 && n&(n-1) != 0 {
			return fmt.Errorf("table: %d slots are no power of two", n)
		}
		for i := range s.len() {
			for n := s.at(i); n != nil; n = n.next {
				if count++; count > t.used {
					return fmt.Errorf("table: more than the %d nodes counted", t.used)
				}
				if h := t.hash.string(n.Key); h != n.hash {
					return fmt.Errorf("table: key %q has hash %x, noted %x", n.Key, h, n.hash)
				}
				if hs, hi := t.home(n.hash); hs != s || hi != i {
					return fmt.Errorf("table: key %q stands outside its chain", n.Key)
				}
				if t.find(n.hash, n.Key) != n {
					return fmt.Errorf("table: key %q stands twice", n.Key)
				}
			}
		}
	}
	if count != t.used {
		return fmt.Errorf("table: %d nodes, %d counted", count, t.used)
	}
	if t.held != 0 {
		return fmt.Errorf("table: %d iterations left open", t.held)
	}
	if t.moved > 0 && !t.moving() {
		return fmt.Errorf("table: %d slots moved to nowhere", t.moved)
	}
	return nil
}

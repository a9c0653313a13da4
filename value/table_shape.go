package value

// Shape is what decides, beside its nodes, a table's order now and later: its
// seed, how many slots each array has, which parts of them are there and how
// far the move from the one to the other has come.
type Shape struct {
	hash      hasher
	moved     uint64
	cur, next []bool // per segment: is it there
	curMask   uint64
	nextMask  uint64
}

// Shape is the table's.
func (t *Table[E]) Shape() Shape {
	return Shape{
		hash: t.hash, moved: t.moved,
		cur: t.cur.segments(), curMask: t.cur.mask,
		next: t.next.segments(), nextMask: t.next.mask,
	}
}

func (s *slots[E]) segments() []bool {
	if s.dir == nil {
		return nil
	}
	there := make([]bool, len(s.dir))
	for i, seg := range s.dir {
		there[i] = seg != nil
	}
	return there
}

// NewTableOf returns an empty table of a shape. When Append has given it the
// keys of the table that the shape was taken from, in the order of that table's
// All, it is a copy: the same calls give the same order.
func NewTableOf[E any](s Shape) *Table[E] {
	return &Table[E]{hash: s.hash, moved: s.moved, cur: slotsOf[E](s.cur, s.curMask), next: slotsOf[E](s.next, s.nextMask)}
}

func slotsOf[E any](there []bool, mask uint64) slots[E] {
	s := slots[E]{mask: mask}
	if there == nil {
		return s
	}
	s.dir = make([][]*Node[E], len(there))
	for i := range there {
		if there[i] {
			s.dir[i] = make([]*Node[E], min(mask+1, segmentLen))
		}
	}
	return s
}

// Append adds a key, which must not be there, at the end of its chain, and
// moves nothing. It is for a table of NewTableOf alone.
func (t *Table[E]) Append(key string) *Node[E] {
	n := &Node[E]{Key: key, hash: t.hash.string(key)}
	s, i := t.home(n.hash)
	t.used++
	last := s.at(i)
	if last == nil {
		s.set(i, n)
		return n
	}
	for last.next != nil {
		last = last.next
	}
	last.next = n
	return n
}

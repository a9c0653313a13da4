package value

import (
	"fmt"
	"iter"
	"unsafe"
)

// Set is a set: sorted integers while all its members spell some and they are
// few, else a table. It does not turn back, except where PopMany rebuilds it.
//
// Members given out are read-only, and valid for good unless said otherwise.
// Members given in are copied. A Set is a [Body]: see there what copying it means.
type Set Body

// setIndex is what a set with a table is made of.
type setIndex struct {
	table *Table[struct{}]
	bytes int // of the members
	seed  uint64
}

// NewSet returns an empty set. Seed decides the order it will have as a table.
func NewSet(seed uint64) *Set {
	s := Set(newBody(seed))
	return &s
}

// index is the large structure, nil while the set is packed.
func (s *Set) index() *setIndex {
	if s.n == indexed && s.p != nil {
		return (*setIndex)(s.p)
	}
	return nil
}

// ints are the packed members.
func (s *Set) ints() ints { return intsOf((*Body)(s).run(), (*Body)(s).count()) }

// Len is the number of members.
func (s *Set) Len() int {
	if x := s.index(); x != nil {
		return x.table.Len()
	}
	return (*Body)(s).count()
}

// Add puts member in and tells whether it is new.
func (s *Set) Add(limits *Limits, member []byte) bool {
	x := s.index()
	if x == nil {
		if n, ok := ParseInt(member); ok && (*Body)(s).fits(8) {
			return s.addInt(limits, n)
		}
		x = s.unpack()
	}
	return x.add(member)
}

func (x *setIndex) add(member []byte) bool {
	_, added := x.table.Put(member)
	if added {
		x.bytes += allocated(len(member))
	}
	return added
}

func (x *setIndex) delete(member []byte) bool {
	n := x.table.Delete(member)
	if n != nil {
		x.bytes -= allocated(len(n.Key))
	}
	return n != nil
}

func (s *Set) addInt(limits *Limits, n int64) bool {
	all := s.ints()
	at, found := all.search(n)
	if found {
		return false
	}
	b, width := (*Body)(s), max(all.width, intWidth(n))
	if width > all.width && all.count > 0 {
		s.widen(all, width)
	}
	putInt(b.splice(at*width, 0, width), n)
	b.setCount(all.count + 1)
	if all.count+1 > limits.SetMaxIntsetEntries {
		s.unpack()
	}
	return true
}

// widen makes the packed members so many bytes wide.
func (s *Set) widen(all ints, width int) {
	wide := newBody((*Body)(s).seed())
	wide.reserve((all.count + 1) * width)
	to := wide.splice(0, 0, all.count*width)
	for i := range all.count {
		putInt(to[i*width:][:width], all.at(i))
	}
	wide.setCount(all.count)
	*s = Set(wide)
}

// Has tells whether member is in the set.
func (s *Set) Has(member []byte) bool {
	if x := s.index(); x != nil {
		return x.table.Get(member) != nil
	}
	_, found := s.find(member)
	return found
}

func (s *Set) find(member []byte) (at int, found bool) {
	n, ok := ParseInt(member)
	if !ok {
		return 0, false
	}
	return s.ints().search(n)
}

// Remove takes member out and tells whether it was there.
func (s *Set) Remove(member []byte) bool {
	if x := s.index(); x != nil {
		return x.delete(member)
	}
	at, found := s.find(member)
	if found {
		s.cut(at)
	}
	return found
}

// cut takes out the packed member at a place.
func (s *Set) cut(at int) {
	all, b := s.ints(), (*Body)(s)
	b.splice(at*all.width, all.width, 0)
	b.setCount(all.count - 1)
}

func (s *Set) unpack() *setIndex {
	x := &setIndex{seed: (*Body)(s).seed()}
	x.table = NewTable[struct{}](x.seed)
	for member := range s.All() {
		x.add(member)
	}
	*s = Set{unsafe.Pointer(x), indexed}
	return x
}

// Random returns a member, each with the same chance. The set must not be empty.
func (s *Set) Random(rnd func(n uint64) uint64) []byte {
	if x := s.index(); x != nil {
		return bytesOf(x.table.Random(rnd).Key)
	}
	all := s.ints()
	return AppendInt(nil, all.at(int(rnd(uint64(all.count)))))
}

// Sample yields count different members, or all if there are fewer. Packed ones
// are valid until the next one.
func (s *Set) Sample(count int, rnd func(n uint64) uint64) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if x := s.index(); x != nil {
			for n := range x.table.Sample(count, rnd) {
				if !yield(bytesOf(n.Key)) {
					return
				}
			}
			return
		}
		draw := newDraw(count, s.Len(), rnd)
		for member := range s.All() {
			if draw.next() && !yield(member) {
				return
			}
		}
	}
}

// Pop takes out a random member and returns it. The set must not be empty.
func (s *Set) Pop(rnd func(n uint64) uint64) []byte {
	if x := s.index(); x != nil {
		member := bytesOf(x.table.Random(rnd).Key)
		x.delete(member)
		return member
	}
	all := s.ints()
	at := int(rnd(uint64(all.count)))
	member := AppendInt(nil, all.at(at))
	s.cut(at)
	return member
}

// popRebuild: when the members that stay are so much fewer than those that go,
// SPOP makes a new set of them, which may be packed again.
const popRebuild = 5

// PopMany takes out count random members, or all, and hands each to fn.
func (s *Set) PopMany(limits *Limits, count int, rnd func(n uint64) uint64, fn func(member []byte)) {
	stay := s.Len() - count
	if stay > 0 && stay*popRebuild > count {
		for range count {
			fn(s.Pop(rnd))
		}
		return
	}
	kept := NewSet(s.seed())
	for range stay {
		kept.Add(limits, s.Pop(rnd))
	}
	for member := range s.All() {
		fn(member)
	}
	*s = *kept
}

func (s *Set) seed() uint64 {
	if x := s.index(); x != nil {
		return x.seed
	}
	return (*Body)(s).seed()
}

// All yields the members: ascending while they are packed integers, each then
// valid until the next one.
func (s *Set) All() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if x := s.index(); x != nil {
			for n := range x.table.All() {
				if !yield(bytesOf(n.Key)) {
					return
				}
			}
			return
		}
		var text [20]byte
		all := s.ints()
		for i := range all.count {
			if !yield(AppendInt(text[:0], all.at(i))) {
				return
			}
		}
	}
}

// Scan visits some members and returns the cursor to go on with, 0 at the end; a
// packed set is visited as a whole. [Table.Scan] says what is guaranteed.
func (s *Set) Scan(cursor uint64, fn func(member []byte)) uint64 {
	if x := s.index(); x != nil {
		return x.table.Scan(cursor, func(n *Node[struct{}]) { fn(bytesOf(n.Key)) })
	}
	for member := range s.All() {
		fn(member)
	}
	return 0
}

// Encoding is OBJECT ENCODING's answer.
func (s *Set) Encoding() string {
	if s.index() != nil {
		return "hashtable"
	}
	return "intset"
}

// Clone is an independent copy of the same encoding and order.
func (s *Set) Clone() *Set {
	x := s.index()
	if x == nil {
		c := Set((*Body)(s).cloneRun())
		return &c
	}
	return &Set{unsafe.Pointer(&setIndex{table: x.table.Clone(nil), bytes: x.bytes, seed: x.seed}), indexed}
}

// MemoryUsage is about the bytes that the set takes beside itself.
func (s *Set) MemoryUsage() int {
	if x := s.index(); x != nil {
		return int(unsafe.Sizeof(*x)) + x.table.memory() + x.bytes
	}
	return (*Body)(s).runMemory()
}

// Check verifies the set's structure.
func (s *Set) Check() error {
	if x := s.index(); x != nil {
		size := 0
		for n := range x.table.All() {
			size += allocated(len(n.Key))
		}
		if size != x.bytes {
			return fmt.Errorf("set: members of %d bytes, %d counted", size, x.bytes)
		}
		return x.table.Check()
	}
	all := s.ints()
	if len(all.run) != all.count*all.width {
		return fmt.Errorf("set: %d integers of %d bytes in %d", all.count, all.width, len(all.run))
	}
	for i := 1; i < all.count; i++ {
		if all.at(i-1) >= all.at(i) {
			return fmt.Errorf("set: %d stands before %d", all.at(i-1), all.at(i))
		}
	}
	return nil
}

package value

import (
	"fmt"
	"iter"
	"slices"
)

// Set is a set: sorted integers while all its members spell some and they are
// few, else a table. It does not turn back, except where PopMany rebuilds it.
//
// Members given out are read-only. They are valid until the set changes or gives
// out another; those of a table for good. Members given in are copied.
type Set struct {
	ints  []int64 // ascending, while table is nil
	table *Table[struct{}]
	seed  uint64
	text  [20]byte // the integer given out last
}

// NewSet returns an empty set. Seed decides the order it will have as a table.
func NewSet(seed uint64) *Set { return &Set{seed: seed} }

// Len is the number of members.
func (s *Set) Len() int {
	if s.table != nil {
		return s.table.Len()
	}
	return len(s.ints)
}

// Add puts member in and tells whether it is new.
func (s *Set) Add(limits *Limits, member []byte) bool {
	if s.table == nil {
		n, ok := ParseInt(member)
		if ok {
			return s.addInt(limits, n)
		}
		s.unpack()
	}
	_, added := s.table.Put(member)
	return added
}

func (s *Set) addInt(limits *Limits, n int64) bool {
	at, found := len(s.ints), false
	if at > 0 && n <= s.ints[at-1] {
		at, found = slices.BinarySearch(s.ints, n)
	}
	if found {
		return false
	}
	s.ints = slices.Insert(s.ints, at, n)
	if len(s.ints) > limits.SetMaxIntsetEntries {
		s.unpack()
	}
	return true
}

// Has tells whether member is in the set.
func (s *Set) Has(member []byte) bool {
	if s.table != nil {
		return s.table.Get(member) != nil
	}
	_, found := s.find(member)
	return found
}

func (s *Set) find(member []byte) (at int, found bool) {
	n, ok := ParseInt(member)
	if !ok {
		return 0, false
	}
	return slices.BinarySearch(s.ints, n)
}

// Remove takes member out and tells whether it was there.
func (s *Set) Remove(member []byte) bool {
	if s.table != nil {
		return s.table.Delete(member) != nil
	}
	at, found := s.find(member)
	if found {
		s.ints = slices.Delete(s.ints, at, at+1)
	}
	return found
}

func (s *Set) unpack() {
	s.table = NewTable[struct{}](s.seed)
	for _, n := range s.ints {
		s.table.Put(s.spell(n))
	}
	s.ints = nil
}

func (s *Set) spell(n int64) []byte { return AppendInt(s.text[:0], n) }

// Random returns a member, each with the same chance. The set must not be empty.
func (s *Set) Random(rnd func(n uint64) uint64) []byte {
	if s.table != nil {
		return bytesOf(s.table.Random(rnd).Key)
	}
	return s.spell(s.ints[rnd(uint64(len(s.ints)))])
}

// Sample yields count different members, or all if there are fewer.
func (s *Set) Sample(count int, rnd func(n uint64) uint64) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if s.table != nil {
			for n := range s.table.Sample(count, rnd) {
				if !yield(bytesOf(n.Key)) {
					return
				}
			}
			return
		}
		draw := newDraw(count, len(s.ints), rnd)
		for member := range s.All() {
			if draw.next() && !yield(member) {
				return
			}
		}
	}
}

// Pop takes out a random member and returns it. The set must not be empty.
func (s *Set) Pop(rnd func(n uint64) uint64) []byte {
	if s.table != nil {
		n := s.table.Random(rnd)
		s.table.DeleteString(n.Key)
		return bytesOf(n.Key)
	}
	at := int(rnd(uint64(len(s.ints))))
	member := s.spell(s.ints[at])
	s.ints = slices.Delete(s.ints, at, at+1)
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
	kept := NewSet(s.seed)
	for range stay {
		kept.Add(limits, s.Pop(rnd))
	}
	for member := range s.All() {
		fn(member)
	}
	s.ints, s.table = kept.ints, kept.table
}

// All yields the members: ascending while they are packed integers.
func (s *Set) All() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if s.table != nil {
			for n := range s.table.All() {
				if !yield(bytesOf(n.Key)) {
					return
				}
			}
			return
		}
		var text [20]byte
		for _, n := range s.ints {
			if !yield(AppendInt(text[:0], n)) {
				return
			}
		}
	}
}

// Scan visits some members and returns the cursor to go on with, 0 at the end; a
// packed set is visited as a whole. [Table.Scan] says what is guaranteed.
func (s *Set) Scan(cursor uint64, fn func(member []byte)) uint64 {
	if s.table != nil {
		return s.table.Scan(cursor, func(n *Node[struct{}]) { fn(bytesOf(n.Key)) })
	}
	for member := range s.All() {
		fn(member)
	}
	return 0
}

// Encoding is OBJECT ENCODING's answer.
func (s *Set) Encoding() string {
	if s.table != nil {
		return "hashtable"
	}
	return "intset"
}

// Clone is an independent copy of the same encoding and order.
func (s *Set) Clone() *Set {
	c := &Set{seed: s.seed, ints: slices.Clone(s.ints)}
	if s.table != nil {
		c.table = s.table.Clone(nil)
	}
	return c
}

const setHeader = 64

// MemoryUsage is about the bytes in use, a large set judged by a few members.
func (s *Set) MemoryUsage() int {
	if s.table != nil {
		return setHeader + s.table.memory(func(struct{}) int { return 0 })
	}
	return setHeader + 8*cap(s.ints)
}

// Check verifies the set's structure.
func (s *Set) Check() error {
	if s.table != nil {
		if s.ints != nil {
			return fmt.Errorf("set: %d integers beside the table", len(s.ints))
		}
		return s.table.Check()
	}
	for i := 1; i < len(s.ints); i++ {
		if s.ints[i-1] >= s.ints[i] {
			return fmt.Errorf("set: %d stands before %d", s.ints[i-1], s.ints[i])
		}
	}
	return nil
}

package value

import (
	"iter"
	"math/bits"
)

// Table is a hash table from byte strings to entries: the keyspace, and every
// collection that has outgrown its packed form.
//
// Nodes hang in chains from a power of two of slots. When the nodes outnumber
// the slots, or the slots outnumber the nodes eight times, a second array is
// made and each later change moves a few slots' chains into it, in slot order:
// growing a table of any size delays no single call. At each moment a hash has
// exactly one home, the old array if its slot there has not moved yet and the
// new one if it has, so a lookup walks one chain, never two.
//
// The order of the nodes follows from the seed and the history of calls alone.
// The seed is a secret where keys come from strangers.
//
// Reading (Get, Scan, Random, All) changes nothing that a caller could see; only
// Put, Delete and Replace change the table.
type Table[E any] struct {
	hash  hasher
	used  int
	moved uint64 // slots of cur already moved to next; 0 when next is unused
	cur   slots[E]
	next  slots[E] // in use while chains are moving
	held  int      // iterations under way: nothing may move
}

// Node is one entry. It stays where it is (its address and its Key) until it is
// deleted or replaced, however the table grows.
type Node[E any] struct {
	hash uint64
	next *Node[E]
	Val  E      // not at the end, where a value of no size would take eight bytes
	Key  string // read-only
}

// KeyBytes is Key as bytes, which nobody may write to.
func (n *Node[E]) KeyBytes() []byte { return bytesOf(n.Key) }

const (
	minSlots    = 8
	movesAStep  = 2  // chains moved by one change
	visitsAStep = 16 // slots looked at by one change, empty ones included
)

// NewTable returns an empty table whose order is decided by seed.
func NewTable[E any](seed uint64) *Table[E] {
	return &Table[E]{hash: newHasher(seed)}
}

// Len is the number of nodes.
func (t *Table[E]) Len() int { return t.used }

// Buckets is the number of slots, those of both arrays while chains are moving.
func (t *Table[E]) Buckets() int { return int(t.cur.len() + t.next.len()) }

// Get returns the node of key, nil when there is none. It does not keep key.
func (t *Table[E]) Get(key []byte) *Node[E] {
	if t.used == 0 {
		return nil
	}
	h := t.hash.bytes(key)
	for n := t.chain(h); n != nil; n = n.next {
		if n.hash == h && n.Key == string(key) {
			return n
		}
	}
	return nil
}

// GetString is Get for a string.
func (t *Table[E]) GetString(key string) *Node[E] { return t.Get(bytesOf(key)) }

// Put returns the node of key, added with the zero Val and a copy of key if
// there was none.
func (t *Table[E]) Put(key []byte) (n *Node[E], added bool) {
	h := t.hash.bytes(key)
	if n = t.find(h, stringOf(key)); n != nil {
		t.step()
		return n, false
	}
	return t.add(h, string(key)), true
}

// PutString is Put for a string, which the table keeps as it is.
func (t *Table[E]) PutString(key string) (n *Node[E], added bool) {
	h := t.hash.string(key)
	if n = t.find(h, key); n != nil {
		t.step()
		return n, false
	}
	return t.add(h, key), true
}

func (t *Table[E]) find(h uint64, key string) *Node[E] {
	if t.used == 0 {
		return nil
	}
	for n := t.chain(h); n != nil; n = n.next {
		if n.hash == h && n.Key == key {
			return n
		}
	}
	return nil
}

func (t *Table[E]) add(h uint64, key string) *Node[E] {
	t.grow()
	t.step()
	n := &Node[E]{Key: key, hash: h}
	s, i := t.home(h)
	s.push(i, n)
	t.used++
	return n
}

// Delete takes key's node out and returns it, nil when there is none.
func (t *Table[E]) Delete(key []byte) *Node[E] { return t.DeleteString(stringOf(key)) }

// DeleteString is Delete for a string.
func (t *Table[E]) DeleteString(key string) *Node[E] {
	if t.used == 0 {
		return nil
	}
	t.step()
	h := t.hash.string(key)
	s, i := t.home(h)
	var prev *Node[E]
	for n := s.at(i); n != nil; prev, n = n, n.next {
		if n.hash != h || n.Key != key {
			continue
		}
		if prev == nil {
			s.set(i, n.next)
		} else {
			prev.next = n.next
		}
		t.used--
		t.shrink()
		return n
	}
	return nil
}

// Replace puts new where old stands in its chain; old must be in the table. New
// gets old's key and order, and old, now outside, keeps its value: who still
// reads an older state of the table reads it there.
func (t *Table[E]) Replace(old, new *Node[E]) {
	s, i := t.home(old.hash)
	new.Key, new.hash, new.next = old.Key, old.hash, old.next
	if s.at(i) == old {
		s.set(i, new)
		return
	}
	for n := s.at(i); n != nil; n = n.next {
		if n.next == old {
			n.next = new
			return
		}
	}
	panic("value: Table.Replace of a node that is not in the table")
}

// Clear takes every node out.
func (t *Table[E]) Clear() {
	t.used, t.moved = 0, 0
	t.cur, t.next = slots[E]{}, slots[E]{}
}

// Clone returns a table of the same nodes in the same order, each value copied by
// value (as it is when value is nil). Keys are shared.
func (t *Table[E]) Clone(value func(E) E) *Table[E] {
	c := &Table[E]{hash: t.hash, used: t.used, moved: t.moved}
	c.cur = t.cur.clone(value)
	c.next = t.next.clone(value)
	return c
}

// All yields every node once, in table order. The body may delete or replace the
// node just yielded; a node added meanwhile may be yielded or not; deleting any
// other node may yield it all the same.
func (t *Table[E]) All() iter.Seq[*Node[E]] {
	return func(yield func(*Node[E]) bool) {
		t.held++
		complete := false
		defer func() {
			t.held--
			if complete && t.held == 0 {
				t.settle()
			}
		}()
		if !t.cur.each(yield) || !t.next.each(yield) {
			return
		}
		complete = true
	}
}

// Random returns a node, each with the same chance, nil when the table is empty.
// Rnd answers a number below n.
//
// A slot and a place in its chain are drawn together and drawn again when nothing
// stands there, so a node in a long chain is as likely as one that stands alone.
// Only chains beyond randomPlaces, one slot in a million, lose their tail.
func (t *Table[E]) Random(rnd func(n uint64) uint64) *Node[E] {
	if t.used == 0 {
		return nil
	}
	old := t.cur.len() - t.moved
	all := old + t.next.len()
	for range randomTries {
		r := rnd(all * randomPlaces)
		n := t.slot(r/randomPlaces, old)
		for place := r % randomPlaces; n != nil && place > 0; place-- {
			n = n.next
		}
		if n != nil {
			return n
		}
	}
	for i := rnd(all); ; i = (i + 1) % all {
		if n := t.slot(i, old); n != nil {
			return n
		}
	}
}

const (
	randomPlaces = 8
	randomTries  = 4096 // a table with its normal share of empty slots never needs so many
)

// slot numbers the slots that may hold chains: old ones first.
func (t *Table[E]) slot(i, old uint64) *Node[E] {
	if i < old {
		return t.cur.at(t.moved + i)
	}
	return t.next.at(i - old)
}

// Scan visits one slot's chain (and, while chains are moving, its counterparts in
// the other array) and returns the cursor to go on with, 0 at the end. Fn may
// delete or replace the node it is given.
//
// The cursor counts with its bits reversed: the high bits of the slot number
// move first. Slots that share their low bits are what one slot becomes when the
// table grows, and those are either all behind the cursor or all before it. So a
// node that is present from the first call to the last is visited at least once,
// whatever the table does in between; it may be visited more than once.
func (t *Table[E]) Scan(cursor uint64, fn func(*Node[E])) uint64 {
	if t.used == 0 {
		return 0
	}
	t.held++
	defer func() { t.held-- }()
	if !t.moving() {
		visit(t.cur.at(cursor&t.cur.mask), fn)
		return nextCursor(cursor, t.cur.mask)
	}
	small, large := &t.cur, &t.next
	if small.mask > large.mask {
		small, large = large, small
	}
	visit(small.at(cursor&small.mask), fn)
	for {
		visit(large.at(cursor&large.mask), fn)
		cursor = nextCursor(cursor, large.mask)
		if cursor&(small.mask^large.mask) == 0 {
			return cursor
		}
	}
}

func visit[E any](n *Node[E], fn func(*Node[E])) {
	for n != nil {
		next := n.next
		fn(n)
		n = next
	}
}

// nextCursor adds one to the reversed bits of cursor below mask.
func nextCursor(cursor, mask uint64) uint64 {
	return bits.Reverse64(bits.Reverse64(cursor|^mask) + 1)
}

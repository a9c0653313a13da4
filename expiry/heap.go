// Package expiry keeps deadlines in order. It stores no values and reads no
// clock: the caller says what a deadline belongs to and what time it is.
package expiry

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
)

// A Heap holds deadlines, the earliest in front.
//
// Idea: a heap in an array in which every node has four children, where each
// deadline knows its place, so that it can be moved or removed from the
// middle. Beside the deadline's pointer the array holds all that is compared,
// and a node's children lie side by side, so that finding the least of them
// touches one or two cache lines and follows no pointer.
//
// Invariant: no node is less than its parent, in the order (at, seq); and
// nodes[i].d.place == i+1 for every i. seq numbers the Add and Move calls, so
// the order is total, and equal deadlines leave in the order in which they were
// set.
//
// Price: 24 bytes an entry in the array and a Deadline beside it; Add and Move
// to an earlier time cost log4 n comparisons, Remove and Move to a later time
// up to four times that, Min costs nothing. The array doubles when full and
// halves when three quarters are empty, one copy of it each time.
//
// The zero value is ready. A Heap is not for concurrent use.
type Heap[T any] struct {
	nodes []node[T]
	seq   uint64
}

type node[T any] struct {
	at  int64
	seq uint64
	d   *Deadline[T]
}

// A Deadline is one entry's place in a Heap. It is valid until it is removed.
type Deadline[T any] struct {
	Owner T
	at    int64
	place int // index in nodes plus one; 0 when it is in no heap
}

// At returns the time the deadline was last set to.
func (d *Deadline[T]) At() int64 { return d.at }

const (
	arity = 4
	// minCap is the capacity below which the array does not shrink.
	minCap = 64
)

// Len returns the number of deadlines.
func (h *Heap[T]) Len() int { return len(h.nodes) }

// Min returns the deadline that is due first, or nil when there is none.
func (h *Heap[T]) Min() *Deadline[T] {
	if len(h.nodes) == 0 {
		return nil
	}
	return h.nodes[0].d
}

// Add sets a deadline for owner.
func (h *Heap[T]) Add(at int64, owner T) *Deadline[T] {
	d := &Deadline[T]{Owner: owner, at: at}
	h.seq++
	h.nodes = append(h.nodes, node[T]{})
	h.up(len(h.nodes)-1, node[T]{at, h.seq, d})
	return d
}

// Move sets d to another time. Among equals it comes last, as if added anew.
func (h *Heap[T]) Move(d *Deadline[T], at int64) {
	i := h.index(d)
	if i < 0 {
		panic("expiry: Move of a deadline that is not in the heap")
	}
	h.seq++
	d.at = at
	h.settle(i, node[T]{at, h.seq, d})
}

// Remove takes d out. It does nothing if d was removed already.
func (h *Heap[T]) Remove(d *Deadline[T]) {
	i := h.index(d)
	if i < 0 {
		return
	}
	d.place = 0
	last := len(h.nodes) - 1
	moved := h.nodes[last]
	h.nodes[last] = node[T]{}
	h.nodes = h.nodes[:last]
	if i < last {
		h.settle(i, moved)
	}
	h.shrink()
}

// Nth returns deadline i of all, below Len, in no order: to draw one at random.
func (h *Heap[T]) Nth(i int) *Deadline[T] { return h.nodes[i].d }

// All yields every deadline, in any order. The heap must not be changed
// meanwhile.
func (h *Heap[T]) All() iter.Seq[*Deadline[T]] {
	return func(yield func(*Deadline[T]) bool) {
		for i := range h.nodes {
			if !yield(h.nodes[i].d) {
				return
			}
		}
	}
}

// Sorted returns every deadline in the order in which they would leave. Adding
// them to an empty heap in this order gives a heap that behaves the same.
func (h *Heap[T]) Sorted() []*Deadline[T] {
	nodes := slices.Clone(h.nodes)
	slices.SortFunc(nodes, func(a, b node[T]) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.seq, b.seq))
	})
	sorted := make([]*Deadline[T], len(nodes))
	for i := range nodes {
		sorted[i] = nodes[i].d
	}
	return sorted
}

// Check reports a broken invariant, for tests.
func (h *Heap[T]) Check() error {
	for i := range h.nodes {
		n := &h.nodes[i]
		switch parent := (i - 1) / arity; {
		case n.d == nil:
			return fmt.Errorf("expiry: node %d has no deadline", i)
		case n.d.place != i+1:
			return fmt.Errorf("expiry: the deadline of node %d believes to be at %d", i, n.d.place-1)
		case n.d.at != n.at:
			return fmt.Errorf("expiry: node %d is due at %d, its deadline at %d", i, n.at, n.d.at)
		case n.seq == 0 || n.seq > h.seq:
			return fmt.Errorf("expiry: node %d has number %d of %d", i, n.seq, h.seq)
		case i > 0 && !less(&h.nodes[parent], n):
			return fmt.Errorf("expiry: node %d is before its parent %d", i, parent)
		}
	}
	if c := cap(h.nodes); c > minCap && len(h.nodes) < c/8 {
		return fmt.Errorf("expiry: an array of %d for %d deadlines", c, len(h.nodes))
	}
	return nil
}

// index returns where d is, or -1 when it is not in this heap.
func (h *Heap[T]) index(d *Deadline[T]) int {
	if i := d.place - 1; i >= 0 && i < len(h.nodes) && h.nodes[i].d == d {
		return i
	}
	return -1
}

func less[T any](a, b *node[T]) bool {
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}

// put stores n at i and tells its deadline.
func (h *Heap[T]) put(i int, n node[T]) {
	h.nodes[i] = n
	n.d.place = i + 1
}

// settle stores n at i, whose old content is gone, and restores the order.
func (h *Heap[T]) settle(i int, n node[T]) {
	if i > 0 && less(&n, &h.nodes[(i-1)/arity]) {
		h.up(i, n)
	} else {
		h.down(i, n)
	}
}

// up moves the gap at i towards the root until n fits in it.
func (h *Heap[T]) up(i int, n node[T]) {
	for i > 0 {
		parent := (i - 1) / arity
		if !less(&n, &h.nodes[parent]) {
			break
		}
		h.put(i, h.nodes[parent])
		i = parent
	}
	h.put(i, n)
}

// down moves the gap at i towards the leaves until n fits in it.
func (h *Heap[T]) down(i int, n node[T]) {
	for {
		first := arity*i + 1
		if first >= len(h.nodes) {
			break
		}
		children := h.nodes[first:min(first+arity, len(h.nodes))]
		least, at, seq := 0, children[0].at, children[0].seq
		for c := 1; c < len(children); c++ {
			if child := &children[c]; child.at < at || child.at == at && child.seq < seq {
				least, at, seq = c, child.at, child.seq
			}
		}
		if n.at < at || n.at == at && n.seq < seq {
			break
		}
		h.put(i, children[least])
		i = first + least
	}
	h.put(i, n)
}

// shrink halves the array once three quarters of it are empty.
func (h *Heap[T]) shrink() {
	if c := cap(h.nodes); c > minCap && len(h.nodes) <= c/4 {
		h.nodes = append(make([]node[T], 0, max(c/2, minCap)), h.nodes...)
	}
}

package expiry

import (
	"cmp"
	"iter"
	"slices"
)

// An Order is the deadlines that a heap held at one moment. It costs a copy of
// the heap's array to take, and is put in order when first asked for; what
// happens to the heap and its deadlines afterwards does not touch it.
type Order[T any] struct {
	nodes  []node[T]
	sorted bool
}

// Order returns the heap's deadlines as they are now.
func (h *Heap[T]) Order() *Order[T] { return &Order[T]{nodes: slices.Clone(h.nodes)} }

// All yields each deadline's time and owner in the order in which they would
// leave. Adding them to an empty heap in this order gives a heap that behaves
// as the one they came from.
func (o *Order[T]) All() iter.Seq2[int64, T] {
	if !o.sorted {
		o.sorted = true
		slices.SortFunc(o.nodes, func(a, b node[T]) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.seq, b.seq))
		})
	}
	return func(yield func(int64, T) bool) {
		for i := range o.nodes {
			if !yield(o.nodes[i].at, o.nodes[i].d.Owner) {
				return
			}
		}
	}
}

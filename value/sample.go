package value

import (
	"iter"
	"unsafe"
)

// draw chooses count out of total things that come one after the other, each
// choice of count as likely as any other.
type draw struct {
	need, left uint64
	rnd        func(n uint64) uint64
}

func newDraw(count, total int, rnd func(n uint64) uint64) draw {
	return draw{need: uint64(min(max(count, 0), total)), left: uint64(total), rnd: rnd}
}

// next tells whether the thing that comes next is chosen.
func (d *draw) next() bool {
	if d.need == 0 {
		return false
	}
	d.left--
	if d.need <= d.left && d.rnd(d.left+1) >= d.need {
		return false
	}
	d.need--
	return true
}

// sampleShare decides how to sample: a draw over all things costs as much as
// there are, picking at random and remembering what was picked costs more a piece
// and more with each piece.
const sampleShare = 3

// Sample yields count different nodes, or all if there are fewer. The table must
// not change meanwhile.
func (t *Table[E]) Sample(count int, rnd func(n uint64) uint64) iter.Seq[*Node[E]] {
	return func(yield func(*Node[E]) bool) {
		if count > t.used/sampleShare {
			draw := newDraw(count, t.used, rnd)
			for n := range t.All() {
				if draw.next() && !yield(n) {
					return
				}
			}
			return
		}
		picked := make(map[*Node[E]]struct{}, max(count, 0))
		for len(picked) < count {
			n := t.Random(rnd)
			if _, again := picked[n]; again {
				continue
			}
			picked[n] = struct{}{}
			if !yield(n) {
				return
			}
		}
	}
}

// memory is about the bytes that the table takes, without what its nodes point to.
// It follows from their number alone, which reading the table leaves as it is.
func (t *Table[E]) memory() int {
	return int(unsafe.Sizeof(*t)) + t.used*allocated(int(unsafe.Sizeof(Node[E]{}))) + int(roundUp(uint64(t.used)))*int(unsafe.Sizeof(uintptr(0)))
}

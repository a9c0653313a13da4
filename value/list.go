package value

import (
	"bytes"
	"fmt"
	"iter"
	"unsafe"
)

// List is a list: while small one packed run, then a chain of them (see
// quicklist), and that it stays. Both ends are O(1).
//
// Elements given out alias the list: they are read-only and valid until the list
// changes. (Those above 8 kB stay valid and unchanged for good.) Elements given
// in are copied and must not alias this list. A List is a [Body]: see there what
// copying it means.
type List Body

// listRunMax is the size up to which a list is one run, both ends of which are
// cheap to change. OBJECT ENCODING does not tell of it.
const listRunMax = 512

// NewList returns an empty list.
func NewList() *List { return new(List) }

// large is the structure of a large list, nil while it is packed.
func (l *List) large() *quicklist {
	if l.n == indexed && l.p != nil {
		return (*quicklist)(l.p)
	}
	return nil
}

// block is the run of a packed list.
func (l *List) block() block {
	b := (*Body)(l)
	return block{buf: b.run(), count: b.count()}
}

// Len is the number of elements.
func (l *List) Len() int {
	if q := l.large(); q != nil {
		return q.size
	}
	return (*Body)(l).count()
}

// with answers the structure of a large list, and makes it where one more element
// is too much for a run.
func (l *List) with(elem []byte) *quicklist {
	q := l.large()
	if q == nil && (*Body)(l).size()+entrySize(elem) > listRunMax {
		q = new(quicklist)
		if b := l.block(); b.count > 0 {
			q.size, q.bytes = b.count, b.size()
			q.all = []block{b}
		}
		*l = List{unsafe.Pointer(q), indexed}
	}
	return q
}

// put puts elem into the run at off.
func (l *List) put(off int, elem []byte) {
	b := (*Body)(l)
	putEntry(b.splice(off, 0, entrySize(elem)), elem)
	b.setCount(b.count() + 1)
}

// cut takes out n elements of the run, which stand from off to end.
func (l *List) cut(off, end, n int) {
	b := (*Body)(l)
	b.splice(off, end-off, 0)
	b.setCount(b.count() - n)
}

// PushFront adds elem at the head.
func (l *List) PushFront(elem []byte) {
	if q := l.with(elem); q != nil {
		q.pushFront(elem)
		return
	}
	l.put(0, elem)
}

// PushBack adds elem at the tail.
func (l *List) PushBack(elem []byte) {
	if q := l.with(elem); q != nil {
		q.pushBack(elem)
		return
	}
	l.put((*Body)(l).size(), elem)
}

// PopFront takes the first element; ok is false if the list is empty.
func (l *List) PopFront() (elem []byte, ok bool) {
	if l.Len() == 0 {
		return nil, false
	}
	if q := l.large(); q != nil {
		return q.popFront(), true
	}
	run := (*Body)(l).run()
	first, next := entryAt(run, 0)
	var room [listRunMax]byte
	kept := room[:copy(room[:], first)]
	l.cut(0, next, 1)
	elem = run[len(run)-len(kept):] // where nothing stands any more
	copy(elem, kept)
	return elem, true
}

// PopBack takes the last element; ok is false if the list is empty.
func (l *List) PopBack() (elem []byte, ok bool) {
	if l.Len() == 0 {
		return nil, false
	}
	if q := l.large(); q != nil {
		return q.popBack(), true
	}
	run := (*Body)(l).run()
	elem, start := entryBefore(run, len(run))
	l.cut(start, len(run), 1)
	return elem, true
}

// Index returns element i, counted from the tail when negative.
func (l *List) Index(i int) (elem []byte, ok bool) {
	if i < 0 {
		i += l.Len()
	}
	if i < 0 || i >= l.Len() {
		return nil, false
	}
	if q := l.large(); q != nil {
		return q.index(i), true
	}
	b := l.block()
	elem, _ = entryAt(b.buf, b.offset(i))
	return elem, true
}

// Set replaces element i, counted from the tail when negative; ok is false out of
// range.
func (l *List) Set(i int, elem []byte) (ok bool) {
	old, ok := l.Index(i)
	if !ok {
		return false
	}
	if len(old) == len(elem) && len(old) < blockMax {
		copy(old, elem)
		return true
	}
	if i < 0 {
		i += l.Len()
	}
	l.Delete(i, 1)
	l.Insert(i, elem)
	return true
}

// Insert puts elem before element i; i may be the length.
func (l *List) Insert(i int, elem []byte) {
	switch i {
	case 0:
		l.PushFront(elem)
	case l.Len():
		l.PushBack(elem)
	default:
		if q := l.with(elem); q != nil {
			q.insert(i, elem)
			return
		}
		b := l.block()
		l.put(b.offset(i), elem)
	}
}

// InsertBefore puts elem before the first element equal to pivot; ok is false if
// there is none.
func (l *List) InsertBefore(pivot, elem []byte) (ok bool) { return l.insertNear(pivot, elem, 0) }

// InsertAfter puts elem after the first element equal to pivot; ok is false if
// there is none.
func (l *List) InsertAfter(pivot, elem []byte) (ok bool) { return l.insertNear(pivot, elem, 1) }

func (l *List) insertNear(pivot, elem []byte, after int) bool {
	for i, e := range l.All() {
		if bytes.Equal(e, pivot) {
			l.Insert(i+after, elem)
			return true
		}
	}
	return false
}

// Delete takes out count elements from element i on; both must be in range.
func (l *List) Delete(i, count int) {
	if count <= 0 {
		return
	}
	if q := l.large(); q != nil {
		q.delete(i, count)
		return
	}
	b := l.block()
	l.cut(b.offset(i), b.offset(i+count), count)
}

// Trim keeps the elements from start to stop only, both in range and in order;
// the others go.
func (l *List) Trim(start, stop int) {
	l.Delete(stop+1, l.Len()-stop-1)
	l.Delete(0, start)
}

// Remove takes out elements equal to elem, as LREM counts them: the first count
// ones, the last -count ones, or all when count is 0. It returns how many.
func (l *List) Remove(elem []byte, count int) (removed int) {
	last := count < 0
	limit := max(count, -count)
	if limit <= 0 {
		limit = l.Len()
	}
	if q := l.large(); q != nil {
		return q.remove(elem, limit, last)
	}
	b := l.block()
	end := len(b.buf)
	removed = b.remove(elem, limit, last)
	l.cut(len(b.buf), end, removed)
	return removed
}

// All yields the elements with their numbers from head to tail.
func (l *List) All() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		if q := l.large(); q != nil {
			q.forward(yield)
			return
		}
		b := l.block()
		b.forward(0, yield)
	}
}

// Backward yields the elements with their numbers from tail to head.
func (l *List) Backward() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		if q := l.large(); q != nil {
			q.backward(yield)
			return
		}
		b := l.block()
		b.backward(b.count-1, yield)
	}
}

// Range yields the elements from start to stop, both in range and in order.
func (l *List) Range(start, stop int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if start > stop {
			return
		}
		if q := l.large(); q != nil {
			q.between(start, stop, yield)
			return
		}
		b := l.block()
		off := b.offset(start)
		for range stop - start + 1 {
			var elem []byte
			if elem, off = entryAt(b.buf, off); !yield(elem) {
				return
			}
		}
	}
}

// Encoding is OBJECT ENCODING's answer.
func (l *List) Encoding() string { return "quicklist" }

// Clone is an independent copy.
func (l *List) Clone() *List {
	if q := l.large(); q != nil {
		return &List{unsafe.Pointer(q.clone()), indexed}
	}
	c := List((*Body)(l).cloneRun())
	return &c
}

// MemoryUsage is about the bytes that the list takes beside itself.
func (l *List) MemoryUsage() int {
	if q := l.large(); q != nil {
		return q.memory()
	}
	return (*Body)(l).runMemory()
}

// Check verifies the list's structure.
func (l *List) Check() error {
	if q := l.large(); q != nil {
		return q.check()
	}
	b := l.block()
	if b.size() > listRunMax {
		return fmt.Errorf("list: a run of %d bytes", b.size())
	}
	return b.check()
}

package value

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
)

// List is a list: blocks of packed elements in a slice that has room at both
// ends. Both ends are O(1). A place in the middle is found by adding up the
// blocks' counts and walking one block, and a change there moves one block's
// bytes.
//
// Elements given out alias the list: they are read-only and valid until the list
// changes. (Those above 8 kB stay valid and unchanged for good.) Elements given
// in are copied and must not alias this list.
type List struct {
	all  []block // the list is all[head:]
	head int
	size int
}

// NewList returns an empty list.
func NewList() *List { return &List{} }

// Len is the number of elements.
func (l *List) Len() int { return l.size }

func (l *List) blocks() []block { return l.all[l.head:] }

// PushFront adds elem at the head.
func (l *List) PushFront(elem []byte) {
	l.size++
	if b := l.blocks(); len(b) > 0 && b[0].takes(entrySize(elem)) {
		b[0].pushFront(elem)
		return
	}
	l.addBlock(0, newBlock(elem))
}

// PushBack adds elem at the tail.
func (l *List) PushBack(elem []byte) {
	l.size++
	b := l.blocks()
	if len(b) > 0 && b[len(b)-1].takes(entrySize(elem)) {
		b[len(b)-1].pushBack(elem)
		return
	}
	l.addBlock(len(b), newBlock(elem))
}

// PopFront takes the first element; ok is false if the list is empty.
func (l *List) PopFront() (elem []byte, ok bool) {
	if l.size == 0 {
		return nil, false
	}
	b := &l.blocks()[0]
	elem, next := entryAt(b.buf, b.start)
	b.start = next
	l.popped(b, 0)
	return elem, true
}

// PopBack takes the last element; ok is false if the list is empty.
func (l *List) PopBack() (elem []byte, ok bool) {
	if l.size == 0 {
		return nil, false
	}
	blocks := l.blocks()
	b := &blocks[len(blocks)-1]
	elem, start := entryBefore(b.buf, len(b.buf))
	b.buf = b.buf[:start]
	l.popped(b, len(blocks)-1)
	return elem, true
}

func (l *List) popped(b *block, i int) {
	b.count--
	l.size--
	if b.count == 0 {
		l.dropBlocks(i, i+1)
	}
}

// Index returns element i, counted from the tail when negative.
func (l *List) Index(i int) (elem []byte, ok bool) {
	if i < 0 {
		i += l.size
	}
	if i < 0 || i >= l.size {
		return nil, false
	}
	b, off, _ := l.locate(i)
	elem, _ = entryAt(l.blocks()[b].buf, off)
	return elem, true
}

// locate finds element i: its block, offset and number there.
func (l *List) locate(i int) (b, off, at int) {
	blocks := l.blocks()
	if i < l.size/2 {
		for i >= blocks[b].count {
			i -= blocks[b].count
			b++
		}
	} else {
		b, i = len(blocks)-1, i-l.size
		for i += blocks[b].count; i < 0; i += blocks[b].count {
			b--
		}
	}
	return b, blocks[b].offset(i), i
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
		i += l.size
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
	case l.size:
		l.PushBack(elem)
	default:
		b, off, at := l.locate(i)
		l.insertAt(b, off, at, elem)
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

// insertAt puts elem before the entry at off, the at-th of block i.
func (l *List) insertAt(i, off, at int, elem []byte) {
	l.size++
	size := entrySize(elem)
	blocks := l.blocks()
	b := &blocks[i]
	switch {
	case b.takes(size):
		b.insert(off, elem)
	case at == 0 && i > 0 && blocks[i-1].takes(size):
		blocks[i-1].pushBack(elem)
	case at == 0:
		l.addBlock(i, newBlock(elem))
	default:
		rest := b.split(off, at)
		if b.takes(size) {
			b.pushBack(elem)
		} else if rest.takes(size) {
			rest.pushFront(elem)
		} else {
			l.addBlock(i+1, newBlock(elem))
			i++
		}
		l.addBlock(i+1, rest)
	}
}

// Delete takes out count elements from element i on; both must be in range.
func (l *List) Delete(i, count int) {
	if count <= 0 {
		return
	}
	first, off, at := l.locate(i)
	l.size -= count
	blocks := l.blocks()
	b := first
	for ; count > 0; b++ {
		if b > first {
			off, at = blocks[b].start, 0
		}
		n := min(count, blocks[b].count-at)
		blocks[b].cut(off, at, n)
		count -= n
	}
	l.tidy(first, b)
}

// Trim keeps the elements from start to stop only, both in range and in order;
// the others go.
func (l *List) Trim(start, stop int) {
	l.Delete(stop+1, l.size-stop-1)
	l.Delete(0, start)
}

// Remove takes out elements equal to elem, as LREM counts them: the first count
// ones, the last -count ones, or all when count is 0. It returns how many.
func (l *List) Remove(elem []byte, count int) (removed int) {
	last := count < 0
	limit := max(count, -count)
	if limit <= 0 {
		limit = l.size
	}
	blocks := l.blocks()
	for i := range blocks {
		if removed == limit {
			break
		}
		if last {
			i = len(blocks) - 1 - i
		}
		removed += blocks[i].remove(elem, limit-removed, last)
	}
	l.size -= removed
	if removed > 0 {
		l.tidy(0, len(blocks))
	}
	return removed
}

// All yields the elements with their numbers from head to tail.
func (l *List) All() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		i := 0
		for _, b := range l.blocks() {
			for off := b.start; off < len(b.buf); i++ {
				var elem []byte
				elem, off = entryAt(b.buf, off)
				if !yield(i, elem) {
					return
				}
			}
		}
	}
}

// Backward yields the elements with their numbers from tail to head.
func (l *List) Backward() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		i := l.size - 1
		for _, b := range slices.Backward(l.blocks()) {
			for off := len(b.buf); off > b.start; i-- {
				var elem []byte
				elem, off = entryBefore(b.buf, off)
				if !yield(i, elem) {
					return
				}
			}
		}
	}
}

// Range yields the elements from start to stop, both in range and in order.
func (l *List) Range(start, stop int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if start > stop {
			return
		}
		b, off, _ := l.locate(start)
		for left := stop - start + 1; ; b++ {
			buf := l.blocks()[b].buf
			for off < len(buf) {
				var elem []byte
				elem, off = entryAt(buf, off)
				if left--; !yield(elem) || left == 0 {
					return
				}
			}
			off = l.blocks()[b+1].start
		}
	}
}

// Encoding is OBJECT ENCODING's answer.
func (l *List) Encoding() string { return "quicklist" }

// Clone is an independent copy.
func (l *List) Clone() *List {
	c := &List{all: make([]block, len(l.blocks())), size: l.size}
	for i, b := range l.blocks() {
		c.all[i] = b.clone()
	}
	return c
}

const (
	listHeader  = 40
	blockHeader = 40
)

// MemoryUsage is about the bytes in use.
func (l *List) MemoryUsage() int {
	sum := listHeader + cap(l.all)*blockHeader
	for _, b := range l.blocks() {
		sum += cap(b.buf)
	}
	return sum
}

// Check verifies the list's structure.
func (l *List) Check() error {
	size := 0
	for i, b := range l.blocks() {
		count := 0
		for off := b.start; off < len(b.buf); count++ {
			elem, next := entryAt(b.buf, off)
			if back, start := entryBefore(b.buf, next); start != off || len(back) != len(elem) {
				return fmt.Errorf("list: block %d: the entry at %d starts at %d from behind", i, off, start)
			}
			off = next
		}
		if count != b.count || count == 0 || count > 1 && b.size() > blockMax {
			return fmt.Errorf("list: block %d has %d entries in %d bytes, %d counted", i, count, b.size(), b.count)
		}
		size += count
	}
	if size != l.size {
		return fmt.Errorf("list: %d elements, %d counted", size, l.size)
	}
	return nil
}

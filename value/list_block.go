package value

import (
	"bytes"
	"fmt"
	"slices"
)

// block is one run of a list's elements. The run stands anywhere in its buffer,
// so both its ends can grow.
type block struct {
	buf   []byte // the run is buf[start:]
	start int
	count int
}

// blockMax is the size up to which a run takes more elements. An element that is
// larger has a block of its own, whose bytes are never changed in place.
const blockMax = 8192

func newBlock(elem []byte) block {
	b := block{buf: make([]byte, entrySize(elem)), count: 1}
	putEntry(b.buf, elem)
	return b
}

// newNeighbour is a block beside one that has become full at this end of the list,
// as it will soon be, too: it has all its room from the start. An element that
// takes much of that may be the last that fits.
func newNeighbour(elem []byte, full *block, front bool) block {
	size := entrySize(elem)
	if size > blockMax/8 || full.count == 1 {
		return newBlock(elem)
	}
	b := block{buf: make([]byte, blockMax), count: 1}
	if front {
		b.start = blockMax - size
	} else {
		b.buf = b.buf[:size]
	}
	putEntry(b.buf[b.start:], elem)
	return b
}

func (b *block) size() int { return len(b.buf) - b.start }

// takes tells whether the run may grow by size.
func (b *block) takes(size int) bool { return b.size()+size <= blockMax }

// capacity is the buffer to make for a run of size bytes that grows.
func (b *block) capacity(size int) int { return min(2*size, max(size, blockMax)) }

func (b *block) pushBack(elem []byte) {
	size := entrySize(elem)
	old := len(b.buf)
	if old+size > cap(b.buf) {
		used := b.size()
		to := b.buf[:cap(b.buf)]
		if need := used + size; need > cap(b.buf)/2 {
			to = make([]byte, b.capacity(need))
		}
		copy(to, b.buf[b.start:])
		b.buf, b.start, old = to, 0, used
	}
	b.buf = b.buf[:old+size]
	putEntry(b.buf[old:], elem)
	b.count++
}

func (b *block) pushFront(elem []byte) {
	size := entrySize(elem)
	if b.start < size {
		used := b.size()
		to := make([]byte, b.capacity(used+size))
		start := len(to) - used
		copy(to[start:], b.buf[b.start:])
		b.buf, b.start = to, start
	}
	b.start -= size
	putEntry(b.buf[b.start:], elem)
	b.count++
}

// insert puts elem where the entry at off starts.
func (b *block) insert(off int, elem []byte) {
	if off == b.start {
		b.pushFront(elem)
		return
	}
	size := entrySize(elem)
	tail := off - b.start
	old := b.size()
	if len(b.buf)+size > cap(b.buf) {
		to := make([]byte, old, b.capacity(old+size))
		copy(to, b.buf[b.start:])
		b.buf, b.start = to, 0
	}
	off = b.start + tail
	end := len(b.buf)
	b.buf = b.buf[:end+size]
	copy(b.buf[off+size:], b.buf[off:end])
	putEntry(b.buf[off:], elem)
	b.count++
}

// cut takes out n entries from off on, the at-th.
func (b *block) cut(off, at, n int) {
	switch {
	case at == 0 && n == b.count:
		b.buf, b.start = nil, 0
	case at == 0:
		b.start = b.offset(n)
	case at+n == b.count:
		b.buf = b.buf[:off]
	default:
		b.buf = append(b.buf[:off], b.buf[b.offset(at+n):]...)
	}
	b.count -= n
}

// offset is where entry i of the block starts, counted from the nearer end.
func (b *block) offset(i int) int {
	if i <= b.count/2 {
		off := b.start
		for range i {
			_, off = entryAt(b.buf, off)
		}
		return off
	}
	off := len(b.buf)
	for range b.count - i {
		_, off = entryBefore(b.buf, off)
	}
	return off
}

// split cuts the block before its entry at off, the i-th, and returns the rest.
func (b *block) split(off, i int) block {
	rest := block{buf: bytes.Clone(b.buf[off:]), count: b.count - i}
	b.buf, b.count = b.buf[:off], i
	return rest
}

// remove takes out up to limit entries equal to elem, the last ones if last, and
// returns how many.
func (b *block) remove(elem []byte, limit int, last bool) (removed int) {
	skip := 0
	if last {
		found := 0
		for off := b.start; off < len(b.buf); {
			var e []byte
			if e, off = entryAt(b.buf, off); bytes.Equal(e, elem) {
				found++
			}
		}
		skip = max(found-limit, 0)
	}
	to := b.start
	for off := b.start; off < len(b.buf); {
		e, next := entryAt(b.buf, off)
		if removed < limit && bytes.Equal(e, elem) {
			if skip--; skip < 0 {
				removed++
				off = next
				continue
			}
		}
		if to != off {
			copy(b.buf[to:], b.buf[off:next])
		}
		to += next - off
		off = next
	}
	b.buf = b.buf[:to]
	b.count -= removed
	return removed
}

// join puts other's entries behind b's.
func (b *block) join(other block) {
	b.buf = append(b.buf, other.buf[other.start:]...)
	b.count += other.count
}

func (b *block) clone() block {
	return block{buf: bytes.Clone(b.buf[b.start:]), count: b.count}
}

// forward yields the elements, of which the first has number i, and tells whether
// more are wanted.
func (b *block) forward(i int, yield func(int, []byte) bool) bool {
	for off := b.start; off < len(b.buf); i++ {
		var elem []byte
		if elem, off = entryAt(b.buf, off); !yield(i, elem) {
			return false
		}
	}
	return true
}

// backward is forward from the last element, which has number i.
func (b *block) backward(i int, yield func(int, []byte) bool) bool {
	for off := len(b.buf); off > b.start; i-- {
		var elem []byte
		if elem, off = entryBefore(b.buf, off); !yield(i, elem) {
			return false
		}
	}
	return true
}

// check verifies that the run can be walked in both directions.
func (b *block) check() error {
	count := 0
	for off := b.start; off < len(b.buf); count++ {
		elem, next := entryAt(b.buf, off)
		if back, start := entryBefore(b.buf, next); start != off || len(back) != len(elem) {
			return fmt.Errorf("list: the entry at %d starts at %d from behind", off, start)
		}
		off = next
	}
	if count != b.count {
		return fmt.Errorf("list: %d entries, %d counted", count, b.count)
	}
	return nil
}

// addBlock puts b before block i.
func (l *quicklist) addBlock(i int, b block) {
	if i > 0 || len(l.all) == 0 {
		l.all = slices.Insert(l.all, l.head+i, b)
		return
	}
	if l.head == 0 {
		room := len(l.all)/2 + 1
		all := make([]block, room+len(l.all))
		copy(all[room:], l.all)
		l.all, l.head = all, room
	}
	l.head--
	l.all[l.head] = b
}

// dropBlocks takes out the blocks from..to-1.
func (l *quicklist) dropBlocks(from, to int) {
	switch {
	case l.size == 0:
		l.all, l.head = nil, 0
	case from > 0:
		l.all = slices.Delete(l.all, l.head+from, l.head+to)
	default:
		clear(l.all[l.head : l.head+to])
		l.head += to
		if l.head > 16 && l.head > len(l.all)*3/4 {
			l.all, l.head = slices.Clone(l.blocks()), 0
		}
	}
}

// tidy drops emptied blocks among from..to-1 and joins small neighbours there.
func (l *quicklist) tidy(from, to int) {
	blocks := l.blocks()
	from, to = max(from-1, 0), min(to+1, len(blocks))
	end := from
	for i := from; i < to; i++ {
		switch {
		case blocks[i].count == 0:
		case end > from && blocks[end-1].size()+blocks[i].size() <= blockMax/2:
			blocks[end-1].join(blocks[i])
		default:
			blocks[end] = blocks[i]
			end++
		}
	}
	if end < to {
		l.dropBlocks(end, to)
	}
}

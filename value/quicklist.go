package value

import (
	"fmt"
	"slices"
	"unsafe"
)

// quicklist is a large list: blocks of packed elements in a slice that has room
// at both ends. Both ends are O(1). A place in the middle is found by adding up
// the blocks' counts and walking one block, and a change there moves one block's
// bytes.
type quicklist struct {
	all   []block // the list is all[head:]
	head  int
	size  int
	bytes int // of the blocks' runs
}

func (l *quicklist) blocks() []block { return l.all[l.head:] }

func (l *quicklist) pushFront(elem []byte) {
	l.size++
	l.bytes += entrySize(elem)
	b := l.blocks()
	switch {
	case len(b) == 0:
		l.addBlock(0, newBlock(elem))
	case b[0].takes(entrySize(elem)):
		b[0].pushFront(elem)
	default:
		l.addBlock(0, newNeighbour(elem, &b[0], true))
	}
}

func (l *quicklist) pushBack(elem []byte) {
	l.size++
	l.bytes += entrySize(elem)
	b := l.blocks()
	switch last := len(b) - 1; {
	case last < 0:
		l.addBlock(0, newBlock(elem))
	case b[last].takes(entrySize(elem)):
		b[last].pushBack(elem)
	default:
		l.addBlock(len(b), newNeighbour(elem, &b[last], false))
	}
}

func (l *quicklist) popFront() (elem []byte) {
	b := &l.blocks()[0]
	start := b.start
	elem, next := entryAt(b.buf, start)
	b.start = next
	l.popped(b, 0, next-start)
	return elem
}

func (l *quicklist) popBack() (elem []byte) {
	blocks := l.blocks()
	b := &blocks[len(blocks)-1]
	elem, start := entryBefore(b.buf, len(b.buf))
	end := len(b.buf)
	b.buf = b.buf[:start]
	l.popped(b, len(blocks)-1, end-start)
	return elem
}

func (l *quicklist) popped(b *block, i, bytes int) {
	b.count--
	l.size--
	l.bytes -= bytes
	if b.count == 0 {
		l.dropBlocks(i, i+1)
	}
}

// index returns element i, in range.
func (l *quicklist) index(i int) []byte {
	b, off, _ := l.locate(i)
	elem, _ := entryAt(l.blocks()[b].buf, off)
	return elem
}

// locate finds element i: its block, offset and number there.
func (l *quicklist) locate(i int) (b, off, at int) {
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

// insert puts elem before element at, in range.
func (l *quicklist) insert(at int, elem []byte) {
	i, off, at := l.locate(at)
	size := entrySize(elem)
	l.size++
	l.bytes += size
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

// delete takes out count elements from element i on; both must be in range, and
// count not 0.
func (l *quicklist) delete(i, count int) {
	first, off, at := l.locate(i)
	l.size -= count
	blocks := l.blocks()
	b := first
	for ; count > 0; b++ {
		if b > first {
			off, at = blocks[b].start, 0
		}
		n := min(count, blocks[b].count-at)
		l.bytes -= blocks[b].size()
		blocks[b].cut(off, at, n)
		l.bytes += blocks[b].size()
		count -= n
	}
	l.tidy(first, b)
}

// remove takes out up to limit elements equal to elem, the last ones if last, and
// returns how many.
func (l *quicklist) remove(elem []byte, limit int, last bool) (removed int) {
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
	l.bytes -= removed * entrySize(elem)
	if removed > 0 {
		l.tidy(0, len(blocks))
	}
	return removed
}

func (l *quicklist) forward(yield func(int, []byte) bool) {
	i := 0
	for _, b := range l.blocks() {
		if !b.forward(i, yield) {
			return
		}
		i += b.count
	}
}

func (l *quicklist) backward(yield func(int, []byte) bool) {
	i := l.size - 1
	for _, b := range slices.Backward(l.blocks()) {
		if !b.backward(i, yield) {
			return
		}
		i -= b.count
	}
}

// between yields the elements from start to stop.
func (l *quicklist) between(start, stop int, yield func([]byte) bool) {
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

func (l *quicklist) clone() *quicklist {
	c := &quicklist{all: make([]block, len(l.blocks())), size: l.size, bytes: l.bytes}
	for i, b := range l.blocks() {
		c.all[i] = b.clone()
	}
	return c
}

// memory is about the bytes that the list takes. Blocks grow by doubling and are
// full at blockMax, so a fraction of the largest is assumed to be unused.
func (l *quicklist) memory() int {
	return int(unsafe.Sizeof(*l)) + cap(l.all)*int(unsafe.Sizeof(block{})) + l.bytes + min(l.bytes/2, blockMax/2)
}

func (l *quicklist) check() error {
	size, bytes := 0, 0
	for i, b := range l.blocks() {
		if err := b.check(); err != nil {
			return fmt.Errorf("block %d: %w", i, err)
		}
		if b.count == 0 || b.count > 1 && b.size() > blockMax {
			return fmt.Errorf("list: block %d has %d entries in %d bytes", i, b.count, b.size())
		}
		size += b.count
		bytes += b.size()
	}
	if bytes != l.bytes {
		return fmt.Errorf("list: blocks of %d bytes, %d counted", bytes, l.bytes)
	}
	if size != l.size {
		return fmt.Errorf("list: %d elements, %d counted", size, l.size)
	}
	return nil
}

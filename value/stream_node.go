package value

import (
	"encoding/binary"
	"errors"
	"iter"
	"math"
)

// Streams as files and DUMP payloads have them: each block is a listpack under
// the ID of its master entry.

// Nodes yields the blocks in order: the master's ID, and the listpack, which is
// valid until the next one is yielded.
func (s *Stream) Nodes() iter.Seq2[StreamID, []byte] {
	return func(yield func(StreamID, []byte) bool) {
		var buf []byte
		for _, b := range s.blocks {
			buf = b.appendListpack(buf[:0])
			if !yield(b.id, buf) {
				return
			}
		}
	}
}

// appendListpack appends the block as a listpack.
func (b *streamBlock) appendListpack(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(b.size()))
	elements := b.elements()
	if elements >= math.MaxUint16 {
		elements = math.MaxUint16 // to be counted
	}
	dst = binary.LittleEndian.AppendUint16(dst, uint16(elements))
	dst = appendPackedInt(dst, int64(b.count))
	dst = appendPackedInt(dst, int64(b.deleted))
	dst = append(dst, b.body...)
	return append(dst, packEnd)
}

// elements is the number of elements of the block's listpack.
func (b *streamBlock) elements() int {
	n := 2
	for off := 0; off < len(b.body); n++ {
		_, off = packedAt(b.body, off)
	}
	return n
}

var errStreamNode = errors.New("stream: a node that is not sound")

// AddNode puts a block at the end, as Nodes yields it, with its entries. The
// bytes may be anything; an error leaves the stream as it was. The caller sets
// LastID, MaxDeletedID and Added, and calls Loaded at the end.
func (s *Stream) AddNode(id StreamID, listpack []byte) error {
	b := &streamBlock{id: id, last: id}
	if last := s.lastBlock(); last != nil && !last.last.Less(id) {
		return errStreamNode
	}
	n := len(listpack)
	if n < packHeader+1 || n > math.MaxUint32 || binary.LittleEndian.Uint32(listpack) != uint32(n) || listpack[n-1] != packEnd {
		return errStreamNode
	}
	elements := 0
	all := listpack[packHeader : n-1]
	for off := 0; off < len(all); elements++ {
		size, ok := packedSize(all, off)
		if !ok {
			return errStreamNode
		}
		off += size
	}
	if head := binary.LittleEndian.Uint16(listpack[4:]); head != math.MaxUint16 && int(head) != elements {
		return errStreamNode
	}
	if !b.load(nodeReader{b: all}) {
		return errStreamNode
	}
	s.appendBlock(b)
	s.length += b.count
	return nil
}

// Loaded says that all nodes were added, to a stream that was empty before; ok is
// false if an entry stands behind LastID.
func (s *Stream) Loaded() (ok bool) {
	s.findFirst()
	last := s.lastBlock()
	return last == nil || !s.LastID.Less(last.last)
}

// nodeReader reads the sound elements of a node, whatever they say.
type nodeReader struct {
	b   []byte
	off int
	bad bool
}

// int reads an element that must be an integer of at least lo and at most hi.
func (r *nodeReader) int(lo, hi int64) int64 {
	if r.bad || r.off >= len(r.b) {
		r.bad = true
		return 0
	}
	var e packedElement
	e, r.off = packedAt(r.b, r.off)
	if e.text != nil || e.num < lo || e.num > hi {
		r.bad = true
		return 0
	}
	return e.num
}

// skip passes over n elements.
func (r *nodeReader) skip(n int64) {
	for ; n > 0 && !r.bad; n-- {
		if r.off >= len(r.b) {
			r.bad = true
			return
		}
		_, r.off = packedAt(r.b, r.off)
	}
}

// load makes b the block that r reads; ok is false if that is none.
func (b *streamBlock) load(r nodeReader) (ok bool) {
	const most = math.MaxInt32
	count, deleted := r.int(0, most), r.int(0, most)
	body := r.off
	fields := r.int(0, most)
	r.skip(fields)
	r.int(0, 0)
	if r.bad {
		return false
	}
	b.body = append([]byte(nil), r.b[body:]...)
	b.first = r.off - body
	for r.off < len(r.b) {
		if !b.loadEntry(&r, fields, b.count+b.deleted == 0) {
			return false
		}
	}
	return int64(b.count) == count && int64(b.deleted) == deleted && count+deleted > 0
}

// loadEntry reads and counts an entry; its ID must be above those before.
func (b *streamBlock) loadEntry(r *nodeReader, fields int64, first bool) (ok bool) {
	if r.b[r.off] > entryDeleted|entrySameFields {
		return false // flags are one byte, to be changed in place
	}
	flags := r.int(0, entryDeleted|entrySameFields)
	ms, seq := r.int(math.MinInt64, math.MaxInt64), r.int(math.MinInt64, math.MaxInt64)
	elements := fields + 3
	if flags&entrySameFields != 0 {
		r.skip(fields)
	} else {
		n := r.int(0, math.MaxInt32)
		elements = 2*n + 4
		r.skip(2 * n)
	}
	r.int(elements, elements)
	id := StreamID{b.id.MS + uint64(ms), b.id.Seq + uint64(seq)}
	if r.bad || !first && !b.last.Less(id) || first && id.Less(b.id) {
		return false
	}
	b.last = id
	if flags&entryDeleted != 0 {
		b.deleted++
	} else {
		b.count++
	}
	return true
}

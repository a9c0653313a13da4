package value

import (
	"encoding/binary"
	"iter"
)

// Range yields the entries from from to to, both included, in order.
func (s *Stream) Range(from, to StreamID) iter.Seq[*StreamEntry] {
	return func(yield func(*StreamEntry) bool) {
		e := new(StreamEntry)
		for i := max(s.blockOf(from), 0); i < len(s.blocks); i++ {
			b := s.blocks[i]
			if to.Less(b.id) {
				return
			}
			if b.last.Less(from) {
				continue
			}
			for more := b.seek(e, from); more; more = e.next() {
				if to.Less(e.ID) || !e.deleted() && !yield(e) {
					return
				}
			}
		}
	}
}

// Backward yields the entries from to to from, both included, the last first.
func (s *Stream) Backward(from, to StreamID) iter.Seq[*StreamEntry] {
	return func(yield func(*StreamEntry) bool) {
		e := new(StreamEntry)
		for i := s.blockOf(to); i >= 0; i-- {
			b := s.blocks[i]
			if b.last.Less(from) {
				return
			}
			for end := len(b.body); end > b.first; end = e.off {
				e.read(b, b.entryBefore(end))
				switch {
				case e.ID.Less(from):
					return
				case to.Less(e.ID) || e.deleted():
				case !yield(e):
					return
				}
			}
		}
	}
}

// Get is the entry id, or nil. It is valid until the stream is changed.
func (s *Stream) Get(id StreamID) *StreamEntry {
	e := new(StreamEntry)
	if _, ok := s.find(e, id); !ok {
		return nil
	}
	return e
}

// Last is the ID of the last entry; ok is false if there is none.
func (s *Stream) Last() (id StreamID, ok bool) {
	for e := range s.Backward(StreamID{}, MaxStreamID) {
		return e.ID, true
	}
	return StreamID{}, false
}

// Count is the number of entries from from to to, both included, or limit if
// there are more. Whole blocks are not walked.
func (s *Stream) Count(from, to StreamID, limit int) (n int) {
	var e StreamEntry
	for i := max(s.blockOf(from), 0); i < len(s.blocks) && n < limit; i++ {
		b := s.blocks[i]
		switch {
		case to.Less(b.id):
			return n
		case b.last.Less(from):
			continue
		case !b.id.Less(from) && !to.Less(b.last):
			n += b.count
			continue
		}
		for more := b.seek(&e, from); more && !to.Less(e.ID) && n < limit; more = e.next() {
			if !e.deleted() {
				n++
			}
		}
	}
	return min(n, limit)
}

// NodeCount is the number of blocks, and that of the nodes which a radix tree of
// their IDs has, as Redis keeps them.
func (s *Stream) NodeCount() (blocks, treeNodes int) {
	keys := make([][16]byte, len(s.blocks))
	for i, b := range s.blocks {
		binary.BigEndian.PutUint64(keys[i][:8], b.id.MS)
		binary.BigEndian.PutUint64(keys[i][8:], b.id.Seq)
	}
	if len(keys) == 0 {
		return 0, 1
	}
	return len(keys), radixNodes(keys, 0)
}

// radixNodes counts the nodes of a radix tree of sorted keys from the depth-th
// byte on: one for the bytes that all have, or one that branches.
func radixNodes(keys [][16]byte, depth int) int {
	if depth == 16 {
		return 1
	}
	first, last := &keys[0], &keys[len(keys)-1]
	common := depth
	for common < 16 && first[common] == last[common] {
		common++
	}
	if common > depth {
		return 1 + radixNodes(keys, common)
	}
	n := 1
	for len(keys) > 0 {
		end := 1
		for end < len(keys) && keys[end][depth] == keys[0][depth] {
			end++
		}
		n += radixNodes(keys[:end], depth+1)
		keys = keys[end:]
	}
	return n
}

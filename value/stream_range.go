package value

import "iter"

// Range yields the entries from from to to, both included, in order.
func (s *Stream) Range(from, to StreamID) iter.Seq[*StreamEntry] {
	return func(yield func(*StreamEntry) bool) {
		e := new(StreamEntry)
		for i := max(s.blockOf(from), 0); i < len(s.blocks); i++ {
			b := s.blocks[i]
			if to.Less(b.id) {
				return
			}
			if b.last.Less(from) || !b.seek(e, from) {
				continue
			}
			for off := e.off; ; {
				if to.Less(e.ID) || !e.deleted() && !yield(e) {
					return
				}
				if off = e.end(); off == len(b.body) {
					break
				}
				e.read(b, off)
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

// Last is the ID of the last entry; ok is false if there is none.
func (s *Stream) Last() (id StreamID, ok bool) {
	for e := range s.Backward(StreamID{}, MaxStreamID) {
		return e.ID, true
	}
	return StreamID{}, false
}

package value

// StreamTrim says which of the oldest entries are to go.
type StreamTrim struct {
	// ByID: all before MinID go. Otherwise all but the last MaxLen.
	ByID   bool
	MaxLen int64
	MinID  StreamID
	// Approximate: only whole blocks go, as many as Limit entries allow (0: any
	// number).
	Approximate bool
	Limit       int64
	// Refs says what to do about groups.
	Refs RefPolicy
}

// Trim removes entries and returns how many.
func (s *Stream) Trim(t StreamTrim) (removed int64) {
	if t.Refs == KeepRefs || len(s.groups) == 0 {
		removed = s.trimBlocks(t)
	} else {
		removed = s.trimSingly(t)
	}
	if removed > 0 {
		s.findFirst()
	}
	return removed
}

// trimBlocks removes whole blocks as long as it can.
func (s *Stream) trimBlocks(t StreamTrim) (removed int64) {
	for len(s.blocks) > 0 && !t.done(s) {
		b := s.blocks[0]
		if !t.wants(s, b) {
			if !t.Approximate {
				removed += s.trimBlock(t)
			}
			break
		}
		if t.Approximate && t.Limit > 0 && removed+int64(b.count) > t.Limit {
			break
		}
		removed += int64(b.count)
		s.length -= b.count
		s.dropBlock(0)
	}
	return removed
}

// wants tells whether a whole block is to go.
func (t *StreamTrim) wants(s *Stream, b *streamBlock) bool {
	if t.ByID {
		return b.last.Less(t.MinID)
	}
	return int64(s.length-b.count) >= t.MaxLen
}

// trimBlock removes those entries of the first block that are to go.
func (s *Stream) trimBlock(t StreamTrim) (removed int64) {
	var e StreamEntry
	b := s.blocks[0]
	for off := b.first; off < len(b.body); off = e.end() {
		e.read(b, off)
		if t.ByID && !e.ID.Less(t.MinID) || t.done(s) {
			break
		}
		if !e.deleted() {
			b.mark(off)
			s.length--
			removed++
		}
	}
	return removed
}

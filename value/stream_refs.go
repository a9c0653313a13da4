package value

// RefPolicy says what a deletion does about groups in which the entry is pending.
type RefPolicy uint8

const (
	// KeepRefs deletes the entry and lets it stay pending.
	KeepRefs RefPolicy = iota
	// DeleteRefs makes it no longer pending in any group.
	DeleteRefs
	// OnlyAcked deletes only what every group has read and acknowledged.
	OnlyAcked
)

// Referenced tells whether a group has not read entry id yet, or not seen it
// acknowledged.
func (s *Stream) Referenced(id StreamID) bool {
	for _, g := range s.groups {
		if g.LastID.Less(id) || g.pending.get(id) != nil {
			return true
		}
	}
	return false
}

// DropRefs makes entry id no longer pending in any group.
func (s *Stream) DropRefs(id StreamID) {
	for _, g := range s.groups {
		g.Acknowledge(id)
	}
}

// trimSingly removes entries one by one, as a policy about groups wants it. An
// approximate trimming goes over the blocks that it would take as a whole; an
// entry that must stay keeps its block.
func (s *Stream) trimSingly(t StreamTrim) (removed int64) {
	var e StreamEntry
	for i := 0; i < len(s.blocks) && !t.done(s); {
		b := s.blocks[i]
		if t.Approximate && (!t.wants(s, b) || t.Limit > 0 && removed+int64(b.count) > t.Limit) {
			break
		}
		dropped := false
		for more := b.seek(&e, b.id); more && !dropped && !t.done(s); more = e.next() {
			if t.ByID && !e.ID.Less(t.MinID) {
				return removed
			}
			if e.deleted() || t.Refs == OnlyAcked && s.Referenced(e.ID) {
				continue
			}
			if t.Refs == DeleteRefs {
				s.DropRefs(e.ID)
			}
			dropped = s.remove(i, e.off)
			removed++
		}
		if !dropped {
			i++
		}
	}
	return removed
}

// done tells whether enough has been removed.
func (t *StreamTrim) done(s *Stream) bool { return !t.ByID && int64(s.length) <= t.MaxLen }

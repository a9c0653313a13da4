package value

// How far a group has read, counted in entries. The count is exact as long as
// nothing between the group and the end of the stream was deleted by name; where
// it was lost, it can be had again only at places where the stream can tell how
// many entries ever stood before an ID: at its ends.

// Advance notes that entry id, behind all those before, was delivered.
func (g *StreamGroup) Advance(s *Stream, id StreamID) {
	switch {
	case g.EntriesRead != UnknownEntriesRead && !s.tombstoneFrom(id):
		g.EntriesRead++
	case s.Added > 0:
		g.EntriesRead = s.addedUpTo(id)
	}
	g.LastID = id
}

// Lag is how many entries the group has still to read; ok is false if that
// cannot be told.
func (g *StreamGroup) Lag(s *Stream) (lag int64, ok bool) {
	if s.Added == 0 {
		return 0, true
	}
	read := g.EntriesRead
	if read == UnknownEntriesRead || s.tombstoneFrom(g.LastID) {
		read = s.addedUpTo(g.LastID)
	}
	return int64(s.Added) - read, read != UnknownEntriesRead
}

// tombstoneFrom tells whether an entry at or behind id may have been deleted by
// name, among those that are there.
func (s *Stream) tombstoneFrom(id StreamID) bool { return s.tombstone() && !s.MaxDeletedID.Less(id) }

func (s *Stream) tombstone() bool {
	return s.length > 0 && !s.MaxDeletedID.IsZero() && !s.MaxDeletedID.Less(s.first)
}

// addedUpTo is how many entries up to id were ever added, or UnknownEntriesRead.
func (s *Stream) addedUpTo(id StreamID) int64 {
	last := id.Compare(s.LastID)
	switch {
	case s.Added == 0:
		return 0
	case last == 0, s.length == 0 && last < 0:
		return int64(s.Added)
	case last > 0, s.tombstone():
		return UnknownEntriesRead
	}
	switch id.Compare(s.first) {
	case -1:
		return int64(s.Added) - int64(s.length)
	case 0:
		return int64(s.Added) - int64(s.length) + 1
	}
	return UnknownEntriesRead
}

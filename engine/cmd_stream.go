package engine

import (
	"math"

	"minikv/resp"
	"minikv/value"
)

func streamCommands() []*Command {
	rows := []*Command{
		{Name: "XLEN", Arity: 2, Flags: ReadOnly | Fast, Keys: key(1, RO), Group: Stream, Since: "5.0.0",
			Syntax: "key", Summary: "Answers the number of entries of a stream.", Complexity: "O(1)", Handler: cmdXLen},
		{Name: "XDEL", Arity: -3, Flags: Write | Fast, Keys: key(1, RW|Delete), Group: Stream, Since: "5.0.0",
			Syntax: "key id:string [id:string ...]", Summary: "Deletes entries by ID and answers how many there were.",
			Complexity: "O(1) for each ID", Handler: cmdXDel},
		{Name: "XSETID", Arity: -3, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Update), Group: Stream, Since: "5.0.0",
			Syntax:     "key last-id:string [ENTRIESADDED@7.0 entries-added:integer] [MAXDELETEDID@7.0 max-deleted-id:string]",
			Summary:    "Sets what a stream knows about its past. For replication.",
			Complexity: "O(1)", Handler: cmdXSetID},
	}
	for _, part := range [][]*Command{
		streamAdditions(), streamDeletions(), streamRanges(), streamReads(), streamGroups(), streamPendings(), streamClaims(), streamReturns(), streamIdempotence(), streamInfos(),
	} {
		rows = append(rows, part...)
	}
	return rows
}

// streamLimits says when a block of a stream is full.
func (c *Ctx) streamLimits() value.StreamLimits {
	return value.StreamLimits{NodeMaxBytes: c.e.conf.StreamNodeMaxBytes, NodeMaxEntries: c.e.conf.StreamNodeMaxEntries}
}

// streamToWrite is the stream in en, which is about to be changed.
func (c *Ctx) streamToWrite(en *Entry) *value.Stream { return c.db.write(en).Val.stream() }

// streamID is the next argument as the ID of an entry; a missing number is seq.
func (a *Scanner) streamID(seq uint64) value.StreamID {
	arg := a.Next()
	if a.err != nil {
		return value.StreamID{}
	}
	id, ok := value.ParseStreamID(arg, seq)
	if !ok {
		a.Fail(errStreamID)
	}
	return id
}

// streamIDs reads all that is left as IDs.
func (a *Scanner) streamIDs() (ids []value.StreamID, err error) {
	ids = make([]value.StreamID, 0, a.Left())
	for a.More() {
		ids = append(ids, a.streamID(0))
	}
	return ids, a.Err()
}

// rangeStart is the next argument as the start of a range of IDs: -, + or an
// ID, which "(" excludes.
func (a *Scanner) rangeStart() value.StreamID {
	id, open := a.rangeEnd(0)
	if open && a.err == nil {
		var ok bool
		if id, ok = id.Next(); !ok {
			a.Fail(errRangeStart)
		}
	}
	return id
}

// rangeStop is rangeStart for the end of a range.
func (a *Scanner) rangeStop() value.StreamID {
	id, open := a.rangeEnd(math.MaxUint64)
	if open && a.err == nil {
		var ok bool
		if id, ok = id.Prev(); !ok {
			a.Fail(errRangeStop)
		}
	}
	return id
}

func (a *Scanner) rangeEnd(seq uint64) (id value.StreamID, open bool) {
	switch arg := a.Next(); {
	case a.err != nil:
		return id, false
	case string(arg) == "-":
		return value.StreamID{}, false
	case string(arg) == "+":
		return value.MaxStreamID, false
	default:
		open = len(arg) > 1 && arg[0] == '('
		if open {
			arg = arg[1:]
		}
		var ok bool
		if id, ok = value.ParseStreamID(arg, seq); !ok {
			a.Fail(errStreamID)
		}
		return id, open
	}
}

// cText is an argument as C's printf shows it.
func cText(b []byte) string { return clip(b, len(b)) }

// bulkID answers an ID.
func (c *Ctx) bulkID(id value.StreamID) {
	const longest = 41
	var text [longest]byte
	var buf [longest + 16]byte
	c.out.Raw(resp.AppendBulk(buf[:0], id.Append(text[:0])))
}

// entry answers an entry: its ID, and its fields and values.
func (c *Ctx) entry(e *value.StreamEntry) {
	c.out.Array(2)
	c.bulkID(e.ID)
	c.pairs(e)
}

func (c *Ctx) pairs(e *value.StreamEntry) {
	c.out.Array(2 * e.Len())
	for field, val := range e.All {
		c.out.Bulk(field)
		c.out.Bulk(val)
	}
}

func cmdXLen(c *Ctx) error {
	en, err := c.Read(c.argv[1], value.KindStream)
	if err != nil || en == nil {
		return c.intOr(0, err)
	}
	return c.int(int64(en.Val.stream().Len()))
}

func cmdXDel(c *Ctx) error {
	a := c.Scan()
	key := a.Next()
	en, err := c.Write(key, value.KindStream)
	if err != nil || en == nil {
		return c.intOr(0, err)
	}
	ids, err := a.streamIDs()
	if err != nil {
		return err
	}
	s := c.streamToWrite(en)
	n := int64(0)
	for _, id := range ids {
		if s.Delete(id) {
			n++
		}
	}
	if n > 0 {
		c.streamShrunk(key, "xdel", n)
	}
	return c.int(n)
}

// streamShrunk says that n entries went.
func (c *Ctx) streamShrunk(key []byte, event string, n int64) {
	c.db.changed(key, ClassStream, event)
	c.e.stats.dirty += n - 1
}

// past is the arguments of XSETID: what a stream is to know of its past.
type past struct {
	last    value.StreamID
	added   int64 // or -1
	deleted value.StreamID
}

func (a *Scanner) past() (p past, err error) {
	p = past{last: a.streamID(0), added: -1}
	for a.More() {
		switch {
		case a.WordWith("ENTRIESADDED", 1):
			if p.added = a.Int(); p.added < 0 {
				a.Fail(errEntriesAdded)
			}
		case a.WordWith("MAXDELETEDID", 1):
			if p.deleted = a.streamID(0); p.last.Less(p.deleted) {
				a.Fail(errSetIDDeleted)
			}
		default:
			a.Syntax()
		}
	}
	return p, a.Err()
}

func cmdXSetID(c *Ctx) error {
	a := c.Scan()
	key := a.Next()
	p, err := a.past()
	if err != nil {
		return err
	}
	en, err := c.Write(key, value.KindStream)
	switch {
	case err != nil:
		return err
	case en == nil:
		return errNoSuchKey
	}
	s := en.Val.stream()
	switch last, ok := s.Last(); {
	case ok && p.last.Less(last):
		return errSetIDTop
	case p.added >= 0 && p.added < int64(s.Len()):
		return errSetIDLength
	}
	s = c.streamToWrite(en)
	s.LastID = p.last
	if p.added >= 0 {
		s.Added = uint64(p.added)
	}
	if !p.deleted.IsZero() {
		s.MaxDeletedID = p.deleted
	}
	c.db.noticed(key, ClassStream, "xsetid")
	return c.ok()
}

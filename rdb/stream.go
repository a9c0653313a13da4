package rdb

import (
	"encoding/binary"
	"math"

	"minikv/value"
)

// A stream is its blocks, each an ID and a listpack, then what it knows of
// itself, then its groups.
//
//	number of blocks | ID, listpack ... | length | last ID |
//	first ID | greatest deleted ID | entries added |                  (from stream2 on)
//	number of groups | groups
//
//	group:    name | last ID | entries read (from stream2 on) |
//	          number pending | ID (16), time (8), deliveries ... |
//	          number of consumers | consumers
//	consumer: name | seen (8) | active (8; from stream3 on) | number pending | ID (16) ...
//
// Entries that are pending for nobody, since XNACK gave them back, would be fatal to
// a server that does not know of such: a stream with some is written as streamOwn,
// which otherwise is stream3, and read nowhere else.
//
// An ID is two lengths, or where 16 stands, two numbers of 8 bytes, high first.
//
// Groups and consumers stand in the order of their names, and pending entries in
// that of their IDs. It is asked for, so that no order makes reading slow.
//
// DIFFERS: RESTORE refuses a stream whose groups, consumers or pending entries are out of order, as no server writes them, while Redis takes them in any order.
//
// DIFFERS: RESTORE refuses a stream whose entries are out of order, lie behind its last ID or are not as many as it says, or of which a group has read fewer than no entries; Redis takes it, and keeps the contradiction.
//
// DIFFERS: DUMP writes streams with entries that XNACK has given back in a form of minikv's own, that no other server can restore, and leaves out what XADD with IDMP has remembered.
const typeStreamOwn = 129

// nobodys tells whether entries of a stream are pending for nobody.
func nobodys(s *value.Stream) bool {
	for _, g := range s.Groups() {
		left := g.PendingLen()
		for _, c := range g.Consumers() {
			left -= c.PendingLen()
		}
		if left > 0 {
			return true
		}
	}
	return false
}

func appendID(b []byte, id value.StreamID) []byte {
	return appendLength(appendLength(b, id.MS), id.Seq)
}

func appendFullID(b []byte, id value.StreamID) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, id.MS), id.Seq)
}

func appendTime(b []byte, ms int64) []byte { return binary.LittleEndian.AppendUint64(b, uint64(ms)) }

func (e *Encoder) appendStream(b []byte, s *value.Stream) []byte {
	start, nodes := len(b), uint64(0)
	var key [16]byte
	for id, listpack := range s.Nodes() {
		b = e.appendText(b, appendFullID(key[:0], id))
		b = e.appendText(b, listpack)
		nodes++
	}
	b = insertLength(b, start, nodes)
	b = appendLength(b, uint64(s.Len()))
	b = appendID(b, s.LastID)
	b = appendID(b, s.FirstID())
	b = appendID(b, s.MaxDeletedID)
	b = appendLength(b, s.Added)
	b = appendLength(b, uint64(len(s.Groups())))
	own := nobodys(s)
	for _, g := range s.Groups() {
		b = e.appendGroup(b, g, own)
	}
	return b
}

// appendGroup appends a group; active: also when its consumers were active.
func (e *Encoder) appendGroup(b []byte, g *value.StreamGroup, active bool) []byte {
	b = e.appendText(b, []byte(g.Name()))
	b = appendID(b, g.LastID)
	b = appendLength(b, uint64(g.EntriesRead))
	b = appendLength(b, uint64(g.PendingLen()))
	for p := range g.Pending(value.StreamID{}) {
		b = appendFullID(b, p.ID)
		b = appendTime(b, p.Time)
		b = appendLength(b, uint64(p.Count))
	}
	b = appendLength(b, uint64(len(g.Consumers())))
	for _, c := range g.Consumers() {
		b = e.appendText(b, []byte(c.Name()))
		b = appendTime(b, c.Seen)
		if active {
			b = appendTime(b, c.Active)
		}
		b = appendLength(b, uint64(c.PendingLen()))
		for p := range c.Pending(value.StreamID{}) {
			b = appendFullID(b, p.ID)
		}
	}
	return b
}

func (d *decoder) id() value.StreamID {
	ms := d.length()
	return value.StreamID{MS: ms, Seq: d.length()}
}

func fullID(b []byte) value.StreamID {
	return value.StreamID{MS: binary.BigEndian.Uint64(b), Seq: binary.BigEndian.Uint64(b[8:])}
}

// fullID reads an ID of 16 bytes.
func (d *decoder) fullID() value.StreamID {
	if b := d.take(16); b != nil {
		return fullID(b)
	}
	return value.StreamID{}
}

func (d *decoder) time() int64 { return int64(d.uint64()) }

// count reads a length that counts something, at least lo.
func (d *decoder) count(lo int64) int64 {
	n := int64(d.length())
	if n < lo {
		d.fail(formatError("%d is no number of things", n))
	}
	return n
}

func (d *decoder) stream(typ byte) *value.Stream {
	s := value.NewStream()
	d.streamNodes(s)
	length := d.length()
	s.LastID = d.id()
	if d.err == nil && (length != uint64(s.Len()) || !s.Loaded()) {
		d.fail(formatError("a stream says it has %d entries up to %v", length, s.LastID))
	}
	s.Added = uint64(s.Len())
	if typ != typeStream1 {
		d.id() // of the first entry, which is known
		s.MaxDeletedID = d.id()
		s.Added = d.length()
	}
	for n := d.length(); n > 0 && d.err == nil; n-- {
		d.group(s, typ)
	}
	if d.err == nil && typ != typeStreamOwn && nobodys(s) {
		d.fail(formatError("entries are pending for nobody"))
	}
	return s
}

func (d *decoder) streamNodes(s *value.Stream) {
	for n := d.length(); n > 0 && d.err == nil; n-- {
		key := d.text()
		if len(key) != 16 {
			d.fail(formatError("the ID of a stream's block has %d bytes", len(key)))
			return
		}
		id := fullID(key)
		if listpack := d.text(); d.err == nil {
			if err := s.AddNode(id, listpack); err != nil {
				d.fail(formatError("block %v: %v", id, err))
			}
		}
	}
}

func (d *decoder) group(s *value.Stream, typ byte) {
	d.field = append(d.field[:0], d.text()...)
	last := d.id()
	read := entriesRead(s, last)
	if typ != typeStream1 {
		read = d.count(value.UnknownEntriesRead)
	}
	if d.err != nil {
		return
	}
	if groups := s.Groups(); len(groups) > 0 && groups[len(groups)-1].Name() >= string(d.field) {
		d.fail(formatError("group %.64q stands twice or in a wrong place", d.field))
		return
	}
	g := s.AddGroup(d.field, last, read)
	for n := d.length(); n > 0 && d.err == nil; n-- {
		id, at, count := d.fullID(), d.time(), d.count(0)
		if p := g.LastPending(); d.err == nil && p != nil && !p.ID.Less(id) {
			d.fail(formatError("pending entry %v follows %v", id, p.ID))
		} else if d.err == nil {
			g.Assign(id, nil, at, count)
		}
	}
	for n := d.length(); n > 0 && d.err == nil; n-- {
		d.consumer(g, typ)
	}
}

func (d *decoder) consumer(g *value.StreamGroup, typ byte) {
	d.field = append(d.field[:0], d.text()...)
	seen := d.time()
	active := seen
	if typ == typeStream3 || typ == typeStreamOwn {
		active = d.time()
	}
	if d.err != nil {
		return
	}
	if consumers := g.Consumers(); len(consumers) > 0 && consumers[len(consumers)-1].Name() >= string(d.field) {
		d.fail(formatError("consumer %.64q stands twice or in a wrong place", d.field))
		return
	}
	c := g.AddConsumer(d.field, seen)
	c.Active = active
	var last value.StreamID
	for n := d.length(); n > 0 && d.err == nil; n-- {
		id := d.fullID()
		p := g.PendingAt(id)
		switch {
		case d.err != nil:
		case c.PendingLen() > 0 && !last.Less(id):
			d.fail(formatError("pending entry %v follows %v", id, last))
		case p == nil || p.Consumer != nil:
			d.fail(formatError("entry %v is not pending for consumer %.64q alone", id, c.Name()))
		default:
			g.Assign(id, c, p.Time, p.Count)
			last = id
		}
	}
}

// entriesRead is what a group of a stream whose entries were never counted must
// have read up to an ID, as far as that can be told.
func entriesRead(s *value.Stream, id value.StreamID) int64 {
	switch added := int64(min(s.Added, math.MaxInt64)); {
	case added == 0:
		return 0
	case id == s.LastID:
		return added
	case s.LastID.Less(id):
		return value.UnknownEntriesRead
	case id.Less(s.FirstID()):
		return 0
	case id == s.FirstID():
		return 1
	}
	return value.UnknownEntriesRead
}

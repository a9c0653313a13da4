package value

import (
	"fmt"
	"slices"
	"sort"
)

// Stream is a stream: entries ordered by ID, in blocks that are found by binary
// search, and its consumer groups. Both ends are O(1).
//
// When a block is full decides what approximate trimming leaves, which whole
// blocks alone go for: see [StreamLimits].
type Stream struct {
	blocks []*streamBlock // ordered
	bytes  int            // of the blocks
	length int
	first  StreamID // of the first entry; 0-0 when empty
	groups []*StreamGroup
	idmp   *idempotence // nil: never used

	// LastID is the greatest ID that was ever given, a lower bound of new ones.
	LastID StreamID
	// MaxDeletedID is the greatest ID that was deleted by name.
	MaxDeletedID StreamID
	// Added counts the entries that were ever added.
	Added uint64
}

// StreamLimits says when a block is full: the settings stream-node-max-bytes and
// stream-node-max-entries. Zero is no limit.
type StreamLimits struct {
	NodeMaxBytes   int64
	NodeMaxEntries int64
}

// DefaultStreamLimits is Redis's default configuration.
func DefaultStreamLimits() StreamLimits {
	return StreamLimits{NodeMaxBytes: 4096, NodeMaxEntries: 100}
}

// maxStreamBlock is the size that no block grows above, whatever the limits say.
const maxStreamBlock = 1 << 30

// NewStream returns an empty stream.
func NewStream() *Stream { return new(Stream) }

// Len is the number of entries.
func (s *Stream) Len() int { return s.length }

// FirstID is the ID of the first entry, 0-0 if there is none.
func (s *Stream) FirstID() StreamID { return s.first }

// StreamTakes tells whether fields and values are small enough to be stored.
func StreamTakes(pairs [][]byte) bool { return pairsSize(pairs) <= maxStreamBlock }

func pairsSize(pairs [][]byte) (size int) {
	for _, p := range pairs {
		size += len(p)
	}
	return size
}

// Add puts an entry at the end: id must be greater than LastID, and pairs holds
// fields and values in turn, which StreamTakes.
func (s *Stream) Add(limits StreamLimits, id StreamID, pairs [][]byte) {
	b := s.lastBlock()
	if b == nil || !limits.take(b, pairsSize(pairs)) {
		if b != nil {
			s.bytes -= b.memory()
			b.shrink()
			s.bytes += b.memory()
		}
		b = newStreamBlock(id, pairs)
		s.appendBlock(b)
	}
	s.bytes -= b.memory()
	b.add(id, pairs)
	s.bytes += b.memory()
	if s.length == 0 {
		s.first = id
	}
	s.length++
	s.Added++
	s.LastID = id
}

func (s *Stream) appendBlock(b *streamBlock) {
	s.blocks = append(s.blocks, b)
	s.bytes += b.memory()
}

func (s *Stream) lastBlock() *streamBlock {
	if len(s.blocks) == 0 {
		return nil
	}
	return s.blocks[len(s.blocks)-1]
}

// take tells whether a block may grow by an entry with size bytes of fields and
// values.
func (l StreamLimits) take(b *streamBlock, size int) bool {
	limit := int64(maxStreamBlock)
	if l.NodeMaxBytes > 0 {
		limit = min(limit, l.NodeMaxBytes)
	}
	if int64(b.size()+size) >= limit {
		return false
	}
	return l.NodeMaxEntries <= 0 || int64(b.count+b.deleted) < l.NodeMaxEntries
}

// blockOf is the number of the block in whose range id falls: the last one that
// does not begin behind it, -1 if all do.
func (s *Stream) blockOf(id StreamID) int {
	return sort.Search(len(s.blocks), func(i int) bool { return id.Less(s.blocks[i].id) }) - 1
}

// find makes e the entry id.
func (s *Stream) find(e *StreamEntry, id StreamID) (block int, ok bool) {
	block = s.blockOf(id)
	if block < 0 || s.blocks[block].last.Less(id) {
		return block, false
	}
	ok = s.blocks[block].seek(e, id)
	return block, ok && e.ID == id && !e.deleted()
}

// Has tells whether the stream has an entry.
func (s *Stream) Has(id StreamID) bool {
	var e StreamEntry
	_, ok := s.find(&e, id)
	return ok
}

// Delete removes the entry id, and notes that it was deleted by name; ok is
// false if there is none.
func (s *Stream) Delete(id StreamID) (ok bool) {
	var e StreamEntry
	i, ok := s.find(&e, id)
	if !ok {
		return false
	}
	s.remove(i, e.off)
	if s.MaxDeletedID.Less(id) {
		s.MaxDeletedID = id
	}
	if s.first == id {
		s.findFirst()
	}
	return true
}

// remove takes out the entry at off of block i, and the block if it was its last.
func (s *Stream) remove(i, off int) (emptied bool) {
	b := s.blocks[i]
	s.length--
	if b.count > 1 {
		b.mark(off)
		return false
	}
	s.dropBlock(i)
	return true
}

func (s *Stream) dropBlock(i int) {
	s.bytes -= s.blocks[i].memory()
	if i > 0 {
		s.blocks = slices.Delete(s.blocks, i, i+1)
		return
	}
	s.blocks[0] = nil
	if s.blocks = s.blocks[1:]; len(s.blocks) == 0 {
		s.blocks = nil
	}
}

// findFirst finds the ID of the first entry anew.
func (s *Stream) findFirst() {
	s.first = StreamID{}
	for e := range s.Range(StreamID{}, MaxStreamID) {
		s.first = e.ID
		break
	}
}

// Encoding is OBJECT ENCODING's answer.
func (s *Stream) Encoding() string { return "stream" }

// Clone is an independent copy.
func (s *Stream) Clone() *Stream {
	c := *s
	c.blocks, c.bytes = make([]*streamBlock, 0, len(s.blocks)), 0
	for _, b := range s.blocks {
		c.appendBlock(b.clone())
	}
	c.idmp = s.idmp.clone()
	c.groups = nil
	for _, g := range s.groups {
		c.groups = append(c.groups, g.clone())
	}
	return &c
}

const (
	streamHeader      = 136
	streamBlockHeader = 88
)

// memory is the bytes that a block takes.
func (b *streamBlock) memory() int { return streamBlockHeader + cap(b.body) }

// MemoryUsage is about the bytes in use.
func (s *Stream) MemoryUsage() int {
	sum := streamHeader + cap(s.blocks)*8 + s.bytes + s.idmp.memoryUsage()
	for _, g := range s.groups {
		sum += g.memoryUsage()
	}
	return sum
}

// Check verifies the stream's structure.
func (s *Stream) Check() error {
	length, size := 0, 0
	var before StreamID
	for i, b := range s.blocks {
		if i > 0 && !before.Less(b.id) {
			return fmt.Errorf("stream: block %v follows entry %v", b.id, before)
		}
		if err := b.check(); err != nil {
			return fmt.Errorf("stream: block %v: %w", b.id, err)
		}
		length += b.count
		size += b.memory()
		before = b.last
	}
	first := s.first
	last, live := s.Last()
	c := *s
	c.findFirst()
	switch {
	case length != s.length:
		return fmt.Errorf("stream: %d entries, %d counted", length, s.length)
	case size != s.bytes:
		return fmt.Errorf("stream: blocks of %d bytes, %d counted", size, s.bytes)
	case live && s.LastID.Less(last): // XSETID may go back behind what was deleted
		return fmt.Errorf("stream: entry %v is behind the last ID %v", last, s.LastID)
	case c.first != first:
		return fmt.Errorf("stream: the first entry is %v, not %v", c.first, first)
	}
	if err := s.idmp.check(); err != nil {
		return err
	}
	return s.checkGroups()
}

// check verifies a block's structure: that it can be walked both ways, and counts.
func (b *streamBlock) check() error {
	var e StreamEntry
	count, deleted := 0, 0
	at := b.id
	for off := b.first; off < len(b.body); off = e.end() {
		e.read(b, off)
		if start := b.entryBefore(e.end()); start != off {
			return fmt.Errorf("the entry at %d starts at %d from behind", off, start)
		}
		if off > b.first && !at.Less(e.ID) {
			return fmt.Errorf("entry %v follows %v", e.ID, at)
		}
		if at = e.ID; e.deleted() {
			deleted++
		} else {
			count++
		}
	}
	switch {
	case count != b.count || deleted != b.deleted:
		return fmt.Errorf("%d entries and %d deleted, %d and %d counted", count, deleted, b.count, b.deleted)
	case at != b.last:
		return fmt.Errorf("the last entry is %v, not %v", at, b.last)
	}
	return nil
}

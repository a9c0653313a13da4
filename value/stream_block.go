package value

import "bytes"

// streamBlock is a run of a stream's entries, the elements of a listpack of
// Redis without its head: a master entry, which names the fields of the first
// entry, then the entries.
//
//	master: number of fields | field ... | 0
//	entry:  flags | ms - block's | seq - block's | value ... | elements before
//	   or:  flags | ms - block's | seq - block's | number of fields | field value ... | elements before
//
// The short form is for an entry with the fields of the master. A deleted entry
// stays, with a flag; the block goes with its last entry. So the elements are only
// ever added to, but for that flag: fields and values that alias a block are valid
// and unchanged for good.
type streamBlock struct {
	id      StreamID // of the entry that was first, whether it is still there or not
	last    StreamID // of the entry that was added last, likewise
	body    []byte
	first   int // offset of the first entry
	count   int // entries
	deleted int // entries deleted
}

// The flags of an entry.
const (
	entryDeleted    = 1
	entrySameFields = 2
)

// newStreamBlock makes an empty block whose master has the fields of pairs.
func newStreamBlock(id StreamID, pairs [][]byte) *streamBlock {
	b := &streamBlock{id: id, last: id}
	b.body = appendPackedInt(b.body, int64(len(pairs)/2))
	for i := 0; i < len(pairs); i += 2 {
		b.body = appendPacked(b.body, pairs[i])
	}
	b.body = appendPackedInt(b.body, 0)
	b.first = len(b.body)
	return b
}

// size is the block's size as Redis counts it.
func (b *streamBlock) size() int {
	return packHeader + packedInt(int64(b.count)) + packedInt(int64(b.deleted)) + len(b.body) + 1
}

// add puts an entry behind the others.
func (b *streamBlock) add(id StreamID, pairs [][]byte) {
	flags, elements := int64(0), int64(len(pairs)+4)
	same := b.sameFields(pairs)
	if same {
		flags, elements = entrySameFields, int64(len(pairs)/2+3)
	}
	b.body = appendPackedInt(b.body, flags)
	b.body = appendPackedInt(b.body, int64(id.MS-b.id.MS))
	b.body = appendPackedInt(b.body, int64(id.Seq-b.id.Seq))
	if !same {
		b.body = appendPackedInt(b.body, int64(len(pairs)/2))
	}
	for i := 0; i < len(pairs); i += 2 {
		if !same {
			b.body = appendPacked(b.body, pairs[i])
		}
		b.body = appendPacked(b.body, pairs[i+1])
	}
	b.body = appendPackedInt(b.body, elements)
	b.last = id
	b.count++
}

// sameFields tells whether pairs has the master's fields.
func (b *streamBlock) sameFields(pairs [][]byte) bool {
	n, off := packedInt64(b.body, 0)
	if n != int64(len(pairs)/2) {
		return false
	}
	var buf [20]byte
	for i := 0; i < len(pairs); i += 2 {
		var e packedElement
		if e, off = packedAt(b.body, off); !bytes.Equal(e.bytes(buf[:]), pairs[i]) {
			return false
		}
	}
	return true
}

// mark flags the entry at off as deleted.
func (b *streamBlock) mark(off int) {
	b.body[off] |= entryDeleted
	b.count--
	b.deleted++
}

// shrink gives back the room for more entries.
func (b *streamBlock) shrink() {
	if cap(b.body)-len(b.body) > len(b.body)/8 {
		b.body = bytes.Clone(b.body)
	}
}

func (b *streamBlock) clone() *streamBlock {
	c := *b
	c.body = bytes.Clone(b.body)
	return &c
}

// StreamEntry is an entry as it stands in its block. It is valid until the
// iteration goes on or the stream is changed; the fields and values it yields
// are valid until the next ones are yielded, and read-only.
type StreamEntry struct {
	ID StreamID

	block  *streamBlock
	off    int // where it starts in the block
	flags  int64
	fields int // where its pairs start; of the short form, its values
	count  int
	field  [20]byte
	value  [20]byte
}

// Len is the number of fields.
func (e *StreamEntry) Len() int { return e.count }

// All yields the fields with their values.
func (e *StreamEntry) All(yield func(field, value []byte) bool) {
	body := e.block.body
	names, off := e.fields, e.fields
	if e.flags&entrySameFields != 0 {
		_, names = packedInt64(body, 0)
	}
	for range e.count {
		var f, v packedElement
		if e.flags&entrySameFields != 0 {
			f, names = packedAt(body, names)
		} else {
			f, off = packedAt(body, off)
		}
		v, off = packedAt(body, off)
		if !yield(f.bytes(e.field[:]), v.bytes(e.value[:])) {
			return
		}
	}
}

// read makes e the entry at off of block b, without its end.
func (e *StreamEntry) read(b *streamBlock, off int) {
	e.block, e.off = b, off
	var ms, seq int64
	e.flags, off = packedInt64(b.body, off)
	ms, off = packedInt64(b.body, off)
	seq, off = packedInt64(b.body, off)
	e.ID = StreamID{b.id.MS + uint64(ms), b.id.Seq + uint64(seq)}
	var n int64
	if e.flags&entrySameFields != 0 {
		n, _ = packedInt64(b.body, 0)
	} else {
		n, off = packedInt64(b.body, off)
	}
	e.fields, e.count = off, int(n)
}

// end is where the entry ends.
func (e *StreamEntry) end() int {
	n, off := e.count, e.fields
	if e.flags&entrySameFields == 0 {
		n *= 2
	}
	for range n + 1 {
		_, off = packedAt(e.block.body, off)
	}
	return off
}

// entryBefore is where the entry starts that ends at end.
func (b *streamBlock) entryBefore(end int) int {
	off := packedBefore(b.body, end)
	n, _ := packedInt64(b.body, off)
	for range n {
		off = packedBefore(b.body, off)
	}
	return off
}

// next makes e the entry behind it in its block, deleted or not; ok is false at
// the end.
func (e *StreamEntry) next() (ok bool) {
	end := e.end()
	if end == len(e.block.body) {
		return false
	}
	e.read(e.block, end)
	return true
}

func (e *StreamEntry) deleted() bool { return e.flags&entryDeleted != 0 }

// seek makes e the entry id, or the first one behind it, deleted ones too; ok is
// false if there is none. It is sought from the nearer end.
func (b *streamBlock) seek(e *StreamEntry, id StreamID) (ok bool) {
	if b.last.Less(id) {
		return false
	}
	if !b.nearEnd(id) {
		for off := b.first; off < len(b.body); off = e.end() {
			if e.read(b, off); !e.ID.Less(id) {
				return true
			}
		}
		return false
	}
	at := len(b.body)
	for at > b.first {
		before := b.entryBefore(at)
		if e.read(b, before); e.ID.Less(id) {
			break
		}
		at = before
	}
	e.read(b, at)
	return true
}

// nearEnd guesses whether an ID, which is not behind the last one, is nearer to
// that than to the first.
func (b *streamBlock) nearEnd(id StreamID) bool {
	switch {
	case id.Less(b.id):
		return false
	case b.id.MS != b.last.MS:
		return id.MS-b.id.MS > b.last.MS-id.MS
	}
	return id.Seq-b.id.Seq > b.last.Seq-id.Seq
}

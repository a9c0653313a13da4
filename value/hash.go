package value

import (
	"bytes"
	"fmt"
	"iter"
)

// Hash is a hash: while small, one packed run of field, value, field, value in
// the order of insertion; else a table. It never turns back.
//
// Fields and values given out alias the hash: they are read-only, and valid until
// the hash changes. (Those of a table stay valid and unchanged for good.) Those
// given in are copied.
type Hash struct {
	run   []byte // while table is nil
	count uint32 // fields in run
	seed  uint32
	table *Table[string]
	// deadlines of fields; not nil once a field had one.
	deadlines *ZSet
}

// NewHash returns an empty hash. Seed decides the order it will have as a table.
func NewHash(seed uint64) *Hash { return &Hash{seed: uint32(seed)} }

// Len is the number of fields.
func (h *Hash) Len() int {
	if h.table != nil {
		return h.table.Len()
	}
	return int(h.count)
}

// Get returns field's value.
func (h *Hash) Get(field []byte) (value []byte, ok bool) {
	if h.table != nil {
		if n := h.table.Get(field); n != nil {
			return bytesOf(n.Val), true
		}
		return nil, false
	}
	at := h.find(field)
	if at < 0 {
		return nil, false
	}
	_, at = entryAt(h.run, at)
	value, _ = entryAt(h.run, at)
	return value, true
}

// Has tells whether field is there.
func (h *Hash) Has(field []byte) bool {
	if h.table != nil {
		return h.table.Get(field) != nil
	}
	return h.find(field) >= 0
}

// find is where field's entry starts in the run, -1 if it is not there.
func (h *Hash) find(field []byte) int {
	for at := 0; at < len(h.run); {
		f, next := entryAt(h.run, at)
		if bytes.Equal(f, field) {
			return at
		}
		_, at = entryAt(h.run, next)
	}
	return -1
}

// Prepare turns the hash into a table if one of the texts is too long for the
// packed form. HSET and HSETNX decide so over all their arguments before they
// change anything; Set decides for its own.
func (h *Hash) Prepare(limits *Limits, texts ...[]byte) {
	for _, text := range texts {
		if h.table == nil && len(text) > limits.HashMaxListpackValue {
			h.unpack()
		}
	}
}

// Set gives field a value; added tells that the field is new. A deadline stays.
func (h *Hash) Set(limits *Limits, field, value []byte) (added bool) {
	if h.table == nil && max(len(field), len(value)) > limits.HashMaxListpackValue {
		h.unpack()
	}
	if h.table != nil {
		n, added := h.table.Put(field)
		n.Val = string(value)
		return added
	}
	if at := h.find(field); at >= 0 {
		_, at = entryAt(h.run, at)
		h.replace(at, value)
		return false
	}
	at := len(h.run)
	need := at + entrySize(field) + entrySize(value)
	if need > cap(h.run) {
		run := make([]byte, at, need+need/2)
		copy(run, h.run)
		h.run = run
	}
	h.run = h.run[:need]
	at += putEntry(h.run[at:], field)
	putEntry(h.run[at:], value)
	if h.count++; int(h.count) > limits.HashMaxListpackEntries {
		h.unpack()
	}
	return true
}

// replace puts value in the place of the entry at off.
func (h *Hash) replace(off int, value []byte) {
	old, next := entryAt(h.run, off)
	if len(old) == len(value) {
		copy(old, value)
		return
	}
	end := len(h.run)
	grow := off + entrySize(value) - next
	if end+grow > cap(h.run) {
		run := make([]byte, end, (end+grow)*3/2)
		copy(run, h.run)
		h.run = run
	}
	h.run = h.run[:max(end, end+grow)]
	copy(h.run[next+grow:], h.run[next:end])
	h.run = h.run[:end+grow]
	putEntry(h.run[off:], value)
}

// Delete takes field out and tells whether it was there.
func (h *Hash) Delete(field []byte) bool {
	h.Persist(field)
	if h.table != nil {
		return h.table.Delete(field) != nil
	}
	at := h.find(field)
	if at < 0 {
		return false
	}
	_, end := entryAt(h.run, at)
	_, end = entryAt(h.run, end)
	h.run = append(h.run[:at], h.run[end:]...)
	h.count--
	return true
}

// unpack turns the run into a table.
func (h *Hash) unpack() {
	table := NewTable[string](uint64(h.seed))
	for field, value := range h.All() {
		n, _ := table.Put(field)
		n.Val = string(value)
	}
	h.table, h.run, h.count = table, nil, 0
}

// All yields the fields with their values: in the order of insertion while
// packed.
func (h *Hash) All() iter.Seq2[[]byte, []byte] {
	return func(yield func(field, value []byte) bool) {
		if h.table != nil {
			for n := range h.table.All() {
				if !yield(bytesOf(n.Key), bytesOf(n.Val)) {
					return
				}
			}
			return
		}
		for at := 0; at < len(h.run); {
			var field, value []byte
			field, at = entryAt(h.run, at)
			value, at = entryAt(h.run, at)
			if !yield(field, value) {
				return
			}
		}
	}
}

// Scan visits some fields and returns the cursor to go on with, 0 at the end; a
// packed hash is visited as a whole. [Table.Scan] says what is guaranteed.
func (h *Hash) Scan(cursor uint64, fn func(field, value []byte)) uint64 {
	if h.table != nil {
		return h.table.Scan(cursor, func(n *Node[string]) { fn(bytesOf(n.Key), bytesOf(n.Val)) })
	}
	for field, value := range h.All() {
		fn(field, value)
	}
	return 0
}

// Random returns a field with its value, each with the same chance. The hash must
// not be empty.
func (h *Hash) Random(rnd func(n uint64) uint64) (field, value []byte) {
	if h.table != nil {
		n := h.table.Random(rnd)
		return bytesOf(n.Key), bytesOf(n.Val)
	}
	n := int(h.count)
	i, at := int(rnd(uint64(n))), 0
	if i < n/2 {
		for range 2 * i {
			_, at = entryAt(h.run, at)
		}
	} else {
		at = len(h.run)
		for range 2 * (n - i) {
			_, at = entryBefore(h.run, at)
		}
	}
	field, at = entryAt(h.run, at)
	value, _ = entryAt(h.run, at)
	return field, value
}

// Sample yields count different fields, or all if there are fewer.
func (h *Hash) Sample(count int, rnd func(n uint64) uint64) iter.Seq2[[]byte, []byte] {
	return func(yield func(field, value []byte) bool) {
		if h.table != nil {
			for n := range h.table.Sample(count, rnd) {
				if !yield(bytesOf(n.Key), bytesOf(n.Val)) {
					return
				}
			}
			return
		}
		draw := newDraw(count, int(h.count), rnd)
		for field, value := range h.All() {
			if draw.next() && !yield(field, value) {
				return
			}
		}
	}
}

// Lasting is a field or value that the hash has given out, to be valid after the
// hash has changed: itself from a table, else a copy.
func (h *Hash) Lasting(text []byte) []byte {
	if h.table != nil {
		return text
	}
	return bytes.Clone(text)
}

// Encoding is OBJECT ENCODING's answer.
func (h *Hash) Encoding() string {
	switch {
	case h.table != nil:
		return "hashtable"
	case h.deadlines != nil:
		return "listpackex"
	}
	return "listpack"
}

// Clone is an independent copy of the same encoding and order.
func (h *Hash) Clone() *Hash {
	c := &Hash{count: h.count, seed: h.seed}
	if h.deadlines != nil {
		c.deadlines = h.deadlines.Clone()
	}
	if h.table != nil {
		c.table = h.table.Clone(nil)
	} else {
		c.run = bytes.Clone(h.run)
	}
	return c
}

const hashHeader = 48

// MemoryUsage is about the bytes in use, a large hash judged by a few fields.
func (h *Hash) MemoryUsage() int {
	size := hashHeader
	if h.deadlines != nil {
		size += h.deadlines.MemoryUsage()
	}
	if h.table != nil {
		return size + h.table.memory(func(value string) int { return len(value) })
	}
	return size + cap(h.run)
}

// Check verifies the hash's structure.
func (h *Hash) Check() error {
	if err := h.checkDeadlines(); err != nil {
		return err
	}
	if h.table != nil {
		if h.run != nil || h.count != 0 {
			return fmt.Errorf("hash: a run of %d fields beside the table", h.count)
		}
		return h.table.Check()
	}
	seen := make(map[string]bool, h.count)
	for field := range h.All() {
		if seen[string(field)] {
			return fmt.Errorf("hash: field %q stands twice", field)
		}
		seen[string(field)] = true
	}
	if len(seen) != int(h.count) {
		return fmt.Errorf("hash: %d fields, %d counted", len(seen), h.count)
	}
	return nil
}

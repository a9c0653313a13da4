package value

import (
	"bytes"
	"fmt"
	"iter"
	"unsafe"
)

// Hash is a hash: while small, one packed run of field, value, field, value in
// the order of insertion; else a table. It never turns back.
//
// Fields and values given out alias the hash: they are read-only, and valid until
// the hash changes. (Those of a table stay valid and unchanged for good.) Those
// given in are copied. A Hash is a [Body]: see there what copying it means.
type Hash Body

// hashIndex is what a large hash is made of, and a small one whose fields have
// deadlines.
type hashIndex struct {
	table *Table[string] // nil: the run is the hash
	bytes int            // of the table's fields and values
	run   Body
	// deadlines of fields; not nil once a field had one.
	deadlines *ZSet
	seed      uint64
}

// NewHash returns an empty hash. Seed decides the order it will have as a table.
func NewHash(seed uint64) *Hash {
	h := Hash(newBody(seed))
	return &h
}

// index is the large structure, nil if there is none.
func (h *Hash) index() *hashIndex {
	if h.n == indexed && h.p != nil {
		return (*hashIndex)(h.p)
	}
	return nil
}

// grown makes the large structure, around the run.
func (h *Hash) grown() *hashIndex {
	x := h.index()
	if x == nil {
		x = &hashIndex{run: Body(*h), seed: (*Body)(h).seed()}
		*h = Hash{unsafe.Pointer(x), indexed}
	}
	return x
}

// table is the hash's table, nil while it is packed.
func (h *Hash) table() *Table[string] {
	if x := h.index(); x != nil {
		return x.table
	}
	return nil
}

// packed is the run of a hash without a table.
func (h *Hash) packed() *Body {
	if x := h.index(); x != nil {
		return &x.run
	}
	return (*Body)(h)
}

// Len is the number of fields.
func (h *Hash) Len() int {
	if t := h.table(); t != nil {
		return t.Len()
	}
	return h.packed().count()
}

// Get returns field's value.
func (h *Hash) Get(field []byte) (value []byte, ok bool) {
	if t := h.table(); t != nil {
		if n := t.Get(field); n != nil {
			return bytesOf(n.Val), true
		}
		return nil, false
	}
	run := h.packed().run()
	at := findField(run, field)
	if at < 0 {
		return nil, false
	}
	_, at = plainAt(run, at)
	value, _ = plainAt(run, at)
	return value, true
}

// Has tells whether field is there.
func (h *Hash) Has(field []byte) bool {
	if t := h.table(); t != nil {
		return t.Get(field) != nil
	}
	return findField(h.packed().run(), field) >= 0
}

// findField is where field's entry starts in a run, -1 if it is not there.
func findField(run, field []byte) int {
	for at := 0; at < len(run); {
		start := at
		n := int(run[at])
		if at++; n >= 0x80 {
			n, at = longLength(run, start)
		}
		if n == len(field) && string(run[at:at+n]) == string(field) {
			return start
		}
		at += n
		n = int(run[at])
		if at++; n >= 0x80 {
			n, at = longLength(run, at-1)
		}
		at += n
	}
	return -1
}

// Prepare turns the hash into a table if one of the texts is too long for the
// packed form, else makes room for all of them. HSET and HSETNX decide so over
// all their arguments before they change anything; Set decides for its own.
func (h *Hash) Prepare(limits *Limits, texts ...[]byte) {
	if h.table() != nil {
		return
	}
	size := 0
	for _, text := range texts {
		if len(text) > limits.HashMaxListpackValue {
			h.unpack()
			return
		}
		size += plainSize(text)
	}
	if len(texts)/2 <= limits.HashMaxListpackEntries {
		h.packed().reserve(size)
	}
}

// Set gives field a value; added tells that the field is new. A deadline stays.
func (h *Hash) Set(limits *Limits, field, value []byte) (added bool) {
	x := h.index()
	if x == nil || x.table == nil {
		k := h.packed()
		size := plainSize(field) + plainSize(value)
		if max(len(field), len(value)) <= limits.HashMaxListpackValue && k.fits(size) {
			return h.setPacked(limits, k, field, value)
		}
		x = h.unpack()
	}
	n, added := x.table.Put(field)
	if added {
		x.bytes += allocated(len(field))
	}
	x.bytes += allocated(len(value)) - allocated(len(n.Val))
	n.Val = string(value)
	return added
}

func (h *Hash) setPacked(limits *Limits, k *Body, field, value []byte) (added bool) {
	run := k.run()
	if at := findField(run, field); at >= 0 {
		_, at = plainAt(run, at)
		old, next := plainAt(run, at)
		if len(old) == len(value) {
			copy(old, value)
			return false
		}
		putPlain(k.splice(at, next-at, plainSize(value)), value)
		return false
	}
	to := k.splice(len(run), 0, plainSize(field)+plainSize(value))
	putPlain(to[putPlain(to, field):], value)
	n := k.count() + 1
	k.setCount(n)
	if n > limits.HashMaxListpackEntries {
		h.unpack()
	}
	return true
}

// Delete takes field out and tells whether it was there.
func (h *Hash) Delete(field []byte) bool {
	x := h.index()
	if x != nil {
		h.Persist(field)
		if x.table != nil {
			n := x.table.Delete(field)
			if n == nil {
				return false
			}
			x.bytes -= allocated(len(n.Key)) + allocated(len(n.Val))
			return true
		}
	}
	k := h.packed()
	run := k.run()
	at := findField(run, field)
	if at < 0 {
		return false
	}
	_, end := plainAt(run, at)
	_, end = plainAt(run, end)
	k.splice(at, end-at, 0)
	k.setCount(k.count() - 1)
	return true
}

// unpack turns the run into a table.
func (h *Hash) unpack() *hashIndex {
	x := h.grown()
	table := NewTable[string](x.seed)
	for field, value := range h.All() {
		n, _ := table.Put(field)
		n.Val = string(value)
		x.bytes += allocated(len(field)) + allocated(len(value))
	}
	x.table, x.run = table, Body{}
	return x
}

// All yields the fields with their values: in the order of insertion while
// packed.
func (h *Hash) All() iter.Seq2[[]byte, []byte] {
	return func(yield func(field, value []byte) bool) {
		if t := h.table(); t != nil {
			for n := range t.All() {
				if !yield(bytesOf(n.Key), bytesOf(n.Val)) {
					return
				}
			}
			return
		}
		run := h.packed().run()
		for at := 0; at < len(run); {
			var field, value []byte
			field, at = plainAt(run, at)
			value, at = plainAt(run, at)
			if !yield(field, value) {
				return
			}
		}
	}
}

// Scan visits some fields and returns the cursor to go on with, 0 at the end; a
// packed hash is visited as a whole. [Table.Scan] says what is guaranteed.
func (h *Hash) Scan(cursor uint64, fn func(field, value []byte)) uint64 {
	if t := h.table(); t != nil {
		return t.Scan(cursor, func(n *Node[string]) { fn(bytesOf(n.Key), bytesOf(n.Val)) })
	}
	for field, value := range h.All() {
		fn(field, value)
	}
	return 0
}

// Random returns a field with its value, each with the same chance. The hash must
// not be empty.
func (h *Hash) Random(rnd func(n uint64) uint64) (field, value []byte) {
	if t := h.table(); t != nil {
		n := t.Random(rnd)
		return bytesOf(n.Key), bytesOf(n.Val)
	}
	k := h.packed()
	run, at := k.run(), 0
	for range 2 * rnd(uint64(k.count())) {
		_, at = plainAt(run, at)
	}
	field, at = plainAt(run, at)
	value, _ = plainAt(run, at)
	return field, value
}

// Sample yields count different fields, or all if there are fewer.
func (h *Hash) Sample(count int, rnd func(n uint64) uint64) iter.Seq2[[]byte, []byte] {
	return func(yield func(field, value []byte) bool) {
		if t := h.table(); t != nil {
			for n := range t.Sample(count, rnd) {
				if !yield(bytesOf(n.Key), bytesOf(n.Val)) {
					return
				}
			}
			return
		}
		draw := newDraw(count, h.Len(), rnd)
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
	if h.table() != nil {
		return text
	}
	return bytes.Clone(text)
}

// Encoding is OBJECT ENCODING's answer.
func (h *Hash) Encoding() string {
	switch x := h.index(); {
	case x == nil:
		return "listpack"
	case x.table != nil:
		return "hashtable"
	case x.deadlines != nil:
		return "listpackex"
	}
	return "listpack"
}

// Clone is an independent copy of the same encoding and order.
func (h *Hash) Clone() *Hash {
	x := h.index()
	if x == nil {
		c := Hash((*Body)(h).cloneRun())
		return &c
	}
	y := &hashIndex{bytes: x.bytes, run: x.run.cloneRun(), seed: x.seed}
	if x.deadlines != nil {
		y.deadlines = x.deadlines.Clone()
	}
	if x.table != nil {
		y.table = x.table.Clone(nil)
	}
	return &Hash{unsafe.Pointer(y), indexed}
}

// MemoryUsage is about the bytes that the hash takes beside itself.
func (h *Hash) MemoryUsage() int {
	x := h.index()
	if x == nil {
		return (*Body)(h).runMemory()
	}
	size := int(unsafe.Sizeof(*x)) + x.run.runMemory()
	if x.deadlines != nil {
		size += int(unsafe.Sizeof(ZSet{})) + x.deadlines.MemoryUsage()
	}
	if x.table != nil {
		size += x.table.memory() + x.bytes
	}
	return size
}

// Check verifies the hash's structure.
func (h *Hash) Check() error {
	if err := h.checkDeadlines(); err != nil {
		return err
	}
	if x := h.index(); x != nil && x.table != nil {
		return x.check()
	}
	n := h.Len()
	seen := make(map[string]bool, n)
	for field := range h.All() {
		if seen[string(field)] {
			return fmt.Errorf("hash: field %q stands twice", field)
		}
		seen[string(field)] = true
	}
	if len(seen) != n {
		return fmt.Errorf("hash: %d fields, %d counted", len(seen), n)
	}
	return nil
}

func (x *hashIndex) check() error {
	size := 0
	for n := range x.table.All() {
		size += allocated(len(n.Key)) + allocated(len(n.Val))
	}
	switch {
	case x.run.count() != 0:
		return fmt.Errorf("hash: a run of %d fields beside the table", x.run.count())
	case size != x.bytes:
		return fmt.Errorf("hash: fields and values of %d bytes, %d counted", size, x.bytes)
	}
	return x.table.Check()
}

package engine

import (
	"unsafe"

	"minikv/value"
)

// The memory in use is counted, not measured: the garbage collector knows what
// the whole process holds, but not what the data takes, and not now.
//
// Idea: what a value takes follows from the value alone (Object.memory), at the
// same small cost however large it is. So it is enough to look at each value that
// is changed twice, before (DB.write) and after its command, and to add the
// difference. DB.add and DB.remove count keys. Tables, deadlines and connections
// know their own numbers and are asked when the sum is wanted.
//
// Invariant: between units DB.bytes is the sum over all entries, and no entry is
// open; Check verifies it.

// memoryAccount is what an engine knows of the memory in use.
type memoryAccount struct {
	open []openEntry // being changed by the running command
	peak int64       // the most that was in use whenever somebody asked
}

// openEntry is an entry whose value is being changed.
type openEntry struct {
	db      *DB
	en      *Entry
	counted int // of the value's bytes, in db.bytes
}

// Bytes that one of these takes, besides key and value.
const (
	idleMemory   = 900 << 10 // a node without keys
	bucketSize   = 8
	deadlineSize = 24 + 24 // a deadline and its place in the heap
)

// entryMemory is what a key takes, without its value.
func entryMemory(key string) int64 {
	return int64(unsafe.Sizeof(Entry{})) + int64(value.Allocated(len(key)))
}

// open notes that an entry's value is about to change; so many of its bytes are
// counted.
func (db *DB) open(en *Entry, counted int) {
	en.Val.mark(flagOpen, true)
	db.e.memory.open = append(db.e.memory.open, openEntry{db, en, counted})
}

// placed is open for a new value in an entry. A string comes as it is to be, and
// is counted at once; who goes on to change how much it takes opens it.
func (db *DB) placed(en *Entry, counted int) {
	if en.Val.kind() == value.KindString {
		db.bytes += int64(en.Val.memory() - counted)
		return
	}
	db.open(en, counted)
}

// forget answers how many bytes of an entry's value are counted; it goes.
func (db *DB) forget(en *Entry) int64 {
	if !en.Val.has(flagOpen) {
		return int64(en.Val.memory())
	}
	en.Val.mark(flagOpen, false)
	open := db.e.memory.open
	at := len(open) - 1
	for open[at].en != en {
		at--
	}
	counted := open[at].counted
	open[at] = open[len(open)-1]
	open[len(open)-1] = openEntry{}
	db.e.memory.open = open[:len(open)-1]
	return int64(counted)
}

// settleMemory counts what the values that were changed take now.
func (e *Engine) settleMemory() {
	open := e.memory.open
	if len(open) == 0 {
		return
	}
	for i := range open {
		o := &open[i]
		o.en.Val.mark(flagOpen, false)
		o.db.bytes += int64(o.en.Val.memory() - o.counted)
		*o = openEntry{}
	}
	if e.memory.open = open[:0]; cap(open) > 1024 {
		e.memory.open = nil
	}
}

// dataMemory is what the databases take.
func (e *Engine) dataMemory() (total int64) {
	for _, db := range e.dbs {
		total += db.bytes
		if db.keys.Len() > 0 {
			total += db.overhead()
		}
	}
	return total
}

// overhead is what a database takes besides its entries.
func (db *DB) overhead() int64 {
	return int64(db.keys.Buckets())*bucketSize + int64(db.expires.Len()+db.fields.Len())*deadlineSize
}

// usedMemory is what is in use, and remembers the most.
func (e *Engine) usedMemory() int64 {
	e.settleMemory()
	used := idleMemory + e.dataMemory() + e.clientMemory() + e.scripts.memory() + e.scripts.functions.memory()
	e.memory.peak = max(e.memory.peak, used)
	return used
}

// memory is what cached scripts take.
func (s *scriptState) memory() (total int64) {
	for _, sc := range s.cache {
		total += int64(len(sc.source))
	}
	return total
}

// overheadMemory is what is in use besides keys and values.
func (e *Engine) overheadMemory() int64 {
	total := idleMemory + e.clientMemory() + e.scripts.memory() + e.scripts.functions.memory()
	for _, db := range e.dbs {
		if n := int64(db.keys.Len()); n > 0 {
			total += db.overhead() + n*int64(unsafe.Sizeof(Entry{}))
		}
	}
	return total
}

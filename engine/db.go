package engine

import (
	"maps"
	"slices"

	"minikv/expiry"
	"minikv/value"
)

// DB is one numbered database: keys, their deadlines, and who watches or waits
// for them. Handlers change a key in one pattern:
//
//	en = c.db.write(en)        before: a snapshot that is being kept copies now
//	...change en.Val...
//	c.db.changed(key, class, event)    after: WATCH, waiters, events, effects
//
// add, replace and remove announce the change themselves; changed is still theirs
// to call, since only they know the event.
type DB struct {
	e       *Engine
	id      int
	keys    *value.Table[Object]
	expires expiry.Heap[*Entry]
	fields  expiry.Heap[*Entry] // hashes with fields that have deadlines
	timed   map[*Entry]*expiry.Deadline[*Entry]
	bytes   int64 // of keys and values: see memory.go
	slots   *slotIndex

	waits    map[string]*waitQueue
	watchers map[string][]*Client
}

func newDB(e *Engine, id int) *DB {
	return &DB{
		e:        e,
		id:       id,
		keys:     value.NewTable[Object](e.rand.Uint64()),
		waits:    make(map[string]*waitQueue),
		watchers: make(map[string][]*Client),
	}
}

// live finds a key that has not expired. One that has is deleted on the way,
// except while CLIENT PAUSE holds the data still: nobody ever sees it.
func (db *DB) live(key []byte) *Entry {
	en := db.keys.Get(key)
	switch {
	case en == nil || en.Val.ttl == nil && !en.Val.has(flagTimed):
		return en
	case !db.due(en):
		if db.fieldsDue(en) {
			return db.allFieldsDue(en)
		}
		return en
	case !db.e.holdsData():
		db.expire(en)
	}
	return nil
}

// due tells whether an entry's time is over: later than its deadline, by the
// millisecond, as Redis judges it.
func (db *DB) due(en *Entry) bool {
	return en.Val.ttl != nil && db.e.nowMS() > en.Val.ttl.At()
}

// expire deletes an entry whose time is over.
func (db *DB) expire(en *Entry) {
	key := en.KeyBytes()
	db.remove(en)
	db.e.stats.expired++
	db.spread(key, ClassExpired, "expired")
	db.e.addEffect(db, []byte("DEL"), key)
}

// hasDue tells whether the time of any key is over.
func (db *DB) hasDue() bool {
	d := db.expires.Min()
	return d != nil && db.due(d.Owner)
}

// expireDue deletes up to budget entries whose time is over, the earliest of
// all databases first, and answers how many it deleted.
func (e *Engine) expireDue(budget int) (n int) {
	var due []*DB
	for _, db := range e.dbs {
		if db.hasDue() {
			due = append(due, db)
		}
	}
	for n < budget && len(due) > 0 {
		first := 0
		for i, db := range due {
			if db.expires.Min().At() < due[first].expires.Min().At() {
				first = i
			}
		}
		db := due[first]
		db.expire(db.expires.Min().Owner)
		n++
		if !db.hasDue() {
			due = slices.Delete(due, first, first+1)
		}
	}
	return n
}

// write announces a change of an entry. It answers the entry to be changed: if
// a snapshot still needs the old version, that is a copy which has taken its place.
func (db *DB) write(en *Entry) *Entry {
	if db.e.opt.Tap != nil {
		db.e.touch(db, en.Key, true)
	}
	if en.Val.has(flagOpen) {
		return en
	}
	counted := en.Val.memory()
	if db.e.snapshot.kept(&en.Val) {
		en = db.copyOnWrite(en)
	}
	db.open(en, counted)
	return en
}

// copyOnWrite puts a copy in an entry's place; the snapshot keeps the original.
func (db *DB) copyOnWrite(en *Entry) *Entry {
	fresh := &Entry{Key: en.Key, Val: en.Val.clone()}
	fresh.Val.epoch = db.e.snapshot.epoch
	db.keys.Replace(en, fresh)
	if ttl := en.Val.ttl; ttl != nil {
		fresh.Val.ttl = db.expires.Add(ttl.At(), fresh)
		db.expires.Remove(ttl)
	}
	if d := db.fieldsDeadline(en); d != nil {
		db.untimeFields(en)
		db.setFieldsDeadline(fresh, d.At())
	}
	return fresh
}

// add puts a new key; it must not exist.
func (db *DB) add(key []byte, o Object) *Entry {
	if db.e.opt.Tap != nil {
		db.e.touch(db, string(key), true)
	}
	en, _ := db.keys.Put(key)
	if db.slots != nil {
		db.slots.add(en.Key)
	}
	o.ttl = nil
	o.mark(flagTimed|flagOpen, false)
	o.epoch = db.e.snapshot.epoch
	o.born(db.e)
	en.Val = o
	db.bytes += entryMemory(en.Key)
	db.placed(en, 0)
	db.timeFields(en)
	db.notify(ClassNew, "new", key)
	return en
}

// replace gives an entry another value.
func (db *DB) replace(en *Entry, o Object, keepTTL bool) *Entry {
	if db.e.opt.Tap != nil {
		db.e.touch(db, en.Key, true)
	}
	ttl, opened, counted := en.Val.ttl, en.Val.has(flagOpen), en.Val.memory()
	db.untimeFields(en)
	if db.e.snapshot.kept(&en.Val) {
		fresh := &Entry{Key: en.Key}
		db.keys.Replace(en, fresh)
		if ttl != nil {
			fresh.Val.ttl = db.expires.Add(ttl.At(), fresh)
			db.expires.Remove(ttl)
			ttl = fresh.Val.ttl
		}
		en = fresh
	}
	clock := en.Val.clock
	en.Val = o
	en.Val.ttl = ttl
	en.Val.mark(flagTimed|flagOpen, false)
	if opened {
		en.Val.mark(flagOpen, true)
	} else {
		db.placed(en, counted)
	}
	db.timeFields(en)
	en.Val.epoch = db.e.snapshot.epoch
	en.Val.born(db.e)
	if db.e.conf.MaxMemoryPolicy.LFU() && clock != [3]byte{} {
		en.Val.clock = clock
	}
	if ttl != nil && !keepTTL {
		db.persist(en)
	}
	return en
}

// remove takes a key out, without an event.
func (db *DB) remove(en *Entry) {
	if db.e.opt.Tap != nil {
		db.e.touch(db, en.Key, true)
	}
	if en.Val.ttl != nil {
		db.expires.Remove(en.Val.ttl)
		if !db.e.snapshot.kept(&en.Val) {
			en.Val.ttl = nil
		}
	}
	db.untimeFields(en)
	db.bytes -= entryMemory(en.Key) + db.forget(en)
	db.keys.DeleteString(en.Key)
	if db.slots != nil {
		db.slots.remove(en.Key)
	}
}

// delete removes a key with its event.
func (db *DB) delete(en *Entry) {
	key := en.KeyBytes()
	db.remove(en)
	db.changed(key, ClassGeneric, "del")
}

// emptied removes a key whose last element was taken, with its event; the change
// was counted when the element was.
func (db *DB) emptied(en *Entry) {
	key := en.KeyBytes()
	db.remove(en)
	db.spread(key, ClassGeneric, "del")
}

// setExpire gives an entry a deadline in unix milliseconds. The caller has
// announced the change.
func (db *DB) setExpire(en *Entry, at int64) {
	if en.Val.ttl != nil {
		db.expires.Move(en.Val.ttl, at)
		return
	}
	en.Val.ttl = db.expires.Add(at, en)
}

// persist takes an entry's deadline away; false if it had none.
func (db *DB) persist(en *Entry) bool {
	if en.Val.ttl == nil {
		return false
	}
	db.expires.Remove(en.Val.ttl)
	en.Val.ttl = nil
	return true
}

// changed says that key now holds something else (or nothing), and why. It is
// the one place where a change spreads: watching transactions fail, waiting
// clients may go on, the keyspace event is published, the change is counted.
func (db *DB) changed(key []byte, class Class, event string) {
	db.e.stats.dirty++
	db.spread(key, class, event)
}

// noticed is changed for what Redis does not take for a change of the value: the
// groups of a stream. Watching transactions and waiting clients do not hear of it.
func (db *DB) noticed(key []byte, class Class, event string) {
	db.e.stats.dirty++
	db.notify(class, event, key)
}

// spread is changed for what is not counted: a key's expiry, which no command
// has done, and what follows from a change.
func (db *DB) spread(key []byte, class Class, event string) {
	db.signal(key, class)
	if len(db.waits) > 0 {
		db.awaken(key)
	}
	db.notify(class, event, key)
}

// signal tells those who rely on what a key holds that it changed: transactions
// that watch it and clients that may have cached it.
func (db *DB) signal(key []byte, class Class) {
	if db.e.tracking.readers != nil {
		db.e.invalidate(key, class)
	}
	if len(db.watchers) > 0 {
		db.failWatchers(key)
	}
}

// flush deletes every key and answers how many there were.
func (db *DB) flush() int {
	old := db.keys
	db.e.settleMemory()
	db.bytes, db.timed = 0, nil
	db.keys = value.NewTable[Object](db.e.rand.Uint64())
	db.reindex()
	db.expires, db.fields = expiry.Heap[*Entry]{}, expiry.Heap[*Entry]{}
	for key := range db.watchers {
		if old.GetString(key) != nil {
			db.failWatchers([]byte(key))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(db.waits)) {
		db.awaken([]byte(key))
	}
	return old.Len()
}

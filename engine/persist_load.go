package engine

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"minikv/rdb"
)

// Load reads an RDB file. Nothing of the node changes before the whole file was
// read and found good; then its databases take the place of those there are, or
// join them.

// LoadOptions say how a file is read.
type LoadOptions struct {
	// Keep leaves the keys that are there; one that the file has as well is an
	// error, unless Merge says that the file wins.
	Keep, Merge bool
	// Progress, if it is set, is told now and then how many bytes were read.
	Progress func(bytes int64)
}

// loading is a file that is being read.
type loading struct {
	e         *Engine
	dbs       []*DB // on their own, by number; nil: the file has none of its keys
	functions functionSet
	late      int64 // keys whose time is over
	kept      int64
}

// progressKeys is how many keys are read between two calls of Progress.
const progressKeys = 10_000

// Load reads an RDB file to its end. An error says where the file is not good.
// Not while a command runs.
func (e *Engine) Load(now int64, src io.Reader, opt LoadOptions) error {
	e.setNow(now)
	e.unit++
	defer func() {
		e.unit--
		e.afterUnit()
	}()
	l := &loading{e: e, dbs: make([]*DB, len(e.dbs))}
	r := rdb.NewReader(src, e.serialOptions())
	r.Function = func(code []byte) error {
		_, err := e.loadLibrary(&l.functions, code, false)
		return err
	}
	if err := l.read(r, opt); err != nil {
		return fmt.Errorf("at byte %d: %w", r.Offset(), err)
	}
	if err := l.judge(opt); err != nil {
		return err
	}
	for i, db := range l.dbs {
		if db != nil {
			e.dbs[i].join(db)
		}
	}
	e.invalidateAll()
	e.persist.loaded, e.persist.loadedLate = l.kept, l.late
	return nil
}

func (l *loading) read(r *rdb.Reader, opt LoadOptions) error {
	for {
		entry, err := r.Next()
		if errors.Is(err, io.EOF) && err != io.ErrUnexpectedEOF {
			return nil
		}
		if err == nil {
			err = l.add(r.DB(), entry)
		}
		if err != nil {
			return err
		}
		if n := l.kept + l.late; opt.Progress != nil && n%progressKeys == 0 {
			opt.Progress(r.Offset())
		}
	}
}

// add takes a key, unless its time is over.
func (l *loading) add(db int, entry *rdb.Entry) error {
	if db >= len(l.dbs) {
		return fmt.Errorf("the file has a database %d, of %d: see the directive databases", db, len(l.dbs))
	}
	if entry.ExpireAt >= 0 && entry.ExpireAt < l.e.nowMS() {
		l.late++
		return nil
	}
	if l.dbs[db] == nil {
		l.dbs[db] = newDB(l.e, db)
	}
	if !l.dbs[db].put(entry.Key, objectOf(entry.Value), entry.ExpireAt, restoreOptions{idle: entry.Idle, freq: int64(entry.Freq)}) {
		return fmt.Errorf("key %.64q of database %d stands twice", entry.Key, db)
	}
	l.kept++
	return nil
}

// put takes a key that comes from a file: nobody is told. False if it is there.
func (db *DB) put(key []byte, o Object, expireAt int64, access restoreOptions) bool {
	en, added := db.keys.Put(key)
	if !added {
		return false
	}
	o.ttl, o.epoch = nil, db.e.snapshot.epoch
	o.born(db.e)
	o.setAccess(db.e, access)
	en.Val = o
	db.bytes += entryMemory(en.Key) + int64(en.Val.memory())
	db.timeFields(en)
	if expireAt >= 0 {
		db.setExpire(en, expireAt)
	}
	return true
}

// judge makes room for what was read: by emptying the node, or if that is to keep
// what it has, by refusing keys and libraries that are there already.
func (l *loading) judge(opt LoadOptions) error {
	if !opt.Keep {
		l.e.flushAll()
		l.e.scripts.functions = l.functions
		return nil
	}
	for i, db := range l.dbs {
		if db == nil || opt.Merge {
			continue
		}
		for en := range db.keys.All() {
			if l.e.dbs[i].keys.GetString(en.Key) != nil {
				return fmt.Errorf("key %.64q of database %d is there already", en.Key, i)
			}
		}
	}
	return l.e.scripts.functions.join(l.functions, opt.Merge)
}

// join takes another database's keys, in place of those of the same names.
func (db *DB) join(other *DB) {
	if db.keys.Len() == 0 {
		db.keys, db.expires, db.fields = other.keys, other.expires, other.fields
		db.timed, db.bytes = other.timed, other.bytes
	} else {
		for en := range other.keys.All() {
			if old := db.keys.GetString(en.Key); old != nil {
				db.remove(old)
			}
			fresh, _ := db.keys.PutString(en.Key)
			at := en.Val.expireAt()
			fresh.Val = en.Val
			fresh.Val.ttl = nil
			fresh.Val.mark(flagTimed, false)
			db.bytes += entryMemory(fresh.Key) + int64(fresh.Val.memory())
			db.timeFields(fresh)
			if at >= 0 {
				db.setExpire(fresh, at)
			}
		}
	}
	db.reindex()
	for key := range db.watchers {
		if other.keys.GetString(key) != nil {
			db.failWatchers([]byte(key))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(db.waits)) {
		db.awaken([]byte(key))
	}
}

// flushAll deletes every key of every database, and answers how many there were.
func (e *Engine) flushAll() (n int64) {
	for _, db := range e.dbs {
		n += int64(db.flush())
	}
	return n
}

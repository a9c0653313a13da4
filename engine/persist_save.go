package engine

import (
	"io"
	"strconv"

	"minikv/rdb"
	"minikv/value"
)

// A Saver writes what a node holds at one moment as an RDB file, piece by piece,
// while the node goes on. First it looks which version of the format the values
// ask for, since that stands in the head of the file; then it writes. A value is
// written in one piece, however large it is.
type Saver struct {
	e        *Engine
	snapshot *Snapshot
	dst      io.Writer
	w        *rdb.Writer
	kind     SaveKind
	began    int64 // unix seconds
	dirty    int64 // stats.dirty then

	version int // that the values seen so far ask for
	at      snapshotPlace
	written int // keys
	total   int
	ended   bool
}

// SaveKind is what data is saved for.
type SaveKind uint8

// The kinds. Of the last two there is one at a time.
const (
	SaveNow          SaveKind = iota // SAVE
	SaveInBackground                 // BGSAVE
	SaveRewrite                      // BGREWRITEAOF: the base of an append-only file
)

// snapshotPlace is a key of a snapshot.
type snapshotPlace struct{ db, entry int }

// Save begins to write the data, as it is now, to dst. INFO tells of what happens in
// the background. Not while a command runs. End must be called.
func (e *Engine) Save(now int64, dst io.Writer, kind SaveKind) *Saver {
	e.setNow(now)
	s := &Saver{e: e, snapshot: e.Snapshot(), dst: dst, kind: kind, began: now / 1_000_000, dirty: e.stats.dirty, version: rdb.Version}
	for i := range s.snapshot.dbs {
		s.total += len(s.snapshot.dbs[i].entries)
	}
	switch p := &e.persist; kind {
	case SaveInBackground:
		p.running, p.scheduled = s, false
		p.tried = s.began
	case SaveRewrite:
		p.running, p.rewrite.scheduled = s, false
	}
	return s
}

// saving tells whether the data is being saved in the background, as a kind.
func (e *Engine) saving(kind SaveKind) bool {
	return e.persist.running != nil && e.persist.running.kind == kind
}

// Step goes on with the next keys, and tells whether all is written.
func (s *Saver) Step(keys int) (done bool, err error) {
	if s.w == nil && !s.survey(keys*8) {
		return false, nil
	}
	if s.w == nil {
		if err := s.begin(); err != nil {
			return false, err
		}
	}
	for ; keys > 0; keys-- {
		db, entry := s.next()
		if entry == nil {
			return true, s.w.Close()
		}
		if err := s.write(db, entry); err != nil {
			return false, err
		}
	}
	return false, nil
}

// survey looks at the next keys' values, and tells whether it has seen them all.
func (s *Saver) survey(keys int) bool {
	for ; keys > 0; keys-- {
		_, entry := s.next()
		if entry == nil {
			s.at = snapshotPlace{}
			return true
		}
		switch o := &entry.en.Val; o.kind() {
		case value.KindHash, value.KindStream, value.KindArray:
			s.version = max(s.version, rdb.VersionOf(o.serial()))
		}
	}
	return false
}

// next is the next key, nil at the end.
func (s *Saver) next() (db int, entry *snapshotEntry) {
	for dbs := s.snapshot.dbs; s.at.db < len(dbs); s.at = (snapshotPlace{db: s.at.db + 1}) {
		if entries := dbs[s.at.db].entries; s.at.entry < len(entries) {
			s.at.entry++
			return s.at.db, &entries[s.at.entry-1]
		}
	}
	return 0, nil
}

// begin writes what stands before the keys.
func (s *Saver) begin() error {
	e := s.e
	s.w = rdb.NewWriter(s.dst, rdb.WriterOptions{Version: s.version, Compress: e.conf.RDBCompression, Summed: e.conf.RDBChecksum})
	s.w.Aux("redis-ver", e.version())
	s.w.Aux("redis-bits", "64")
	s.w.Aux("ctime", strconv.FormatInt(s.began, 10))
	s.w.Aux("used-mem", strconv.FormatInt(e.usedMemory(), 10))
	base := "0"
	if s.kind == SaveRewrite {
		base = "1"
	}
	err := s.w.Aux("aof-base", base)
	for _, code := range s.snapshot.Libraries() {
		err = s.w.Function(code)
	}
	return err
}

// write writes a key, and before the first one of a database which that is.
func (s *Saver) write(db int, entry *snapshotEntry) error {
	if s.at.entry == 1 {
		entries := s.snapshot.dbs[db].entries
		expires := 0
		for i := range entries {
			if entries[i].at >= 0 {
				expires++
			}
		}
		s.w.Select(db, len(entries), expires)
	}
	s.written++
	o := &entry.en.Val
	idle, freq := s.e.savedAccess(lruOf(entry.clock))
	return s.w.Key(&rdb.Entry{Key: []byte(entry.en.Key), Value: o.serial(), ExpireAt: entry.at, Idle: idle, Freq: freq})
}

// End ends the saving: the file stands in its place, or err says why it does
// not. A second call does nothing.
func (s *Saver) End(now int64, err error) {
	if s.ended {
		return
	}
	s.ended = true
	s.snapshot.Release()
	p, took := &s.e.persist, max(0, now/1_000_000-s.began)+1
	if p.running == s {
		p.running = nil
	}
	switch s.kind {
	case SaveRewrite:
		p.rewrite.took = took
		if p.rewrite.failures++; err == nil {
			p.rewrite.failures = 0
			p.rewrite.done++
		}
		return
	case SaveInBackground:
		p.took, p.failed = took, err != nil
	}
	if err == nil {
		p.last, p.dirty, p.failed = now/1_000_000, s.dirty, false
		p.saves++
	}
	s.e.setClosedGates()
}

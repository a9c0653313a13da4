package engine

import (
	"container/list"
	"math/rand/v2"
	"slices"

	"minikv/engine/config"
	"minikv/expiry"
	"minikv/lua"
	"minikv/value"
)

// A Snapshot is the state of a whole node at one moment: keyspace, deadlines,
// scripts, random state, configuration, and of every client what it selected,
// queued, watches, waits for and listens to.
//
// Values are not copied when it is taken, only the list of entries is. Each
// value knows the epoch in which its present version was born; a snapshot
// starts a new epoch, and while it is kept, DB.write copies a value of an
// older epoch before it is changed. Price: a pointer per key at once, and one
// copy of each value that is changed while the snapshot lives. Release ends it.
type Snapshot struct {
	e        *Engine
	dbs      []dbSnapshot
	clients  []clientSnapshot
	conf     *config.Config
	pcg      rand.PCG
	scripts  map[string]*script
	lua      lua.State
	pause    pauseState
	nextID   int64
	noExpire bool
	released bool
}

type dbSnapshot struct {
	entries []snapshotEntry
	waits   []waitSnapshot
}

type snapshotEntry struct {
	en *Entry
	at int64 // deadline, or -1
}

// waitSnapshot is one key's queue of waiting clients.
type waitSnapshot struct {
	key     string
	clients []*Client
}

type clientSnapshot struct {
	cl    *Client
	state Client
	subs  [3][]string // channels, patterns, shards
}

// snapshotState says which versions of values a kept snapshot needs.
type snapshotState struct {
	epoch uint32
	live  int
}

// kept tells whether a kept snapshot still needs this version of a value.
func (s *snapshotState) kept(o *Object) bool { return s.live > 0 && o.epoch < s.epoch }

// Snapshot takes the state of the engine. Not while a command runs.
func (e *Engine) Snapshot() *Snapshot {
	e.snapshot.epoch++
	e.snapshot.live++
	s := &Snapshot{
		e: e, conf: e.conf.Clone(), pcg: *e.pcg, scripts: e.scripts.cloneCache(), lua: e.scripts.lua().State(),
		pause: e.pause, nextID: e.nextID, noExpire: e.activeExpireOff,
	}
	s.pause.waiting = slices.Clone(e.pause.waiting)
	for _, db := range e.dbs {
		s.dbs = append(s.dbs, db.snapshot())
	}
	for _, cl := range e.clients {
		s.clients = append(s.clients, clientSnapshot{cl: cl, state: cl.copyState(), subs: cl.subs.names()})
	}
	slices.SortFunc(s.clients, func(a, b clientSnapshot) int { return int(a.cl.id - b.cl.id) })
	return s
}

func (db *DB) snapshot() dbSnapshot {
	s := dbSnapshot{entries: make([]snapshotEntry, 0, db.keys.Len())}
	for en := range db.keys.All() {
		s.entries = append(s.entries, snapshotEntry{en, en.Val.expireAt()})
	}
	for key, q := range db.waits {
		w := waitSnapshot{key: key}
		for el := q.clients.Front(); el != nil; el = el.Next() {
			w.clients = append(w.clients, el.Value.(*Client))
		}
		s.waits = append(s.waits, w)
	}
	return s
}

// copyState is a client's state without its connection and its output.
func (cl *Client) copyState() Client {
	s := *cl
	s.multi.cmds = slices.Clone(cl.multi.cmds)
	s.watched = slices.Clone(cl.watched)
	if cl.wait != nil {
		w := *cl.wait
		w.places, w.timer = nil, nil
		s.wait = &w
	}
	return s
}

func (s *subscriptions) names() (names [3][]string) {
	for i, m := range []map[string]*list.Element{s.channels, s.patterns, s.shards} {
		for name := range m {
			names[i] = append(names[i], name)
		}
		slices.Sort(names[i])
	}
	return names
}

// Release says that a snapshot is no longer needed; it must not be restored
// after that.
func (s *Snapshot) Release() {
	if !s.released {
		s.released = true
		s.e.snapshot.live--
	}
}

// All yields every key with its database and its deadline (-1: none), while
// the engine may go on changing them. Piece by piece: stop whenever you like
// and go on later with another range over what is left.
func (s *Snapshot) All(yield func(db int, key string, o *Object, expireAt int64) bool) {
	for i := range s.dbs {
		for _, se := range s.dbs[i].entries {
			if !yield(i, se.en.Key, &se.en.Val, se.at) {
				return
			}
		}
	}
}

// Restore puts a node into a snapshot's state. A snapshot of the same engine
// may be restored again and again; one of another engine (a fork) is copied.
// Clients are those that exist in both: one that came later is set back to a
// fresh connection's state. Output that was not taken is dropped.
func (e *Engine) Restore(s *Snapshot) {
	fork := s.e != e
	*e.conf = *s.conf.Clone()
	*e.pcg = s.pcg
	e.scripts.restore(s.scripts, s.lua, fork)
	e.pause = s.pause
	e.pause.waiting = slices.Clone(s.pause.waiting)
	e.nextID = max(e.nextID, s.nextID)
	e.activeExpireOff = s.noExpire
	e.awaited, e.ready = nil, nil
	e.waiting = expiry.Heap[*Client]{}
	e.nblocked = 0
	e.pubsub = pubsubState{}
	e.setClosedGates()
	for i, db := range e.dbs {
		db.restore(&s.dbs[i], fork)
	}
	if fork {
		return
	}
	for _, cl := range e.clients {
		cl.setState(&Client{id: cl.id, conn: cl.conn, created: cl.created, authed: e.conf.RequirePass == ""}, e.dbs[0])
	}
	for i := range s.clients {
		e.restoreClient(&s.clients[i])
	}
	for i, db := range e.dbs {
		for _, w := range s.dbs[i].waits {
			for _, cl := range w.clients {
				if !cl.closed {
					db.enqueue(cl, cl.wait, w.key)
				}
			}
		}
	}
}

// restore fills a database with a snapshot's entries. The new entries share
// the snapshot's values, whose epoch is old: they are copied when changed.
func (db *DB) restore(s *dbSnapshot, fork bool) {
	db.keys = value.NewTable[Object](db.e.rand.Uint64())
	db.expires = expiry.Heap[*Entry]{}
	db.waits = make(map[string]*waitQueue)
	db.watchers = make(map[string][]*Client)
	for _, se := range s.entries {
		en, _ := db.keys.PutString(se.en.Key)
		en.Val = se.en.Val
		if fork {
			en.Val = se.en.Val.clone()
			en.Val.epoch = db.e.snapshot.epoch
		}
		en.Val.ttl = nil
		if se.at >= 0 {
			en.Val.ttl = db.expires.Add(se.at, en)
		}
	}
}

func (e *Engine) restoreClient(s *clientSnapshot) {
	cl := s.cl
	if cl.closed {
		return
	}
	state := s.state.copyState()
	cl.setState(&state, e.dbs[s.state.db.id])
	for _, w := range s.state.watched {
		w.db.watchers[w.key] = append(w.db.watchers[w.key], cl)
	}
	for _, name := range s.subs[0] {
		subscribe(&e.pubsub.channels, &cl.subs.channels, cl, name)
	}
	for _, name := range s.subs[1] {
		e.subscribePattern(cl, name)
	}
	for _, name := range s.subs[2] {
		subscribe(&e.pubsub.shards, &cl.subs.shards, cl, name)
	}
	if cl.wait != nil {
		e.nblocked++
		if cl.wait.Timeout > 0 {
			cl.wait.timer = e.waiting.Add(cl.wait.Timeout, cl)
		}
	}
}

// setState replaces everything of a client but its connection.
func (cl *Client) setState(s *Client, db *DB) {
	data, engine, out, pushes, proto := cl.Data, cl.e, cl.out, cl.pushes, s.out.Proto()
	*cl = *s
	cl.Data, cl.e, cl.db, cl.out, cl.pushes = data, engine, db, out, pushes
	cl.listed, cl.subs = false, subscriptions{}
	cl.out.Reset()
	cl.pushes.Reset()
	cl.setProto(proto)
}

// setProto switches the protocol of replies and pushes.
func (cl *Client) setProto(p int) {
	if p < 2 {
		p = 2
	}
	cl.out.SetProto(p)
	cl.pushes.SetProto(p)
}

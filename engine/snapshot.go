package engine

import (
	"container/list"
	"maps"
	"math/rand/v2"
	"slices"

	"minikv/engine/config"
	"minikv/expiry"
	"minikv/lua"
	"minikv/resp"
	"minikv/value"
)

// A Snapshot is the state of a whole node at one moment: keyspace, deadlines,
// scripts, random state, configuration, and of every client what it selected,
// queued, watches, waits for and listens to. A node that is put back into it
// goes on exactly as it did the first time, down to RANDOMKEY's choice and the
// order in which keys of one deadline expire.
//
// Values are not copied when it is taken, only the list of entries is. Each
// value knows the epoch in which its present version was born; a snapshot
// starts a new epoch, and while it is kept, DB.write copies a value of an
// older epoch before it is changed. Price: three words per key at once, as
// much again per deadline, and one copy of each value that is changed while
// the snapshot lives. Release ends it.
type Snapshot struct {
	e         *Engine
	dbs       []dbSnapshot
	clients   []clientSnapshot
	waiting   []*Client // those with a time-out, the first to come first
	pubsub    pubsubSnapshot
	tracking  trackingState
	conf      *config.Config
	acl       accessSnapshot
	pcg       rand.PCG
	scripts   map[string]*script
	evals     []string
	functions functionSet
	lua       lua.State
	pause     pauseState
	nextID    int64
	noExpire  bool
	settings  debugSettings
	released  bool
}

type dbSnapshot struct {
	entries []snapshotEntry // in the table's order
	shape   value.Shape
	expires *expiry.Order[*Entry]
	fields  *expiry.Order[*Entry]
	waits   []clientList
}

type snapshotEntry struct {
	en    *Entry
	at    int64   // deadline, or -1
	clock [3]byte // of its last use
}

// clientList is the clients that stand under a name, in their order: those
// that wait for a key, or listen to a channel.
type clientList struct {
	name    string
	clients []*Client
}

type pubsubSnapshot struct {
	channels, shards []clientList
	patterns         []clientList // the oldest pattern first
}

type clientSnapshot struct {
	cl    *Client
	state Client
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
	e.settleMemory()
	e.eviction.pool = nil // what goes next is drawn anew, now and after Restore
	e.snapshot.epoch++
	e.snapshot.live++
	s := &Snapshot{
		e: e, conf: e.conf.Clone(), acl: e.acl.snapshot(), pcg: *e.pcg, scripts: e.scripts.cloneCache(), evals: slices.Clone(e.scripts.evals), functions: e.scripts.functions.clone(), lua: e.scripts.lua().State(),
		pause: e.pause, nextID: e.nextID, noExpire: e.activeExpireOff, settings: e.settings, pubsub: e.pubsub.snapshot(), tracking: e.tracking.clone(),
	}
	s.pause.waiting = slices.Clone(e.pause.waiting)
	for _, db := range e.dbs {
		s.dbs = append(s.dbs, db.snapshot())
	}
	for _, cl := range e.clients {
		s.clients = append(s.clients, clientSnapshot{cl: cl, state: cl.copyState()})
	}
	slices.SortFunc(s.clients, func(a, b clientSnapshot) int { return int(a.cl.id - b.cl.id) })
	for _, d := range e.waiting.Sorted() {
		s.waiting = append(s.waiting, d.Owner)
	}
	return s
}

func (db *DB) snapshot() dbSnapshot {
	n := db.keys.Len()
	s := dbSnapshot{entries: make([]snapshotEntry, 0, n), shape: db.keys.Shape(), expires: db.expires.Order(), fields: db.fields.Order()}
	for en := range db.keys.All() {
		s.entries = append(s.entries, snapshotEntry{en, en.Val.expireAt(), en.Val.clock})
		if len(s.entries) == n {
			break // before the table tidies up behind the iteration
		}
	}
	for key, q := range db.waits {
		s.waits = append(s.waits, clientList{key, clientsOf(&q.clients)})
	}
	return s
}

// clientsOf is what stands in a list of clients.
func clientsOf(l *list.List) []*Client {
	clients := make([]*Client, 0, l.Len())
	for el := l.Front(); el != nil; el = el.Next() {
		clients = append(clients, el.Value.(*Client))
	}
	return clients
}

func (ps *pubsubState) snapshot() (s pubsubSnapshot) {
	for name, l := range ps.channels {
		s.channels = append(s.channels, clientList{name, clientsOf(l)})
	}
	for name, l := range ps.shards {
		s.shards = append(s.shards, clientList{name, clientsOf(l)})
	}
	for el := ps.order.Front(); el != nil; el = el.Next() {
		pattern := el.Value.(string)
		s.patterns = append(s.patterns, clientList{pattern, clientsOf(ps.patterns[pattern])})
	}
	return s
}

// copyState is a client's state without its connection and its output.
func (cl *Client) copyState() Client {
	s := *cl
	s.out, s.pushes, s.debug = resp.Writer{}, resp.Writer{}, nil
	s.spoiled = spoiling{}
	s.out.SetProto(cl.out.Proto())
	s.multi.cmds = slices.Clone(cl.multi.cmds)
	s.watched = slices.Clone(cl.watched)
	s.fieldsets = maps.Clone(cl.fieldsets)
	s.tracking = cl.tracking.clone()
	if cl.wait != nil {
		w := *cl.wait
		w.places, w.timer = nil, nil
		s.wait = &w
	}
	return s
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

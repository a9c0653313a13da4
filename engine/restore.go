package engine

import (
	"container/list"
	"slices"

	"minikv/expiry"
	"minikv/value"
)

// Restore puts a node into a snapshot's state. A snapshot of the same engine
// may be restored again and again, until it is released; one of another engine
// (a fork) is copied and needs that no longer. Clients are those that exist in
// both: one that came later, and in a fork every one, is set back to a fresh
// connection's state. Output that was not taken is dropped, and a client that
// may go on, or no longer has to wait, is on the Ready list. Not while a
// command runs.
func (e *Engine) Restore(s *Snapshot) {
	e.settleMemory()
	e.eviction = evictionState{}
	fork := s.e != e
	e.endAllDebugging()
	e.endAllDelays()
	held := e.heldClients()
	*e.conf = *s.conf.Clone()
	if fork {
		e.table = tableFor(e.conf.RedisVersion)
	}
	e.acl.restore(&s.acl, fork)
	e.scripts.restore(s.scripts, s.evals, s.lua, fork)
	e.scripts.restoreFunctions(e, s.functions, fork)
	e.pause = s.pause
	e.pause.waiting = nil
	e.nextID = max(e.nextID, s.nextID)
	e.activeExpireOff, e.settings = s.noExpire, s.settings
	e.waiting = expiry.Heap[*Client]{}
	e.nblocked = 0
	e.pubsub, e.tracking = pubsubState{}, trackingState{}
	e.monitors = nil
	e.setClosedGates()
	e.restoreDatabases(s, fork)
	for _, cl := range e.clients {
		cl.setState(&Client{id: cl.id, conn: cl.conn, created: cl.created, seen: e.now}, e.dbs[0])
		cl.logout()
	}
	if !fork {
		e.restoreClients(s)
	}
	*e.pcg = s.pcg
	for _, cl := range held {
		if !cl.Waiting() && !cl.paused {
			e.awake(cl)
		}
	}
	e.verify()
}

// heldClients are the clients that somebody still has to hear of: they wait,
// or stand on the Ready list, which begins anew.
func (e *Engine) heldClients() (held []*Client) {
	for _, cl := range e.clients {
		if cl.listed || cl.paused || cl.Waiting() {
			held = append(held, cl)
		}
		cl.listed = false
	}
	slices.SortFunc(held, func(a, b *Client) int { return int(a.id - b.id) })
	e.ready = nil
	return held
}

func (e *Engine) restoreDatabases(s *Snapshot, fork bool) {
	if len(e.dbs) != len(s.dbs) {
		e.dbs = make([]*DB, len(s.dbs))
		for i := range e.dbs {
			e.dbs[i] = newDB(e, i)
			if e.cluster != nil {
				e.dbs[i].slots = newSlotIndex()
			}
		}
	}
	for i, db := range e.dbs {
		db.restore(&s.dbs[i], fork)
	}
}

// restore fills a database with a snapshot's entries. The new entries share
// the snapshot's values, whose epoch is old: they are copied when changed.
func (db *DB) restore(s *dbSnapshot, fork bool) {
	db.keys = value.NewTableOf[Object](s.shape)
	db.expires, db.fields, db.timed = expiry.Heap[*Entry]{}, expiry.Heap[*Entry]{}, nil
	db.bytes = 0
	db.waits = make(map[string]*waitQueue)
	db.watchers = make(map[string][]*Client)
	for _, se := range s.entries {
		en := db.keys.Append(se.en.Key)
		en.Val = se.en.Val
		if fork {
			en.Val = se.en.Val.clone()
			en.Val.epoch = db.e.snapshot.epoch
		}
		en.Val.ttl, en.Val.clock = nil, se.clock
		en.Val.mark(flagTimed, false)
		db.bytes += entryMemory(en.Key) + int64(en.Val.memory())
	}
	db.reindex()
	for at, old := range s.expires.All() {
		en := db.keys.GetString(old.Key)
		en.Val.ttl = db.expires.Add(at, en)
	}
	for at, old := range s.fields.All() {
		en := db.keys.GetString(old.Key)
		db.setFieldsDeadline(en, at)
	}
}

// restoreClients puts the clients that are still there back to what they were
// doing, each to its old place among the others.
func (e *Engine) restoreClients(s *Snapshot) {
	for i := range s.clients {
		e.restoreClient(&s.clients[i])
	}
	for _, cl := range s.pause.waiting {
		if !cl.closed {
			e.pause.waiting = append(e.pause.waiting, cl)
		}
	}
	for _, cl := range s.waiting {
		if !cl.closed {
			cl.wait.timer = e.waiting.Add(cl.wait.due(), cl)
		}
	}
	for i, db := range e.dbs {
		for _, queue := range s.dbs[i].waits {
			queue.each(func(cl *Client) { db.enqueue(cl, cl.wait, queue.name) })
		}
	}
	e.restorePubSub(&s.pubsub)
	e.restoreTracking(&s.tracking)
}

func (e *Engine) restoreClient(s *clientSnapshot) {
	cl := s.cl
	if cl.closed {
		return
	}
	state := s.state.copyState()
	cl.setState(&state, e.dbs[s.state.db.id])
	for _, w := range cl.watched {
		w.db.watchers[w.key] = append(w.db.watchers[w.key], cl)
	}
	if cl.monitor {
		e.monitors = append(e.monitors, cl)
	}
	if cl.wait != nil {
		e.nblocked++
	}
}

func (e *Engine) restorePubSub(s *pubsubSnapshot) {
	for _, side := range []struct {
		lists []clientList
		all   *map[string]*list.List
		own   func(*Client) *map[string]*list.Element
	}{
		{s.channels, &e.pubsub.channels, func(cl *Client) *map[string]*list.Element { return &cl.subs.channels }},
		{s.shards, &e.pubsub.shards, func(cl *Client) *map[string]*list.Element { return &cl.subs.shards }},
	} {
		for _, l := range side.lists {
			l.each(func(cl *Client) { subscribe(side.all, side.own(cl), cl, l.name) })
		}
	}
	for _, l := range s.patterns {
		l.each(func(cl *Client) { e.subscribePattern(cl, l.name) })
	}
}

// each visits the clients of a list that are still there.
func (l *clientList) each(visit func(*Client)) {
	for _, cl := range l.clients {
		if !cl.closed {
			visit(cl)
		}
	}
}

// setState replaces everything of a client but its connection: what that is
// about to do (close, answer a request) it still does.
func (cl *Client) setState(s *Client, db *DB) {
	old := *cl
	*cl = *s
	cl.Data, cl.e, cl.conn, cl.db = old.Data, old.e, old.conn, db
	cl.out, cl.pushes = old.out, old.pushes
	cl.request, cl.closing, cl.closeNow = old.request, old.closing, old.closeNow
	cl.spoiled.delayed = old.spoiled.delayed
	cl.listed, cl.subs, cl.softSince = false, subscriptions{}, 0
	cl.out.Reset()
	cl.pushes.Reset()
	cl.setProto(s.out.Proto())
}

// setProto switches the protocol of replies and pushes.
func (cl *Client) setProto(p int) {
	if p < 2 {
		p = 2
	}
	cl.out.SetProto(p)
	cl.pushes.SetProto(p)
}

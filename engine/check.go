package engine

import (
	"container/list"
	"fmt"

	"minikv/value"
)

// Check looks for a broken invariant in the whole state: each thing that is
// kept in two places stands in both, and counters count what is there. It
// costs a walk over everything; tests run it after every command, by
// Options.Verify. Not while a command runs.
func (e *Engine) Check() error {
	for _, check := range []func() error{e.checkUnits, e.checkDatabases, e.checkClients, e.checkUsers, e.checkPubSub, e.checkTracking} {
		if err := check(); err != nil {
			return fmt.Errorf("engine: %w", err)
		}
	}
	return nil
}

// verify reports a broken invariant to whoever wants to know.
func (e *Engine) verify() {
	if e.opt.Verify != nil {
		if err := e.Check(); err != nil {
			e.opt.Verify(err)
		}
	}
}

// checkUnits: between units nothing is under way.
func (e *Engine) checkUnits() error {
	switch {
	case e.unit != 0 || e.depth != 0:
		return fmt.Errorf("%d units and %d executions are under way", e.unit, e.depth)
	case len(e.awaited) > 0:
		return fmt.Errorf("%d changed keys were not served", len(e.awaited))
	case len(e.memory.open) > 0:
		return fmt.Errorf("%d values are being changed", len(e.memory.open))
	case len(e.effects.list) > 0:
		return fmt.Errorf("%d effects were not handed out", len(e.effects.list))
	case e.snapshot.live < 0:
		return fmt.Errorf("%d snapshots are kept", e.snapshot.live)
	case e.pausing() == pauseNone && len(e.pause.waiting) > 0:
		return fmt.Errorf("%d clients are held back without a pause", len(e.pause.waiting))
	}
	listed := 0
	for _, cl := range e.ready {
		if !cl.listed {
			return fmt.Errorf("client %d is on the ready list and does not know", cl.id)
		}
		listed++
	}
	for _, cl := range e.clients {
		if cl.listed {
			listed--
		}
	}
	if listed < 0 { // one that has closed since may still stand there
		return fmt.Errorf("%d clients believe to be on the ready list", -listed)
	}
	return nil
}

func (e *Engine) checkDatabases() error {
	for i, db := range e.dbs {
		if db.id != i || db.e != e {
			return fmt.Errorf("database %d believes to be %d", i, db.id)
		}
		for _, check := range []func() error{db.keys.Check, db.expires.Check, db.fields.Check, db.checkEntries, db.checkFields, db.checkWaits, db.checkWatchers} {
			if err := check(); err != nil {
				return fmt.Errorf("database %d: %w", i, err)
			}
		}
	}
	return nil
}

// checkEntries: values are sound, and each deadline belongs to one entry.
func (db *DB) checkEntries() error {
	volatile, size := 0, int64(0)
	for en := range db.keys.All() {
		if en.Val.has(flagOpen) {
			return fmt.Errorf("key %q is being changed", en.Key)
		}
		if err := en.Val.check(); err != nil {
			return fmt.Errorf("key %q: %w", en.Key, err)
		}
		size += entryMemory(en.Key) + int64(en.Val.memory())
		if en.Val.epoch > db.e.snapshot.epoch {
			return fmt.Errorf("key %q was born in epoch %d of %d", en.Key, en.Val.epoch, db.e.snapshot.epoch)
		}
		if en.Val.ttl == nil {
			continue
		}
		volatile++
		if en.Val.ttl.Owner != en {
			return fmt.Errorf("the deadline of key %q is another's", en.Key)
		}
	}
	if n := db.expires.Len(); n != volatile {
		return fmt.Errorf("%d deadlines for %d keys that have one", n, volatile)
	}
	for d := range db.expires.All() {
		if en := d.Owner; en.Val.ttl != d || db.keys.GetString(en.Key) != en {
			return fmt.Errorf("a deadline at %d of key %q, which does not know it", d.At(), en.Key)
		}
	}
	if size != db.bytes {
		return fmt.Errorf("keys and values take %d bytes, and %d bytes are counted", size, db.bytes)
	}
	return nil
}

// checkFields: every hash with a field that has a deadline is looked at in time.
func (db *DB) checkFields() error {
	timed := 0
	for en := range db.keys.All() {
		d := db.timed[en]
		if (d != nil) != en.Val.has(flagTimed) {
			return fmt.Errorf("key %q does not know whether its fields have deadlines", en.Key)
		}
		if d != nil {
			timed++
			if d.Owner != en || en.Val.kind() != value.KindHash {
				return fmt.Errorf("the time to look at the fields of key %q is another's", en.Key)
			}
		}
		if en.Val.kind() != value.KindHash {
			continue
		}
		switch at, any := en.Val.hash().NextDeadline(); {
		case any && (d == nil || d.At() != at):
			return fmt.Errorf("a field of key %q is due at %d, and nobody looks then", en.Key, at)
		case !any && d != nil:
			return fmt.Errorf("no field of key %q has a deadline, but one is waited for at %d", en.Key, d.At())
		}
	}
	if n := db.fields.Len(); n != timed || len(db.timed) != timed {
		return fmt.Errorf("fields of %d hashes are timed, of %d those know it", n, timed)
	}
	return nil
}

// check: a value is of its kind, sound and not empty.
func (o *Object) check() error {
	if o.kind() == value.KindString {
		return o.checkString()
	}
	v, n := o.collection(), 1
	switch v := v.(type) {
	case nil:
		return fmt.Errorf("a value of no kind")
	case *value.List:
		n = v.Len()
	case *value.Set:
		n = v.Len()
	case *value.ZSet:
		n = v.Len()
	case *value.Hash:
		n = v.Len()
	case *value.Array:
		n = v.Count()
	}
	if n == 0 {
		return fmt.Errorf("an empty %v", o.kind())
	}
	return v.Check()
}

func (o *Object) checkString() error {
	if o.enc() == encEmbstr && len(o.str()) > embstrLimit {
		return fmt.Errorf("%d bytes are embedded", len(o.str()))
	}
	return nil
}

// checkWaits: who stands in a key's queue waits for it.
func (db *DB) checkWaits() error {
	for key, q := range db.waits {
		if q.clients.Len() == 0 {
			return fmt.Errorf("an empty queue for key %q", key)
		}
		if q.awaited {
			return fmt.Errorf("key %q says that it changed and is not on the list", key)
		}
		for el := q.clients.Front(); el != nil; el = el.Next() {
			cl := el.Value.(*Client)
			if db.e.clients[cl.id] != cl || cl.wait == nil || cl.wait.db != db {
				return fmt.Errorf("client %d stands in the queue for key %q and does not wait here", cl.id, key)
			}
			if !cl.wait.standsAt(place{key, el}) {
				return fmt.Errorf("client %d does not know its place in the queue for key %q", cl.id, key)
			}
		}
	}
	return nil
}

func (w *wait) standsAt(at place) bool {
	for _, p := range w.places {
		if p == at {
			return true
		}
	}
	return false
}

// checkWatchers: who is on a key's list watches it, once.
func (db *DB) checkWatchers() error {
	for key, clients := range db.watchers {
		if len(clients) == 0 {
			return fmt.Errorf("an empty list of watchers of key %q", key)
		}
		for i, cl := range clients {
			if db.e.clients[cl.id] != cl || cl.watches(db, key) != 1 {
				return fmt.Errorf("client %d is told of key %q and does not watch it", cl.id, key)
			}
			for _, other := range clients[:i] {
				if other == cl {
					return fmt.Errorf("client %d is told of key %q twice", cl.id, key)
				}
			}
		}
	}
	return nil
}

func (cl *Client) watches(db *DB, key string) (n int) {
	for _, w := range cl.watched {
		if w.db == db && w.key == key {
			n++
		}
	}
	return n
}

func (e *Engine) checkClients() error {
	blocked, timers := 0, 0
	for id, cl := range e.clients {
		if cl.id != id || cl.e != e || cl.closed || e.dbs[cl.db.id] != cl.db {
			return fmt.Errorf("client %d is not one of this engine's", id)
		}
		for _, check := range []func() error{cl.checkWait, cl.checkTransaction} {
			if err := check(); err != nil {
				return fmt.Errorf("client %d: %w", id, err)
			}
		}
		if cl.wait != nil {
			blocked++
			if cl.wait.timer != nil {
				timers++
			}
		}
	}
	switch {
	case blocked != e.nblocked:
		return fmt.Errorf("%d clients are blocked, %d counted", blocked, e.nblocked)
	case timers != e.waiting.Len():
		return fmt.Errorf("%d time-outs for %d clients that have one", e.waiting.Len(), timers)
	}
	return e.waiting.Check()
}

// checkWait: a blocked client stands wherever it believes to.
func (cl *Client) checkWait() error {
	w := cl.wait
	if w == nil {
		return nil
	}
	for _, p := range w.places {
		if q := w.db.waits[p.key]; q == nil || !contains(&q.clients, p.el) {
			return fmt.Errorf("waits for key %q and does not stand in its queue", p.key)
		}
	}
	switch {
	case w.due() > 0 && (w.timer == nil || w.timer.Owner != cl || w.timer.At() != w.due()):
		return fmt.Errorf("waits until %d and has another time-out", w.due())
	case w.due() == 0 && w.timer != nil:
		return fmt.Errorf("waits for ever and has a time-out")
	case cl.multi.open:
		return fmt.Errorf("waits inside a transaction")
	}
	return nil
}

// checkTransaction: what is queued stands between MULTI and EXEC, and who
// watches a key is told of it.
func (cl *Client) checkTransaction() error {
	if !cl.multi.open && (len(cl.multi.cmds) > 0 || cl.multi.aborted) {
		return fmt.Errorf("%d commands queued outside a transaction", len(cl.multi.cmds))
	}
	for _, w := range cl.watched {
		told := 0
		for _, other := range w.db.watchers[w.key] {
			if other == cl {
				told++
			}
		}
		if told != 1 {
			return fmt.Errorf("is told %d times of key %q, which it watches", told, w.key)
		}
	}
	return nil
}

func (e *Engine) checkPubSub() error {
	ps := &e.pubsub
	for _, side := range []struct {
		name string
		all  map[string]*list.List
		own  func(*Client) map[string]*list.Element
	}{
		{"channel", ps.channels, func(cl *Client) map[string]*list.Element { return cl.subs.channels }},
		{"pattern", ps.patterns, func(cl *Client) map[string]*list.Element { return cl.subs.patterns }},
		{"shard channel", ps.shards, func(cl *Client) map[string]*list.Element { return cl.subs.shards }},
	} {
		if err := e.checkSubscriptions(side.all, side.own); err != nil {
			return fmt.Errorf("%s %w", side.name, err)
		}
	}
	if ps.order.Len() != len(ps.patterns) || len(ps.places) != len(ps.patterns) {
		return fmt.Errorf("%d patterns in order, %d with a place, of %d", ps.order.Len(), len(ps.places), len(ps.patterns))
	}
	for el := ps.order.Front(); el != nil; el = el.Next() {
		if pattern := el.Value.(string); ps.places[pattern] != el || ps.patterns[pattern] == nil {
			return fmt.Errorf("pattern %q has lost its place", pattern)
		}
	}
	return nil
}

// checkSubscriptions: a name's list of clients and the clients' lists of names
// say the same.
func (e *Engine) checkSubscriptions(all map[string]*list.List, own func(*Client) map[string]*list.Element) error {
	total := 0
	for name, clients := range all {
		if clients.Len() == 0 {
			return fmt.Errorf("%q has an empty list", name)
		}
		for el := clients.Front(); el != nil; el = el.Next() {
			cl := el.Value.(*Client)
			if e.clients[cl.id] != cl || own(cl)[name] != el {
				return fmt.Errorf("%q is sent to client %d, which does not listen", name, cl.id)
			}
			total++
		}
	}
	for _, cl := range e.clients {
		total -= len(own(cl))
	}
	if total != 0 {
		return fmt.Errorf("lists have %d clients more than clients have names", total)
	}
	return nil
}

func contains(l *list.List, el *list.Element) bool {
	for at := l.Front(); at != nil; at = at.Next() {
		if at == el {
			return true
		}
	}
	return false
}

package engine

import (
	"slices"

	"minikv/resp"
	"minikv/value"
)

// Client-side caching. A client that tracks is told when what it may have
// cached is no longer true. In the default mode the engine remembers, for each
// key, who has read it, and tells those once when the key changes: the entry
// goes, and comes back when they read again. In the broadcasting mode nothing
// is remembered: see tracking_broadcast.go.
//
// What is read is noted by call, behind the handler, and what changes is heard
// of in DB.spread, so expiry and eviction count as well as commands. Databases
// are not told apart. A client whose own command changes a key is told behind
// the reply, as with all pushes.
//
// A client that no longer tracks is not sought out in the table: its number,
// which is never given again, stays until the keys change. So a table is made
// when the first client tracks and kept from then on; until then a change
// costs one comparison.

// trackingState is what the engine keeps for all clients that track.
type trackingState struct {
	clients  int
	readers  *value.Table[[]int64] // by key: the numbers of clients that read it, ascending; nil until a client tracks
	items    int                   // numbers in the table
	misses   int                   // how often in a row the table was not brought below its limit
	prefixes []*broadcast          // by prefix, ascending
	changed  map[string]*Client    // keys to be broadcast, with who changed them last
}

// trackingMode is what a client has asked for.
type trackingMode struct {
	broadcast     bool
	optIn, optOut bool
	noLoop        bool
	redirect      int64 // the client to be told instead, or 0
	broken        bool  // that client has gone, as was noticed when it was to be told
	prefixes      []string
	// caching: CLIENT CACHING was said for the next command. Commands of
	// cachingIn, the container of that one, do not use it up.
	caching   bool
	cachingIn *Command
}

// invalidateChannel is where a client in RESP2 is told what was redirected to it.
const invalidateChannel = "__redis__:invalidate"

func (m *trackingMode) clone() *trackingMode {
	if m == nil {
		return nil
	}
	copied := *m
	copied.prefixes = slices.Clone(m.prefixes)
	return &copied
}

// remembers tells whether the client's reads are to be remembered just now.
func (m *trackingMode) remembers() bool {
	return !m.broadcast && (!m.optIn || m.caching) && (!m.optOut || !m.caching)
}

// used says that a command, if there was one by that name, is over: what CLIENT
// CACHING said held for it.
func (m *trackingMode) used(cmd *Command) {
	if m.caching && (cmd == nil || cmd.parent != m.cachingIn) {
		m.caching = false
	}
}

// track makes a client track, or track in another way.
func (e *Engine) track(cl *Client, m *trackingMode) {
	if e.tracking.readers == nil {
		e.tracking.readers = value.NewTable[[]int64](e.rand.Uint64())
	}
	if old := cl.tracking; old != nil {
		m.caching, m.cachingIn = old.caching, old.cachingIn
		e.unregister(cl)
	} else {
		e.tracking.clients++
	}
	cl.tracking = m
	e.register(cl)
}

// untrack ends a client's tracking, if it tracks.
func (e *Engine) untrack(cl *Client) {
	if cl.tracking == nil {
		return
	}
	e.unregister(cl)
	cl.tracking = nil
	e.tracking.clients--
}

// remember notes the keys of a command that its client has run. Of a script
// that reads anything those count that it declares, and since Redis 7.2 those
// that its commands name.
func (e *Engine) remember(c *Ctx) {
	if c.cmd.Flags&(ReadOnly|Runner) != ReadOnly || c.source == FromBlocked || !c.cl.tracking.remembers() {
		return
	}
	if c.source == FromScript && !e.table.ver.from(version{major: 7, minor: 2}) {
		c = e.scripts.host.c
	}
	refs, ok := c.cmd.keysOf(c.argv, nil)
	if !ok {
		return
	}
	t := &e.tracking
	for _, ref := range refs {
		node, _ := t.readers.Put(c.argv[ref.Pos])
		if at, has := slices.BinarySearch(node.Val, c.cl.id); !has {
			node.Val = slices.Insert(node.Val, at, c.cl.id)
			t.items++
		}
	}
}

// invalidate tells everyone concerned that a key has changed.
func (e *Engine) invalidate(key []byte, class Class) {
	t := &e.tracking
	if len(t.prefixes) > 0 {
		e.note(key, class)
	}
	if t.readers.Len() > 0 {
		if node := t.readers.Delete(key); node != nil {
			e.tellReaders(node.Key, node.Val)
		}
	}
}

// tellReaders tells clients of one key that is no longer in the table.
func (e *Engine) tellReaders(key string, readers []int64) {
	e.tracking.items -= len(readers)
	for _, id := range readers {
		cl := e.clients[id]
		if cl == nil || cl.tracking == nil || cl.tracking.broadcast || cl.tracking.noLoop && cl == e.current {
			continue
		}
		e.tellInvalid(cl, func(out *resp.Writer) {
			out.Array(1)
			out.BulkString(key)
		})
	}
}

// invalidateAll tells everyone that all keys have gone, with a null.
func (e *Engine) invalidateAll() {
	t := &e.tracking
	if t.clients > 0 {
		for _, cl := range e.clientsByID() {
			if cl.tracking == nil {
				continue
			}
			null := resp.AppendNilBulk(nil)
			if cl.out.Proto() >= 3 {
				null = resp.AppendNull(nil) // as Redis does, whatever the one speaks that is told
			}
			e.tellInvalid(cl, func(out *resp.Writer) { out.Raw(null) })
		}
	}
	if t.readers != nil {
		t.readers.Clear()
		t.items = 0
	}
}

// tellInvalid sends a client, or the one that is to be told instead, what is no
// longer valid. In RESP2 that needs a redirection, to a client with
// subscriptions, whichever they are.
func (e *Engine) tellInvalid(cl *Client, what func(out *resp.Writer)) {
	m, to := cl.tracking, cl
	if m.redirect != 0 {
		if to = e.clients[m.redirect]; to == nil {
			e.tellBroken(cl)
			return
		}
	}
	switch {
	case to.out.Proto() >= 3:
		e.push(to, func(out *resp.Writer) {
			out.Push(2)
			out.BulkString("invalidate")
			what(out)
		})
	case m.redirect != 0 && to.subs.count() > 0:
		e.push(to, func(out *resp.Writer) {
			out.Push(3)
			out.BulkString("message")
			out.BulkString(invalidateChannel)
			what(out)
		})
	}
}

// tellBroken tells a client that the one which was to be told has gone.
func (e *Engine) tellBroken(cl *Client) {
	cl.tracking.broken = true
	if cl.out.Proto() < 3 {
		return
	}
	e.push(cl, func(out *resp.Writer) {
		out.Push(2)
		out.BulkString("tracking-redir-broken")
		out.Int(cl.tracking.redirect)
	})
}

// settleTracking runs after each unit: changes are broadcast, and the table is
// brought below its limit.
func (e *Engine) settleTracking() {
	if len(e.tracking.changed) > 0 {
		e.broadcastChanges()
	}
	if limit := e.conf.TrackingTableMaxKeys; limit > 0 && e.tracking.clients > 0 && int64(e.tracking.readers.Len()) > limit {
		e.forgetReaders(int(limit))
	}
}

// forgetAtOnce is how many keys are forgotten after one unit; it grows while
// that does not suffice.
const forgetAtOnce = 100

// forgetReaders takes keys, drawn at random, out of a table that is too large:
// their readers are told, as if they had changed.
func (e *Engine) forgetReaders(limit int) {
	t := &e.tracking
	for range forgetAtOnce * (t.misses + 1) {
		node := t.readers.Random(e.random)
		t.readers.DeleteString(node.Key)
		e.tellReaders(node.Key, node.Val)
		if t.readers.Len() <= limit {
			t.misses = 0
			return
		}
	}
	t.misses++
}

// clone is the state that does not follow from the clients': who has read what.
func (t *trackingState) clone() trackingState {
	s := trackingState{items: t.items, misses: t.misses}
	if t.readers != nil {
		s.readers = t.readers.Clone(slices.Clone[[]int64])
	}
	return s
}

// restoreTracking puts a snapshot's state back, once the clients are restored.
func (e *Engine) restoreTracking(s *trackingState) {
	e.tracking = s.clone()
	for _, cl := range e.clientsByID() {
		if cl.tracking != nil {
			e.tracking.clients++
			e.register(cl)
		}
	}
}

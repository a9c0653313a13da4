package engine

import (
	"strings"
	"testing"

	"minikv/value"
)

// TestCheckFindsWhatIsBroken breaks one thing after the other.
func TestCheckFindsWhatIsBroken(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		want  string
		spoil func(e *Engine, db *DB, cl, waits *Client)
	}{
		{"is another's", func(_ *Engine, db *DB, _, _ *Client) { db.keys.GetString("k").Val.ttl.Owner = new(Entry) }},
		{"deadlines for", func(_ *Engine, db *DB, _, _ *Client) { db.keys.GetString("k").Val.ttl = nil }},
		{"deadlines for", func(_ *Engine, db *DB, _, _ *Client) { db.keys.DeleteString("k") }},
		{"does not know it", func(_ *Engine, db *DB, _, _ *Client) {
			k := db.keys.GetString("k")
			db.expires.Remove(k.Val.ttl)
			db.expires.Add(1, k)
		}},
		{"born in epoch", func(_ *Engine, db *DB, _, _ *Client) { db.keys.GetString("k").Val.epoch = 7 }},
		{"an empty list", func(_ *Engine, db *DB, _, _ *Client) {
			db.keys.GetString("plain").Val = collectionObject(value.KindList, value.NewList())
		}},
		{"of no kind", func(_ *Engine, db *DB, _, _ *Client) { db.keys.GetString("plain").Val.flags &^= kindBits }},
		{"are embedded", func(_ *Engine, db *DB, _, _ *Client) {
			db.keys.GetString("plain").Val.body.SetText(make([]byte, embstrLimit+1))
		}},
		{"is being changed", func(_ *Engine, db *DB, _, _ *Client) { db.keys.GetString("plain").Val.mark(flagOpen, true) }},
		{"bytes are counted", func(_ *Engine, db *DB, _, _ *Client) { db.bytes++ }},
		{"an empty queue", func(_ *Engine, db *DB, _, _ *Client) { db.waits["j"] = new(waitQueue) }},
		{"does not wait here", func(_ *Engine, db *DB, _, waits *Client) { waits.wait.db = nil }},
		{"does not stand in its queue", func(_ *Engine, db *DB, _, waits *Client) { delete(db.waits, "q") }},
		{"does not know its place", func(_ *Engine, _ *DB, _, waits *Client) { waits.wait.places = nil }},
		{"clients are blocked", func(e *Engine, _ *DB, _, _ *Client) { e.nblocked++ }},
		{"another time-out", func(_ *Engine, _ *DB, _, waits *Client) { waits.wait.Timeout++ }},
		{"waits inside a transaction", func(_ *Engine, _ *DB, _, waits *Client) { waits.multi.open = true }},
		{"time-outs for", func(e *Engine, _ *DB, _, waits *Client) { e.waiting.Add(1, waits) }},
		{"does not watch it", func(_ *Engine, _ *DB, cl, _ *Client) { cl.watched = nil }},
		{"is told 0 times", func(_ *Engine, db *DB, _, _ *Client) { delete(db.watchers, "w") }},
		{"told of key \"w\" twice", func(_ *Engine, db *DB, cl, _ *Client) { db.watchers["w"] = append(db.watchers["w"], cl) }},
		{"outside a transaction", func(_ *Engine, _ *DB, cl, _ *Client) { cl.multi.open = false }},
		{"which does not listen", func(_ *Engine, _ *DB, cl, _ *Client) { delete(cl.subs.channels, "c") }},
		{"more than clients have names", func(e *Engine, _ *DB, _, _ *Client) { delete(e.pubsub.channels, "c") }},
		{"patterns in order", func(e *Engine, _ *DB, _, _ *Client) { e.pubsub.order.Init() }},
		{"has lost its place", func(e *Engine, _ *DB, _, _ *Client) { e.pubsub.order.Front().Value = "other" }},
		{"is on the ready list and does not know", func(e *Engine, _ *DB, cl, _ *Client) { e.ready = append(e.ready, cl) }},
		{"believe to be on the ready list", func(_ *Engine, _ *DB, cl, _ *Client) { cl.listed = true }},
		{"not one of this engine's", func(_ *Engine, _ *DB, cl, _ *Client) { cl.closed = true }},
		{"believes to be 5", func(_ *Engine, db *DB, _, _ *Client) { db.id = 5 }},
		{"changed keys were not served", func(e *Engine, db *DB, _, _ *Client) { db.awaken([]byte("q")) }},
		{"says that it changed", func(_ *Engine, db *DB, _, _ *Client) { db.waits["q"].awaited = true }},
		{"under way", func(e *Engine, _ *DB, _, _ *Client) { e.depth++ }},
		{"snapshots are kept", func(e *Engine, _ *DB, _, _ *Client) { e.snapshot.live-- }},
		{"without a pause", func(e *Engine, _ *DB, cl, _ *Client) { e.pause.waiting = []*Client{cl} }},
	} {
		n := newWaitNode(t, Options{})
		cl, waits := n.client(), n.client()
		for _, command := range []string{"SET k v EX 10", "SET plain v", "SET n 17", "WATCH w", "SUBSCRIBE c", "PSUBSCRIBE p*"} {
			n.send(cl, command)
		}
		n.send(waits, "BPOP q 1000")
		cl.multi.open = true
		cl.multi.queue(&Ctx{cmd: n.e.table.Lookup("ping"), argv: argvOf("PING")})
		if err := n.e.Check(); err != nil {
			t.Fatal(err)
		}
		test.spoil(n.e, n.e.dbs[0], cl, waits)
		err := n.e.Check()
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("want an error with %q, got %v", test.want, err)
		}
	}
}

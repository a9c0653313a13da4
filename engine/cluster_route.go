package engine

import (
	"fmt"

	"minikv/resp"
)

// Where a command goes. Its keys name one slot; this node serves that, or says
// who does. While a slot moves, keys that are no longer here, or not yet, are
// asked for at the other end: see https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec.

func movedError(slot int, to *clusterMember, cl *Client) routeError {
	return routeError(fmt.Sprintf("MOVED %d %s", slot, to.address(cl)))
}

// clusterGate sends commands whose keys are elsewhere to where they are.
func clusterGate(c *Ctx) error {
	if c.e.cluster == nil {
		return nil
	}
	_, err := c.e.cluster.route(c)
	return err
}

// routing is what the keys of a command, or of all of a transaction, say.
type routing struct {
	slot              int // -1: there is no key
	first             []byte
	several           bool // different keys
	existing, missing int  // of keys in a slot that moves
}

// route finds the slot of a command that runs here, -1 if it has none; else it
// answers what the client is told.
func (cs *clusterState) route(c *Ctx) (slot int, err error) {
	r := routing{slot: -1}
	if c.cmd.Flags&Commits == 0 {
		err = r.add(cs, c, c.cmd, c.argv)
	} else if c.cl.multi.open {
		for _, q := range c.cl.multi.cmds {
			if err = r.add(cs, c, q.cmd, q.argv); err != nil {
				break
			}
		}
	}
	if err != nil || r.slot < 0 {
		return -1, err
	}
	return r.slot, r.verdict(cs, c)
}

// add looks at the keys of one command.
func (r *routing) add(cs *clusterState, c *Ctx, cmd *Command, argv [][]byte) error {
	refs, _ := cmd.slotKeys(argv)
	for _, ref := range refs {
		key := argv[ref.Pos]
		slot := keySlot(key)
		switch {
		case r.slot < 0:
			r.slot, r.first = slot, key
			if cs.owner[slot] == nil {
				return errSlotUnbound
			}
		case slot != r.slot:
			return errCrossSlots
		case string(key) != string(r.first):
			r.several = true
		}
		if (cs.leaving(slot) || cs.importing[slot] != nil) && !cmd.ofShards() {
			if en := c.e.dbs[0].keys.Get(key); en == nil || c.e.dbs[0].due(en) {
				r.missing++
			} else {
				r.existing++
			}
		}
	}
	return nil
}

// leaving tells whether a slot of this node is on its way to another one.
func (cs *clusterState) leaving(slot int) bool {
	return cs.migrating[slot] != nil && cs.owner[slot] == cs.self
}

// ofShards tells the commands of shard channels, which stand where a slot is.
func (cmd *Command) ofShards() bool {
	return cmd.Group == PubSubGroup && len(cmd.Keys) > 0
}

func (r *routing) verdict(cs *clusterState, c *Ctx) error {
	conf := c.e.conf
	if !cs.ok {
		switch {
		case c.cmd.ofShards():
			if !conf.ClusterAllowPubsubshardWhenDown {
				return errClusterDown
			}
		case !conf.ClusterAllowReadsWhenDown:
			return errClusterDown
		case c.flags()&Write != 0:
			return errClusterDownRO
		}
	}
	leaving, importing := cs.leaving(r.slot), cs.importing[r.slot] != nil
	switch {
	case (leaving || importing) && c.cmd.Flags&TakesAway != 0:
		return nil
	case leaving && r.missing > 0 && r.existing > 0:
		return errTryAgain
	case leaving && r.missing > 0 && cs.migrating[r.slot] != cs.self:
		return routeError(fmt.Sprintf("ASK %d %s", r.slot, cs.migrating[r.slot].address(c.cl)))
	case importing && (c.cl.asking > 0 || c.cmd.Flags&Asking != 0):
		if r.several && r.missing > 0 {
			return errTryAgain
		}
		return nil
	case cs.owner[r.slot] != cs.self:
		return movedError(r.slot, cs.owner[r.slot], c.cl)
	}
	return nil
}

// slotKeys are the arguments that say to which slot a command goes: keys, and
// the names of shard channels.
func (cmd *Command) slotKeys(argv [][]byte) (refs []KeyRef, ok bool) {
	if !cmd.ofShards() {
		return cmd.keysOf(argv, nil)
	}
	for i := range cmd.Keys {
		if refs, ok = cmd.Keys[i].find(argv, refs); !ok {
			return nil, false
		}
	}
	return refs, true
}

// routeScript judges a command of a script, which cannot be sent elsewhere.
func (r *scriptRun) routeScript(c *Ctx) error {
	cs := r.e.cluster
	if cs == nil {
		return nil
	}
	slot, err := cs.route(c)
	switch {
	case err == errClusterDownRO:
		return errScriptDownRO
	case err == errClusterDown:
		return errScriptDown
	case err != nil:
		return errScriptNotLocal
	case slot < 0 || r.c.crossSlot:
		return nil
	}
	if r.slot < 0 {
		r.slot = slot
	}
	if r.slot != slot {
		return errScriptCrossSlot
	}
	return nil
}

// declaredSlot is the slot of the keys that a script is given, -1 if there are none,
// or no cluster.
func (c *Ctx) declaredSlot() int {
	if c.e.cluster == nil {
		return -1
	}
	if refs, _ := c.cmd.keysOf(c.argv, nil); len(refs) > 0 {
		return keySlot(c.argv[refs[0].Pos])
	}
	return -1
}

// redirectWaiting sends clients elsewhere that wait for keys which are there now,
// or that nobody serves any more.
func (e *Engine) redirectWaiting() {
	db := e.dbs[0]
	for _, key := range sortedKeys(db.waits) {
		q := db.waits[key]
		if q == nil {
			continue // all of its clients waited for another key, too
		}
		for _, cl := range clientsOf(&q.clients) {
			if err := e.cluster.whereTo(keySlot([]byte(key)), cl); err != nil {
				e.stats.countError(err.Error())
				cl.answer(func(out *resp.Writer) { out.Error(err.Error()) })
				e.unblock(cl)
			}
		}
	}
}

// whereTo is what a client hears that waits for a key of a slot, nil if it may go
// on waiting.
func (cs *clusterState) whereTo(slot int, cl *Client) error {
	switch to := cs.owner[slot]; {
	case !cs.ok:
		return errClusterDown
	case to == cs.self || cs.importing[slot] != nil:
		return nil
	case to == nil:
		return errSlotUnbound
	default:
		return movedError(slot, to, cl)
	}
}

// leaveShards ends all subscriptions to the shard channels of a slot.
func (e *Engine) leaveShards(slot int) {
	for _, name := range sortedKeys(e.pubsub.shards) {
		if keySlot([]byte(name)) != slot {
			continue
		}
		for _, cl := range clientsOf(e.pubsub.shards[name]) {
			unsubscribe(e.pubsub.shards, cl.subs.shards, name)
			left := len(cl.subs.shards)
			e.push(cl, func(out *resp.Writer) {
				out.Push(3)
				out.BulkString("sunsubscribe")
				out.BulkString(name)
				out.Int(int64(left))
			})
		}
	}
}

package engine

import (
	"fmt"
	"slices"

	"minikv/engine/config"
)

// Eviction. Above maxmemory keys are given up, which ones says maxmemory-policy,
// before a command runs; if there are none to give up, commands that need memory
// are refused.
//
// Idea: to know the key that was not used for longest one would have to keep all
// keys in that order. Instead maxmemory-samples of them are drawn at random and
// the best of those goes. What the draws before have found is kept in a small
// pool, so that a key need not be drawn twice to be the worst of many.
//
// Price: the work of one command is bounded (see evictionBudget); Tick and later
// commands do the rest, and meanwhile the limit is passed.

// evictionState is what eviction remembers from one key to the next.
type evictionState struct {
	pool    []candidate // by score, the best to evict last
	turn    int         // the database from which a random key went last
	short   bool        // the last command found too much in use, and nothing to evict
	running bool        // there is more to evict than one command could
	since   int64       // since when more is in use than may be, microseconds; 0: it is not
	over    int64       // how long that was before, microseconds
}

// candidate is a key that was drawn.
type candidate struct {
	db    *DB
	key   string
	score int64
}

const poolSize = 16

// evictionOutcome tells how evict left things.
type evictionOutcome uint8

const (
	evictedEnough evictionOutcome = iota // no more than maxmemory is used
	evictedSome                          // there is more to do
	evictedTooFew                        // there is nothing more to evict
)

// evictionBudget is how many keys one command may evict: maxmemory-eviction-tenacity
// says how much of its time that may take.
func (e *Engine) evictionBudget() int {
	const least, perPoint, most = 16, 16, 100
	if tenacity := e.conf.MaxMemoryEvictionTenacity; tenacity < most {
		return least + perPoint*tenacity
	}
	return 1 << 62
}

// overMemory tells whether more than maxmemory is used. As what connections take
// comes and goes it does not count.
//
// DIFFERS: what connections take, their unread replies above all, does not count towards maxmemory, which Redis holds against the keys too.
func (e *Engine) overMemory() bool {
	return e.conf.MaxMemory > 0 && idleMemory+e.dataMemory() > e.conf.MaxMemory
}

// evict gives up keys until no more than maxmemory is used.
func (e *Engine) evict() evictionOutcome {
	outcome := e.evictSome()
	switch ev := &e.eviction; {
	case outcome == evictedEnough && ev.since != 0:
		ev.over += e.now - ev.since
		ev.since = 0
	case outcome != evictedEnough && ev.since == 0:
		ev.since = e.now
	}
	e.eviction.running = outcome == evictedSome
	return outcome
}

func (e *Engine) evictSome() evictionOutcome {
	e.settleMemory()
	switch {
	case !e.overMemory():
		return evictedEnough
	case e.conf.MaxMemoryPolicy == config.NoEviction:
		return evictedTooFew
	case e.holdsData():
		return evictedEnough
	}
	budget := e.evictionBudget()
	for n := 0; e.overMemory(); n++ {
		if n == budget {
			return evictedSome
		}
		db, en := e.victim()
		if en == nil {
			return evictedTooFew
		}
		db.evict(en)
	}
	return evictedEnough
}

// evict gives up a key.
func (db *DB) evict(en *Entry) {
	key := en.KeyBytes()
	db.remove(en)
	db.e.stats.evicted++
	db.spread(key, ClassEvicted, "evicted")
	db.e.addEffect(db, []byte("DEL"), key)
}

// victim is the key that the policy gives up next, nil if there is none.
func (e *Engine) victim() (*DB, *Entry) {
	switch policy := e.conf.MaxMemoryPolicy; {
	case policy == config.VolatileTTL:
		return e.soonest()
	case policy.LRU(), policy.LFU():
		return e.leastUsed(policy)
	default:
		return e.anyKey(policy.AllKeys())
	}
}

// soonest is the key with the earliest deadline, which is known without drawing.
func (e *Engine) soonest() (in *DB, first *Entry) {
	for _, db := range e.dbs {
		if d := db.expires.Min(); d != nil && (first == nil || d.At() < first.Val.ttl.At()) {
			in, first = db, d.Owner
		}
	}
	return in, first
}

// anyKey draws a key, from one database after the other.
func (e *Engine) anyKey(persistent bool) (*DB, *Entry) {
	ev := &e.eviction
	for range e.dbs {
		ev.turn = (ev.turn + 1) % len(e.dbs)
		if db := e.dbs[ev.turn]; db.candidates(persistent) > 0 {
			return db, db.draw(persistent)
		}
	}
	return nil, nil
}

// candidates is how many keys there are to draw from: all, or those with a deadline.
func (db *DB) candidates(persistent bool) int {
	if persistent {
		return db.keys.Len()
	}
	return db.expires.Len()
}

// draw draws one of them.
func (db *DB) draw(persistent bool) *Entry {
	if persistent {
		return db.keys.Random(db.e.random)
	}
	return db.expires.Nth(int(db.e.random(uint64(db.expires.Len())))).Owner
}

// leastUsed draws keys and answers the best that was ever drawn and is still there.
func (e *Engine) leastUsed(policy config.Policy) (*DB, *Entry) {
	for {
		any := false
		for _, db := range e.dbs {
			n := db.candidates(policy.AllKeys())
			any = any || n > 0
			for range min(n, e.conf.MaxMemorySamples) {
				en := db.draw(policy.AllKeys())
				e.eviction.offer(candidate{db, en.Key, e.staleness(en)})
			}
		}
		if !any {
			return nil, nil
		}
		for pool := &e.eviction.pool; len(*pool) > 0; {
			best := (*pool)[len(*pool)-1]
			*pool = (*pool)[:len(*pool)-1]
			if en := best.db.keys.GetString(best.key); en != nil && (policy.AllKeys() || en.Val.ttl != nil) {
				return best.db, en
			}
		}
	}
}

// staleness is the higher the less a key is used.
func (e *Engine) staleness(en *Entry) int64 {
	if e.conf.MaxMemoryPolicy.LFU() {
		return 255 - int64(e.lfuDecayed(en.Val.lru()))
	}
	return en.Val.idle(e)
}

// offer keeps a candidate if it is among the best.
func (ev *evictionState) offer(c candidate) {
	if len(ev.pool) == poolSize && c.score <= ev.pool[0].score {
		return
	}
	for _, other := range ev.pool {
		if other.db == c.db && other.key == c.key {
			return
		}
	}
	at, _ := slices.BinarySearchFunc(ev.pool, c.score, func(other candidate, score int64) int {
		if other.score < score {
			return -1
		}
		return 1
	})
	ev.pool = slices.Insert(ev.pool, at, c)
	if len(ev.pool) > poolSize {
		ev.pool = slices.Delete(ev.pool, 0, 1)
	}
}

// overFor is how long more than maxmemory has been in use, in microseconds.
func (ev *evictionState) overFor(now int64) int64 {
	if ev.since == 0 {
		return 0
	}
	return max(0, now-ev.since)
}

// makeRoom is evict for those who do not wait for a command: Tick, and CONFIG SET
// of a lower limit. It tells whether there is more to do.
func (e *Engine) makeRoom() (more bool) {
	return e.conf.MaxMemory > 0 && e.scripts.running == nil && e.evict() == evictedSome
}

// lowered warns of a new limit that is below what is in use, and makes room.
func (e *Engine) lowered() {
	if e.overMemory() {
		e.log(LogWarning, fmt.Sprintf("WARNING: the new maxmemory value set via CONFIG SET (%d) is smaller than the current memory usage (%d). "+
			"This will result in key eviction and/or the inability to accept new write commands depending on the maxmemory-policy.", e.conf.MaxMemory, e.usedMemory()))
		e.makeRoom()
	}
}

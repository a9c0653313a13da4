package explore

import (
	"container/heap"
	"context"
	"slices"
)

// shortest finds the schedule that breaks with the least: the one with the
// fewest moves, where a failure counts as three more and a context switch (a
// client is left for another though it could go on) as one more. Clients may
// begin when they like, so those that are not needed never come. It goes
// through the worlds in the order of this cost, so the first that breaks is it.
// found is the schedule that was found before.
func (r *Result) shortest(ctx context.Context, x *sim, w world, found []move) error {
	start := w
	x.reduce = false // what costs the least may be what is left out
	q := &frontier{met: make(map[[17]byte]struct{}), plan: []planned{{from: -1}}}
	w.left[late], w.left[switches] = maxClients, anyNumber
	q.push(queued{world: &w})
	wanted := func(v *Violation) bool { return v != nil && (v.Property == shown) == (r.Broken == nil) }
	for q.Len() > 0 {
		at := heap.Pop(q).(queued)
		if at.broken != nil {
			return r.tell(x, start, q.schedule(at.plan))
		}
		if !q.first(x, at.world) {
			continue
		}
		moves := x.moves(at.world, nil)
		if x.over(at.world) {
			if v := x.end(at.world); wanted(v) {
				return r.tell(x, start, q.schedule(at.plan))
			}
		}
		for _, m := range moves {
			next := *at.world
			cost := at.cost + x.cost(at.world, m)
			_, broken := x.apply(&next, m)
			if !wanted(broken) {
				if broken != nil && broken.Property != shown {
					continue
				}
				broken = nil
			}
			q.plan = append(q.plan, planned{from: at.plan, move: m})
			q.push(queued{cost: cost, world: &next, plan: int32(len(q.plan) - 1), broken: broken})
		}
		if err := x.failed(); err != nil {
			return err
		}
		if len(q.met) > maxMet {
			break
		}
		if len(q.met)&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	r.Long = true
	return r.tell(x, start, found)
}

// maxMet is after how many worlds the search for the shortest schedule gives
// up; then the one that was found first is told.
const maxMet = 150_000

// tell makes a result's story.
func (r *Result) tell(x *sim, w world, moves []move) (err error) {
	r.Schedule = scheduleText(x.scenario, moves)
	r.Story, err = x.story(w, moves)
	return err
}

// cost is what a move adds: a failure, a context switch, a move.
func (x *sim) cost(w *world, m move) int32 {
	const failure, contextSwitch = 3, 1
	switch m.kind {
	case moveStep:
		if x.preempts(w, m.who) {
			return contextSwitch + 1
		}
		return 1
	case moveArrive, movePromote:
		return 1
	case moveClock:
		cost := int32(1)
		for i := range x.scenario.clients {
			if x.holdsClock(w, i) && w.clients[i].at != x.begins[i] {
				cost += failure
			}
		}
		return cost
	}
	return failure + 1
}

// planned is a move of the schedules that the frontier has begun.
type planned struct {
	from int32
	move move
}

type queued struct {
	cost   int32
	world  *world
	plan   int32
	broken *Violation
}

// frontier holds the worlds to go on from, the cheapest first.
type frontier struct {
	items []queued
	plan  []planned
	met   map[[17]byte]struct{}
	key   [17]byte
}

func (q *frontier) Len() int           { return len(q.items) }
func (q *frontier) Less(i, j int) bool { return q.items[i].before(&q.items[j]) }
func (q *frontier) Swap(i, j int)      { q.items[i], q.items[j] = q.items[j], q.items[i] }
func (q *frontier) Push(v any)         { q.items = append(q.items, v.(queued)) }
func (q *frontier) Pop() any {
	n := len(q.items) - 1
	v := q.items[n]
	q.items[n] = queued{}
	q.items = q.items[:n]
	return v
}

// before orders by cost; what is broken, and then what came first, goes first.
func (a *queued) before(b *queued) bool {
	if a.cost != b.cost {
		return a.cost < b.cost
	}
	if (a.broken != nil) != (b.broken != nil) {
		return a.broken != nil
	}
	return a.plan < b.plan
}

func (q *frontier) push(v queued) { heap.Push(q, v) }

// first tells whether a world is met for the first time; who moved last counts,
// because it decides on what a switch is.
func (q *frontier) first(x *sim, w *world) bool {
	key, who := x.key(w)
	copy(q.key[:], key[:])
	q.key[16] = byte(w.last)
	if w.last >= 0 {
		q.key[16] = byte(who[w.last])
	}
	if _, met := q.met[q.key]; met {
		return false
	}
	q.met[q.key] = struct{}{}
	return true
}

// schedule lists the moves up to a plan's.
func (q *frontier) schedule(at int32) (moves []move) {
	for ; q.plan[at].from >= 0; at = q.plan[at].from {
		moves = append(moves, q.plan[at].move)
	}
	slices.Reverse(moves)
	return moves
}

package explore

import "math/rand/v2"

// chance tries schedules by chance, each with a seed of its own.
func (d *driver) chance() {
	r := d.result
	for i := range d.conf.Random {
		seed := d.conf.Seed + uint64(i)
		c := &dice{rand: rand.New(rand.NewPCG(seed, seed^0x9e3779b97f4a7c15)), changes: d.conf.Changes, length: d.conf.Depth}
		p := d.play(nothing, func(p *play, moves []move) (move, bool) {
			if len(p.made) >= d.depth() {
				return move{}, false
			}
			return c.choose(p, moves), true
		})
		r.Schedules++
		if d.err != nil {
			return
		}
		if p.broken != nil {
			r.Seed = seed
			d.found(p)
			return
		}
		if d.enough() {
			return
		}
	}
}

// dice draws moves.
//
// With changes it draws as PCT does: each client, and the clock, has a priority,
// the highest that can go on goes, and at so many moments the one whose turn it
// is becomes the lowest, or a failure happens instead. So what needs few changes
// is found with a probability that does not fall with their number. Otherwise
// each move is drawn by itself, failures more seldom.
type dice struct {
	rand     *rand.Rand
	changes  int
	length   int          // of schedules, as far as it is known
	priority []int        // of the clients, and last of the clock
	at       map[int]bool // when something changes
	lowest   int
}

// guessed is how many moves a schedule is taken to have.
const guessed = 40

func (c *dice) choose(p *play, moves []move) move {
	if c.changes == 0 {
		return c.draw(p, moves)
	}
	if c.priority == nil {
		if c.length == 0 {
			c.length = guessed
		}
		c.priority = c.rand.Perm(len(p.clients) + 1)
		c.at = map[int]bool{}
		for range c.changes {
			c.at[c.rand.IntN(c.length)] = true
		}
	}
	best := c.best(p, moves)
	if !c.at[len(p.made)] {
		return best
	}
	var failures []move
	for _, m := range moves {
		if p.cost(m) >= failureCost {
			failures = append(failures, m)
		}
	}
	if n := c.rand.IntN(len(failures) + 1); n > 0 {
		return failures[n-1]
	}
	c.lowest--
	c.priority[p.mover(best)] = c.lowest
	return c.best(p, moves)
}

// mover is whose priority counts for a move.
func (p *play) mover(m move) int {
	if m.kind == moveClock {
		return len(p.clients)
	}
	return int(m.who)
}

// best is what goes on with the highest priority and without a failure.
func (c *dice) best(p *play, moves []move) move {
	best := moves[0]
	for _, m := range moves {
		switch {
		case m.kind != moveStep && m.kind != moveClock || p.cost(m) >= failureCost:
		case p.cost(best) >= failureCost || c.priority[p.mover(m)] > c.priority[p.mover(best)]:
			best = m
		}
	}
	return best
}

func (c *dice) draw(p *play, moves []move) move {
	const usual, seldom = 8, 1
	weight := func(m move) int {
		if p.cost(m) >= failureCost {
			return seldom
		}
		return usual
	}
	sum := 0
	for _, m := range moves {
		sum += weight(m)
	}
	n := c.rand.IntN(sum)
	for _, m := range moves {
		if n -= weight(m); n < 0 {
			return m
		}
	}
	return moves[0]
}

package foreign

import (
	"math/rand/v2"
	"slices"
)

// picker draws the order. The same seed draws the same as long as it is asked
// the same.
type picker struct {
	rng   *rand.Rand
	depth int // of PCT; 0: by chance

	steps      int             // picked so far
	changes    []int           // the steps at which a priority is lowered, ascending
	priorities map[int]float64 // by the client's number
	lowest     float64
	last       int // the number that was picked last
	streak     int // and how many times
}

// longestStreak is how often PCT lets the same client go while others wait: one
// that tries again and again would never let them.
const longestStreak = 50

// newPicker makes one for runs of about so many steps.
func newPicker(seed uint64, depth, steps int) *picker {
	p := &picker{rng: rand.New(rand.NewPCG(seed, 0x6d696e696b76)), depth: depth, priorities: make(map[int]float64)}
	for range depth - 1 {
		p.changes = append(p.changes, p.rng.IntN(max(steps, 1)))
	}
	slices.Sort(p.changes)
	return p
}

// pick answers the index of one of some clients, which are in the order of
// their numbers.
//
// With a depth d it is PCT: every client gets a priority by chance, the highest
// always goes, and at d-1 steps drawn beforehand the one that would go falls
// beneath all others. A mistake that needs d moves in the right order is found
// with a probability that is bounded from below.
func (p *picker) pick(numbers []int) int {
	defer func() { p.steps++ }()
	if p.depth == 0 {
		return p.rng.IntN(len(numbers))
	}
	for _, n := range numbers {
		if _, known := p.priorities[n]; !known {
			p.priorities[n] = 1 + p.rng.Float64()
		}
	}
	best := p.highest(numbers)
	for len(p.changes) > 0 && p.changes[0] <= p.steps {
		best = p.lower(numbers, best)
		p.changes = p.changes[1:]
	}
	if p.streak >= longestStreak && p.last == numbers[best] {
		best = p.lower(numbers, best)
	}
	if p.last != numbers[best] {
		p.last, p.streak = numbers[best], 0
	}
	p.streak++
	return best
}

// lower puts one beneath all others and answers who is the highest then.
func (p *picker) lower(numbers []int, which int) int {
	p.lowest--
	p.priorities[numbers[which]] = p.lowest
	p.streak = 0
	return p.highest(numbers)
}

func (p *picker) highest(numbers []int) (best int) {
	for i, n := range numbers {
		if p.priorities[n] > p.priorities[numbers[best]] {
			best = i
		}
	}
	return best
}

// chance is true once in n times.
func (p *picker) chance(n int) bool { return p.rng.IntN(n) == 0 }

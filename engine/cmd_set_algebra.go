package engine

import (
	"iter"
	"math"
	"slices"

	"minikv/value"
)

func setAlgebra() []*Command {
	const (
		interCost = "O(N*M), N being the members of the smallest set and M the number of sets"
		sumCost   = "O(N), N being the members of all sets together"
	)
	order := []string{"nondeterministic_output_order"}
	return []*Command{
		{Name: "SINTER", Arity: -2, Flags: ReadOnly, Tips: order, Keys: keys(1, -1, 1, RO|Access), Group: Set, Since: "1.0.0", Syntax: "key [key ...]",
			Summary: "Returns what several sets have in common.", Complexity: interCost, Handler: cmdSInter},
		{Name: "SINTERCARD", Arity: -3, Flags: ReadOnly | MovableKeys, Keys: keynum(1, RO|Access), Group: Set, Since: "7.0.0",
			Syntax: "numkeys key [key ...] [LIMIT limit]", Summary: "Counts what several sets have in common.", Complexity: interCost, Handler: cmdSInterCard},
		{Name: "SINTERSTORE", Arity: -3, Flags: Write | DenyOOM, Keys: specs(key(1, RW|Update), keys(2, -1, 1, RO|Access)), Group: Set, Since: "1.0.0",
			Syntax: "destination key [key ...]", Summary: "Stores what several sets have in common.", Complexity: interCost, Handler: cmdSInterStore},
		{Name: "SUNION", Arity: -2, Flags: ReadOnly, Tips: order, Keys: keys(1, -1, 1, RO|Access), Group: Set, Since: "1.0.0", Syntax: "key [key ...]",
			Summary: "Returns the members of several sets together.", Complexity: sumCost, Handler: cmdSUnion},
		{Name: "SUNIONCARD", Arity: -3, Flags: ReadOnly | MovableKeys, Keys: keynum(1, RO|Access), Group: Set, Since: "8.10.0",
			Syntax: "numkeys key [key ...] [APPROX] [LIMIT limit]", Summary: "Counts the members of several sets together.", Complexity: sumCost, Handler: cmdSUnionCard},
		{Name: "SUNIONSTORE", Arity: -3, Flags: Write | DenyOOM, Keys: specs(key(1, OW|Update), keys(2, -1, 1, RO|Access)), Group: Set, Since: "1.0.0",
			Syntax: "destination key [key ...]", Summary: "Stores the members of several sets together.", Complexity: sumCost, Handler: cmdSUnionStore},
		{Name: "SDIFF", Arity: -2, Flags: ReadOnly, Tips: order, Keys: keys(1, -1, 1, RO|Access), Group: Set, Since: "1.0.0", Syntax: "key [key ...]",
			Summary: "Returns the members of a set that are in none of others.", Complexity: sumCost, Handler: cmdSDiff},
		{Name: "SDIFFCARD", Arity: -3, Flags: ReadOnly | MovableKeys, Keys: keynum(1, RO|Access), Group: Set, Since: "8.10.0",
			Syntax: "numkeys key [key ...] [LIMIT limit]", Summary: "Counts the members of a set that are in none of others.", Complexity: sumCost, Handler: cmdSDiffCard},
		{Name: "SDIFFSTORE", Arity: -3, Flags: Write | DenyOOM, Keys: specs(key(1, OW|Update), keys(2, -1, 1, RO|Access)), Group: Set, Since: "1.0.0",
			Syntax: "destination key [key ...]", Summary: "Stores the members of a set that are in none of others.", Complexity: sumCost, Handler: cmdSDiffStore},
	}
}

// readSets are the sets of several keys, in order; an empty one where there is
// no key.
func (c *Ctx) readSets(names [][]byte) ([]*value.Set, error) {
	sets := make([]*value.Set, len(names))
	for i, name := range names {
		s, err := c.readSet(name)
		if err != nil {
			return nil, err
		}
		if s == nil {
			s = value.NewSet(0)
		}
		sets[i] = s
	}
	return sets, nil
}

func cmdSInter(c *Ctx) error {
	sets, err := c.readSets(c.argv[1:])
	if err != nil {
		return err
	}
	c.members(intersection(sets))
	return nil
}

func cmdSUnion(c *Ctx) error {
	sets, err := c.readSets(c.argv[1:])
	if err != nil {
		return err
	}
	c.wholeSet(c.union(sets, math.MaxInt))
	return nil
}

func cmdSDiff(c *Ctx) error {
	sets, err := c.readSets(c.argv[1:])
	if err != nil {
		return err
	}
	c.members(c.difference(sets))
	return nil
}

// members answers the members that seq yields, as a set.
func (c *Ctx) members(seq iter.Seq[[]byte]) {
	mark, n := c.out.Mark(), 0
	for member := range seq {
		c.out.Bulk(member)
		n++
	}
	c.out.InsertSet(mark, n)
}

// intersection yields what all sets have in common, found by looking for the
// members of the smallest in the others.
func intersection(sets []*value.Set) iter.Seq[[]byte] {
	sets = slices.Clone(sets)
	slices.SortStableFunc(sets, func(a, b *value.Set) int { return a.Len() - b.Len() })
	return func(yield func([]byte) bool) {
		for member := range sets[0].All() {
			if inAll(sets[1:], member) && !yield(member) {
				return
			}
		}
	}
}

func inAll(sets []*value.Set, member []byte) bool {
	for _, s := range sets {
		if !s.Has(member) {
			return false
		}
	}
	return true
}

// union makes one set of several. It stops when it has enough members.
func (c *Ctx) union(sets []*value.Set, enough int) *value.Set {
	all, limits := c.newSet(), c.e.limits()
	for _, s := range sets {
		for member := range s.All() {
			if all.Len() == enough {
				return all
			}
			all.Add(limits, member)
		}
	}
	return all
}

// difference yields the members of the first set that are in none of the
// others. Either they are looked for there, or those of the others are taken
// out of a copy, whichever is less work.
func (c *Ctx) difference(sets []*value.Set) iter.Seq[[]byte] {
	first, others := sets[0], sets[1:]
	total := 0
	for _, s := range sets {
		total += s.Len()
	}
	if first.Len()*len(sets)/2 <= total {
		return without(first, others)
	}
	rest := first.Clone()
	for _, s := range others {
		for member := range s.All() {
			rest.Remove(member)
		}
	}
	return rest.All()
}

// without yields the members of a set that are in none of the others, the
// largest of which is asked first.
func without(first *value.Set, others []*value.Set) iter.Seq[[]byte] {
	others = slices.Clone(others)
	slices.SortStableFunc(others, func(a, b *value.Set) int { return b.Len() - a.Len() })
	return func(yield func([]byte) bool) {
		for member := range first.All() {
			if !inAny(others, member) && !yield(member) {
				return
			}
		}
	}
}

func inAny(sets []*value.Set, member []byte) bool {
	for _, s := range sets {
		if s.Has(member) {
			return true
		}
	}
	return false
}

func cmdSInterStore(c *Ctx) error {
	return c.storeSet(func(sets []*value.Set) *value.Set { return c.setOf(intersection(sets)) })
}

func cmdSUnionStore(c *Ctx) error {
	return c.storeSet(func(sets []*value.Set) *value.Set { return c.union(sets, math.MaxInt) })
}

func cmdSDiffStore(c *Ctx) error {
	return c.storeSet(func(sets []*value.Set) *value.Set { return c.setOf(c.difference(sets)) })
}

// setOf makes a set of the members that seq yields.
func (c *Ctx) setOf(seq iter.Seq[[]byte]) *value.Set {
	s, limits := c.newSet(), c.e.limits()
	for member := range seq {
		s.Add(limits, member)
	}
	return s
}

// storeSet is SINTERSTORE and its like: the destination holds what combine
// makes of the sets, or is deleted if that is empty. The event bears the
// command's name.
func (c *Ctx) storeSet(combine func(sets []*value.Set) *value.Set) error {
	name := c.argv[1]
	sets, err := c.readSets(c.argv[2:])
	if err != nil {
		return err
	}
	s := combine(sets)
	switch old := c.LookupWrite(name); {
	case s.Len() > 0:
		c.putObject(old, name, collectionObject(value.KindSet, s), false)
		c.db.changed(name, ClassSet, c.cmd.lower)
	case old != nil:
		c.db.delete(old)
	}
	return c.int(int64(s.Len()))
}

func cmdSInterCard(c *Ctx) error {
	return c.card(nil, func(sets []*value.Set, limit int) int { return count(intersection(sets), limit) })
}

func cmdSUnionCard(c *Ctx) error {
	// APPROX permits an estimate, and the exact number is a good one.
	approx := func(a *Scanner) bool { return a.Word("APPROX") }
	return c.card(approx, func(sets []*value.Set, limit int) int { return c.union(sets, limit).Len() })
}

func cmdSDiffCard(c *Ctx) error {
	return c.card(nil, func(sets []*value.Set, limit int) int { return count(c.difference(sets), limit) })
}

// count tells how many members seq yields, up to limit.
func count(seq iter.Seq[[]byte], limit int) (n int) {
	for range seq {
		if n++; n == limit {
			break
		}
	}
	return n
}

// card is SINTERCARD and its like, which may have an option of its own. A
// LIMIT of 0 is none.
func (c *Ctx) card(option func(a *Scanner) bool, number func(sets []*value.Set, limit int) int) error {
	a := c.Scan()
	names, limit := a.numKeys(errNumKeysTooMany), int64(0)
	for a.More() {
		switch {
		case a.WordWith("LIMIT", 1):
			limit = a.IntIn(0, math.MaxInt64, errLimitNegative)
		case option != nil && option(&a):
		default:
			a.Syntax()
		}
	}
	if err := a.Err(); err != nil {
		return err
	}
	sets, err := c.readSets(names)
	if err != nil {
		return err
	}
	if limit == 0 {
		limit = math.MaxInt
	}
	return c.int(int64(number(sets, intOf(limit))))
}

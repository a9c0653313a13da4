package engine

import "slices"

func zsetRemovals() []*Command {
	const cost = "O(log(N)+M), N being the size of the set and M the number of members removed"
	return []*Command{
		{Name: "ZREM", Arity: -3, Flags: Write | Fast, Keys: key(1, RW|Delete), Group: SortedSet, Since: "1.2.0",
			Syntax: "key member [member ...]", Summary: "Removes members from a sorted set, and the set with its last member.",
			Complexity: "O(M*log(N)), N being the size of the set and M the number of members", Handler: cmdZRem},
		{Name: "ZREMRANGEBYRANK", Arity: 4, Flags: Write, Keys: key(1, RW|Delete), Group: SortedSet, Since: "2.0.0",
			Syntax: "key start stop", Summary: "Removes the members of a range of ranks.", Complexity: cost, Handler: cmdZRemRangeByRank},
		{Name: "ZREMRANGEBYSCORE", Arity: 4, Flags: Write, Keys: key(1, RW|Delete), Group: SortedSet, Since: "1.2.0",
			Syntax: "key min:double max:double", Summary: "Removes the members of a range of scores.", Complexity: cost, Handler: cmdZRemRangeByScore},
		{Name: "ZREMRANGEBYLEX", Arity: 4, Flags: Write, Keys: key(1, RW|Delete), Group: SortedSet, Since: "2.8.9",
			Syntax: "key min max", Summary: "Removes a range of members, in the order of their bytes.", Complexity: cost, Handler: cmdZRemRangeByLex},
	}
}

// zsetTaken says that n members were taken from a sorted set, which goes with
// the last.
func (c *Ctx) zsetTaken(en *Entry, name []byte, n int, event string) {
	c.db.changed(name, ClassZSet, event)
	c.e.stats.dirty += int64(n - 1)
	if en.Val.zset().Len() == 0 {
		c.db.emptied(en)
	}
}

func cmdZRem(c *Ctx) error {
	name, members := c.argv[1], c.argv[2:]
	en, err := c.writeZSet(name)
	if en == nil || err != nil {
		return c.intOr(0, err)
	}
	z := en.Val.zset()
	if !slices.ContainsFunc(members, func(m []byte) bool { _, has := z.Score(m); return has }) {
		return c.int(0)
	}
	en = c.db.write(en)
	z = en.Val.zset()
	removed := 0
	for _, member := range members {
		if z.Remove(member) {
			removed++
		}
	}
	c.zsetTaken(en, name, removed, "zrem")
	return c.int(int64(removed))
}

func cmdZRemRangeByRank(c *Ctx) error  { return c.removeRange(byRank, "zremrangebyrank") }
func cmdZRemRangeByScore(c *Ctx) error { return c.removeRange(byScore, "zremrangebyscore") }
func cmdZRemRangeByLex(c *Ctx) error   { return c.removeRange(byLex, "zremrangebylex") }

func (c *Ctx) removeRange(by rangeBy, event string) error {
	r := zrange{by: by, limit: -1}
	if err := r.parse(c.argv[2], c.argv[3]); err != nil {
		return err
	}
	name := c.argv[1]
	en, err := c.writeZSet(name)
	if en == nil || err != nil {
		return c.intOr(0, err)
	}
	from, to := r.ranks(en.Val.zset())
	if from < to {
		en = c.db.write(en)
		en.Val.zset().RemoveRanks(from, to)
		c.zsetTaken(en, name, to-from, event)
	}
	return c.int(int64(to - from))
}

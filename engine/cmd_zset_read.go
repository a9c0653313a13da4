package engine

func zsetReads() []*Command {
	const logN = "O(log(N)), N being the size of the set"
	return []*Command{
		{Name: "ZCARD", Arity: 2, Flags: ReadOnly | Fast, Keys: key(1, RO), Group: SortedSet, Since: "1.2.0",
			Syntax: "key", Summary: "Counts the members of a sorted set.", Complexity: "O(1)", Handler: cmdZCard},
		{Name: "ZSCORE", Arity: 3, Flags: ReadOnly | Fast, Keys: key(1, RO|Access), Group: SortedSet, Since: "1.2.0",
			Syntax: "key member", Summary: "Answers the score of a member of a sorted set.", Complexity: "O(1)", Handler: cmdZScore},
		{Name: "ZMSCORE", Arity: -3, Flags: ReadOnly | Fast, Keys: key(1, RO|Access), Group: SortedSet, Since: "6.2.0",
			Syntax: "key member [member ...]", Summary: "Answers the scores of members of a sorted set.",
			Complexity: "O(N) for N members", Handler: cmdZMScore},
		{Name: "ZRANK", Arity: -3, Flags: ReadOnly | Fast, Keys: key(1, RO|Access), Group: SortedSet, Since: "2.0.0",
			Syntax: "key member [WITHSCORE@7.2]", Summary: "Answers how many members stand before one, by ascending score.",
			Complexity: logN, Variants: []Variant{{Before: "7.2.0", Arity: 3}}, Handler: cmdZRank},
		{Name: "ZREVRANK", Arity: -3, Flags: ReadOnly | Fast, Keys: key(1, RO|Access), Group: SortedSet, Since: "2.0.0",
			Syntax: "key member [WITHSCORE@7.2]", Summary: "Answers how many members stand before one, by descending score.",
			Complexity: logN, Variants: []Variant{{Before: "7.2.0", Arity: 3}}, Handler: cmdZRevRank},
		{Name: "ZCOUNT", Arity: 4, Flags: ReadOnly | Fast, Keys: key(1, RO|Access), Group: SortedSet, Since: "2.0.0",
			Syntax: "key min:double max:double", Summary: "Counts the members of a range of scores.", Complexity: logN, Handler: cmdZCount},
		{Name: "ZLEXCOUNT", Arity: 4, Flags: ReadOnly | Fast, Keys: key(1, RO|Access), Group: SortedSet, Since: "2.8.9",
			Syntax: "key min max", Summary: "Counts a range of members, in the order of their bytes.", Complexity: logN, Handler: cmdZLexCount},
	}
}

func cmdZCard(c *Ctx) error {
	z, err := c.readZSet(c.argv[1])
	if z == nil || err != nil {
		return c.intOr(0, err)
	}
	return c.int(int64(z.Len()))
}

func cmdZScore(c *Ctx) error {
	z, err := c.readZSet(c.argv[1])
	if err != nil {
		return err
	}
	if z != nil {
		if score, has := z.Score(c.argv[2]); has {
			c.out.Double(score)
			return nil
		}
	}
	c.out.Null()
	return nil
}

func cmdZMScore(c *Ctx) error {
	z, err := c.readZSet(c.argv[1])
	if err != nil {
		return err
	}
	members := c.argv[2:]
	c.out.Array(len(members))
	for _, member := range members {
		if z != nil {
			if score, has := z.Score(member); has {
				c.out.Double(score)
				continue
			}
		}
		c.out.Null()
	}
	return nil
}

func cmdZRank(c *Ctx) error    { return c.rank(false) }
func cmdZRevRank(c *Ctx) error { return c.rank(true) }

func (c *Ctx) rank(reverse bool) error {
	if len(c.argv) > 4 {
		return errArity(c.cmd)
	}
	a := c.Scan()
	name, member, scored := a.Next(), a.Next(), a.Word("WITHSCORE")
	if err := a.Done(); err != nil {
		return err
	}
	z, err := c.readZSet(name)
	if err != nil {
		return err
	}
	rank, score, has := 0, 0.0, false
	if z != nil {
		rank, score, has = z.Rank(member)
	}
	if has && reverse {
		rank = z.Len() - 1 - rank
	}
	switch {
	case has && scored:
		c.out.Array(2)
		c.out.Int(int64(rank))
		c.out.Double(score)
	case has:
		c.out.Int(int64(rank))
	case scored:
		c.out.NullArray()
	default:
		c.out.Null()
	}
	return nil
}

func cmdZCount(c *Ctx) error    { return c.countRange(byScore) }
func cmdZLexCount(c *Ctx) error { return c.countRange(byLex) }

func (c *Ctx) countRange(by rangeBy) error {
	r := zrange{by: by, limit: -1}
	if err := r.parse(c.argv[2], c.argv[3]); err != nil {
		return err
	}
	z, err := c.readZSet(c.argv[1])
	if z == nil || err != nil {
		return c.intOr(0, err)
	}
	from, to := r.ranks(z)
	return c.int(int64(to - from))
}

package engine

import (
	"math"
	"strconv"

	"minikv/resp"
	"minikv/value"
)

func zsetPops() []*Command {
	const (
		cost  = "O(log(N)*M), N being the size of the set and M the number of members taken"
		first = "O(log(N)), N being the size of the set"
		multi = "O(K+M*log(N)), K being the number of keys, N the size of the set and M the number of members taken"
	)
	return []*Command{
		{Name: "ZPOPMIN", Arity: -2, Flags: Write | Fast, Keys: key(1, RW|Access|Delete), Group: SortedSet, Since: "5.0.0",
			Syntax: "key [count]", Summary: "Takes the members with the lowest scores.", Complexity: cost, Handler: cmdZPopMin},
		{Name: "ZPOPMAX", Arity: -2, Flags: Write | Fast, Keys: key(1, RW|Access|Delete), Group: SortedSet, Since: "5.0.0",
			Syntax: "key [count]", Summary: "Takes the members with the highest scores.", Complexity: cost, Handler: cmdZPopMax},
		{Name: "BZPOPMIN", Arity: -3, Flags: Write | NoScript | Blocking | Fast, Keys: keys(1, -2, 1, RW|Access|Delete), Group: SortedSet, Since: "5.0.0",
			Syntax: "key [key ...] timeout", Summary: "Takes the member with the lowest score of the first of several sorted sets that has any, or waits for one.",
			Complexity: first, Variants: inScriptsToo, Handler: cmdBZPopMin},
		{Name: "BZPOPMAX", Arity: -3, Flags: Write | NoScript | Blocking | Fast, Keys: keys(1, -2, 1, RW|Access|Delete), Group: SortedSet, Since: "5.0.0",
			Syntax: "key [key ...] timeout", Summary: "Takes the member with the highest score of the first of several sorted sets that has any, or waits for one.",
			Complexity: first, Variants: inScriptsToo, Handler: cmdBZPopMax},
		{Name: "ZMPOP", Arity: -4, Flags: Write | MovableKeys, Keys: keynum(1, RW|Access|Delete), Group: SortedSet, Since: "7.0.0",
			Syntax: "numkeys key [key ...] <MIN | MAX> [COUNT count]", Summary: "Takes members from the first of several sorted sets that has any.",
			Complexity: multi, Handler: cmdZMPop},
		{Name: "BZMPOP", Arity: -5, Flags: Write | Blocking | MovableKeys, Keys: keynum(2, RW|Access|Delete), Group: SortedSet, Since: "7.0.0",
			Syntax:     "timeout numkeys key [key ...] <MIN | MAX> [COUNT count]",
			Summary:    "Takes members from the first of several sorted sets that has any, or waits for one.",
			Complexity: multi, Handler: cmdBZMPop},
	}
}

// zsetEnd is one of a sorted set's two ends.
type zsetEnd uint8

const (
	lowest zsetEnd = iota
	highest
)

// popped is the event of taking from this end, command what does it.
func (end zsetEnd) popped() string  { return [...]string{lowest: "zpopmin", highest: "zpopmax"}[end] }
func (end zsetEnd) command() string { return [...]string{lowest: "ZPOPMIN", highest: "ZPOPMAX"}[end] }

// take takes n members, which there are, from this end and hands each to fn.
func (end zsetEnd) take(z *value.ZSet, n int, fn func(member string, score float64)) {
	r := zrange{reverse: end == highest}
	from, to := 0, n
	if r.reverse {
		from, to = z.Len()-n, z.Len()
	}
	r.each(z, from, to, fn)
	z.RemoveRanks(from, to)
}

func cmdZPopMin(c *Ctx) error { return c.zpop(lowest) }
func cmdZPopMax(c *Ctx) error { return c.zpop(highest) }

// zpop is ZPOPMIN and ZPOPMAX: with a count RESP3 has pairs, without it one
// pair is answered flat.
func (c *Ctx) zpop(end zsetEnd) error {
	if len(c.argv) > 3 {
		return errSyntax
	}
	a := c.Scan()
	name, counted, count := a.Next(), a.More(), int64(1)
	if counted {
		count = a.IntIn(0, math.MaxInt64, errPositive)
	}
	if err := a.Err(); err != nil {
		return err
	}
	en, err := c.writeZSet(name)
	if err != nil {
		return err
	}
	if en == nil || count == 0 {
		c.out.Array(0)
		return nil
	}
	n := int(min(count, int64(en.Val.zset().Len())))
	nested := counted && c.resp3()
	if nested {
		c.out.Array(n)
	} else {
		c.out.Array(2 * n)
	}
	c.popPairs(en, name, end, n, nested)
	return nil
}

// popPairs takes n members and answers each with its score, as an array if
// nested.
func (c *Ctx) popPairs(en *Entry, name []byte, end zsetEnd, n int, nested bool) {
	en = c.db.write(en)
	end.take(en.Val.zset(), n, func(member string, score float64) {
		if nested {
			c.out.Array(2)
		}
		c.out.BulkString(member)
		c.out.Double(score)
	})
	c.zsetTaken(en, name, n, end.popped())
}

// firstZSet is the first of several keys that is there, which must be a sorted
// set.
func (c *Ctx) firstZSet(keys [][]byte) (en *Entry, name []byte, err error) {
	for _, name := range keys {
		if en, err := c.writeZSet(name); en != nil || err != nil {
			return en, name, err
		}
	}
	return nil, nil, nil
}

// awaitZSets makes the client wait until one of the keys holds a sorted set.
func (c *Ctx) awaitZSets(keys [][]byte, deadline int64) error {
	return c.Block(Block{Keys: keys, Kind: value.KindZSet, Timeout: deadline, OnTimeout: (*resp.Writer).NullArray})
}

func cmdBZPopMin(c *Ctx) error { return c.blockingZPop(lowest) }
func cmdBZPopMax(c *Ctx) error { return c.blockingZPop(highest) }

// blockingZPop is BZPOPMIN and BZPOPMAX.
func (c *Ctx) blockingZPop(end zsetEnd) error {
	last := len(c.argv) - 1
	keys, a := c.argv[1:last], Scanner{c: c, pos: last}
	deadline := a.timeout()
	if err := a.Err(); err != nil {
		return err
	}
	en, name, err := c.firstZSet(c.firstOf(keys))
	if err != nil {
		return err
	}
	if en == nil {
		return c.awaitZSets(keys, deadline)
	}
	c.out.Array(3)
	c.out.Bulk(name)
	c.popPairs(en, name, end, 1, false)
	c.effect([]byte(end.command()), name)
	return nil
}

// zmpop is what ZMPOP and BZMPOP are asked for.
type zmpop struct {
	keys  [][]byte
	end   zsetEnd
	count int64
}

func (a *Scanner) zmpop() zmpop {
	p := zmpop{keys: a.numKeys(errSyntax), count: 1}
	switch {
	case a.Word("MIN"):
	case a.Word("MAX"):
		p.end = highest
	default:
		a.Syntax()
	}
	if a.WordWith("COUNT", 1) {
		p.count = a.IntIn(1, math.MaxInt64, errCountPositive)
	}
	if a.More() {
		a.Syntax()
	}
	return p
}

// zpopFirst takes from the first of the keys that has a sorted set, and answers
// its name and the pairs; done is false if none has.
func (c *Ctx) zpopFirst(p zmpop, keys [][]byte) (done bool, err error) {
	en, name, err := c.firstZSet(keys)
	if en == nil || err != nil {
		return false, err
	}
	n := int(min(p.count, int64(en.Val.zset().Len())))
	c.out.Array(2)
	c.out.Bulk(name)
	c.out.Array(n)
	c.popPairs(en, name, p.end, n, true)
	var digits [20]byte
	c.effect([]byte(p.end.command()), name, strconv.AppendInt(digits[:0], int64(n), 10))
	return true, nil
}

func cmdZMPop(c *Ctx) error {
	a := c.Scan()
	p := a.zmpop()
	if err := a.Err(); err != nil {
		return err
	}
	done, err := c.zpopFirst(p, p.keys)
	if err == nil && !done {
		c.out.NullArray()
	}
	return err
}

func cmdBZMPop(c *Ctx) error {
	a := c.Scan()
	timeout := Scanner{c: c, pos: 1}
	a.Next()
	p := a.zmpop()
	if err := a.Err(); err != nil {
		return err
	}
	deadline := timeout.timeout()
	if err := timeout.Err(); err != nil {
		return err
	}
	done, err := c.zpopFirst(p, c.firstOf(p.keys))
	if err != nil || done {
		return err
	}
	return c.awaitZSets(p.keys, deadline)
}

package engine

import (
	"math"

	"minikv/resp"
	"minikv/value"
)

func zsetWalks() []*Command {
	return []*Command{
		{Name: "ZRANDMEMBER", Arity: -2, Flags: ReadOnly, Keys: key(1, RO|Access), Group: SortedSet, Since: "6.2.0",
			Syntax: "key [count [WITHSCORES]]", Summary: "Answers random members of a sorted set.", Complexity: "O(N) for N members answered",
			Tips: []string{"nondeterministic_output"}, Handler: cmdZRandMember},
		{Name: "ZSCAN", Arity: -3, Flags: ReadOnly, Keys: key(1, RO|Access), Group: SortedSet, Since: "2.8.0",
			Syntax:     "key cursor [MATCH pattern] [COUNT count] [NOSCORES@valkey-8.0]",
			Summary:    "Lists the members of a sorted set piece by piece.",
			Complexity: "O(1) for each call, O(N) for a whole iteration over N members",
			Tips:       []string{"nondeterministic_output"}, Handler: cmdZScan},
	}
}

func cmdZRandMember(c *Ctx) error {
	a := c.Scan()
	name, counted := a.Next(), a.More()
	count, scores := int64(1), false
	if counted {
		count, scores = a.drawCount("WITHSCORES")
	}
	if a.Err() != nil {
		return a.Err()
	}
	z, err := c.readZSet(name)
	switch {
	case err != nil:
		return err
	case z == nil && !counted:
		c.out.Null()
	case z == nil || count == 0:
		c.out.Array(0)
	case !counted:
		member, _ := z.Random(c.e.random)
		c.out.BulkString(member)
	case count < 0:
		return c.draws(-count, c.pairWidth(scores), func() {
			member, score := z.Random(c.e.random)
			c.scored(member, score, scores)
		})
	default:
		n := int(min(count, int64(z.Len())))
		c.openScored(n, scores)
		for member, score := range z.Sample(n, c.e.random) {
			c.scored(member, score, scores)
		}
	}
	return nil
}

func cmdZScan(c *Ctx) error {
	return c.scanKey(value.KindZSet, func(en *Entry, p *scanPart) uint64 {
		z := en.Val.zset()
		packed := z.Packed()
		var digits [32]byte
		return p.walk(func(cursor uint64) uint64 {
			return z.Scan(cursor, func(member string, score float64) {
				name := []byte(member)
				if !p.wants(name) {
					return
				}
				p.found.add(name)
				if !p.bare {
					p.found.add(appendScanned(digits[:0], score, packed))
				}
			})
		})
	})
}

// appendScanned appends a score as ZSCAN shows it. The packed form keeps an
// integer as one, so even a large one is shown without an exponent.
func appendScanned(dst []byte, score float64, packed bool) []byte {
	if packed && score == math.Trunc(score) && math.Abs(score) <= 1<<62 {
		return value.AppendInt(dst, int64(score))
	}
	return resp.AppendDouble(dst, score)
}

package engine

import (
	"math"
	"slices"

	"minikv/value"
)

func setDraws() []*Command {
	return []*Command{
		{Name: "SPOP", Arity: -2, Flags: Write | Fast, Keys: key(1, RW|Access|Delete), Group: Set, Since: "1.0.0", Syntax: "key [count]",
			Tips:    []string{"nondeterministic_output"},
			Summary: "Takes random members out of a set.", Complexity: "O(N), N being the number of members taken", Handler: cmdSPop},
		{Name: "SRANDMEMBER", Arity: -2, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Set, Since: "1.0.0", Syntax: "key [count]",
			Tips:    []string{"nondeterministic_output"},
			Summary: "Returns random members of a set.", Complexity: "O(N), N being the number of members returned", Handler: cmdSRandMember},
	}
}

func cmdSPop(c *Ctx) error {
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
	en, err := c.Write(name, value.KindSet)
	switch {
	case err != nil:
		return err
	case en == nil && !counted:
		c.out.Null()
	case en == nil || count == 0:
		c.out.Set(0)
	case !counted:
		c.popMember(en, name)
	case count >= int64(en.Val.set().Len()):
		c.popAll(en, name)
	default:
		c.popMembers(en, name, int(count))
	}
	return nil
}

// popMember takes out one random member and answers it.
func (c *Ctx) popMember(en *Entry, name []byte) {
	en = c.db.write(en)
	member := en.Val.set().Pop(c.e.random)
	c.out.Bulk(member)
	c.effect([]byte("SREM"), name, member)
	c.setTaken(en, name, "spop", 1)
}

// popMembers takes out count random members, fewer than there are, and answers
// them.
func (c *Ctx) popMembers(en *Entry, name []byte, count int) {
	var taken [][]byte
	keep := c.e.opt.Effects != nil
	c.out.Set(count)
	en = c.db.write(en)
	en.Val.set().PopMany(c.e.limits(), count, c.e.random, func(member []byte) {
		c.out.Bulk(member)
		if keep {
			taken = append(taken, slices.Clone(member))
		}
	})
	c.effect(append([][]byte{[]byte("SREM"), name}, taken...)...)
	c.setTaken(en, name, "spop", int64(count))
}

// popAll takes out all members and answers them.
func (c *Ctx) popAll(en *Entry, name []byte) {
	s := en.Val.set()
	c.wholeSet(s)
	c.db.changed(name, ClassSet, "spop")
	c.e.stats.dirty += int64(s.Len() - 1)
	c.db.emptied(en)
	c.effect([]byte("DEL"), name)
}

func cmdSRandMember(c *Ctx) error {
	if len(c.argv) > 3 {
		return errSyntax
	}
	a := c.Scan()
	name, counted, count := a.Next(), a.More(), int64(1)
	if counted {
		if count = a.Int(); count == math.MinInt64 {
			a.Fail(errCountRange)
		}
	}
	if err := a.Err(); err != nil {
		return err
	}
	s, err := c.readSet(name)
	switch {
	case err != nil:
		return err
	case s == nil && !counted:
		c.out.Null()
	case s == nil || count == 0:
		c.out.Array(0)
	case !counted:
		c.out.Bulk(s.Random(c.e.random))
	case count < 0:
		return c.draws(-count, 1, func() { c.out.Bulk(s.Random(c.e.random)) })
	default:
		n := int(min(count, int64(s.Len())))
		c.out.Array(n)
		for member := range s.Sample(n, c.e.random) {
			c.out.Bulk(member)
		}
	}
	return nil
}

package engine

import (
	"slices"

	"minikv/value"
)

func setCommands() []*Command {
	return slices.Concat(setMembers(), setDraws(), setAlgebra())
}

func setMembers() []*Command {
	return []*Command{
		{Name: "SADD", Arity: -3, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Insert), Group: Set, Since: "1.0.0", Syntax: "key member [member ...]",
			Summary: "Puts members into a set, which is made if need be.", Complexity: "O(N), N being the number of members given", Handler: cmdSAdd},
		{Name: "SREM", Arity: -3, Flags: Write | Fast, Keys: key(1, RW|Delete), Group: Set, Since: "1.0.0", Syntax: "key member [member ...]",
			Summary: "Takes members out of a set.", Complexity: "O(N), N being the number of members given", Handler: cmdSRem},
		{Name: "SMOVE", Arity: 4, Flags: Write | Fast, Keys: specs(key(1, RW|Access|Delete), key(2, RW|Insert)), Group: Set, Since: "1.0.0",
			Syntax: "source destination member", Summary: "Moves a member from a set to another.", Complexity: "O(1)", Handler: cmdSMove},
		{Name: "SCARD", Arity: 2, Flags: ReadOnly | Fast, Keys: key(1, RO), Group: Set, Since: "1.0.0", Syntax: "key",
			Summary: "Counts the members of a set.", Complexity: "O(1)", Handler: cmdSCard},
		{Name: "SISMEMBER", Arity: 3, Flags: ReadOnly | Fast, Keys: key(1, RO), Group: Set, Since: "1.0.0", Syntax: "key member",
			Summary: "Tells whether something is a member of a set.", Complexity: "O(1)", Handler: cmdSIsMember},
		{Name: "SMISMEMBER", Arity: -3, Flags: ReadOnly | Fast, Keys: key(1, RO|Access), Group: Set, Since: "6.2.0", Syntax: "key member [member ...]",
			Summary: "Tells of several things whether they are members of a set.", Complexity: "O(N), N being the number of members asked for", Handler: cmdSMIsMember},
		{Name: "SMEMBERS", Arity: 2, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Set, Since: "1.0.0", Syntax: "key",
			Tips:    []string{"nondeterministic_output_order"},
			Summary: "Returns all members of a set.", Complexity: "O(N), N being the number of members", Handler: cmdSMembers},
		{Name: "SSCAN", Arity: -3, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Set, Since: "2.8.0", Syntax: "key cursor [MATCH pattern] [COUNT count]",
			Tips:    []string{"nondeterministic_output"},
			Summary: "Lists the members of a set piece by piece.", Complexity: "O(1) for each call, O(N) for a whole iteration over N members", Handler: cmdSScan},
	}
}

// newSet makes a set whose order nobody outside can foretell.
func (c *Ctx) newSet() *value.Set { return value.NewSet(c.e.rand.Uint64()) }

// setToFill is the set of a key, about to be changed: en is the key's entry,
// or nil for a new set, to which a member must be added.
func (c *Ctx) setToFill(en *Entry, name []byte) *value.Set {
	if en != nil {
		return c.db.write(en).Val.set()
	}
	return c.db.add(name, collectionObject(value.KindSet, c.newSet())).Val.set()
}

// setTaken says by an event that n members went from a key's set, and removes
// the key if none is left.
func (c *Ctx) setTaken(en *Entry, name []byte, event string, n int64) {
	c.db.changed(name, ClassSet, event)
	c.e.stats.dirty += n - 1
	if en.Val.set().Len() == 0 {
		c.db.emptied(en)
	}
}

func cmdSAdd(c *Ctx) error {
	name := c.argv[1]
	en, err := c.Write(name, value.KindSet)
	if err != nil {
		return err
	}
	s, limits, added := c.setToFill(en, name), c.e.limits(), int64(0)
	for _, member := range c.argv[2:] {
		if s.Add(limits, member) {
			added++
		}
	}
	if added > 0 {
		c.db.changed(name, ClassSet, "sadd")
		c.e.stats.dirty += added - 1
	}
	return c.int(added)
}

func cmdSRem(c *Ctx) error {
	name := c.argv[1]
	en, err := c.Write(name, value.KindSet)
	if err != nil {
		return err
	}
	if en == nil {
		return c.int(0)
	}
	en = c.db.write(en)
	s, removed := en.Val.set(), int64(0)
	for _, member := range c.argv[2:] {
		if s.Remove(member) {
			removed++
		}
	}
	if removed > 0 {
		c.setTaken(en, name, "srem", removed)
	}
	return c.int(removed)
}

func cmdSMove(c *Ctx) error {
	from, to, member := c.argv[1], c.argv[2], c.argv[3]
	src, err := c.Write(from, value.KindSet)
	if err != nil {
		return err
	}
	dst := c.LookupWrite(to)
	switch {
	case src == nil:
		return c.int(0)
	case dst != nil && dst.Val.kind() != value.KindSet:
		return errWrongType
	case !src.Val.set().Has(member):
		return c.int(0)
	case src == dst:
		return c.int(1)
	}
	src = c.db.write(src)
	src.Val.set().Remove(member)
	c.setTaken(src, from, "srem", 1)
	if c.setToFill(dst, to).Add(c.e.limits(), member) {
		c.db.changed(to, ClassSet, "sadd")
	}
	return c.int(1)
}

// readSet is a key's set for reading; nil if there is no such key.
func (c *Ctx) readSet(name []byte) (*value.Set, error) {
	en, err := c.Read(name, value.KindSet)
	if en == nil || err != nil {
		return nil, err
	}
	return en.Val.set(), nil
}

func cmdSCard(c *Ctx) error {
	s, err := c.readSet(c.argv[1])
	if err != nil {
		return err
	}
	if s == nil {
		return c.int(0)
	}
	return c.int(int64(s.Len()))
}

func cmdSIsMember(c *Ctx) error {
	s, err := c.readSet(c.argv[1])
	if err != nil {
		return err
	}
	return c.bool(s != nil && s.Has(c.argv[2]))
}

func cmdSMIsMember(c *Ctx) error {
	s, err := c.readSet(c.argv[1])
	if err != nil {
		return err
	}
	members := c.argv[2:]
	c.out.Array(len(members))
	for _, member := range members {
		c.bool(s != nil && s.Has(member))
	}
	return nil
}

func cmdSMembers(c *Ctx) error {
	s, err := c.readSet(c.argv[1])
	if err != nil {
		return err
	}
	c.wholeSet(s)
	return nil
}

// wholeSet answers all members of a set; nil is an empty set.
func (c *Ctx) wholeSet(s *value.Set) {
	if s == nil {
		c.out.Set(0)
		return
	}
	c.out.Set(s.Len())
	for member := range s.All() {
		c.out.Bulk(member)
	}
}

func cmdSScan(c *Ctx) error {
	return c.scanKey(value.KindSet, func(en *Entry, p *scanPart) uint64 {
		return p.walk(func(cursor uint64) uint64 {
			return en.Val.set().Scan(cursor, func(member []byte) {
				if p.wants(member) {
					p.found.add(member)
				}
			})
		})
	})
}

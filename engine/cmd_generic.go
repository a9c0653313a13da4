package engine

import "slices"

func genericCommands() []*Command {
	return slices.Concat(keyRows(), expireRows(), renameRows(), keyspaceRows(), objectRows(), waitRows(), migrateRows())
}

func keyRows() []*Command {
	return []*Command{
		{Name: "DEL", Arity: -2, Flags: Write, Keys: keys(1, -1, 1, RM|Delete), Group: Generic, Since: "1.0.0",
			Syntax: "key [key ...]", Summary: "Deletes keys.", Complexity: "O(N) for N keys, and O(M) for each collection of M elements",
			Tips: []string{"request_policy:multi_shard", "response_policy:agg_sum"}, Handler: cmdDel},
		{Name: "UNLINK", Arity: -2, Flags: Write | Fast, Keys: keys(1, -1, 1, RM|Delete), Group: Generic, Since: "4.0.0",
			Syntax: "key [key ...]", Summary: "Deletes keys, leaving their memory to be reclaimed later.", Complexity: "O(1) for each key",
			Tips: []string{"request_policy:multi_shard", "response_policy:agg_sum"}, Handler: cmdDel},
		{Name: "EXISTS", Arity: -2, Flags: ReadOnly | Fast, Keys: keys(1, -1, 1, RO), Group: Generic, Since: "1.0.0",
			Syntax: "key [key ...]", Summary: "Counts which of the keys exist.", Complexity: "O(N) for N keys",
			Tips: []string{"request_policy:multi_shard", "response_policy:agg_sum"}, Handler: cmdExists},
		{Name: "TOUCH", Arity: -2, Flags: ReadOnly | Fast, Keys: keys(1, -1, 1, RO), Group: Generic, Since: "3.2.1",
			Syntax: "key [key ...]", Summary: "Counts which of the keys exist, and notes that they were used.", Complexity: "O(N) for N keys",
			Tips: []string{"request_policy:multi_shard", "response_policy:agg_sum"}, Handler: cmdTouch},
		{Name: "TYPE", Arity: 2, Flags: ReadOnly | Fast, Keys: key(1, RO), Group: Generic, Since: "1.0.0",
			Syntax: "key", Summary: "Tells the type of a key's value.", Complexity: "O(1)", Handler: cmdType},
	}
}

// cmdDel is DEL and UNLINK, which differ in nothing that a client could see:
// memory is reclaimed by Go's collector either way.
func cmdDel(c *Ctx) error {
	n := int64(0)
	for _, key := range c.argv[1:] {
		if en := c.LookupWrite(key); en != nil {
			c.db.delete(en)
			n++
		}
	}
	return c.int(n)
}

func cmdExists(c *Ctx) error {
	n := int64(0)
	for _, key := range c.argv[1:] {
		if c.Peek(key) != nil {
			n++
		}
	}
	return c.int(n)
}

// cmdTouch notes a use even for a client that said CLIENT NO-TOUCH.
func cmdTouch(c *Ctx) error {
	n := int64(0)
	for _, key := range c.argv[1:] {
		if en := c.Peek(key); en != nil {
			en.Val.used(c.e)
			n++
		}
	}
	return c.int(n)
}

func cmdType(c *Ctx) error {
	en := c.Peek(c.argv[1])
	if en == nil {
		c.out.Status("none")
		return nil
	}
	c.out.Status(en.Val.kind().String())
	return nil
}

package engine

import "minikv/value"

func hashReads() []*Command {
	return []*Command{
		{Name: "HGET", Arity: 3, Flags: ReadOnly | Fast, Keys: key(1, RO|Access), Group: Hash, Since: "2.0.0",
			Syntax: "key field", Summary: "Answers the value of a field of a hash.", Complexity: "O(1)", Handler: cmdHGet},
		{Name: "HMGET", Arity: -3, Flags: ReadOnly | Fast, Keys: key(1, RO|Access), Group: Hash, Since: "2.0.0",
			Syntax: "key field [field ...]", Summary: "Answers the values of fields of a hash.", Complexity: "O(N) for N fields", Handler: cmdHMGet},
		{Name: "HGETALL", Arity: 2, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Hash, Since: "2.0.0",
			Syntax: "key", Summary: "Answers all fields of a hash with their values.", Complexity: "O(N) for N fields",
			Tips: []string{"nondeterministic_output_order"}, Handler: cmdHGetAll},
		{Name: "HKEYS", Arity: 2, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Hash, Since: "2.0.0",
			Syntax: "key", Summary: "Answers the names of all fields of a hash.", Complexity: "O(N) for N fields",
			Tips: []string{"nondeterministic_output_order"}, Handler: cmdHKeys},
		{Name: "HVALS", Arity: 2, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Hash, Since: "2.0.0",
			Syntax: "key", Summary: "Answers the values of all fields of a hash.", Complexity: "O(N) for N fields",
			Tips: []string{"nondeterministic_output_order"}, Handler: cmdHVals},
		{Name: "HLEN", Arity: 2, Flags: ReadOnly | Fast, Keys: key(1, RO), Group: Hash, Since: "2.0.0",
			Syntax: "key", Summary: "Counts the fields of a hash.", Complexity: "O(1)", Handler: cmdHLen},
		{Name: "HSTRLEN", Arity: 3, Flags: ReadOnly | Fast, Keys: key(1, RO), Group: Hash, Since: "3.2.0",
			Syntax: "key field", Summary: "Answers the length of a field's value.", Complexity: "O(1)", Handler: cmdHStrLen},
		{Name: "HEXISTS", Arity: 3, Flags: ReadOnly | Fast, Keys: key(1, RO), Group: Hash, Since: "2.0.0",
			Syntax: "key field", Summary: "Tells whether a hash has a field.", Complexity: "O(1)", Handler: cmdHExists},
	}
}

// readHash finds a hash for reading; it is nil where there is none.
func (c *Ctx) readHash(name []byte) (*value.Hash, error) {
	en, err := c.Read(name, value.KindHash)
	if en == nil || err != nil {
		return nil, err
	}
	return en.Val.hash(), nil
}

// hashText answers a field or value of h.
func (c *Ctx) hashText(h *value.Hash, text []byte) { c.out.Bulk(replyText(h, text)) }

// replyText is a field or value of h as it may be given to the writer, which
// refers to a long text instead of copying it: that must outlive changes of h.
func replyText(h *value.Hash, text []byte) []byte {
	if len(text) >= sharedFrom {
		return h.Lasting(text)
	}
	return text
}

// fieldOrNull answers a field's value, or null if h (which may be nil) lacks it.
func (c *Ctx) fieldOrNull(h *value.Hash, field []byte) {
	if h != nil {
		if text, ok := h.Get(field); ok {
			c.hashText(h, text)
			return
		}
	}
	c.out.Null()
}

func cmdHGet(c *Ctx) error {
	h, err := c.readHash(c.argv[1])
	if err != nil {
		return err
	}
	c.fieldOrNull(h, c.argv[2])
	return nil
}

func cmdHMGet(c *Ctx) error {
	h, err := c.readHash(c.argv[1])
	if err != nil {
		return err
	}
	fields := c.argv[2:]
	c.out.Array(len(fields))
	for _, field := range fields {
		c.fieldOrNull(h, field)
	}
	return nil
}

func cmdHGetAll(c *Ctx) error {
	h, err := c.readHash(c.argv[1])
	if err != nil {
		return err
	}
	if h == nil {
		c.out.Map(0)
		return nil
	}
	c.out.Map(h.Len())
	for field, text := range h.All() {
		c.hashText(h, field)
		c.hashText(h, text)
	}
	return nil
}

func cmdHKeys(c *Ctx) error {
	return c.halves(func(field, _ []byte) []byte { return field })
}

func cmdHVals(c *Ctx) error {
	return c.halves(func(_, text []byte) []byte { return text })
}

// halves answers one half of each pair of a hash.
func (c *Ctx) halves(half func(field, text []byte) []byte) error {
	h, err := c.readHash(c.argv[1])
	if err != nil {
		return err
	}
	if h == nil {
		c.out.Array(0)
		return nil
	}
	c.out.Array(h.Len())
	for field, text := range h.All() {
		c.hashText(h, half(field, text))
	}
	return nil
}

func cmdHLen(c *Ctx) error {
	h, err := c.readHash(c.argv[1])
	if h == nil || err != nil {
		return c.intOr(0, err)
	}
	return c.int(int64(h.Len()))
}

func cmdHStrLen(c *Ctx) error {
	h, err := c.readHash(c.argv[1])
	if h == nil || err != nil {
		return c.intOr(0, err)
	}
	text, _ := h.Get(c.argv[2])
	return c.int(int64(len(text)))
}

func cmdHExists(c *Ctx) error {
	h, err := c.readHash(c.argv[1])
	if h == nil || err != nil {
		return c.intOr(0, err)
	}
	return c.bool(h.Has(c.argv[2]))
}

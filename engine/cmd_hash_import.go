package engine

import "minikv/value"

// HIMPORT (8.10) makes many hashes of the same fields: a connection names a list
// of fields once, a fieldset, and then gives the values alone. Fieldsets end with
// the connection, and a script has its own.

func hashImports() []*Command {
	return []*Command{
		{Name: "HIMPORT", Arity: -2, Group: Hash, Since: "8.10.0", Complexity: "Depends on subcommand.",
			Summary: "Makes hashes of the same fields.", Sub: []*Command{
				{Name: "PREPARE", Arity: -4, Flags: DenyOOM, Since: "8.10.0", Syntax: "fieldset-name field [field ...]",
					Complexity: "O(N) for N fields", Summary: "Names a list of fields for this connection.", Handler: cmdHImportPrepare},
				{Name: "SET", Arity: -5, Flags: Write | DenyOOM, Keys: key(2, OW|Update), Since: "8.10.0", Syntax: "key fieldset-name value [value ...]",
					Complexity: "O(N) for N fields", Summary: "Makes a hash of a named list of fields, in the place of the one there was.", Handler: cmdHImportSet},
				{Name: "DISCARD", Arity: 3, Since: "8.10.0", Syntax: "fieldset-name",
					Complexity: "O(1)", Summary: "Forgets a named list of fields.", Handler: cmdHImportDiscard},
				{Name: "DISCARDALL", Arity: 2, Since: "8.10.0",
					Complexity: "O(N) for N names", Summary: "Forgets all named lists of fields.", Handler: cmdHImportDiscardAll},
			}},
	}
}

// fieldsets are lists of fields by name. A list is not changed any more.
type fieldsets map[string][]string

// fieldsets are the connection's, or the running script's.
func (c *Ctx) fieldsets() *fieldsets {
	if c.source == FromScript {
		return &c.e.scripts.running.fieldsets
	}
	return &c.cl.fieldsets
}

func cmdHImportPrepare(c *Ctx) error {
	fields, seen := make([]string, 0, len(c.argv)-3), make(map[string]bool, len(c.argv)-3)
	for _, arg := range c.argv[3:] {
		field := string(arg)
		if seen[field] {
			return errFieldTwice
		}
		fields, seen[field] = append(fields, field), true
	}
	sets := c.fieldsets()
	if *sets == nil {
		*sets = make(fieldsets)
	}
	(*sets)[string(c.argv[2])] = fields
	return c.ok()
}

func cmdHImportSet(c *Ctx) error {
	name, values := c.argv[2], c.argv[4:]
	fields, ok := (*c.fieldsets())[string(c.argv[3])]
	switch {
	case !ok:
		return errNoFieldset
	case len(fields) != len(values):
		return errFieldsetValues
	}
	en, err := c.writeHash(name)
	if err != nil {
		return err
	}
	h, limits := value.NewHash(c.e.rand.Uint64()), c.e.limits()
	h.Prepare(limits, values...)
	effect := [][]byte{[]byte("HSET"), name}
	for i, field := range fields {
		h.Set(limits, []byte(field), values[i])
		effect = append(effect, []byte(field), values[i])
	}
	if o := collectionObject(value.KindHash, h); en == nil {
		c.db.add(name, o)
	} else {
		c.db.replace(en, o, false)
		c.effect([]byte("DEL"), name)
	}
	c.db.changed(name, ClassHash, "hset")
	c.effect(effect...)
	return c.ok()
}

func cmdHImportDiscard(c *Ctx) error {
	sets, name := *c.fieldsets(), string(c.argv[2])
	_, had := sets[name]
	delete(sets, name)
	return c.bool(had)
}

func cmdHImportDiscardAll(c *Ctx) error {
	sets := c.fieldsets()
	n := len(*sets)
	*sets = nil
	return c.int(int64(n))
}

package engine

import (
	"slices"

	"minikv/value"
)

func hashCommands() []*Command {
	return slices.Concat(hashWrites(), hashCounters(), hashReads(), hashWalks(), hashExpires(), hashExtras(), hashImports())
}

func hashWrites() []*Command {
	return []*Command{
		{Name: "HSET", Arity: -4, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Update), Group: Hash, Since: "2.0.0",
			Syntax: "key field value [field value ...]", Summary: "Sets fields of a hash, which is made if need be.",
			Complexity: "O(N) for N fields", Handler: cmdHSet},
		{Name: "HMSET", Arity: -4, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Update), Group: Hash, Since: "2.0.0",
			Syntax: "key field value [field value ...]", Summary: "Sets fields of a hash.", Complexity: "O(N) for N fields",
			Deprecated: "4.0.0", ReplacedBy: "HSET with multiple field-value pairs", Handler: cmdHMSet},
		{Name: "HSETNX", Arity: 4, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Insert), Group: Hash, Since: "2.0.0",
			Syntax: "key field value", Summary: "Sets a field of a hash if the field is not there.", Complexity: "O(1)", Handler: cmdHSetNX},
		{Name: "HDEL", Arity: -3, Flags: Write | Fast, Keys: key(1, RW|Delete), Group: Hash, Since: "2.0.0",
			Syntax: "key field [field ...]", Summary: "Deletes fields of a hash, and the hash with its last field.",
			Complexity: "O(N) for N fields", Handler: cmdHDel},
	}
}

// writeHash finds a hash that is to be changed; en is nil where there is none.
func (c *Ctx) writeHash(name []byte) (*Entry, error) { return c.Write(name, value.KindHash) }

// openHash announces the change of a hash and answers it; where there is none
// (en is nil) it makes one.
func (c *Ctx) openHash(en *Entry, name []byte) *value.Hash {
	if en == nil {
		en = c.db.add(name, collectionObject(value.KindHash, value.NewHash(c.e.rand.Uint64())))
		return en.Val.hash()
	}
	return c.db.write(en).Val.hash()
}

func cmdHSet(c *Ctx) error {
	added, err := c.setFields(c.argv[1], c.argv[2:])
	if err != nil {
		return err
	}
	return c.int(added)
}

func cmdHMSet(c *Ctx) error {
	if _, err := c.setFields(c.argv[1], c.argv[2:]); err != nil {
		return err
	}
	return c.ok()
}

// setFields sets pairs of field and value and answers how many fields are new.
func (c *Ctx) setFields(name []byte, pairs [][]byte) (added int64, err error) {
	if len(pairs)%2 != 0 {
		return 0, errArity(c.cmd)
	}
	en, err := c.writeHash(name)
	if err != nil {
		return 0, err
	}
	h := c.openHash(en, name)
	limits, untimed := c.e.limits(), false
	h.Prepare(limits, pairs...)
	for i := 0; i < len(pairs); i += 2 {
		if h.Set(limits, pairs[i], pairs[i+1]) {
			added++
		}
		if h.Persist(pairs[i]) {
			untimed = true
		}
	}
	if untimed {
		c.db.timeFields(c.db.live(name))
	}
	c.db.changed(name, ClassHash, "hset")
	c.e.stats.dirty += int64(len(pairs)/2 - 1)
	return added, nil
}

func cmdHSetNX(c *Ctx) error {
	name, field, text := c.argv[1], c.argv[2], c.argv[3]
	en, err := c.writeHash(name)
	if err != nil {
		return err
	}
	if en != nil && en.Val.hash().Has(field) {
		return c.int(0)
	}
	c.openHash(en, name).Set(c.e.limits(), field, text)
	c.db.changed(name, ClassHash, "hset")
	return c.int(1)
}

func cmdHDel(c *Ctx) error {
	name := c.argv[1]
	en, err := c.writeHash(name)
	if en == nil || err != nil {
		return c.intOr(0, err)
	}
	fields := c.argv[2:]
	if !slices.ContainsFunc(fields, en.Val.hash().Has) {
		return c.int(0)
	}
	en = c.db.write(en)
	h := en.Val.hash()
	deleted := int64(0)
	for _, field := range fields {
		if h.Delete(field) {
			deleted++
		}
	}
	c.db.changed(name, ClassHash, "hdel")
	c.e.stats.dirty += deleted - 1
	c.db.fieldsGone(en)
	return c.int(deleted)
}

package engine

import (
	"strconv"

	"minikv/value"
)

func hashCounters() []*Command {
	return []*Command{
		{Name: "HINCRBY", Arity: 4, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Access|Update), Group: Hash, Since: "2.0.0",
			Syntax: "key field increment", Summary: "Adds to the integer that a field of a hash holds.", Complexity: "O(1)", Handler: cmdHIncrBy},
		{Name: "HINCRBYFLOAT", Arity: 4, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Access|Update), Group: Hash, Since: "2.6.0",
			Syntax: "key field increment:double", Summary: "Adds to the floating-point number that a field of a hash holds.",
			Complexity: "O(1)", Handler: cmdHIncrByFloat},
	}
}

// field is the text of a hash's field; false if there is no hash or no field.
func (c *Ctx) field(en *Entry, field []byte) ([]byte, bool) {
	if en == nil {
		return nil, false
	}
	return en.Val.hash().Get(field)
}

func cmdHIncrBy(c *Ctx) error {
	a := c.Scan()
	name, field, n := a.Next(), a.Next(), a.Int()
	if err := a.Done(); err != nil {
		return err
	}
	en, err := c.writeHash(name)
	if err != nil {
		return err
	}
	old := int64(0)
	if text, ok := c.field(en, field); ok {
		if old, ok = value.ParseInt(text); !ok {
			return errHashInt
		}
	}
	sum, ok := addInt(old, n)
	if !ok {
		return errOverflow
	}
	var digits [20]byte
	c.openHash(en, name).Set(c.e.limits(), field, strconv.AppendInt(digits[:0], sum, 10))
	c.db.changed(name, ClassHash, "hincrby")
	return c.int(sum)
}

func cmdHIncrByFloat(c *Ctx) error {
	name, field := c.argv[1], c.argv[2]
	n, ok := value.ParseLongDouble(c.argv[3])
	if !ok {
		return errNotFloat
	}
	old := value.LongDouble{}
	if _, finite := old.Add(n); !finite {
		return errNotFinite
	}
	en, err := c.writeHash(name)
	if err != nil {
		return err
	}
	if text, ok := c.field(en, field); ok {
		if old, ok = value.ParseLongDouble(text); !ok {
			return errHashFloat
		}
	}
	sum, finite := old.Add(n)
	if !finite {
		return errNaN
	}
	text := sum.AppendTo(nil)
	h := c.openHash(en, name)
	h.Set(c.e.limits(), field, text)
	c.db.changed(name, ClassHash, "hincrbyfloat")
	if _, timed := h.Deadline(field); timed { // which HSET would take away
		c.effect([]byte("HSETEX"), name, []byte("KEEPTTL"), []byte("FIELDS"), []byte("1"), field, text)
	} else {
		c.effect([]byte("HSET"), name, field, text)
	}
	c.out.Bulk(text)
	return nil
}

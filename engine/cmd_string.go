package engine

import (
	"slices"
	"strconv"

	"minikv/value"
)

func stringCommands() []*Command {
	return slices.Concat(stringReads(), stringSets(), stringEdits(), stringCounters(), stringCompares(), lcsCommands())
}

// sharedFrom is the length from which the writer of replies refers to a value
// instead of copying it.
const sharedFrom = 16 << 10

// bulk answers text, which is a string value's or part of it. A long one is
// not copied, so the value has to be copied before it is changed in place.
func (c *Ctx) bulk(o *Object, text []byte) {
	if len(text) >= sharedFrom {
		o.mark(flagShared, true)
	}
	c.out.Bulk(text)
}

// stringOrNull answers a key's string, or null where there is no key.
func (c *Ctx) stringOrNull(en *Entry) {
	switch {
	case en == nil:
		c.out.Null()
	case en.Val.enc() == encInt:
		c.out.BulkInt(en.Val.num())
	default:
		c.bulk(&en.Val, en.Val.str())
	}
}

// stringFrom makes the value that SET stores of text, a copy of it. It may use
// the bytes of the entry it is to replace (or nil) if nobody else sees them.
func (c *Ctx) stringFrom(en *Entry, text []byte) Object {
	if n, ok := value.ParseInt(text); ok {
		return intObject(n)
	}
	var room []byte
	if en != nil && !en.Val.has(flagShared) && !c.e.snapshot.kept(&en.Val) {
		if n := cap(en.Val.str()); n >= len(text) && n <= 2*len(text)+embstrLimit {
			room = en.Val.str()[:0]
		}
	}
	return textObject(append(room, text...))
}

// putString makes a key hold text: en is the key's entry, or nil.
func (c *Ctx) putString(en *Entry, key, text []byte, keepTTL bool) *Entry {
	return c.putObject(en, key, c.stringFrom(en, text), keepTTL)
}

// putObject makes a key hold o: en is the key's entry, or nil.
func (c *Ctx) putObject(en *Entry, key []byte, o Object, keepTTL bool) *Entry {
	if en == nil {
		return c.db.add(key, o)
	}
	return c.db.replace(en, o, keepTTL)
}

// integer is the number a string value spells, if it does.
func (o *Object) integer() (int64, bool) {
	if o.enc() == encInt {
		return o.num(), true
	}
	return value.ParseInt(o.str())
}

// effectSet says that the running command set a string key: until at if that
// is a deadline (in unix milliseconds), else with its old deadline if keepTTL.
func (c *Ctx) effectSet(key, text []byte, at int64, keepTTL bool) {
	var buf [20]byte
	switch {
	case !c.tellsEffects():
		c.noEffect()
	case at != 0:
		c.effect([]byte("SET"), key, text, []byte("PXAT"), strconv.AppendInt(buf[:0], at, 10))
	case keepTTL:
		c.effect([]byte("SET"), key, text, []byte("KEEPTTL"))
	default:
		c.effect([]byte("SET"), key, text)
	}
}

// checkStringLen refuses a string of have+more bytes if that is too long.
func (c *Ctx) checkStringLen(have, more int64) error {
	if limit := c.e.conf.ProtoMaxBulkLen; have > limit || more > limit-have {
		return errTooLong
	}
	return nil
}

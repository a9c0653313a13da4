package engine

import (
	"math"

	"minikv/value"
)

func objectRows() []*Command {
	return []*Command{
		{Name: "OBJECT", Arity: -2, ACL: noGroupCategory, Group: Generic, Since: "2.2.3",
			Summary: "Tells how values are kept.", Complexity: "Depends on the subcommand", Sub: []*Command{
				{Name: "ENCODING", Arity: 3, Flags: ReadOnly, Keys: key(2, RO), Group: Generic, Since: "2.2.3",
					Syntax: "key", Summary: "Names the representation of a value.", Complexity: "O(1)",
					Tips: []string{"nondeterministic_output"}, Handler: cmdObjectEncoding},
				{Name: "FREQ", Arity: 3, Flags: ReadOnly, Keys: key(2, RO), Group: Generic, Since: "4.0.0",
					Syntax: "key", Summary: "Tells how often a value is used, on a logarithmic scale.", Complexity: "O(1)",
					Tips: []string{"nondeterministic_output"}, Handler: cmdObjectFreq},
				{Name: "HELP", Arity: 2, Flags: Loading | Stale, Group: Generic, Since: "6.2.0",
					Summary: "Shows the subcommands.", Complexity: "O(1)", Handler: cmdHelp},
				{Name: "IDLETIME", Arity: 3, Flags: ReadOnly, Keys: key(2, RO), Group: Generic, Since: "2.2.3",
					Syntax: "key", Summary: "Tells for how many seconds a value was not used.", Complexity: "O(1)",
					Tips: []string{"nondeterministic_output"}, Handler: cmdObjectIdleTime},
				{Name: "REFCOUNT", Arity: 3, Flags: ReadOnly, Keys: key(2, RO), Group: Generic, Since: "2.2.3",
					Syntax: "key", Summary: "Counts the references to a value.", Complexity: "O(1)",
					Tips: []string{"nondeterministic_output"}, Handler: cmdObjectRefCount},
			}},
	}
}

// object looks up a key without using it; nil, answered, if it is not there.
func (c *Ctx) object() *Entry {
	en := c.inspect(c.argv[2])
	if en == nil {
		c.out.Null()
	}
	return en
}

func cmdObjectEncoding(c *Ctx) error {
	if en := c.object(); en != nil {
		c.out.BulkString(en.Val.encoding())
	}
	return nil
}

func cmdObjectFreq(c *Ctx) error {
	en := c.object()
	if en == nil {
		return nil
	}
	if !c.e.conf.MaxMemoryPolicy.LFU() {
		return errNoLFU
	}
	return c.int(int64(c.e.lfuDecayed(en.Val.lru())))
}

func cmdObjectIdleTime(c *Ctx) error {
	en := c.object()
	if en == nil {
		return nil
	}
	if c.e.conf.MaxMemoryPolicy.LFU() {
		return errLFU
	}
	return c.int(en.Val.idle(c.e))
}

// sharedIntegers is how many small numbers Redis keeps once for all keys.
const sharedIntegers = 10000

// cmdObjectRefCount answers as Redis, where small integers are one object that
// all keys share unless each needs an access time of its own for eviction.
func cmdObjectRefCount(c *Ctx) error {
	en := c.object()
	if en == nil {
		return nil
	}
	// DIFFERS: OBJECT REFCOUNT answers 2147483647 for a small integer also where COPY has made it, which in Redis has one reference.
	o := &en.Val
	ownClock := c.e.conf.MaxMemory > 0 && (c.e.conf.MaxMemoryPolicy.LFU() || c.e.conf.MaxMemoryPolicy.LRU())
	if o.kind() == value.KindString && o.enc() == encInt && 0 <= o.num() && o.num() < sharedIntegers && !ownClock {
		return c.int(math.MaxInt32)
	}
	return c.int(1)
}

package engine

import (
	"math"
	"strconv"
)

func expireRows() []*Command {
	return []*Command{
		{Name: "EXPIRE", Arity: -3, Flags: Write | Fast, Keys: key(1, RW|Update), Group: Generic, Since: "1.0.0",
			Syntax: "key seconds [NX@7.0 | XX@7.0 | GT@7.0 | LT@7.0]", Summary: "Lets a key expire in so many seconds.",
			Complexity: "O(1)", Handler: cmdExpire},
		{Name: "PEXPIRE", Arity: -3, Flags: Write | Fast, Keys: key(1, RW|Update), Group: Generic, Since: "2.6.0",
			Syntax: "key milliseconds [NX@7.0 | XX@7.0 | GT@7.0 | LT@7.0]", Summary: "Lets a key expire in so many milliseconds.",
			Complexity: "O(1)", Handler: cmdPExpire},
		{Name: "EXPIREAT", Arity: -3, Flags: Write | Fast, Keys: key(1, RW|Update), Group: Generic, Since: "1.2.0",
			Syntax: "key unix-time-seconds [NX@7.0 | XX@7.0 | GT@7.0 | LT@7.0]", Summary: "Lets a key expire at a time given in unix seconds.",
			Complexity: "O(1)", Handler: cmdExpireAt},
		{Name: "PEXPIREAT", Arity: -3, Flags: Write | Fast, Keys: key(1, RW|Update), Group: Generic, Since: "2.6.0",
			Syntax: "key unix-time-milliseconds [NX@7.0 | XX@7.0 | GT@7.0 | LT@7.0]", Summary: "Lets a key expire at a time given in unix milliseconds.",
			Complexity: "O(1)", Handler: cmdPExpireAt},
		{Name: "PERSIST", Arity: 2, Flags: Write | Fast, Keys: key(1, RW|Update), Group: Generic, Since: "2.2.0",
			Syntax: "key", Summary: "Takes a key's deadline away.", Complexity: "O(1)", Handler: cmdPersist},
		{Name: "TTL", Arity: 2, Flags: ReadOnly | Fast, Keys: key(1, RO|Access), Group: Generic, Since: "1.0.0",
			Syntax: "key", Summary: "Tells in how many seconds a key expires.", Complexity: "O(1)",
			Tips: []string{"nondeterministic_output"}, Handler: cmdTTL},
		{Name: "PTTL", Arity: 2, Flags: ReadOnly | Fast, Keys: key(1, RO|Access), Group: Generic, Since: "2.6.0",
			Syntax: "key", Summary: "Tells in how many milliseconds a key expires.", Complexity: "O(1)",
			Tips: []string{"nondeterministic_output"}, Handler: cmdPTTL},
		{Name: "EXPIRETIME", Arity: 2, Flags: ReadOnly | Fast, Keys: key(1, RO|Access), Group: Generic, Since: "7.0.0",
			Syntax: "key", Summary: "Tells when a key expires, in unix seconds.", Complexity: "O(1)", Handler: cmdExpireTime},
		{Name: "PEXPIRETIME", Arity: 2, Flags: ReadOnly | Fast, Keys: key(1, RO|Access), Group: Generic, Since: "7.0.0",
			Syntax: "key", Summary: "Tells when a key expires, in unix milliseconds.", Complexity: "O(1)", Handler: cmdPExpireTime},
	}
}

func cmdExpire(c *Ctx) error    { return c.expire(1000, c.nowMS()) }
func cmdPExpire(c *Ctx) error   { return c.expire(1, c.nowMS()) }
func cmdExpireAt(c *Ctx) error  { return c.expire(1000, 0) }
func cmdPExpireAt(c *Ctx) error { return c.expire(1, 0) }

// expire is the EXPIRE family: a time in units of so many milliseconds,
// counted from base. A time that is not in the future deletes the key at once.
func (c *Ctx) expire(unit, base int64) error {
	cond, err := c.expireCondition()
	if err != nil {
		return err
	}
	a := c.Scan()
	key, when := a.Next(), a.Int()
	if a.Err() != nil {
		return a.Err()
	}
	at, ok := deadline(when, unit, base)
	if !ok {
		return errExpire(c.cmd)
	}
	en := c.LookupWrite(key)
	if en == nil || !cond.met(en.Val.expireAt(), at) {
		return c.int(0)
	}
	if at <= c.nowMS() {
		c.db.delete(en)
		c.effect([]byte("DEL"), key)
		return c.int(1)
	}
	en = c.db.write(en)
	c.db.setExpire(en, at)
	c.db.changed(key, ClassGeneric, "expire")
	if !c.tellsEffects() {
		c.noEffect()
		return c.int(1)
	}
	c.effect([]byte("PEXPIREAT"), key, strconv.AppendInt(nil, at, 10))
	return c.int(1)
}

// deadline is when units of so many milliseconds after base; false if that
// does not fit into 64 bits.
func deadline(when, unit, base int64) (at int64, ok bool) {
	if when > math.MaxInt64/unit || when < math.MinInt64/unit {
		return 0, false
	}
	at = when * unit
	if base > 0 && at > math.MaxInt64-base {
		return 0, false
	}
	return at + base, true
}

// expireCondition is what EXPIRE's options ask of the present deadline.
type expireCondition struct{ nx, xx, gt, lt bool }

// expireCondition reads the options, which Redis judges before all else.
func (c *Ctx) expireCondition() (cond expireCondition, err error) {
	a := c.Scan()
	a.Next()
	a.Next()
	if a.More() && !c.e.table.ver.has(version{major: 7}) {
		return cond, errArity(c.cmd) // there were no options then
	}
	for a.More() {
		switch {
		case a.Word("NX"):
			cond.nx = true
		case a.Word("XX"):
			cond.xx = true
		case a.Word("GT"):
			cond.gt = true
		case a.Word("LT"):
			cond.lt = true
		default:
			return cond, errExpireOption(a.Next())
		}
	}
	switch {
	case cond.nx && (cond.xx || cond.gt || cond.lt):
		return cond, errExpireNX
	case cond.gt && cond.lt:
		return cond, errExpireGTLT
	}
	return cond, nil
}

// met tells whether a deadline may become next; current is -1 for a key that
// lives for ever, which counts as later than any deadline.
func (cond expireCondition) met(current, next int64) bool {
	volatile := current >= 0
	switch {
	case cond.nx && volatile, cond.xx && !volatile:
		return false
	case cond.gt && (!volatile || next <= current):
		return false
	case cond.lt && volatile && next >= current:
		return false
	}
	return true
}

func cmdPersist(c *Ctx) error {
	key := c.argv[1]
	en := c.LookupWrite(key)
	if en == nil || en.Val.ttl == nil {
		return c.int(0)
	}
	c.db.persist(c.db.write(en))
	c.db.changed(key, ClassGeneric, "persist")
	return c.int(1)
}

func cmdTTL(c *Ctx) error         { return c.remaining(1000, c.nowMS()) }
func cmdPTTL(c *Ctx) error        { return c.remaining(1, c.nowMS()) }
func cmdExpireTime(c *Ctx) error  { return c.remaining(1000, 0) }
func cmdPExpireTime(c *Ctx) error { return c.remaining(1, 0) }

// remaining answers a key's deadline as time after base, rounded to units of
// so many milliseconds: -2 for no key, -1 for one that lives for ever.
func (c *Ctx) remaining(unit, base int64) error {
	en := c.Peek(c.argv[1])
	switch {
	case en == nil:
		return c.int(-2)
	case en.Val.ttl == nil:
		return c.int(-1)
	}
	left := max(0, en.Val.expireAt()-base)
	return c.int(int64((uint64(left) + uint64(unit)/2) / uint64(unit)))
}

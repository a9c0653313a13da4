package engine

import (
	"math"
	"strconv"
)

func hashExpires() []*Command {
	const cost, list = "O(N) for N fields", " FIELDS numfields field [field ...]"
	set := func(name, when, summary string, handler func(*Ctx) error) *Command {
		return &Command{Name: name, Arity: -6, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Update), Group: Hash, Since: "7.4.0",
			Syntax: "key " + when + " [NX | XX | GT | LT]" + list, Summary: summary, Complexity: cost, Handler: handler}
	}
	get := func(name, summary string, handler func(*Ctx) error) *Command {
		return &Command{Name: name, Arity: -5, Flags: ReadOnly | Fast, Keys: key(1, RO|Access), Group: Hash, Since: "7.4.0",
			Syntax: "key" + list, Summary: summary, Complexity: cost, Handler: handler}
	}
	return []*Command{
		set("HEXPIRE", "seconds", "Gives fields of a hash a time to live in seconds.", cmdHExpire),
		set("HPEXPIRE", "milliseconds", "Gives fields of a hash a time to live in milliseconds.", cmdHPExpire),
		set("HEXPIREAT", "unix-time-seconds", "Gives fields of a hash a deadline in unix seconds.", cmdHExpireAt),
		set("HPEXPIREAT", "unix-time-milliseconds", "Gives fields of a hash a deadline in unix milliseconds.", cmdHPExpireAt),
		get("HTTL", "Tells in how many seconds fields of a hash expire.", cmdHTTL),
		get("HPTTL", "Tells in how many milliseconds fields of a hash expire.", cmdHPTTL),
		get("HEXPIRETIME", "Tells when fields of a hash expire, in unix seconds.", cmdHExpireTime),
		get("HPEXPIRETIME", "Tells when fields of a hash expire, in unix milliseconds.", cmdHPExpireTime),
		{Name: "HPERSIST", Arity: -5, Flags: Write | Fast, Keys: key(1, RW|Update), Group: Hash, Since: "7.4.0",
			Syntax: "key" + list, Summary: "Takes the deadlines of fields of a hash away.", Complexity: cost, Handler: cmdHPersist},
	}
}

// lastDeadline is the latest deadline that a field may have.
const lastDeadline = 1<<46 - 1

// fields reads FIELDS, how many follow, and them, which must be all that is
// left. A number below 1 fails with few.
func (a *Scanner) fields(few error) [][]byte {
	n := a.fieldsNumber(few)
	if a.err == nil && n != int64(a.Left()) {
		a.Fail(errFieldsMatch)
	}
	return a.Rest()
}

func (a *Scanner) fieldsNumber(few error) int64 {
	if !a.Word("FIELDS") {
		a.Fail(errFieldsMissing)
	}
	return a.IntIn(1, math.MaxInt64, few)
}

// fieldDeadline reads a time in units of so many milliseconds, counted from
// base, and makes it a moment in unix milliseconds.
func (a *Scanner) fieldDeadline(unit, base int64) (at int64) {
	when := a.Int()
	if a.err != nil {
		return 0
	}
	if when < 0 {
		a.Fail(errFieldTime)
		return 0
	}
	at, ok := deadline(when, unit, base)
	if !ok || at > lastDeadline {
		a.Fail(errExpire(a.c.cmd))
	}
	return at
}

// fieldCondition reads one of HEXPIRE's conditions, if there is one.
func (a *Scanner) fieldCondition() (cond expireCondition) {
	switch {
	case a.Word("NX"):
		cond.nx = true
	case a.Word("XX"):
		cond.xx = true
	case a.Word("GT"):
		cond.gt = true
	case a.Word("LT"):
		cond.lt = true
	}
	return cond
}

func cmdHExpire(c *Ctx) error    { return c.expireFields(1000, c.nowMS()) }
func cmdHPExpire(c *Ctx) error   { return c.expireFields(1, c.nowMS()) }
func cmdHExpireAt(c *Ctx) error  { return c.expireFields(1000, 0) }
func cmdHPExpireAt(c *Ctx) error { return c.expireFields(1, 0) }

// What the commands on deadlines answer for each field.
const (
	fieldMissing = -2
	fieldForever = -1 // it has no deadline
	fieldUnmet   = 0
	fieldDone    = 1
	fieldOverdue = 2 // deleted: its time was over
)

// expireFields is the HEXPIRE family.
func (c *Ctx) expireFields(unit, base int64) error {
	a := c.Scan()
	name := a.Next()
	en, err := c.writeHash(name)
	if err != nil {
		return err
	}
	at, cond, fields := a.fieldDeadline(unit, base), a.fieldCondition(), a.fields(errNumFields)
	if a.Err() != nil {
		return a.Err()
	}
	if en == nil {
		return c.sameForAll(fields, fieldMissing)
	}
	en = c.db.write(en)
	h, over := en.Val.hash(), at <= c.nowMS()
	var done [][]byte
	c.out.Array(len(fields))
	for _, field := range fields {
		current, timed := h.Deadline(field)
		if !timed {
			current = fieldForever
		}
		switch {
		case !h.Has(field):
			c.out.Int(fieldMissing)
			continue
		case !cond.met(current, at):
			c.out.Int(fieldUnmet)
			continue
		case over:
			h.Delete(field)
			c.out.Int(fieldOverdue)
		default:
			h.SetDeadline(field, at)
			c.out.Int(fieldDone)
		}
		done = append(done, field)
	}
	c.fieldsTimed(en, name, done, at)
	return nil
}

// sameForAll answers the same number for each field.
func (c *Ctx) sameForAll(fields [][]byte, n int64) error {
	c.out.Array(len(fields))
	for range fields {
		c.out.Int(n)
	}
	return nil
}

// fieldsTimed says that fields were given a deadline or, if that is over, were
// deleted.
func (c *Ctx) fieldsTimed(en *Entry, name []byte, fields [][]byte, at int64) {
	switch {
	case len(fields) == 0:
	case at <= c.nowMS():
		c.fieldsDeleted(en, name, fields)
	default:
		c.db.timeFields(en)
		c.db.changed(name, ClassHash, "hexpire")
		c.effect(fieldsCommand("HPEXPIREAT", name, fields, strconv.AppendInt(nil, at, 10))...)
	}
}

// fieldsDeleted says that fields were deleted from a hash, which goes with the
// last.
func (c *Ctx) fieldsDeleted(en *Entry, name []byte, fields [][]byte) {
	c.db.changed(name, ClassHash, "hdel")
	c.effect(append([][]byte{[]byte("HDEL"), name}, fields...)...)
	c.db.fieldsGone(en)
}

// fieldsCommand is a command of the form "NAME key options FIELDS n field ...".
func fieldsCommand(command string, name []byte, fields [][]byte, options ...[]byte) [][]byte {
	argv := append([][]byte{[]byte(command), name}, options...)
	argv = append(argv, []byte("FIELDS"), strconv.AppendInt(nil, int64(len(fields)), 10))
	return append(argv, fields...)
}

func cmdHTTL(c *Ctx) error         { return c.fieldDeadlines(1000, c.nowMS()) }
func cmdHPTTL(c *Ctx) error        { return c.fieldDeadlines(1, c.nowMS()) }
func cmdHExpireTime(c *Ctx) error  { return c.fieldDeadlines(1000, 0) }
func cmdHPExpireTime(c *Ctx) error { return c.fieldDeadlines(1, 0) }

// fieldDeadlines answers deadlines as time after base, in units of so many
// milliseconds, rounded up.
func (c *Ctx) fieldDeadlines(unit, base int64) error {
	a := c.Scan()
	h, err := c.readHash(a.Next())
	if err != nil {
		return err
	}
	fields := a.fields(errFieldsPositive)
	if a.Err() != nil {
		return a.Err()
	}
	if h == nil {
		return c.sameForAll(fields, fieldMissing)
	}
	c.out.Array(len(fields))
	for _, field := range fields {
		at, timed := h.Deadline(field)
		switch {
		case !h.Has(field):
			c.out.Int(fieldMissing)
		case !timed:
			c.out.Int(fieldForever)
		default:
			c.out.Int((at - base + unit - 1) / unit)
		}
	}
	return nil
}

func cmdHPersist(c *Ctx) error {
	a := c.Scan()
	name := a.Next()
	en, err := c.writeHash(name)
	if err != nil {
		return err
	}
	fields := a.fields(errFieldsPositive)
	if a.Err() != nil {
		return a.Err()
	}
	if en == nil {
		return c.sameForAll(fields, fieldMissing)
	}
	en = c.db.write(en)
	h, persisted := en.Val.hash(), false
	c.out.Array(len(fields))
	for _, field := range fields {
		switch {
		case !h.Has(field):
			c.out.Int(fieldMissing)
		case h.Persist(field):
			persisted = true
			c.out.Int(fieldDone)
		default:
			c.out.Int(fieldForever)
		}
	}
	if persisted {
		c.db.timeFields(en)
		c.db.changed(name, ClassHash, "hpersist")
	}
	return nil
}

package engine

import (
	"math"

	"minikv/value"
)

func increxRow() *Command {
	return &Command{Name: "INCREX", Arity: -2, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Access|Update), Group: String, Since: "8.8.0",
		Syntax: "key [BYFLOAT increment | BYINT increment] [LBOUND lowerbound] [UBOUND upperbound] [SATURATE]" +
			" [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds | PERSIST] [ENX]",
		Summary: "Adds to a key's number within bounds and sets its deadline.", Complexity: "O(1)", Handler: cmdIncrEx}
}

// increxOptions are INCREX's arguments as they came; nil is what was not given.
type increxOptions struct {
	by, lower, upper []byte
	float            bool // BYFLOAT
	saturate         bool
	onlyNew          bool // ENX: a deadline that the key has is left alone
	ttl              ttlOption
}

// cmdIncrEx adds to a number. A sum outside the bounds, or outside the type's
// range, is not stored; with SATURATE the nearest bound is.
func cmdIncrEx(c *Ctx) error {
	name := c.argv[1]
	opt, err := c.scanIncrEx()
	if err != nil {
		return err
	}
	at, err := c.deadline(opt.ttl)
	if err != nil {
		return err
	}
	en, err := c.Write(name, value.KindString)
	if err != nil {
		return err
	}
	if opt.float {
		return c.increxFloat(en, name, opt, at)
	}
	return c.increxInt(en, name, opt, at)
}

func (c *Ctx) scanIncrEx() (opt increxOptions, err error) {
	a := c.Scan()
	a.Next()
	byInt := false
	for a.More() {
		switch {
		case a.Word("BYINT"):
			opt.by, byInt = a.Next(), true
		case a.Word("BYFLOAT"):
			opt.by, opt.float = a.Next(), true
		case a.Word("LBOUND"):
			opt.lower = a.Next()
		case a.Word("UBOUND"):
			opt.upper = a.Next()
		case a.Word("SATURATE"):
			opt.saturate = true
		case a.Word("ENX"):
			opt.onlyNew = true
		case a.ttl(&opt.ttl, ttlPersist):
		default:
			a.Syntax()
		}
	}
	if byInt && opt.float || opt.onlyNew && !opt.ttl.timed() {
		a.Syntax()
	}
	return opt, a.Err()
}

func (c *Ctx) increxInt(en *Entry, name []byte, opt increxOptions, at int64) error {
	by, lower, upper, err := opt.integers()
	if err != nil {
		return err
	}
	old, ok := int64(0), true
	if en != nil {
		if old, ok = en.Val.integer(); !ok {
			return errNotInteger
		}
	}
	sum, ok := addInt(old, by)
	above := !ok && by > 0 || ok && sum > upper
	below := !ok && by < 0 || ok && sum < lower
	if above || below {
		if !opt.saturate {
			c.increxReply(old, 0)
			return nil
		}
		if sum = upper; below {
			sum = lower
		}
	}
	delta := sum - old
	if (delta < sum) != (old > 0) {
		return errOverflow
	}
	c.increxStore(en, name, intObject(sum), "incrby", opt, at)
	c.increxReply(sum, delta)
	return nil
}

// integers are the increment and the bounds.
func (opt *increxOptions) integers() (by, lower, upper int64, err error) {
	by, lower, upper = 1, math.MinInt64, math.MaxInt64
	for _, n := range []struct {
		arg []byte
		to  *int64
	}{{opt.by, &by}, {opt.lower, &lower}, {opt.upper, &upper}} {
		if n.arg == nil {
			continue
		}
		var ok bool
		if *n.to, ok = value.ParseInt(n.arg); !ok {
			return 0, 0, 0, errNotInteger
		}
	}
	if lower > upper {
		return 0, 0, 0, errBounds
	}
	return by, lower, upper, nil
}

func (c *Ctx) increxReply(n, delta int64) {
	c.out.Array(2)
	c.out.Int(n)
	c.out.Int(delta)
}

func (c *Ctx) increxFloat(en *Entry, name []byte, opt increxOptions, at int64) error {
	by, lower, upper, err := opt.floats()
	if err != nil {
		return err
	}
	old, err := longDoubleOf(en)
	if err != nil {
		return err
	}
	if !finite(old) {
		return errNaN
	}
	sum, ok := old.Add(by)
	up := by.Cmp(value.LongDouble{}) > 0
	above := !ok && up || ok && sum.Cmp(upper) > 0
	below := !ok && !up || ok && sum.Cmp(lower) < 0
	if above || below {
		if !opt.saturate {
			c.increxFloatReply(old, value.LongDouble{})
			return nil
		}
		if sum = upper; below {
			sum = lower
		}
	}
	delta, ok := sum.Add(old.Neg())
	if !ok {
		return errNaN
	}
	c.increxStore(en, name, textObject(sum.AppendTo(nil)), "incrbyfloat", opt, at)
	c.increxFloatReply(sum, delta)
	return nil
}

// floats are the increment and the bounds, infinite where none is given.
func (opt *increxOptions) floats() (by, lower, upper value.LongDouble, err error) {
	upper, _ = value.ParseLongDouble([]byte("inf"))
	lower = upper.Neg()
	for _, n := range []struct {
		arg []byte
		to  *value.LongDouble
	}{{opt.by, &by}, {opt.lower, &lower}, {opt.upper, &upper}} {
		if n.arg == nil {
			continue
		}
		var ok bool
		if *n.to, ok = value.ParseLongDouble(n.arg); !ok {
			return by, lower, upper, errNotFloat
		}
	}
	switch {
	case !finite(by):
		return by, lower, upper, errNaN
	case lower.Cmp(upper) > 0:
		return by, lower, upper, errBounds
	}
	return by, lower, upper, nil
}

func finite(x value.LongDouble) bool {
	_, ok := x.Add(value.LongDouble{})
	return ok
}

// increxFloatReply answers two numbers in INCRBYFLOAT's spelling: as doubles
// in RESP3.
func (c *Ctx) increxFloatReply(x, delta value.LongDouble) {
	c.out.Array(2)
	for _, n := range [...]value.LongDouble{x, delta} {
		if c.resp3() {
			c.out.Raw(append(n.AppendTo([]byte{','}), '\r', '\n'))
		} else {
			c.out.Bulk(n.AppendTo(nil))
		}
	}
}

// increxStore stores the sum and does to the deadline what the options say.
func (c *Ctx) increxStore(en *Entry, name []byte, o Object, event string, opt increxOptions, at int64) {
	text := o.text(nil)
	had := en != nil && en.Val.ttl != nil
	if opt.onlyNew && had {
		at = 0
	}
	en = c.putObject(en, name, o, true)
	c.db.changed(name, ClassString, event)
	switch {
	case at != 0 && at <= c.nowMS():
		c.db.delete(en)
		c.effect([]byte("DEL"), name)
	case at != 0:
		c.db.setExpire(en, at)
		c.db.notify(ClassGeneric, "expire", name)
		c.effectSet(name, text, at, false)
	case opt.ttl.word == ttlPersist:
		if c.db.persist(en) {
			c.db.notify(ClassGeneric, "persist", name)
		}
		c.effectSet(name, text, 0, false)
	default:
		c.effectSet(name, text, 0, true)
	}
}

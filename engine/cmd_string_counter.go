package engine

import (
	"math"

	"minikv/value"
)

func stringCounters() []*Command {
	return []*Command{
		{Name: "INCR", Arity: 2, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Access|Update), Group: String, Since: "1.0.0", Syntax: "key",
			Summary: "Adds one to the integer that a key holds.", Complexity: "O(1)", Handler: cmdIncr},
		{Name: "DECR", Arity: 2, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Access|Update), Group: String, Since: "1.0.0", Syntax: "key",
			Summary: "Takes one off the integer that a key holds.", Complexity: "O(1)", Handler: cmdDecr},
		{Name: "INCRBY", Arity: 3, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Access|Update), Group: String, Since: "1.0.0", Syntax: "key increment",
			Summary: "Adds to the integer that a key holds.", Complexity: "O(1)", Handler: cmdIncrBy},
		{Name: "DECRBY", Arity: 3, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Access|Update), Group: String, Since: "1.0.0", Syntax: "key decrement",
			Summary: "Takes off the integer that a key holds.", Complexity: "O(1)", Handler: cmdDecrBy},
		{Name: "INCRBYFLOAT", Arity: 3, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Access|Update), Group: String, Since: "2.6.0", Syntax: "key increment:double",
			Summary: "Adds to the floating-point number that a key holds.", Complexity: "O(1)", Handler: cmdIncrByFloat},
		increxRow(),
	}
}

func cmdIncr(c *Ctx) error { return c.incrBy(c.argv[1], 1) }
func cmdDecr(c *Ctx) error { return c.incrBy(c.argv[1], -1) }

func cmdIncrBy(c *Ctx) error {
	a := c.Scan()
	name, n := a.Next(), a.Int()
	if err := a.Done(); err != nil {
		return err
	}
	return c.incrBy(name, n)
}

func cmdDecrBy(c *Ctx) error {
	a := c.Scan()
	name, n := a.Next(), a.Int()
	if err := a.Done(); err != nil {
		return err
	}
	if n == math.MinInt64 {
		return errDecrOverflow
	}
	return c.incrBy(name, -n)
}

// incrBy adds to a key's integer; a missing key counts as 0.
func (c *Ctx) incrBy(name []byte, n int64) error {
	en, err := c.Write(name, value.KindString)
	if err != nil {
		return err
	}
	old, ok := int64(0), true
	if en != nil {
		if old, ok = en.Val.integer(); !ok {
			return errNotInteger
		}
	}
	sum, ok := addInt(old, n)
	if !ok {
		return errOverflow
	}
	c.putObject(en, name, intObject(sum), true)
	c.db.changed(name, ClassString, "incrby")
	return c.int(sum)
}

// addInt is a+b; ok is false if that is no 64-bit integer.
func addInt(a, b int64) (sum int64, ok bool) {
	sum = a + b
	return sum, (sum > a) == (b > 0)
}

func cmdIncrByFloat(c *Ctx) error {
	name := c.argv[1]
	en, err := c.Write(name, value.KindString)
	if err != nil {
		return err
	}
	old, err := longDoubleOf(en)
	if err != nil {
		return err
	}
	n, ok := value.ParseLongDouble(c.argv[2])
	if !ok {
		return errNotFloat
	}
	sum, finite := old.Add(n)
	if !finite {
		return errNaN
	}
	text := sum.AppendTo(nil)
	c.putObject(en, name, textObject(text), true)
	c.db.changed(name, ClassString, "incrbyfloat")
	c.effectSet(name, text, 0, true)
	c.out.Bulk(text)
	return nil
}

// longDoubleOf is the number that a string key holds, 0 if there is no key.
func longDoubleOf(en *Entry) (value.LongDouble, error) {
	if en == nil {
		return value.LongDouble{}, nil
	}
	if en.Val.enc() == encInt {
		return value.IntLongDouble(en.Val.num()), nil
	}
	x, ok := value.ParseLongDouble(en.Val.str())
	if !ok {
		return x, errNotFloat
	}
	return x, nil
}

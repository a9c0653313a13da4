package engine

import (
	"strconv"

	"minikv/value"
)

func stringReads() []*Command {
	return []*Command{
		{Name: "GET", Arity: 2, Flags: ReadOnly | Fast, Keys: key(1, RO|Access), Group: String, Since: "1.0.0", Syntax: "key",
			Summary: "Returns the string of a key.", Complexity: "O(1)", Handler: cmdGet},
		{Name: "MGET", Arity: -2, Flags: ReadOnly | Fast, Keys: keys(1, -1, 1, RO|Access), Group: String, Since: "1.0.0", Syntax: "key [key ...]",
			Tips:    []string{"request_policy:multi_shard"},
			Summary: "Returns the strings of several keys at one moment.", Complexity: "O(N), N being the number of keys", Handler: cmdMGet},
		{Name: "STRLEN", Arity: 2, Flags: ReadOnly | Fast, Keys: key(1, RO), Group: String, Since: "2.2.0", Syntax: "key",
			Summary: "Tells the length of a string in bytes.", Complexity: "O(1)", Handler: cmdStrlen},
		{Name: "GETRANGE", Arity: 4, Flags: ReadOnly, Keys: key(1, RO|Access), Group: String, Since: "2.4.0", Syntax: "key start end",
			Summary: "Returns the bytes of a string from one offset to another.", Complexity: "O(N), N being the bytes returned", Handler: cmdGetRange},
		{Name: "SUBSTR", Arity: 4, Flags: ReadOnly, Keys: key(1, RO|Access), Group: String, Since: "1.0.0", Syntax: "key start end",
			Deprecated: "2.0.0", ReplacedBy: "`GETRANGE`",
			Summary: "Returns the bytes of a string from one offset to another.", Complexity: "O(N), N being the bytes returned", Handler: cmdGetRange},
		{Name: "GETDEL", Arity: 2, Flags: Write | Fast, Keys: key(1, RW|Access|Delete), Group: String, Since: "6.2.0", Syntax: "key",
			Summary: "Returns the string of a key and deletes the key.", Complexity: "O(1)", Handler: cmdGetDel},
		{Name: "GETEX", Arity: -2, Flags: Write | Fast, Group: String, Since: "6.2.0",
			Keys:    noted("RW and UPDATE because it changes the TTL", key(1, RW|Access|Update)),
			Syntax:  "key [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds | PERSIST]",
			Summary: "Returns the string of a key and sets or takes away its deadline.", Complexity: "O(1)", Handler: cmdGetEx},
	}
}

func cmdGet(c *Ctx) error {
	en, err := c.Read(c.argv[1], value.KindString)
	if err != nil {
		return err
	}
	c.stringOrNull(en)
	return nil
}

func cmdMGet(c *Ctx) error {
	names := c.argv[1:]
	c.out.Array(len(names))
	for _, name := range names {
		en := c.Lookup(name)
		if en != nil && en.Val.kind() != value.KindString {
			en = nil
		}
		c.stringOrNull(en)
	}
	return nil
}

func cmdStrlen(c *Ctx) error {
	en, err := c.Read(c.argv[1], value.KindString)
	if err != nil {
		return err
	}
	if en == nil {
		return c.int(0)
	}
	return c.int(int64(en.Val.strlen()))
}

// cmdGetRange serves SUBSTR too, which is its older name.
func cmdGetRange(c *Ctx) error {
	a := c.Scan()
	name, start, end := a.Next(), a.Int(), a.Int()
	if err := a.Done(); err != nil {
		return err
	}
	en, err := c.Read(name, value.KindString)
	if err != nil {
		return err
	}
	if en == nil {
		c.out.BulkString("")
		return nil
	}
	text := en.Val.text(nil)
	from, to := byteRange(start, end, int64(len(text)))
	c.bulk(&en.Val, text[from:to])
	return nil
}

// byteRange makes the half-open range of what start and end mean in n bytes:
// both inclusive, negative from the end. As in Redis an end before the first
// byte means the first byte, unless start lies behind it from the outset.
func byteRange(start, end, n int64) (from, to int64) {
	if start < 0 && end < 0 && start > end {
		return 0, 0
	}
	if start < 0 {
		start = max(0, start+n)
	}
	if end < 0 {
		end = max(0, end+n)
	}
	end = min(end, n-1)
	if start > end {
		return 0, 0
	}
	return start, end + 1
}

func cmdGetDel(c *Ctx) error {
	en, err := c.Read(c.argv[1], value.KindString)
	if err != nil {
		return err
	}
	c.stringOrNull(en)
	if en != nil {
		c.db.delete(en)
		c.effect([]byte("DEL"), c.argv[1])
	}
	return nil
}

func cmdGetEx(c *Ctx) error {
	a := c.Scan()
	name := a.Next()
	var ttl ttlOption
	for a.More() {
		if !a.ttl(&ttl, ttlPersist) {
			a.Syntax()
		}
	}
	if err := a.Err(); err != nil {
		return err
	}
	en, err := c.Read(name, value.KindString)
	if err != nil {
		return err
	}
	if en == nil {
		c.out.Null()
		return nil
	}
	at, err := c.deadline(ttl)
	if err != nil {
		return err
	}
	c.stringOrNull(en)
	switch {
	case at != 0:
		c.expireString(en, name, at)
	case ttl.word == ttlPersist:
		c.persistString(en, name)
	}
	return nil
}

// expireString gives a key a deadline and says so; one that has passed deletes
// the key.
func (c *Ctx) expireString(en *Entry, name []byte, at int64) {
	if at <= c.nowMS() {
		c.db.delete(en)
		c.effect([]byte("DEL"), name)
		return
	}
	c.db.setExpire(c.db.write(en), at)
	c.db.changed(name, ClassGeneric, "expire")
	var buf [20]byte
	c.effect([]byte("PEXPIREAT"), name, strconv.AppendInt(buf[:0], at, 10))
}

// persistString takes a key's deadline away, if it has one, and says so.
func (c *Ctx) persistString(en *Entry, name []byte) {
	if en.Val.ttl == nil {
		return
	}
	c.db.persist(c.db.write(en))
	c.db.changed(name, ClassGeneric, "persist")
	c.effect([]byte("PERSIST"), name)
}

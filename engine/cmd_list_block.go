package engine

import (
	"minikv/resp"
	"minikv/value"
)

func listWaits() []*Command {
	return []*Command{
		{Name: "BLPOP", Arity: -3, Flags: Write | NoScript | Blocking, Keys: keys(1, -2, 1, RW|Access|Delete), Group: List, Since: "2.0.0",
			Syntax: "key [key ...] timeout", Summary: "Takes the first element of the first of several lists that has any, or waits for one.",
			Complexity: "O(N), N being the number of keys", Variants: inScriptsToo, Handler: cmdBLPop},
		{Name: "BRPOP", Arity: -3, Flags: Write | NoScript | Blocking, Keys: keys(1, -2, 1, RW|Access|Delete), Group: List, Since: "2.0.0",
			Syntax: "key [key ...] timeout", Summary: "Takes the last element of the first of several lists that has any, or waits for one.",
			Complexity: "O(N), N being the number of keys", Variants: inScriptsToo, Handler: cmdBRPop},
		{Name: "BLMPOP", Arity: -5, Flags: Write | Blocking | MovableKeys, Keys: keynum(2, RW|Access|Delete), Group: List, Since: "7.0.0",
			Syntax:     "timeout numkeys key [key ...] <LEFT | RIGHT> [COUNT count]",
			Summary:    "Takes elements from the first of several lists that has any, or waits for one.",
			Complexity: "O(N+M), N being the number of keys and M that of elements taken", Handler: cmdBLMPop},
		{Name: "BLMOVE", Arity: 6, Flags: Write | DenyOOM | NoScript | Blocking, Keys: specs(key(1, RW|Access|Delete), key(2, RW|Insert)),
			Group: List, Since: "6.2.0", Syntax: "source destination <LEFT | RIGHT> <LEFT | RIGHT> timeout",
			Summary: "Moves an element from an end of a list to an end of another, or waits for one.", Complexity: "O(1)", Variants: inScriptsToo, Handler: cmdBLMove},
		{Name: "BRPOPLPUSH", Arity: 4, Flags: Write | DenyOOM | NoScript | Blocking, Keys: specs(key(1, RW|Access|Delete), key(2, RW|Insert)),
			Group: List, Since: "2.2.0", Syntax: "source destination timeout",
			Deprecated: "6.2.0", ReplacedBy: "BLMOVE with the RIGHT and LEFT arguments",
			Summary: "Moves an element from the tail of a list to the head of another, or waits for one.", Complexity: "O(1)", Variants: inScriptsToo, Handler: cmdBRPopLPush},
	}
}

// awaitLists makes the client wait until one of the keys holds a list.
func (c *Ctx) awaitLists(keys [][]byte, deadline int64) error {
	return c.Block(Block{Keys: keys, Kind: value.KindList, Timeout: deadline, OnTimeout: (*resp.Writer).NullArray})
}

func cmdBLPop(c *Ctx) error { return c.blockingPop(left) }
func cmdBRPop(c *Ctx) error { return c.blockingPop(right) }

// blockingPop is BLPOP and BRPOP.
func (c *Ctx) blockingPop(end listEnd) error {
	last := len(c.argv) - 1
	keys, a := c.argv[1:last], Scanner{c: c, pos: last}
	deadline := a.timeout()
	if err := a.Err(); err != nil {
		return err
	}
	en, name, err := c.firstList(c.firstOf(keys))
	if err != nil {
		return err
	}
	if en == nil {
		return c.awaitLists(keys, deadline)
	}
	en = c.db.write(en)
	c.out.Array(2)
	c.out.Bulk(name)
	c.out.Bulk(end.pop(en.Val.list()))
	c.listTaken(en, name, end.popped(), 1)
	c.effect([]byte(end.command()), name)
	return nil
}

func cmdBLMPop(c *Ctx) error {
	a := Scanner{c: c, pos: 2}
	p := a.multiPop()
	if err := a.Done(); err != nil {
		return err
	}
	a.pos = 1 // it stands first but is read last
	deadline := a.timeout()
	if err := a.Err(); err != nil {
		return err
	}
	done, err := c.popFirst(p, c.firstOf(p.keys))
	if err != nil || done {
		return err
	}
	return c.awaitLists(p.keys, deadline)
}

func cmdBLMove(c *Ctx) error {
	a := c.Scan()
	from, to, ends, deadline := a.Next(), a.Next(), a.listEnds(), a.timeout()
	if err := a.Done(); err != nil {
		return err
	}
	done, err := c.moveOrWait(from, to, ends, deadline)
	if done {
		c.effect([]byte("LMOVE"), from, to, []byte(ends.from.word()), []byte(ends.to.word()))
	}
	return err
}

func cmdBRPopLPush(c *Ctx) error {
	a := c.Scan()
	from, to, deadline := a.Next(), a.Next(), a.timeout()
	if err := a.Done(); err != nil {
		return err
	}
	done, err := c.moveOrWait(from, to, listEnds{right, left}, deadline)
	if done {
		c.effect([]byte("RPOPLPUSH"), from, to)
	}
	return err
}

// moveOrWait moves an element and answers it; without a source the client
// waits for it. In vain that is answered by a null array, but where nothing
// may wait by a plain null, as in Redis.
func (c *Ctx) moveOrWait(from, to []byte, ends listEnds, deadline int64) (done bool, err error) {
	done, err = c.move(from, to, ends)
	switch {
	case err != nil || done:
		return done, err
	case !c.mayWait():
		c.out.Null()
		return false, nil
	}
	return false, c.awaitLists([][]byte{from}, deadline)
}

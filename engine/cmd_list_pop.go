package engine

import (
	"math"
	"strconv"

	"minikv/value"
)

func listPops() []*Command {
	return []*Command{
		{Name: "LPOP", Arity: -2, Flags: Write | Fast, Keys: key(1, RW|Access|Delete), Group: List, Since: "1.0.0", Syntax: "key [count]",
			Summary: "Takes elements from the head of a list.", Complexity: "O(N), N being the number of elements taken", Handler: cmdLPop},
		{Name: "RPOP", Arity: -2, Flags: Write | Fast, Keys: key(1, RW|Access|Delete), Group: List, Since: "1.0.0", Syntax: "key [count]",
			Summary: "Takes elements from the tail of a list.", Complexity: "O(N), N being the number of elements taken", Handler: cmdRPop},
		{Name: "LMPOP", Arity: -4, Flags: Write | MovableKeys, Keys: keynum(1, RW|Access|Delete), Group: List, Since: "7.0.0",
			Syntax: "numkeys key [key ...] <LEFT | RIGHT> [COUNT count]", Summary: "Takes elements from the first of several lists that has any.",
			Complexity: "O(N+M), N being the number of keys and M that of elements taken", Handler: cmdLMPop},
	}
}

func cmdLPop(c *Ctx) error { return c.pop(left) }
func cmdRPop(c *Ctx) error { return c.pop(right) }

// pop is LPOP and RPOP.
func (c *Ctx) pop(end listEnd) error {
	most := 3
	if !c.e.table.ver.has(version{major: 6, minor: 2}) {
		most = 2 // a count came with 6.2
	}
	if len(c.argv) > most {
		return errArity(c.cmd)
	}
	a := c.Scan()
	name, counted, count := a.Next(), a.More(), int64(1)
	if counted {
		count = a.IntIn(0, math.MaxInt64, errPositive)
	}
	if err := a.Err(); err != nil {
		return err
	}
	en, err := c.Write(name, value.KindList)
	switch {
	case err != nil:
		return err
	case en == nil && counted:
		c.out.NullArray()
	case en == nil:
		c.out.Null()
	case counted:
		c.take(en, name, end, count)
	default:
		en = c.db.write(en)
		c.out.Bulk(end.pop(en.Val.list()))
		c.listTaken(en, name, end.popped(), 1)
	}
	return nil
}

// take answers an array of up to count elements taken from an end of a key's
// list, and how many they are.
func (c *Ctx) take(en *Entry, name []byte, end listEnd, count int64) (taken int) {
	taken = int(min(count, int64(en.Val.list().Len())))
	c.out.Array(taken)
	if taken == 0 {
		return 0
	}
	en = c.db.write(en)
	l := en.Val.list()
	for range taken {
		c.out.Bulk(end.pop(l))
	}
	c.listTaken(en, name, end.popped(), taken)
	return taken
}

func cmdLMPop(c *Ctx) error {
	a := c.Scan()
	p := a.multiPop()
	if err := a.Done(); err != nil {
		return err
	}
	done, err := c.popFirst(p, p.keys)
	if err == nil && !done {
		c.out.NullArray()
	}
	return err
}

// multiPop is what LMPOP and BLMPOP are asked for.
type multiPop struct {
	keys  [][]byte
	end   listEnd
	count int64
}

func (a *Scanner) multiPop() multiPop {
	p := multiPop{keys: a.numKeys(errSyntax), count: 1}
	p.end = a.listEnd()
	if a.WordWith("COUNT", 1) {
		p.count = a.IntIn(1, math.MaxInt64, errCountPositive)
	}
	return p
}

// numKeys reads how many keys follow, and the keys. With more than there are
// arguments it fails with tooMany.
func (a *Scanner) numKeys(tooMany error) [][]byte {
	n := a.IntIn(1, math.MaxInt64, errNumKeysPositive)
	if a.err == nil && n > int64(a.Left()) {
		a.Fail(tooMany)
	}
	if a.err != nil {
		return nil
	}
	keys := a.c.argv[a.pos : a.pos+int(n)]
	a.pos += int(n)
	return keys
}

// popFirst takes from the first of the keys that has a list, and answers its
// name and the elements; done is false if none has.
func (c *Ctx) popFirst(p multiPop, keys [][]byte) (done bool, err error) {
	en, name, err := c.firstList(keys)
	if en == nil {
		return false, err
	}
	c.out.Array(2)
	c.out.Bulk(name)
	taken := c.take(en, name, p.end, p.count)
	var buf [20]byte
	c.effect([]byte(p.end.command()), name, strconv.AppendInt(buf[:0], int64(taken), 10))
	return true, nil
}

// command is what takes elements from this end.
func (end listEnd) command() string { return [...]string{left: "LPOP", right: "RPOP"}[end] }

// firstList is the first of several keys that is there, which must be a list.
func (c *Ctx) firstList(keys [][]byte) (en *Entry, name []byte, err error) {
	for _, name := range keys {
		if en, err := c.Write(name, value.KindList); en != nil || err != nil {
			return en, name, err
		}
	}
	return nil, nil, nil
}

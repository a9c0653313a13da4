package engine

import (
	"minikv/value"
)

func listEdits() []*Command {
	return []*Command{
		{Name: "LSET", Arity: 4, Flags: Write | DenyOOM, Keys: key(1, RW|Update), Group: List, Since: "1.0.0", Syntax: "key index element",
			Summary: "Puts another element in a place of a list.", Complexity: "O(N), N being the elements from the nearer end to it", Handler: cmdLSet},
		{Name: "LINSERT", Arity: 5, Flags: Write | DenyOOM, Keys: key(1, RW|Insert), Group: List, Since: "2.2.0",
			Syntax: "key <BEFORE | AFTER> pivot element", Summary: "Puts an element before or after another one of a list.",
			Complexity: "O(N), N being the elements from the head to the pivot", Handler: cmdLInsert},
		{Name: "LREM", Arity: 4, Flags: Write, Keys: key(1, RW|Delete), Group: List, Since: "1.0.0", Syntax: "key count element",
			Summary:    "Takes out of a list the elements that are equal to one.",
			Complexity: "O(N+M), N being the length of the list and M the elements taken out", Handler: cmdLRem},
		{Name: "LTRIM", Arity: 4, Flags: Write, Keys: key(1, RW|Delete), Group: List, Since: "1.0.0", Syntax: "key start stop",
			Summary: "Keeps a range of a list only.", Complexity: "O(N), N being the elements taken out", Handler: cmdLTrim},
	}
}

func cmdLSet(c *Ctx) error {
	name, elem := c.argv[1], c.argv[3]
	en, err := c.Write(name, value.KindList)
	if err != nil {
		return err
	}
	if en == nil {
		return errNoSuchKey
	}
	i, ok := value.ParseInt(c.argv[2])
	if !ok {
		return errNotInteger
	}
	at, ok := listIndex(en.Val.list(), i)
	if !ok {
		return errIndexRange
	}
	c.db.write(en).Val.list().Set(at, elem)
	c.db.changed(name, ClassList, "lset")
	return c.ok()
}

func cmdLInsert(c *Ctx) error {
	a := c.Scan()
	name, before := a.Next(), a.Word("BEFORE")
	if !before && !a.Word("AFTER") {
		return errSyntax
	}
	pivot, elem := a.Next(), a.Next()
	en, err := c.Write(name, value.KindList)
	if err != nil {
		return err
	}
	if en == nil {
		return c.int(0)
	}
	l := c.db.write(en).Val.list()
	insert := l.InsertAfter
	if before {
		insert = l.InsertBefore
	}
	if !insert(pivot, elem) {
		return c.int(-1)
	}
	c.db.changed(name, ClassList, "linsert")
	return c.int(int64(l.Len()))
}

func cmdLRem(c *Ctx) error {
	a := c.Scan()
	name, count, elem := a.Next(), a.Int(), a.Next()
	if err := a.Done(); err != nil {
		return err
	}
	en, err := c.Write(name, value.KindList)
	if err != nil {
		return err
	}
	if en == nil {
		return c.int(0)
	}
	en = c.db.write(en)
	l := en.Val.list()
	size := int64(l.Len())
	removed := l.Remove(elem, int(max(-size, min(count, size))))
	if removed > 0 {
		c.listTaken(en, name, "lrem", removed)
	}
	return c.int(int64(removed))
}

func cmdLTrim(c *Ctx) error {
	a := c.Scan()
	name, start, stop := a.Next(), a.Int(), a.Int()
	if err := a.Done(); err != nil {
		return err
	}
	en, err := c.Write(name, value.KindList)
	if err != nil {
		return err
	}
	if en == nil {
		return c.ok()
	}
	size := en.Val.list().Len()
	first, last, some := indexRange(start, stop, size)
	en = c.db.write(en)
	if some {
		en.Val.list().Trim(first, last)
	} else {
		en.Val.list().Delete(0, size)
	}
	c.listTaken(en, name, "ltrim", size-(last-first+1))
	return c.ok()
}

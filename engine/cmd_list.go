package engine

import (
	"slices"

	"minikv/value"
)

func listCommands() []*Command {
	return slices.Concat(listPushes(), listPops(), listReads(), listEdits(), listMoves(), listBatches(), listWaits())
}

func listPushes() []*Command {
	return []*Command{
		{Name: "LPUSH", Arity: -3, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Insert), Group: List, Since: "1.0.0",
			Syntax: "key element [element ...]", Summary: "Puts elements at the head of a list, which is made if need be.",
			Complexity: "O(N), N being the number of elements put in", Handler: cmdLPush},
		{Name: "RPUSH", Arity: -3, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Insert), Group: List, Since: "1.0.0",
			Syntax: "key element [element ...]", Summary: "Puts elements at the tail of a list, which is made if need be.",
			Complexity: "O(N), N being the number of elements put in", Handler: cmdRPush},
		{Name: "LPUSHX", Arity: -3, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Insert), Group: List, Since: "2.2.0",
			Syntax: "key element [element ...]", Summary: "Puts elements at the head of a list, if there is one.",
			Complexity: "O(N), N being the number of elements put in", Handler: cmdLPushX},
		{Name: "RPUSHX", Arity: -3, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Insert), Group: List, Since: "2.2.0",
			Syntax: "key element [element ...]", Summary: "Puts elements at the tail of a list, if there is one.",
			Complexity: "O(N), N being the number of elements put in", Handler: cmdRPushX},
	}
}

// listEnd is one of a list's two ends.
type listEnd uint8

const (
	left  listEnd = iota // the head
	right                // the tail
)

// listEnd reads LEFT or RIGHT.
func (a *Scanner) listEnd() listEnd {
	switch {
	case a.Word("LEFT"):
		return left
	case a.Word("RIGHT"):
		return right
	}
	a.Syntax()
	return left
}

// word is how an end is written.
func (end listEnd) word() string { return [...]string{left: "LEFT", right: "RIGHT"}[end] }

// push puts elem, which must not alias the list, at this end.
func (end listEnd) push(l *value.List, elem []byte) {
	if end == left {
		l.PushFront(elem)
	} else {
		l.PushBack(elem)
	}
}

// pop takes the element at this end of a list that is not empty. It is valid
// until the list changes.
func (end listEnd) pop(l *value.List) (elem []byte) {
	if end == left {
		elem, _ = l.PopFront()
	} else {
		elem, _ = l.PopBack()
	}
	return elem
}

// pushed and popped are the events of a change at this end.
func (end listEnd) pushed() string { return [...]string{left: "lpush", right: "rpush"}[end] }
func (end listEnd) popped() string { return [...]string{left: "lpop", right: "rpop"}[end] }

func cmdLPush(c *Ctx) error  { return c.push(left, true) }
func cmdRPush(c *Ctx) error  { return c.push(right, true) }
func cmdLPushX(c *Ctx) error { return c.push(left, false) }
func cmdRPushX(c *Ctx) error { return c.push(right, false) }

// push is LPUSH and its like; without create it needs a list that is there.
func (c *Ctx) push(end listEnd, create bool) error {
	name := c.argv[1]
	en, err := c.Write(name, value.KindList)
	if err != nil {
		return err
	}
	if en == nil && !create {
		return c.int(0)
	}
	l := c.listToFill(en, name)
	for _, elem := range c.argv[2:] {
		end.push(l, elem)
	}
	c.db.changed(name, ClassList, end.pushed())
	c.e.stats.dirty += int64(len(c.argv) - 3)
	return c.int(int64(l.Len()))
}

// listToFill is the list of a key, about to be changed: en is the key's entry,
// or nil for a new list, to which an element must be added.
func (c *Ctx) listToFill(en *Entry, name []byte) *value.List {
	if en != nil {
		return c.db.write(en).Val.list()
	}
	return c.db.add(name, collectionObject(value.KindList, value.NewList())).Val.list()
}

// listTaken says by an event that n elements went from a key's list, and
// removes the key if none is left. n is 0 where they are counted as put
// elsewhere.
func (c *Ctx) listTaken(en *Entry, name []byte, event string, n int) {
	c.db.changed(name, ClassList, event)
	c.e.stats.dirty += int64(n - 1)
	if en.Val.list().Len() == 0 {
		c.db.emptied(en)
	}
}

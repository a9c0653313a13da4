package engine

import (
	"slices"

	"minikv/value"
)

func listMoves() []*Command {
	return []*Command{
		{Name: "LMOVE", Arity: 5, Flags: Write | DenyOOM, Keys: specs(key(1, RW|Access|Delete), key(2, RW|Insert)), Group: List, Since: "6.2.0",
			Syntax: "source destination <LEFT | RIGHT> <LEFT | RIGHT>", Summary: "Moves an element from an end of a list to an end of another.",
			Complexity: "O(1)", Handler: cmdLMove},
		{Name: "RPOPLPUSH", Arity: 3, Flags: Write | DenyOOM, Keys: specs(key(1, RW|Access|Delete), key(2, RW|Insert)), Group: List, Since: "1.2.0",
			Syntax: "source destination", Deprecated: "6.2.0", ReplacedBy: "LMOVE with the RIGHT and LEFT arguments",
			Summary: "Moves an element from the tail of a list to the head of another.", Complexity: "O(1)", Handler: cmdRPopLPush},
	}
}

func cmdLMove(c *Ctx) error {
	a := c.Scan()
	from, to, ends := a.Next(), a.Next(), a.listEnds()
	if err := a.Done(); err != nil {
		return err
	}
	return c.moveOrNull(from, to, ends)
}

func cmdRPopLPush(c *Ctx) error {
	return c.moveOrNull(c.argv[1], c.argv[2], listEnds{right, left})
}

func (c *Ctx) moveOrNull(from, to []byte, ends listEnds) error {
	done, err := c.move(from, to, ends)
	if err == nil && !done {
		c.out.Null()
	}
	return err
}

// listEnds says from which end of a list to which end of another something
// moves.
type listEnds struct{ from, to listEnd }

func (a *Scanner) listEnds() listEnds {
	from := a.listEnd()
	return listEnds{from, a.listEnd()}
}

// move moves an element and answers it; done is false if there is no source.
func (c *Ctx) move(from, to []byte, ends listEnds) (done bool, err error) {
	src, err := c.Write(from, value.KindList)
	if src == nil {
		return false, err
	}
	dst, err := c.Write(to, value.KindList)
	if err != nil {
		return false, err
	}
	rotates := src == dst
	src = c.db.write(src)
	elem := ends.from.pop(src.Val.list())
	c.out.Bulk(elem)
	if rotates {
		dst, elem = src, slices.Clone(elem)
	}
	ends.to.push(c.listToFill(dst, to), elem)
	c.db.changed(to, ClassList, ends.to.pushed())
	c.listTaken(src, from, ends.from.popped(), 0)
	return true, nil
}

package engine

import (
	"math"
	"slices"
	"strconv"

	"minikv/value"
)

func listBatches() []*Command {
	return []*Command{
		{Name: "LMOVEM", Arity: -5, Flags: Write | DenyOOM, Keys: specs(key(1, RW|Access|Delete), key(2, RW|Insert)), Group: List, Since: "8.10.0",
			Syntax:  "source destination <LEFT | RIGHT> <LEFT | RIGHT> [<COUNT count | EXACTLY exactly> <OBO | BULK>]",
			Summary: "Moves elements from an end of a list to an end of another.", Complexity: "O(N), N being the number of elements moved", Handler: cmdLMoveM},
		{Name: "BLMOVEM", Arity: -6, Flags: Write | DenyOOM | Blocking, Keys: specs(key(1, RW|Access|Delete), key(2, RW|Insert)), Group: List, Since: "8.10.0",
			Syntax:     "source destination <LEFT | RIGHT> <LEFT | RIGHT> timeout [<COUNT count | EXACTLY exactly> <OBO | BULK>]",
			Summary:    "Moves elements from an end of a list to an end of another, or waits for them.",
			Complexity: "O(N), N being the number of elements moved", Handler: cmdBLMoveM},
	}
}

// batchMove is what LMOVEM and BLMOVEM are asked for.
type batchMove struct {
	from, to []byte
	ends     listEnds
	count    int64
	exact    bool // nothing moves unless all can
	bulk     bool // they keep their order; else they move one by one
}

// amount reads the optional end of the command: how many, and in which way.
func (m *batchMove) amount(a *Scanner) {
	m.count = 1
	switch {
	case !a.More():
		return
	case a.WordWith("COUNT", 1):
	case a.WordWith("EXACTLY", 1):
		m.exact = true
	default:
		a.Syntax()
	}
	m.count = a.IntIn(1, math.MaxInt64, errCountPositive)
	switch {
	case a.Word("OBO"):
	case a.Word("BULK"):
		m.bulk = true
	default:
		a.Syntax()
	}
}

func cmdLMoveM(c *Ctx) error {
	a := c.Scan()
	m := batchMove{from: a.Next(), to: a.Next(), ends: a.listEnds()}
	m.amount(&a)
	if err := a.Done(); err != nil {
		return err
	}
	moved, err := c.moveBatch(&m)
	switch {
	case err != nil || moved > 0:
		return err
	case m.exact:
		c.out.NullArray()
	default:
		c.out.Array(0)
	}
	return nil
}

func cmdBLMoveM(c *Ctx) error {
	a := c.Scan()
	m := batchMove{from: a.Next(), to: a.Next(), ends: a.listEnds()}
	deadline := a.timeout()
	m.amount(&a)
	if err := a.Done(); err != nil {
		return err
	}
	moved, err := c.moveBatch(&m)
	switch {
	case err != nil:
		return err
	case moved == 0:
		return c.awaitLists([][]byte{m.from}, deadline)
	}
	way := "OBO"
	if m.bulk {
		way = "BULK"
	}
	c.effect([]byte("LMOVEM"), m.from, m.to, []byte(m.ends.from.word()), []byte(m.ends.to.word()),
		[]byte("EXACTLY"), strconv.AppendInt(nil, int64(moved), 10), []byte(way))
	return nil
}

// moveBatch moves elements and answers them in the order in which they then
// stand; none are moved, and nothing is answered, if there are too few.
func (c *Ctx) moveBatch(m *batchMove) (moved int, err error) {
	src, err := c.Write(m.from, value.KindList)
	if src == nil {
		return 0, err
	}
	size := int64(src.Val.list().Len())
	if m.exact && size < m.count {
		return 0, nil
	}
	dst, err := c.Write(m.to, value.KindList)
	if err != nil {
		return 0, err
	}
	rotates := src == dst
	src = c.db.write(src)
	elems := m.pop(src.Val.list(), int(min(m.count, size)))
	c.out.Array(len(elems))
	for _, elem := range elems {
		c.out.Bulk(elem)
	}
	if rotates {
		dst = src
	}
	m.push(c.listToFill(dst, m.to), elems)
	c.db.changed(m.to, ClassList, m.ends.to.pushed())
	c.listTaken(src, m.from, m.ends.from.popped(), len(elems)-1)
	return len(elems), nil
}

// pop takes n elements, in the order in which they will stand at the
// destination: moved one by one to the left they are turned round, and in bulk
// so are those that were taken from the right.
func (m *batchMove) pop(l *value.List, n int) [][]byte {
	elems := make([][]byte, n)
	for i := range elems {
		elems[i] = slices.Clone(m.ends.from.pop(l))
	}
	if m.bulk && m.ends.from == right || !m.bulk && m.ends.to == left {
		slices.Reverse(elems)
	}
	return elems
}

// push puts the elements at the destination's end, in their order.
func (m *batchMove) push(l *value.List, elems [][]byte) {
	if m.ends.to == right {
		for _, elem := range elems {
			l.PushBack(elem)
		}
		return
	}
	for _, elem := range slices.Backward(elems) {
		l.PushFront(elem)
	}
}

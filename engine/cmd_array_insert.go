package engine

import "minikv/value"

func arrayInserts() []*Command {
	return []*Command{
		{Name: "ARINSERT", Arity: -3, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Insert), Group: Array, Since: "8.8.0",
			Syntax: "key value [value ...]", Summary: "Writes at an array's cursor, and moves it on.",
			Complexity: "O(N) for N values", Handler: cmdArInsert},
		{Name: "ARRING", Arity: -4, Flags: Write | DenyOOM, Keys: key(1, RW|Update), Group: Array, Since: "8.8.0",
			Syntax: "key size:integer value [value ...]", Summary: "Writes at an array's cursor, which goes round a ring of so many indices.",
			Complexity: "O(N) for N values, and O(S) where the ring of S gets another size", Handler: cmdArRing},
		{Name: "ARNEXT", Arity: 2, Flags: ReadOnly | Fast, Keys: key(1, RO|Access), Group: Array, Since: "8.8.0",
			Syntax: "key", Summary: "Answers where an array's cursor stands.", Complexity: "O(1)", Handler: cmdArNext},
		{Name: "ARSEEK", Arity: 3, Flags: Write | Fast, Keys: key(1, RW|Update), Group: Array, Since: "8.8.0",
			Syntax: "key index", Summary: "Sets an array's cursor.", Complexity: "O(1)", Handler: cmdArSeek},
		{Name: "ARLASTITEMS", Arity: -3, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Array, Since: "8.8.0",
			Syntax: "key count [REV]", Summary: "Answers what was written last at an array's cursor.",
			Complexity: "O(N) for N values", Handler: cmdArLastItems},
	}
}

func cmdArInsert(c *Ctx) error {
	name, texts := c.argv[1], c.argv[2:]
	en, err := c.Write(name, value.KindArray)
	if err != nil {
		return err
	}
	if en != nil && !en.Val.array().Inserts(len(texts)) {
		return errInsertOverflow
	}
	arr, last := c.openArray(en, name), uint64(0)
	for _, text := range texts {
		last = arr.Insert(text)
	}
	c.arrayChanged(name, "arinsert", len(texts))
	c.index(last)
	return nil
}

func cmdArRing(c *Ctx) error {
	a := c.Scan()
	name, size := a.Next(), a.IntOr(errRingSize)
	if size <= 0 {
		a.Fail(errRingPositive)
	}
	if a.Err() != nil {
		return a.Err()
	}
	en, err := c.Write(name, value.KindArray)
	if err != nil {
		return err
	}
	texts := a.Rest()
	arr, last := c.openArray(en, name), uint64(0)
	for _, text := range texts {
		last = arr.Ring(uint64(size), text)
	}
	c.arrayChanged(name, "arring", len(texts))
	c.index(last)
	return nil
}

// nextIndex answers where the cursor stands, null behind the last index.
func (c *Ctx) nextIndex(arr *value.Array) {
	if next := arr.Next(); next <= value.MaxArrayIndex {
		c.index(next)
		return
	}
	c.out.Null()
}

func cmdArNext(c *Ctx) error {
	arr, err := c.readArray(c.argv[1])
	if err != nil {
		return err
	}
	c.nextIndex(arr)
	return nil
}

func cmdArSeek(c *Ctx) error {
	name := c.argv[1]
	next, ok := parseIndex(c.argv[2])
	if !ok {
		return errArrayIndex
	}
	en, err := c.Write(name, value.KindArray)
	if en == nil || err != nil {
		return c.intOr(0, err)
	}
	c.openArray(en, name).Seek(next)
	c.arrayChanged(name, "arseek", 1)
	return c.int(1)
}

func cmdArLastItems(c *Ctx) error {
	a := c.Scan()
	name, count, newestFirst := a.Next(), a.IntOr(errArrayCount), a.Word("REV")
	if err := a.Done(); err != nil {
		return err
	}
	if count > maxArrayItems {
		return errArrayCountMax
	}
	arr, err := c.readArray(name)
	if err != nil {
		return err
	}
	n := min(uint64(max(count, 0)), arr.Len())
	c.out.Array(int(n))
	if n > 0 {
		c.lastSlots(arr, n, newestFirst)
	}
	return nil
}

// lastSlots answers the n slots up to the last one written, round the array's end
// if they do not suffice.
func (c *Ctx) lastSlots(arr *value.Array, n uint64, newestFirst bool) {
	last := arr.Last()
	first := arr.Before(last, n-1)
	switch {
	case first <= last:
		c.slots(arr, first, last, newestFirst)
	case newestFirst:
		c.slots(arr, 0, last, true)
		c.slots(arr, first, arr.Len()-1, true)
	default:
		c.slots(arr, first, arr.Len()-1, false)
		c.slots(arr, 0, last, false)
	}
}

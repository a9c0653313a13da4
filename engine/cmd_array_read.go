package engine

import (
	"math"

	"minikv/value"
)

func arrayReads() []*Command {
	return []*Command{
		{Name: "ARGET", Arity: 3, Flags: ReadOnly | Fast, Keys: key(1, RO|Access), Group: Array, Since: "8.8.0",
			Syntax: "key index", Summary: "Answers what stands at an index of an array.", Complexity: "O(log N)", Handler: cmdArGet},
		{Name: "ARMGET", Arity: -3, Flags: ReadOnly | Fast, Keys: key(1, RO|Access), Group: Array, Since: "8.8.0",
			Syntax: "key index [index ...]", Summary: "Answers what stands at indices of an array.",
			Complexity: "O(N) for N indices", Handler: cmdArMGet},
		{Name: "ARGETRANGE", Arity: 4, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Array, Since: "8.8.0",
			Syntax: "key start end", Summary: "Answers a range of an array, a null for each index that is not set.",
			Complexity: "O(N) for a range of N indices", Handler: cmdArGetRange},
		{Name: "ARSCAN", Arity: -4, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Array, Since: "8.8.0",
			Syntax: "key start end [LIMIT limit]", Summary: "Answers the indices of a range that are set, with what stands there.",
			Complexity: "O(N) for N values", Handler: cmdArScan},
		{Name: "ARLEN", Arity: 2, Flags: ReadOnly | Fast, Keys: key(1, RO), Group: Array, Since: "8.8.0",
			Syntax: "key", Summary: "Answers an array's highest index that is set, and one more.", Complexity: "O(1)", Handler: cmdArLen},
		{Name: "ARCOUNT", Arity: 2, Flags: ReadOnly | Fast, Keys: key(1, RO), Group: Array, Since: "8.8.0",
			Syntax: "key", Summary: "Counts the indices of an array that are set.", Complexity: "O(1)", Handler: cmdArCount},
		{Name: "ARINFO", Arity: -2, Flags: ReadOnly, Keys: key(1, RO), Group: Array, Since: "8.8.0",
			Syntax: "key [FULL]", Summary: "Tells how an array is made.", Complexity: "O(N) for N slices", Handler: cmdArInfo},
	}
}

// readArray finds an array to read; one that is not there is empty.
func (c *Ctx) readArray(name []byte) (*value.Array, error) {
	en, err := c.Read(name, value.KindArray)
	switch {
	case err != nil:
		return nil, err
	case en == nil:
		return value.NewArray(), nil
	}
	return en.Val.array(), nil
}

// slot answers what stands at an index, or null.
func (c *Ctx) slot(arr *value.Array, index uint64) {
	text, ok := arr.Get(index)
	if !ok {
		c.out.Null()
		return
	}
	c.out.Bulk(text)
}

func cmdArGet(c *Ctx) error {
	arr, err := c.readArray(c.argv[1])
	if err != nil {
		return err
	}
	index, ok := parseIndex(c.argv[2])
	if !ok || index > value.MaxArrayIndex {
		return errArrayIndex
	}
	c.slot(arr, index)
	return nil
}

func cmdArMGet(c *Ctx) error {
	arr, err := c.readArray(c.argv[1])
	if err != nil {
		return err
	}
	at, err := indices(c.argv[2:], 0)
	if err != nil {
		return err
	}
	c.out.Array(len(at))
	for _, index := range at {
		c.slot(arr, index)
	}
	return nil
}

// maxArrayItems is how many indices one command answers, set or not.
const maxArrayItems = 1_000_000

func cmdArGetRange(c *Ctx) error {
	a := c.Scan()
	name, start, end := a.Next(), a.Index(), a.Index()
	if err := a.Done(); err != nil {
		return err
	}
	lo, hi, backward := inOrder(start, end)
	if hi-lo >= maxArrayItems {
		return errArrayRange
	}
	arr, err := c.readArray(name)
	if err != nil {
		return err
	}
	c.out.Array(int(hi - lo + 1))
	c.slots(arr, lo, hi, backward)
	return nil
}

// slots answers what stands at lo..hi, or null.
func (c *Ctx) slots(arr *value.Array, lo, hi uint64, backward bool) {
	nulls := func(n uint64) {
		for range n {
			c.out.Null()
		}
	}
	if backward {
		above := hi + 1
		for index, text := range arr.Backward(lo, hi) {
			nulls(above - 1 - index)
			c.out.Bulk(text)
			above = index
		}
		nulls(above - lo)
		return
	}
	next := lo
	for index, text := range arr.All(lo, hi) {
		nulls(index - next)
		c.out.Bulk(text)
		next = index + 1
	}
	nulls(hi + 1 - next)
}

// limit reads what follows LIMIT.
func (a *Scanner) limit() int64 {
	n := a.Int()
	if n <= 0 {
		a.Fail(errArrayLimit)
	}
	return n
}

func cmdArScan(c *Ctx) error {
	a := c.Scan()
	name, start, end, limit := a.Next(), a.Index(), a.Index(), int64(math.MaxInt64)
	if a.Word("LIMIT") {
		limit = a.limit()
	}
	if err := a.Done(); err != nil {
		return err
	}
	arr, err := c.readArray(name)
	if err != nil {
		return err
	}
	lo, hi, backward := inOrder(start, end)
	mark, n := c.out.Mark(), int64(0)
	for index, text := range walk(arr, lo, hi, backward) {
		c.indexWith(index, text)
		if n++; n == limit {
			break
		}
	}
	c.out.InsertArray(mark, int(n))
	return nil
}

// indexWith answers an index and what stands there.
func (c *Ctx) indexWith(index uint64, text []byte) {
	c.out.Array(2)
	c.index(index)
	c.out.Bulk(text)
}

func cmdArLen(c *Ctx) error {
	arr, err := c.readArray(c.argv[1])
	if err != nil {
		return err
	}
	c.index(arr.Len())
	return nil
}

func cmdArCount(c *Ctx) error {
	arr, err := c.readArray(c.argv[1])
	if err != nil {
		return err
	}
	return c.int(int64(arr.Count()))
}

// cmdArInfo answers nothing for a key that is not there.
func cmdArInfo(c *Ctx) error {
	a := c.Scan()
	name, full := a.Next(), a.Word("FULL")
	if err := a.Done(); err != nil {
		return err
	}
	en, err := c.Read(name, value.KindArray)
	switch {
	case err != nil:
		return err
	case en == nil:
		c.out.Map(0)
		return nil
	}
	arr := en.Val.array()
	shape, fields := arr.Shape(), 7
	if full {
		fields = 11
	}
	line := func(name string, n uint64) {
		c.out.BulkString(name)
		c.index(n)
	}
	c.out.Map(fields)
	line("count", uint64(arr.Count()))
	line("len", arr.Len())
	c.out.BulkString("next-insert-index")
	c.nextIndex(arr)
	line("slices", uint64(shape.Slices))
	line("directory-size", uint64(shape.Slices))
	line("super-dir-entries", uint64(shape.Pages))
	line("slice-size", uint64(shape.SliceSize))
	if full {
		c.arrayFill(arr, shape)
	}
	return nil
}

// arrayFill answers how full an array's slices are.
func (c *Ctx) arrayFill(arr *value.Array, shape value.ArrayShape) {
	sparse := shape.Slices - shape.Dense
	mean := func(sum, n int) float64 {
		if n == 0 {
			return 0
		}
		return float64(sum) / float64(n)
	}
	c.out.BulkString("dense-slices")
	c.out.Int(int64(shape.Dense))
	c.out.BulkString("sparse-slices")
	c.out.Int(int64(sparse))
	c.out.BulkString("avg-dense-size")
	c.out.Double(mean(shape.DenseSlots, shape.Dense))
	c.out.BulkString("avg-sparse-size")
	c.out.Double(mean(arr.Count()-shape.DenseSlots, sparse))
}

package engine

import (
	"math"
	"slices"
	"strconv"

	"minikv/value"
)

// Arrays (8.8) are sparse: an index from 0 to 2^64-2 holds a text or nothing, and
// a cursor says where ARINSERT and ARRING write. An array goes with the last of
// its texts, and the cursor with it.

func arrayCommands() []*Command {
	return slices.Concat(arrayWrites(), arrayReads(), arrayInserts(), arraySearches())
}

func arrayWrites() []*Command {
	return []*Command{
		{Name: "ARSET", Arity: -4, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Update), Group: Array, Since: "8.8.0",
			Syntax: "key index value [value ...]", Summary: "Sets an index of an array, and those behind it.",
			Complexity: "O(N) for N values", Handler: cmdArSet},
		{Name: "ARMSET", Arity: -4, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Update), Group: Array, Since: "8.8.0",
			Syntax: "key index value [index value ...]", Summary: "Sets indices of an array.",
			Complexity: "O(N) for N values", Handler: cmdArMSet},
		{Name: "ARDEL", Arity: -3, Flags: Write | Fast, Keys: key(1, RW|Delete), Group: Array, Since: "8.8.0",
			Syntax: "key index [index ...]", Summary: "Clears indices of an array, which goes with the last that was set.",
			Complexity: "O(N) for N indices", Handler: cmdArDel},
		{Name: "ARDELRANGE", Arity: -4, Flags: Write, Keys: key(1, RW|Delete), Group: Array, Since: "8.8.0",
			Syntax: "key start end [start end ...]", Summary: "Clears ranges of an array's indices.",
			Complexity: "O(N) for N values that are deleted", Handler: cmdArDelRange},
	}
}

// parseIndex reads an unsigned number without leading zeros.
func parseIndex(arg []byte) (n uint64, ok bool) {
	if len(arg) == 0 || len(arg) > 20 || arg[0] == '0' && len(arg) > 1 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(arg), 10, 64)
	return n, err == nil
}

// Index is the next argument as an index of an array.
func (a *Scanner) Index() uint64 {
	n, ok := parseIndex(a.Next())
	if !ok || n > value.MaxArrayIndex {
		a.Fail(errArrayIndex)
	}
	return n
}

// indices reads all arguments as indices, each of which has so many more behind
// it that are none.
func indices(args [][]byte, more int) ([]uint64, error) {
	list := make([]uint64, 0, len(args)/(more+1))
	for i := 0; i < len(args); i += more + 1 {
		n, ok := parseIndex(args[i])
		if !ok || n > value.MaxArrayIndex {
			return nil, errArrayIndex
		}
		list = append(list, n)
	}
	return list, nil
}

// index answers an index or a length, which may be beyond a signed integer.
func (c *Ctx) index(n uint64) {
	if n > math.MaxInt64 {
		c.out.Raw(append(strconv.AppendUint([]byte(":"), n, 10), "\r\n"...))
		return
	}
	c.out.Int(int64(n))
}

// openArray announces the change of an array and answers it; where there is none
// (en is nil) it makes one.
func (c *Ctx) openArray(en *Entry, name []byte) *value.Array {
	if en == nil {
		en = c.db.add(name, collectionObject(value.KindArray, value.NewArray()))
		return en.Val.array()
	}
	return c.db.write(en).Val.array()
}

// arrayChanged says that so many slots of an array were written.
func (c *Ctx) arrayChanged(name []byte, event string, slots int) {
	c.db.changed(name, ClassArray, event)
	c.e.stats.dirty += int64(slots - 1)
}

func cmdArSet(c *Ctx) error {
	a := c.Scan()
	name, index := a.Next(), a.Index()
	if a.Err() != nil {
		return a.Err()
	}
	texts := a.Rest()
	if uint64(len(texts)-1) > value.MaxArrayIndex-index {
		return errArrayOverflow
	}
	en, err := c.Write(name, value.KindArray)
	if err != nil {
		return err
	}
	arr, added := c.openArray(en, name), int64(0)
	for i, text := range texts {
		if arr.Set(index+uint64(i), text) {
			added++
		}
	}
	c.arrayChanged(name, "arset", len(texts))
	return c.int(added)
}

func cmdArMSet(c *Ctx) error {
	name, pairs := c.argv[1], c.argv[2:]
	if len(pairs)%2 != 0 {
		return errArity(c.cmd)
	}
	at, err := indices(pairs, 1)
	if err != nil {
		return err
	}
	en, err := c.Write(name, value.KindArray)
	if err != nil {
		return err
	}
	arr, added := c.openArray(en, name), int64(0)
	for i, index := range at {
		if arr.Set(index, pairs[2*i+1]) {
			added++
		}
	}
	c.arrayChanged(name, "armset", len(at))
	return c.int(added)
}

func cmdArDel(c *Ctx) error {
	at, err := indices(c.argv[2:], 0)
	if err != nil {
		return err
	}
	ranges := make([]uint64, 0, 2*len(at))
	for _, index := range at {
		ranges = append(ranges, index, index)
	}
	return c.deleteRanges("ardel", ranges)
}

func cmdArDelRange(c *Ctx) error {
	if len(c.argv)%2 != 0 {
		return errArity(c.cmd)
	}
	ranges, err := indices(c.argv[2:], 0)
	if err != nil {
		return err
	}
	for i := 0; i < len(ranges); i += 2 {
		ranges[i], ranges[i+1], _ = inOrder(ranges[i], ranges[i+1])
	}
	return c.deleteRanges("ardelrange", ranges)
}

// inOrder is a range's lower and upper end, and whether it was given backward.
func inOrder(start, end uint64) (lo, hi uint64, backward bool) {
	return min(start, end), max(start, end), start > end
}

// deleteRanges clears ranges, given as their ends, and answers how many indices
// were set.
func (c *Ctx) deleteRanges(event string, ends []uint64) error {
	name := c.argv[1]
	en, err := c.Write(name, value.KindArray)
	if en == nil || err != nil {
		return c.intOr(0, err)
	}
	deleted := 0
	for i := 0; i < len(ends); i += 2 {
		lo, hi := ends[i], ends[i+1]
		if deleted == 0 {
			if en.Val.array().CountRange(lo, hi) == 0 {
				continue
			}
			en = c.db.write(en)
		}
		deleted += en.Val.array().DeleteRange(lo, hi)
	}
	if deleted == 0 {
		return c.int(0)
	}
	c.arrayChanged(name, event, deleted)
	if en.Val.array().Count() == 0 {
		c.db.emptied(en)
	}
	return c.int(int64(deleted))
}

package engine

import (
	"bytes"
	"iter"
	"math"

	"minikv/value"
)

func arraySearches() []*Command {
	const tests = "<EXACT string | MATCH string | GLOB pattern | RE pattern>"
	return []*Command{
		{Name: "AROP", Arity: -5, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Array, Since: "8.8.0",
			Syntax:  "key start end <SUM | MIN | MAX | AND | OR | XOR | MATCH value | USED>",
			Summary: "Adds up, compares or counts what stands in a range of an array.", Complexity: "O(N) for N values", Handler: cmdArOp},
		{Name: "ARGREP", Arity: -6, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Array, Since: "8.8.0",
			Syntax:     "key start end " + tests + " [" + tests + " ...] [AND | OR] [LIMIT limit] [WITHVALUES] [NOCASE]",
			Summary:    "Finds values in a range of an array.",
			Complexity: "O(N*M) for N bytes of values and M bytes of patterns", Handler: cmdArGrep},
	}
}

// walk yields the slots lo..hi that are set.
func walk(arr *value.Array, lo, hi uint64, backward bool) iter.Seq2[uint64, []byte] {
	if backward {
		return arr.Backward(lo, hi)
	}
	return arr.All(lo, hi)
}

// arrayFold makes one answer of the slots of a range.
type arrayFold func(c *Ctx, slots iter.Seq2[uint64, []byte])

// fold reads what AROP is to do.
func (a *Scanner) fold() (fold arrayFold) {
	switch {
	case a.Word("SUM"):
		fold = foldSum
	case a.Word("MIN"):
		fold = foldLeast(-1)
	case a.Word("MAX"):
		fold = foldLeast(1)
	case a.Word("AND"):
		fold = foldInts(func(x, y int64) int64 { return x & y })
	case a.Word("OR"):
		fold = foldInts(func(x, y int64) int64 { return x | y })
	case a.Word("XOR"):
		fold = foldInts(func(x, y int64) int64 { return x ^ y })
	case a.Word("MATCH"):
		if a.Left() == 0 {
			a.Fail(errMatchValue)
		}
		sought := a.Next()
		fold = foldCount(func(text []byte) bool { return bytes.Equal(text, sought) })
	case a.Word("USED"):
		fold = foldCount(func([]byte) bool { return true })
	default:
		a.Fail(errUnknownOperation)
	}
	if a.Left() > 0 {
		a.Fail(errArity(a.c.cmd))
	}
	return fold
}

func cmdArOp(c *Ctx) error {
	a := c.Scan()
	name, start, end, fold := a.Next(), a.Index(), a.Index(), a.fold()
	if a.Err() != nil {
		return a.Err()
	}
	arr, err := c.readArray(name)
	if err != nil {
		return err
	}
	lo, hi, _ := inOrder(start, end)
	fold(c, arr.All(lo, hi))
	return nil
}

// numbers yields the texts that are finite numbers.
func numbers(slots iter.Seq2[uint64, []byte]) iter.Seq[value.LongDouble] {
	return func(yield func(value.LongDouble) bool) {
		for _, text := range slots {
			x, ok := value.ParseLongDouble(text)
			if _, finite := x.Add(value.LongDouble{}); ok && finite && !yield(x) {
				return
			}
		}
	}
}

// foldSum answers the sum of what is a number, null if nothing is.
func foldSum(c *Ctx, slots iter.Seq2[uint64, []byte]) {
	var sum value.LongDouble
	any, finite := false, true
	for x := range numbers(slots) {
		any = true
		if sum, finite = sum.Add(x); !finite {
			c.out.BulkString(infinity(x))
			return
		}
	}
	c.number(sum, any)
}

// infinity is what a sum has become that x has carried beyond all numbers.
func infinity(x value.LongDouble) string {
	if x.Cmp(value.LongDouble{}) < 0 {
		return "-inf"
	}
	return "inf"
}

// number answers a number as INCRBYFLOAT does, or null.
func (c *Ctx) number(x value.LongDouble, any bool) {
	if !any {
		c.out.Null()
		return
	}
	c.out.Bulk(x.AppendTo(nil))
}

// foldLeast answers the greatest number if sign is 1, the least if it is -1, null
// if nothing is a number.
func foldLeast(sign int) arrayFold {
	return func(c *Ctx, slots iter.Seq2[uint64, []byte]) {
		var best value.LongDouble
		any := false
		for x := range numbers(slots) {
			if !any || x.Cmp(best) == sign {
				best, any = x, true
			}
		}
		c.number(best, any)
	}
}

// foldInts combines what is an integer, cut to one if need be; it answers null if
// nothing is.
func foldInts(combine func(x, y int64) int64) arrayFold {
	return func(c *Ctx, slots iter.Seq2[uint64, []byte]) {
		all, any := int64(0), false
		for _, text := range slots {
			x, ok := truncated(text)
			switch {
			case !ok:
			case any:
				all = combine(all, x)
			default:
				all, any = x, true
			}
		}
		if !any {
			c.out.Null()
			return
		}
		c.out.Int(all)
	}
}

// truncated is a number without what stands behind its point.
func truncated(text []byte) (n int64, ok bool) {
	if n, ok = value.ParseInt(text); ok {
		return n, true
	}
	f, ok := value.ParseFloat(text)
	if f = math.Trunc(f); !ok || f < -(1<<63) || f >= 1<<63 {
		return 0, false
	}
	return int64(f), true
}

// foldCount answers how many texts are as they are sought.
func foldCount(sought func(text []byte) bool) arrayFold {
	return func(c *Ctx, slots iter.Seq2[uint64, []byte]) {
		n := int64(0)
		for _, text := range slots {
			if sought(text) {
				n++
			}
		}
		c.out.Int(n)
	}
}

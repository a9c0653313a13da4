package engine

import (
	"math"

	"minikv/value"
)

func streamRanges() []*Command {
	return []*Command{
		{Name: "XRANGE", Arity: -4, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Stream, Since: "5.0.0",
			Syntax: "key start:string end:string [COUNT count]", Summary: "Answers the entries between two IDs.",
			Complexity: "O(N) for N entries answered", Handler: cmdXRange},
		{Name: "XREVRANGE", Arity: -4, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Stream, Since: "5.0.0",
			Syntax: "key end:string start:string [COUNT count]", Summary: "Answers the entries between two IDs, the last first.",
			Complexity: "O(N) for N entries answered", Handler: cmdXRevRange},
	}
}

func cmdXRange(c *Ctx) error    { return c.streamRange(false) }
func cmdXRevRange(c *Ctx) error { return c.streamRange(true) }

func (c *Ctx) streamRange(backward bool) error {
	a := c.Scan()
	key := a.Next()
	var from, to value.StreamID
	if backward {
		a.pos++ // the start is read first wherever it stands
		from = a.rangeStart()
		a.pos -= 2
		to = a.rangeStop()
		a.pos++
	} else {
		from, to = a.rangeStart(), a.rangeStop()
	}
	count := int64(math.MaxInt64)
	for a.More() {
		if a.WordWith("COUNT", 1) {
			count = max(0, a.Int())
		} else {
			a.Syntax()
		}
	}
	if err := a.Err(); err != nil {
		return err
	}
	en, err := c.Read(key, value.KindStream)
	switch {
	case err != nil:
		return err
	case en == nil:
		c.out.Array(0)
	case count == 0:
		c.out.NullArray()
	default:
		c.entriesBetween(en.Val.stream(), from, to, count, backward)
	}
	return nil
}

// entriesBetween answers entries of a range, at most so many.
func (c *Ctx) entriesBetween(s *value.Stream, from, to value.StreamID, count int64, backward bool) {
	n := s.Count(from, to, int(min(count, math.MaxInt)))
	c.out.Array(n)
	if n == 0 {
		return
	}
	all := s.Range(from, to)
	if backward {
		all = s.Backward(from, to)
	}
	for e := range all {
		c.entry(e)
		if n--; n == 0 {
			return
		}
	}
}

package engine

import (
	"bytes"
	"math"

	"minikv/value"
)

func listReads() []*Command {
	return []*Command{
		{Name: "LLEN", Arity: 2, Flags: ReadOnly | Fast, Keys: key(1, RO), Group: List, Since: "1.0.0", Syntax: "key",
			Summary: "Counts the elements of a list.", Complexity: "O(1)", Handler: cmdLLen},
		{Name: "LINDEX", Arity: 3, Flags: ReadOnly, Keys: key(1, RO|Access), Group: List, Since: "1.0.0", Syntax: "key index",
			Summary: "Returns an element by its place in a list.", Complexity: "O(N), N being the elements from the nearer end to it", Handler: cmdLIndex},
		{Name: "LRANGE", Arity: 4, Flags: ReadOnly, Keys: key(1, RO|Access), Group: List, Since: "1.0.0", Syntax: "key start stop",
			Summary:    "Returns the elements of a list from one place to another.",
			Complexity: "O(S+N), S being the elements from the nearer end to the first and N those returned", Handler: cmdLRange},
		{Name: "LPOS", Arity: -3, Flags: ReadOnly, Keys: key(1, RO|Access), Group: List, Since: "6.0.6",
			Syntax:  "key element [RANK rank] [COUNT num-matches] [MAXLEN len]",
			Summary: "Finds the places of an element in a list.", Complexity: "O(N), N being the elements looked at", Handler: cmdLPos},
	}
}

func cmdLLen(c *Ctx) error {
	en, err := c.Read(c.argv[1], value.KindList)
	if err != nil {
		return err
	}
	if en == nil {
		return c.int(0)
	}
	return c.int(int64(en.Val.list().Len()))
}

func cmdLIndex(c *Ctx) error {
	en, err := c.Read(c.argv[1], value.KindList)
	if err != nil {
		return err
	}
	if en == nil {
		c.out.Null()
		return nil
	}
	i, ok := value.ParseInt(c.argv[2])
	if !ok {
		return errNotInteger
	}
	l := en.Val.list()
	at, ok := listIndex(l, i)
	if !ok {
		c.out.Null()
		return nil
	}
	elem, _ := l.Index(at)
	c.out.Bulk(elem)
	return nil
}

// listIndex is the place that i means, counted from the tail when negative.
func listIndex(l *value.List, i int64) (at int, ok bool) {
	n := int64(l.Len())
	if i < 0 {
		i += n
	}
	return int(i), 0 <= i && i < n
}

func cmdLRange(c *Ctx) error {
	a := c.Scan()
	name, start, stop := a.Next(), a.Int(), a.Int()
	if err := a.Done(); err != nil {
		return err
	}
	en, err := c.Read(name, value.KindList)
	if err != nil {
		return err
	}
	if en == nil {
		c.out.Array(0)
		return nil
	}
	l := en.Val.list()
	first, last, some := indexRange(start, stop, l.Len())
	if !some {
		c.out.Array(0)
		return nil
	}
	c.out.Array(last - first + 1)
	for elem := range l.Range(first, last) {
		c.out.Bulk(elem)
	}
	return nil
}

// indexRange makes the places, first to last inclusive, of what start and stop
// mean among n elements: negative ones count from the end, and what lies
// outside is cut off. some is false, and last is first-1, if nothing is left.
func indexRange(start, stop int64, n int) (first, last int, some bool) {
	size := int64(n)
	if start < 0 {
		start = max(0, start+size)
	}
	if stop < 0 {
		stop += size
	}
	stop = min(stop, size-1)
	if start > stop {
		return 0, -1, false
	}
	return int(start), int(stop), true
}

// listSearch is what LPOS is asked for.
type listSearch struct {
	elem     []byte
	backward bool
	skip     int64 // matches to pass over
	count    int64 // places still wanted, negative: all
	maxLen   int64 // elements still to look at, 0 or less: all
	places   []int // found so far
}

func cmdLPos(c *Ctx) error {
	a := c.Scan()
	name := a.Next()
	s := listSearch{elem: a.Next(), count: 1}
	counted := false
	for a.More() {
		switch {
		case a.WordWith("RANK", 1):
			s.rank(&a)
		case a.WordWith("COUNT", 1):
			counted = true
			if s.count = a.IntIn(0, math.MaxInt64, errOptionCount); s.count == 0 {
				s.count = -1
			}
		case a.WordWith("MAXLEN", 1):
			s.maxLen = a.IntIn(0, math.MaxInt64, errMaxLen)
		default:
			a.Syntax()
		}
	}
	if err := a.Err(); err != nil {
		return err
	}
	en, err := c.Read(name, value.KindList)
	if err != nil {
		return err
	}
	var places []int
	if en != nil {
		places = s.run(en.Val.list())
	}
	switch {
	case counted:
		c.out.Array(len(places))
		for _, i := range places {
			c.out.Int(int64(i))
		}
	case len(places) == 0:
		c.out.Null()
	default:
		c.out.Int(int64(places[0]))
	}
	return nil
}

// rank reads RANK: 1 is the first match, -1 the last one, seen from the tail.
func (s *listSearch) rank(a *Scanner) {
	rank := a.Int()
	if a.err == nil && rank == 0 {
		a.Fail(errRankZero)
	}
	s.backward, s.skip = rank < 0, rank-1
	if rank < 0 {
		s.skip = -rank - 1
		if rank == math.MinInt64 {
			s.skip = 0 // as in Redis
		}
	}
}

// run finds the places, in the order in which it comes by.
func (s *listSearch) run(l *value.List) []int {
	if s.backward {
		for i, elem := range l.Backward() {
			if !s.look(i, elem) {
				break
			}
		}
		return s.places
	}
	for i, elem := range l.All() {
		if !s.look(i, elem) {
			break
		}
	}
	return s.places
}

// look compares an element and tells whether to look at more.
func (s *listSearch) look(i int, elem []byte) bool {
	s.maxLen--
	if bytes.Equal(elem, s.elem) {
		if s.skip > 0 {
			s.skip--
		} else {
			s.places = append(s.places, i)
			s.count--
		}
	}
	return s.maxLen != 0 && s.count != 0
}

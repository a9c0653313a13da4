package engine

import "minikv/value"

func zsetRanges() []*Command {
	const cost = "O(log(N)+M), N being the size of the set and M the number of members in the range"
	row := func(name string, since, syntax, summary string, handler func(*Ctx) error) *Command {
		return &Command{Name: name, Arity: -4, Flags: ReadOnly, Keys: key(1, RO|Access), Group: SortedSet, Since: since,
			Syntax: syntax, Summary: summary, Complexity: cost, Handler: handler}
	}
	replaced := func(cmd *Command, by string) *Command {
		cmd.Deprecated, cmd.ReplacedBy = "6.2.0", by
		return cmd
	}
	return []*Command{
		row("ZRANGE", "1.2.0", "key start:string stop:string [BYSCORE@6.2 | BYLEX@6.2] [REV@6.2] [LIMIT@6.2 offset count] [WITHSCORES]",
			"Answers a range of members: of ranks, of scores or of names.", cmdZRange),
		replaced(row("ZREVRANGE", "1.2.0", "key start stop [WITHSCORES]",
			"Answers the members of a range of ranks, from the highest score.", cmdZRevRange), "ZRANGE with the REV argument"),
		replaced(row("ZRANGEBYSCORE", "1.0.5", "key min:double max:double [WITHSCORES@2.0] [LIMIT offset count]",
			"Answers the members of a range of scores.", cmdZRangeByScore), "ZRANGE with the BYSCORE argument"),
		replaced(row("ZREVRANGEBYSCORE", "2.2.0", "key max:double min:double [WITHSCORES] [LIMIT offset count]",
			"Answers the members of a range of scores, from the highest.", cmdZRevRangeByScore), "ZRANGE with the REV and BYSCORE arguments"),
		replaced(row("ZRANGEBYLEX", "2.8.9", "key min max [LIMIT offset count]",
			"Answers a range of members, in the order of their bytes.", cmdZRangeByLex), "ZRANGE with the BYLEX argument"),
		replaced(row("ZREVRANGEBYLEX", "2.8.9", "key max min [LIMIT offset count]",
			"Answers a range of members, against the order of their bytes.", cmdZRevRangeByLex), "ZRANGE with the REV and BYLEX arguments"),
		{Name: "ZRANGESTORE", Arity: -5, Flags: Write | DenyOOM, Keys: specs(key(1, OW|Update), key(2, RO|Access)), Group: SortedSet, Since: "6.2.0",
			Syntax: "dst src min max [BYSCORE | BYLEX] [REV] [LIMIT offset count]", Summary: "Stores a range of members as a sorted set.",
			Complexity: cost, Handler: cmdZRangeStore},
	}
}

// rangeBy says what the ends of a range are.
type rangeBy uint8

const (
	byRank rangeBy = iota
	byScore
	byLex
)

// zrange is a range of a sorted set's members.
type zrange struct {
	by      rangeBy
	reverse bool // from the highest down
	scored  bool // WITHSCORES

	start, stop   int64 // by rank: included, negative ones from the end
	scores        value.ScoreRange
	members       value.LexRange
	offset, limit int64 // LIMIT; a negative limit is none
}

// parse reads the two ends: of scores and names the lower comes first, or last
// if the range is reversed.
func (r *zrange) parse(first, last []byte) error {
	if r.reverse && r.by != byRank {
		first, last = last, first
	}
	var ok bool
	switch r.by {
	case byRank:
		if r.start, ok = value.ParseInt(first); ok {
			r.stop, ok = value.ParseInt(last)
		}
		if !ok {
			return errNotInteger
		}
	case byScore:
		if r.scores, ok = value.ParseScoreRange(first, last); !ok {
			return errScoreRange
		}
	case byLex:
		if r.members, ok = value.ParseLexRange(first, last); !ok {
			return errLexRange
		}
	}
	return nil
}

// ranks turns the range into ranks of z, from (included) to (excluded).
func (r *zrange) ranks(z *value.ZSet) (from, to int) {
	switch r.by {
	case byRank:
		return r.ranksByRank(int64(z.Len()))
	case byScore:
		from, to = z.ByScore(r.scores)
	case byLex:
		from, to = z.ByLex(r.members, r.reverse)
	}
	n := int64(to - from)
	if r.offset < 0 || r.offset >= n {
		return from, from
	}
	if n -= r.offset; r.limit >= 0 {
		n = min(n, r.limit)
	}
	if r.reverse {
		to -= int(r.offset)
		return to - int(n), to
	}
	from += int(r.offset)
	return from, from + int(n)
}

func (r *zrange) ranksByRank(size int64) (from, to int) {
	start, stop := r.start, r.stop
	if start < 0 {
		start = max(0, start+size)
	}
	if stop < 0 {
		stop += size
	}
	if stop = min(stop, size-1); start > stop {
		return 0, 0
	}
	if r.reverse {
		start, stop = size-1-stop, size-1-start
	}
	return int(start), int(stop) + 1
}

// each hands the members of ranks to fn, in the range's direction.
func (r *zrange) each(z *value.ZSet, from, to int, fn func(member string, score float64)) {
	if r.reverse {
		for member, score := range z.Backward(from, to) {
			fn(member, score)
		}
		return
	}
	for member, score := range z.Range(from, to) {
		fn(member, score)
	}
}

// rangeOptions reads the options behind the ends of a range. A command that is
// itself one kind of range knows no words for others.
func (a *Scanner) rangeOptions(r *zrange, free, storing bool) {
	r.limit = -1
	kindGiven := !free
	for a.More() {
		switch {
		case !storing && a.Word("WITHSCORES"):
			r.scored = true
		case a.WordWith("LIMIT", 2):
			r.offset, r.limit = a.Int(), a.Int()
		case free && !r.reverse && a.Word("REV"):
			r.reverse = true
		case !kindGiven && a.Word("BYLEX"):
			r.by, kindGiven = byLex, true
		case !kindGiven && a.Word("BYSCORE"):
			r.by, kindGiven = byScore, true
		default:
			a.Syntax()
		}
	}
	switch {
	case r.limit != -1 && r.by == byRank:
		a.Fail(errLimitByRank)
	case r.scored && r.by == byLex:
		a.Fail(errScoresByLex)
	}
}

func cmdZRange(c *Ctx) error           { return c.zrange(zrange{}, true) }
func cmdZRevRange(c *Ctx) error        { return c.zrange(zrange{reverse: true}, false) }
func cmdZRangeByScore(c *Ctx) error    { return c.zrange(zrange{by: byScore}, false) }
func cmdZRevRangeByScore(c *Ctx) error { return c.zrange(zrange{by: byScore, reverse: true}, false) }
func cmdZRangeByLex(c *Ctx) error      { return c.zrange(zrange{by: byLex}, false) }
func cmdZRevRangeByLex(c *Ctx) error   { return c.zrange(zrange{by: byLex, reverse: true}, false) }

// zrange is ZRANGE and its like: r says which kind of range, free that the
// options may.
func (c *Ctx) zrange(r zrange, free bool) error {
	a := c.Scan()
	name, first, last := a.Next(), a.Next(), a.Next()
	if a.rangeOptions(&r, free, false); a.Err() != nil {
		return a.Err()
	}
	if err := r.parse(first, last); err != nil {
		return err
	}
	z, err := c.readZSet(name)
	if err != nil {
		return err
	}
	if z == nil {
		c.out.Array(0)
		return nil
	}
	from, to := r.ranks(z)
	c.openScored(to-from, r.scored)
	r.each(z, from, to, func(member string, score float64) { c.scored(member, score, r.scored) })
	return nil
}

// openScored opens an array of n members, with their scores or without.
func (c *Ctx) openScored(n int, scores bool) { c.out.Array(n * c.pairWidth(scores)) }

// scored answers one of them.
func (c *Ctx) scored(member string, score float64, scores bool) {
	if scores && c.resp3() {
		c.out.Array(2)
	}
	c.out.BulkString(member)
	if scores {
		c.out.Double(score)
	}
}

func cmdZRangeStore(c *Ctx) error {
	a := c.Scan()
	dst, src, first, last := a.Next(), a.Next(), a.Next(), a.Next()
	var r zrange
	if a.rangeOptions(&r, true, true); a.Err() != nil {
		return a.Err()
	}
	if err := r.parse(first, last); err != nil {
		return err
	}
	z, err := c.readZSet(src)
	if err != nil {
		return err
	}
	stored := c.newZSet()
	if z != nil {
		stored = c.copyRange(z, &r)
	}
	return c.storeZSet(dst, stored, "zrangestore")
}

// copyRange makes a sorted set of a range of z. A range of ranks, of which Redis
// knows the length beforehand, is indexed from the start if it is to be so.
func (c *Ctx) copyRange(z *value.ZSet, r *zrange) *value.ZSet {
	limits := c.e.limits()
	from, to := r.ranks(z)
	if r.by == byRank && to-from > limits.ZSetMaxListpackEntries {
		return value.BuildZSet(c.e.rand.Uint64(), func(yield func(string, float64) bool) {
			for member, score := range z.Range(from, to) {
				if !yield(z.Lasting(member), score) {
					return
				}
			}
		})
	}
	part := c.newZSet()
	var text []byte
	for member, score := range z.Range(from, to) {
		text = append(text[:0], member...)
		part.Add(limits, text, score)
	}
	return part
}

// storeZSet makes a key hold z, or deletes it if z is empty, and answers the
// number of members.
func (c *Ctx) storeZSet(name []byte, z *value.ZSet, event string) error {
	switch old := c.LookupWrite(name); {
	case z.Len() > 0:
		c.putObject(old, name, collectionObject(value.KindZSet, z), false)
		c.db.changed(name, ClassZSet, event)
	case old != nil:
		c.db.delete(old)
	}
	return c.int(int64(z.Len()))
}

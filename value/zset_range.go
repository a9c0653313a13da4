package value

import "iter"

// ScoreRange is a range of scores; Ex leaves its end out.
type ScoreRange struct {
	Min, Max     float64
	MinEx, MaxEx bool
}

// ParseScoreRange reads ZRANGEBYSCORE's ends: a float, "(" before it to leave it
// out.
func ParseScoreRange(min, max []byte) (r ScoreRange, ok bool) {
	if r.Min, r.MinEx, ok = ParseScore(min); !ok {
		return r, false
	}
	r.Max, r.MaxEx, ok = ParseScore(max)
	return r, ok
}

func (r *ScoreRange) above(score float64) bool { return score > r.Min || score == r.Min && !r.MinEx }
func (r *ScoreRange) below(score float64) bool { return score < r.Max || score == r.Max && !r.MaxEx }

// LexRange is a range of members in the order of their bytes.
type LexRange struct{ min, max lexBound }

// lexBound is an end of a LexRange: before everything (side -1), behind
// everything (side 1), or at text.
type lexBound struct {
	text string
	side int
	ex   bool
}

// ParseLexRange reads ZRANGEBYLEX's ends: "[text", "(text" to leave it out, "-" or
// "+".
func ParseLexRange(min, max []byte) (r LexRange, ok bool) {
	if r.min, ok = parseLexBound(min); !ok {
		return r, false
	}
	r.max, ok = parseLexBound(max)
	return r, ok
}

func parseLexBound(s []byte) (b lexBound, ok bool) {
	if len(s) == 0 {
		return b, false
	}
	switch s[0] {
	case '-':
		b.side = -1
	case '+':
		b.side = 1
	case '(', '[':
		b.text, b.ex = string(s[1:]), s[0] == '('
		return b, true
	default:
		return b, false
	}
	return b, len(s) == 1 || s[1] == 0
}

func (r *LexRange) above(member string) bool {
	b := &r.min
	if b.side != 0 {
		return b.side < 0
	}
	return member > b.text || member == b.text && !b.ex
}

func (r *LexRange) below(member string) bool {
	b := &r.max
	if b.side != 0 {
		return b.side > 0
	}
	return member < b.text || member == b.text && !b.ex
}

// ByScore is the ranks of the members whose scores are in r.
func (z *ZSet) ByScore(r ScoreRange) (from, to int) {
	large := z.large()
	if large == nil {
		return z.small().byScore(&r)
	}
	from = large.count(func(_ string, score float64) bool { return !r.above(score) })
	to = large.count(func(_ string, score float64) bool { return r.below(score) })
	return from, max(from, to)
}

// ByLex is the ranks of the members in r, given that all scores are equal. If they
// are not, the ranks are in range but which they are is not told; reverse then
// makes a difference in a packed set, as it does in Redis, where both directions
// start from their own end.
func (z *ZSet) ByLex(r LexRange, reverse bool) (from, to int) {
	size := z.Len()
	if size == 0 {
		return 0, 0
	}
	lowest, _ := z.At(0)
	if highest, _ := z.At(size - 1); !r.above(highest) || !r.below(lowest) {
		return 0, 0
	}
	if large := z.large(); large != nil {
		from = large.count(func(member string, _ float64) bool { return !r.above(member) })
		to = large.count(func(member string, _ float64) bool { return r.below(member) })
		return from, max(from, to)
	}
	if reverse {
		from, to = size, size
		for member := range z.Backward(0, size) {
			switch {
			case from == to && !r.below(member):
				to--
			case !r.above(member):
				return from, to
			}
			from--
		}
		return from, to
	}
	for member := range z.All() {
		switch {
		case from == to && !r.above(member):
			from++
		case !r.below(member):
			return from, to
		}
		to++
	}
	return from, to
}

// Range yields the members of the ranks from..to-1, in range, lowest first.
func (z *ZSet) Range(from, to int) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		if from >= to {
			return
		}
		large := z.large()
		if large == nil {
			small := z.small()
			off := small.offset(from)
			for range to - from {
				var e scoredElem
				if e, off = small.at(off); !yield(stringOf(e.member), e.score) {
					return
				}
			}
			return
		}
		n := large.at(from)
		for left := to - from; left > 0; left-- {
			if !yield(n.Key, n.Val.score) {
				return
			}
			n = n.Val.next
		}
	}
}

// Backward yields the members of the ranks from..to-1, in range, highest first.
func (z *ZSet) Backward(from, to int) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		if from >= to {
			return
		}
		large := z.large()
		if large == nil {
			small := z.small()
			off := small.offset(to)
			for range to - from {
				var e scoredElem
				if e, off = small.before(off); !yield(stringOf(e.member), e.score) {
					return
				}
			}
			return
		}
		n := large.at(to - 1)
		for left := to - from; left > 0; left-- {
			if !yield(n.Key, n.Val.score) {
				return
			}
			n = n.Val.back
		}
	}
}

// Scan visits some members and returns the cursor to go on with, 0 at the end; a
// packed set is visited as a whole. [Table.Scan] says what is guaranteed.
func (z *ZSet) Scan(cursor uint64, fn func(member string, score float64)) uint64 {
	if large := z.large(); large != nil {
		return large.table.Scan(cursor, func(n *znode) { fn(n.Key, n.Val.score) })
	}
	for member, score := range z.All() {
		fn(member, score)
	}
	return 0
}

// Random returns a member, each with the same chance. The set must not be empty.
func (z *ZSet) Random(rnd func(n uint64) uint64) (member string, score float64) {
	return z.At(int(rnd(uint64(z.Len()))))
}

// Sample yields count different members, or all if there are fewer.
func (z *ZSet) Sample(count int, rnd func(n uint64) uint64) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		if large := z.large(); large != nil {
			for n := range large.table.Sample(count, rnd) {
				if !yield(n.Key, n.Val.score) {
					return
				}
			}
			return
		}
		draw := newDraw(count, z.Len(), rnd)
		for member, score := range z.All() {
			if draw.next() && !yield(member, score) {
				return
			}
		}
	}
}

package value

import (
	"iter"
	"strings"
	"unsafe"
)

// ZSet is a sorted set: a packed run while small, else a skiplist with a table.
// It turns back only where Pack says so.
//
// Ranges of scores and of members are first turned into ranks, from (included)
// and to (excluded); then counting, walking, skipping and removing are all done by
// rank. Members given out are strings. Those of an indexed set are valid for good,
// those of a packed one until the set changes, whatever Go says of strings: who
// keeps one copies it. A ZSet is a [Body]: see there what copying it means.
type ZSet Body

// NewZSet returns an empty sorted set. Seed decides its table's order.
func NewZSet(seed uint64) *ZSet {
	z := ZSet(newBody(seed))
	return &z
}

// BuildZSet returns a sorted set of members that come in its order, none twice,
// and which it keeps. It is indexed, however small: see Pack. Seed decides its
// table's order.
func BuildZSet(seed uint64, members iter.Seq2[string, float64]) *ZSet {
	large := newSkiplist(seed)
	a := large.appender()
	for member, score := range members {
		n, _ := large.table.PutString(member)
		n.Val.score = score
		a.append(n)
	}
	a.finish()
	return &ZSet{unsafe.Pointer(large), indexed}
}

// large is the structure of an indexed set, nil while it is packed.
func (z *ZSet) large() *skiplist {
	if z.n == indexed && z.p != nil {
		return (*skiplist)(z.p)
	}
	return nil
}

// small is the run of a packed set.
func (z *ZSet) small() scoredRun { return scoredRun{(*Body)(z).run(), (*Body)(z).count()} }

// Len is the number of members.
func (z *ZSet) Len() int {
	if large := z.large(); large != nil {
		return large.len()
	}
	return (*Body)(z).count()
}

// Add gives member a score, which must not be NaN. Added tells that the member is
// new, changed that it is new or has another score than before.
func (z *ZSet) Add(limits *Limits, member []byte, score float64) (added, changed bool) {
	if large := z.large(); large != nil {
		return large.put(member, score)
	}
	small := z.small()
	at, next, _, old := small.find(member)
	switch {
	case at < 0 && (small.count >= limits.ZSetMaxListpackEntries || len(member) > limits.ZSetMaxListpackValue || !(*Body)(z).fits(2*len(member)+32)):
		return z.unpack().put(member, score)
	case at < 0:
		z.insert(member, unsigned(score))
		return true, true
	case old == score:
		return false, false
	}
	z.move(at, next, member, unsigned(score))
	return false, true
}

// insert puts a new member into the run.
func (z *ZSet) insert(member []byte, score float64) {
	b, elem := (*Body)(z), scoredElem{member, score}
	putScored(b.splice(z.small().place(elem), 0, elem.size()), elem)
	b.setCount(b.count() + 1)
}

// move gives the packed member that stands from at to next another score, and the
// place that follows from it.
func (z *ZSet) move(at, next int, member []byte, score float64) {
	b, elem := (*Body)(z), scoredElem{member, score}
	to := z.small().place(elem)
	if size := elem.size(); size == next-at {
		run := b.run()
		if to > at { // those between go forward, else back
			to -= size
			copy(run[at:to], run[next:])
		} else {
			copy(run[to+size:next], run[to:at])
		}
		putScored(run[to:], elem)
		return
	}
	if to > at {
		to -= next - at
	}
	b.splice(at, next-at, 0)
	putScored(b.splice(to, 0, elem.size()), elem)
}

// unsigned is score without the sign of -0, which the packed form does not keep.
func unsigned(score float64) float64 {
	if score == 0 {
		return 0
	}
	return score
}

func (z *ZSet) unpack() *skiplist {
	large := BuildZSet((*Body)(z).seed(), func(yield func(string, float64) bool) {
		for member, score := range z.All() {
			if !yield(strings.Clone(member), score) {
				return
			}
		}
	}).large()
	*z = ZSet{unsafe.Pointer(large), indexed}
	return large
}

// Indexed tells whether the set is a skiplist with a table.
func (z *ZSet) Indexed() bool { return z.large() != nil }

// Index makes it one, as SORT does.
func (z *ZSet) Index() {
	if !z.Indexed() {
		z.unpack()
	}
}

// Pack turns a large set back if it fits the packed form, as ZUNIONSTORE,
// ZINTERSTORE, ZDIFFSTORE and GEOSEARCHSTORE do with their results.
func (z *ZSet) Pack(limits *Limits) {
	large := z.large()
	if large == nil || z.Len() > limits.ZSetMaxListpackEntries {
		return
	}
	size := 0
	for member, score := range z.All() {
		if len(member) > limits.ZSetMaxListpackValue {
			return
		}
		size += scoredElem{bytesOf(member), unsigned(score)}.size()
	}
	small := newBody(large.seed)
	if !small.fits(size) {
		return
	}
	small.reserve(size)
	for member, score := range z.All() {
		elem := scoredElem{bytesOf(member), unsigned(score)}
		putScored(small.splice(small.size(), 0, elem.size()), elem)
	}
	small.setCount(z.Len())
	*z = ZSet(small)
}

// Remove takes member out and tells whether it was there.
func (z *ZSet) Remove(member []byte) bool {
	if large := z.large(); large != nil {
		n := large.table.Get(member)
		if n != nil {
			large.remove(n)
		}
		return n != nil
	}
	at, next, _, _ := z.small().find(member)
	if at >= 0 {
		z.cut(at, next, 1)
	}
	return at >= 0
}

// cut takes out count packed members, which stand from at to next.
func (z *ZSet) cut(at, next, count int) {
	b := (*Body)(z)
	b.splice(at, next-at, 0)
	b.setCount(b.count() - count)
}

// Score returns member's score.
func (z *ZSet) Score(member []byte) (score float64, ok bool) {
	if large := z.large(); large != nil {
		if n := large.table.Get(member); n != nil {
			return n.Val.score, true
		}
		return 0, false
	}
	at, _, _, score := z.small().find(member)
	return score, at >= 0
}

// Rank returns how many members stand before member, and its score.
func (z *ZSet) Rank(member []byte) (rank int, score float64, ok bool) {
	if large := z.large(); large != nil {
		if n := large.table.Get(member); n != nil {
			return large.rank(n), n.Val.score, true
		}
		return 0, 0, false
	}
	at, _, rank, score := z.small().find(member)
	return rank, score, at >= 0
}

// At returns the member of a rank in range.
func (z *ZSet) At(rank int) (member string, score float64) {
	if large := z.large(); large != nil {
		n := large.at(rank)
		return n.Key, n.Val.score
	}
	small := z.small()
	elem, _ := small.at(small.offset(rank))
	return stringOf(elem.member), elem.score
}

// PopMin takes out the member with the lowest score. The set must not be empty.
func (z *ZSet) PopMin() (member string, score float64) { return z.pop(0) }

// PopMax takes out the member with the highest score. The set must not be empty.
func (z *ZSet) PopMax() (member string, score float64) { return z.pop(z.Len() - 1) }

func (z *ZSet) pop(rank int) (member string, score float64) {
	if large := z.large(); large != nil {
		n := large.tail
		if rank == 0 {
			n = large.head.Val.next
		}
		large.remove(n)
		return n.Key, n.Val.score
	}
	member, score = z.At(rank)
	member = z.Lasting(member)
	z.RemoveRanks(rank, rank+1)
	return member, score
}

// RemoveRanks takes out the members of the ranks from..to-1, in range.
func (z *ZSet) RemoveRanks(from, to int) {
	if from >= to {
		return
	}
	large := z.large()
	if large == nil {
		small := z.small()
		z.cut(small.offset(from), small.offset(to), to-from)
		return
	}
	n := large.at(from)
	for range to - from {
		next := n.Val.next
		large.remove(n)
		n = next
	}
}

// Packed tells whether the set has its compact form.
func (z *ZSet) Packed() bool { return !z.Indexed() }

// Lasting is a member that the set has given out, to be valid after the set has
// changed: itself from an indexed set, else a copy.
func (z *ZSet) Lasting(member string) string {
	if z.Indexed() {
		return member
	}
	return strings.Clone(member)
}

// Encoding is OBJECT ENCODING's answer.
func (z *ZSet) Encoding() string {
	if z.Indexed() {
		return "skiplist"
	}
	return "listpack"
}

// Clone is an independent copy of the same encoding and order.
func (z *ZSet) Clone() *ZSet {
	if large := z.large(); large != nil {
		return &ZSet{unsafe.Pointer(large.clone()), indexed}
	}
	c := ZSet((*Body)(z).cloneRun())
	return &c
}

// MemoryUsage is about the bytes that the set takes beside itself.
func (z *ZSet) MemoryUsage() int {
	if large := z.large(); large != nil {
		return large.memory()
	}
	return (*Body)(z).runMemory()
}

// Check verifies the set's structure.
func (z *ZSet) Check() error {
	if large := z.large(); large != nil {
		return large.check()
	}
	return z.small().check()
}

// All yields the members with their scores, lowest first.
func (z *ZSet) All() iter.Seq2[string, float64] { return z.Range(0, z.Len()) }

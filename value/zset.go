package value

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unsafe"
)

// ZSet is a sorted set: a sorted slice while small, else a skiplist with a table.
// It turns back only where Pack says so.
//
// Ranges of scores and of members are first turned into ranks, from (included)
// and to (excluded); then counting, walking, skipping and removing are all done by
// rank. Members given out are strings, valid for good.
type ZSet struct {
	small []scored // while large is nil
	large *skiplist
	seed  uint64
}

type scored struct {
	member string
	score  float64
}

// NewZSet returns an empty sorted set. Seed decides its table's order.
func NewZSet(seed uint64) *ZSet { return &ZSet{seed: seed} }

// BuildZSet returns a sorted set of members that come in its order, none twice. It
// is indexed, however small: see Pack. Seed decides its table's order.
func BuildZSet(seed uint64, members iter.Seq2[string, float64]) *ZSet {
	z := &ZSet{large: newSkiplist(seed), seed: seed}
	a := z.large.appender()
	for member, score := range members {
		n, _ := z.large.table.PutString(member)
		n.Val.score = score
		a.append(n)
	}
	a.finish()
	return z
}

// Len is the number of members.
func (z *ZSet) Len() int {
	if z.large != nil {
		return z.large.len()
	}
	return len(z.small)
}

// Add gives member a score, which must not be NaN. Added tells that the member is
// new, changed that it is new or has another score than before.
func (z *ZSet) Add(limits *Limits, member []byte, score float64) (added, changed bool) {
	if z.large != nil {
		return z.large.put(member, score)
	}
	i := z.find(member)
	switch {
	case i < 0 && (len(z.small) >= limits.ZSetMaxListpackEntries || len(member) > limits.ZSetMaxListpackValue):
		z.unpack()
		return z.large.put(member, score)
	case i < 0:
		m := scored{string(member), unsigned(score)}
		at, _ := z.search(m)
		z.small = slices.Insert(z.small, at, m)
		return true, true
	case z.small[i].score == score:
		return false, false
	}
	z.move(i, unsigned(score))
	return false, true
}

// move gives the packed member at i another score, and the place that follows
// from it.
func (z *ZSet) move(i int, score float64) {
	m := scored{z.small[i].member, score}
	to, _ := z.search(m)
	if to > i {
		to--
		copy(z.small[i:to], z.small[i+1:])
	} else {
		copy(z.small[to+1:i+1], z.small[to:])
	}
	z.small[to] = m
}

// find is the rank of a packed member, -1 if it is not there.
func (z *ZSet) find(member []byte) int {
	for i := range z.small {
		if z.small[i].member == string(member) {
			return i
		}
	}
	return -1
}

// search is where a packed member stands or would stand.
func (z *ZSet) search(m scored) (int, bool) {
	return slices.BinarySearchFunc(z.small, m, func(a, b scored) int {
		switch {
		case a.score < b.score:
			return -1
		case a.score > b.score:
			return 1
		}
		return strings.Compare(a.member, b.member)
	})
}

// unsigned is score without the sign of -0, which the packed form does not keep.
func unsigned(score float64) float64 {
	if score == 0 {
		return 0
	}
	return score
}

func (z *ZSet) unpack() {
	z.large, z.small = BuildZSet(z.seed, z.All()).large, nil
}

// Indexed tells whether the set is a skiplist with a table.
func (z *ZSet) Indexed() bool { return z.large != nil }

// Index makes it one, as SORT does.
func (z *ZSet) Index() {
	if z.large == nil {
		z.unpack()
	}
}

// Pack turns a large set back if it fits the packed form, as ZUNIONSTORE,
// ZINTERSTORE, ZDIFFSTORE and GEOSEARCHSTORE do with their results.
func (z *ZSet) Pack(limits *Limits) {
	if z.large == nil || z.Len() > limits.ZSetMaxListpackEntries {
		return
	}
	small := make([]scored, 0, z.Len())
	for member, score := range z.All() {
		if len(member) > limits.ZSetMaxListpackValue {
			return
		}
		small = append(small, scored{member, unsigned(score)})
	}
	z.small, z.large = small, nil
}

// Remove takes member out and tells whether it was there.
func (z *ZSet) Remove(member []byte) bool {
	if z.large != nil {
		n := z.large.table.Get(member)
		if n != nil {
			z.large.remove(n)
		}
		return n != nil
	}
	i := z.find(member)
	if i >= 0 {
		z.small = slices.Delete(z.small, i, i+1)
	}
	return i >= 0
}

// Score returns member's score.
func (z *ZSet) Score(member []byte) (score float64, ok bool) {
	if z.large != nil {
		if n := z.large.table.Get(member); n != nil {
			return n.Val.score, true
		}
	} else if i := z.find(member); i >= 0 {
		return z.small[i].score, true
	}
	return 0, false
}

// Rank returns how many members stand before member, and its score.
func (z *ZSet) Rank(member []byte) (rank int, score float64, ok bool) {
	if z.large != nil {
		if n := z.large.table.Get(member); n != nil {
			return z.large.rank(n), n.Val.score, true
		}
	} else if i := z.find(member); i >= 0 {
		return i, z.small[i].score, true
	}
	return 0, 0, false
}

// At returns the member of a rank in range.
func (z *ZSet) At(rank int) (member string, score float64) {
	if z.large != nil {
		n := z.large.at(rank)
		return n.Key, n.Val.score
	}
	return z.small[rank].member, z.small[rank].score
}

// PopMin takes out the member with the lowest score. The set must not be empty.
func (z *ZSet) PopMin() (member string, score float64) {
	if z.large != nil {
		n := z.large.head.Val.next
		z.large.remove(n)
		return n.Key, n.Val.score
	}
	m := z.small[0]
	z.small = slices.Delete(z.small, 0, 1)
	return m.member, m.score
}

// PopMax takes out the member with the highest score. The set must not be empty.
func (z *ZSet) PopMax() (member string, score float64) {
	if z.large != nil {
		n := z.large.tail
		z.large.remove(n)
		return n.Key, n.Val.score
	}
	last := len(z.small) - 1
	m := z.small[last]
	z.small = slices.Delete(z.small, last, last+1)
	return m.member, m.score
}

// RemoveRanks takes out the members of the ranks from..to-1, in range.
func (z *ZSet) RemoveRanks(from, to int) {
	if from >= to {
		return
	}
	if z.large == nil {
		z.small = slices.Delete(z.small, from, to)
		return
	}
	n := z.large.at(from)
	for range to - from {
		next := n.Val.next
		z.large.remove(n)
		n = next
	}
}

// Packed tells whether the set has its compact form.
func (z *ZSet) Packed() bool { return z.large == nil }

// Encoding is OBJECT ENCODING's answer.
func (z *ZSet) Encoding() string {
	if z.large != nil {
		return "skiplist"
	}
	return "listpack"
}

// Clone is an independent copy of the same encoding and order.
func (z *ZSet) Clone() *ZSet {
	c := &ZSet{small: slices.Clone(z.small), seed: z.seed}
	if z.large != nil {
		c.large = z.large.clone()
	}
	return c
}

const zsetHeader = 40

// MemoryUsage is about the bytes in use, a large set judged by a few members.
func (z *ZSet) MemoryUsage() int {
	if z.large != nil {
		return zsetHeader + int(unsafe.Sizeof(skiplist{})) + z.large.memory()
	}
	sum := zsetHeader + cap(z.small)*int(unsafe.Sizeof(scored{}))
	for _, m := range z.small {
		sum += len(m.member)
	}
	return sum
}

// Check verifies the set's structure.
func (z *ZSet) Check() error {
	if z.large != nil {
		if z.small != nil {
			return fmt.Errorf("zset: %d packed members beside the skiplist", len(z.small))
		}
		return z.large.check()
	}
	seen := make(map[string]bool, len(z.small))
	for i, m := range z.small {
		if at, found := z.search(m); !found || at != i {
			return fmt.Errorf("zset: %q stands at %d, not at %d", m.member, i, at)
		}
		if seen[m.member] {
			return fmt.Errorf("zset: %q stands twice", m.member)
		}
		seen[m.member] = true
	}
	return nil
}

// All yields the members with their scores, lowest first.
func (z *ZSet) All() iter.Seq2[string, float64] { return z.Range(0, z.Len()) }

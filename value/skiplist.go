package value

import (
	"fmt"
	"math/bits"
	"unsafe"
)

// skiplist orders the members of a large sorted set by score, then by bytes. Its
// nodes are those of the table that finds a member by name: one allocation serves
// both. Each link above the lowest knows how many members it passes over, so a
// rank costs as little as a member.
//
// How high a node stands is drawn from its hash, not from a random source: the
// same members always make the same list, and since the hash depends on a secret
// nobody can choose members that stand badly. A fourth of the nodes of one level
// stand in the next.
type skiplist struct {
	table *Table[links]
	head  znode // not in the table, before the first member
	tail  *znode
	seed  uint64
	bytes int // of the members
}

type znode = Node[links]

// links are a node's place in the list. Most nodes stand on the lowest level
// only, so that level's link stands here.
type links struct {
	score float64
	back  *znode // nil before the first
	next  *znode
	up    []link // levels 1, 2 ...
}

// link leads to the node span members further on; without a node, span reaches
// the last member.
type link struct {
	next *znode
	span int
}

const maxLevels = 16

func levels(hash uint64) int {
	return 1 + bits.TrailingZeros64(hash>>32|1<<(2*maxLevels-2))/2
}

func newSkiplist(seed uint64) *skiplist { return &skiplist{table: NewTable[links](seed), seed: seed} }

func (z *skiplist) len() int { return z.table.Len() }

// before is the order of the list.
func before(n *znode, score float64, member string) bool {
	return n.Val.score < score || n.Val.score == score && n.Key < member
}

// forward is the next node on a level and the members from n to it.
func forward(n *znode, level int) (next *znode, span int) {
	if level == 0 {
		return n.Val.next, 1
	}
	l := &n.Val.up[level-1]
	return l.next, l.span
}

// path is, per level, the last node before a place and the members up to it.
type path struct {
	node [maxLevels]*znode
	rank [maxLevels]int
}

func (z *skiplist) pathTo(score float64, member string, p *path) {
	at, rank := &z.head, 0
	for level := len(z.head.Val.up); level >= 0; level-- {
		for {
			next, span := forward(at, level)
			if next == nil || !before(next, score, member) {
				break
			}
			at, rank = next, rank+span
		}
		p.node[level], p.rank[level] = at, rank
	}
}

// count is the number of leading members that hold, given that those which hold
// all lead.
func (z *skiplist) count(holds func(member string, score float64) bool) int {
	at, rank := &z.head, 0
	for level := len(z.head.Val.up); level >= 0; level-- {
		for {
			next, span := forward(at, level)
			if next == nil || !holds(next.Key, next.Val.score) {
				break
			}
			at, rank = next, rank+span
		}
	}
	return rank
}

// at is the node of a rank in range.
func (z *skiplist) at(rank int) *znode {
	at, left := &z.head, rank+1
	for level := len(z.head.Val.up); level >= 0; level-- {
		for {
			next, span := forward(at, level)
			if next == nil || span > left {
				break
			}
			if at, left = next, left-span; left == 0 {
				return at
			}
		}
	}
	return at
}

// rank is the number of members before n.
func (z *skiplist) rank(n *znode) int {
	at, rank := &z.head, 0
	for level := len(z.head.Val.up); level >= 0; level-- {
		for {
			next, span := forward(at, level)
			if next == nil || next != n && !before(next, n.Val.score, n.Key) {
				break
			}
			if at, rank = next, rank+span; at == n {
				return rank - 1
			}
		}
	}
	return rank
}

// put adds a member or moves it to another score.
func (z *skiplist) put(member []byte, score float64) (added, changed bool) {
	n, added := z.table.Put(member)
	if added {
		n.Val.score = score
		z.link(n)
		return true, true
	}
	if n.Val.score == score {
		return false, false
	}
	next, back := n.Val.next, n.Val.back
	if (back == nil || back.Val.score < score) && (next == nil || next.Val.score > score) {
		n.Val.score = score
		return false, true
	}
	z.unlink(n)
	n.Val.score = score
	z.link(n)
	return false, true
}

// link puts n, in the table already, into its place.
func (z *skiplist) link(n *znode) {
	height := levels(n.hash)
	z.bytes += scoredMemory(n)
	for len(z.head.Val.up) < height-1 {
		z.head.Val.up = append(z.head.Val.up, link{span: z.len() - 1})
	}
	var p path
	z.pathTo(n.Val.score, n.Key, &p)
	if n.Val.up == nil && height > 1 {
		n.Val.up = make([]link, height-1)
	}
	for level := 1; level <= len(z.head.Val.up); level++ {
		l := &p.node[level].Val.up[level-1]
		if level >= height {
			l.span++
			continue
		}
		passed := p.rank[0] - p.rank[level]
		n.Val.up[level-1] = link{next: l.next, span: l.span - passed}
		*l = link{next: n, span: passed + 1}
	}
	last := p.node[0]
	n.Val.next, last.Val.next = last.Val.next, n
	if n.Val.back = last; last == &z.head {
		n.Val.back = nil
	}
	if n.Val.next != nil {
		n.Val.next.Val.back = n
	} else {
		z.tail = n
	}
}

// unlink takes n out of the list and leaves it in the table.
func (z *skiplist) unlink(n *znode) {
	var p path
	z.pathTo(n.Val.score, n.Key, &p)
	z.bytes -= scoredMemory(n)
	for level := 1; level <= len(z.head.Val.up); level++ {
		l := &p.node[level].Val.up[level-1]
		if l.next != n {
			l.span--
			continue
		}
		past := n.Val.up[level-1]
		*l = link{next: past.next, span: l.span + past.span - 1}
	}
	p.node[0].Val.next = n.Val.next
	if n.Val.next != nil {
		n.Val.next.Val.back = n.Val.back
	} else {
		z.tail = n.Val.back
	}
	n.Val.next, n.Val.back = nil, nil
}

// remove takes n out of list and table.
func (z *skiplist) remove(n *znode) {
	z.unlink(n)
	z.table.DeleteString(n.Key)
}

// appender builds a list from members that come in order, in linear time.
type appender struct {
	z    *skiplist
	last path
	size int
}

func (z *skiplist) appender() *appender {
	a := &appender{z: z}
	a.last.node[0] = &z.head
	return a
}

// append links n, in the table already, behind all others.
func (a *appender) append(n *znode) {
	height, head := levels(n.hash), &a.z.head
	for len(head.Val.up) < height-1 {
		head.Val.up = append(head.Val.up, link{})
		a.last.node[len(head.Val.up)] = head
	}
	if height > 1 {
		n.Val.up = make([]link, height-1)
	}
	a.z.bytes += scoredMemory(n)
	a.size++
	for level := 1; level < height; level++ {
		a.last.node[level].Val.up[level-1] = link{next: n, span: a.size - a.last.rank[level]}
		a.last.node[level], a.last.rank[level] = n, a.size
	}
	last := a.last.node[0]
	if last.Val.next = n; last != head {
		n.Val.back = last
	}
	a.last.node[0], a.z.tail = n, n
}

// finish closes the list.
func (a *appender) finish() {
	for level := 1; level <= len(a.z.head.Val.up); level++ {
		a.last.node[level].Val.up[level-1].span = a.size - a.last.rank[level]
	}
}

func (z *skiplist) clone() *skiplist {
	c := &skiplist{seed: z.seed, table: z.table.Clone(func(l links) links { return links{score: l.score} })}
	a := c.appender()
	for n := z.head.Val.next; n != nil; n = n.Val.next {
		a.append(c.table.GetString(n.Key))
	}
	a.finish()
	return c
}

// memory is about the bytes that the list and its table take.
func (z *skiplist) memory() int { return int(unsafe.Sizeof(*z)) + z.table.memory() + z.bytes }

// scoredMemory is what a member takes beside its node.
func scoredMemory(n *znode) int {
	return allocated(len(n.Key)) + (levels(n.hash)-1)*int(unsafe.Sizeof(link{}))
}

func (z *skiplist) check() error {
	if err := z.table.Check(); err != nil {
		return err
	}
	rank, prev, size := map[*znode]int{&z.head: 0}, &z.head, 0
	for n := z.head.Val.next; n != nil; prev, n = n, n.Val.next {
		if z.table.GetString(n.Key) != n {
			return fmt.Errorf("zset: %q is in the list only", n.Key)
		}
		if n.Val.back != prev && (n.Val.back != nil || prev != &z.head) {
			return fmt.Errorf("zset: %q leads back wrongly", n.Key)
		}
		if prev != &z.head && !before(prev, n.Val.score, n.Key) {
			return fmt.Errorf("zset: %q stands before %q", prev.Key, n.Key)
		}
		rank[n] = len(rank)
		size += scoredMemory(n)
	}
	if size != z.bytes {
		return fmt.Errorf("zset: members of %d bytes, %d counted", size, z.bytes)
	}
	if len(rank)-1 != z.len() || prev != z.tail && (z.tail != nil || z.len() > 0) {
		return fmt.Errorf("zset: %d members in the list, %d in the table", len(rank)-1, z.len())
	}
	for level := 1; level <= len(z.head.Val.up); level++ {
		for n := &z.head; n != nil; {
			next, span := forward(n, level)
			to := z.len()
			if next != nil {
				to = rank[next]
			}
			if span != to-rank[n] {
				return fmt.Errorf("zset: level %d: from %q it is %d members, noted %d", level, n.Key, to-rank[n], span)
			}
			n = next
		}
	}
	return nil
}

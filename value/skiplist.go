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
// Most of what a search costs is waiting for memory. So the links above the
// lowest level stand apart, in a node's tower, and a link leads to the next
// tower as well as to its node, and knows its score: a search passes from tower
// to tower and reads a node only where scores are equal, and at the end.
//
// How high a node stands is drawn from its hash, not from a random source: the
// same members always make the same list, and since the hash depends on a secret
// nobody can choose members that stand badly. A fourth of the nodes of one level
// stand in the next.
type skiplist struct {
	table  *Table[links]
	head   znode // not in the table, before the first member; its tower has all levels
	tail   *znode
	levels int // above the lowest, in use
	seed   uint64
	bytes  int // of the members
}

type znode = Node[links]

// links are a node's place in the list.
type links struct {
	score float64
	back  *znode // nil before the first
	next  *znode
	tower *link // the first of levels(hash)-1 links, for levels 1, 2 ...; nil if there are none
}

// link leads to the node span members further on; without a node, span reaches
// the last member.
type link struct {
	next  *znode
	tower *link   // next's
	score float64 // next's
	span  int
}

// maxLevels bounds the levels: a node stands on each with a fourth of the chance
// of the level below.
const maxLevels = 16

func levels(hash uint64) int {
	return 1 + bits.TrailingZeros64(hash>>32|1<<(2*maxLevels-2))/2
}

// newTower returns the first of the links of a node that stands on so many levels.
func newTower(levels int) *link {
	if levels == 1 {
		return nil
	}
	return &make([]link, levels-1)[0]
}

// on is the link on a level, 1 or more, of the tower whose first link l is. The
// tower must reach that high.
func (l *link) on(level int) *link {
	return (*link)(unsafe.Add(unsafe.Pointer(l), uintptr(level-1)*unsafe.Sizeof(link{})))
}

// before tells whether l leads to a member before a place.
func (l *link) before(score float64, member string) bool {
	return l.next != nil && (l.score < score || l.score == score && l.next.Key < member)
}

func newSkiplist(seed uint64) *skiplist {
	z := &skiplist{table: NewTable[links](seed), seed: seed}
	z.head.Val.tower = newTower(maxLevels)
	return z
}

func (z *skiplist) len() int { return z.table.Len() }

// before is the order of the list.
func before(n *znode, score float64, member string) bool {
	return n.Val.score < score || n.Val.score == score && n.Key < member
}

// path is the way to a place: the last node before it, per level above the
// lowest the link that passes over the place, and per level the members up to
// where that link or node stands.
type path struct {
	node *znode
	link [maxLevels]*link
	rank [maxLevels]int
}

func (z *skiplist) pathTo(score float64, member string, p *path) {
	at, tower, rank := &z.head, z.head.Val.tower, 0
	for level := z.levels; level > 0; level-- {
		l := tower.on(level)
		for l.before(score, member) {
			at, tower, rank = l.next, l.tower, rank+l.span
			l = tower.on(level)
		}
		p.link[level], p.rank[level] = l, rank
	}
	for next := at.Val.next; next != nil && before(next, score, member); next = at.Val.next {
		at, rank = next, rank+1
	}
	p.node, p.rank[0] = at, rank
}

// count is the number of leading members that hold, given that those which hold
// all lead.
func (z *skiplist) count(holds func(member string, score float64) bool) int {
	at, tower, rank := &z.head, z.head.Val.tower, 0
	for level := z.levels; level > 0; level-- {
		for {
			l := tower.on(level)
			if l.next == nil || !holds(l.next.Key, l.score) {
				break
			}
			at, tower, rank = l.next, l.tower, rank+l.span
		}
	}
	for next := at.Val.next; next != nil && holds(next.Key, next.Val.score); next = next.Val.next {
		rank++
	}
	return rank
}

// at is the node of a rank in range.
func (z *skiplist) at(rank int) *znode {
	at, tower, left := &z.head, z.head.Val.tower, rank+1
	for level := z.levels; level > 0; level-- {
		for {
			l := tower.on(level)
			if l.next == nil || l.span > left {
				break
			}
			at, tower, left = l.next, l.tower, left-l.span
		}
	}
	for ; left > 0; left-- {
		at = at.Val.next
	}
	return at
}

// rank is the number of members before n.
func (z *skiplist) rank(n *znode) int {
	var p path
	z.pathTo(n.Val.score, n.Key, &p)
	return p.rank[0]
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
	if n.Val.tower == nil && (back == nil || back.Val.score < score) && (next == nil || next.Val.score > score) {
		n.Val.score = score // it stays where it is, and no link knows its score
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
	for z.levels < height-1 {
		z.levels++
		*z.head.Val.tower.on(z.levels) = link{span: z.len() - 1}
	}
	var p path
	z.pathTo(n.Val.score, n.Key, &p)
	if n.Val.tower == nil {
		n.Val.tower = newTower(height)
	}
	for level := 1; level <= z.levels; level++ {
		l := p.link[level]
		if level >= height {
			l.span++
			continue
		}
		passed := p.rank[0] - p.rank[level]
		*n.Val.tower.on(level) = link{next: l.next, tower: l.tower, score: l.score, span: l.span - passed}
		*l = link{next: n, tower: n.Val.tower, score: n.Val.score, span: passed + 1}
	}
	n.Val.next, p.node.Val.next = p.node.Val.next, n
	if n.Val.back = p.node; p.node == &z.head {
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
	for level := 1; level <= z.levels; level++ {
		l := p.link[level]
		if l.next != n {
			l.span--
			continue
		}
		past := n.Val.tower.on(level)
		*l = link{next: past.next, tower: past.tower, score: past.score, span: l.span + past.span - 1}
	}
	p.node.Val.next = n.Val.next
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
	last path // to the end
	size int
}

func (z *skiplist) appender() *appender {
	return &appender{z: z, last: path{node: &z.head}}
}

// append links n, in the table already, behind all others.
func (a *appender) append(n *znode) {
	height := levels(n.hash)
	for a.z.levels < height-1 {
		a.z.levels++
		a.last.link[a.z.levels] = a.z.head.Val.tower.on(a.z.levels)
	}
	n.Val.tower = newTower(height)
	a.z.bytes += scoredMemory(n)
	a.size++
	for level := 1; level < height; level++ {
		*a.last.link[level] = link{next: n, tower: n.Val.tower, score: n.Val.score, span: a.size - a.last.rank[level]}
		a.last.link[level], a.last.rank[level] = n.Val.tower.on(level), a.size
	}
	last := a.last.node
	if last.Val.next = n; last != &a.z.head {
		n.Val.back = last
	}
	a.last.node, a.z.tail = n, n
}

// finish closes the list.
func (a *appender) finish() {
	for level := 1; level <= a.z.levels; level++ {
		a.last.link[level].span = a.size - a.last.rank[level]
	}
}

func (z *skiplist) clone() *skiplist {
	c := newSkiplist(z.seed)
	c.table = z.table.Clone(func(l links) links { return links{score: l.score} })
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
	for level := 1; level <= z.levels; level++ {
		for n := &z.head; n != nil; {
			l, to := n.Val.tower.on(level), z.len()
			if l.next != nil {
				to = rank[l.next]
				if levels(l.next.hash) <= level || l.tower != l.next.Val.tower || l.score != l.next.Val.score {
					return fmt.Errorf("zset: level %d: from %q leads to another tower or score than %q has", level, n.Key, l.next.Key)
				}
			}
			if l.span != to-rank[n] {
				return fmt.Errorf("zset: level %d: from %q it is %d members, noted %d", level, n.Key, to-rank[n], l.span)
			}
			n = l.next
		}
	}
	return nil
}

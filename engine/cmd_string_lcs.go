package engine

import (
	"minikv/value"
)

func lcsCommands() []*Command {
	return []*Command{
		{Name: "LCS", Arity: -3, Flags: ReadOnly, Keys: keys(1, 2, 1, RO|Access), Group: String, Since: "7.0.0",
			Syntax:  "key1 key2 [LEN] [IDX] [MINMATCHLEN min-match-len] [WITHMATCHLEN]",
			Summary: "Finds the longest common subsequence of two strings.", Complexity: "O(N*M), N and M being the lengths of the strings", Handler: cmdLCS},
	}
}

type lcsOptions struct {
	length   bool // LEN
	indexes  bool // IDX
	minMatch int64
	withLen  bool
}

func cmdLCS(c *Ctx) error {
	first, second := c.Lookup(c.argv[1]), c.Lookup(c.argv[2])
	x, okX := lcsOperand(first)
	y, okY := lcsOperand(second)
	if !okX || !okY {
		return errLCSTypes
	}
	opt, err := c.scanLCS()
	if err != nil {
		return err
	}
	// What Redis's table of 32-bit numbers would take is held against the limit.
	if rows, limit := int64(len(x)+1), c.e.conf.ProtoMaxBulkLen/4; int64(len(y)+1) > limit/rows {
		return errLCSMemory
	}
	t := newLCS(x, y, !opt.length)
	switch {
	case opt.indexes:
		c.lcsIndexes(t, opt)
	case opt.length:
		return c.int(int64(t.length))
	default:
		c.out.Bulk(t.text())
	}
	return nil
}

// lcsOperand is a key's string, empty if there is no key; false for a key of
// another kind.
func lcsOperand(en *Entry) ([]byte, bool) {
	switch {
	case en == nil:
		return nil, true
	case en.Val.kind() != value.KindString:
		return nil, false
	}
	return en.Val.text(nil), true
}

func (c *Ctx) scanLCS() (opt lcsOptions, err error) {
	a := c.Scan()
	a.Next()
	a.Next()
	for a.More() {
		switch {
		case a.Word("IDX"):
			opt.indexes = true
		case a.Word("LEN"):
			opt.length = true
		case a.Word("WITHMATCHLEN"):
			opt.withLen = true
		case a.Word("MINMATCHLEN"):
			opt.minMatch = a.Int()
		default:
			a.Syntax()
		}
	}
	if a.Err() == nil && opt.indexes && opt.length {
		a.Fail(errLCSBoth)
	}
	return opt, a.Err()
}

// lcsIndexes answers where the parts of the common subsequence stand in both
// strings, the last part first.
func (c *Ctx) lcsIndexes(t *lcs, opt lcsOptions) {
	c.out.Map(2)
	c.out.BulkString("matches")
	mark, n := c.out.Mark(), 0
	t.walk(func(x, y, size int) {
		if int64(size) < opt.minMatch {
			return
		}
		n++
		if opt.withLen {
			c.out.Array(3)
		} else {
			c.out.Array(2)
		}
		for _, from := range [2]int{x, y} {
			c.out.Array(2)
			c.out.Int(int64(from))
			c.out.Int(int64(from + size - 1))
		}
		if opt.withLen {
			c.out.Int(int64(size))
		}
	})
	c.out.InsertArray(mark, n)
	c.out.BulkString("len")
	c.out.Int(int64(t.length))
}

// lcs is a longest common subsequence of x and y.
//
// The lengths of the best subsequences of all pairs of prefixes are computed
// row by row, from the row before. What walks back from the end needs of them
// is one bit a cell: which string to shorten where the last bytes differ. So
// the transient memory is two rows of the shorter string and a 32nd of Redis's
// table, 16 MiB where that may take 512.
type lcs struct {
	x, y         []byte
	outer, inner []byte // x and y, the shorter one inside
	swapped      bool   // outer is y
	length       int
	bits         []uint64 // by cell: shorten the outer string
}

// newLCS compares x with y; without path only the length is found out.
func newLCS(x, y []byte, path bool) *lcs {
	t := &lcs{x: x, y: y, outer: x, inner: y}
	if len(x) < len(y) {
		t.outer, t.inner, t.swapped = y, x, true
	}
	if len(t.inner) == 0 {
		return t
	}
	if path {
		t.bits = make([]uint64, (len(x)*len(y)+63)/64)
	}
	prev, cur := make([]uint32, len(t.inner)+1), make([]uint32, len(t.inner)+1)
	for o := range t.outer {
		t.row(o, prev, cur)
		prev, cur = cur, prev
	}
	t.length = int(prev[len(t.inner)])
	return t
}

// row fills cur, the lengths with outer[:o+1], from prev, those with outer[:o].
// Of two equally good ways the one that shortens y is taken, as in Redis.
func (t *lcs) row(o int, prev, cur []uint32) {
	ch, cell := t.outer[o], o*len(t.inner)
	for i, in := range t.inner {
		if in == ch {
			cur[i+1] = prev[i] + 1
			continue
		}
		less, same := prev[i+1], cur[i] // with outer shortened, with inner shortened
		cur[i+1] = max(less, same)
		if t.bits != nil && (less > same || less == same && t.swapped) {
			t.bits[(cell+i)/64] |= 1 << ((cell + i) % 64)
		}
	}
}

// walk goes from the ends of both strings to where one is used up and calls
// part for each run of equal bytes: where it begins in x and y, and its size.
func (t *lcs) walk(part func(x, y, size int)) {
	size := 0
	o, i := len(t.outer), len(t.inner)
	flush := func() {
		switch {
		case size == 0:
		case t.swapped:
			part(i, o, size)
		default:
			part(o, i, size)
		}
		size = 0
	}
	for o > 0 && i > 0 {
		if t.outer[o-1] == t.inner[i-1] {
			o, i, size = o-1, i-1, size+1
			continue
		}
		flush()
		if cell := (o-1)*len(t.inner) + i - 1; t.bits[cell/64]>>(cell%64)&1 != 0 {
			o--
		} else {
			i--
		}
	}
	flush()
}

// text is the subsequence itself.
func (t *lcs) text() []byte {
	text := make([]byte, t.length)
	end := t.length
	t.walk(func(x, _, size int) {
		end -= size
		copy(text[end:], t.x[x:x+size])
	})
	return text
}

package engine

import (
	"strconv"

	"minikv/value"
)

// scanPart is one call of SSCAN, HSCAN or ZSCAN.
type scanPart struct {
	scanOptions
	seen  int // elements come by, whether or not they match
	found elementList
	// bare: names alone, without their values (NOVALUES) or scores (NOSCORES).
	bare bool
}

// bareOptions are the words that ask for names alone, and whose they are. A
// version that knows such a word says so where it does not belong.
var bareOptions = []struct {
	word      string
	kind      value.Kind
	since     version
	elsewhere error
}{
	{"NOVALUES", value.KindHash, version{major: 7, minor: 4}, errNoValues},
	{"NOSCORES", value.KindZSet, version{valkey: true, major: 8}, errNoScores},
}

// bareOption reads NOVALUES or NOSCORES.
func (a *Scanner) bareOption(p *scanPart, kind value.Kind) bool {
	for _, o := range bareOptions {
		if !a.c.e.table.ver.has(o.since) || !a.Word(o.word) {
			continue
		}
		if o.kind != kind {
			a.Fail(o.elsewhere)
		}
		p.bare = true
		return true
	}
	return false
}

// scanKey is the frame of SSCAN, HSCAN and ZSCAN: it reads the arguments,
// finds the key, lets scan collect the elements of this call and answers them.
// scan gets the key's entry, and goes through its value by p.walk, asking
// p.wants of each element and giving what is to be answered of it to p.found.
// As in Redis the options are read only if there is a key.
func (c *Ctx) scanKey(kind value.Kind, scan func(en *Entry, p *scanPart) (next uint64)) error {
	a := c.Scan()
	name := a.Next()
	p := scanPart{scanOptions: scanOptions{cursor: a.cursor(), count: scanCount}}
	if err := a.Err(); err != nil {
		return err
	}
	en, err := c.Read(name, kind)
	if err != nil {
		return err
	}
	var next uint64
	if en != nil {
		for a.More() {
			if !a.scanOption(&p.scanOptions) && !a.bareOption(&p, kind) {
				a.Syntax()
			}
		}
		if err := a.Err(); err != nil {
			return err
		}
		next = scan(en, &p)
	}
	c.out.Array(2)
	c.out.BulkString(strconv.FormatUint(next, 10))
	c.out.Array(len(p.found.list))
	p.found.write(c)
	return nil
}

// walk goes through a value by calls of step, which visits what stands at a
// cursor and answers the next one, and answers where to go on.
func (p *scanPart) walk(step func(cursor uint64) (next uint64)) (next uint64) {
	return p.scanOptions.walk(func(cursor uint64) (uint64, int) {
		next := step(cursor)
		return next, p.seen
	})
}

// wants notes that the scan came by an element and tells whether it is to be
// answered.
func (p *scanPart) wants(name []byte) bool {
	p.seen++
	return p.matches(name)
}

// elementList collects what a reply will consist of, where its length is not
// known beforehand. Short texts are copied, so they may stand in a buffer that
// is used again; longer ones must stay valid until the reply is written.
type elementList struct {
	list [][]byte
	text []byte
}

// shortText is longer than any number that is spelt out on the fly.
const shortText = 32

func (l *elementList) add(elem []byte) {
	if len(elem) <= shortText {
		at := len(l.text)
		l.text = append(l.text, elem...)
		elem = l.text[at:]
	}
	l.list = append(l.list, elem)
}

// write answers the elements, without a header.
func (l *elementList) write(c *Ctx) {
	for _, elem := range l.list {
		c.out.Bulk(elem)
	}
}

// maxDraws bounds how many elements a negative count may ask for.
const maxDraws = 1 << 24

// draws answers an array of n things, each of which draw writes: what a
// negative count of SRANDMEMBER and its like asks for. With each thing draw
// may write several replies, width in all.
func (c *Ctx) draws(n int64, width int, draw func()) error {
	// DIFFERS: SRANDMEMBER, HRANDFIELD and ZRANDMEMBER refuse a negative count beyond 16777216, or one whose reply would outgrow proto-max-bulk-len, as out of range; Redis would go on until its memory is used up.
	if n > maxDraws {
		return errOutOfRange
	}
	mark, limit := c.out.Mark(), int64(c.out.Len())+c.e.conf.ProtoMaxBulkLen
	c.out.Array(int(n) * width)
	for range n {
		if draw(); int64(c.out.Len()) > limit {
			c.out.Truncate(mark)
			return errOutOfRange
		}
	}
	return nil
}

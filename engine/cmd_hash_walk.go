package engine

import (
	"math"

	"minikv/value"
)

func hashWalks() []*Command {
	return []*Command{
		{Name: "HRANDFIELD", Arity: -2, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Hash, Since: "6.2.0",
			Syntax: "key [count [WITHVALUES]]", Summary: "Answers random fields of a hash.", Complexity: "O(N) for N fields answered",
			Tips: []string{"nondeterministic_output"}, Handler: cmdHRandField},
		{Name: "HSCAN", Arity: -3, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Hash, Since: "2.8.0",
			Syntax:     "key cursor [MATCH pattern] [COUNT count] [NOVALUES@7.4]",
			Summary:    "Lists the fields of a hash piece by piece.",
			Complexity: "O(1) for each call, O(N) for a whole iteration over N fields",
			Tips:       []string{"nondeterministic_output"}, Handler: cmdHScan},
	}
}

// drawCount reads the count of HRANDFIELD and ZRANDMEMBER, and the word that
// asks for pairs.
func (a *Scanner) drawCount(word string) (count int64, pairs bool) {
	if count = a.Int(); count == math.MinInt64 {
		a.Fail(errCountRange)
	}
	if a.More() {
		if pairs = a.Word(word); !pairs || a.More() {
			a.Syntax()
		}
	}
	if pairs && (count < -math.MaxInt64/2 || count > math.MaxInt64/2) {
		a.Fail(errOutOfRange)
	}
	return count, pairs
}

// pairWidth is how many replies a drawn pair takes in its array: RESP2 has
// pairs flat.
func (c *Ctx) pairWidth(pairs bool) int {
	if pairs && !c.resp3() {
		return 2
	}
	return 1
}

func cmdHRandField(c *Ctx) error {
	a := c.Scan()
	name := a.Next()
	if !a.More() {
		return c.randomField(name)
	}
	count, pairs := a.drawCount("WITHVALUES")
	if a.Err() != nil {
		return a.Err()
	}
	h, err := c.readHash(name)
	if err != nil {
		return err
	}
	if h == nil || count == 0 {
		c.out.Array(0)
		return nil
	}
	width := c.pairWidth(pairs)
	write := func(field, text []byte) {
		if pairs && width == 1 {
			c.out.Array(2)
		}
		c.hashText(h, field)
		if pairs {
			c.hashText(h, text)
		}
	}
	if count < 0 {
		return c.draws(-count, width, func() { write(h.Random(c.e.random)) })
	}
	n := int(min(count, int64(h.Len())))
	c.out.Array(n * width)
	for field, text := range h.Sample(n, c.e.random) {
		write(field, text)
	}
	return nil
}

func (c *Ctx) randomField(name []byte) error {
	h, err := c.readHash(name)
	if err != nil {
		return err
	}
	if h == nil {
		c.out.Null()
		return nil
	}
	field, _ := h.Random(c.e.random)
	c.hashText(h, field)
	return nil
}

func cmdHScan(c *Ctx) error {
	return c.scanKey(value.KindHash, func(en *Entry, p *scanPart) uint64 {
		h := en.Val.hash()
		return p.walk(func(cursor uint64) uint64 {
			return h.Scan(cursor, func(field, text []byte) {
				if !p.wants(field) {
					return
				}
				p.found.add(replyText(h, field))
				if !p.bare {
					p.found.add(replyText(h, text))
				}
			})
		})
	})
}

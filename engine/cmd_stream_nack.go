package engine

import (
	"math"

	"minikv/value"
)

func streamReturns() []*Command {
	return []*Command{
		{Name: "XNACK", Arity: -7, Flags: Write | Fast, Keys: key(1, RW|Update), Group: Stream, Since: "8.8.0",
			Syntax:     "key group <SILENT | FAIL | FATAL> IDS numids id:string [id:string ...] [RETRYCOUNT count] [FORCE]",
			Summary:    "Gives pending entries back: nobody's, they are the first to be claimed.",
			Complexity: "O(1) for each ID", Handler: cmdXNack},
	}
}

// giveBack is the arguments of XNACK.
type giveBack struct {
	// count is what the number of deliveries becomes.
	count   func(deliveries int64) int64
	retries int64 // or -1
	force   bool
	ids     []value.StreamID
}

// nackMode reads how the deliveries are counted: SILENT takes this one back, FAIL
// lets it stand, FATAL makes it the last one.
func (a *Scanner) nackMode() func(deliveries int64) int64 {
	switch {
	case a.Word("SILENT"):
		return func(n int64) int64 { return max(0, n-1) }
	case a.Word("FAIL"):
		return func(n int64) int64 { return n }
	case a.Word("FATAL"):
		return func(int64) int64 { return math.MaxInt64 }
	}
	a.Fail(errNackMode)
	return nil
}

func (a *Scanner) giveBack() (gb giveBack, err error) {
	gb = giveBack{count: a.nackMode(), retries: -1}
	for a.More() {
		switch {
		case a.Word("FORCE"):
			gb.force = true
		case a.WordWith("RETRYCOUNT", 1):
			if gb.retries = a.Int(); gb.retries < 0 {
				a.Fail(errNackRetries)
			}
		case gb.ids == nil && a.Word("IDS"):
			gb.ids = a.countedIDs(errNackNumIDs, errNackNumIDsMatch)
		default:
			a.Fail(errNackOption)
		}
	}
	if a.err == nil && gb.ids == nil {
		return gb, errNackIDs
	}
	return gb, a.Err()
}

func cmdXNack(c *Ctx) error {
	a := c.Scan()
	key, group := a.Next(), a.Next()
	gb, err := a.giveBack()
	if err != nil {
		return err
	}
	en, err := c.Read(key, value.KindStream)
	if err != nil {
		return err
	}
	if _, err := c.groupOf(en, key, group); err != nil {
		return err
	}
	s := c.streamToWrite(en)
	g, n := s.Group(group), int64(0)
	for _, id := range gb.ids {
		count := int64(0)
		switch p := g.PendingAt(id); {
		case p != nil:
			count = p.Count
		case !gb.force || !s.Has(id):
			continue
		}
		if count = gb.count(count); gb.retries >= 0 {
			count = gb.retries
		}
		g.Return(id, count)
		n++
	}
	c.e.stats.dirty += n
	if n > 0 {
		c.db.awaken(key) // who reads and claims may take them
	}
	return c.int(n)
}

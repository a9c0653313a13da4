package engine

import (
	"math"

	"minikv/value"
)

func streamClaims() []*Command {
	return []*Command{
		{Name: "XCLAIM", Arity: -6, Flags: Write | Fast, Tips: []string{"nondeterministic_output"}, Keys: key(1, RW|Update),
			Group: Stream, Since: "5.0.0",
			Syntax:     "key group consumer min-idle-time id:string [id:string ...] [IDLE ms:integer] [TIME unix-time-milliseconds] [RETRYCOUNT count] [FORCE] [JUSTID] [LASTID lastid]",
			Summary:    "Makes pending entries a consumer's that have been pending for long enough.",
			Complexity: "O(log N) for each ID, N entries being pending", Handler: cmdXClaim},
		{Name: "XAUTOCLAIM", Arity: -6, Flags: Write | Fast, Tips: []string{"nondeterministic_output"}, Keys: key(1, RW|Delete),
			Group: Stream, Since: "6.2.0", Syntax: "key group consumer min-idle-time start:string [COUNT count] [JUSTID]",
			Summary:    "Looks for entries that have been pending for long enough, and makes them a consumer's.",
			Complexity: "O(1) if COUNT is small", Handler: cmdXAutoClaim},
	}
}

// claim is the arguments of XCLAIM.
type claim struct {
	minIdle int64
	ids     []value.StreamID
	time    int64 // of the delivery, or -1
	retries int64 // or -1
	force   bool
	justID  bool
	last    value.StreamID
}

// parseClaim reads what stands behind the consumer.
func (c *Ctx) parseClaim() (cl claim, err error) {
	a := Scanner{c: c, pos: 4}
	cl = claim{minIdle: max(0, a.IntOr(errClaimMinIdle)), time: -1, retries: -1}
	for a.More() {
		id, ok := value.ParseStreamID(c.argv[a.pos], 0)
		if !ok {
			break
		}
		cl.ids = append(cl.ids, id)
		a.pos++
	}
	for a.More() {
		switch {
		case a.Word("FORCE"):
			cl.force = true
		case a.Word("JUSTID"):
			cl.justID = true
		case a.WordWith("IDLE", 1):
			cl.time = c.nowMS() - a.IntOr(errClaimIdle)
		case a.WordWith("TIME", 1):
			cl.time = a.IntOr(errClaimTime)
		case a.WordWith("RETRYCOUNT", 1):
			cl.retries = a.IntOr(errClaimRetries)
		case a.WordWith("LASTID", 1):
			cl.last = a.streamID(0)
		default:
			a.Fail(errorf("ERR Unrecognized XCLAIM option '%s'", cText(c.argv[a.pos])))
		}
	}
	if cl.time < 0 || cl.time > c.nowMS() {
		cl.time = c.nowMS()
	}
	return cl, a.Err()
}

func cmdXClaim(c *Ctx) error {
	key, group := c.argv[1], c.argv[2]
	en, err := c.Read(key, value.KindStream)
	if err != nil {
		return err
	}
	if _, err := c.groupOf(en, key, group); err != nil {
		return err
	}
	cl, err := c.parseClaim()
	if err != nil {
		return err
	}
	c.noEffect()
	m := c.member(key, group, c.argv[3])
	if c.knowsActive() {
		m.wake()
	}
	moved := m.group.LastID.Less(cl.last)
	if moved {
		m.group.LastID = cl.last
	}
	claimed := make([]value.StreamID, 0, len(cl.ids))
	for _, id := range cl.ids {
		if m.claim(&cl, id) {
			claimed = append(claimed, id)
			moved = false // said with the entry
		}
	}
	if moved {
		m.advanced()
		c.e.stats.dirty++
	}
	c.answerClaimed(m.stream, claimed, cl.justID)
	return nil
}

// claim makes one pending entry the consumer's, if it may.
func (m *member) claim(cl *claim, id value.StreamID) bool {
	p := m.group.PendingAt(id)
	if !m.stream.Has(id) {
		if p != nil {
			m.forget(p)
		}
		return false
	}
	count := int64(1)
	switch {
	case p == nil && !cl.force:
		return false
	case p == nil:
	case m.tooFresh(p, cl.minIdle):
		return false
	default:
		count = p.Count
	}
	switch {
	case cl.retries >= 0:
		count = cl.retries
	case !cl.justID:
		count = oneMore(count)
	}
	m.take(id, cl.time, count)
	return true
}

// tooFresh tells whether a pending entry is not idle for long enough. One that is
// nobody's may always be taken.
func (m *member) tooFresh(p *value.StreamPending, minIdle int64) bool {
	return p.Consumer != nil && minIdle > 0 && m.c.idle(p) < minIdle
}

// oneMore is a number of deliveries after another.
func oneMore(deliveries int64) int64 { return max(deliveries, deliveries+1) }

// take makes an entry pending for the consumer.
func (m *member) take(id value.StreamID, time, count int64) {
	consumer := m.wake()
	consumer.Active = m.c.nowMS()
	m.delivered(m.group.Assign(id, consumer, time, count))
	m.c.e.stats.dirty++
}

// forget makes an entry no longer pending that is gone from the stream.
func (m *member) forget(p *value.StreamPending) {
	m.c.effect([]byte("XACK"), m.key, []byte(m.group.Name()), p.ID.Append(nil))
	m.group.Acknowledge(p.ID)
	m.c.e.stats.dirty++
}

// answerClaimed answers entries, or their IDs alone.
func (c *Ctx) answerClaimed(s *value.Stream, ids []value.StreamID, justID bool) {
	c.out.Array(len(ids))
	for _, id := range ids {
		if justID {
			c.bulkID(id)
		} else {
			c.entry(s.Get(id))
		}
	}
}

// search is the arguments of XAUTOCLAIM.
type search struct {
	minIdle int64
	start   value.StreamID
	count   int
	justID  bool
}

func (c *Ctx) parseSearch() (s search, err error) {
	a := Scanner{c: c, pos: 4}
	s.minIdle = max(0, a.IntOr(errAutoClaimMinIdle))
	s.start, s.count = a.rangeStart(), 100
	for a.More() {
		switch {
		case a.WordWith("COUNT", 1):
			// DIFFERS: a COUNT of XAUTOCLAIM that is too high for Redis's memory is no error, since nothing is set aside for it.
			s.count = int(min(a.IntIn(1, math.MaxInt64/16, errAutoClaimCount), math.MaxInt/10))
		case a.Word("JUSTID"):
			s.justID = true
		default:
			a.Syntax()
		}
	}
	return s, a.Err()
}

func cmdXAutoClaim(c *Ctx) error {
	q, err := c.parseSearch()
	if err != nil {
		return err
	}
	key, group := c.argv[1], c.argv[2]
	en, err := c.Read(key, value.KindStream)
	if err != nil {
		return err
	}
	if _, err := c.groupOf(en, key, group); err != nil {
		return err
	}
	c.noEffect()
	m := c.member(key, group, c.argv[3])
	if c.knowsActive() {
		m.wake()
	}
	next, claimed, gone := m.search(&q)
	c.out.Array(3)
	c.bulkID(next)
	c.answerClaimed(m.stream, claimed, q.justID)
	c.out.Array(len(gone))
	for _, id := range gone {
		c.bulkID(id)
	}
	return nil
}

// search looks at pending entries, ten for each one that may be claimed, and
// claims. It returns where to go on (0-0: all were seen), and which entries are
// the consumer's now and which were gone.
func (m *member) search(q *search) (next value.StreamID, claimed, gone []value.StreamID) {
	next = q.start
	left := q.count
	for tries := 10 * q.count; tries > 0 && left > 0; tries-- {
		p := m.group.NextPending(next)
		if p == nil {
			return value.StreamID{}, claimed, gone
		}
		id := p.ID
		switch {
		case !m.stream.Has(id):
			gone = append(gone, id)
			m.forget(p)
			left--
		case m.tooFresh(p, q.minIdle):
		default:
			count := p.Count
			if !q.justID {
				count = oneMore(count)
			}
			m.take(id, m.c.nowMS(), count)
			claimed = append(claimed, id)
			left--
		}
		var more bool
		if next, more = id.Next(); !more {
			return value.StreamID{}, claimed, gone
		}
	}
	if p := m.group.NextPending(next); p != nil {
		return p.ID, claimed, gone
	}
	return value.StreamID{}, claimed, gone
}

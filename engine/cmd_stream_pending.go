package engine

import (
	"math"

	"minikv/value"
)

func streamPendings() []*Command {
	return []*Command{
		{Name: "XACK", Arity: -4, Flags: Write | Fast, Keys: key(1, RW|Update), Group: Stream, Since: "5.0.0",
			Syntax: "key group id:string [id:string ...]", Summary: "Acknowledges entries: they are no longer pending.",
			Complexity: "O(1) for each ID", Handler: cmdXAck},
		{Name: "XPENDING", Arity: -3, Flags: ReadOnly, Tips: []string{"nondeterministic_output"}, Keys: key(1, RO|Access),
			Group: Stream, Since: "5.0.0", Syntax: "key group [[IDLE@6.2 min-idle-time:integer] start:string end:string count [consumer]]",
			Summary:    "Answers what is pending in a group: in short, or entry by entry.",
			Complexity: "O(N) for N entries looked at; O(M) for M consumers in short", Handler: cmdXPending},
	}
}

func cmdXAck(c *Ctx) error {
	a := c.Scan()
	key, name := a.Next(), a.Next()
	en, err := c.Read(key, value.KindStream)
	if err != nil || en == nil || en.Val.stream().Group(name) == nil {
		return c.intOr(0, err)
	}
	ids, err := a.streamIDs()
	if err != nil {
		return err
	}
	g := c.streamToWrite(en).Group(name)
	n := int64(0)
	for _, id := range ids {
		if g.Acknowledge(id) {
			n++
		}
	}
	c.e.stats.dirty += n
	return c.int(n)
}

// pendingQuery is the long form of XPENDING.
type pendingQuery struct {
	minIdle  int64
	from, to value.StreamID
	count    int
	consumer []byte
}

func (c *Ctx) parsePending() (q pendingQuery, err error) {
	const plainArgs, mostArgs, idleArgs = 6, 9, 8
	n := len(c.argv)
	if n < plainArgs || n > mostArgs {
		return q, errSyntax
	}
	a := Scanner{c: c, pos: 3}
	if a.Word("IDLE") {
		if q.minIdle = a.Int(); a.err == nil && n < idleArgs {
			a.Syntax()
		}
	}
	start := a.pos
	a.pos = start + 2 // the count is read first
	count := a.Int()
	a.pos = start
	q.from, q.to = a.rangeStart(), a.rangeStop()
	q.count = int(min(max(count, 0), math.MaxInt))
	if a.pos++; a.More() {
		q.consumer = a.Next()
	}
	return q, a.Err()
}

func cmdXPending(c *Ctx) error {
	var q pendingQuery
	short := len(c.argv) == 3
	if !short {
		var err error
		if q, err = c.parsePending(); err != nil {
			return err
		}
	}
	en, err := c.Read(c.argv[1], value.KindStream)
	if err != nil {
		return err
	}
	g, err := c.groupOf(en, c.argv[1], c.argv[2])
	switch {
	case err != nil:
		return err
	case short:
		c.pendingShort(g)
	default:
		c.pendingLong(g, &q)
	}
	return nil
}

// groupOf is a group of the stream in en, which may be nil.
func (c *Ctx) groupOf(en *Entry, key, name []byte) (*value.StreamGroup, error) {
	if en != nil {
		if g := en.Val.stream().Group(name); g != nil {
			return g, nil
		}
	}
	return nil, errorf("NOGROUP No such key '%s' or consumer group '%s'", cText(key), cText(name))
}

// pendingShort answers how many entries are pending, from where to where, and for
// whom how many.
func (c *Ctx) pendingShort(g *value.StreamGroup) {
	c.out.Array(4)
	c.out.Int(int64(g.PendingLen()))
	if g.PendingLen() == 0 {
		c.out.Null()
		c.out.Null()
		c.out.NullArray()
		return
	}
	c.bulkID(g.NextPending(value.StreamID{}).ID)
	c.bulkID(g.LastPending().ID)
	n := 0
	for _, consumer := range g.Consumers() {
		if consumer.PendingLen() > 0 {
			n++
		}
	}
	c.out.Array(n)
	for _, consumer := range g.Consumers() {
		if consumer.PendingLen() > 0 {
			c.out.Array(2)
			c.out.BulkString(consumer.Name())
			c.out.BulkInt(int64(consumer.PendingLen()))
		}
	}
}

func (c *Ctx) pendingLong(g *value.StreamGroup, q *pendingQuery) {
	all := g.Pending(q.from)
	if q.consumer != nil {
		consumer := g.Consumer(q.consumer)
		if consumer == nil {
			c.out.Array(0)
			return
		}
		all = consumer.Pending(q.from)
	}
	var found []*value.StreamPending
	for p := range all {
		if len(found) >= q.count || q.to.Less(p.ID) {
			break
		}
		if q.minIdle == 0 || c.idle(p) >= q.minIdle {
			found = append(found, p)
		}
	}
	c.out.Array(len(found))
	for _, p := range found {
		c.out.Array(4)
		c.bulkID(p.ID)
		c.out.BulkString(ownerOf(p))
		c.out.Int(c.idle(p))
		c.out.Int(p.Count)
	}
}

// idle is how long ago a pending entry was delivered, -1 if it is nobody's.
func (c *Ctx) idle(p *value.StreamPending) int64 {
	if p.Consumer == nil {
		return -1
	}
	return max(0, c.nowMS()-p.Time)
}

// ownerOf is the name of the consumer for whom an entry is pending.
func ownerOf(p *value.StreamPending) string {
	if p.Consumer == nil {
		return ""
	}
	return p.Consumer.Name()
}

package engine

import (
	"minikv/value"
)

// member is a consumer at work on a key, as XREADGROUP, XCLAIM and XAUTOCLAIM
// have it. It is made when there is something to do for it.
type member struct {
	c        *Ctx
	key      []byte
	name     []byte
	stream   *value.Stream
	group    *value.StreamGroup
	consumer *value.StreamConsumer
}

// member takes the stream at key for changes in its group. The group exists.
func (c *Ctx) member(key, group, name []byte) *member {
	s := c.streamToWrite(c.db.live(key))
	return &member{c: c, key: key, name: name, stream: s, group: s.Group(group)}
}

// wake finds or makes the consumer, which is seen now.
func (m *member) wake() *value.StreamConsumer {
	c := m.c
	if m.consumer == nil {
		m.consumer = m.group.Consumer(m.name)
	}
	if m.consumer == nil {
		m.consumer = m.group.AddConsumer(m.name, c.nowMS())
		c.db.noticed(m.key, ClassStream, "xgroup-createconsumer")
		c.effect([]byte("XGROUP"), []byte("CREATECONSUMER"), m.key, []byte(m.group.Name()), m.name)
	}
	m.consumer.Seen = c.nowMS()
	return m.consumer
}

// delivered says that a pending entry is now so: an effect that does it again
// whatever its age.
func (m *member) delivered(p *value.StreamPending) {
	if m.c.e.opt.Effects == nil {
		return
	}
	number := func(n int64) []byte { return value.AppendInt(nil, n) }
	m.c.effect([]byte("XCLAIM"), m.key, []byte(m.group.Name()), m.name, []byte("0"), p.ID.Append(nil),
		[]byte("TIME"), number(p.Time), []byte("RETRYCOUNT"), number(p.Count), []byte("FORCE"), []byte("JUSTID"),
		[]byte("LASTID"), m.group.LastID.Append(nil))
}

// advanced says how far the group has read.
func (m *member) advanced() {
	m.c.effect([]byte("XGROUP"), []byte("SETID"), m.key, []byte(m.group.Name()), m.group.LastID.Append(nil),
		[]byte("ENTRIESREAD"), value.AppendInt(nil, m.group.EntriesRead))
}

// answerHistory answers what is pending for the consumer. An entry that is gone
// is answered without fields; each other counts as delivered again.
func (c *Ctx) answerHistory(r *streamRead, src *source) {
	m := c.member(src.key, r.group, r.consumer)
	consumer := m.wake()
	var pending []*value.StreamPending
	for p := range consumer.Pending(src.from) {
		if len(pending) == src.limit {
			break
		}
		pending = append(pending, p)
	}
	c.e.stats.dirty++
	c.out.Array(len(pending))
	for _, p := range pending {
		e := m.stream.Get(p.ID)
		if e == nil {
			c.out.Array(2)
			c.bulkID(p.ID)
			c.out.NullArray()
			continue
		}
		c.entry(e)
		p.Time = c.nowMS()
		p.Count = oneMore(p.Count)
		m.delivered(p)
	}
}

// answerNew delivers entries that the group has not read yet, after those that
// are claimed from others.
func (c *Ctx) answerNew(r *streamRead, src *source) {
	m := c.member(src.key, r.group, r.consumer)
	consumer := m.wake()
	for _, id := range src.gone {
		m.forget(m.group.PendingAt(id))
	}
	n := m.stream.Count(src.from, value.MaxStreamID, src.limit)
	c.out.Array(len(src.claimed) + n)
	for _, id := range src.claimed {
		m.answerClaim(m.group.PendingAt(id))
	}
	if len(src.claimed)+n > 0 {
		consumer.Active = c.nowMS()
	}
	if n == 0 {
		return
	}
	for e := range m.stream.Range(src.from, value.MaxStreamID) {
		c.delivery(e, r.claim >= 0, 0, 0)
		m.group.Advance(m.stream, e.ID)
		if !r.noAck {
			m.delivered(m.group.Assign(e.ID, consumer, c.nowMS(), 1))
		}
		if n--; n == 0 {
			break
		}
	}
	c.e.stats.dirty++
	m.advanced()
}

// answerClaim answers a pending entry that is the consumer's from now on.
func (m *member) answerClaim(p *value.StreamPending) {
	m.c.delivery(m.stream.Get(p.ID), true, m.c.idle(p), p.Count)
	m.take(p.ID, m.c.nowMS(), oneMore(p.Count))
}

// delivery answers an entry, where entries are claimed too with how long it had
// been idle and how often it had been delivered.
func (c *Ctx) delivery(e *value.StreamEntry, claiming bool, idle, count int64) {
	if !claiming {
		c.entry(e)
		return
	}
	c.out.Array(4)
	c.bulkID(e.ID)
	c.pairs(e)
	c.out.Int(idle)
	c.out.Int(count)
}

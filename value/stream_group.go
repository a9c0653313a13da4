package value

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// StreamGroup is a consumer group: how far it has read, what it has delivered and
// not seen acknowledged, and to whom.
type StreamGroup struct {
	// LastID is the greatest ID that was delivered.
	LastID StreamID
	// EntriesRead counts the entries up to LastID since the stream began, -1 if
	// that is not known.
	EntriesRead int64

	name      string
	pending   pendingList
	consumers []*StreamConsumer // by name
	names     int               // bytes in the consumers' names
	returned  uint64            // how often an entry was given back
}

// StreamConsumer is a member of a group.
type StreamConsumer struct {
	// Seen is when the consumer was last heard of, Active when it last got
	// something (-1: never). Unix milliseconds.
	Seen   int64
	Active int64

	name    string
	pending pendingList
}

// UnknownEntriesRead is the EntriesRead of a group that cannot tell.
const UnknownEntriesRead = -1

// Groups lists the consumer groups by name. It must not be changed.
func (s *Stream) Groups() []*StreamGroup { return s.groups }

// Group finds a consumer group; nil if there is none.
func (s *Stream) Group(name []byte) *StreamGroup {
	if i, ok := s.findGroup(name); ok {
		return s.groups[i]
	}
	return nil
}

func (s *Stream) findGroup(name []byte) (int, bool) {
	return slices.BinarySearchFunc(s.groups, stringOf(name), func(g *StreamGroup, name string) int {
		return strings.Compare(g.name, name)
	})
}

// AddGroup makes a consumer group; nil if there is one of that name.
func (s *Stream) AddGroup(name []byte, last StreamID, entriesRead int64) *StreamGroup {
	i, taken := s.findGroup(name)
	if taken {
		return nil
	}
	g := &StreamGroup{name: string(name), LastID: last, EntriesRead: entriesRead}
	s.groups = slices.Insert(s.groups, i, g)
	return g
}

// RemoveGroup removes a consumer group with all that it knows.
func (s *Stream) RemoveGroup(name []byte) (ok bool) {
	i, ok := s.findGroup(name)
	if ok {
		s.groups = slices.Delete(s.groups, i, i+1)
	}
	return ok
}

// Name is the group's name.
func (g *StreamGroup) Name() string { return g.name }

// Consumers lists the consumers by name. It must not be changed.
func (g *StreamGroup) Consumers() []*StreamConsumer { return g.consumers }

// Consumer finds a consumer; nil if there is none.
func (g *StreamGroup) Consumer(name []byte) *StreamConsumer {
	if i, ok := g.findConsumer(name); ok {
		return g.consumers[i]
	}
	return nil
}

func (g *StreamGroup) findConsumer(name []byte) (int, bool) {
	return slices.BinarySearchFunc(g.consumers, stringOf(name), func(c *StreamConsumer, name string) int {
		return strings.Compare(c.name, name)
	})
}

// AddConsumer makes a consumer that is seen now and was never active; nil if there is one of that
// name.
func (g *StreamGroup) AddConsumer(name []byte, now int64) *StreamConsumer {
	i, taken := g.findConsumer(name)
	if taken {
		return nil
	}
	c := &StreamConsumer{name: string(name), Seen: now, Active: -1}
	g.consumers = slices.Insert(g.consumers, i, c)
	g.names += len(c.name)
	return c
}

// RemoveConsumer removes a consumer with its pending entries, and returns how
// many those were.
func (g *StreamGroup) RemoveConsumer(name []byte) (pending int, ok bool) {
	i, ok := g.findConsumer(name)
	if !ok {
		return 0, false
	}
	c := g.consumers[i]
	for p := range c.pending.from(StreamID{}) {
		g.pending.remove(p.ID)
	}
	g.consumers = slices.Delete(g.consumers, i, i+1)
	g.names -= len(c.name)
	return c.pending.size, true
}

// PendingLen is how many entries are pending in the group.
func (g *StreamGroup) PendingLen() int { return g.pending.size }

// Pending yields the group's pending entries from an ID on, in order. None must
// be added, removed or assigned meanwhile.
func (g *StreamGroup) Pending(from StreamID) iter.Seq[*StreamPending] { return g.pending.from(from) }

// PendingAt is the pending entry with an ID, or nil.
func (g *StreamGroup) PendingAt(id StreamID) *StreamPending { return g.pending.get(id) }

// NextPending is the first pending entry that does not stand before id, or nil.
func (g *StreamGroup) NextPending(id StreamID) *StreamPending {
	for p := range g.pending.from(id) {
		return p
	}
	return nil
}

// LastPending is the pending entry with the greatest ID, or nil.
func (g *StreamGroup) LastPending() *StreamPending { return g.pending.last() }

// Assign makes an entry pending for a consumer of the group (nil: nobody),
// whether it was pending for another or not at all, delivered at a time and count
// times.
func (g *StreamGroup) Assign(id StreamID, c *StreamConsumer, time, count int64) *StreamPending {
	p := g.pending.get(id)
	if p == nil {
		p = &StreamPending{ID: id, Consumer: c}
		g.pending.insert(p)
		if c != nil {
			c.pending.insert(p)
		}
	} else if p.Consumer != c {
		if p.Consumer != nil {
			p.Consumer.pending.remove(id)
		}
		if p.Consumer = c; c != nil {
			c.pending.insert(p)
		}
	}
	p.Time, p.Count, p.Turn = time, count, 0
	return p
}

// Return makes an entry pending for nobody, whether it was pending or not: with so
// many deliveries, and the last in turn of all that were given back.
func (g *StreamGroup) Return(id StreamID, count int64) {
	g.returned++
	g.Assign(id, nil, 0, count).Turn = g.returned
}

// ReturnedLen is how many pending entries are nobody's.
func (g *StreamGroup) ReturnedLen() int {
	n := g.pending.size
	for _, c := range g.consumers {
		n -= c.pending.size
	}
	return n
}

// Acknowledge makes an entry no longer pending; ok is false if it was not.
func (g *StreamGroup) Acknowledge(id StreamID) (ok bool) {
	p := g.pending.remove(id)
	if p != nil && p.Consumer != nil {
		p.Consumer.pending.remove(id)
	}
	return p != nil
}

// Name is the consumer's name.
func (c *StreamConsumer) Name() string { return c.name }

// PendingLen is how many entries are pending for the consumer.
func (c *StreamConsumer) PendingLen() int { return c.pending.size }

// Pending yields the consumer's pending entries from an ID on, in order. None
// must be added, removed or assigned meanwhile.
func (c *StreamConsumer) Pending(from StreamID) iter.Seq[*StreamPending] { return c.pending.from(from) }

func (g *StreamGroup) clone() *StreamGroup {
	c := &StreamGroup{LastID: g.LastID, EntriesRead: g.EntriesRead, name: g.name, names: g.names, returned: g.returned}
	for _, old := range g.consumers {
		c.consumers = append(c.consumers, &StreamConsumer{name: old.name, Seen: old.Seen, Active: old.Active})
	}
	for p := range g.pending.from(StreamID{}) {
		q := *p
		if p.Consumer != nil {
			i, _ := c.findConsumer([]byte(p.Consumer.name))
			q.Consumer = c.consumers[i]
			q.Consumer.pending.insert(&q)
		}
		c.pending.insert(&q)
	}
	return c
}

const (
	streamGroupHeader    = 120
	streamConsumerHeader = 64
	pendingSize          = 56 + 2*8
)

func (g *StreamGroup) memoryUsage() int {
	return streamGroupHeader + len(g.name) + g.names + len(g.consumers)*streamConsumerHeader + g.pending.size*pendingSize
}

func (s *Stream) checkGroups() error {
	for i, g := range s.groups {
		if i > 0 && s.groups[i-1].name >= g.name {
			return fmt.Errorf("stream: group %q follows %q", g.name, s.groups[i-1].name)
		}
		if err := g.check(); err != nil {
			return fmt.Errorf("stream: group %q: %w", g.name, err)
		}
	}
	return nil
}

// check verifies that consumers and group agree on what is pending.
func (g *StreamGroup) check() error {
	if err := g.pending.check(); err != nil {
		return err
	}
	owned, names := 0, 0
	for i, c := range g.consumers {
		names += len(c.name)
		if i > 0 && g.consumers[i-1].name >= c.name {
			return fmt.Errorf("consumer %q follows %q", c.name, g.consumers[i-1].name)
		}
		if err := c.pending.check(); err != nil {
			return fmt.Errorf("consumer %q: %w", c.name, err)
		}
		for p := range c.pending.from(StreamID{}) {
			if p.Consumer != c || g.pending.get(p.ID) != p {
				return fmt.Errorf("consumer %q: entry %v is not pending in its group, or not for it", c.name, p.ID)
			}
		}
		owned += c.pending.size
	}
	if names != g.names {
		return fmt.Errorf("names of %d bytes, %d counted", names, g.names)
	}
	for p := range g.pending.from(StreamID{}) {
		if p.Consumer == nil {
			owned++
		}
	}
	if owned != g.pending.size {
		return fmt.Errorf("%d entries are pending, %d for somebody", g.pending.size, owned)
	}
	return nil
}

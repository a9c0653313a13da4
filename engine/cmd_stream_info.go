package engine

import (
	"math"

	"minikv/value"
)

func streamInfos() []*Command {
	return []*Command{
		{Name: "XINFO", Arity: -2, ACL: noGroupCategory, Group: Stream, Since: "5.0.0",
			Summary: "Commands that look into streams.", Complexity: "Depends on subcommand.", Sub: []*Command{
				{Name: "CONSUMERS", Arity: 4, Flags: ReadOnly, Tips: []string{"nondeterministic_output"}, Keys: key(2, RO|Access), Since: "5.0.0",
					Syntax: "key group", Summary: "Lists the consumers of a group.", Complexity: "O(1)", Handler: cmdXInfoConsumers},
				{Name: "GROUPS", Arity: 3, Flags: ReadOnly, Keys: key(2, RO|Access), Since: "5.0.0",
					Syntax: "key", Summary: "Lists the groups of a stream.", Complexity: "O(1)", Handler: cmdXInfoGroups},
				{Name: "STREAM", Arity: -3, Flags: ReadOnly, Keys: key(2, RO|Access), Since: "5.0.0",
					Syntax: "key [FULL@6.0 [COUNT@6.0 count]]", Summary: "Describes a stream, in full with all that is in it.",
					Complexity: "O(1)", Handler: cmdXInfoStream},
			}},
	}
}

// infoStream is the stream that an XINFO command asks for.
func (c *Ctx) infoStream() (*value.Stream, error) {
	en, err := c.Read(c.argv[2], value.KindStream)
	switch {
	case err != nil:
		return nil, err
	case en == nil:
		return nil, errNoSuchKey
	}
	return en.Val.stream(), nil
}

// knowsActive tells whether the emulated version knows consumers that tried from
// those that got something: it makes them at once, and says when they did.
func (c *Ctx) knowsActive() bool { return c.e.table.ver.from(version{major: 7, minor: 2}) }

// knowsReturned tells whether it tells of entries that were given back.
func (c *Ctx) knowsReturned() bool { return c.e.table.ver.from(version{major: 8, minor: 8}) }

func cmdXInfoConsumers(c *Ctx) error {
	s, err := c.infoStream()
	if err != nil {
		return err
	}
	g := s.Group(c.argv[3])
	if g == nil {
		return errorf("NOGROUP No such consumer group '%s' for key name '%s'", cText(c.argv[3]), cText(c.argv[2]))
	}
	c.out.Array(len(g.Consumers()))
	for _, consumer := range g.Consumers() {
		size := 3
		if c.knowsActive() {
			size++
		}
		c.out.Map(size)
		c.infoText("name", consumer.Name())
		c.infoInt("pending", int64(consumer.PendingLen()))
		c.infoInt("idle", max(0, c.nowMS()-consumer.Seen))
		if c.knowsActive() {
			inactive := consumer.Active
			if inactive >= 0 {
				inactive = max(0, c.nowMS()-inactive)
			}
			c.infoInt("inactive", inactive)
		}
	}
	return nil
}

func cmdXInfoGroups(c *Ctx) error {
	s, err := c.infoStream()
	if err != nil {
		return err
	}
	c.out.Array(len(s.Groups()))
	for _, g := range s.Groups() {
		c.out.Map(6)
		c.infoText("name", g.Name())
		c.infoInt("consumers", int64(len(g.Consumers())))
		c.infoInt("pending", int64(g.PendingLen()))
		c.infoID("last-delivered-id", g.LastID)
		c.infoProgress(s, g)
	}
	return nil
}

// infoProgress answers how many entries a group has read and how many are left.
func (c *Ctx) infoProgress(s *value.Stream, g *value.StreamGroup) {
	c.out.BulkString("entries-read")
	if g.EntriesRead == value.UnknownEntriesRead {
		c.out.Null()
	} else {
		c.out.Int(g.EntriesRead)
	}
	c.out.BulkString("lag")
	if lag, ok := g.Lag(s); ok {
		c.out.Int(lag)
	} else {
		c.out.Null()
	}
}

func (c *Ctx) infoInt(name string, n int64) {
	c.out.BulkString(name)
	c.out.Int(n)
}

func (c *Ctx) infoText(name, text string) {
	c.out.BulkString(name)
	c.out.BulkString(text)
}

func (c *Ctx) infoID(name string, id value.StreamID) {
	c.out.BulkString(name)
	c.bulkID(id)
}

func cmdXInfoStream(c *Ctx) error {
	s, err := c.infoStream()
	if err != nil {
		return err
	}
	a := Scanner{c: c, pos: 3}
	full, count := false, int64(10)
	if a.More() {
		if full = a.Word("FULL"); full && a.WordWith("COUNT", 1) {
			if count = a.Int(); count < 0 {
				count = 10
			}
		}
		if a.More() {
			return errUnknownSubArity(c)
		}
	}
	if err := a.Err(); err != nil {
		return err
	}
	if count == 0 {
		count = math.MaxInt64
	}
	if full {
		c.infoFull(s, count)
	} else {
		c.infoShort(s)
	}
	return nil
}

// infoHead answers what both forms of XINFO STREAM begin with; more pairs follow.
func (c *Ctx) infoHead(s *value.Stream, more int) {
	const always, ofProducers = 7, 6
	if c.knowsIdempotence() {
		more += ofProducers
	}
	c.out.Map(always + more)
	keys, nodes := s.NodeCount()
	c.infoInt("length", int64(s.Len()))
	c.infoInt("radix-tree-keys", int64(keys))
	c.infoInt("radix-tree-nodes", int64(nodes))
	c.infoID("last-generated-id", s.LastID)
	c.infoID("max-deleted-entry-id", s.MaxDeletedID)
	c.infoInt("entries-added", int64(s.Added))
	c.infoID("recorded-first-entry-id", s.FirstID())
	if c.knowsIdempotence() {
		c.infoIdempotence(s)
	}
}

func (c *Ctx) infoShort(s *value.Stream) {
	c.infoHead(s, 3)
	c.infoInt("groups", int64(len(s.Groups())))
	c.out.BulkString("first-entry")
	c.entryOrNull(s, s.FirstID())
	c.out.BulkString("last-entry")
	last, _ := s.Last()
	c.entryOrNull(s, last)
}

func (c *Ctx) entryOrNull(s *value.Stream, id value.StreamID) {
	if e := s.Get(id); e != nil {
		c.entry(e)
	} else {
		c.out.Null()
	}
}

func (c *Ctx) infoFull(s *value.Stream, count int64) {
	c.infoHead(s, 2)
	c.out.BulkString("entries")
	c.entriesBetween(s, value.StreamID{}, value.MaxStreamID, count, false)
	c.out.BulkString("groups")
	c.out.Array(len(s.Groups()))
	for _, g := range s.Groups() {
		size := 7
		if c.knowsReturned() {
			size++
		}
		c.out.Map(size)
		c.infoText("name", g.Name())
		c.infoID("last-delivered-id", g.LastID)
		c.infoProgress(s, g)
		c.infoInt("pel-count", int64(g.PendingLen()))
		if c.knowsReturned() {
			c.infoInt("nacked-count", int64(g.ReturnedLen()))
		}
		c.out.BulkString("pending")
		left := min(int64(g.PendingLen()), count)
		c.out.Array(int(left))
		for p := range g.Pending(value.StreamID{}) {
			if left--; left < 0 {
				break
			}
			c.infoPending(p, true)
		}
		c.out.BulkString("consumers")
		c.infoMembers(g, count)
	}
}

func (c *Ctx) infoMembers(g *value.StreamGroup, count int64) {
	c.out.Array(len(g.Consumers()))
	for _, consumer := range g.Consumers() {
		size := 4
		if c.knowsActive() {
			size++
		}
		c.out.Map(size)
		c.infoText("name", consumer.Name())
		c.infoInt("seen-time", consumer.Seen)
		if c.knowsActive() {
			c.infoInt("active-time", consumer.Active)
		}
		c.infoInt("pel-count", int64(consumer.PendingLen()))
		c.out.BulkString("pending")
		left := min(int64(consumer.PendingLen()), count)
		c.out.Array(int(left))
		for p := range consumer.Pending(value.StreamID{}) {
			if left--; left < 0 {
				break
			}
			c.infoPending(p, false)
		}
	}
}

// infoPending answers a pending entry, with its consumer unless that is plain.
func (c *Ctx) infoPending(p *value.StreamPending, named bool) {
	if named {
		c.out.Array(4)
	} else {
		c.out.Array(3)
	}
	c.bulkID(p.ID)
	if named {
		c.out.BulkString(ownerOf(p))
	}
	c.out.Int(p.Time)
	c.out.Int(p.Count)
}

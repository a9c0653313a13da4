package engine

import (
	"container/list"
	"slices"

	"minikv/value"
)

func pubsubCommands() []*Command {
	const sub = PubSub | NoScript | Loading | Stale | InSubscribe
	const ask = PubSub | Loading | Stale
	return []*Command{
		{Name: "SUBSCRIBE", Arity: -2, Flags: sub, Channels: ChannelSpec{First: 1, Last: -1}, Group: PubSubGroup, Since: "2.0.0", Syntax: "channel [channel ...]",
			Complexity: "O(N), N the channels", Summary: "Listens to channels.", Handler: cmdSubscribe},
		{Name: "UNSUBSCRIBE", Arity: -1, Flags: sub, Group: PubSubGroup, Since: "2.0.0", Syntax: "[channel [channel ...]]",
			Complexity: "O(N), N the channels", Summary: "Stops listening to channels, or to all.", Handler: cmdUnsubscribe},
		{Name: "PSUBSCRIBE", Arity: -2, Flags: sub, Channels: ChannelSpec{First: 1, Last: -1, Pattern: true}, Group: PubSubGroup, Since: "2.0.0", Syntax: "pattern [pattern ...]",
			Complexity: "O(N), N the patterns", Summary: "Listens to all channels that match patterns.", Handler: cmdPsubscribe},
		{Name: "PUNSUBSCRIBE", Arity: -1, Flags: sub, Group: PubSubGroup, Since: "2.0.0", Syntax: "[pattern [pattern ...]]",
			Complexity: "O(N), N the patterns", Summary: "Stops listening to patterns, or to all.", Handler: cmdPunsubscribe},
		{Name: "SSUBSCRIBE", Arity: -2, Flags: sub, Keys: keys(1, -1, 1, NotKey), Channels: ChannelSpec{First: 1, Last: -1}, Group: PubSubGroup, Since: "7.0.0",
			Syntax:     "shardchannel [shardchannel ...]",
			Complexity: "O(N), N the channels", Summary: "Listens to shard channels.", Handler: cmdSsubscribe},
		{Name: "SUNSUBSCRIBE", Arity: -1, Flags: sub, Keys: keys(1, -1, 1, NotKey), Group: PubSubGroup, Since: "7.0.0",
			Syntax:     "[shardchannel [shardchannel ...]]",
			Complexity: "O(N), N the channels", Summary: "Stops listening to shard channels, or to all.", Handler: cmdSunsubscribe},
		{Name: "PUBLISH", Arity: 3, Flags: PubSub | Loading | Stale | Fast | MayReplicate, Channels: ChannelSpec{First: 1, Last: 1}, Group: PubSubGroup, Since: "2.0.0", Syntax: "channel message",
			Complexity: "O(N+M), N the listeners and M the patterns", Summary: "Sends a message to a channel's listeners.", Handler: cmdPublish},
		{Name: "SPUBLISH", Arity: 3, Flags: PubSub | Loading | Stale | Fast | MayReplicate, Keys: key(1, NotKey), Channels: ChannelSpec{First: 1, Last: 1}, Group: PubSubGroup, Since: "7.0.0",
			Syntax:     "shardchannel message",
			Complexity: "O(N), N the listeners", Summary: "Sends a message to a shard channel's listeners.", Handler: cmdSpublish},
		{Name: "PUBSUB", Arity: -2, ACL: noGroupCategory, Group: PubSubGroup, Since: "2.8.0", Complexity: "Depends on subcommand.",
			Summary: "Tells who listens to what.", Sub: []*Command{
				{Name: "CHANNELS", Arity: -2, Flags: ask, Since: "2.8.0", Syntax: "[pattern]", Complexity: "O(N), N the channels",
					Summary: "Lists channels with listeners.", Handler: cmdPubsubChannels},
				{Name: "NUMPAT", Arity: 2, Flags: ask, Since: "2.8.0", Complexity: "O(1)",
					Summary: "Counts the patterns listened to.", Handler: cmdPubsubNumpat},
				{Name: "NUMSUB", Arity: -2, Flags: ask, Since: "2.8.0", Syntax: "[channel [channel ...]]", Complexity: "O(N), N the channels asked for",
					Summary: "Counts the listeners of channels.", Handler: cmdPubsubNumsub},
				{Name: "SHARDCHANNELS", Arity: -2, Flags: ask, Since: "7.0.0", Syntax: "[pattern]", Complexity: "O(N), N the channels",
					Summary: "Lists shard channels with listeners.", Handler: cmdPubsubShardchannels},
				{Name: "SHARDNUMSUB", Arity: -2, Flags: ask, Since: "7.0.0", Syntax: "[shardchannel [shardchannel ...]]",
					Complexity: "O(N), N the channels asked for",
					Summary:    "Counts the listeners of shard channels.", Handler: cmdPubsubShardnumsub},
				{Name: "HELP", Arity: 2, Flags: Loading | Stale, ACL: noGroupCategory, Since: "6.2.0", Complexity: "O(1)",
					Summary: "Shows the subcommands.", Handler: cmdHelp},
			}},
	}
}

func cmdSubscribe(c *Ctx) error {
	for _, name := range c.argv[1:] {
		subscribe(&c.e.pubsub.channels, &c.cl.subs.channels, c.cl, string(name))
		c.subscribed("subscribe", name, c.cl.subs.plain())
	}
	return nil
}

func cmdPsubscribe(c *Ctx) error {
	for _, pattern := range c.argv[1:] {
		c.e.subscribePattern(c.cl, string(pattern))
		c.subscribed("psubscribe", pattern, c.cl.subs.plain())
	}
	return nil
}

func cmdSsubscribe(c *Ctx) error {
	if !c.mayWait() {
		return errShardMulti
	}
	for _, name := range c.argv[1:] {
		subscribe(&c.e.pubsub.shards, &c.cl.subs.shards, c.cl, string(name))
		c.subscribed("ssubscribe", name, len(c.cl.subs.shards))
	}
	return nil
}

func cmdUnsubscribe(c *Ctx) error {
	s := &c.cl.subs
	c.leave("unsubscribe", sortedKeys(s.channels), s.plain, func(name string) {
		unsubscribe(c.e.pubsub.channels, s.channels, name)
	})
	return nil
}

func cmdPunsubscribe(c *Ctx) error {
	s := &c.cl.subs
	c.leave("punsubscribe", s.order, s.plain, func(name string) {
		c.e.unsubscribePattern(c.cl, name)
	})
	return nil
}

func cmdSunsubscribe(c *Ctx) error {
	s := &c.cl.subs
	c.leave("sunsubscribe", sortedKeys(s.shards), func() int { return len(s.shards) }, func(name string) {
		unsubscribe(c.e.pubsub.shards, s.shards, name)
	})
	return nil
}

// subscribed confirms one subscription, or the end of one (name nil: there
// was none): it is the command's reply but has the form of a message, and
// goes out whatever CLIENT REPLY says.
func (c *Ctx) subscribed(kind string, name []byte, left int) {
	c.out.Push(3)
	c.out.BulkString(kind)
	if name == nil {
		c.out.Null()
	} else {
		c.out.Bulk(name)
	}
	c.out.Int(int64(left))
	c.hear()
}

// leave ends the subscriptions that the arguments name, or all that the
// client has of a kind.
func (c *Ctx) leave(kind string, own []string, left func() int, end func(name string)) {
	names := c.argv[1:]
	if len(names) == 0 {
		for _, name := range own {
			names = append(names, []byte(name))
		}
		if len(names) == 0 {
			c.subscribed(kind, nil, left())
		}
	}
	for _, name := range names {
		end(string(name))
		c.subscribed(kind, name, left())
	}
}

func sortedKeys[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// plain is the number that SUBSCRIBE and PSUBSCRIBE count together.
func (s *subscriptions) plain() int { return len(s.channels) + len(s.patterns) }

// cmdPublish reaches the listeners at all nodes of a cluster, and counts those at
// this one.
func cmdPublish(c *Ctx) error {
	if c.e.cluster != nil {
		c.e.tellMessage(c.argv[1], c.argv[2])
	}
	return c.int(int64(c.e.publish(c.argv[1], c.argv[2])))
}

func cmdSpublish(c *Ctx) error { return c.int(int64(c.e.publishShard(c.argv[1], c.argv[2]))) }

func cmdPubsubChannels(c *Ctx) error      { return c.listChannels(c.e.pubsub.channels) }
func cmdPubsubShardchannels(c *Ctx) error { return c.listChannels(c.e.pubsub.shards) }
func cmdPubsubNumsub(c *Ctx) error        { return c.countListeners(c.e.pubsub.channels) }
func cmdPubsubShardnumsub(c *Ctx) error   { return c.countListeners(c.e.pubsub.shards) }

func cmdPubsubNumpat(c *Ctx) error { return c.int(int64(c.e.pubsub.order.Len())) }

// listChannels lists the channels that somebody listens to, by name.
func (c *Ctx) listChannels(all map[string]*list.List) error {
	if len(c.argv) > 3 {
		return errUnknownSubArity(c)
	}
	names := sortedKeys(all)
	if len(c.argv) == 3 {
		names = slices.DeleteFunc(names, func(name string) bool {
			return !value.Glob(c.argv[2], []byte(name))
		})
	}
	c.out.Array(len(names))
	for _, name := range names {
		c.out.BulkString(name)
	}
	return nil
}

func (c *Ctx) countListeners(all map[string]*list.List) error {
	names := c.argv[2:]
	c.out.Array(2 * len(names))
	for _, name := range names {
		c.out.Bulk(name)
		n := 0
		if l := all[string(name)]; l != nil {
			n = l.Len()
		}
		c.out.Int(int64(n))
	}
	return nil
}

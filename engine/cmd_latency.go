package engine

import (
	"fmt"
	"strings"
)

func latencyCommands() []*Command {
	const flags = Admin | NoScript | Loading | Stale
	tips := []string{"nondeterministic_output", "request_policy:all_nodes", "response_policy:special"}
	return []*Command{
		{Name: "LATENCY", Arity: -2, Group: Server, Since: "2.8.13", Complexity: "Depends on subcommand.",
			Summary: "Tells what took long.", Sub: []*Command{
				{Name: "DOCTOR", Arity: 2, Flags: flags, Since: "2.8.13", Tips: tips, Complexity: "O(1)",
					Summary: "Reports, for people, what took long and what to look at.", Handler: cmdLatencyDoctor},
				{Name: "GRAPH", Arity: 3, Flags: flags, Since: "2.8.13", Syntax: "event", Tips: tips, Complexity: "O(1)",
					Summary: "Draws the samples of an event.", Handler: cmdLatencyGraph},
				{Name: "HELP", Arity: 2, Flags: Loading | Stale, Since: "2.8.13", Complexity: "O(1)",
					Summary: "Shows the subcommands.", Handler: cmdHelp},
				{Name: "HISTOGRAM", Arity: -2, Flags: flags, Since: "7.0.0", Syntax: "[command [command ...]]", Tips: tips,
					Complexity: "O(N), N the commands told of",
					Summary:    "Counts the calls of commands by how long they took.", Handler: cmdLatencyHistogram},
				{Name: "HISTORY", Arity: 3, Flags: flags, Since: "2.8.13", Syntax: "event", Tips: tips, Complexity: "O(1)",
					Summary: "Lists the samples of an event.", Handler: cmdLatencyHistory},
				{Name: "LATEST", Arity: 2, Flags: flags, Since: "2.8.13", Tips: tips, Complexity: "O(1)",
					Summary: "Lists the last and the worst sample of each event.", Handler: cmdLatencyLatest},
				{Name: "RESET", Arity: -2, Flags: flags, Since: "2.8.13", Syntax: "[event [event ...]]",
					Tips: []string{"request_policy:all_nodes", "response_policy:all_succeeded"}, Complexity: "O(1)",
					Summary: "Forgets the samples of the named events, or of all.", Handler: cmdLatencyReset},
			}},
	}
}

func cmdLatencyReset(c *Ctx) error { return c.int(int64(c.e.latency.reset(c.argv[2:]))) }

func cmdLatencyLatest(c *Ctx) error {
	names := c.e.latency.names()
	c.out.Array(len(names))
	for _, name := range names {
		ev := c.e.latency.events[name]
		c.out.Array(4)
		c.out.BulkString(name)
		c.out.Int(ev.last().at)
		c.out.Int(ev.last().ms)
		c.out.Int(ev.worst)
	}
	return nil
}

func cmdLatencyHistory(c *Ctx) error {
	ev := c.e.latency.events[string(c.argv[2])]
	if ev == nil {
		c.out.Array(0)
		return nil
	}
	c.out.Array(len(ev.samples))
	for _, s := range ev.samples {
		c.out.Array(2)
		c.out.Int(s.at)
		c.out.Int(s.ms)
	}
	return nil
}

func cmdLatencyGraph(c *Ctx) error {
	name := clip(c.argv[2], len(c.argv[2]))
	ev := c.e.latency.events[name]
	if ev == nil {
		return errorf("ERR No samples available for event '%s'", name)
	}
	c.out.Verbatim("txt", []byte(ev.graph(name, c.e.now/1_000_000)))
	return nil
}

// cmdLatencyDoctor reports for people.
//
// DIFFERS: LATENCY DOCTOR and MEMORY DOCTOR report in words of their own.
func cmdLatencyDoctor(c *Ctx) error {
	m, threshold := &c.e.latency, c.e.conf.LatencyMonitorThreshold
	var b strings.Builder
	for _, name := range m.names() {
		ev := m.events[name]
		mean, deviation := ev.average()
		period := float64(ev.last().at-ev.samples[0].at) / float64(max(1, len(ev.samples)-1))
		fmt.Fprintf(&b, "%s: %d slow seconds, on average %d ms (mean deviation %d ms), one every %.2f seconds; the worst ever took %d ms.\n",
			name, len(ev.samples), mean, deviation, period, ev.worst)
	}
	switch {
	case threshold == 0:
		b.WriteString("The latency monitor is off; CONFIG SET latency-monitor-threshold <milliseconds> turns it on.\n")
	case b.Len() == 0:
		fmt.Fprintf(&b, "Nothing has taken %d ms or longer.\n", threshold)
	default:
		b.WriteString("SLOWLOG GET shows which commands were slow; its limit is slowlog-log-slower-than.\n")
	}
	c.out.Verbatim("txt", []byte(b.String()))
	return nil
}

// cmdLatencyHistogram tells of all commands, or of those named; of a container
// named, of all its subcommands.
func cmdLatencyHistogram(c *Ctx) error {
	var told []*Command
	add := func(cmd *Command) {
		if c.e.stats.of(cmd).latency.total > 0 {
			told = append(told, cmd)
		}
	}
	if len(c.argv) == 2 {
		for _, cmd := range c.e.table.all {
			add(cmd)
		}
	}
	for _, name := range c.argv[2:] {
		cmd := c.e.table.Lookup(string(name))
		if cmd == nil {
			continue
		}
		add(cmd)
		for _, sub := range c.e.table.all {
			if sub.parent == cmd {
				add(sub)
			}
		}
	}
	c.out.Map(len(told))
	for _, cmd := range told {
		h := &c.e.stats.of(cmd).latency
		c.out.BulkString(cmd.lower)
		c.out.Map(2)
		c.out.BulkString("calls")
		c.out.Int(int64(h.total))
		c.out.BulkString("histogram_usec")
		steps := h.doublings()
		c.out.Map(len(steps))
		for _, s := range steps {
			c.out.Int(s.micros)
			c.out.Int(int64(s.count))
		}
	}
	return nil
}

// latencyStep says how many runs took at most so many microseconds.
type latencyStep struct {
	micros int64
	count  uint64
}

// doublings are the run times at each doubling from about a microsecond on,
// where there are more than at the one before.
func (h *histogram) doublings() (steps []latencyStep) {
	const first, last = 1 << 10, 1<<30 - 1 // nanoseconds
	var seen, told uint64
	i := 0
	for ns := uint64(first); told < h.total; ns *= 2 {
		at := latencyIndex(min(ns, last))
		for ; i <= at && i < len(h.counts); i++ {
			seen += h.counts[i]
		}
		if seen > told {
			_, high := latencyBounds(at)
			steps = append(steps, latencyStep{micros: int64(high / 1000), count: seen})
			told = seen
		}
	}
	return steps
}

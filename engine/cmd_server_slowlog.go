package engine

import "math"

func slowlogCommands() []*Command {
	const allNodes, vague = "request_policy:all_nodes", "nondeterministic_output"
	return []*Command{
		{Name: "SLOWLOG", Arity: -2, Group: Server, Since: "2.2.12", Complexity: "Depends on subcommand.",
			Summary: "Asks about slow commands.", Sub: []*Command{
				{Name: "GET", Arity: -2, Flags: Admin | Loading | Stale, Since: "2.2.12", Syntax: "[count]",
					Tips: []string{allNodes, vague}, Complexity: "O(N), N the entries returned",
					Summary: "Lists the last slow commands: id, time, microseconds, arguments, address and name of the client.", Handler: cmdSlowlogGet},
				{Name: "LEN", Arity: 2, Flags: Admin | Loading | Stale, Since: "2.2.12",
					Tips: []string{allNodes, "response_policy:agg_sum", vague}, Complexity: "O(1)",
					Summary: "Counts the entries.", Handler: cmdSlowlogLen},
				{Name: "RESET", Arity: 2, Flags: Admin | Loading | Stale, Since: "2.2.12",
					Tips: []string{allNodes, "response_policy:all_succeeded"}, Complexity: "O(N), N the entries",
					Summary: "Forgets all entries.", Handler: cmdSlowlogReset},
				{Name: "HELP", Arity: 2, Flags: Loading | Stale, Since: "6.2.0", Complexity: "O(1)",
					Summary: "Shows the subcommands.", Handler: cmdHelp},
			}},
	}
}

func cmdSlowlogGet(c *Ctx) error {
	if len(c.argv) > 3 {
		return errUnknownSubArity(c)
	}
	a := c.Scan()
	count := int64(10)
	if a.More() {
		if count = a.IntIn(-1, math.MaxInt64, errSlowlogCount); a.Err() != nil {
			return a.Err()
		}
	}
	entries := c.e.slow.entries
	if count >= 0 && count < int64(len(entries)) {
		entries = entries[len(entries)-int(count):]
	}
	c.out.Array(len(entries))
	for i := len(entries) - 1; i >= 0; i-- {
		c.slowEntry(&entries[i])
	}
	return nil
}

func (c *Ctx) slowEntry(en *slowEntry) {
	c.out.Array(6)
	c.out.Int(en.id)
	c.out.Int(en.at)
	c.out.Int(en.micros)
	c.out.Array(len(en.argv))
	for _, arg := range en.argv {
		c.out.Bulk(arg)
	}
	c.out.BulkString(en.addr)
	c.out.BulkString(en.name)
}

func cmdSlowlogLen(c *Ctx) error { return c.int(int64(len(c.e.slow.entries))) }

func cmdSlowlogReset(c *Ctx) error {
	c.e.slow.reset()
	return c.ok()
}

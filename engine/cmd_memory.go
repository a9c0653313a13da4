package engine

func memoryCommands() []*Command {
	return []*Command{
		{Name: "MEMORY", Arity: -2, Group: Server, Since: "4.0.0", Complexity: "Depends on subcommand.",
			Summary: "Tells what memory is used for.", Sub: []*Command{
				{Name: "HELP", Arity: 2, Flags: Loading | Stale, Since: "4.0.0",
					Summary: "Shows the subcommands.", Complexity: "O(1)", Handler: cmdHelp},
				{Name: "PURGE", Arity: 2, Since: "4.0.0", Tips: []string{"request_policy:all_shards", "response_policy:all_succeeded"},
					Complexity: "Depends on how much memory is in use",
					Summary:    "Gives unused memory back to the system.", Handler: cmdMemoryPurge},
				{Name: "USAGE", Arity: -3, Flags: ReadOnly, Keys: key(2, RO), Since: "4.0.0", Syntax: "key [SAMPLES count]",
					Complexity: "O(N), N the samples", Summary: "Estimates the bytes that a key and its value take.", Handler: cmdMemoryUsage},
			}},
	}
}

// DIFFERS: MEMORY USAGE tells what a key takes in minikv's own structures, which are not Redis's, and its SAMPLES option, though checked, changes nothing: a collection knows its size.
func cmdMemoryUsage(c *Ctx) error {
	a := c.Scan()
	key := a.Next()
	for a.More() {
		if !a.WordWith("SAMPLES", 1) {
			return errSyntax
		}
		if n := a.Int(); a.Err() == nil && n < 0 {
			return errSyntax
		}
	}
	if err := a.Err(); err != nil {
		return err
	}
	en := c.inspect(key)
	if en == nil {
		c.out.Null()
		return nil
	}
	return c.int(int64(len(en.Key) + en.Val.memory()))
}

func cmdMemoryPurge(c *Ctx) error { return c.askLater(Request{Kind: RequestPurge}) }

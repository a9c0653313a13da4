package engine

func persistenceCommands() []*Command {
	return []*Command{
		{Name: "BGSAVE", Arity: -1, Flags: Admin | NoScript | NoAsyncLoading, Group: Server, Since: "1.0.0",
			Syntax: "[SCHEDULE@3.2.2]", Complexity: "O(1)", Summary: "Saves the data in the background.", Handler: cmdBGSave},
		{Name: "LASTSAVE", Arity: 1, Flags: Loading | Stale | Fast, ACL: CatAdmin | CatDangerous, Group: Server, Since: "1.0.0",
			Tips:       []string{"nondeterministic_output"},
			Complexity: "O(1)", Summary: "Tells when the data was last saved.", Handler: cmdLastSave},
		{Name: "SAVE", Arity: 1, Flags: Admin | NoScript | NoAsyncLoading | NoMulti, Group: Server, Since: "1.0.0",
			Complexity: "O(N), N the keys of all databases", Summary: "Saves the data; nobody else is served meanwhile.", Handler: cmdSave},
	}
}

// cmdSave asks the outside for a file, which calls Save.
func cmdSave(c *Ctx) error {
	if c.e.Saving() {
		return errSaving
	}
	return c.ask(Request{Kind: RequestSave})
}

// cmdBGSave inside EXEC waits until that is over.
func cmdBGSave(c *Ctx) error {
	a := c.Scan()
	if a.More() && (!a.Word("SCHEDULE") || a.More()) {
		return errSyntax
	}
	switch {
	case c.e.Saving():
		return errSaving
	case !c.mayWait():
		c.e.persist.scheduled = true
		c.out.Status("Background saving scheduled")
		return nil
	}
	return c.ask(Request{Kind: RequestBGSave})
}

func cmdLastSave(c *Ctx) error { return c.int(c.e.lastSave()) }

package engine

func persistenceCommands() []*Command {
	return []*Command{
		{Name: "BGREWRITEAOF", Arity: 1, Flags: Admin | NoScript | NoAsyncLoading, Group: Server, Since: "1.0.0", Complexity: "O(1)",
			Summary: "Writes the data as an append-only file of Redis, in the background.", Handler: cmdBGRewriteAOF},
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
	if c.e.saving(SaveInBackground) {
		return errSaving
	}
	return c.ask(Request{Kind: RequestSave})
}

// cmdBGSave inside EXEC waits until that is over.
func cmdBGSave(c *Ctx) error {
	a := c.Scan()
	later := a.More()
	if later && (!a.Word("SCHEDULE") || a.More()) {
		return errSyntax
	}
	rewriting := c.e.saving(SaveRewrite)
	switch {
	case c.e.saving(SaveInBackground):
		return errSaving
	case rewriting && c.mayWait() && !later:
		return errRewritingSave
	case !c.mayWait() || rewriting:
		c.e.persist.scheduled = true
		c.out.Status("Background saving scheduled")
		return nil
	}
	return c.ask(Request{Kind: RequestBGSave})
}

// cmdBGRewriteAOF asks the outside for the base file of an append-only file, and for
// the manifest that names it: what redis-server loads with appendonly yes.
func cmdBGRewriteAOF(c *Ctx) error {
	switch {
	case c.e.saving(SaveRewrite):
		return errRewriting
	case c.e.saving(SaveInBackground) || !c.mayWait():
		c.e.persist.rewrite.scheduled = true
		c.out.Status("Background append only file rewriting scheduled")
		return nil
	}
	return c.ask(Request{Kind: RequestRewriteAOF})
}

func cmdLastSave(c *Ctx) error { return c.int(c.e.lastSave()) }

package engine

func transactionCommands() []*Command {
	return []*Command{
		{Name: "MULTI", Arity: 1, Flags: NoScript | Loading | Stale | Fast | AllowBusy | NotQueued, Group: Transactions, Since: "1.2.0",
			Summary: "Starts a transaction: commands are kept until EXEC.", Complexity: "O(1)", Handler: cmdMulti},
		{Name: "EXEC", Arity: 1, Flags: NoScript | Loading | Stale | SkipSlowlog | NotQueued | Runner | Commits | EndsMulti, Group: Transactions, Since: "1.2.0",
			Summary:    "Runs all kept commands as one step.",
			Complexity: "Depends on commands in the transaction", Handler: cmdExec},
		{Name: "DISCARD", Arity: 1, Flags: NoScript | Loading | Stale | Fast | AllowBusy | NotQueued | EndsMulti, Group: Transactions, Since: "2.0.0",
			Summary: "Forgets a transaction.", Complexity: "O(N), when N is the number of queued commands", Handler: cmdDiscard},
		{Name: "WATCH", Arity: -2, Flags: NoScript | Loading | Stale | Fast | AllowBusy | NotQueued, Keys: keys(1, -1, 1, RO), Group: Transactions, Since: "2.2.0",
			Syntax: "key [key ...]", Summary: "Makes the next EXEC depend on keys staying as they are.",
			Complexity: "O(1) for every key.", Handler: cmdWatch},
		{Name: "UNWATCH", Arity: 1, Flags: NoScript | Loading | Stale | Fast | AllowBusy, Group: Transactions, Since: "2.2.0",
			Summary: "Forgets all watched keys.", Complexity: "O(1)", Handler: cmdUnwatch},
	}
}

func cmdMulti(c *Ctx) error {
	if c.cl.multi.open {
		return errNestedMulti
	}
	c.cl.multi.open = true
	return c.ok()
}

func cmdDiscard(c *Ctx) error {
	if !c.cl.multi.open {
		return errDiscardNoMulti
	}
	c.cl.multi.reset()
	c.e.unwatch(c.cl)
	return c.ok()
}

func cmdExec(c *Ctx) error {
	cl := c.cl
	m := &cl.multi
	if !m.open {
		return errExecNoMulti
	}
	failed := m.failed || c.e.watchedExpired(cl)
	c.e.unwatch(cl)
	defer m.reset() // until then CLIENT INFO shows the transaction
	switch {
	case m.aborted:
		return errExecAbort
	case failed:
		c.out.NullArray()
		return nil
	}
	c.out.Array(len(m.cmds))
	c.mute()
	c.hear()
	for _, q := range m.cmds {
		c.e.callQueued(cl, q)
		c.hear()
	}
	return nil
}

// callQueued runs one command of a transaction. It passed its gates when it
// was queued; what may have changed since is asked again.
func (e *Engine) callQueued(cl *Client, q queuedCommand) {
	c := e.pushCtx(cl, q.argv, FromExec)
	c.cmd = q.cmd
	c.hear()
	killed := cl.closing // by an earlier one of its commands: it hears no more
	if err := c.recheckExec(); err != nil {
		e.fail(c, err)
	} else {
		e.call(c)
	}
	if killed {
		cl.out.Truncate(c.heard)
	}
	c.mute()
	e.popCtx()
}

func cmdWatch(c *Ctx) error {
	if c.cl.multi.open {
		return errWatchInMulti
	}
	if c.cl.multi.failed {
		return c.ok() // EXEC will fail already
	}
	a := c.Scan()
	for a.More() {
		c.e.watch(c.cl, c.db, string(a.Next()))
	}
	return c.ok()
}

func cmdUnwatch(c *Ctx) error {
	c.e.unwatch(c.cl)
	return c.ok()
}

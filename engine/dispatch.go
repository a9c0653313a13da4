package engine

import "strings"

// Do runs one command of a client at time now (unix microseconds) and says
// what became of it; the reply stands in the client's output. argv needs to
// live until Do returns. It is called again from inside Env.Busy, for other
// clients, while a long script runs; whatever is then allowed runs between the
// script's steps, and the script's time stays frozen.
func (e *Engine) Do(cl *Client, now int64, argv [][]byte) Outcome {
	e.journal(JournalDo, now, cl, argv, nil)
	savedNow, savedCurrent := e.now, e.current
	e.setNow(now)
	e.current = cl
	e.unit++
	c := e.pushCtx(cl, argv, FromClient)
	outcome := e.run(c)
	e.popCtx()
	e.unit--
	if e.unit > 0 { // inside Busy: the script's own unit goes on
		e.flushPushes(cl)
		e.now, e.current = savedNow, savedCurrent
		return outcome
	}
	e.afterUnit()
	if cl.pushes.Len() > 0 {
		e.flushPushes(cl)
	}
	e.current = nil
	if cl.out.Len() >= smallOutput {
		e.checkOutput(cl)
	}
	return outcome
}

// run takes a client's command through lookup, gates and queue to its call.
func (e *Engine) run(c *Ctx) Outcome {
	cl := c.cl
	cl.seen = e.now
	if cl.debug != nil || e.debug.sync != nil {
		return e.debugged(c)
	}
	err := e.admit(c)
	cl.lastCmd = c.cmd
	if err == errPaused {
		cl.paused = true
		e.pause.waiting = append(e.pause.waiting, cl)
		return Paused
	}
	if err == errDelayed {
		cl.paused = true
		return Paused
	}
	c.hear()
	cl.skip, cl.skipNext = cl.skipNext, false
	queued := false
	switch {
	case err == errCut:
		cl.closing = true
	case err != nil:
		e.reject(c, err)
	case cl.multi.open && c.cmd.Flags&NotQueued == 0:
		cl.multi.queue(c)
		c.out.Status("QUEUED")
		queued = true
	default:
		e.call(c)
	}
	c.mute()
	if cl.spoiled.by != nil && !cl.Waiting() {
		e.spoil(cl)
	}
	if !cl.multi.open {
		if cl.tracking != nil {
			cl.tracking.used(c.cmd)
		}
		cl.asking = max(0, cl.asking-1)
	}
	switch {
	case queued:
		return Queued
	case cl.wait != nil:
		return Blocked
	case cl.request != nil:
		return Requested
	case cl.closing || cl.closeNow:
		return Close
	}
	return Done
}

// admit finds the command's row and asks every gate.
func (e *Engine) admit(c *Ctx) error {
	if err := e.resolve(c); err != nil {
		return err
	}
	if e.closedGates|c.cl.closedGates()|gatesOf(c.cmd) == 0 {
		return nil
	}
	for _, gate := range clientGates {
		if err := gate(c); err != nil {
			return err
		}
	}
	return nil
}

// resolve finds the row and checks the number of arguments.
func (e *Engine) resolve(c *Ctx) error {
	cmd := e.typed.find(e.table, c.argv[0])
	if cmd == nil || !e.table.visible(cmd) {
		return errUnknownCommand(c.argv, e.table.ver)
	}
	if cmd.subs != nil && len(c.argv) > 1 {
		sub := e.findSub(cmd, c.argv[1])
		if sub == nil {
			return errUnknownSub(cmd, c.argv[1])
		}
		cmd = sub
	}
	c.cmd = cmd
	if n := len(c.argv); n != cmd.Arity && (cmd.Arity >= 0 || n < -cmd.Arity) {
		return errArity(cmd)
	}
	return nil
}

// findSub is a container's row for a subcommand, nil if the emulated version
// has none.
func (e *Engine) findSub(cmd *Command, name []byte) *Command {
	sub := named(cmd.subs, name)
	if sub == nil || !e.table.visible(sub) {
		return nil
	}
	return sub
}

// reject answers a command that was not run. Inside MULTI it spoils the
// transaction.
func (e *Engine) reject(c *Ctx, err error) {
	if c.cl.multi.open {
		c.cl.multi.aborted = true
	}
	if c.cmd != nil {
		e.stats.of(c.cmd).rejected++
		if c.cmd.Flags&Commits != 0 {
			c.cl.multi.reset()
			e.unwatch(c.cl)
			if _, elsewhere := err.(routeError); !elsewhere {
				err = errorf("EXECABORT Transaction discarded because of: %s", strings.TrimPrefix(err.Error(), "ERR "))
			}
		}
	}
	e.noted(c, "%s", err)
	e.fail(c, err)
}

// fail writes an error reply and counts it.
func (e *Engine) fail(c *Ctx, err error) {
	text := err.Error()
	c.failed = true
	e.stats.countError(text)
	c.out.Error(text)
}

// call runs a command that has passed its gates: for a client, from EXEC, from
// a script or again for a client that waited.
func (e *Engine) call(c *Ctx) {
	tap := e.opt.Tap != nil
	if tap {
		e.tapBefore(c)
	}
	mark := c.out.Mark()
	started := int64(0)
	if c.source != FromClient {
		started = e.env.Elapsed()
	}
	dirty := e.stats.dirty
	db := c.db
	if e.monitors != nil && c.cmd.Flags&SkipMonitor != 0 {
		e.showMonitors(c) // before what it runs
	}
	err := c.cmd.Handler(c)
	if e.monitors != nil && c.cmd.Flags&(SkipMonitor|Admin) == 0 {
		e.showMonitors(c)
	}
	if err != nil && err != errWait {
		e.fail(c, err)
	}
	if e.conf.StrictTTLKeys != "" {
		c.strictTTL()
	}
	if len(e.memory.open) > 0 {
		e.settleMemory()
	}
	if c.cl.tracking != nil {
		e.remember(c)
	}
	if c.source != FromBlocked {
		e.stats.commands++
	}
	if err != errWait {
		micros := e.env.Elapsed() - started
		e.stats.count(c, micros)
		e.slow.note(c, micros)
		if e.conf.LatencyMonitorThreshold > 0 {
			e.latency.note(c, micros)
		}
	}
	if e.stats.dirty != dirty && e.opt.Effects != nil && !c.ownEffect && c.cmd.Flags&Runner == 0 {
		c.db = db
		c.effect(c.argv...)
	}
	if tap {
		e.tapAfter(c, c.out.Since(mark))
	}
}

func (e *Engine) tapBefore(c *Ctx) {
	e.opt.Tap(&TapEvent{Now: e.now, Client: c.cl, DB: c.db.id, Source: c.source, Command: c.cmd, Argv: c.argv})
	if c.cmd.Flags&Runner == 0 {
		e.touched = e.touched[:0]
	}
}

func (e *Engine) tapAfter(c *Ctx, reply []byte) {
	touched := e.touched
	if c.cmd.Flags&Runner != 0 {
		touched = nil // each command it ran has said its own
	}
	e.opt.Tap(&TapEvent{After: true, Now: e.now, Client: c.cl, DB: c.db.id, Source: c.source, Command: c.cmd,
		Argv: c.argv, Reply: reply, Touched: touched})
	e.touched = e.touched[:0]
}

// afterUnit runs once after each unit, a command, a script, an EXEC or a tick:
// clients that wait for what it changed are served, and its effects go out.
func (e *Engine) afterUnit() {
	if len(e.memory.open) > 0 {
		e.settleMemory()
	}
	if len(e.effects.list) > 0 {
		e.flushEffects()
	}
	for len(e.awaited) > 0 {
		e.unit++
		e.serveAwaited()
		e.unit--
		if len(e.effects.list) > 0 {
			e.flushEffects()
		}
	}
	if e.tracking.readers != nil {
		e.settleTracking()
	}
	e.verify()
}

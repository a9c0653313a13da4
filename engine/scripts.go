package engine

import (
	"bytes"
	"slices"

	"minikv/engine/config"
	"minikv/lua"
	"minikv/resp"
)

// Scripts run as one step: while one runs nothing else does, its time stands
// still, and clients that wait for what it changes are served after its end.
// Its commands pass the same dispatch and gates as everybody's, with the
// source FromScript. A script past busy-reply-threshold lets the server answer
// others: BUSY to most, and SCRIPT KILL gets through.

type scriptState struct {
	kind      config.LuaMachine
	machine   lua.Machine        // made when first needed: see lua
	cache     map[string]*script // by SHA-1
	evals     []string           // of those that may be evicted, by the time of their last run
	functions functionSet
	busy      bool       // the running script is past its threshold
	running   *scriptRun // &host, or nil
	host      scriptRun
}

// script is a cached script with the source it came from.
type script struct {
	code   *lua.Script
	source []byte
}

// scriptRun is a script or a function in execution; it is the machine's Host.
type scriptRun struct {
	e        *Engine
	c        *Ctx   // of the EVAL or FCALL
	name     string // a script's SHA-1, or a function's name
	function bool
	since    int64  // Elapsed when it began
	wrote    bool   // it ran a command that writes: it can no longer be killed
	ran      int64  // for how many microseconds, when Busy was asked last
	kill     string // why it must stop, once it must
	denyOOM  bool   // no command that needs memory, until it has written
	refused  bool   // its last command was not run
	slot     int    // of its keys in cluster mode, -1 as long as there are none

	fieldsets fieldsets // of HIMPORT
}

// lua is the machine that lua-machine names, made at the first use.
func (s *scriptState) lua() lua.Machine {
	switch {
	case s.machine != nil:
	case s.kind == config.LuaGopher:
		s.machine = lua.NewGopher(reportedVersion)
	default:
		s.machine = lua.New(reportedVersion)
	}
	return s.machine
}

func (s *scriptState) cloneCache() map[string]*script {
	c := make(map[string]*script, len(s.cache))
	for sha, sc := range s.cache {
		c[sha] = sc
	}
	return c
}

// restore puts back a snapshot's cache. Compiled code belongs to the machine
// that made it, so a fork compiles anew.
func (s *scriptState) restore(cache map[string]*script, evals []string, state lua.State, fork bool) {
	s.evals = slices.Clone(evals)
	s.cache = make(map[string]*script, len(cache))
	for sha, sc := range cache {
		if fork {
			code, err := s.lua().Compile(sc.source)
			if err != nil {
				continue
			}
			sc = &script{code: code, source: sc.source}
		}
		s.cache[sha] = sc
	}
	s.lua().SetState(state)
}

// run executes a script for a client. denyOOM: memory was short when it began.
func (s *scriptState) run(c *Ctx, sc *script, keys, args [][]byte, denyOOM bool) error {
	r := s.begin(c, sc.code.SHA, denyOOM)
	mark := c.out.Mark()
	s.end(c, mark, s.lua().Run(sc.code, r, keys, args, c.out))
	return nil
}

// begin makes the run of a script or function; end ends it.
func (s *scriptState) begin(c *Ctx, name string, denyOOM bool) *scriptRun {
	s.host = scriptRun{e: c.e, c: c, name: name, denyOOM: denyOOM, slot: c.declaredSlot(), since: c.e.env.Elapsed()}
	s.running = &s.host
	s.lua().SetMemoryLimit(c.e.conf.LuaMemoryLimit)
	return s.running
}

// end takes the result, which stands in the output from mark on.
func (s *scriptState) end(c *Ctx, mark resp.Mark, res lua.Result) {
	s.running = nil
	c.e.effects.silent = false
	if s.busy {
		s.busy = false
		c.e.closedGates &^= gateBusy
	}
	c.failed = res.Failed
	if res.Failed && !res.Counted {
		text, _, _ := bytes.Cut(c.out.Since(mark)[1:], []byte("\r\n"))
		c.e.stats.countError(string(text))
	}
}

// Call runs one command for the script.
func (r *scriptRun) Call(argv [][]byte, reply *resp.Writer) {
	e := r.e
	c := e.pushCtx(r.c.cl, argv, FromScript)
	c.db, c.out, c.readOnly = r.c.db, reply, r.c.readOnly
	err := r.admit(c)
	r.refused = err != nil
	if err != nil {
		if c.cmd != nil {
			e.stats.of(c.cmd).rejected++
		}
		e.fail(c, err)
	} else {
		if c.cmd.Flags&Write != 0 {
			r.wrote = true
		}
		e.call(c)
		r.c.db = c.db // SELECT in a script holds for the script alone
	}
	e.popCtx()
}

// admit is the way into call for a script's command.
func (r *scriptRun) admit(c *Ctx) error {
	e := r.e
	cmd := e.typed.find(e.table, c.argv[0])
	if cmd == nil || !e.table.visible(cmd) {
		return errScriptUnknown
	}
	if cmd.subs != nil && len(c.argv) > 1 {
		if cmd = e.findSub(cmd, c.argv[1]); cmd == nil {
			return errScriptUnknown
		}
	}
	c.cmd = cmd
	if n := len(c.argv); n != cmd.Arity && (cmd.Arity >= 0 || n < -cmd.Arity) {
		return errScriptArity
	}
	if !e.scriptMay(cmd) {
		return errScriptOnly
	}
	if err := c.checkScript(); err != nil {
		return err
	}
	switch {
	case c.readOnly && cmd.Flags&(Write|MayReplicate) != 0:
		return errROScript
	case cmd.Flags&Write != 0 && !r.wrote && e.diskFails():
		return errDisk
	case r.denyOOM && !r.wrote && cmd.Flags&DenyOOM != 0:
		return errOOM
	}
	if err := protectedGate(c); err != nil {
		return err
	}
	if err := r.routeScript(c); err != nil {
		return err
	}
	return r.strictScript(c)
}

// Log writes redis.log's line.
func (r *scriptRun) Log(level int, message string) { r.e.log(LogLevel(level), message) }

// SetReplication is redis.set_repl: until it says otherwise, or ends, the effects
// of a script that wants none are not recorded. Keys that expire meanwhile are.
func (r *scriptRun) SetReplication(flags int) { r.e.effects.silent = flags == lua.ReplicateNone }

// CheckACL is redis.acl_check_cmd.
func (r *scriptRun) CheckACL(argv [][]byte) (allowed, known bool) {
	c := r.e.pushCtx(r.c.cl, argv, FromScript)
	defer r.e.popCtx()
	if r.e.resolve(c); c.cmd == nil {
		return false, false
	}
	return r.e.check(r.c.cl.user, c.cmd, argv).why == granted, true
}

// Busy lets the server serve others once the script is over its time, and
// tells whether somebody killed it.
func (r *scriptRun) Busy() string {
	e := r.e
	limit := e.conf.BusyReplyThreshold
	elapsed := e.env.Elapsed()
	r.ran = elapsed - r.since
	if elapsed == Ending {
		return serverEnds
	}
	if limit > 0 && elapsed >= limit*1000 {
		if !e.scripts.busy {
			e.scripts.busy = true
			e.closedGates |= gateBusy
			e.log(LogWarning, "Slow script detected: still in execution after "+r.name)
		}
		e.env.Busy()
	}
	return r.kill
}

// serverEnds is why a script stops when the server is closed.
const serverEnds = "Script stopped because the server ends"

// busyError is what others hear while a script or a function runs too long.
func (s *scriptState) busyError() error {
	if s.running != nil && s.running.function {
		return errBusyFunction
	}
	return errBusy
}

package engine

import (
	"strings"

	"minikv/lua"
	"minikv/value"
)

func scriptingCommands() []*Command {
	const run = NoScript | Stale | SkipMonitor | NoMandatoryKeys | MovableKeys | Runner
	const worst = "We cannot tell how the keys will be used so we assume the worst, RW and UPDATE"
	const worstRO = "We cannot tell how the keys will be used so we assume the worst, RO and ACCESS"
	const cost = "Depends on the script that is executed."
	return []*Command{
		{Name: "EVAL", Arity: -3, Flags: run | MayReplicate, Keys: noted(worst, keynum(2, RW|Access|Update)), Group: Scripting, Since: "2.6.0",
			Syntax: "script numkeys [key [key ...]] [arg [arg ...]]", Complexity: cost,
			Summary: "Runs a script as one step.", Handler: cmdEval, FlagsOf: sourceFlags},
		{Name: "EVAL_RO", Arity: -3, Flags: run | ReadOnly, Keys: noted(worstRO, keynum(2, RO|Access)), Group: Scripting, Since: "7.0.0",
			Syntax: "script numkeys [key [key ...]] [arg [arg ...]]", Complexity: cost,
			Summary: "Runs a script that may not write.", Handler: cmdEvalRO, FlagsOf: sourceFlags},
		{Name: "EVALSHA", Arity: -3, Flags: run | MayReplicate, Keys: keynum(2, RW|Access|Update), Group: Scripting, Since: "2.6.0",
			Syntax: "sha1 numkeys [key [key ...]] [arg [arg ...]]", Complexity: cost,
			Summary: "Runs a cached script, named by its SHA-1.", Handler: cmdEvalSHA, FlagsOf: cachedFlags},
		{Name: "EVALSHA_RO", Arity: -3, Flags: run | ReadOnly, Keys: keynum(2, RO|Access), Group: Scripting, Since: "7.0.0",
			Syntax: "sha1 numkeys [key [key ...]] [arg [arg ...]]", Complexity: cost,
			Summary: "Runs a cached script that may not write.", Handler: cmdEvalSHARO, FlagsOf: cachedFlags},
		{Name: "SCRIPT", Arity: -2, ACL: noGroupCategory, Group: Scripting, Since: "2.6.0", Complexity: "Depends on subcommand.",
			Summary: "Manages the script cache.", Sub: []*Command{
				scriptDebugCommand(),
				{Name: "EXISTS", Arity: -3, Flags: NoScript, Since: "2.6.0", Syntax: "sha1 [sha1 ...]", Complexity: "O(N), N the scripts asked for",
					Tips:    []string{"request_policy:all_shards", "response_policy:agg_logical_and"},
					Summary: "Tells which scripts are in the cache.", Handler: cmdScriptExists},
				{Name: "FLUSH", Arity: -2, Flags: NoScript, Since: "2.6.0", Syntax: "[ASYNC@6.2 | SYNC@6.2]", Complexity: "O(N), N the cached scripts",
					Tips:    []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
					Summary: "Empties the cache.", Handler: cmdScriptFlush},
				{Name: "KILL", Arity: 2, Flags: NoScript | AllowBusy, Since: "2.6.0", Complexity: "O(1)",
					Tips:    []string{"request_policy:all_shards", "response_policy:one_succeeded"},
					Summary: "Ends the running script, if it has not written yet.", Handler: cmdScriptKill},
				{Name: "LOAD", Arity: 3, Flags: NoScript | Stale, Since: "2.6.0", Syntax: "script", Complexity: "O(N), N the length of the script",
					Tips:    []string{"request_policy:all_nodes", "response_policy:all_succeeded"},
					Summary: "Compiles a script into the cache and answers its SHA-1.", Handler: cmdScriptLoad},
				{Name: "SHOW", Arity: 3, Flags: NoScript, Since: "valkey-8.0.0", Syntax: "sha1", Complexity: "O(1)",
					Summary: "Answers the source of a cached script.", Handler: cmdScriptShow},
			}},
	}
}

func cmdEval(c *Ctx) error      { return c.evalSource(false) }
func cmdEvalRO(c *Ctx) error    { return c.evalSource(true) }
func cmdEvalSHA(c *Ctx) error   { return c.evalSHA(false) }
func cmdEvalSHARO(c *Ctx) error { return c.evalSHA(true) }

// sourceFlags are the flags of EVAL as its script's first line declares them.
func sourceFlags(c *Ctx) Flag {
	flags, _, err := lua.ParseShebang(c.argv[1])
	if err != nil {
		return c.cmd.Flags
	}
	return declaredFlags(c.cmd.Flags, flags)
}

// cachedFlags are sourceFlags of EVALSHA.
func cachedFlags(c *Ctx) Flag {
	sc := c.e.scripts.find(c.argv[1])
	if sc == nil {
		return c.cmd.Flags
	}
	return declaredFlags(c.cmd.Flags, sc.code.Flags)
}

// declaredFlags are a command's flags as changed by what its script declares: one
// that declares nothing may write or publish, and its commands are checked one by one.
func declaredFlags(flags Flag, declared lua.Flags) Flag {
	if !declared.Shebang {
		return flags
	}
	flags &^= Stale | MayReplicate
	if !declared.NoWrites {
		flags |= Write
	}
	if !declared.NoWrites && !declared.AllowOOM {
		flags |= DenyOOM
	}
	if declared.AllowStale {
		flags |= Stale
	}
	return flags
}

// evalSource runs a script given by its text.
func (c *Ctx) evalSource(readOnly bool) error {
	if c.cl.debugMode != debugOff {
		return c.debugScript(readOnly)
	}
	keys, args, err := c.scriptArgs()
	if err != nil {
		return err
	}
	known := len(c.e.scripts.cache)
	sc, err := c.e.scripts.load(c.argv[1])
	if err != nil {
		return err
	}
	c.e.evaluated(sc.code.SHA, len(c.e.scripts.cache) > known)
	return c.runScript(sc, readOnly, keys, args)
}

// evalSHA runs a cached script.
func (c *Ctx) evalSHA(readOnly bool) error {
	if c.cl.debugMode != debugOff {
		return errDebugSHA
	}
	if len(c.argv[1]) != shaLength {
		return errNoScript
	}
	keys, args, err := c.scriptArgs()
	if err != nil {
		return err
	}
	sc := c.e.scripts.find(c.argv[1])
	if sc == nil {
		return errNoScript
	}
	c.e.evaluated(sc.code.SHA, false)
	return c.runScript(sc, readOnly, keys, args)
}

// scriptArgs splits what follows numkeys.
func (c *Ctx) scriptArgs() (keys, args [][]byte, err error) {
	n, ok := value.ParseInt(c.argv[2])
	rest := c.argv[3:]
	switch {
	case !ok:
		return nil, nil, errNotInteger
	case n > int64(len(rest)):
		return nil, nil, errNumKeysTooMany
	case n < 0:
		return nil, nil, errNumKeysNegative
	}
	return rest[:n], rest[n:], nil
}

// runScript runs a script if it may run now.
func (c *Ctx) runScript(sc *script, readOnly bool, keys, args [][]byte) error {
	denyOOM, err := c.allowScript(sc.code.Flags, readOnly)
	if err != nil {
		return err
	}
	return c.e.scripts.run(c, sc, keys, args, denyOOM)
}

// allowScript checks what a script declares against what is allowed now. It
// tells whether memory is too short for its commands.
func (c *Ctx) allowScript(flags lua.Flags, readOnly bool) (denyOOM bool, err error) {
	over := c.e.conf.MaxMemory > 0 && c.e.eviction.short
	switch {
	case flags.NoCluster && c.e.cluster != nil:
		return false, errScriptNoCluster
	case readOnly && flags.Shebang && !flags.NoWrites:
		return false, errScriptWriteFlag
	case flags.Shebang && !flags.NoWrites && c.e.diskFails():
		return false, errDisk
	case flags.Shebang && over && !flags.AllowOOM && !flags.NoWrites:
		return false, errOOM
	}
	c.readOnly = readOnly || flags.NoWrites
	c.crossSlot = !flags.Shebang || flags.AllowCrossSlotKeys
	return over && !flags.AllowOOM, nil
}

func cmdScriptExists(c *Ctx) error {
	a := c.Scan()
	c.out.Array(a.Left())
	for a.More() {
		if err := c.bool(c.e.scripts.find(a.Next()) != nil); err != nil {
			return err
		}
	}
	return nil
}

func cmdScriptFlush(c *Ctx) error {
	a := c.Scan()
	if a.More() && !a.Word("SYNC") && !a.Word("ASYNC") || a.More() {
		return errScriptFlush
	}
	c.e.scripts.cache, c.e.scripts.evals = nil, nil
	return c.ok()
}

func cmdScriptLoad(c *Ctx) error {
	sc, err := c.e.scripts.load(c.argv[2])
	if err != nil {
		return err
	}
	c.e.scripts.pin(sc.code.SHA)
	c.out.BulkString(sc.code.SHA)
	return nil
}

func cmdScriptShow(c *Ctx) error {
	sc := c.e.scripts.find(c.argv[2])
	if sc == nil {
		return errNoScript
	}
	c.out.Bulk(sc.source)
	return nil
}

func cmdScriptKill(c *Ctx) error { return c.killScript(false) }

// killScript ends the running script, or function. A function says so too as if
// it were a script.
func (c *Ctx) killScript(function bool) error {
	run := c.e.scripts.running
	switch {
	case run == nil:
		return errNotBusy
	case run.wrote:
		return errUnkillable
	case run.function != function:
		return c.e.scripts.busyError()
	}
	run.kill = "Script killed by user with SCRIPT KILL..."
	return c.ok()
}

// shaLength is that of a SHA-1 in hex.
const shaLength = 40

// find is the cached script of a SHA-1 in any case, or nil.
func (s *scriptState) find(sha []byte) *script {
	if sc := s.cache[string(sha)]; sc != nil {
		return sc
	}
	if len(sha) != shaLength {
		return nil
	}
	return s.cache[strings.ToLower(string(sha))]
}

// load compiles a script, or finds it compiled.
func (s *scriptState) load(source []byte) (*script, error) {
	sha := lua.SHA1(source)
	if sc := s.cache[sha]; sc != nil {
		return sc, nil
	}
	code, err := s.lua().Compile(source)
	if err != nil {
		return nil, wireError(err.Error())
	}
	sc := &script{code: code, source: append([]byte(nil), source...)}
	if s.cache == nil {
		s.cache = make(map[string]*script)
	}
	s.cache[sha] = sc
	return sc, nil
}

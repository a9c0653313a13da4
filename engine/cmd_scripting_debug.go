package engine

import "minikv/engine/config"

// scriptDebugCommand is the row of SCRIPT DEBUG; the debugger is in ldb.go.
func scriptDebugCommand() *Command {
	return &Command{Name: "DEBUG", Arity: 3, Flags: NoScript, Since: "3.2.0", Syntax: "<YES | SYNC | NO>", Complexity: "O(1)",
		Summary: "Chooses whether the client's next scripts run in the debugger.", Handler: cmdScriptDebug}
}

// cmdScriptDebug chooses how the client's scripts run: in the debugger on a copy
// of the data, in the debugger, or in one go.
//
// DIFFERS: lua-machine gopher-lua has no debugger: SCRIPT DEBUG YES and SYNC are refused.
func cmdScriptDebug(c *Ctx) error {
	if c.out.Len() > 0 {
		return errDebugPipeline
	}
	mode, ok := debugOff, true
	switch a := c.Scan(); {
	case a.Word("NO"):
	case a.Word("YES"):
		mode = debugForked
	case a.Word("SYNC"):
		mode = debugSync
	default:
		ok = false
	}
	switch {
	case !ok:
		return errDebugMode
	case mode != debugOff && c.e.scripts.kind == config.LuaGopher:
		return errDebugMachine
	}
	c.cl.debugMode = mode
	return c.ok()
}

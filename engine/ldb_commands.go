package engine

import (
	"math"
	"strconv"
	"strings"

	"minikv/resp"
	"minikv/value"
)

// ldbCommand is a command of the debugger: its letter or its whole name.
type ldbCommand struct {
	name  string
	least int  // arguments
	moves bool // it lets the script go on; run returns an error to raise in it
	run   func(s *debugSession, args [][]byte) string
}

var ldbCommands = []ldbCommand{
	{name: "help", run: (*debugSession).help},
	{name: "step", moves: true, run: (*debugSession).stepOver},
	{name: "next", moves: true, run: (*debugSession).stepOver},
	{name: "continue", moves: true},
	{name: "trace", run: (*debugSession).trace},
	{name: "maxlen", run: (*debugSession).setLength},
	{name: "break", run: (*debugSession).setStops},
	{name: "eval", run: (*debugSession).eval},
	{name: "abort", moves: true, run: func(*debugSession, [][]byte) string { return "script aborted for user request" }},
	{name: "redis", least: 1, run: (*debugSession).command},
	{name: "print", run: (*debugSession).print},
	{name: "list", run: (*debugSession).list},
	{name: "whole", run: (*debugSession).whole},
}

// ldbCommandOf finds a command by its name, in any case; nil if there is none.
func ldbCommandOf(argv [][]byte) *ldbCommand {
	for i := range ldbCommands {
		cmd := &ldbCommands[i]
		if word := string(argv[0]); len(argv) > cmd.least && (strings.EqualFold(word, cmd.name) || strings.EqualFold(word, cmd.name[:1])) {
			return cmd
		}
	}
	return nil
}

func (s *debugSession) help([][]byte) string {
	s.out = append(s.out, ldbHelp...)
	return ""
}

func (s *debugSession) stepOver([][]byte) string {
	s.step = true
	return ""
}

func (s *debugSession) trace([][]byte) string {
	for i, f := range s.stepper.Trace() {
		if !strings.Contains(f.Source, "user_script") {
			continue
		}
		where, name := "From", f.Name
		if i == 0 {
			where = "In"
		}
		if name == "" {
			name = "top level"
		}
		s.say(where + " " + name + ":")
		s.sayLine(f.Line)
	}
	return ""
}

// shortest is the least length lines of output can be bound to.
const shortest = 60

func (s *debugSession) setLength(args [][]byte) string {
	if len(args) == 1 {
		if s.longest = leadingInt(args[0]); s.longest != 0 {
			s.longest = max(s.longest, shortest)
		}
		s.hinted = true
	}
	if s.longest == 0 {
		s.say("<value> replies are unlimited.")
	} else {
		s.say("<value> replies are truncated at " + strconv.Itoa(s.longest) + " bytes.")
	}
	return ""
}

func (s *debugSession) eval(args [][]byte) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = string(a)
	}
	failed := false
	s.within(func() {
		v, bad := s.stepper.Eval(s, strings.Join(words, " "), s.limit())
		failed = bad
		if failed {
			s.say("<error> " + v.String())
		} else {
			s.sayLong("<retval> " + v.String())
		}
	})
	return ""
}

// command runs a command of Redis, as the script.
func (s *debugSession) command(args [][]byte) string {
	s.within(func() {
		s.sayCommand(args)
		var reply resp.Writer
		reply.SetProto(s.stepper.Proto())
		mark := reply.Mark()
		s.run.Call(args, &reply)
		s.sayReply(reply.Since(mark))
	})
	return ""
}

func (s *debugSession) print(args [][]byte) string {
	if len(args) == 1 {
		s.printOne(string(args[0]))
		return ""
	}
	variables := s.stepper.Locals(0, s.limit())
	for _, v := range variables {
		s.sayLong("<value> " + v.Name + " = " + v.String())
	}
	if len(variables) == 0 {
		s.say("No local variables in the current context.")
	}
	return ""
}

// printOne shows the variable of a name in the innermost function that has one.
func (s *debugSession) printOne(name string) {
	for level := range s.stepper.Trace() {
		for _, v := range s.stepper.Locals(level, s.limit()) {
			if v.Name == name {
				s.sayLong("<value> " + v.String())
				return
			}
		}
	}
	if name == "KEYS" || name == "ARGV" {
		s.sayLong("<value> " + s.stepper.Global(name, s.limit()).String())
		return
	}
	s.say("No such variable.")
}

// leadingInt reads the number that a text begins with, as atoi does.
func leadingInt(b []byte) int {
	text := strings.TrimLeft(string(b), " \t\n\v\f\r")
	end := 0
	for end < len(text) && (text[end] >= '0' && text[end] <= '9' || end == 0 && (text[0] == '-' || text[0] == '+')) {
		end++
	}
	n, err := strconv.ParseInt(text[:end], 10, 64)
	if err != nil && n == 0 {
		return 0
	}
	return int(int32(n))
}

// lineNumber reads a whole number.
func lineNumber(b []byte) (int, bool) {
	n, ok := value.ParseInt(b)
	return int(max(min(n, math.MaxInt32), math.MinInt32)), ok
}

var ldbHelp = []string{
	"Redis Lua debugger help:",
	"[h]elp               Show this help.",
	"[s]tep               Run current line and stop again.",
	"[n]ext               Alias for step.",
	"[c]ontinue           Run till next breakpoint.",
	"[l]ist               List source code around current line.",
	"[l]ist [line]        List source code around [line].",
	"                     line = 0 means: current position.",
	"[l]ist [line] [ctx]  In this form [ctx] specifies how many lines",
	"                     to show before/after [line].",
	"[w]hole              List all source code. Alias for 'list 1 1000000'.",
	"[p]rint              Show all the local variables.",
	"[p]rint <var>        Show the value of the specified variable.",
	"                     Can also show global vars KEYS and ARGV.",
	"[b]reak              Show all breakpoints.",
	"[b]reak <line>       Add a breakpoint to the specified line.",
	"[b]reak -<line>      Remove breakpoint from the specified line.",
	"[b]reak 0            Remove all breakpoints.",
	"[t]race              Show a backtrace.",
	"[e]val <code>        Execute some Lua code (in a different callframe).",
	"[r]edis <cmd>        Execute a Redis command.",
	"[m]axlen [len]       Trim logged Redis replies and Lua var dumps to len.",
	"                     Specifying zero as <len> means unlimited.",
	"[a]bort              Stop the execution of the script. In sync",
	"                     mode dataset changes will be retained.",
	"",
	"Debugger functions you can call from Lua scripts:",
	"redis.debug()        Produce logs in the debugger console.",
	"redis.breakpoint()   Stop execution like if there was a breakpoint in the",
	"                     next line of code.",
}

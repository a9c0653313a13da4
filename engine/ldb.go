package engine

import (
	"slices"
	"strconv"
	"strings"

	"minikv/lua"
	"minikv/resp"
)

// The Lua debugger, which redis-cli --ldb speaks to. After SCRIPT DEBUG a
// client's next EVAL opens a session: the script runs until its first line, and
// from there each command of that client is one for the debugger, until the
// script ends and the connection closes.
//
// Idea: a session is state. Nothing waits for the client: the script stands
// still in a lua.Stepper, the session remembers where, and the client's next
// command moves it on, within one Do, like any other command.
//
// A forked session works on an engine of its own, which shares the values with
// this one until either changes them (see Snapshot); it is dropped at the end,
// and other clients notice nothing. A session in sync mode works on the data
// themselves. Redis then serves nobody else; here everybody else's commands are
// kept until it is over, and so is the unit that EVAL is: its effects go out at
// its end, as those of any script.

// debugMode is what SCRIPT DEBUG chose.
type debugMode uint8

const (
	debugOff debugMode = iota
	debugForked
	debugSync
)

// debugSession is a script that a client goes through step by step. It is the
// lua.Watcher of its Stepper.
type debugSession struct {
	home    *Engine // the client's
	cl      *Client
	mode    debugMode
	shared  *Snapshot // of home, as long as a fork needs it
	stepper *lua.Stepper
	run     scriptRun // against home or its fork
	started int64     // when the EVAL came, microseconds: the script's time

	source   []string
	line     int // the last one begun
	stops    []int
	step     bool // stop at the next line
	called   bool // redis.breakpoint was called
	late     bool // the script takes too long: stop at the next line
	left     bool // nobody watches any more
	patience int  // how often a script that nobody watches may ask
	longest  int  // bytes of a line of output, 0: any
	hinted   bool
	out      []string
}

// debugState is the engine's part of the debugger.
type debugState struct {
	sessions []*debugSession
	sync     *debugSession // nobody else is served
	held     []*Client     // whose command is kept until it is over
}

// maxForks bounds the forked sessions: each holds a list of all keys.
//
// DIFFERS: at most 64 debugging sessions are open at a time.
const maxForks = 64

// usualLength is how long lines of output are at first.
const usualLength = 256

// debugScript is EVAL of a client that has said SCRIPT DEBUG.
//
// DIFFERS: a script inside of MULTI is refused after SCRIPT DEBUG, because EXEC is one step; Redis debugs it.
func (c *Ctx) debugScript(readOnly bool) error {
	if !c.mayWait() {
		return errDebugMulti
	}
	s := &debugSession{home: c.e, cl: c.cl, mode: c.cl.debugMode, started: c.e.now, step: true, longest: usualLength}
	if s.mode == debugForked && len(c.e.debug.sessions) >= maxForks {
		return errDebugForks
	}
	s.source = sourceLines(c.argv[1])
	err := s.open(c, readOnly)
	if err != nil {
		s.fail(c, err)
		return nil
	}
	c.cl.debug = s
	c.e.debug.sessions = append(c.e.debug.sessions, s)
	s.goOn(c.out, "")
	c.hear() // CLIENT REPLY OFF keeps only the script's reply back
	return nil
}

// open checks the script as EVAL does and makes all ready.
func (s *debugSession) open(c *Ctx, readOnly bool) error {
	keys, args, err := c.scriptArgs()
	if err != nil {
		return err
	}
	stepper, err := lua.NewStepper(c.argv[1], keys, args, lua.StepOptions{
		Version: reportedVersion, State: c.e.scripts.lua().State(), Proto: c.out.Proto(), MemoryLimit: c.e.conf.LuaMemoryLimit,
	})
	if err != nil {
		return wireError(err.Error())
	}
	denyOOM, err := c.allowScript(stepper.Script().Flags, readOnly)
	if err != nil {
		return err
	}
	s.stepper = stepper
	e, cl := c.e, c.cl
	if s.mode == debugForked {
		e, cl = s.fork()
	} else if _, err = e.scripts.load(c.argv[1]); err != nil {
		return err
	}
	eval := &Ctx{e: e, cl: cl, db: cl.db, cmd: c.cmd, argv: copyArgv(c.argv), out: &cl.out, readOnly: c.readOnly}
	s.run = scriptRun{e: e, c: eval, name: stepper.Script().SHA, denyOOM: denyOOM}
	if s.mode == debugSync {
		e.debug.sync = s
		e.unit++
	}
	return nil
}

// limit is how long the description of a value need be for maxlen to cut it.
func (s *debugSession) limit() int {
	if s.longest == 0 {
		return 0
	}
	return s.longest + 1
}

// fail answers an EVAL that cannot run: that, too, is the end of a session.
func (s *debugSession) fail(c *Ctx, err error) {
	s.say("<endsession>")
	s.flush(c.out)
	c.e.fail(c, err)
	c.cl.closing = true
}

// debugged is Do for a client with a session, and for all others while one is in
// sync mode.
func (e *Engine) debugged(c *Ctx) Outcome {
	if s := c.cl.debug; s != nil {
		return s.feed(c)
	}
	return e.debug.sync.hold(c.cl)
}

// feed works on one command of the session's client.
//
// DIFFERS: the debugger also takes commands that came in one piece with the EVAL, which Redis loses, and inline ones, which Redis calls a protocol error.
func (s *debugSession) feed(c *Ctx) Outcome {
	switch cmd := ldbCommandOf(c.argv); {
	case !debugArguments(c.argv):
		s.goOn(c.out, "protocol error")
	case cmd == nil:
		s.say("<error> Unknown Redis Lua debugger command or wrong number of arguments.")
		s.flush(c.out)
	case cmd.moves:
		text := ""
		if cmd.run != nil {
			text = cmd.run(s, c.argv[1:])
		}
		s.goOn(c.out, text)
	default:
		cmd.run(s, c.argv[1:])
		s.flush(c.out)
	}
	if s.cl.closing {
		return Close
	}
	return Done
}

// goOn runs the script until it stops again or ends; an error is raised in it
// first if there is a text.
func (s *debugSession) goOn(out *resp.Writer, text string) {
	ended := false
	s.within(func() {
		if text == "" {
			ended = s.stepper.Run(s)
		} else {
			ended = s.stepper.Raise(s, text)
		}
	})
	if !ended {
		s.flush(out)
		return
	}
	s.say("<endsession>")
	s.flush(out)
	if !s.cl.off {
		out.Raw(s.stepper.Reply())
	}
	s.cl.closing = true
	s.close()
}

// within lets the script work on the data: in its own time, as the script that
// runs.
func (s *debugSession) within(f func()) {
	e := s.run.e
	now := e.now
	e.now = s.started
	e.scripts.running = &s.run
	f()
	e.scripts.running = nil
	e.now = now
	if e != s.home {
		s.run.c.cl.out.Reset()
	}
}

// close ends the session: a fork is dropped, all others are served again.
func (s *debugSession) close() {
	e := s.home
	s.cl.debug = nil
	e.debug.sessions = slices.DeleteFunc(e.debug.sessions, func(o *debugSession) bool { return o == s })
	if s.mode == debugForked {
		s.stepper.Close()
		s.shared.Release()
		return
	}
	if res := s.stepper.Result(); s.stepper.Ended() {
		e.scripts.lua().SetState(s.stepper.State())
		if res.Failed && !res.Counted {
			text, _, _ := strings.Cut(string(s.stepper.Reply()[1:]), "\r\n")
			e.stats.countError(text)
		}
	}
	s.stepper.Close()
	e.effects.silent = false
	e.debug.sync = nil
	e.unit--
	held := e.debug.held
	e.debug.held = nil
	for _, cl := range held {
		cl.paused = false
		e.awake(cl)
	}
}

// hold keeps a command back while a session in sync mode is under way.
func (s *debugSession) hold(cl *Client) Outcome {
	cl.paused = true
	s.home.debug.held = append(s.home.debug.held, cl)
	return Paused
}

// endDebugging ends the session of a client that goes away. A script in sync
// mode runs to its end, as in Redis: it is not undone.
func (e *Engine) endDebugging(cl *Client) {
	s := cl.debug
	if s == nil {
		return
	}
	s.left, s.patience = true, maxPatience
	if s.mode == debugSync {
		s.within(func() { s.stepper.Run(s) })
	}
	s.close()
	if e.unit == 0 {
		e.afterUnit()
	}
}

// endAllDebugging ends every session, before the engine is put into another
// state.
func (e *Engine) endAllDebugging() {
	for _, s := range slices.Clone(e.debug.sessions) {
		e.endDebugging(s.cl)
		e.kill(s.cl)
	}
}

// maxPatience is how often a script that nobody watches may ask whether it has
// run too long: after each hundred thousand steps.
const maxPatience = 1000

// debugArguments tells whether Redis's debugger can read a command: it takes no
// empty or long arguments.
func debugArguments(argv [][]byte) bool {
	for _, a := range argv {
		if len(a) == 0 || len(a) > 1024 {
			return false
		}
	}
	return len(argv) <= 1024
}

// Calling, Called and the like are what a session hears of the script: see
// lua.Watcher.

func (s *debugSession) Line(source string, line int) bool {
	s.line = line
	if s.left || !strings.Contains(source, "user_script") {
		return false
	}
	reason := ""
	switch stop := s.stopsAt(line); {
	case s.called:
		reason = "redis.breakpoint() called"
	case stop:
		reason = "break point"
	case s.late:
		reason = "timeout reached, infinite loop?"
	case s.step:
		reason = "step over"
	default:
		return false
	}
	s.step, s.called, s.late = false, false, false
	s.say("* Stopped at " + strconv.Itoa(line) + ", stop reason = " + reason)
	s.sayLine(line)
	return true
}

func (s *debugSession) Calling(argv [][]byte) bool {
	if s.step {
		s.sayCommand(argv)
	}
	return false
}

func (s *debugSession) Call(argv [][]byte, reply *resp.Writer) { s.run.Call(argv, reply) }

func (s *debugSession) Called(_ [][]byte, reply []byte) {
	if s.step {
		s.sayReply(reply)
	}
}

func (s *debugSession) Refused(text string) {
	if s.step {
		s.say("<error> " + text)
	}
}

func (s *debugSession) Debug(values func(int) []string) {
	s.say("<debug> line " + strconv.Itoa(s.line) + ": " + strings.Join(values(0), ", "))
}

func (s *debugSession) Breakpoint() bool {
	s.called = true
	return true
}

func (s *debugSession) Log(level int, message string) { s.run.Log(level, message) }
func (s *debugSession) SetReplication(flags int)      { s.run.SetReplication(flags) }

func (s *debugSession) CheckACL(argv [][]byte) (allowed, known bool) { return s.run.CheckACL(argv) }

// Busy stops the script at its next line once it has taken too long since it was
// told to continue.
func (s *debugSession) Busy() string {
	elapsed := s.home.env.Elapsed()
	if elapsed == Ending {
		return "Script stopped because the server ends"
	}
	if s.left {
		if s.patience--; s.patience < 0 {
			return "Script stopped because its debugger has gone"
		}
		return ""
	}
	limit := s.home.conf.BusyReplyThreshold
	if limit == 0 {
		limit = 5000
	}
	s.late = s.late || elapsed >= limit*1000
	return ""
}

package lua

import (
	"errors"

	"minikv/lua/vm"
	"minikv/resp"
)

// A Watcher is the Host of a stepped run, which also sees what the script does
// and says where it stops. It is called only from within the methods of a
// Stepper that are given it.
type Watcher interface {
	Host

	// Line is told before a line begins, of the script or of a chunk that it
	// has loaded; true stops there.
	Line(source string, line int) bool

	// Calling is told of a command before it runs; true stops there, and the
	// command runs when the run goes on.
	Calling(argv [][]byte) bool

	// Called is told of a command and its reply, in the protocol the script
	// chose with redis.setresp.
	Called(argv [][]byte, reply []byte)

	// Refused is told of an error that a function of the table redis raises or
	// returns without asking the server; it has no code in front.
	Refused(text string)

	// Debug is redis.debug; values describes its arguments.
	Debug(values func(limit int) []string)

	// Breakpoint is redis.breakpoint, which returns what it returns.
	Breakpoint() bool
}

// A Stepper is one run of a script that stops where its Watcher wants, at a line
// or in front of a command, shows its variables, and goes on.
//
// Idea: machines are deterministic, so a run is its script, its arguments, and
// what the server has answered so far: the tape. A run that has stopped leaves
// the machine's loop, but its functions stay in the machine, which shows them
// and goes on with them. Only if a function written in Go waits in between (in
// pcall, the order function of table.sort, a coroutine, a metamethod) the run
// cannot go on from there: then it is made again, on the tape, up to where it
// stood. So it can stop wherever Redis can.
//
// A copy is therefore a copy of the tape, and it costs nothing to have
// thousands: all copies share one machine, which holds the run that was used
// last, and makes another one anew when that is asked for something.
//
// Price: to go on inside of such a function costs as much as the run so far,
// and so does going from one copy to another.
//
// A script in a Stepper cannot be told from one in a Machine, but for being
// slower. It does not share a machine with those: State is handed in and out.
type Stepper struct {
	stage *stage
	tape  tape
	at    int      // the number of the event at which it stands, 0 at the beginning
	next  [][]byte // the command in front of which it stands

	ended  bool
	result Result
	reply  []byte
	after  State
}

// StepOptions are the circumstances of a stepped run.
type StepOptions struct {
	Version     string // reported to the script
	State       State  // what earlier scripts left behind
	Proto       int    // of the reply, 2 or 3
	MemoryLimit int64  // see Machine.SetMemoryLimit
}

// NewStepper compiles a script to be run in steps. The error is the text of the
// server's error reply. It keeps no reference to what it is given.
func NewStepper(source []byte, keys, args [][]byte, opt StepOptions) (*Stepper, error) {
	flags, body, err := ParseShebang(source)
	if err != nil {
		return nil, err
	}
	code, err := vm.CompileLines(string(body), "user_script")
	if err != nil {
		return nil, errors.New("ERR Error compiling script (new function): " + err.Error())
	}
	m := New(opt.Version).(*machine)
	m.SetMemoryLimit(opt.MemoryLimit)
	g := &stage{
		m: m, start: opt.State, proto: max(opt.Proto, 2),
		script: &Script{SHA: SHA1(source), Flags: flags, code: code},
		keys:   copyAll(keys), args: copyAll(args),
	}
	g.open()
	return &Stepper{stage: g}, nil
}

func copyAll(list [][]byte) [][]byte {
	out := make([][]byte, len(list))
	for i, b := range list {
		out[i] = append([]byte(nil), b...)
	}
	return out
}

// Script is what is run.
func (s *Stepper) Script() *Script { return s.stage.script }

// Clone makes another run that stands where this one does and goes on by itself.
// It returns nil if the tape has become too long.
func (s *Stepper) Clone() *Stepper {
	if s.tape.full() {
		return nil
	}
	c := *s
	c.tape = s.tape.clone()
	return &c
}

// Run goes on until the watcher wants it to stop. It tells whether the script
// has ended.
func (s *Stepper) Run(w Watcher) (ended bool) { return s.goOn(w, "") }

// Raise goes on with an error at the place where the run stands. The script may
// catch it.
func (s *Stepper) Raise(w Watcher, text string) (ended bool) { return s.goOn(w, text) }

func (s *Stepper) goOn(w Watcher, text string) bool {
	if s.ended {
		return true
	}
	g := s.stage
	s.next = nil
	g.watcher, g.raise = w, text
	defer func() { g.watcher = nil }()
	var out resp.Writer
	out.SetProto(g.proto)
	if g.owner == s && g.resumable {
		g.again(&out)
	} else {
		g.fromStart(s, false, &out)
	}
	if !g.stopped {
		s.end(g.result, out.Take(nil))
	}
	return s.ended
}

func (s *Stepper) end(res Result, chunks [][]byte) {
	s.ended, s.result, s.after = true, res, s.stage.m.State()
	for _, c := range chunks {
		s.reply = append(s.reply, c...)
	}
	s.stage.clear()
}

// show brings the run onto the stage, as it stood when it stopped. It tells
// whether there is something to be seen: the run has begun and has not ended.
func (s *Stepper) show() bool {
	if s.ended || s.at == 0 {
		return false
	}
	if g := s.stage; g.owner != s {
		var out resp.Writer
		g.fromStart(s, true, &out)
		return g.owner == s && g.stopped
	}
	return true
}

// Close lets go of the machine; the copies can still go on.
func (s *Stepper) Close() {
	if s.stage.owner == s {
		s.stage.clear()
	}
	s.ended = true
}

// Ended tells whether the script has ended; Result, Reply and State tell how:
// its reply in RESP and what it left behind.
func (s *Stepper) Ended() bool    { return s.ended }
func (s *Stepper) Result() Result { return s.result }
func (s *Stepper) Reply() []byte  { return s.reply }
func (s *Stepper) State() State   { return s.after }

// Next is the command in front of which the run stands; nil at a line.
func (s *Stepper) Next() [][]byte { return s.next }

// Calls lists the commands the run has made, evaluations included.
func (s *Stepper) Calls() []CallRecord { return s.tape.calls[:len(s.tape.calls):len(s.tape.calls)] }

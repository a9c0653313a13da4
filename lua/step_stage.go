package lua

import (
	"minikv/lua/vm"
	"minikv/resp"
)

// stage is the machine of a Stepper and its copies. It is the Host of what runs
// in it: it answers from the tape as far as that goes, and then from the
// watcher.
type stage struct {
	m      *machine
	script *Script
	keys   [][]byte
	args   [][]byte
	start  State
	proto  int
	ids    func() // numbers objects from the beginning

	owner   *Stepper // whose run is in the machine, if any
	watcher Watcher
	raise   string // the error to go on with

	count      int  // events so far
	live       bool // the tape is over
	showing    bool // stop where the run stood, do not go on
	stopped    bool // it has not ended
	resumable  bool // it can go on where it stopped
	pass       bool // the next event is the one at which it stopped
	evaluating bool // code that is not the script's runs
	checks     int  // answers read from the tape
	calls      int  // replies read from the tape
	result     Result
}

// open makes the machine one that stops.
func (g *stage) open() {
	m := g.m
	m.stage = g
	m.vm.Watch(g.line)
	g.ids = m.vm.Fresh()
}

// clear takes the run out of the machine.
func (g *stage) clear() {
	g.owner = nil
	g.m.end()
}

// fromStart makes a run anew, up to where it stood, and goes on from there or,
// if it is only to be shown, stops.
func (g *stage) fromStart(s *Stepper, show bool, out *resp.Writer) {
	g.m.end()
	g.ids()
	g.m.SetState(g.start)
	g.owner, g.showing, g.pass = s, show, false
	g.count, g.calls, g.checks = 0, 0, 0
	g.live = s.at == 0
	m := g.m
	m.host, m.name, m.proto = g, g.script.SHA, 2
	m.keys.Fill(g.keys)
	m.args.Fill(g.args)
	g.perform(out, func() vm.Value { return m.vm.Run(g.script.code.(*vm.Code)) })
}

// again goes on with the run in the machine. A command in front of which it
// stands is called anew.
func (g *stage) again(out *resp.Writer) {
	g.pass = g.m.vm.AtCall()
	g.perform(out, func() vm.Value {
		if !g.pass {
			g.throw()
		}
		return g.m.vm.Resume()
	})
}

// perform runs until the script ends or stops.
func (g *stage) perform(out *resp.Writer, run func() vm.Value) {
	m := g.m
	g.stopped, g.resumable = false, false
	defer func() { g.pass = false }()
	mark := out.Mark()
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if _, ok := r.(vm.Paused); ok {
			g.stopped = true
			return
		}
		out.Truncate(mark)
		g.result = m.fail(r, out)
	}()
	g.result = m.writeReply(run(), out)
}

// throw raises the error that the run is to go on with.
func (g *stage) throw() {
	if text := g.raise; text != "" {
		g.raise = ""
		panic(&vm.Raised{Value: vm.TableValue(g.m.errorTable(withCode(text), false))})
	}
}

// event is a place where a run can stop. A run that is made again passes those
// it has stopped at before.
func (g *stage) event(stop func() bool) {
	if g.pass {
		g.pass = false
		g.throw()
		return
	}
	s := g.owner
	g.count++
	if g.live {
		if stop() && (g.m.vm.Resumable() || !s.tape.full()) {
			s.at = g.count
			g.stop()
		}
		s.next = nil
		return
	}
	for _, e := range s.tape.evals {
		if e.at == g.count {
			g.evaluate(e.source)
		}
	}
	if g.count < s.at {
		return
	}
	g.live = true
	if g.showing {
		g.stop()
	}
	g.throw()
}

func (g *stage) stop() {
	g.resumable = g.m.vm.Resumable()
	panic(vm.Paused{})
}

func (g *stage) line(line int) {
	g.event(func() bool { return g.watcher.Line(g.m.vm.Source(), line) })
}

// evaluate runs code in the midst of the run.
func (g *stage) evaluate(source string) (v vm.Value, failed bool) {
	code, err := vm.Compile("return "+source, "ldb_eval")
	if err != nil {
		if code, err = vm.Compile(source, "ldb_eval"); err != nil {
			return vm.String(err.Error()), true
		}
	}
	g.evaluating = true
	defer func() { g.evaluating = false }()
	return g.m.vm.Eval(code)
}

// Call runs one command, or reads its reply from the tape.
func (g *stage) Call(argv [][]byte, reply *resp.Writer) {
	if !g.evaluating {
		g.event(func() bool {
			stop := g.watcher.Calling(argv)
			if stop {
				g.owner.next = copyAll(argv)
			}
			return stop
		})
	}
	tape := &g.owner.tape
	if g.calls < len(tape.calls) {
		r := &tape.calls[g.calls]
		g.calls++
		if !r.of(argv) {
			panic("a stepped run has taken another way than before")
		}
		reply.Raw(r.Reply)
		return
	}
	mark := reply.Mark()
	g.watcher.Call(argv, reply)
	text := reply.Since(mark)
	tape.add(argv, text)
	g.calls++
	g.watcher.Called(argv, text)
}

// CheckACL asks the watcher, or the tape.
func (g *stage) CheckACL(argv [][]byte) (allowed, known bool) {
	tape := &g.owner.tape
	if g.checks < len(tape.known) {
		a := tape.known[g.checks]
		g.checks++
		return a.allowed, a.known
	}
	allowed, known = g.watcher.CheckACL(argv)
	tape.known = append(tape.known, aclAnswer{allowed, known})
	g.checks++
	return allowed, known
}

// Log and SetReplication are done once, when the run comes by for the first time.
func (g *stage) Log(level int, message string) {
	if g.live {
		g.watcher.Log(level, message)
	}
}

func (g *stage) SetReplication(flags int) {
	if g.live {
		g.watcher.SetReplication(flags)
	}
}

// Busy asks the watcher, also when a run is made again.
func (g *stage) Busy() string {
	if g.watcher == nil {
		return ""
	}
	return g.watcher.Busy()
}

// refused, debug and breakpoint are what the functions of the table redis tell.
func (g *stage) refused(text string) {
	if g.live {
		g.watcher.Refused(text)
	}
}

func (g *stage) debug(args []vm.Value) {
	if g.live {
		g.watcher.Debug(func(limit int) []string {
			out := make([]string, len(args))
			for i, v := range args {
				out[i] = describe(v, limit)
			}
			return out
		})
	}
}

func (g *stage) breakpoint() bool {
	return !g.live || g.watcher.Breakpoint()
}

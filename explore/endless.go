package explore

import (
	"fmt"
	"strings"

	"minikv/engine"
)

// A script that does not end. While it runs the server answers others BUSY, and
// SCRIPT KILL gets through. Such a node is in a state of its own kind: the
// script in the state in which it began. What another client's command does
// then is found by running the script again, with that command in between.

// endlessScript is a script that runs on and on.
type endlessScript struct {
	state int32
	slot  int8
	op    int32
	now   int64
}

// interruption is the engine's environment while a script runs: it serves one
// command, if there is one, and then gives the script up.
type interruption struct {
	s       *store
	elapsed int64
	now     int64
	slot    int8
	argv    [][]byte // nil: nobody sends anything
	reply   string
	gaveUp  bool
}

// overTime is longer than busy-reply-threshold, in microseconds.
const overTime = 6_000_000

// Elapsed tells a script's time; other commands take none.
func (in *interruption) Elapsed() int64 { return in.elapsed }

// Busy is called by a script that is over its time.
func (in *interruption) Busy() {
	if in.argv == nil {
		in.gaveUp, in.elapsed = true, engine.Ending
		return
	}
	cl := in.s.slots[in.slot]
	in.s.e.Do(cl, in.now, in.argv)
	in.reply, in.argv = in.s.output(cl), nil
}

// runScript runs a script, with another client's command in between.
func (s *store) runScript(key stepKey, slot int8, argv [][]byte) (gaveUp bool, reply string) {
	*s.inter = interruption{s: s, elapsed: overTime, now: (epoch + key.now) * 1000, slot: slot, argv: argv}
	s.e.Do(s.slots[key.slot], (epoch+key.now)*1000, s.ops[key.op])
	gaveUp, reply = s.inter.gaveUp, s.inter.reply
	*s.inter = interruption{s: s}
	return gaveUp, reply
}

// overruns tells whether a script does not end; if so nothing else is known of
// the engine's state. Only a script that loops can do that.
func (s *store) overruns(key stepKey) bool {
	if script := string(s.ops[key.op][1]); !strings.Contains(script, "while") && !strings.Contains(script, "repeat") {
		return false
	}
	gaveUp, _ := s.runScript(key, 0, nil)
	s.output(s.slots[key.slot])
	s.goTo(key.state)
	s.at = -1
	return gaveUp
}

// endless is the number of the state in which a script runs on and on.
func (s *store) endless(key stepKey) int32 {
	name := fmt.Sprint("endless ", key)
	if n, ok := s.numbers[name]; ok {
		return n
	}
	n := int32(len(s.states))
	s.numbers[name] = n
	s.states = append(s.states, state{due: never, locks: s.states[key.state].locks,
		script: &endlessScript{key.state, key.slot, key.op, key.now}})
	return n
}

// during is what happens in such a state.
func (s *store) during(run *endlessScript, key stepKey) *step {
	st := &step{to: key.state, all: true}
	switch key.op {
	case opTick, opReset:
		return st
	case opRestart:
		st.to = s.exec(stepKey{run.state, opRestart, 0, key.now}).to
		return st
	}
	s.goTo(run.state)
	s.at = -1
	gaveUp, reply := s.runScript(stepKey{run.state, run.op, run.slot, run.now}, key.slot, s.ops[key.op])
	st.reply = reply
	if out := s.output(s.slots[run.slot]); !gaveUp { // it was killed
		s.tick(key.now)
		st.others = append(s.answers(), answer{run.slot, out})
		st.to = s.number(key.now)
	}
	return st
}

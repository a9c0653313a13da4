package explore

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"minikv/engine"
	"minikv/engine/config"
	"minikv/resp"
)

// store is every state that any node has been in, and what each command does
// from it.
//
// Idea: a node's state is a number. One real engine computes what a command
// does to a state, once; from then on that is looked up. So a move of the
// search costs a look into a map, however deep it is, five nodes cost no more
// than one, and restarting a node or handing its data to another is a change
// of a number. Price: a snapshot per state, of which there are few, because
// orders that lead to the same data lead to the same number.
type store struct {
	e       *engine.Engine
	slots   []*engine.Client // one per client, then link and observer
	at      int32            // the state that the engine is in
	states  []state
	numbers map[string]int32 // of states, by their description
	locks   []string

	ops    [][][]byte
	opsBy  map[string]int32
	steps  map[stepKey]*step
	units  [][][][]byte // what replication carries: commands of one unit
	unitBy map[string]int32

	forgets bool // scripts that ran are forgotten: nobody can ask for them again

	inter    *interruption
	touched  []engine.Touch
	ran      []ranCommand // by the running step
	effects  [][][]byte
	computed int
	looks    bool // a command may have looked into a token
	err      error
	buf      []byte
	chunks   [][]byte
}

// state is one state of a node.
type state struct {
	snapshot *engine.Snapshot
	due      int64 // when it changes by itself, in the node's milliseconds
	locks    [maxLocks]lockValue
	script   *endlessScript // that runs; then there is no snapshot
	data     []string       // keys, values and deadlines,
	simple   bool           // if there is no more to the state
}

// lockValue is what stands under a lock's key; at is its deadline, -1: none.
type lockValue struct {
	there bool
	value string
	at    int64
}

type stepKey struct {
	state int32
	op    int32
	slot  int8
	now   int64
}

// step is what one command does to a state.
type step struct {
	to      int32
	reply   string
	blocked bool
	others  []answer // to clients that waited
	unit    int32    // what replication carries, 0: nothing
	keys    []engine.Touch
	all     bool // it concerns more than its keys
}

type answer struct {
	slot  int8
	reply string
}

type ranCommand struct {
	name string
	keys int
}

// Operations that are no commands.
const (
	opTick    int32 = -1 - iota // time has gone on
	opReset                     // a client's connection is a new one
	opRestart                   // all are, and scripts are forgotten
)

// never is the time at which nothing happens.
const never = int64(1) << 50

// epoch is the time at which schedules begin, in unix milliseconds.
const epoch = 1_735_689_600_000

func newStore(clients int, locks []string, forgets bool) *store {
	s := &store{numbers: map[string]int32{}, opsBy: map[string]int32{}, steps: map[stepKey]*step{},
		units: make([][][][]byte, 1), unitBy: map[string]int32{}, locks: locks, forgets: forgets}
	s.inter = &interruption{s: s}
	conf := config.New()
	conf.Databases = 2
	s.e = engine.New(engine.Options{Config: conf, Seed: 1, Tap: s.tap, Effects: s.effect, Env: s.inter})
	for i := range clients + 2 {
		addr := fmt.Sprintf("127.0.0.1:%d", 50001+i)
		s.slots = append(s.slots, s.e.Connect(epoch*1000, engine.ConnInfo{Addr: addr, LAddr: "127.0.0.1:6379", FD: 8 + i, Local: true}))
	}
	s.at = -1
	s.at = s.number(0)
	return s
}

// asksForScripts tells whether a file has a word that looks into the cache of
// scripts: EVALSHA, SCRIPT, INFO, MEMORY, DEBUG.
func asksForScripts(source []byte) bool {
	text := strings.ToUpper(string(source))
	return slices.ContainsFunc([]string{"EVALSHA", "\"SCRIPT", "'SCRIPT", "INFO", "MEMORY", "DEBUG"},
		func(word string) bool { return strings.Contains(text, word) })
}

// link is the slot through which replication comes, observer one for looking.
func (s *store) link() int8     { return int8(len(s.slots) - 2) }
func (s *store) observer() int8 { return int8(len(s.slots) - 1) }

func (s *store) tap(ev *engine.TapEvent) {
	if !ev.After {
		return
	}
	s.touched = append(s.touched, ev.Touched...)
	s.ran = append(s.ran, ranCommand{ev.Command.FullName(), len(ev.Touched)})
}

func (s *store) effect(f engine.Effect) {
	argv := make([][]byte, len(f.Argv))
	for i, a := range f.Argv {
		argv[i] = bytes.Clone(a)
	}
	s.effects = append(s.effects, argv)
}

// op numbers a command.
func (s *store) op(argv []string) int32 {
	key := strings.Join(argv, "\x00")
	if n, ok := s.opsBy[key]; ok {
		return n
	}
	words := make([][]byte, len(argv))
	for i, w := range argv {
		words[i] = []byte(w)
	}
	n := int32(len(s.ops))
	s.ops = append(s.ops, words)
	s.opsBy[key] = n
	return n
}

// unit numbers what replication carries.
func (s *store) unit(effects [][][]byte) int32 {
	if len(effects) == 0 {
		return 0
	}
	var key strings.Builder
	for _, argv := range effects {
		for _, w := range argv {
			fmt.Fprintf(&key, "%d:%s", len(w), w)
		}
		key.WriteByte('\n')
	}
	if n, ok := s.unitBy[key.String()]; ok {
		return n
	}
	n := int32(len(s.units))
	s.units = append(s.units, effects)
	s.unitBy[key.String()] = n
	return n
}

// number gives the engine's present state its number. A script that ran stays
// in the server's cache, where only a command that names it or counts such can
// find it; if a scenario has none of those the cache is no part of a state.
func (s *store) number(now int64) int32 {
	if s.forgets {
		s.do(s.observer(), now, "SCRIPT", "FLUSH")
	}
	s.buf = s.e.AppendState(s.buf[:0], s.slots)
	if n, ok := s.numbers[string(s.buf)]; ok {
		return n
	}
	n := int32(len(s.states))
	s.numbers[string(s.buf)] = n
	st := state{due: never, snapshot: s.e.Snapshot()}
	if due := s.tick(now); due < 1<<61 {
		st.due = (due + 999) / 1000
	}
	for i, key := range s.locks {
		st.locks[i] = s.look(key, now)
	}
	st.data, st.simple = s.describe(now)
	s.states = append(s.states, st)
	return n
}

// tick does all that is due and says when more will be, in microseconds.
func (s *store) tick(now int64) (due int64) {
	for {
		if due = s.e.Tick((epoch + now) * 1000); due > (epoch+now)*1000 {
			return due - epoch*1000
		}
	}
}

// look reads a lock's key.
func (s *store) look(key string, now int64) lockValue {
	return look(key, epoch, func(argv ...string) resp.Value { return s.do(s.observer(), now, argv...) })
}

// look reads a lock's key. Its deadline counts from begin, in unix milliseconds.
func look(key string, begin int64, do func(argv ...string) resp.Value) (v lockValue) {
	value := do("GETRANGE", key, "0", "200")
	at := do("PEXPIRETIME", key)
	v.at = -1
	if at.Int == -2 {
		return v
	}
	v.there, v.value = true, value.Str
	if at.Int > 0 {
		v.at = at.Int - begin
	}
	return v
}

// goTo puts the engine into a state.
func (s *store) goTo(n int32) {
	if s.at != n {
		s.e.Restore(s.states[n].snapshot)
		s.at = n
	}
}

// exec is what a command of a client does to a state.
func (s *store) exec(key stepKey) *step {
	if st := s.steps[key]; st != nil {
		return st
	}
	st := s.compute(key)
	s.steps[key] = st
	return st
}

func (s *store) compute(key stepKey) *step {
	s.computed++
	if run := s.states[key.state].script; run != nil {
		return s.during(run, key)
	}
	s.goTo(key.state)
	s.at = -1
	s.touched, s.ran, s.effects = s.touched[:0], s.ran[:0], nil
	st := &step{}
	switch key.op {
	case opTick:
		s.tick(key.now)
		st.all = true
	case opReset:
		s.reset(key.slot, key.now)
		st.all = true
	case opRestart:
		for i := range s.slots {
			s.reset(int8(i), key.now)
		}
		s.do(s.observer(), key.now, "SCRIPT", "FLUSH")
		st.all = true
	default:
		if isEval(string(s.ops[key.op][0])) && s.overruns(key) {
			return &step{to: s.endless(key), blocked: true, all: true}
		}
		s.run(st, key)
	}
	s.tick(key.now)
	st.others = s.answers()
	st.unit = s.unit(s.effects)
	known := len(s.states)
	if st.to = s.number(key.now); int(st.to) == known {
		s.at = st.to // it is there already
	}
	return st
}

// run runs a client's command and finds out what it concerned.
func (s *store) run(st *step, key stepKey) {
	cl, argv := s.slots[key.slot], s.ops[key.op]
	outcome := s.e.Do(cl, (epoch+key.now)*1000, argv)
	switch outcome {
	case engine.Requested, engine.Paused, engine.Close:
		s.fail(fmt.Errorf("%s cannot be explored", argv[0]))
	}
	st.blocked = outcome == engine.Blocked
	st.reply = s.output(cl)
	if s.err != nil {
		st.reply = string(resp.AppendError(nil, "ERR "+s.err.Error()))
	}
	s.looks = s.looks || s.looksInside(argv)
	st.keys = append(st.keys, s.touched...)
	st.all = st.blocked || outcome != engine.Queued && s.concernsAll(argv)
}

// concernsAll tells whether what has just run may depend on, or change, more
// than the keys that it touched.
func (s *store) concernsAll(argv [][]byte) bool {
	if isEval(string(argv[0])) && !s.declared(argv) {
		return true
	}
	for _, c := range s.ran {
		switch strings.ToUpper(c.name) {
		case "MULTI", "PING", "ECHO", "EVAL", "EVAL_RO":
		case "WATCH", "UNWATCH", "DISCARD", "EXEC", "EVALSHA", "EVALSHA_RO", "TIME", "SCAN", "KEYS", "RANDOMKEY",
			"SPOP", "SRANDMEMBER", "HRANDFIELD", "ZRANDMEMBER", "SWAPDB", "SELECT":
			return true
		default:
			if c.keys == 0 {
				return true
			}
		}
	}
	return len(s.ran) == 0 // it was refused
}

// declared tells whether a script touched no keys but those it was given.
func (s *store) declared(argv [][]byte) bool {
	for _, t := range s.touched {
		named := false
		for _, a := range argv[min(3, len(argv)):] {
			named = named || string(a) == t.Key
		}
		if !named {
			return false
		}
	}
	return true
}

// reset makes a client's connection a new one.
func (s *store) reset(slot int8, now int64) {
	cl := s.slots[slot]
	if cl.Waiting() {
		s.do(s.observer(), now, "CLIENT", "UNBLOCK", fmt.Sprint(cl.ID()))
	}
	s.do(slot, now, "RESET")
}

// do runs a command and returns its reply.
func (s *store) do(slot int8, now int64, argv ...string) resp.Value {
	words := make([][]byte, len(argv))
	for i, w := range argv {
		words[i] = []byte(w)
	}
	s.e.Do(s.slots[slot], (epoch+now)*1000, words)
	v, _, _ := resp.Decode([]byte(s.output(s.slots[slot])))
	return v
}

// output takes a client's output.
func (s *store) output(cl *engine.Client) string {
	s.chunks = cl.Output(s.chunks[:0])
	text := string(bytes.Join(s.chunks, nil))
	for _, c := range s.chunks {
		cl.Recycle(c)
	}
	return text
}

// answers takes the output of clients that waited.
func (s *store) answers() (list []answer) {
	s.e.Ready()
	for i, cl := range s.slots {
		if cl.Pending() > 0 {
			list = append(list, answer{int8(i), s.output(cl)})
		}
	}
	return list
}

func (s *store) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

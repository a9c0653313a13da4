package explore

import (
	"errors"
	"fmt"

	"minikv/lua/lib"
	"minikv/lua/vm"
)

// machine runs the programs of a scenario file on the Lua machine.
//
// Idea: a program is a function of what it has seen. To know what it does
// after some replies, the file is run from its first line with those replies
// on record; the first call that is not on record ends the run and is the
// answer. So nothing has to be copied or rolled back, programs cannot share
// anything by accident, and a run is needed once per history only: programs
// keeps them in a tree. Price: a run per new point, some 20 microseconds.
type machine struct {
	vm    *vm.VM
	code  *vm.Code // the file
	enter *vm.Code // calls the chosen program
	mut   *Mutant
	run   run
	polls int
}

// run is one run of the file.
type run struct {
	scenario *Scenario
	program  int // which one is wanted
	form     int
	seen     []string // on record
	next     int      // how much of it has been replayed
	act      action   // where the run stopped
	inside   bool     // the program has begun
	attempt  int      // where it begins, 0: with whatever comes first
	begun    bool     // attempts has been called
	tokens   int

	entry vm.Value // the wanted program
	parts vm.Value // the wanted form's table
}

// Programs that are no client's.
const (
	noProgram      = -1
	setupProgram   = -2
	finallyProgram = -3
)

// The texts with which a run is stopped.
const (
	stopHere    = "explore: the program waits"
	stopRunaway = "a program runs on and on without a command"
)

// maxPolls bounds a run, in units of 100,000 steps.
const maxPolls = 20

const prelude = `
local loadstring, tostring, ipairs = loadstring, tostring, ipairs
local from, attempt = __from, __attempt
function attempts(n, body)
  for i = from(), n do
    attempt(i)
    body(i)
  end
end
function thin(script, keys, args)
  local texts = {}
  for i, v in ipairs(args or {}) do texts[i] = tostring(v) end
  local body, err = loadstring("local KEYS, ARGV = ... " .. script, "script")
  if not body then error(err) end
  local result = body(keys or {}, texts)
  if result == true then return 1 end
  return result
end
`

// newMachine compiles a file. Mut, if set, changes what its programs do.
func newMachine(file string, source []byte, mut *Mutant) (*machine, error) {
	m := &machine{vm: vm.New(), mut: mut}
	code, err := vm.Compile(string(source), file)
	if err != nil {
		return nil, err
	}
	m.code = code
	if m.enter, err = vm.Compile("return __program(__parts)", "start"); err != nil {
		return nil, err
	}
	m.vm.Busy = m.busy
	m.open()
	begin, err := vm.Compile(prelude, "prelude")
	if err != nil {
		return nil, err
	}
	m.vm.Run(begin)
	m.vm.Reset()
	m.vm.Globals.ReadOnly()
	return m, nil
}

func (m *machine) busy() string {
	if m.polls++; m.polls > maxPolls {
		return stopRunaway
	}
	return ""
}

// open fills the globals.
func (m *machine) open() {
	g := m.vm.Globals
	for name, v := range m.vm.Base() {
		g.SetField(name, v)
	}
	library := func(name string, members map[string]vm.Value) *vm.Table {
		t := vm.NewTable(0, len(members))
		for k, v := range members {
			t.SetField(k, v)
		}
		t.ReadOnly()
		g.SetField(name, vm.TableValue(t))
		return t
	}
	m.vm.SetStrings(library("string", m.vm.Strings()))
	library("table", m.vm.Tables())
	library("math", m.vm.Maths())
	for name, f := range m.declarations() {
		g.SetField(name, m.vm.Native(f))
	}
	for name, f := range m.moves() {
		g.SetField(name, m.vm.Native(f))
	}
	for _, word := range []Expect{Breaks, Holds, Narrows, Shows} {
		g.SetField(string(word), vm.String(string(word)))
	}
	redis := vm.NewTable(0, 2)
	redis.SetField("call", m.vm.Native(func(c vm.Call) int { return m.call(c, 1, 0, raise) }))
	redis.SetField("pcall", m.vm.Native(func(c vm.Call) int { return m.call(c, 1, 0, asTable) }))
	meta := vm.NewTable(0, 1)
	meta.SetField("__call", m.vm.Native(func(c vm.Call) int { return m.call(c, 2, 0, asText) }))
	meta.ReadOnly()
	redis.SetMeta(meta)
	redis.ReadOnly()
	g.SetField("redis", vm.TableValue(redis))
	missing := vm.NewTable(0, 1)
	missing.SetField("__index", m.vm.Native(func(c vm.Call) int {
		name, _ := c.Arg(2).Text()
		return m.wrong(c, "there is no global variable "+name)
	}))
	missing.ReadOnly()
	g.SetMeta(missing)
}

// wrong ends a run: the file is not as it should be.
func (m *machine) wrong(c vm.Call, text string) int {
	c.Throw(vm.String(c.Where(1) + text))
	return 0
}

// declare reads what the file declares.
func (m *machine) declare(s *Scenario) error {
	m.run = run{scenario: s, program: noProgram}
	_, err := m.runs(m.code)
	return err
}

// next says what a program does once it has seen all that is on record, since
// the given attempt began. An error is one of the scenario file.
func (m *machine) next(s *Scenario, program, form, attempt int, seen []string) (action, error) {
	scratch := &Scenario{File: s.File}
	m.run = run{scenario: scratch, program: program, form: form, attempt: attempt, seen: seen}
	if stopped, err := m.runs(m.code); err != nil || stopped {
		return action{}, errors.Join(err, errors.New(s.File+": a program begins in the middle of the file"))
	}
	m.run.inside = true
	m.vm.Globals.SetField("__program", m.run.entry)
	m.vm.Globals.SetField("__parts", m.run.parts)
	stopped, err := m.runs(m.enter)
	var died diedOf
	switch {
	case errors.As(err, &died):
		return action{kind: actDied, text: string(died)}, nil
	case err != nil:
		return action{}, err
	case stopped:
		return m.run.act, nil
	case m.run.next < len(seen):
		return action{}, fmt.Errorf("%s: a program does not do the same again", s.File)
	}
	return action{kind: actDone}, nil
}

// diedOf is an error reply that a program did not expect.
type diedOf string

func (d diedOf) Error() string { return string(d) }

// runs runs a chunk; stopped is true if a program waits.
func (m *machine) runs(code *vm.Code) (stopped bool, err error) {
	m.polls = 0
	defer func() {
		if r := recover(); r != nil {
			v := vm.Thrown(r)
			switch text, ok := v.Text(); {
			case m.vm.Stop == stopHere:
				stopped = true
			case ok:
				err = errors.New(text)
			default:
				t, _ := v.Table()
				if t == nil {
					err = errors.New("a program raised a " + v.Kind().String())
					break
				}
				text, _ := t.Field("err").Text()
				err = diedOf(text)
			}
		}
		m.vm.Reset()
	}()
	m.vm.Run(code)
	return false, nil
}

// perform is what a program calls to do something: it returns what was seen,
// or ends the run if that is not on record.
func (m *machine) perform(c vm.Call, act action) string {
	r := &m.run
	if !r.inside {
		m.wrong(c, "only a client's program can do this")
	}
	if r.attempt > 0 && !r.begun {
		m.wrong(c, "attempts must come first")
	}
	if r.next < len(r.seen) {
		r.next++
		return r.seen[r.next-1]
	}
	r.act = act
	m.vm.Stop = stopHere
	c.Throw(vm.String(stopHere))
	return ""
}

// text reads argument i, a string or a number.
func (m *machine) text(c vm.Call, i int) string {
	v := c.Arg(i)
	if n, ok := v.Num(); ok && n == float64(int64(n)) {
		return fmt.Sprint(int64(n))
	}
	s, ok := v.Text()
	if !ok {
		m.wrong(c, fmt.Sprintf("argument %d must be a string or a number", i))
	}
	return s
}

// number reads argument i, a whole number that is not negative.
func (m *machine) number(c vm.Call, i int) int64 {
	n, ok := c.Arg(i).ToNumber()
	if !ok || n < 0 || n != float64(int64(n)) || n > 1<<40 {
		m.wrong(c, fmt.Sprintf("argument %d must be a whole number, not negative", i))
	}
	return int64(n)
}

// table reads argument i, a table.
func (m *machine) table(c vm.Call, i int) *vm.Table {
	t, ok := c.Arg(i).Table()
	if !ok {
		m.wrong(c, fmt.Sprintf("argument %d must be a table", i))
	}
	return t
}

// function reads argument i, a function.
func (m *machine) function(c vm.Call, i int) vm.Value {
	if c.Arg(i).Kind() != lib.Closure {
		m.wrong(c, fmt.Sprintf("argument %d must be a function", i))
	}
	return c.Arg(i)
}

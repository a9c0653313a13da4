package lua

import (
	"errors"
	"maps"
	"math"
	"slices"

	"minikv/lua/lib"
	"minikv/lua/vm"
	"minikv/resp"
)

// machine is a Machine on package vm.
//
// Idea: one state serves all scripts. All that a script can reach and that
// outlives it is read-only, except for State; whatever else it made is garbage
// when it ends. So the strings and tables that a run needs at its start (KEYS,
// ARGV, replies of commands) are made of memory that the next run uses again.
type machine struct {
	version string
	vm      *vm.VM
	json    *lib.JSON
	random  *Random
	text    arena
	keys    *vm.Table
	args    *vm.Table

	host  Host
	name  string // of what runs: a script's SHA-1, or a function's name
	proto int    // of redis.call's replies, chosen by redis.setresp
	stage *stage // nil: scripts run in one go

	libraries *libraries // nil in the machine that they have
	limit     int        // of memory, in bytes; 0 is none

	reply resp.Writer
	argv  [][]byte
	ends  []int
	buf   []byte
}

// New returns minikv's own machine; it reports the given Redis version to
// scripts.
func New(version string) Machine {
	random := lib.NewRandom()
	m := newMachine(version, &random)
	m.keys, m.args = vm.NewTable(0, 0), vm.NewTable(0, 0)
	m.open()
	return m
}

func newMachine(version string, random *Random) *machine {
	m := &machine{version: version, random: random, vm: vm.New(), json: lib.NewJSON(vm.LibNull)}
	m.vm.Busy = func() string { return m.host.Busy() }
	return m
}

// SetMemoryLimit bounds the memory of each script and function.
func (m *machine) SetMemoryLimit(bytes int64) {
	m.limit = int(min(bytes, math.MaxInt))
	m.vm.SetMemoryLimit(m.limit)
	if m.libraries != nil {
		m.libraries.vm.SetMemoryLimit(m.limit)
	}
}

// State returns the generator and the settings of cjson.
func (m *machine) State() State {
	s := State{Random: *m.random, JSON: m.json.JSONConfig, Functions: lib.NewJSON(vm.LibNull).JSONConfig}
	if m.libraries != nil {
		s.Functions = m.libraries.json.JSONConfig
	}
	return s
}

// SetState puts a State back.
func (m *machine) SetState(s State) {
	*m.random, m.json.JSONConfig = s.Random, s.JSON
	if m.State().Functions != s.Functions {
		m.functions().json.JSONConfig = s.Functions
	}
}

// Compile compiles a script.
func (m *machine) Compile(source []byte) (*Script, error) {
	flags, body, err := ParseShebang(source)
	if err != nil {
		return nil, err
	}
	code, err := vm.Compile(string(body), "user_script")
	if err != nil {
		return nil, errors.New("ERR Error compiling script (new function): " + err.Error())
	}
	return &Script{SHA: SHA1(source), Flags: flags, code: code}, nil
}

// Run runs a script.
func (m *machine) Run(s *Script, host Host, keys, args [][]byte, reply *resp.Writer) (res Result) {
	m.host, m.name, m.proto = host, s.SHA, 2
	m.keys.Fill(keys)
	m.args.Fill(args)
	mark := reply.Mark()
	defer func() {
		if r := recover(); r != nil {
			reply.Truncate(mark)
			res = m.fail(r, reply)
		}
		m.end()
	}()
	return m.writeReply(m.vm.Run(s.code.(*vm.Code)), reply)
}

// end lets go of what belongs to the run that is over.
func (m *machine) end() {
	m.vm.Reset()
	m.host = nil
	m.keys.Fill(nil)
	m.args.Fill(nil)
	m.text.reset()
	m.reply.Reset()
	if cap(m.buf) > 1<<20 {
		m.buf = nil
	}
}

// fail writes the error reply of a script that ended with a panic.
func (m *machine) fail(r any, reply *resp.Writer) Result {
	source, at, placed := m.vm.Place(0)
	res := Result{Failed: true}
	text := ""
	switch v, ok := thrown(r); {
	case m.vm.Stop != "":
		text = withCode(m.vm.Stop)
	case !ok:
		text = "ERR script failed inside of the interpreter"
	default:
		text, res.Counted = m.errorText(v)
	}
	text = line(text)
	if placed {
		text += " script: " + m.name + ", on " + line(source) + ":" + lib.FormatNumber(float64(at)) + "."
	}
	reply.Error(text)
	return res
}

// thrown returns the value of a script's error; ok is false if the machine
// itself has failed.
func thrown(r any) (v vm.Value, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return vm.Thrown(r), true
}

// errorText returns the text of a thrown value and whether a command has
// already counted it.
//
// DIFFERS: Redis 7.0.15 crashes when a script throws a table without a string in its err field; minikv answers with an error.
func (m *machine) errorText(v vm.Value) (string, bool) {
	t, ok := v.Table()
	if !ok {
		return "ERR " + m.vm.ToString(v), false
	}
	counted := t.Field(statsField) == vm.True
	if s, ok := t.Field("err").Text(); ok {
		return s, counted
	}
	return "ERR unknown error", counted
}

// statsField marks an error that has been counted.
const statsField = "ignore_error_stats_update"

// open fills the globals with exactly what Redis gives to scripts.
func (m *machine) open() {
	g := m.vm.Globals
	g.SetField("__redis__err__handler", m.vm.Native(m.errorHandler))
	g.SetField("KEYS", vm.TableValue(m.keys))
	g.SetField("ARGV", vm.TableValue(m.args))
	m.openLibraries(m.redisMembers())
	m.protect(g)
}

// openLibraries fills the globals with what scripts and functions have.
func (m *machine) openLibraries(redis map[string]vm.Value) {
	g := m.vm.Globals
	for name, v := range sorted(m.vm.Base()) {
		g.SetField(name, m.vm.Numbered(v))
	}
	g.SetField("_VERSION", vm.String("Lua 5.1"))
	m.vm.SetStrings(m.library("string", m.vm.Strings()))
	m.library("table", m.vm.Tables())
	m.library("math", m.mathMembers())
	m.library("bit", m.vm.Libraries(lib.Bits))
	m.library("struct", m.vm.Libraries(lib.Structs))
	m.library("cjson", m.jsonMembers(m.json))
	m.library("cmsgpack", m.packMembers())
	m.library("coroutine", m.vm.Coroutines())
	m.library("redis", redis)
	g.SetField("_G", vm.TableValue(g))
}

// protect makes a table read-only, whose missing fields are errors.
func (m *machine) protect(t *vm.Table) {
	meta := vm.NewTable(0, 1)
	meta.SetField("__index", m.vm.Native(missingGlobal))
	meta.ReadOnly()
	t.SetMeta(meta)
	t.ReadOnly()
}

// sorted goes through members in the order of their names, so that the order of
// the keys of a library does not change.
func sorted(members map[string]vm.Value) func(func(string, vm.Value) bool) {
	return func(yield func(string, vm.Value) bool) {
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if !yield(name, members[name]) {
				return
			}
		}
	}
}

// library makes a library and the global that holds it.
func (m *machine) library(name string, members map[string]vm.Value) *vm.Table {
	t := vm.NewTable(0, len(members))
	for k, v := range sorted(members) {
		t.SetField(k, m.vm.Numbered(v))
	}
	t.ReadOnly()
	m.vm.Globals.SetField(name, vm.TableValue(t))
	return t
}

func missingGlobal(c vm.Call) int {
	name, _ := c.Arg(2).Text()
	c.Throw(vm.String(c.Where(1) + "Script attempted to access nonexistent global variable '" + name + "'"))
	return 0
}

func (m *machine) mathMembers() map[string]vm.Value {
	out := m.vm.Maths()
	out["pi"] = vm.Number(math.Pi)
	out["huge"] = vm.Number(math.Inf(1))
	out["random"] = m.vm.Library(func(c *lib.Call) { lib.RandomNumber(c, m.random) })
	out["randomseed"] = m.vm.Library(func(c *lib.Call) { lib.RandomSeed(c, m.random) })
	return out
}

func (m *machine) jsonMembers(j *lib.JSON) map[string]vm.Value {
	out := m.vm.Libraries(j.Functions())
	out["_NAME"], out["_VERSION"] = vm.String("cjson"), vm.String("2.1.0")
	out["null"] = vm.Null
	out["new"] = m.vm.Native(func(c vm.Call) int {
		t := m.vm.NewTable(0, 16)
		for k, v := range sorted(m.jsonMembers(lib.NewJSON(vm.LibNull))) {
			t.SetField(k, m.vm.Numbered(v))
		}
		return c.Return(vm.TableValue(t))
	})
	return out
}

func (m *machine) packMembers() map[string]vm.Value {
	out := m.vm.Libraries(lib.Packs)
	out["_NAME"], out["_VERSION"] = vm.String("cmsgpack"), vm.String("lua-cmsgpack 0.4.0")
	out["_COPYRIGHT"] = vm.String("Copyright (C) 2012, Salvatore Sanfilippo")
	out["_DESCRIPTION"] = vm.String("MessagePack C implementation for Lua")
	return out
}

// errorHandler is the global __redis__err__handler.
func (m *machine) errorHandler(c vm.Call) int {
	t, ok := c.Arg(1).Table()
	if !ok {
		t = m.errorTable("ERR "+m.vm.ToString(c.Arg(1)), false)
	}
	if source, line, ok := m.vm.Place(1); ok && !t.IsReadOnly() {
		t.SetField("source", vm.String(source))
		t.SetField("line", vm.Number(float64(line)))
	}
	return c.Return(vm.TableValue(t))
}

// arena holds the strings of replies until the run ends.
type arena struct{ buf []byte }

// maxShared is how long a string may be that goes into the arena.
const maxShared = 1 << 10

// string copies b.
func (a *arena) string(b []byte) vm.Value {
	if len(b) > maxShared {
		return vm.String(string(b))
	}
	if a.buf == nil || len(b) > cap(a.buf)-len(a.buf) {
		a.buf = make([]byte, 0, 1<<13)
	}
	n := len(a.buf)
	a.buf = append(a.buf, b...)
	return vm.Alias(a.buf[n:])
}

func (a *arena) reset() { a.buf = a.buf[:0] }

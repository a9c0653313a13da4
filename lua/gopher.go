package lua

import (
	"strconv"
	"strings"

	gl "github.com/yuin/gopher-lua"

	"minikv/lua/lib"
	"minikv/resp"
)

// gopher is a Machine on gopher-lua.
//
// Idea: one gopher-lua state serves all scripts. A script is parsed, rewritten
// (see package rewrite) and compiled once; a run only sets KEYS and ARGV and
// calls the cached function. Whatever a script could change and leave behind
// is either made anew for each run or read-only, so nothing but State passes
// from one script to the next.
//
// Invariant: libraries and globals never change after open, so the compiler
// may put redis.call itself, not its name, into the code.
//
// Price: scripts see libraries through empty tables with an __index, so that a
// write to them can be refused; see proxies.
type gopher struct {
	version string

	l       *gl.LState
	globals *gl.LTable
	guard   *gl.LFunction        // guarded
	onError func(*gl.LState)     // raised
	lib     map[string]gl.LValue // library members by path, such as "redis.call"
	proxies map[*gl.LTable]*gl.LTable
	fixed   map[*gl.LTable]bool // proxies and what is behind them
	null    *gl.LUserData
	next    *gl.LFunction
	ipairs  *gl.LFunction

	json   *lib.JSON
	random *Random

	libraries *gopherLibraries       // nil in the machine that they have
	known     func(path string) bool // see constant
	seal      func()                 // ends openSandbox

	run     run
	pace    pacer
	calls   []*gopherCall
	depth   int
	damaged bool
	lanes   lanes
	co      coroutines

	reply resp.Writer
	argv  [][]byte
	ends  []int
	arena []byte
}

// run is what belongs to the script that is running.
type run struct {
	name   string // a script's SHA-1, or a function's name
	host   Host
	proto  int    // of redis.call's replies, chosen by redis.setresp
	source string // where the error was raised
	line   int
	placed bool          // source and line are known
	code   []*gopherCode // the script and what it loaded
	keys   gl.LValue
	args   gl.LValue
}

// NewGopher returns a machine on gopher-lua that reports the given Redis
// version to scripts.
func NewGopher(version string) Machine {
	random := lib.NewRandom()
	m := newGopher(version, &random)
	m.known, m.seal = m.constant, m.protectGlobals
	m.open()
	return m
}

func newGopher(version string, random *Random) *gopher {
	m := &gopher{version: version, random: random}
	m.null = &gl.LUserData{Value: nullValue{}, Metatable: gl.LNil}
	m.json = lib.NewJSON(fromLua(m.null))
	m.pace.m = m
	return m
}

// SetMemoryLimit does nothing.
//
// DIFFERS: With lua-machine gopher-lua, lua-memory-limit does nothing.
func (m *gopher) SetMemoryLimit(int64) {}

// open makes the gopher-lua state, first at the start and again after a crash
// inside of it.
func (m *gopher) open() {
	m.l = gl.NewState(gl.Options{
		SkipOpenLibs:     true,
		CallStackSize:    maxDepth,
		RegistrySize:     1 << 14,
		RegistryMaxSize:  maxRegistry,
		RegistryGrowStep: 1 << 14,
	})
	m.l.Options = coroutineOptions
	m.globals = m.l.G.Global
	m.proxies, m.fixed = map[*gl.LTable]*gl.LTable{}, map[*gl.LTable]bool{}
	m.lib = map[string]gl.LValue{}
	m.lanes, m.co = lanes{}, coroutines{}
	m.calls, m.depth, m.damaged = nil, 0, false
	m.guard, m.onError = m.l.NewFunction(m.guarded), m.raised
	m.openSandbox()
	m.seal()
}

// maxArray is the highest index of an array part. gopher-lua fills an array up
// to the index that is set, so that t[50000000] = 1 would take gigabytes.
//
// DIFFERS: The length operator # does not count the elements of a table beyond the first 4194304.
const maxArray = 1 << 22

func init() { gl.MaxArrayIndex = maxArray }

// State returns the generator and the settings of cjson.
func (m *gopher) State() State {
	s := State{Random: *m.random, JSON: m.json.JSONConfig, Functions: lib.NewJSON(m.json.Null).JSONConfig}
	if m.libraries != nil {
		s.Functions = m.libraries.json.JSONConfig
	}
	return s
}

// SetState puts a State back.
func (m *gopher) SetState(s State) {
	*m.random, m.json.JSONConfig = s.Random, s.JSON
	if m.State().Functions != s.Functions {
		m.functions().json.JSONConfig = s.Functions
	}
}

// Run runs a script.
func (m *gopher) Run(s *Script, host Host, keys, args [][]byte, reply *resp.Writer) (res Result) {
	c := s.code.(*gopherCode)
	if m.damaged {
		m.open()
	}
	m.begin(s.SHA, host, c)
	mark := reply.Mark()
	defer func() {
		m.end(c)
		if r := recover(); r != nil {
			// A fault of the machine itself: answer, and start from a new state.
			reply.Truncate(mark)
			reply.Error("ERR " + m.suffix("script failed inside of the interpreter"))
			res = Result{Failed: true}
			m.open()
		}
	}()
	m.bind(c, keys, args)
	m.l.Push(m.guard)
	m.l.Push(c.function(m))
	if err := m.l.PCall(1, 1, nil); err != nil {
		return m.fail(err, reply)
	}
	v := m.l.Get(-1)
	m.l.SetTop(0)
	return m.writeReply(v, reply)
}

func (m *gopher) begin(name string, host Host, c *gopherCode) {
	m.run = run{name: name, host: host, proto: 2, code: append(m.run.code[:0], c)}
	m.pace.start()
	m.depth = 0
	m.lanes.used = 0
	m.co.reset()
	if c.endless {
		m.l.SetContext(&m.pace)
	} else {
		m.l.RemoveContext()
	}
	if cap(m.arena) > 1<<20 {
		m.arena = nil
	}
}

// end lets go of what belongs to the run that is over.
func (m *gopher) end(c *gopherCode) {
	c.bind(gl.LNil, gl.LNil)
	m.run.host, m.run.keys, m.run.args = nil, gl.LNil, gl.LNil
	m.reply.Reset()
}

// bind gives the script its KEYS and ARGV: new tables, for it may change them.
func (m *gopher) bind(c *gopherCode, keys, args [][]byte) {
	m.run.keys, m.run.args = gl.LNil, gl.LNil
	if len(c.keys) > 0 || c.dynamic {
		m.run.keys = m.list(keys)
	}
	if len(c.args) > 0 || c.dynamic {
		m.run.args = m.list(args)
	}
	c.bind(m.run.keys, m.run.args)
	if c.dynamic {
		m.globals.RawSetString("KEYS", m.run.keys)
		m.globals.RawSetString("ARGV", m.run.args)
	}
}

// list makes the table KEYS or ARGV.
func (m *gopher) list(items [][]byte) *gl.LTable {
	t := m.l.CreateTable(len(items), 0)
	for _, b := range items {
		t.Append(gl.LString(b))
	}
	return t
}

// versionNumber returns redis.REDIS_VERSION_NUM: 0x00MMmmpp.
func versionNumber(version string) int {
	n := 0
	for i, part := range append(strings.Split(version, "."), "0", "0")[:3] {
		v, _ := strconv.Atoi(part)
		n |= v & 0xff << (16 - 8*i)
	}
	return n
}

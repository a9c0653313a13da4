package lua

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"minikv/resp"
)

// stepHost is a server of its own for each run; it stops a run when stop says so.
type stepHost struct {
	*memoryHost
	stop       func() bool
	calling    bool // stop in front of commands, too
	lines      []int
	breakpoint bool
	shown      []string
	refused    []string
}

func newStepHost() *stepHost {
	return &stepHost{memoryHost: newMemoryHost(), stop: func() bool { return true }}
}

func (h *stepHost) Line(source string, line int) bool {
	if source == "user_script" {
		h.lines = append(h.lines, line)
	}
	return h.stop()
}
func (h *stepHost) Calling([][]byte) bool           { return h.calling && h.stop() }
func (h *stepHost) Called([][]byte, []byte)         {}
func (h *stepHost) Refused(text string)             { h.refused = append(h.refused, text) }
func (h *stepHost) Debug(values func(int) []string) { h.shown = append(h.shown, values(0)...) }
func (h *stepHost) Breakpoint() bool                { h.breakpoint = true; return true }

// copy makes a server in the same state.
func (h *stepHost) copy() *stepHost {
	c := *h
	m := *h.memoryHost
	m.strings, m.lists, m.hashes = maps.Clone(m.strings), maps.Clone(m.lists), maps.Clone(m.hashes)
	m.sets, m.scores = maps.Clone(m.sets), maps.Clone(m.scores)
	c.memoryHost = &m
	return &c
}

func newStepper(t testing.TB, source string, keys, args []string) *Stepper {
	t.Helper()
	s, err := NewStepper([]byte(source), bytesOf(keys), bytesOf(args), StepOptions{Version: "7.0.15", State: New("7.0.15").State()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stepped are scripts that stop inside of functions written in Go.
var stepped = []string{
	"local r={} for i=1,3 do r[i]=redis.call('incr','n') end return r",
	"local t={5,3,9,1,7} table.sort(t,function(a,b) redis.call('incr','n') return a<b end) return {t[1],t[5],redis.call('get','n')}",
	"local ok,e=pcall(function() redis.call('incr','n') error('x') end) return {tostring(ok),e,redis.call('get','n')}",
	"local ok,e=pcall(redis.call,'incr','n') return e",
	"local co=coroutine.wrap(function() for i=1,3 do\ncoroutine.yield(redis.call('incr','n')) end end) return {co(),co(),redis.call('incr','n'),co()}",
	"local t=setmetatable({},{__index=function(t,k) return redis.call('incr',k) end}) return {t.a,t.a,t.b}",
	"return (string.gsub('abc','%w',function(c) return redis.call('incr',c) end))",
	"local t={} t[{}]=1 t[{}]=2 t[redis.call]=redis.call('incr','n') local r={} for k,v in pairs(t) do r[#r+1]=v end return r",
	"return redis.call('incr','n')",
	"local function f(n) if n==0 then return redis.call('incr','n') end return f(n-1) end return f(5)",
	"local c=setmetatable({},{__call=function(_,...) return redis.call(...) end}) return {c('incr','n'),c('incr','n')}",
	"for x in redis.call,'incr','n' do if x>3 then return x end end",
	"local s=0 for i=1,20 do s=s+math.random(100) end redis.call('set','s',s) return redis.call('get','s')",
	"return {xpcall(function() redis.call('nosuch') end,function(e) redis.call('incr','n') return e.err end)}",
	"return loadstring('return redis.call(\"incr\",\"n\")')()",
	"return cjson.encode({a=redis.call('incr','n'),b={1,2},c=tostring({})})",
}

// A script that is stopped at each line and command, and there made anew by its
// copies, replies what it replies when it runs in one go.
func TestSteppedRunIsTheRun(t *testing.T) {
	t.Parallel()
	scripts := stepped
	for seed := range uint64(60) {
		if source := newProgram(seed); compiles(source) {
			scripts = append(scripts, source)
		}
	}
	for i, source := range scripts {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			want := runAtOnce(t, source)
			for _, every := range []int{1, 7, 31} {
				if got := runStepped(t, source, every); got != want {
					t.Fatalf("%s\nstopped at each %d: %q, want %q", source, every, got, want)
				}
			}
			if got := runCopies(t, source, want); got != want {
				t.Fatalf("%s\nthrough copies: %q, want %q", source, got, want)
			}
		})
	}
}

func compiles(source string) bool {
	_, err := New("7.0.15").Compile([]byte(source))
	return err == nil
}

func runAtOnce(t *testing.T, source string) string {
	t.Helper()
	m := New("7.0.15")
	s, err := m.Compile([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	var out resp.Writer
	out.SetProto(2)
	m.Run(s, newMemoryHost(), nil, nil, &out)
	return string(out.Since(resp.Mark{}))
}

// runStepped stops at each so many places, not more than a hundred times.
func runStepped(t *testing.T, source string, every int) string {
	t.Helper()
	s := newStepper(t, source, nil, nil)
	h := newStepHost()
	h.calling = true
	n, stops := 0, 0
	h.stop = func() bool { n++; return stops < 100 && n%every == 0 }
	for !s.Run(h) {
		stops++
		if len(s.Trace()) == 0 {
			t.Fatal("no trace of a run that has stopped")
		}
		s.Locals(0, 100)
	}
	return string(s.Reply())
}

// runCopies goes on with a copy after each stop, runs the original to its end
// first, and returns the last copy's reply.
func runCopies(t *testing.T, source, want string) string {
	t.Helper()
	s := newStepper(t, source, nil, nil)
	h := newStepHost()
	h.calling = true
	for stops := 0; !s.Run(h); stops++ {
		trace, locals := fmt.Sprint(s.Trace()), fmt.Sprint(s.Locals(0, 1000))
		c, ch := s.Clone(), h.copy()
		if stops > 40 {
			h.stop, ch.stop = func() bool { return false }, func() bool { return false }
		} else {
			old := h.copy()
			old.stop = func() bool { return false }
			if s.Run(old); string(s.Reply()) != want {
				t.Fatalf("%s\nthe original after %d stops: %q, want %q", source, stops, s.Reply(), want)
			}
		}
		if got := fmt.Sprint(c.Trace()); got != trace {
			t.Fatalf("%s\nthe copy is at %s, the original at %s", source, got, trace)
		}
		if got := fmt.Sprint(c.Locals(0, 1000)); got != locals {
			t.Fatalf("%s\nthe copy has %s, the original %s", source, got, locals)
		}
		s, h = c, ch
	}
	return string(s.Reply())
}

func TestStepperShowsVariables(t *testing.T) {
	t.Parallel()
	s := newStepper(t, `local n, text, none, yes = 1.5, "a\"b\n", nil, true
local list, map, both = {1, {2}}, {k="v"}, {1, nil, 3}
local function f(a, ...)
  local inner = a + n
  return inner
end
for i = 1, 2 do
  local j = i * 2
  f(j)
end
return n`, []string{"k1"}, []string{"a1", "a2"})
	h := newStepHost()
	for range 6 {
		s.Run(h)
	}
	if line := s.Line(); line != 9 {
		t.Fatalf("stopped at %d (%v)", line, h.lines)
	}
	got := fmt.Sprint(s.Locals(0, 0))
	if want := `[1.5 "a\"b\n" nil true {1; {2}} {["k"]="v"} {[1]=1; [3]=3} "function@`; !strings.HasPrefix(got, want) {
		t.Errorf("locals %s, want %s...", got, want)
	}
	names := ""
	for _, v := range s.Locals(0, 0) {
		names += v.Name + " "
	}
	if want := "n text none yes list map both f (for index) (for limit) (for step) i j "; names != want {
		t.Errorf("names %q, want %q", names, want)
	}
	s.Run(h)
	s.Run(h)
	if got := fmt.Sprint(s.Trace()); got != "[{user_script 5 f} {user_script 9 }]" {
		t.Errorf("trace %s", got)
	}
	if got := fmt.Sprint(s.Locals(0, 0)); got != `[2 {["n"]=0} 3.5]` {
		t.Errorf("locals of f %s", got)
	}
	if got := fmt.Sprint(s.Upvalues(0, 0)); got != "[1.5]" {
		t.Errorf("upvalues of f %s", got)
	}
	if got := s.Locals(0, 0)[0].Value; got != 2.0 {
		t.Errorf("value of a is %v", got)
	}
	if got := fmt.Sprint(s.Global("KEYS", 0), s.Global("ARGV", 0)); got != `{"k1"} {"a1"; "a2"}` {
		t.Errorf("globals %s", got)
	}
}

func TestStepperEvaluates(t *testing.T) {
	t.Parallel()
	s := newStepper(t, "local t={2,1}\ntable.sort(t,function(a,b)\nlocal x=KEYS[1]\nreturn a<b end)\nreturn {KEYS[1],redis.call('get','n')}", []string{"old"}, nil)
	h := newStepHost()
	for !s.Run(h) && s.Line() != 4 {
	}
	for _, c := range []struct{ code, want string }{
		{"1+1", "2"}, {"return KEYS", `{"old"}`}, {"KEYS[1]='new'", "nil"}, {"redis.call('incr','n')", "1"},
		{"x", "ldb_eval:1: Script attempted to access nonexistent global variable 'x'"},
		{"1+", "ldb_eval:1: unexpected symbol near '1'"}, {"error({err='E x'})", "E x"}, {"error({})", "unknown error"},
		{"redis.pcall('incr','n')", "2"},
	} {
		if v, _ := s.Eval(h, c.code, 0); v.String() != c.want {
			t.Errorf("%s: %s, want %s", c.code, v, c.want)
		}
	}
	s = s.Clone()
	for !s.Run(h) {
	}
	if got := string(s.Reply()); got != "*2\r\n$3\r\nnew\r\n$1\r\n2\r\n" {
		t.Errorf("reply %q", got)
	}
	if h.strings["n"] != "2" {
		t.Errorf("n is %q: a command ran again", h.strings["n"])
	}
}

func TestStepperRaises(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"local a=1\nlocal b\nreturn 1":                                      "-ERR stop it script: %s, on @user_script:1.\r\n",
		"local ok,e=pcall(function()\nlocal a=1\nreturn a end)\nreturn {e}": "*1\r\n$11\r\nERR stop it\r\n",
	} {
		s := newStepper(t, source, nil, nil)
		h := newStepHost()
		for ended := s.Run(h); !ended && strings.Contains(source, "pcall") && s.Line() != 2; ended = s.Run(h) {
		}
		h.stop = func() bool { return false }
		if !s.Raise(h, "stop it") {
			t.Errorf("%s: has not ended", source)
		}
		if strings.Contains(want, "%s") {
			want = fmt.Sprintf(want, s.Script().SHA)
		}
		if got := string(s.Reply()); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}

// Copies cost nothing but their tape, and a run that is closed leaves those of
// others alone.
func TestStepperForks(t *testing.T) {
	t.Parallel()
	s := newStepper(t, "local a=redis.call('incr','n')\nlocal b=redis.call('incr','n')\nreturn {a,b}", nil, nil)
	h := newStepHost()
	h.calling = true
	for ended := s.Run(h); !ended && s.Next() == nil; ended = s.Run(h) {
	}
	var forks []*Stepper
	for range 1000 {
		forks = append(forks, s.Clone())
	}
	s.Close()
	for i, f := range forks {
		fh := newStepHost()
		fh.strings["n"] = fmt.Sprint(i)
		fh.stop = func() bool { return i%2 == 0 }
		for !f.Run(fh) {
		}
		if got, want := string(f.Reply()), fmt.Sprintf("*2\r\n:%d\r\n:%d\r\n", i+1, i+2); got != want {
			t.Fatalf("fork %d: %q, want %q", i, got, want)
		}
	}
}

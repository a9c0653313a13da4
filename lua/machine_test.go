package lua

import (
	"fmt"
	"strings"
	"testing"

	"minikv/resp"
)

// expect runs scripts one after the other on one machine.
func expect(t *testing.T, m Machine, h *memoryHost, rows ...[2]string) {
	t.Helper()
	for _, row := range rows {
		got := place.ReplaceAllString(eval(t, m, h, 2, row[0], []string{"k1"}, []string{"a1"}), "")
		if got = strings.TrimSuffix(got, "\r\n"); got != row[1] {
			t.Errorf("%.200s\n got %.200q\nwant %q", row[0], got, row[1])
		}
	}
}

func TestReleaseOfALock(t *testing.T) { eachMachine(t, testReleaseOfALock) }

func testReleaseOfALock(t *testing.T, newMachine func() Machine) {
	m, h := newMachine(), newMemoryHost()
	h.strings["lock"] = "token"
	if got := eval(t, m, h, 2, release, []string{"lock"}, []string{"other"}); got != ":0\r\n" {
		t.Fatalf("with another token: %q", got)
	}
	if got := eval(t, m, h, 2, release, []string{"lock"}, []string{"token"}); got != ":1\r\n" {
		t.Fatalf("with the token: %q", got)
	}
	if len(h.strings) != 0 {
		t.Fatal("the lock is still held")
	}
}

// TestScriptsLeaveNothingBehind checks that neither globals nor libraries nor
// KEYS and ARGV carry anything from one script to the next.
func TestScriptsLeaveNothingBehind(t *testing.T) { eachMachine(t, testScriptsLeaveNothingBehind) }

func testScriptsLeaveNothingBehind(t *testing.T, newMachine func() Machine) {
	const readonly = "-ERR user_script:1: Attempt to modify a readonly table"
	expect(t, newMachine(), newMemoryHost(),
		[2]string{"KEYS.x=1 KEYS[2]='y' return #KEYS", ":2"},
		[2]string{"return {KEYS[1],KEYS[2],KEYS.x}", "*1\r\n$2\r\nk1"},
		[2]string{"x=1", readonly},
		[2]string{"function f() end", readonly},
		[2]string{"local a a,x=1,2", readonly},
		[2]string{"KEYS={}", readonly},
		[2]string{"_G.x=1", readonly},
		[2]string{"local g=_G g.pcall=nil", readonly},
		[2]string{"local s=string s.format=nil", readonly},
		[2]string{"redis.call=nil", readonly},
		[2]string{"string.format=1", readonly},
		[2]string{"getmetatable('').__index=1", readonly},
		[2]string{"getmetatable('').__index.len=1", readonly},
		[2]string{"return pcall(rawset,math,'pi',3)", "$-1"},
		[2]string{"return {pcall(table.insert,redis,1)}", "*2\r\n$-1\r\n$34\r\nAttempt to modify a readonly table"},
		[2]string{"return {pcall(setmetatable,string,{})}", "*2\r\n$-1\r\n$34\r\nAttempt to modify a readonly table"},
		[2]string{"return {pcall(table.sort,redis)}", "*2\r\n$-1\r\n$34\r\nAttempt to modify a readonly table"},
		[2]string{"loadstring('y=1')()", `-ERR [string "y=1"]:1: Attempt to modify a readonly table`},
		[2]string{"return tostring(rawget(_G,'x'))", "$3\r\nnil"},
		[2]string{"return loadstring('return KEYS[1]..ARGV[1]')()", "$4\r\nk1a1"},
		[2]string{"return _G.KEYS[1]", "$2\r\nk1"},
		[2]string{"local n=0 for k in pairs(redis) do n=n+1 end return n", ":23"},
		[2]string{"return {type(rawget(redis,'call')),next(bit)~=nil}", "*2\r\n$8\r\nfunction\r\n:1"},
		[2]string{"redis.setresp(3) return 1", ":1"},
		[2]string{"return {redis.call('set','a','b').ok,false}", "*2\r\n$2\r\nOK\r\n$-1"},
	)
}

// TestCapturedVariables checks that a closure and its function go on sharing a
// variable after an error has been caught.
func TestCapturedVariables(t *testing.T) { eachMachine(t, testCapturedVariables) }

func testCapturedVariables(t *testing.T, newMachine func() Machine) {
	expect(t, newMachine(), newMemoryHost(),
		[2]string{"local n=0 local function inc() n=n+1 end pcall(error,'x') inc() inc() return n", ":2"},
		[2]string{"local n=0 local function inc() n=n+1 end pcall(function() inc() error('x') end) n=n+10 inc() return n", ":12"},
		[2]string{"local f pcall(function() local x=5 f=function() x=x+1 return x end error('e') end) f() return f()", ":7"},
		[2]string{"local f xpcall(function() local x=5 f=function() x=x+1 return x end error('e') end,function(e) return e end) f() return f()", ":7"},
		[2]string{"local n=0 local co=coroutine.wrap(function() n=n+1 coroutine.yield() n=n+1 end) co() co() return n", ":2"},
		[2]string{"local f=tostring local f=function(x) return 'mine:'..f(x) end return f(1)", "$6\r\nmine:1"},
		[2]string{"local b,d=1,true b=(b and -1 or b) and d and b return b", ":1"},
		[2]string{"local function f(p) local n,m=5,6 p=tostring(n) return {p,n,m} end return f(1)", "*3\r\n$1\r\n5\r\n:5\r\n:6"},
		[2]string{"local t={1,[10]=select(2,1,2,3)} return {t[2] or 0,t[10]}", "*2\r\n:0\r\n:2"},
		[2]string{"return select('#',string.gmatch('a','b')())", ":0"},
	)
}

// TestLongConstructors checks tables whose elements come in several batches,
// with pairs in between.
func TestLongConstructors(t *testing.T) { eachMachine(t, testLongConstructors) }

func testLongConstructors(t *testing.T, newMachine func() Machine) {
	list := strings.Repeat("1,", 50)
	expect(t, newMachine(), newMemoryHost(),
		[2]string{"local f=function() return 7 end local t={" + list + "x=f()} return {t[1],t[50],#t,t.x}", "*4\r\n:1\r\n:1\r\n:50\r\n:7"},
		[2]string{"local t={" + list + "x=2,8,9} return {#t,t[51],t[52],t.x}", "*4\r\n:52\r\n:8\r\n:9\r\n:2"},
		[2]string{"local t={" + strings.Repeat("1,", 26000) + "k=5} return {#t,t.k}", "*2\r\n:26000\r\n:5"},
	)
}

// TestEndlessScript checks that a script stops when the host says so, even if
// it catches every error.
func TestEndlessScript(t *testing.T) { eachMachine(t, testEndlessScript) }

func testEndlessScript(t *testing.T, newMachine func() Machine) {
	const word = "Script killed by user with SCRIPT KILL."
	for _, source := range []string{
		"while true do end",
		"for i=1,1e15 do end",
		"repeat until false",
		"local function f() return f() end f()",
		"while true do pcall(function() while true do end end) end",
		"local co=coroutine.wrap(function() while true do end end) co()",
		"local co=coroutine.wrap(function() while true do coroutine.yield() end end) while true do pcall(co) end",
		"while true do xpcall(function() error('x') end,function() while true do end end) end",
		"return string.find(('a'):rep(40),('a-'):rep(30)..'b')",
		"return (('a'):rep(100):gsub(('a*'):rep(30)..'b',''))",
		"local t={} for i=1,1e5 do t[i]=i end while true do table.sort(t,function(a,b) return a>b end) end",
		"load(function() return ' ' end)",
		"loadstring('while true do end')()",
		"local t=setmetatable({},{__index=function(t,k) while true do end end}) return t.x",
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			asked := 0
			h := newMemoryHost()
			h.busy = func() string {
				if asked++; asked < 3 {
					return ""
				}
				return word
			}
			m := newMachine()
			got := eval(t, m, h, 2, source, nil, nil)
			if !strings.HasPrefix(got, "-ERR "+word) && !strings.HasPrefix(got, "-ERR not enough memory") {
				t.Errorf("got %q", got)
			}
			if got := eval(t, m, h, 2, "return 1", nil, nil); got != ":1\r\n" {
				t.Errorf("the next script: %q", got)
			}
		})
	}
}

// TestBombs checks that short scripts cannot take gigabytes or bring the
// process down.
func TestBombs(t *testing.T) { eachMachine(t, testBombs) }

func testBombs(t *testing.T, newMachine func() Machine) {
	for _, source := range []string{
		"local t={} t[50000000]=1 return 1",
		"return string.rep('x',2^30)",
		"local s=('x'):rep(2^20) return s:gsub('.',s)",
		"return table.concat({('x'):rep(2^20),('x'):rep(2^20)},('y'):rep(2^29))",
		"local t={} t[1]=t return t",
		"local t={} for i=1,10 do t={t,t,t} end return cjson.encode(t)",
		"return cmsgpack.unpack('\\221\\255\\255\\255\\255')",
		"return cmsgpack.unpack('\\219\\255\\255\\255\\255')",
		"return struct.pack('c2147483647','x')",
		"return struct.unpack('c2147483647','x')",
		"return cjson.decode(('['):rep(100000))",
		"local function f() f() end f()",
		"local function f() return 1+f() end return pcall(f)",
		"local t=setmetatable({},{}) getmetatable(t).__index=function(t,k) return t[k+1] end return pcall(function() return t[1] end)",
		"local function f(n) return coroutine.wrap(function() return f(n+1) end)() end return pcall(f,1)",
		"local function f() return (('x'):gsub('x',f)) end return pcall(f)",
		"error({})", "error()", "error(nil)", "return setmetatable({},{__index=function() error('x') end})",
		"return string.format('%99.99f',1e308)",
		"return ('x'):rep(2^31)",
		"return unpack({},1,2^30)",
		"return select('#',('x'):byte(1,-1))",
		"local a=setmetatable({},{__lt=function() return true end}) local t={} for i=1,100 do t[i]=setmetatable({},getmetatable(a)) end table.sort(t)",
	} {
		m := newMachine()
		if got := eval(t, m, newMemoryHost(), 2, source, nil, nil); got == "" {
			t.Errorf("%s: no reply", source)
		}
		if got := eval(t, m, newMemoryHost(), 2, "return 1", nil, nil); got != ":1\r\n" {
			t.Errorf("%s: the next script: %q", source, got)
		}
	}
}

func TestState(t *testing.T) { eachMachine(t, testState) }

func testState(t *testing.T, newMachine func() Machine) {
	m, h := newMachine(), newMemoryHost()
	const draw = "return {math.random(1000),math.random(1000)}"
	before := m.State()
	first := eval(t, m, h, 2, draw, nil, nil)
	if second := eval(t, m, h, 2, draw, nil, nil); second == first {
		t.Error("the generator starts anew with each script")
	}
	eval(t, m, h, 2, "cjson.encode_number_precision(3)", nil, nil)
	if got := eval(t, m, h, 2, "return cjson.encode(1/3)", nil, nil); got != "$5\r\n0.333\r\n" {
		t.Errorf("precision set by an earlier script: %q", got)
	}
	m.SetState(before)
	if again := eval(t, m, h, 2, draw, nil, nil); again != first {
		t.Errorf("after SetState: %q, at first: %q", again, first)
	}
	if got := eval(t, m, h, 2, "return cjson.encode(1/3)", nil, nil); got != "$16\r\n0.33333333333333\r\n" {
		t.Errorf("precision after SetState: %q", got)
	}
}

func TestHostCalls(t *testing.T) { eachMachine(t, testHostCalls) }

func testHostCalls(t *testing.T, newMachine func() Machine) {
	m, h := newMachine(), newMemoryHost()
	expect(t, m, h,
		[2]string{"redis.log(redis.LOG_WARNING,'a',1,{},'b') return 1", ":1"},
		[2]string{"redis.set_repl(redis.REPL_AOF) return 1", ":1"},
		[2]string{"return redis.acl_check_cmd('get','x')", ":1"},
		[2]string{"return redis.call('echo',0.1)", "$19\r\n0.10000000000000001"},
		[2]string{"return redis.call('echo',12345678901234567890)", "$22\r\n1.2345678901234567e+19"},
	)
	if fmt.Sprint(h.logged) != "[3 a 1 b]" {
		t.Errorf("logged %q", h.logged)
	}
	if h.flags != ReplicateAOF {
		t.Errorf("replication flags %d", h.flags)
	}
}

func TestResult(t *testing.T) { eachMachine(t, testResult) }

func testResult(t *testing.T, newMachine func() Machine) {
	m := newMachine()
	for source, want := range map[string]Result{
		"return 1":                                {},
		"return redis.error_reply('x')":           {Failed: true},
		"return redis.pcall('nosuch')":            {Failed: true, Counted: true},
		"return redis.call('nosuch')":             {Failed: true, Counted: true},
		"error('x')":                              {Failed: true},
		"return pcall(redis.call,'nosuch') and 1": {},
		"return redis.pcall('set','k',{})":        {Failed: true},
	} {
		s, err := m.Compile([]byte(source))
		if err != nil {
			t.Fatal(err)
		}
		var out resp.Writer
		if got := m.Run(s, newMemoryHost(), nil, nil, &out); got != want {
			t.Errorf("%s: %+v, want %+v", source, got, want)
		}
	}
}

func TestShebang(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"#!lua":            "ERR Invalid script shebang",
		"#!\nreturn 1":     "ERR Unexpected engine in script shebang: #!",
		"#! lua\nreturn 1": "ERR Unexpected engine in script shebang: #!",
		"#!LUA\nreturn 1":  "ERR Unexpected engine in script shebang: #!LUA",
		"#!lua flags=no-writes,,allow-oom\nreturn": "ERR Unexpected flag in script shebang: ",
		"#!lua \"flags=no-writes\nreturn 1":        "ERR Invalid engine in script shebang",
		"#!lua flags=NO-writes\nreturn 1":          "ERR Unexpected flag in script shebang: NO-writes",
	} {
		if _, _, err := ParseShebang([]byte(source)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", source, err, want)
		}
	}
	f, rest, err := ParseShebang([]byte("#!lua flags=no-writes \"flags=allow-stale,no-cluster\"\r\nreturn 1"))
	if err != nil || f != (Flags{Shebang: true, NoWrites: true, AllowStale: true, NoCluster: true}) || string(rest) != "\nreturn 1" {
		t.Errorf("flags %+v, rest %q, error %v", f, rest, err)
	}
	if f, _, err := ParseShebang([]byte("#!lua flags=\nreturn 1")); err != nil || f != (Flags{Shebang: true}) {
		t.Errorf("without flags: %+v, %v", f, err)
	}
}

// TestStackOverflowAgain checks that an error handler that ran at the end of the
// stack leaves the limit where it was.
func TestStackOverflowAgain(t *testing.T) {
	t.Parallel()
	m, h := New("7.0.15"), newMemoryHost()
	const source = "return {xpcall(function() local function f() f() end f() end,function(e) return 'H:'..e end)}"
	for range 3 {
		if got := eval(t, m, h, 2, source, nil, nil); got != "*2\r\n$-1\r\n$31\r\nH:user_script:1: stack overflow\r\n" {
			t.Errorf("got %q", got)
		}
	}
}

// TestPlacesOfErrors: the lines and names in messages follow the code that Lua
// 5.1 makes, also where and, or and functions go over several lines.
func TestPlacesOfErrors(t *testing.T) {
	t.Parallel()
	m, h := New("7.0.15"), newMemoryHost()
	for source, want := range map[string]string{
		"local p,i={[2]='1'},0 return select(2,load(function() i=i+1 return p[i] end))": "(load):1: unexpected symbol near '1'", // an end is asked for twice
		"return select(2,load(function() return {} end))":                               "user_script:1: reader function must return a string",
		"load(1,true)":                      "user_script:1: bad argument #2 to 'load' (string expected, got boolean)",
		"local v=1 local x=v.x\nand 1 or 2": "user_script:2: attempt to index local 'v' (a number value)",
		"local v=1 local x=((v).x\nand ('' and 's') or (-1 < true))": "user_script:2: attempt to index local 'v' (a number value)",
		"local v local x=(v.x and\nfalse or 1)":                      "user_script:1: attempt to index local 'v' (a nil value)",
		"local v local x=(v.x\nand\nfalse\nor 1)":                    "user_script:2: attempt to index local 'v' (a nil value)",
		"for a\nin\nnext,nil do end":                                 "user_script:3: bad argument #1 to '(for generator)' (table expected, got nil)",
		"local v local a,b=v.x\n,2":                                  "user_script:2: attempt to index local 'v' (a nil value)",
		"local v local a,b=(v.x\n)\n,2":                              "user_script:2: attempt to index local 'v' (a nil value)",
		"local v local a,b=v.x,\n2":                                  "user_script:1: attempt to index local 'v' (a nil value)",
		"local v return {v.x\n;2}":                                   "user_script:2: attempt to index local 'v' (a nil value)",
		"return redis.sha1hex(1,other\n,2)":                          "user_script:2: Script attempted to access nonexistent global variable 'other'",
		"local v=1 local x=v.x\n+ 1":                                 "user_script:2: attempt to index local 'v' (a number value)",
		"local v local n=1 return n/((nil and true or nil) or v)":    "user_script:1: attempt to perform arithmetic on local 'v' (a nil value)",
		"local v local n=1 return n/((n and true or nil) or v)":      "user_script:1: attempt to perform arithmetic on local 'v' (a boolean value)",
		"local v local n=1 return n/((true or nil) and v)":           "user_script:1: attempt to perform arithmetic on local 'v' (a nil value)",
		"local v local n=1 return n/(true or v)":                     "user_script:1: attempt to perform arithmetic on a boolean value",
		"local function\nf\n(\n)\nuntil":                             "user_script:5: 'end' expected (to close 'function' at line 3) near 'until'",
		"local f=function\n(\n)\nuntil":                              "user_script:4: 'end' expected (to close 'function' at line 2) near 'until'",
		"function\nf\n(\n)\nuntil":                                   "user_script:5: 'end' expected (to close 'function' at line 1) near 'until'",
	} {
		if got := eval(t, m, h, 2, source, nil, nil); !strings.Contains(got, want) {
			t.Errorf("%q\n got %q\nwant %q", source, got, want)
		}
	}
}

// TestPlaceOfErrors checks how the end of an error reply names the chunk: as it
// was given to loadstring, not as messages name it.
func TestPlaceOfErrors(t *testing.T) {
	t.Parallel()
	m, h := New("7.0.15"), newMemoryHost()
	long := strings.Repeat("x", 300)
	for source, want := range map[string]string{
		`error('e')`:                                                                         `@user_script:1.`,
		`return loadstring('error("e")')()`:                                                  `error("e"):1.`,
		`return loadstring('\n\nerror("e")\n')()`:                                            `  error("e") :3.`,
		`return loadstring('error("e")','')()`:                                               `:1.`,
		`return loadstring('error("e")','=q')()`:                                             `=q:1.`,
		`return loadstring('error("e")','@q')()`:                                             `@q:1.`,
		`return loadstring('error("e")','q')()`:                                              `q:1.`,
		`return loadstring('error("e")','a\0b')()`:                                           `a:1.`,
		`return loadstring('error("e")','` + long + `')()`:                                   long + `:1.`,
		`return loadstring('local function f() error("e") end f()','=q')()`:                  `=q:1.`,
		`local n=0 return load(function() n=n+1 if n==1 then return 'error("e")' end end)()`: `=(load):1.`,
	} {
		got := eval(t, m, h, 2, source, nil, nil)
		if _, after, _ := strings.Cut(strings.TrimSuffix(got, "\r\n"), ", on "); after != want {
			t.Errorf("%s\n got %q\nwant %q", source, got, want)
		}
	}
}

package lua

import (
	"fmt"
	"strings"
	"testing"

	"minikv/resp"
)

// loaded loads a library and returns its functions by name.
func loaded(t testing.TB, m Machine, h *memoryHost, source string) map[string]*Function {
	t.Helper()
	functions, err := tryLoad(m, h, source)
	if err != nil {
		t.Fatalf("%s\n%v", source, err)
	}
	return functions
}

func tryLoad(m Machine, h Host, source string) (map[string]*Function, error) {
	_, code, err := ParseLibrary([]byte(source))
	if err != nil {
		return nil, err
	}
	library, err := m.Load(code, h)
	if err != nil {
		return nil, err
	}
	functions := map[string]*Function{}
	for _, f := range library.Functions {
		functions[f.Name] = f
	}
	return functions, nil
}

// call calls a function and returns its reply. The bytes of its arguments are
// overwritten afterwards, as those of a request are.
func call(m Machine, h *memoryHost, f *Function, keys []string, args ...string) string {
	var out resp.Writer
	out.SetProto(2)
	mark := out.Mark()
	k, a := bytesOf(keys), bytesOf(args)
	m.Call(f, h, k, a, &out)
	for _, b := range append(k, a...) {
		for i := range b {
			b[i] = '!'
		}
	}
	return strings.TrimSuffix(string(out.Since(mark)), "\r\n")
}

// TestVariablesOfALibraryLast checks that what functions leave in variables
// outside of them is there in later calls: strings that came as arguments or in
// replies, tables, closures; also after a function has failed.
func TestVariablesOfALibraryLast(t *testing.T) { eachMachine(t, testVariablesOfALibraryLast) }

func testVariablesOfALibraryLast(t *testing.T, newMachine func() Machine) {
	m, h := newMachine(), newMemoryHost()
	h.strings["k"] = "from the server"
	f := loaded(t, m, h, `#!lua name=keep
local kept, counts, add = {}, 0
redis.register_function('keep', function(keys, args) kept[#kept+1] = args[1] kept.keys = keys kept.reply = redis.call('GET', 'k') return #kept end)
redis.register_function('kept', function() return {kept.reply, kept.keys[1], unpack(kept)} end)
redis.register_function('fail', function() local n = 0 add = function() n = n + 1 counts = counts + 1 return n * 100 + counts end add() error('x') end)
redis.register_function('add', function() return add() end)`)
	for _, step := range []struct{ name, arg, reply string }{
		{"keep", "one", ":1"},
		{"keep", "two", ":2"},
		{"kept", "", "*4\r\n$15\r\nfrom the server\r\n$5\r\nkey-k\r\n$3\r\none\r\n$3\r\ntwo"},
		{"fail", "", "-ERR user_function:5: x script: fail, on @user_function:5."},
		{"add", "", ":202"},
		{"add", "", ":303"},
		{"fail", "", "-ERR user_function:5: x script: fail, on @user_function:5."},
		{"add", "", ":205"},
	} {
		if got := call(m, h, f[step.name], []string{"key-k"}, step.arg); got != step.reply {
			t.Errorf("%s(%s): got %q, want %q", step.name, step.arg, got, step.reply)
		}
		// Scripts, and what they leave in the machine's memory, come between.
		if got := eval(t, m, h, 2, "return redis.call('GET', KEYS[1]) .. ARGV[1]", []string{"k"}, []string{"script"}); got != "$21\r\nfrom the serverscript\r\n" {
			t.Fatalf("the script answers %q", got)
		}
	}
}

// TestCoroutineOfALibraryGoesOn: one that waits outlives the call.
func TestCoroutineOfALibraryGoesOn(t *testing.T) {
	t.Parallel()
	m, h := New("7.0.15"), newMemoryHost()
	f := loaded(t, m, h, `#!lua name=steps
local co = nil
redis.register_function('step', function()
	co = co or coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end error('over') end)
	return co()
end)
redis.register_function('fail', function() error('x') end)`)
	for i, want := range []string{":1", ":2", ":3", "-ERR user_function:5: user_function:4: over script: step, on @user_function:5."} {
		if got := call(m, h, f["step"], nil); got != want {
			t.Errorf("step %d: got %q, want %q", i, got, want)
		}
		call(m, h, f["fail"], nil)
	}
}

// TestFunctionsAndScriptsAreApart checks that functions have no globals of
// scripts, and neither side sees the other's settings.
func TestFunctionsAndScriptsAreApart(t *testing.T) { eachMachine(t, testFunctionsAndScriptsAreApart) }

func testFunctionsAndScriptsAreApart(t *testing.T, newMachine func() Machine) {
	m, h := newMachine(), newMemoryHost()
	f := loaded(t, m, h, `#!lua name=apart
redis.register_function('missing', function(keys, args) return {pcall(loadstring('return ' .. args[1]))} end)
redis.register_function('precise', function() cjson.encode_number_precision(3) return cjson.encode({1/3}) end)
redis.register_function('encode', function() return cjson.encode({1/3}) end)
redis.register_function('setresp', function() redis.setresp(3) return true end)
redis.register_function('truth', function() return true end)
redis.register_function('globals', function() local n = 0 for k, v in pairs(_G) do if _G[k] ~= nil then n = n + 1 end end return n end)`)
	for _, name := range []string{"KEYS", "ARGV", "__redis__err__handler", "print"} {
		want := fmt.Sprintf("Script attempted to access nonexistent global variable '%s'", name)
		if got := call(m, h, f["missing"], nil, name); !strings.Contains(got, want) {
			t.Errorf("%s: got %q", name, got)
		}
	}
	for _, name := range []string{"redis.register_function", "redis.breakpoint", "redis.debug", "redis.replicate_commands"} {
		if got := call(m, h, f["missing"], nil, "type("+name+")"); got != "*2\r\n:1\r\n$3\r\nnil" {
			t.Errorf("%s: got %q", name, got)
		}
	}
	for _, step := range []struct{ name, reply string }{
		{"encode", "$18\r\n[0.33333333333333]"}, {"precise", "$7\r\n[0.333]"}, {"encode", "$7\r\n[0.333]"}, {"setresp", ":1"}, {"truth", ":1"}, {"globals", ":32"},
	} {
		if got := call(m, h, f[step.name], nil); got != step.reply {
			t.Errorf("%s: got %q, want %q", step.name, got, step.reply)
		}
	}
	if got := eval(t, m, h, 2, "return cjson.encode({1/3})", nil, nil); got != "$18\r\n[0.33333333333333]\r\n" {
		t.Errorf("a script encodes %q", got)
	}
	if got := eval(t, m, h, 2, "return KEYS[1] .. type(redis.breakpoint)", []string{"k"}, nil); got != "$9\r\nkfunction\r\n" {
		t.Errorf("a script has %q", got)
	}
	state := m.State()
	other := newMachine()
	other.SetState(state)
	g := loaded(t, other, h, "#!lua name=x\nredis.register_function('encode', function() return cjson.encode({1/3}) end)")
	if got := call(other, h, g["encode"], nil); got != "$7\r\n[0.333]" {
		t.Errorf("with the state of the first machine another encodes %q", got)
	}
}

// TestLibraryThatRunsOnIsStopped: while it is loaded, and in a call, and neither
// can catch it. The machine goes on.
func TestLibraryThatRunsOnIsStopped(t *testing.T) { eachMachine(t, testLibraryThatRunsOnIsStopped) }

func testLibraryThatRunsOnIsStopped(t *testing.T, newMachine func() Machine) {
	m, h := newMachine(), newMemoryHost()
	h.busy = func() string { return "stopped" }
	for _, code := range []string{"while true do end", "local function f() return f() end f()", "for i = 1, 1e9 do local s = ('x'):rep(100) end"} {
		if _, err := tryLoad(m, h, "#!lua name=x\n"+code); err == nil || err.Error() != "ERR Error registering functions: ERR stopped" {
			t.Errorf("%s: %v", code, err)
		}
	}
	f := loaded(t, m, h, "#!lua name=x\nredis.register_function('f', function() while true do pcall(function() while true do end end) end end) redis.register_function('g', function() return 1 end)")
	if got := call(m, h, f["f"], nil); got != "-ERR stopped script: f, on @user_function:2." {
		t.Errorf("got %q", got)
	}
	if got := call(m, h, f["g"], nil); got != ":1" {
		t.Errorf("the machine answers %q afterwards", got)
	}
}

// TestLibraryThatFailsRegistersNothing: nor does it leave anything to the next.
func TestLibraryThatFailsRegistersNothing(t *testing.T) {
	eachMachine(t, func(t *testing.T, newMachine func() Machine) {
		m, h := newMachine(), newMemoryHost()
		for code, want := range map[string]string{
			"redis.register_function('f', function() end) local x = nil .. 1":   "ERR Error registering functions: ERR user_function:2: attempt to concatenate a nil value",
			"redis.register_function('f', function() end) local x x.y = 1":      "ERR Error registering functions: ERR user_function:2: attempt to index local 'x' (a nil value)",
			"redis.register_function('f', function() end) redis.nosuch()":       "ERR Error registering functions: ERR user_function:2: Script attempted to access nonexistent global variable 'nosuch'",
			"redis.register_function('f', function() end) f f":                  "ERR Error compiling function: user_function:2: '=' expected near 'f'",
			"local f = function() return 1 end return f()":                      "ERR No functions registered",
			"redis.register_function('f', redis.log) redis.register_function()": "ERR Error registering functions: ERR wrong number of arguments to redis.register_function",
			"local up = ('x').upper redis.register_function('f', up) y = 1":     "ERR Error registering functions: ERR user_function:2: Attempt to modify a readonly table",
		} {
			if _, err := tryLoad(m, h, "#!lua name=x\n"+code); err == nil || err.Error() != want {
				t.Errorf("%s:\n got %v\nwant %s", code, err, want)
			}
		}
		if f := loaded(t, m, h, "#!lua name=x\nredis.register_function('g', function() end)"); len(f) != 1 {
			t.Errorf("the next library has %d functions", len(f))
		}
	})
}

// FuzzParseLibrary: a first line may say anything; it is read the same again.
func FuzzParseLibrary(f *testing.F) {
	for _, s := range []string{"#!lua name=x\n", "#!lua \"na\\x6de=x\"\nreturn", "#!'lua' name='a'\n", "#!lua name=\"\\n\\t\\\\\"\n", "#!lua flags=no-writes\n1", "#!\n", "#!lua name=a\x00\n", "#!lua 'x\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if flags, body, err := ParseShebang([]byte(source)); err == nil && flags.Shebang && !strings.HasSuffix(source, string(body)) {
			t.Fatalf("%q has the body %q", source, body)
		}
		head, body, err := ParseLibrary([]byte(source))
		if err != nil {
			return
		}
		if !strings.HasSuffix(source, string(body)) || body[0] != '\n' {
			t.Fatalf("%q has the body %q", source, body)
		}
		if CheckFunctionName(head.Name) != nil || CheckFunctionName(head.Engine) != nil {
			return
		}
		again, _, err := ParseLibrary([]byte("#!" + head.Engine + " name=" + head.Name + string(body)))
		if err != nil || again != head {
			t.Fatalf("%q says %v, and then %v (%v)", source, head, again, err)
		}
	})
}

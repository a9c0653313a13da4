package engine

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"minikv/engine/config"
)

const (
	busyFunctionReply  = "-BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE."
	abortFunctionReply = "-EXECABORT Transaction discarded because of: BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE."
)

// load loads a library.
func (n *node) load(code string) {
	n.t.Helper()
	if err := n.e.LoadLibrary([]byte(code)); err != nil {
		n.t.Fatal(err)
	}
}

// TestBusyFunctionLetsFewCommandsThrough: the replies are redis-server's.
func TestBusyFunctionLetsFewCommandsThrough(t *testing.T) {
	t.Parallel()
	env := &slowEnv{elapsed: 5_000_000}
	n := newNode(t, Options{Env: env})
	n.load("#!lua name=lib\nredis.register_function('f', function() while true do redis.pcall('GET', 'k') end end)")
	caller, queued, other := n.client(), n.client(), n.client()
	n.send(queued, "MULTI")
	n.send(queued, "SET k v")
	env.busy = func() {
		for _, step := range []struct{ command, reply string }{
			{"PING", busyFunctionReply},
			{"SCRIPT KILL", busyFunctionReply},
			{"FUNCTION LIST", busyFunctionReply},
			{"FUNCTION HELP", busyFunctionReply},
			{"FUNCTION FLUSH", busyFunctionReply},
			{"FUNCTION LOAD x", busyFunctionReply},
			{"FCALL f 0", busyFunctionReply},
			{"SHUTDOWN", busyFunctionReply},
			{"FUNCTION NOPE", "-ERR unknown subcommand 'NOPE'. Try FUNCTION HELP."},
			{"MULTI", "+OK"},
			{"FUNCTION STATS", "+QUEUED"},
			{"EXEC", abortFunctionReply},
			{"DISCARD", "-ERR DISCARD without MULTI"},
			{"RESET", "+RESET"},
		} {
			n.want(other, step.command, step.reply)
		}
		n.want(queued, "EXEC", abortFunctionReply)
		stats := n.send(other, "FUNCTION STATS")
		ms := n.e.scripts.running.ran / 1000
		if ms < 1 {
			t.Errorf("the function has run for %d ms", ms)
		}
		want := fmt.Sprintf("*4 $14 running_script *6 $4 name $1 f $7 command *4 $5 FCALL $1 F $1 1 $3 key $11 duration_ms :%d "+
			"$7 engines *2 $3 LUA *4 $15 libraries_count :1 $15 functions_count :1", ms)
		if stats != want {
			t.Errorf("FUNCTION STATS answers\n%s, not\n%s", stats, want)
		}
		n.want(other, "FUNCTION KILL", "+OK")
	}
	n.want(caller, "FCALL F 1 key", killReply+"f, on @user_function:2.")
	n.want(other, "FUNCTION KILL", "-NOTBUSY No scripts in execution right now.")
}

// TestFunctionAndScriptAreKilledByTheirOwnCommands: KILL of the other kind is
// refused, unless something was written, which is said first.
func TestFunctionAndScriptAreKilledByTheirOwnCommands(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ command, kill, reply, after string }{
		{"EVAL true_loop 0", "FUNCTION KILL", busyReply, "SCRIPT KILL"},
		{"EVAL true_loop 0", "FUNCTION STATS", busyReply, "SCRIPT KILL"},
		{"FCALL loop 0", "SCRIPT KILL", busyFunctionReply, "FUNCTION KILL"},
		{"FCALL_RO loop 0", "SCRIPT KILL", busyFunctionReply, "FUNCTION KILL"},
		{"FCALL write 0", "FUNCTION KILL", "-" + errUnkillable.Error(), ""},
		{"FCALL write 0", "SCRIPT KILL", "-" + errUnkillable.Error(), ""},
	} {
		env := &slowEnv{elapsed: 5_000_000}
		n := newNode(t, Options{Env: env})
		n.load(`#!lua name=lib
redis.register_function('write', function() redis.call('SET', 'k', 'v') for i = 1, 1000000 do end return 7 end)
redis.register_function{function_name='loop', callback=function() while true do end end, flags={'no-writes'}}`)
		caller, other := n.client(), n.client()
		env.busy = func() {
			n.want(other, test.kill, test.reply)
			if test.after != "" {
				n.want(other, test.after, "+OK")
			}
		}
		argv := argvOf(test.command)
		if string(argv[1]) == "true_loop" {
			argv[1] = []byte("while true do end")
		}
		n.e.Do(caller, n.now, argv)
		got := n.read(caller)
		if killed := strings.HasPrefix(got, killReply); killed != (test.after != "") || !killed && got != ":7" {
			t.Errorf("%s: %s, then %s: answers %q", test.command, test.kill, test.after, got)
		}
	}
}

// TestLibraryThatRunsOnIsNotLoaded: after half a second it is given up, without
// anybody being served meanwhile. What was there stays.
func TestLibraryThatRunsOnIsNotLoaded(t *testing.T) {
	t.Parallel()
	for _, machine := range []config.LuaMachine{config.LuaOwn, config.LuaGopher} {
		env := &slowEnv{elapsed: 5_000_000}
		conf := config.New()
		conf.LuaMachine = machine
		n := newNode(t, Options{Env: env, Config: conf})
		n.load("#!lua name=lib\nredis.register_function('f', function() return 1 end)")
		env.busy = func() { t.Error("others are served while a library is loaded") }
		cl := n.client()
		const timeout = "-ERR Error registering functions: ERR FUNCTION LOAD timeout"
		endless := "#!lua name=lib\nwhile true do end"
		before := env.elapsed
		n.e.Do(cl, n.now, [][]byte{[]byte("FUNCTION"), []byte("LOAD"), []byte("REPLACE"), []byte(endless)})
		if got := n.read(cl); got != timeout {
			t.Errorf("FUNCTION LOAD answers %q", got)
		}
		if took := env.elapsed - before; took < 500_000 || took > 600_000 {
			t.Errorf("it took %d microseconds", took)
		}
		payload := n.e.serials.AppendFunctions(nil, [][]byte{[]byte(endless)})
		n.e.Do(cl, n.now, [][]byte{[]byte("FUNCTION"), []byte("RESTORE"), payload, []byte("FLUSH")})
		if got := n.read(cl); got != timeout {
			t.Errorf("FUNCTION RESTORE answers %q", got)
		}
		env.busy = nil
		n.want(cl, "FCALL f 0", ":1")
	}
}

// TestLibrariesOfASnapshot: a node that is put back has those of then, and so has
// another that takes the snapshot over.
func TestLibrariesOfASnapshot(t *testing.T) {
	t.Parallel()
	n, fork := newNode(t, Options{}), newNode(t, Options{})
	n.load("#!lua name=a\nredis.register_function('fa', function() return 1 end)")
	n.load("#!lua name=b\nredis.register_function('fb', function(keys, args) return args[1] end)")
	cl := n.client()
	s := n.e.Snapshot()
	defer s.Release()
	n.want(cl, "FUNCTION DELETE a", "+OK")
	n.load("#!lua name=c\nredis.register_function('FA', function() return 3 end)")
	n.want(cl, "FCALL fa 0", ":3")
	n.e.Restore(s)
	n.want(cl, "FCALL fa 0", ":1")
	n.want(cl, "FCALL fb 0 x", "$1 x")
	fork.load("#!lua name=d\nredis.register_function('fd', function() end)")
	fork.e.Restore(s)
	other := fork.client()
	fork.want(other, "FCALL fa 0", ":1")
	fork.want(other, "FCALL fb 0 y", "$1 y")
	fork.want(other, "FCALL fd 0", "-ERR Function not found")
	if got, want := fork.e.Libraries(), s.Libraries(); !slices.EqualFunc(got, want, bytes.Equal) || len(want) != 2 {
		t.Errorf("the fork has %q, the snapshot %q", got, want)
	}
}

// TestLibrariesForRDBFiles: their code is listed by name, and loaded again.
func TestLibrariesForRDBFiles(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	codes := []string{"#!lua name=a\nredis.register_function('fa', function() return 1 end)", "#!lua name=b\nredis.register_function('fb', function() return 2 end)"}
	n.load(codes[1])
	n.load(codes[0])
	got := n.e.Libraries()
	if len(got) != 2 || string(got[0]) != codes[0] || string(got[1]) != codes[1] {
		t.Errorf("the libraries are %q", got)
	}
	if err := n.e.LoadLibrary([]byte(codes[0])); err == nil || err.Error() != "ERR Library 'a' already exists" {
		t.Errorf("a library that is there: %v", err)
	}
	n.e.FlushLibraries()
	cl := n.client()
	n.want(cl, "FCALL fa 0", "-ERR Function not found")
	if left := n.e.Libraries(); len(left) != 0 {
		t.Errorf("%d libraries are left", len(left))
	}
}

// TestFunctionsInNumbers: INFO and MEMORY STATS tell of them.
func TestFunctionsInNumbers(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	code := "#!lua name=lib\nredis.register_function('one', function() end) redis.register_function{function_name='two', callback=function() end, description='the second'}"
	n.load(code)
	cl := n.client()
	memory := len(code) + len("lib") + len("one") + len("two") + len("the second")
	info := n.send(cl, "INFO memory")
	for _, field := range []string{"number_of_functions:2", "number_of_libraries:1", fmt.Sprintf("used_memory_functions:%d", memory), fmt.Sprintf("used_memory_scripts:%d", memory)} {
		if !strings.Contains(info, " "+field+" ") {
			t.Errorf("INFO has no %s", field)
		}
	}
	if stats := n.send(cl, "MEMORY STATS"); !strings.Contains(stats, fmt.Sprintf("$16 functions.caches :%d ", memory)) {
		t.Errorf("MEMORY STATS has other functions.caches: %s", stats)
	}
}

// TestEffectsOfFunctions: what changes the libraries is its own effect, and a
// call has those of its commands.
func TestEffectsOfFunctions(t *testing.T) {
	t.Parallel()
	var got []string
	n := newNode(t, Options{Effects: func(f Effect) { got = append(got, string(bytes.Join(f.Argv, []byte(" ")))) }})
	cl := n.client()
	const code = "#!lua name=lib\nredis.register_function('f', function() redis.call('SET', 'k', '1') redis.call('INCR', 'k') end) redis.register_function('none', function() return redis.call('GET', 'k') end)"
	payload := n.e.serials.AppendFunctions(nil, [][]byte{[]byte(code)})
	for _, step := range []struct {
		argv    []string
		effects []string
	}{
		{[]string{"FUNCTION", "LOAD", code}, []string{"FUNCTION LOAD " + code}},
		{[]string{"FUNCTION", "LOAD", code}, nil},
		{[]string{"FCALL", "f", "0"}, []string{"MULTI", "SET k 1", "INCR k", "EXEC"}},
		{[]string{"FCALL", "none", "0"}, nil},
		{[]string{"FUNCTION", "LIST"}, nil},
		{[]string{"FUNCTION", "DUMP"}, nil},
		{[]string{"FUNCTION", "RESTORE", string(payload), "REPLACE"}, []string{"FUNCTION RESTORE " + string(payload) + " REPLACE"}},
		{[]string{"FUNCTION", "DELETE", "lib"}, []string{"FUNCTION DELETE lib"}},
		{[]string{"FUNCTION", "DELETE", "lib"}, nil},
		{[]string{"FUNCTION", "FLUSH"}, []string{"FUNCTION FLUSH"}},
	} {
		got = nil
		argv := make([][]byte, len(step.argv))
		for i, arg := range step.argv {
			argv[i] = []byte(arg)
		}
		n.e.Do(cl, n.now, argv)
		n.read(cl)
		if !slices.Equal(got, step.effects) {
			t.Errorf("%q has the effects %q, want %q", step.argv, got, step.effects)
		}
	}
}

// FuzzFunctionRestore: whatever payload is restored, with a checksum that fits,
// libraries and functions fit each other, and what is dumped restores the same.
func FuzzFunctionRestore(f *testing.F) {
	for _, codes := range [][]string{
		{"#!lua name=a\nredis.register_function('fa', function() return 1 end)", "#!lua name=b\nredis.register_function('fb', function() return 1 end)"},
		{"#!lua name=a\nredis.register_function('f', function() end) redis.register_function('F', function() end)"},
		{"#!lua name=base\nredis.register_function('base', function() end)", "#!lua\n", "x"},
	} {
		f.Add(strings.Join(codes, "\x00"), "REPLACE")
	}
	f.Fuzz(func(t *testing.T, codes, policy string) {
		n := newNode(t, Options{Env: &slowEnv{}})
		n.load("#!lua name=base\nredis.register_function('base', function() return 1 end)")
		var list [][]byte
		for code := range strings.SplitSeq(codes, "\x00") {
			list = append(list, []byte(code))
		}
		cl := n.client()
		n.e.Do(cl, n.now, [][]byte{[]byte("FUNCTION"), []byte("RESTORE"), n.e.serials.AppendFunctions(nil, list), []byte(policy)})
		n.read(cl)
		s := &n.e.scripts.functions
		for name, fn := range s.functions {
			if lib := s.libraries[fn.library.name]; lib != fn.library || !slices.Contains(lib.functions, fn.Function) || lower(fn.Name) != name {
				t.Fatalf("function %q is not its library's", name)
			}
		}
		other := newNode(t, Options{Env: &slowEnv{}})
		again := other.client()
		other.e.Do(again, n.now, [][]byte{[]byte("FUNCTION"), []byte("RESTORE"), n.e.serials.AppendFunctions(nil, n.e.Libraries())})
		if got := other.read(again); got != "+OK" || !slices.Equal(slices.Sorted(maps.Keys(s.functions)), slices.Sorted(maps.Keys(other.e.scripts.functions.functions))) {
			t.Fatalf("what was restored is not restored again: %s", got)
		}
	})
}

package engine

import (
	"slices"
	"strings"
	"testing"

	"minikv/engine/config"
)

// slowEnv is a world in which a millisecond passes whenever somebody asks, and
// which does something once a script is slow.
type slowEnv struct {
	elapsed int64
	busy    func()
}

func (s *slowEnv) Elapsed() int64 {
	s.elapsed += 1000
	return s.elapsed
}

func (s *slowEnv) Busy() {
	if busy := s.busy; busy != nil {
		s.busy = nil
		busy()
	}
}

// eval runs a script without keys.
func (n *node) eval(cl *Client, script string, args ...string) string {
	argv := [][]byte{[]byte("EVAL"), []byte(script), []byte("0")}
	for _, arg := range args {
		argv = append(argv, []byte(arg))
	}
	n.e.Do(cl, n.now, argv)
	return n.read(cl)
}

const (
	busyReply  = "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."
	abortReply = "-EXECABORT Transaction discarded because of: BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."
	killReply  = "-ERR Script killed by user with SCRIPT KILL... script: "
)

// TestBusyScriptLetsFewCommandsThrough: the replies are redis-server's.
func TestBusyScriptLetsFewCommandsThrough(t *testing.T) {
	t.Parallel()
	env := &slowEnv{elapsed: 5_000_000}
	n := newNode(t, Options{Env: env})
	script, queued, other := n.client(), n.client(), n.client()
	n.send(queued, "MULTI")
	n.send(queued, "SET k v")
	env.busy = func() {
		for _, step := range []struct{ command, reply string }{
			{"PING", busyReply},
			{"GET k", busyReply},
			{"GET", "-ERR wrong number of arguments for 'get' command"},
			{"NOSUCH", "-ERR unknown command 'NOSUCH', with args beginning with:"},
			{"MULTI", "+OK"},
			{"GET k", busyReply},
			{"EXEC", abortReply},
			{"DISCARD", "-ERR DISCARD without MULTI"},
			{"MULTI", "+OK"},
			{"DISCARD", "+OK"},
			{"WATCH k", "+OK"},
			{"UNWATCH", "+OK"},
			{"SUBSCRIBE c", busyReply},
			{"PUBLISH c x", busyReply},
			{"AUTH default x", "+OK"},
			{"RESET", "+RESET"},
			{"SCRIPT EXISTS x", busyReply},
			{"SCRIPT FLUSH", busyReply},
			{"SCRIPT NOPE", "-ERR unknown subcommand 'NOPE'. Try SCRIPT HELP."},
			{"CLIENT ID", busyReply},
			{"EVAL return 0", busyReply},
			{"SHUTDOWN", busyReply},
			{"SHUTDOWN SAVE", busyReply},
			{"SHUTDOWN NOSAVE x", "-ERR syntax error"},
		} {
			n.want(other, step.command, step.reply)
		}
		n.want(queued, "EXEC", abortReply)
		n.want(queued, "EXEC", abortReply)
		n.want(n.client(), "QUIT", "+OK")
		n.want(other, "SCRIPT KILL", "+OK")
	}
	if got := n.eval(script, "while true do redis.pcall('GET', 'k') end"); !strings.HasPrefix(got, killReply) {
		t.Errorf("the killed script answers %q", got)
	}
	n.want(other, "GET k", "$-1")
	n.want(other, "SCRIPT KILL", "-NOTBUSY No scripts in execution right now.")
}

// TestScriptThatWroteIsUnkillable: also if the command changed nothing.
func TestScriptThatWroteIsUnkillable(t *testing.T) {
	t.Parallel()
	for _, write := range []string{"redis.call('SET', 'k', 'v')", "redis.call('DEL', 'nokey')", "redis.pcall('INCR', 'text')"} {
		env := &slowEnv{elapsed: 5_000_000}
		n := newNode(t, Options{Env: env})
		script, other := n.client(), n.client()
		n.send(other, "SET text x")
		env.busy = func() {
			n.want(other, "SCRIPT KILL", "-"+strings.TrimPrefix(errUnkillable.Error(), "-"))
		}
		if got := n.eval(script, write+" for i = 1, 1000000 do end return 7"); got != ":7" {
			t.Errorf("after %s the script answers %q", write, got)
		}
		if env.busy != nil {
			t.Errorf("after %s the script was not slow", write)
		}
	}
}

// TestKilledScriptCannotCatchIt: neither pcall nor a coroutine keeps it alive.
func TestKilledScriptCannotCatchIt(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		"while true do pcall(function() while true do end end) end",
		"while true do redis.pcall('GET', 'k') end",
		"local f = coroutine.wrap(function() while true do end end) while true do pcall(f) end",
		"local s = ('x'):rep(40) while true do pcall(string.find, s, ('x*'):rep(40) .. 'y') end",
	} {
		env := &slowEnv{elapsed: 5_000_000}
		n := newNode(t, Options{Env: env})
		cl, other := n.client(), n.client()
		env.busy = func() { n.want(other, "SCRIPT KILL", "+OK") }
		if got := n.eval(cl, script); !strings.HasPrefix(got, killReply) {
			t.Errorf("%s answers %q", script, got)
		}
	}
}

// TestScriptStopsWhenTheServerEnds: whatever it is doing.
func TestScriptStopsWhenTheServerEnds(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{Env: endingEnv{}})
	if got := n.eval(n.client(), "while true do end"); !strings.HasPrefix(got, "-ERR Script stopped because the server ends") {
		t.Errorf("the script answers %q", got)
	}
}

type endingEnv struct{}

func (endingEnv) Elapsed() int64 { return Ending }
func (endingEnv) Busy()          {}

// TestSetReplication: redis.set_repl(redis.REPL_NONE) keeps the effects of the
// commands that follow from being recorded, to the end of the script at most.
func TestSetReplication(t *testing.T) {
	t.Parallel()
	const none, all = "redis.set_repl(redis.REPL_NONE) ", "redis.set_repl(redis.REPL_ALL) "
	set := func(key string) string { return "redis.call('SET', '" + key + "', 'v') " }
	for _, test := range []struct{ script, effects string }{
		{set("a"), "SET a v"},
		{none + set("a"), ""},
		{set("a") + none + set("b"), "SET a v"},
		{none + set("a") + all + set("b"), "SET b v"},
		{none + "redis.call('SPOP', 's') redis.call('PEXPIRE', 't', 1000)", ""},
		{"redis.set_repl(redis.REPL_AOF) " + set("a"), "SET a v"},
		{none + set("a") + "error('late')", ""},
		{none + "return redis.call('GET', 'due')", "DEL due"},
	} {
		var got []string
		n := newNode(t, Options{Effects: func(f Effect) {
			var words []string
			for _, arg := range f.Argv {
				words = append(words, string(arg))
			}
			got = append(got, strings.Join(words, " "))
		}})
		cl := n.client()
		n.send(cl, "SADD s x y")
		n.send(cl, "SET t x")
		n.send(cl, "SET due x PX 10")
		n.now += 20_000
		got = nil
		n.eval(cl, test.script)
		if text := strings.Join(got, "; "); text != test.effects {
			t.Errorf("%s has the effects %q, want %q", test.script, text, test.effects)
		}
		got = nil
		n.send(cl, "SET after x")
		if !slices.Contains(got, "SET after x") {
			t.Errorf("after %s nothing is recorded: %q", test.script, got)
		}
	}
}

// TestRedisLog: redis.log joins its arguments by blanks, and a level goes with
// them.
func TestRedisLog(t *testing.T) {
	t.Parallel()
	var got []string
	n := newNode(t, Options{Log: func(level LogLevel, msg string) {
		got = append(got, string(rune('0'+level))+" "+msg)
	}})
	n.eval(n.client(), "redis.log(redis.LOG_DEBUG, 'one') redis.log(redis.LOG_WARNING, 'a', 2, 'c') redis.log(redis.LOG_NOTICE, '')")
	if want := []string{"0 one", "3 a 2 c", "2 "}; !slices.Equal(got, want) {
		t.Errorf("the log has %q, want %q", got, want)
	}
}

// TestWaitingCommandsInScripts: Redis 7.2 has allowed them; they do not wait.
func TestWaitingCommandsInScripts(t *testing.T) {
	t.Parallel()
	const refused = "ERR This Redis command is not allowed from script"
	for _, test := range []struct{ version, script, reply string }{
		{"", "return redis.pcall('BLPOP', 'nokey', 0).err", "$49 " + refused},
		{"7.0", "return redis.pcall('BLPOP', 'nokey', 0).err", "$49 " + refused},
		{"7.2", "return redis.call('BLPOP', 'nokey', 0)", "$-1"},
		{"7.2", "redis.call('RPUSH', 'l', 'x') return redis.call('BRPOP', 'l', 0)", "*2 $1 l $1 x"},
		{"7.2", "return redis.call('BLMOVE', 'a', 'b', 'LEFT', 'LEFT', 0)", "$-1"},
		{"7.2", "return redis.call('BZPOPMIN', 'nokey', 0)", "$-1"},
		{"7.2", "return redis.call('WAIT', 1, 0)", ":0"},
		{"7.2", "return redis.pcall('SUBSCRIBE', 'c').err", "$49 " + refused},
	} {
		conf := config.New()
		conf.RedisVersion = test.version
		n := newNode(t, Options{Config: conf})
		if got := n.eval(n.client(), test.script); got != test.reply {
			t.Errorf("%s: %s answers %q, want %q", test.version, test.script, got, test.reply)
		}
	}
}

// TestScriptErrorsAreCountedOnce: by the command that failed, or by the script.
// The numbers are redis-server's.
func TestScriptErrorsAreCountedOnce(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		script   string
		code     string // of the only error, if any
		rejected string // the command that is counted as rejected, if any
		commands int64
	}{
		{"return 1", "", "", 1},
		{"error('boom')", "ERR", "", 1},
		{"return (", "ERR", "", 1},
		{"return {err='BAD x'}", "BAD", "", 1},
		{"error({err='MY own'})", "MY", "", 1},
		{"return redis.call('GET')", "ERR", "get", 1},
		{"return redis.pcall('GET')", "ERR", "get", 1},
		{"return redis.pcall('GET').err", "ERR", "get", 1},
		{"return redis.call('NOSUCH')", "ERR", "", 1},
		{"return redis.call('SUBSCRIBE', 'c')", "ERR", "subscribe", 1},
		{"redis.call('SET', 'k', 'v') return redis.call('LPUSH', 'k', 'x')", "WRONGTYPE", "", 3},
		{"redis.call('SET', 'k', 'v') redis.pcall('LPUSH', 'k', 'x') return 1", "WRONGTYPE", "", 3},
	} {
		n := newNode(t, Options{})
		n.eval(n.client(), test.script)
		s := &n.e.stats
		if s.commands != test.commands {
			t.Errorf("%s: %d commands, want %d", test.script, s.commands, test.commands)
		}
		if want := int64(min(1, len(test.code))); s.errors != want || s.errorCodes[test.code] != want {
			t.Errorf("%s: the errors are %v, want one %s", test.script, s.errorCodes, test.code)
		}
		for _, cmd := range n.e.table.Commands() {
			want := int64(0)
			if cmd.FullName() == test.rejected {
				want = 1
			}
			if got := s.of(cmd).rejected; got != want {
				t.Errorf("%s: %s was rejected %d times, want %d", test.script, cmd.FullName(), got, want)
			}
		}
	}
}

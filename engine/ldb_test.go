package engine

import (
	"strings"
	"testing"

	"minikv/engine/config"
)

const debugged = `redis.call('set', 'k', 'new')
local n = redis.call('incr', 'n')
redis.call('set', 'last', n)
return n`

// debug opens a session and returns its client.
func (n *node) debug(mode, script string) *Client {
	n.t.Helper()
	cl := n.client()
	if got := n.send(cl, "SCRIPT DEBUG "+mode); got != "+OK" {
		n.t.Fatalf("SCRIPT DEBUG %s: %s", mode, got)
	}
	if got := n.eval(cl, script); !strings.Contains(got, "* Stopped at 1, stop reason = step over") {
		n.t.Fatalf("EVAL: %s", got)
	}
	return cl
}

func TestForkedSessionLeavesTheDataAlone(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	other := n.client()
	n.send(other, "SET k old")
	n.send(other, "RPUSH list a b")
	cl := n.debug("YES", debugged)
	for _, step := range []struct {
		cl             *Client
		command, reply string
	}{
		{cl, "s", `<redis> set k new`},
		{other, "GET k", "old"},
		{cl, "r get k", `<reply> "new"`},
		{other, "SET k other", "+OK"},
		{other, "RPUSH list c", ":3"},
		{cl, "r get k", `<reply> "new"`},
		{cl, "r lrange list 0 -1", `<reply> ["a","b"]`},
		{cl, "r rpush list z", `<reply> 3`},
		{cl, "r flushall", `<reply> "+OK"`},
		{other, "LLEN list", ":3"},
		{other, "LINDEX list 2", "c"},
	} {
		if got := n.send(step.cl, step.command); !strings.Contains(got, step.reply) {
			t.Errorf("%s: %s, want %s", step.command, got, step.reply)
		}
	}
	if got := n.send(cl, "c"); !strings.Contains(got, "<endsession>") || !cl.Closing() {
		t.Errorf("continue: %s, closing %t", got, cl.Closing())
	}
	if got := n.send(other, "MGET k n last"); got != "*3 $5 other $-1 $-1" {
		t.Errorf("the data have changed: %q", got)
	}
	n.noSessions()
}

// noSessions checks that nothing is left of any session.
func (n *node) noSessions() {
	n.t.Helper()
	d := &n.e.debug
	if len(d.sessions) != 0 || d.sync != nil || len(d.held) != 0 || n.e.snapshot.live != 0 || n.e.unit != 0 || n.e.scripts.running != nil {
		n.t.Errorf("left behind: %d sessions, sync %v, %d held, %d snapshots, unit %d", len(d.sessions), d.sync, len(d.held), n.e.snapshot.live, n.e.unit)
	}
}

func TestSyncSessionHoldsTheOthers(t *testing.T) {
	t.Parallel()
	var effects []string
	n := newNode(t, Options{Effects: func(f Effect) { effects = append(effects, string(f.Argv[0])) }})
	other := n.client()
	cl := n.debug("SYNC", debugged)
	if got := n.e.Do(other, n.now, [][]byte{[]byte("NOSUCH")}); got != Paused {
		t.Fatalf("another client's command: %v, want Paused", got)
	}
	n.send(cl, "s")
	if len(effects) != 0 {
		t.Errorf("effects before the end: %v", effects)
	}
	n.e.Tick(n.now + 1_000_000)
	if got := n.send(cl, "c"); !strings.HasSuffix(got, ":1") {
		t.Errorf("continue: %s", got)
	}
	if got := strings.Join(effects, " "); got != "MULTI set incr set EXEC" {
		t.Errorf("effects %s", got)
	}
	if ready := n.e.Ready(); len(ready) != 1 || ready[0] != other {
		t.Errorf("ready: %v, want the one that was held", ready)
	}
	if got := n.send(other, "MGET k n last"); got != "*3 $3 new $1 1 $1 1" {
		t.Errorf("the data: %q", got)
	}
	n.noSessions()
}

func TestDroppedSessions(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	other := n.client()
	for i := range 100 {
		mode := "YES"
		if i%10 == 9 {
			mode = "SYNC"
		}
		cl := n.debug(mode, debugged)
		n.send(cl, "s")
		n.e.Disconnect(cl, n.now)
	}
	n.noSessions()
	if got := n.send(other, "GET n"); got != "$2 10" {
		t.Errorf("n is %q: a script in sync mode runs to its end, a forked one does not count", got)
	}
	cl := n.debug("SYNC", "local n=0\nwhile true do n=n+1 end")
	n.e.Disconnect(cl, n.now)
	n.noSessions()
}

func TestRestoreEndsSessions(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"YES", "SYNC"} {
		n := newNode(t, Options{})
		s := n.e.Snapshot()
		cl := n.debug(mode, debugged)
		n.e.Restore(s)
		s.Release()
		if !cl.CloseNow() {
			t.Errorf("%s: the client of a session stays", mode)
		}
		n.noSessions()
	}
}

func TestForkedSessionsAreLimited(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	for range maxForks {
		n.debug("YES", debugged)
	}
	cl := n.client()
	n.send(cl, "SCRIPT DEBUG YES")
	if got := n.eval(cl, debugged); !strings.HasPrefix(got, "-ERR Fork() failed") {
		t.Errorf("one more session: %s", got)
	}
}

// The client's user may no more in a session than elsewhere.
func TestSessionObeysTheUser(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"YES", "SYNC"} {
		n := newNode(t, Options{})
		admin := n.client()
		n.send(admin, "ACL SETUSER bob on nopass ~* +@all -set")
		cl := n.client()
		n.send(cl, "AUTH bob x")
		n.send(cl, "SCRIPT DEBUG "+mode)
		n.eval(cl, debugged)
		if got := n.send(cl, "r set k v"); !strings.Contains(got, "<error> ") || strings.Contains(got, "OK") {
			t.Errorf("%s: set by a user who may not: %s", mode, got)
		}
		if got := n.send(cl, "r incr n"); !strings.Contains(got, "<reply> 1") {
			t.Errorf("%s: incr: %s", mode, got)
		}
	}
}

// An endless script that was told to continue stops again once it is over
// busy-reply-threshold.
func TestEndlessScriptStopsAgain(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{Env: &slowEnv{elapsed: 5_000_000}})
	cl := n.debug("YES", "while true do end")
	for range 2 {
		if got := n.send(cl, "c"); !strings.Contains(got, "timeout reached, infinite loop?") {
			t.Errorf("continue: %s", got)
		}
	}
	if got := n.send(cl, "abort"); !strings.Contains(got, "-ERR script aborted for user request script: ") {
		t.Errorf("abort: %s", got)
	}
	n.noSessions()
}

func TestDebuggerNeedsItsMachine(t *testing.T) {
	t.Parallel()
	conf := config.New()
	conf.LuaMachine = config.LuaGopher
	n := newNode(t, Options{Config: conf})
	cl := n.client()
	if got := n.send(cl, "SCRIPT DEBUG YES"); got != "-ERR the debugger needs lua-machine own" {
		t.Error(got)
	}
	if got := n.send(cl, "SCRIPT DEBUG NO"); got != "+OK" {
		t.Error(got)
	}
}

package engine

import (
	"strings"
	"testing"

	"minikv/engine/config"
)

// debugConfig allows DEBUG.
func debugConfig() *config.Config {
	conf := config.New()
	conf.EnableDebugCommand = config.Always
	return conf
}

// TestDebugChangeReplID: DEBUG CHANGE-REPL-ID gives the data an ID that it has
// not had, and Restore gives back the one that it had.
func TestDebugChangeReplID(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{Config: debugConfig()})
	cl := n.client()
	id := func() string {
		_, rest, _ := strings.Cut(n.send(cl, "INFO replication"), "master_replid:")
		id, _, _ := strings.Cut(rest, " ")
		return id
	}
	first := id()
	s := n.e.Snapshot()
	defer s.Release()
	n.want(cl, "DEBUG CHANGE-REPL-ID", "+OK")
	second := id()
	n.want(cl, "DEBUG CHANGE-REPL-ID", "+OK")
	third := id()
	if len(first) != 40 || first == second || second == third || third == first {
		t.Errorf("IDs %s, %s, %s", first, second, third)
	}
	n.e.Restore(s)
	if got := id(); got != first {
		t.Errorf("after Restore the ID is %s, was %s", got, first)
	}
}

// TestDebugListpackLogs: DEBUG LISTPACK writes a hash's elements to the log.
func TestDebugListpackLogs(t *testing.T) {
	t.Parallel()
	var lines []string
	n := newNode(t, Options{Config: debugConfig(), Log: func(_ LogLevel, msg string) { lines = append(lines, msg) }})
	cl := n.client()
	n.want(cl, "HSET h field 12", ":1")
	n.want(cl, "DEBUG LISTPACK h", "+Listpack structure printed on stdout")
	want := "DEBUG LISTPACK \"h\": 2 elements\nDEBUG LISTPACK 0: \"field\" in 7 bytes\nDEBUG LISTPACK 1: \"12\" in 2 bytes"
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("log:\n%s\nwant:\n%s", got, want)
	}
}

// TestScriptsDeniedCommands: whatever DEBUG SET-DISABLE-DENY-SCRIPTS says,
// scripts may not call what would change the client that runs them or nest them.
func TestScriptsDeniedCommands(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{Config: debugConfig()})
	cl := n.client()
	n.want(cl, "DEBUG SET-DISABLE-DENY-SCRIPTS 1", "+OK")
	for _, words := range []string{"'multi'", "'subscribe','a'", "'eval','return 1',0", "'monitor'", "'hello','3'", "'client','id'", "'config','get','x'"} {
		n.e.Do(cl, n.now, [][]byte{[]byte("EVAL"), []byte("return redis.call(" + words + ")"), []byte("0")})
		reply := n.read(cl)
		if !strings.Contains(reply, "not allowed from script") {
			t.Errorf("%s answers %s", words, reply)
		}
	}
}

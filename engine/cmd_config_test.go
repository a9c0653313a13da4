package engine_test

import (
	"slices"
	"testing"

	"minikv/engine"
	"minikv/engine/config"
)

// TestConfigSetTellsTheOutside: what lies outside hears what has changed, and
// may refuse it.
func TestConfigSetTellsTheOutside(t *testing.T) {
	t.Parallel()
	var heard []string
	var answer error
	e := engine.New(engine.Options{Reconfigured: func(changed []string) error {
		heard = append(heard, changed...)
		return answer
	}})
	for _, test := range []struct {
		command string
		refuse  error
		reply   string
		heard   []string
		port    int
	}{
		{"CONFIG SET port 7000 maxmemory 0", nil, "+OK\r\n", []string{"port"}, 7000},
		{"CONFIG SET port 7000", nil, "+OK\r\n", nil, 7000},
		{"CONFIG SET port 7001 maxmemory 5mb", config.Failed("port", "no such port"),
			"-ERR CONFIG SET failed (possibly related to argument 'port') - no such port\r\n", []string{"port", "maxmemory"}, 7000},
		{"CONFIG SET port x", nil,
			"-ERR CONFIG SET failed (possibly related to argument 'port') - argument couldn't be parsed into an integer\r\n", nil, 7000},
	} {
		heard, answer = nil, test.refuse
		if got := replies(e, test.command); got != test.reply {
			t.Errorf("%s answers %q, want %q", test.command, got, test.reply)
		}
		if !slices.Equal(heard, test.heard) {
			t.Errorf("%s: heard %q, want %q", test.command, heard, test.heard)
		}
		if got := e.Config().Port; got != test.port || e.Config().MaxMemory != 0 {
			t.Errorf("after %s: port %d, maxmemory %d", test.command, got, e.Config().MaxMemory)
		}
	}
}

// TestConfigRewriteAsksTheLoop where there is a file.
func TestConfigRewriteAsksTheLoop(t *testing.T) {
	t.Parallel()
	e := engine.New(engine.Options{Process: func() engine.ProcessInfo { return engine.ProcessInfo{ConfigFile: "/x.conf"} }})
	cl := e.Connect(virtualStart, engine.ConnInfo{})
	if outcome := e.Do(cl, virtualStart, words("CONFIG REWRITE")); outcome != engine.Requested || cl.Request().Kind != engine.RequestConfigRewrite {
		t.Errorf("CONFIG REWRITE gives %v", outcome)
	}
	e.Complete(cl, virtualStart, nil)
	for _, line := range []string{"MULTI", "CONFIG REWRITE", "EXEC"} {
		if outcome := e.Do(cl, virtualStart, words(line)); outcome == engine.Requested {
			t.Errorf("%s asks for something", line)
		}
	}
}

package engine_test

import (
	"strings"
	"testing"

	"minikv/engine"
)

// TestWholeDatabaseEffects: the commands on whole databases are their own
// effects, FLUSHDB and FLUSHALL also where there was nothing to delete.
func TestWholeDatabaseEffects(t *testing.T) {
	t.Parallel()
	var effects []string
	e := engine.New(engine.Options{Effects: func(f engine.Effect) {
		var words []string
		for _, arg := range f.Argv {
			words = append(words, string(arg))
		}
		effects = append(effects, strings.Join(words, " "))
	}})
	commands := []string{"FLUSHDB", "FLUSHALL ASYNC", "SWAPDB 0 1", "SWAPDB 0 0", "FLUSHDB SYNC"}
	replies(e, append(commands, "DBSIZE", "FLUSHDB x", "SWAPDB 0 99", "TIME", "INFO", "COMMAND")...)
	if got, want := strings.Join(effects, "\n"), strings.Join(commands, "\n"); got != want {
		t.Errorf("effects\n%s\nwant\n%s", got, want)
	}
}

// TestSwapDBKeepsASnapshotWhole: a snapshot taken before a swap still has the
// keys where they were.
func TestSwapDBKeepsASnapshotWhole(t *testing.T) {
	t.Parallel()
	e := engine.New(engine.Options{})
	replies(e, "SET a 0", "SET t 0 EX 100", "SELECT 1", "SET b 1")
	s := e.Snapshot()
	defer s.Release()
	replies(e, "SWAPDB 0 1", "FLUSHALL", "SET a 2")
	e.Restore(s)
	if got, want := replies(e, "GET a", "TTL t", "SELECT 1", "GET b", "DBSIZE"), "$1\r\n0\r\n:100\r\n+OK\r\n$1\r\n1\r\n:1\r\n"; got != want {
		t.Errorf("after Restore %q, want %q", got, want)
	}
}

// TestShutdownSaysHow: the loop reads from the request how to end.
func TestShutdownSaysHow(t *testing.T) {
	t.Parallel()
	for command, want := range map[string][3]bool{
		"SHUTDOWN":             {},
		"SHUTDOWN NOSAVE":      {true, false, false},
		"SHUTDOWN SAVE NOW":    {false, true, false},
		"shutdown force save":  {false, true, true},
		"SHUTDOWN NOSAVE SAVE": {false, false, false}, // a syntax error
	} {
		e := engine.New(engine.Options{})
		cl := e.Connect(virtualStart, engine.ConnInfo{})
		if e.Do(cl, virtualStart, words(command)) != engine.Requested {
			if command != "SHUTDOWN NOSAVE SAVE" {
				t.Errorf("%s asks for nothing", command)
			}
			continue
		}
		r := cl.Request()
		if got := [3]bool{r.NoSave, r.Save, r.Force}; r.Kind != engine.RequestShutdown || got != want {
			t.Errorf("%s asks %v, want %v", command, got, want)
		}
	}
}

package engine_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"minikv/engine"
	"minikv/engine/config"
)

// TestStringAllocations pins what the hottest commands allocate.
func TestStringAllocations(t *testing.T) {
	for _, test := range []struct {
		setup, command string
		most           float64
	}{
		{"SET k 12345", "GET k", 0},
		{"SET k " + smallText, "GET k", 0},
		{"SET k " + mediumText, "GET k", 0},
		{"SET k " + largeText, "GET k", 0},
		{"SET other v", "GET k", 0},
		{"SET k v", "STRLEN k", 0},
		{"SET k " + smallText, "SET k " + smallText, 0},
		{"SET k " + smallText, "SET k 17", 0},
		{"SET k " + mediumText, "SET k " + mediumText, 0},
		{"SET k v EX 100", "SET k v EX 100", 0},
		{"SET k v", "SET k v NX EX 100", 0},
		{"SET k v", "SET k v XX KEEPTTL", 0},
		{"SET k v", "SETNX k v", 0},
		{"SET k v", "MSET k v k w", 0},
		{"SET k 1", "INCR k", 0},
		{"SET k 1 EX 100", "INCRBY k -1000", 0},
		{"SET k " + smallText, "SETRANGE k 5 x", 0},
	} {
		t.Run(fmt.Sprintf("%.20s", test.command), func(t *testing.T) {
			c := newCaller(test.setup)
			argv := words(test.command)
			if got := testing.AllocsPerRun(100, func() { c.do(argv) }); got > test.most {
				t.Errorf("after %.40s: %v allocations, want %v", test.setup, got, test.most)
			}
		})
	}
}

// replies runs commands one after the other and takes the output only at the
// end, as when a pipeline is executed.
func replies(e *engine.Engine, commands ...string) string {
	cl := e.Connect(virtualStart, engine.ConnInfo{})
	for _, line := range commands {
		e.Do(cl, virtualStart, words(line))
	}
	return string(bytes.Join(cl.Output(nil), nil))
}

// TestLargeReplyStaysAsItWas: a large value is answered by reference, and what
// later commands do to the key must not show in the answer.
func TestLargeReplyStaysAsItWas(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1000, 16<<10 - 1, 16 << 10, 16<<10 + 1, 100_000} {
		old := strings.Repeat("v", size)
		bulk := fmt.Sprintf("$%d\r\n%s\r\n", size, old)
		for _, read := range []struct{ command, reply string }{
			{"GET k", bulk},
			{"MGET k", "*1\r\n" + bulk},
			{"GETRANGE k 0 -1", bulk},
			{"GETEX k", bulk},
			{"SET k " + old + " GET", bulk},
		} {
			for _, change := range []string{
				"SET k " + strings.Repeat("w", size), "SET k w", "SETRANGE k 0 w", "APPEND k w", "GETSET k w", "GETDEL k",
				"MSET k " + strings.Repeat("w", size), "SET k " + strings.Repeat("w", size) + " KEEPTTL",
			} {
				e := engine.New(engine.Options{})
				replies(e, "SET k "+old)
				got := replies(e, read.command, change, "SETRANGE k 0 xyz", "APPEND k xyz", "SETRANGE k 1 zyx")
				if !strings.HasPrefix(got, read.reply) {
					t.Errorf("%d bytes, %.20s, then %.20s: the answer changed", size, read.command, change)
				}
			}
		}
	}
}

// TestSnapshotKeepsStrings: what a snapshot holds stays, however the string is
// changed after it.
func TestSnapshotKeepsStrings(t *testing.T) {
	t.Parallel()
	for _, change := range []string{
		"SET k wwww", "SET k 1", "SET k w EX 10", "APPEND k w", "SETRANGE k 0 w", "GETSET k wwww", "GETDEL k", "GETEX k EX 10",
		"GETEX k PERSIST", "MSET k wwww", "SETEX k 10 wwww", "DELEX k IFEQ vvvv", "SET k wwww KEEPTTL",
	} {
		e := engine.New(engine.Options{})
		replies(e, "SET k vvvv EX 100")
		s := e.Snapshot()
		replies(e, change, "SETRANGE k 1 xx", "APPEND k yy")
		e.Restore(s)
		s.Release()
		if got := replies(e, "GET k", "TTL k"); got != "$4\r\nvvvv\r\n:100\r\n" {
			t.Errorf("restored after %s: %q", change, got)
		}
	}
}

// TestSetOptionsByVersion: an emulated version knows the options that it had.
func TestSetOptionsByVersion(t *testing.T) {
	t.Parallel()
	const syntax = "-ERR syntax error\r\n"
	for _, test := range []struct{ version, command, reply string }{
		{"7.0", "SET k v IFEQ w", syntax},
		{"7.0", "SET k v GET NX", "$-1\r\n"},
		{"6.2", "SET k v GET NX", syntax},
		{"6.2", "SET k v GET XX", "$-1\r\n"},
		{"8.4", "SET k v IFEQ w", "$-1\r\n"},
		{"6.0", "SET k v GET", syntax},
		{"6.0", "SET k v EXAT 99999999999", syntax},
		{"6.0", "SET k v KEEPTTL", "+OK\r\n"},
		{"5.0", "SET k v KEEPTTL", syntax},
		{"5.0", "SET k v NX EX 10", "+OK\r\n"},
		{"7.0", "DIGEST k", "-ERR unknown command 'DIGEST', with args beginning with: 'k' \r\n"},
		{"8.6", "INCREX k", "-ERR unknown command 'INCREX', with args beginning with: 'k' \r\n"},
		{"8.4", "DELIFEQ k v", "-ERR unknown command 'DELIFEQ', with args beginning with: 'k' 'v' \r\n"},
		{"valkey-9.0", "DELIFEQ k v", ":0\r\n"},
	} {
		conf := config.New()
		conf.RedisVersion = test.version
		if got := replies(engine.New(engine.Options{Config: conf}), test.command); got != test.reply {
			t.Errorf("%s: %s: %q, want %q", test.version, test.command, got, test.reply)
		}
	}
}

// TestStringEffects: what replicas and traces are told of string commands is
// without conditions, relative times and the like.
func TestStringEffects(t *testing.T) {
	t.Parallel()
	const at = "1767225700000" // a hundred seconds after virtualStart
	for _, test := range []struct{ setup, command, effect string }{
		{"", "SET k v", "SET k v"},
		{"", "SET k v EX 100", "SET k v PXAT " + at},
		{"", "SET k v PX 100000 NX GET", "SET k v PXAT " + at},
		{"", "SET k v EXAT 1767225700", "SET k v PXAT " + at},
		{"SET k u", "SET k v XX GET", "SET k v"},
		{"SET k u", "SET k v KEEPTTL GET", "SET k v KEEPTTL"},
		{"SET k u", "SET k v IFEQ u", "SET k v"},
		{"SET k u", "SET k v IFEQ w", ""},
		{"SET k u", "SET k v NX", ""},
		{"", "SETEX k 100 v", "SET k v PXAT " + at},
		{"", "PSETEX k 100000 v", "SET k v PXAT " + at},
		{"", "SETNX k v", "SETNX k v"},
		{"SET k u", "SETNX k v", ""},
		{"", "GETSET k v", "SET k v"},
		{"SET k u", "GETDEL k", "DEL k"},
		{"", "GETDEL k", ""},
		{"SET k u", "GETEX k", ""},
		{"SET k u", "GETEX k EX 100", "PEXPIREAT k " + at},
		{"SET k u", "GETEX k EXAT 1", "DEL k"},
		{"SET k u", "GETEX k PERSIST", ""},
		{"SET k u EX 1", "GETEX k PERSIST", "PERSIST k"},
		{"", "MSET a 1 b 2", "MSET a 1 b 2"},
		{"SET a 1", "MSETNX a 1 b 2", ""},
		{"", "MSETEX 2 a 1 b 2 EX 100", "MULTI; SET a 1 PXAT " + at + "; SET b 2 PXAT " + at + "; EXEC"},
		{"", "INCR k", "INCR k"},
		{"", "DECRBY k 5", "DECRBY k 5"},
		{"SET k 1.5", "INCRBYFLOAT k 1e0", "SET k 2.5 KEEPTTL"},
		{"", "INCREX k EX 100", "SET k 1 PXAT " + at},
		{"SET k 1 EX 5", "INCREX k EX 100 ENX", "SET k 2 KEEPTTL"},
		{"SET k 1 EX 5", "INCREX k PERSIST", "SET k 2"},
		{"SET k 1", "INCREX k EXAT 1", "DEL k"},
		{"SET k 1", "INCREX k UBOUND 1", ""},
		{"", "APPEND k v", "APPEND k v"},
		{"", "SETRANGE k 1 v", "SETRANGE k 1 v"},
		{"SET k v", "SETRANGE k 1 ", ""},
		{"SET k v", "DELEX k IFEQ v", "DEL k"},
		{"SET k v", "DELEX k IFEQ w", ""},
		{"SET k v", "DELIFEQ k v", "DEL k"},
	} {
		var got []string
		e := engine.New(engine.Options{Effects: func(f engine.Effect) {
			got = append(got, string(bytes.Join(f.Argv, []byte(" "))))
		}})
		if test.setup != "" {
			replies(e, test.setup)
		}
		got = nil
		argv := bytes.Split([]byte(test.command), []byte(" "))
		e.Do(e.Connect(virtualStart, engine.ConnInfo{}), virtualStart, argv)
		if text := strings.Join(got, "; "); text != test.effect {
			t.Errorf("%s, then %s: %q, want %q", test.setup, test.command, text, test.effect)
		}
	}
}

// TestLCSAgainstItsDefinition compares LCS with the textbook table, whose walk
// back prefers to shorten the second string.
func TestLCSAgainstItsDefinition(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	e := engine.New(engine.Options{})
	for range 500 {
		x, y := randomText(rng, 30), randomText(rng, 30)
		want := textbookLCS(x, y)
		got := replies(e, "SET x "+x, "SET y "+y, "LCS x y", "LCS x y LEN")
		if got != fmt.Sprintf("+OK\r\n+OK\r\n$%d\r\n%s\r\n:%d\r\n", len(want), want, len(want)) {
			t.Fatalf("LCS of %s and %s: %q, want %q", x, y, got, want)
		}
	}
}

func randomText(rng *rand.Rand, most int) string {
	b := make([]byte, 1+rng.IntN(most))
	for i := range b {
		b[i] = "abcd"[rng.IntN(4)]
	}
	return string(b)
}

func textbookLCS(x, y string) string {
	table := make([][]int, len(x)+1)
	for i := range table {
		table[i] = make([]int, len(y)+1)
	}
	for i := range x {
		for j := range y {
			if x[i] == y[j] {
				table[i+1][j+1] = table[i][j] + 1
			} else {
				table[i+1][j+1] = max(table[i][j+1], table[i+1][j])
			}
		}
	}
	var common []byte
	for i, j := len(x), len(y); i > 0 && j > 0; {
		switch {
		case x[i-1] == y[j-1]:
			common = append(common, x[i-1])
			i, j = i-1, j-1
		case table[i-1][j] > table[i][j-1]:
			i--
		default:
			j--
		}
	}
	slices.Reverse(common)
	return string(common)
}

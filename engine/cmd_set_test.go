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

// TestSetAllocations pins what the hottest set commands allocate. What one
// command puts in the next takes out.
func TestSetAllocations(t *testing.T) {
	for _, test := range []struct {
		setup    string
		commands []string
		most     float64
	}{
		{"SADD s 1 2 3", []string{"SADD s 2"}, 0},
		{"SADD s 1 2 3", []string{"SADD s 4", "SREM s 4"}, 0},
		{"SADD s a b c", []string{"SADD s b"}, 0},
		{"SADD s a b c", []string{"SADD s d", "SREM s d"}, 2}, // the member's node and text
		{"SADD s a b c", []string{"SISMEMBER s b"}, 0},
		{"SADD s 1 2 3", []string{"SISMEMBER s 2"}, 0},
		{"SADD s 1 2 3", []string{"SMISMEMBER s 2 x"}, 0},
		{"SADD s a b c", []string{"SMEMBERS s"}, 0},
		{"SADD s 1 2 3", []string{"SMEMBERS s"}, 1}, // room to spell the numbers
		{"SADD s a b c", []string{"SRANDMEMBER s"}, 0},
		{"SADD s a b c", []string{"SCARD s"}, 0},
	} {
		t.Run(fmt.Sprintf("%.20s", strings.Join(test.commands, "_")), func(t *testing.T) {
			c := newCaller(test.setup)
			var argvs [][][]byte
			for _, command := range test.commands {
				argvs = append(argvs, words(command))
			}
			got := testing.AllocsPerRun(100, func() {
				for _, argv := range argvs {
					c.do(argv)
				}
			})
			if got > test.most {
				t.Errorf("after %s: %v allocations, want %v", test.setup, got, test.most)
			}
		})
	}
}

// TestSnapshotKeepsSets: what a snapshot holds stays, however the set is
// changed after it.
func TestSnapshotKeepsSets(t *testing.T) {
	t.Parallel()
	for _, members := range []string{"1 2 3", "a b c"} {
		for _, change := range []string{
			"SADD s x", "SADD s 4", "SREM s 1 a", "SREM s 1 2 3 a b c", "SPOP s", "SPOP s 2", "SPOP s 3", "SMOVE s t 1", "SMOVE s t a",
			"SINTERSTORE s t", "SUNIONSTORE s s t", "SDIFFSTORE s nokey", "SMOVE t s y",
		} {
			e := engine.New(engine.Options{})
			before := replies(e, "SADD s "+members, "SADD t y", "EXPIRE s 100", "SSCAN s 0", "SMEMBERS t", "TTL s")
			s := e.Snapshot()
			replies(e, change, "SADD s z", "SADD t z")
			e.Restore(s)
			s.Release()
			if got := replies(e, "SSCAN s 0", "SMEMBERS t", "TTL s"); !strings.HasSuffix(before, got) {
				t.Errorf("restored after %s: %q, was %q", change, got, before)
			}
		}
	}
}

// TestSetEffects: what replicas and traces are told of set commands leaves
// nothing to chance.
func TestSetEffects(t *testing.T) {
	t.Parallel()
	testEffects(t, []effectTest{
		{"", "SADD s a b", "SADD s a b"},
		{"SADD s a", "SADD s a", ""},
		{"SADD s a", "SREM s a b", "SREM s a b"},
		{"SADD s a", "SREM s b", ""},
		{"SADD s a", "SMOVE s t a", "SMOVE s t a"},
		{"SADD s a", "SMOVE s s a", ""},
		{"SADD s a", "SPOP s", "SREM s a"},
		{"SADD s a", "SPOP s 1", "DEL s"},
		{"SADD s a b", "SPOP s 5", "DEL s"},
		{"SADD s a b", "SPOP s 0", ""},
		{"SADD s a", "SRANDMEMBER s 5", ""},
		{"SADD s a", "SUNIONSTORE t s", "SUNIONSTORE t s"},
		{"SADD s a", "SINTERSTORE t nokey s", ""},
		{"SADD s a", "SDIFFSTORE s nokey", "SDIFFSTORE s nokey"},
	})
}

// TestReplayedSPop: the effects of random pops do the same to another node,
// whatever its chance is.
func TestReplayedSPop(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		replica := engine.New(engine.Options{Seed: seed + 1000})
		link := replica.Connect(virtualStart, engine.ConnInfo{})
		e := engine.New(engine.Options{Seed: seed, Effects: func(f engine.Effect) { replica.Do(link, virtualStart, f.Argv) }})
		replies(e, manyMembers("s", 30, "m%d"), manyMembers("i", 30, "%d"),
			"SPOP s", "SPOP s 3", "SPOP s 24", "SPOP i", "SPOP i 3", "SPOP i 24")
		for _, name := range []string{"s", "i"} {
			here, there := sortedReply(e, "SMEMBERS "+name), sortedReply(replica, "SMEMBERS "+name)
			if !slices.Equal(here, there) || len(here) < 2 {
				t.Fatalf("seed %d: %s is %q here and %q there", seed, name, here, there)
			}
		}
	}
}

// TestHugeSetDrawsAreRefused: a negative count could ask for more than memory
// holds.
func TestHugeSetDrawsAreRefused(t *testing.T) {
	t.Parallel()
	const refused = "-ERR value is out of range\r\n"
	conf := config.New()
	conf.ProtoMaxBulkLen = 1 << 20
	e := engine.New(engine.Options{Config: conf})
	replies(e, "SADD s a", "SADD large "+mediumText)
	for _, command := range []string{"SRANDMEMBER s -9223372036854775807", "SRANDMEMBER s -16777217", "SRANDMEMBER large -10000"} {
		if got := replies(e, command); got != refused {
			t.Errorf("%s: %.60q", command, got)
		}
	}
	if got := replies(e, "PING", "SRANDMEMBER large -10000", "PING"); got != "+PONG\r\n"+refused+"+PONG\r\n" {
		t.Errorf("between others: %.60q", got)
	}
	if got := replies(e, "SRANDMEMBER large -500"); !strings.HasPrefix(got, "*500\r\n$1024\r\n") {
		t.Errorf("what is not too large: %.60q", got)
	}
}

// TestSRandMemberIsFair: each member comes as often as any other.
func TestSRandMemberIsFair(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"%d", "m%d"} {
		e := engine.New(engine.Options{Seed: 7})
		replies(e, manyMembers("s", 10, format))
		for _, command := range []string{"SRANDMEMBER s", "SRANDMEMBER s 1", "SRANDMEMBER s -1", "SRANDMEMBER s 5"} {
			const rounds = 4000
			seen, drawn := make(map[string]int), 0
			for range rounds {
				for _, member := range sortedReply(e, command) {
					seen[member]++
					drawn++
				}
			}
			for member, n := range seen {
				if want := drawn / 10; n < want*3/4 || n > want*5/4 || len(seen) != 10 {
					t.Errorf("%s: %s came %d times of %d", command, member, n, drawn)
				}
			}
		}
	}
}

// TestSetAlgebraAgainstItsDefinition compares the operations on random sets
// with what they are by definition.
func TestSetAlgebraAgainstItsDefinition(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		e := engine.New(engine.Options{})
		var names []string
		var sets []map[string]bool
		for i := range 1 + rng.IntN(5) {
			name := fmt.Sprintf("s%d", i)
			set := randomSet(rng)
			for member := range set {
				replies(e, "SADD "+name+" "+member)
			}
			names, sets = append(names, name), append(sets, set)
		}
		keys := strings.Join(names, " ")
		for _, op := range []struct {
			name  string
			holds func(in []bool) bool
		}{
			{"INTER", func(in []bool) bool { return !slices.Contains(in, false) }},
			{"UNION", func(in []bool) bool { return slices.Contains(in, true) }},
			{"DIFF", func(in []bool) bool { return in[0] && !slices.Contains(in[1:], true) }},
		} {
			want := defined(sets, op.holds)
			if got := sortedReply(e, "S"+op.name+" "+keys); !slices.Equal(got, want) {
				t.Fatalf("S%s of %v: %q, want %q", op.name, sets, got, want)
			}
			counted := replies(e, fmt.Sprintf("S%sCARD %d %s", op.name, len(names), keys), fmt.Sprintf("S%sCARD %d %s LIMIT 3", op.name, len(names), keys),
				"S"+op.name+"STORE d "+keys)
			if text := fmt.Sprintf(":%d\r\n:%d\r\n:%d\r\n", len(want), min(len(want), 3), len(want)); counted != text {
				t.Fatalf("S%sCARD of %v: %q, want %q", op.name, sets, counted, text)
			}
			if got := sortedReply(e, "SMEMBERS d"); !slices.Equal(got, want) {
				t.Fatalf("S%sSTORE of %v: %q, want %q", op.name, sets, got, want)
			}
		}
	}
}

// defined lists in order the members for which holds is true, given which sets
// have them.
func defined(sets []map[string]bool, holds func(in []bool) bool) []string {
	all := make(map[string]bool)
	for _, set := range sets {
		for member := range set {
			all[member] = true
		}
	}
	var list []string
	for member := range all {
		var in []bool
		for _, set := range sets {
			in = append(in, set[member])
		}
		if holds(in) {
			list = append(list, member)
		}
	}
	slices.Sort(list)
	return list
}

// randomSet is a set of numbers, of words or of both.
func randomSet(rng *rand.Rand) map[string]bool {
	set := make(map[string]bool)
	kind := rng.IntN(3)
	for range rng.IntN(12) {
		member := fmt.Sprint(rng.IntN(10) - 3)
		if kind == 1 || kind == 2 && rng.IntN(2) == 0 {
			member = "m" + member
		}
		set[member] = true
	}
	return set
}

// sortedReply is the bulk strings of a command's reply, in order.
func sortedReply(e *engine.Engine, command string) []string {
	var list []string
	for _, line := range strings.Split(replies(e, command), "\r\n") {
		if line != "" && !strings.ContainsAny(line[:1], "*$") {
			list = append(list, line)
		}
	}
	slices.Sort(list)
	return list
}

// output is what a client is told.
func output(cl *engine.Client) string { return string(bytes.Join(cl.Output(nil), nil)) }

// joined is a command as a line of text.
func joined(argv [][]byte) string { return string(bytes.Join(argv, []byte(" "))) }

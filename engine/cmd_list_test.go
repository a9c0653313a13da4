package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"minikv/engine"
	"minikv/engine/config"
)

// TestListAllocations pins what the hottest list commands allocate. What one
// command puts in the next takes out.
func TestListAllocations(t *testing.T) {
	for _, test := range []struct {
		setup    string
		commands []string
		most     float64
	}{
		{"RPUSH l a", []string{"LPUSH l " + smallText, "LPOP l"}, 0},
		{"RPUSH l a", []string{"RPUSH l " + smallText, "RPOP l"}, 0},
		{"RPUSH l a", []string{"LPUSH l " + smallText, "RPOP l"}, 0},
		{"RPUSH l a", []string{"RPUSH l a b c", "LPOP l 3"}, 0},
		{"RPUSH l a b", []string{"LLEN l"}, 0},
		{"RPUSH l a b", []string{"LINDEX l 1"}, 0},
		{"RPUSH l a b", []string{"LRANGE l 0 -1"}, 0},
		{"RPUSH l a b", []string{"LSET l 0 c"}, 0},
		{"RPUSH l a b", []string{"LPOS l b"}, 1},             // the places found
		{"RPUSH l a b", []string{"LMOVE l l LEFT RIGHT"}, 1}, // the element, on its way
		{"RPUSH l a b", []string{"LMOVE l m LEFT LEFT", "LMOVE m l LEFT LEFT"}, 6},
		{"SET k v", []string{"LPUSH l " + smallText, "LPOP l"}, 5}, // entry, name, list, its blocks and their bytes
		{"SET k v", []string{"LPOP l"}, 0},
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
				t.Errorf("after %.40s: %v allocations, want %v", test.setup, got, test.most)
			}
		})
	}
}

// TestLargeElementReplyStaysAsItWas: a large element is answered by reference,
// and what later commands do to the list must not show in the answer.
func TestLargeElementReplyStaysAsItWas(t *testing.T) {
	t.Parallel()
	for _, size := range []int{100, 8 << 10, 16<<10 - 1, 16 << 10, 100_000} {
		old, other := strings.Repeat("v", size), strings.Repeat("w", size)
		bulk := fmt.Sprintf("$%d\r\n%s\r\n", size, old)
		for _, read := range []struct{ command, reply string }{
			{"LINDEX l 0", bulk},
			{"LRANGE l 0 0", "*1\r\n" + bulk},
			{"LPOP l", bulk},
			{"LPOP l 1", "*1\r\n" + bulk},
			{"BLPOP l 0", "*2\r\n$1\r\nl\r\n" + bulk},
			{"LMPOP 1 l LEFT", "*2\r\n$1\r\nl\r\n*1\r\n" + bulk},
			{"LMOVE l l LEFT RIGHT", bulk},
			{"LMOVE l m LEFT RIGHT", bulk},
			{"LMOVEM l m LEFT RIGHT", "*1\r\n" + bulk},
		} {
			for _, change := range []string{"LSET l 0 ", "LPUSH l ", "RPUSH l ", "LINSERT l BEFORE a ", "LREM l 0 "} {
				e := engine.New(engine.Options{})
				replies(e, "RPUSH l "+old+" a")
				got := replies(e, read.command, change+other, "LSET l -1 "+other, "LPUSH m "+other, "LSET m -1 "+other)
				if !strings.HasPrefix(got, read.reply) {
					t.Errorf("%d bytes, %s, then %s: the answer changed", size, read.command, change)
				}
			}
		}
	}
}

// TestSnapshotKeepsLists: what a snapshot holds stays, however the list is
// changed after it.
func TestSnapshotKeepsLists(t *testing.T) {
	t.Parallel()
	for _, change := range []string{
		"LPUSH l x", "RPUSH l x", "LPUSHX l x", "RPUSHX l x", "LPOP l", "RPOP l 2", "LPOP l 9", "LMPOP 1 l LEFT COUNT 2", "BLPOP l 0",
		"BLMPOP 0 1 l RIGHT", "LSET l 0 x", "LINSERT l BEFORE b x", "LINSERT l AFTER b x", "LREM l 0 b", "LTRIM l 1 1", "LTRIM l 5 6",
		"LMOVE l l LEFT RIGHT", "LMOVE l m LEFT LEFT", "BLMOVE m l LEFT LEFT 0", "RPOPLPUSH l l", "LMOVEM l l LEFT LEFT COUNT 2 OBO",
	} {
		e := engine.New(engine.Options{})
		replies(e, "RPUSH l a b c", "RPUSH m x", "EXPIRE l 100")
		s := e.Snapshot()
		replies(e, change, "LPUSH l y", "LSET l -1 z", "RPUSH m z")
		e.Restore(s)
		s.Release()
		want := "*3\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n*1\r\n$1\r\nx\r\n:100\r\n"
		if got := replies(e, "LRANGE l 0 -1", "LRANGE m 0 -1", "TTL l"); got != want {
			t.Errorf("restored after %s: %q", change, got)
		}
	}
}

// TestListEffects: what replicas and traces are told of list commands does not
// wait and does not search.
func TestListEffects(t *testing.T) {
	t.Parallel()
	testEffects(t, []effectTest{
		{"", "LPUSH l a b", "LPUSH l a b"},
		{"", "LPUSHX l a", ""},
		{"RPUSH l a", "RPUSHX l b", "RPUSHX l b"},
		{"RPUSH l a b", "LPOP l", "LPOP l"},
		{"RPUSH l a b", "RPOP l 5", "RPOP l 5"},
		{"RPUSH l a b", "RPOP l 0", ""},
		{"", "LPOP l", ""},
		{"RPUSH l a b c", "LMPOP 2 m l LEFT COUNT 2", "LPOP l 2"},
		{"RPUSH l a b c", "LMPOP 2 m l RIGHT COUNT 9", "RPOP l 3"},
		{"RPUSH l a b c", "BLMPOP 0 2 m l RIGHT", "RPOP l 1"},
		{"RPUSH l a b", "BLPOP m l 0", "LPOP l"},
		{"RPUSH l a b", "BRPOP m l 0", "RPOP l"},
		{"", "BLPOP m l 0", ""},
		{"RPUSH l a b", "LMOVE l m LEFT RIGHT", "LMOVE l m LEFT RIGHT"},
		{"RPUSH l a b", "BLMOVE l m left right 0", "LMOVE l m LEFT RIGHT"},
		{"RPUSH l a b", "BRPOPLPUSH l m 0", "RPOPLPUSH l m"},
		{"", "LMOVE l m LEFT RIGHT", ""},
		{"RPUSH l a b", "LMOVEM l m LEFT RIGHT COUNT 9 OBO", "LMOVEM l m LEFT RIGHT COUNT 9 OBO"},
		{"RPUSH l a b", "BLMOVEM l m LEFT RIGHT 0 COUNT 9 BULK", "LMOVEM l m LEFT RIGHT EXACTLY 2 BULK"},
		{"RPUSH l a b", "BLMOVEM l m LEFT RIGHT 0", "LMOVEM l m LEFT RIGHT EXACTLY 1 OBO"},
		{"RPUSH l a b", "LSET l 0 x", "LSET l 0 x"},
		{"RPUSH l a b", "LINSERT l AFTER a x", "LINSERT l AFTER a x"},
		{"RPUSH l a b", "LINSERT l AFTER c x", ""},
		{"RPUSH l a b", "LREM l 0 a", "LREM l 0 a"},
		{"RPUSH l a b", "LREM l 0 c", ""},
		{"RPUSH l a b", "LTRIM l 1 1", "LTRIM l 1 1"},
		{"RPUSH l a b", "LTRIM l 5 6", "LTRIM l 5 6"},
		{"RPUSH l a b", "LTRIM l 0 -1", ""},
	})
}

// TestEffectsOfServedWaiters: who was waiting takes by a command of its own,
// after the push.
func TestEffectsOfServedWaiters(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ wait, effects string }{
		{"BLPOP l m 0", "RPUSH l x y; LPOP l"},
		{"BRPOP m l 0", "RPUSH l x y; RPOP l"},
		{"BLMPOP 0 2 m l LEFT COUNT 2", "RPUSH l x y; LPOP l 2"},
		{"BLMOVE l m LEFT LEFT 0", "RPUSH l x y; LMOVE l m LEFT LEFT"},
		{"BRPOPLPUSH l m 0", "RPUSH l x y; RPOPLPUSH l m"},
		{"BLMOVEM l m LEFT LEFT 0 EXACTLY 2 OBO", "RPUSH l x y; LMOVEM l m LEFT LEFT EXACTLY 2 OBO"},
		{"BLMOVEM l m LEFT LEFT 0 EXACTLY 3 OBO", "RPUSH l x y"},
	} {
		var got []string
		e := engine.New(engine.Options{Effects: func(f engine.Effect) { got = append(got, joined(f.Argv)) }})
		replies(e, test.wait)
		replies(e, "RPUSH l x y")
		if text := strings.Join(got, "; "); text != test.effects {
			t.Errorf("%s: %q, want %q", test.wait, text, test.effects)
		}
	}
}

// TestWaitingByVersion: which of its keys serves a client, and how large a
// time-out may be, came to change with 7.2.
func TestWaitingByVersion(t *testing.T) {
	t.Parallel()
	const negative, large = "-ERR timeout is negative\r\n", "-ERR timeout is out of range\r\n"
	for _, test := range []struct{ version, served, refused string }{
		{"", "b", negative}, {"6.2", "b", negative}, {"7.0", "b", negative},
		{"7.2", "a", large}, {"8.0", "a", large}, {"valkey-8.0", "a", large},
	} {
		conf := config.New()
		conf.RedisVersion = test.version
		e := engine.New(engine.Options{Config: conf})
		cl := e.Connect(virtualStart, engine.ConnInfo{})
		e.Do(cl, virtualStart, words("BLPOP a b 0"))
		replies(e, "MULTI", "RPUSH b x", "RPUSH a x", "EXEC")
		if got, want := output(cl), "*2\r\n$1\r\n"+test.served+"\r\n$1\r\nx\r\n"; got != want {
			t.Errorf("%s: %q, want %q", test.version, got, want)
		}
		if got := replies(e, "BLPOP nokey 1e16"); got != test.refused {
			t.Errorf("%s: %q, want %q", test.version, got, test.refused)
		}
	}
}

// TestPopCountByVersion: before 6.2 one element at a time was popped.
func TestPopCountByVersion(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ version, reply string }{
		{"6.0", "-ERR wrong number of arguments for 'lpop' command\r\n"}, {"6.2", "*1\r\n$1\r\na\r\n"}, {"", "*1\r\n$1\r\na\r\n"},
	} {
		conf := config.New()
		conf.RedisVersion = test.version
		e := engine.New(engine.Options{Config: conf})
		replies(e, "RPUSH l a")
		if got := replies(e, "LPOP l 1"); got != test.reply {
			t.Errorf("%s: %q, want %q", test.version, got, test.reply)
		}
	}
}

// TestChangesOfListsAndSetsAreCounted: INFO's rdb_changes_since_last_save
// grows by what was put in or taken out.
func TestChangesOfListsAndSetsAreCounted(t *testing.T) {
	t.Parallel()
	e := engine.New(engine.Options{})
	before := changes(e)
	for _, test := range []struct {
		command string
		changes int
	}{
		{"RPUSH l a b c d e f g h", 8}, {"LPOP l 2", 2}, {"LMOVE l m LEFT LEFT", 1}, {"LMOVE l l LEFT RIGHT", 1},
		{"LMPOP 1 l LEFT COUNT 2", 2}, {"LTRIM l 1 1", 2}, {"LTRIM l 5 6", 1}, {"RPUSH l a b a", 3}, {"LREM l 0 a", 2},
		{"LSET l 0 x", 1}, {"LINSERT l BEFORE x y", 1}, {"LTRIM l 0 -1", 0}, {"RPOPLPUSH l l", 1}, {"BLMOVE l l LEFT LEFT 0", 1},
		{"BLPOP l 0", 1}, {"LPUSHX l a b", 2}, {"LPOP l 9", 3}, {"LPOP l", 0},
		{"SADD s a b c d e f g", 7}, {"SPOP s", 1}, {"SPOP s 2", 2}, {"SPOP s 100", 4}, {"SADD s a b c", 3}, {"SADD s a", 0},
		{"SREM s a b x", 2}, {"SMOVE s t c", 2}, {"SUNIONSTORE u t t", 1}, {"SUNIONSTORE u nokey", 1}, {"SUNIONSTORE u nokey", 0},
	} {
		replies(e, test.command)
		after := changes(e)
		if after-before != test.changes {
			t.Errorf("%s: %d changes, want %d", test.command, after-before, test.changes)
		}
		before = after
	}
}

// changes is INFO's count of changes.
func changes(e *engine.Engine) (n int) {
	_, rest, _ := strings.Cut(replies(e, "INFO persistence"), "rdb_changes_since_last_save:")
	fmt.Sscan(rest, &n)
	return n
}

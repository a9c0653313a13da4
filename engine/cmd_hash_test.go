package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"minikv/engine"
	"minikv/engine/config"
)

// TestHashAllocations pins what the hottest hash commands allocate.
func TestHashAllocations(t *testing.T) {
	for _, test := range []struct {
		setup, command string
		most           float64
	}{
		{"HSET h f " + smallText, "HGET h f", 0},
		{"HSET h f " + mediumText, "HGET h f", 0},
		{"HSET h f " + largeText, "HGET h f", 0},
		{"HSET h f v", "HGET h g", 0},
		{"HSET h f v", "HMGET h f g", 0},
		{"HSET h f v", "HEXISTS h f", 0},
		{"HSET h f v", "HLEN h", 0},
		{"HSET h f v", "HGETALL h", 0},
		{"HSET h f v", "HRANDFIELD h", 0},
		{"HSET h f " + smallText, "HSET h f " + smallText, 0},
		{"HSET h f v", "HSETNX h f v", 0},
		{"HSET h f 1", "HINCRBY h f 1", 0},
		{"HSET h f v", "HDEL h g", 0},
		{"HSET h f " + mediumText, "HSET h f " + mediumText, 1}, // a table's values are strings
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

// TestLargeHashReplyStaysAsItWas: a large value is answered by reference, and
// what later commands do to the hash must not show in the answer.
func TestLargeHashReplyStaysAsItWas(t *testing.T) {
	t.Parallel()
	old, other := strings.Repeat("v", 20_000), strings.Repeat("w", 20_000)
	bulk := fmt.Sprintf("$%d\r\n%s\r\n", len(old), old)
	for _, limit := range []string{"64", "100000"} { // as a table and packed
		conf := config.New()
		if err := conf.Apply("hash-max-listpack-value", []string{limit}, "test"); err != nil {
			t.Fatal(err)
		}
		for _, read := range []struct{ command, reply string }{
			{"HGET h f", bulk},
			{"HMGET h f", "*1\r\n" + bulk},
			{"HVALS h", "*1\r\n" + bulk},
			{"HGETALL h", "*2\r\n$1\r\nf\r\n" + bulk},
			{"HRANDFIELD h 1 WITHVALUES", "*2\r\n$1\r\nf\r\n" + bulk},
			{"HSCAN h 0", "*2\r\n$1\r\n0\r\n*2\r\n$1\r\nf\r\n" + bulk},
		} {
			e := engine.New(engine.Options{Config: conf})
			replies(e, "HSET h f "+old)
			if got := replies(e, read.command, "HSET h f "+other); !strings.HasPrefix(got, read.reply) {
				t.Errorf("limit %s, %s: the answer changed", limit, read.command)
			}
		}
	}
}

// TestSnapshotKeepsHashes: what a snapshot holds stays, however the hash is
// changed after it.
func TestSnapshotKeepsHashes(t *testing.T) {
	t.Parallel()
	for _, change := range []string{
		"HSET h f w", "HSET h g w", "HMSET h f w g w", "HSETNX h g w", "HDEL h f", "HDEL h f n", "HINCRBY h n 1", "HINCRBYFLOAT h n 1",
		"HSET h f " + mediumText,
	} {
		e := engine.New(engine.Options{})
		replies(e, "HSET h f v n 5")
		s := e.Snapshot()
		replies(e, change, "HSET h f x n 7")
		e.Restore(s)
		s.Release()
		if got := replies(e, "HGETALL h"); got != "*4\r\n$1\r\nf\r\n$1\r\nv\r\n$1\r\nn\r\n$1\r\n5\r\n" {
			t.Errorf("restored after %.20s: %q", change, got)
		}
	}
}

// TestHashEffects: what replicas and traces are told of hash commands.
func TestHashEffects(t *testing.T) {
	t.Parallel()
	testEffects(t, []effectTest{
		{"", "HSET h a 1 b 2", "HSET h a 1 b 2"},
		{"", "HMSET h a 1", "HMSET h a 1"},
		{"", "HSETNX h a 1", "HSETNX h a 1"},
		{"HSET h a 1", "HSETNX h a 2", ""},
		{"HSET h a 1", "HDEL h a b", "HDEL h a b"},
		{"HSET h a 1", "HDEL h b", ""},
		{"HSET h a 1", "HINCRBY h a 5", "HINCRBY h a 5"},
		{"HSET h a 1.5", "HINCRBYFLOAT h a 1e0", "HSET h a 2.5"},
		{"HSET h a 1", "HRANDFIELD h 5", ""},
		{"HSET h a 1 b 2", "HEXPIRE h 100 FIELDS 2 a zz", "HPEXPIREAT h 1767225700000 FIELDS 1 a"},
		{"HSET h a 1 b 2", "HEXPIRE h 100 XX FIELDS 1 a", ""},
		{"HSET h a 1 b 2", "HEXPIRE h 0 FIELDS 2 a zz", "HDEL h a"},
		{"HSETEX h EX 9 FIELDS 1 a 1", "HPERSIST h FIELDS 1 a", "HPERSIST h FIELDS 1 a"},
		{"HSET h a 1", "HPERSIST h FIELDS 1 a", ""},
		{"HSET h a 1 b 2", "HGETDEL h FIELDS 2 a zz", "HDEL h a"},
		{"HSET h a 1 b 2", "HGETEX h EX 100 FIELDS 2 a zz", "HPEXPIREAT h 1767225700000 FIELDS 1 a"},
		{"HSETEX h EX 9 FIELDS 1 a 1", "HGETEX h PERSIST FIELDS 1 a", "HPERSIST h FIELDS 1 a"},
		{"HSET h a 1", "HGETEX h FIELDS 1 a", ""},
		{"", "HSETEX h FNX FIELDS 1 a 1", "HSET h a 1"},
		{"", "HSETEX h KEEPTTL FIELDS 1 a 1", "HSETEX h KEEPTTL FIELDS 1 a 1"},
		{"", "HSETEX h PX 100000 FIELDS 1 a 1", "MULTI; HSET h a 1; HPEXPIREAT h 1767225700000 FIELDS 1 a; EXEC"},
	})
}

// TestHugeDrawsAreRefused: a negative count could ask for more than memory holds.
func TestHugeDrawsAreRefused(t *testing.T) {
	t.Parallel()
	const refused = "-ERR value is out of range\r\n"
	for _, test := range []struct{ setup, command string }{
		{"HSET h f v", "HRANDFIELD h -9223372036854775807"},
		{"HSET h f v", "HRANDFIELD h -4611686018427387903 WITHVALUES"},
		{"HSET h f " + largeText, "HRANDFIELD h -1000000 WITHVALUES"},
	} {
		e := engine.New(engine.Options{})
		replies(e, test.setup)
		if got := replies(e, test.command); got != refused {
			t.Errorf("%s: %.60q", test.command, got)
		}
	}
}

// TestFieldsExpire: fields go by themselves when their time is over, a large
// number of them within the budget of many ticks, and a node that is put back
// into a snapshot does it again.
func TestFieldsExpire(t *testing.T) {
	t.Parallel()
	const n = 20_000
	var effects []string
	e := engine.New(engine.Options{
		Verify:  func(err error) { t.Error(err) },
		Effects: func(f engine.Effect) { effects = append(effects, string(f.Argv[0])) },
	})
	fields := manyPairs(n, "f%d")
	replies(e, "HSET h stays v"+manyPairs(n, "f%[1]d v"), "HSET other g v", "HPEXPIRE other 10 FIELDS 1 g",
		fmt.Sprintf("HPEXPIRE h 10 FIELDS %d%s", n, fields))
	s := e.Snapshot()
	for range 2 {
		effects = nil
		now := int64(virtualStart + 10_000)
		if next := e.Tick(now); next != now+1000 {
			t.Fatalf("with a millisecond to go: come back at %d", next-now)
		}
		ticks := 0
		for now += 1000; e.Tick(now) == now; {
			ticks++
		}
		if ticks < 2 {
			t.Errorf("%d fields went in one tick", n)
		}
		if got := replies(e, "HGETALL h", "EXISTS other"); got != "*2\r\n$5\r\nstays\r\n$1\r\nv\r\n:0\r\n" {
			t.Errorf("what is left: %.60q", got)
		}
		for _, name := range effects {
			if name != "HDEL" && name != "MULTI" && name != "EXEC" {
				t.Errorf("effect %s", name)
			}
		}
		e.Restore(s)
	}
	if got := replies(e, "HLEN h", "HPTTL other FIELDS 1 g"); got != fmt.Sprintf(":%d\r\n*1\r\n:10\r\n", n+1) {
		t.Errorf("restored: %q", got)
	}
	s.Release()
}

// TestSnapshotKeepsFieldDeadlines: they are part of what a snapshot holds.
func TestSnapshotKeepsFieldDeadlines(t *testing.T) {
	t.Parallel()
	for _, change := range []string{
		"HPERSIST h FIELDS 1 f", "HPEXPIRE h 5 FIELDS 2 f g", "HSET h f w", "HDEL h f", "HEXPIRE h 0 FIELDS 2 f g", "DEL h", "RENAME h i",
		"SET h v", "HGETEX h EX 5 FIELDS 1 g", "HSETEX h EX 5 FIELDS 1 g x", "FLUSHALL", "SWAPDB 0 1", "MOVE h 1", "COPY h i", "PEXPIRE h 1",
	} {
		e := engine.New(engine.Options{Verify: func(err error) { t.Errorf("%s: %v", change, err) }})
		replies(e, "HSET h f v g v", "HEXPIRE h 100 FIELDS 1 f")
		s := e.Snapshot()
		replies(e, change)
		e.Tick(virtualStart + 50_000)
		e.Restore(s)
		s.Release()
		if got := replies(e, "HTTL h FIELDS 2 f g", "HGET h f"); got != "*2\r\n:100\r\n:-1\r\n$1\r\nv\r\n" {
			t.Errorf("restored after %s: %q", change, got)
		}
		e.Tick(virtualStart + 101_000_000)
		if got := replies(e, "HKEYS h"); got != "*1\r\n$1\r\ng\r\n" {
			t.Errorf("restored after %s, and 101 seconds later: %q", change, got)
		}
	}
}

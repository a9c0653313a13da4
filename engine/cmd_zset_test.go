package engine_test

import (
	"fmt"
	"testing"

	"minikv/engine"
	"minikv/engine/config"
)

// TestZSetAllocations pins what the hottest sorted set commands allocate.
func TestZSetAllocations(t *testing.T) {
	members := manyPairs(1000, "%[1]d member:%[1]d")
	for _, test := range []struct {
		setup, command string
		most           float64
	}{
		{"ZADD z 1 a 2 b 3 c", "ZADD z 2 b", 0},
		{"ZADD z 1 a 2 b 3 c", "ZADD z NX 5 b", 0},
		{"ZADD z 1 a 2 b 3 c", "ZINCRBY z 0.5 b", 0},
		{"ZADD z 1 a 2 b 3 c", "ZSCORE z b", 0},
		{"ZADD z 1 a 2 b 3 c", "ZRANK z b", 0},
		{"ZADD z 1 a 2 b 3 c", "ZCOUNT z 1 2", 0},
		{"ZADD z 1 a 2 b 3 c", "ZREM z x", 0},
		{"ZADD z" + members, "ZADD z 5 member:700", 0},
		{"ZADD z" + members, "ZINCRBY z 0.5 member:700", 0},
		{"ZADD z" + members, "ZSCORE z member:700", 0},
		{"ZADD z" + members, "ZREVRANK z member:700", 0},
		{"ZADD z" + members, "ZRANGE z 500 510 WITHSCORES", 0},
		{"ZADD z" + members, "ZRANGEBYSCORE z (500 inf LIMIT 5 10", 0},
		{"ZADD z" + members, "ZCOUNT z 100 900", 0},
	} {
		t.Run(test.command, func(t *testing.T) {
			c := newCaller(test.setup)
			argv := words(test.command)
			if got := testing.AllocsPerRun(100, func() { c.do(argv) }); got > test.most {
				t.Errorf("after %.40s: %v allocations, want %v", test.setup, got, test.most)
			}
		})
	}
}

// TestSnapshotKeepsZSets: what a snapshot holds stays, however the sorted set is
// changed after it.
func TestSnapshotKeepsZSets(t *testing.T) {
	t.Parallel()
	for _, change := range []string{
		"ZADD z 5 a", "ZADD z 5 x", "ZADD z GT 5 a 5 x", "ZINCRBY z 1 a", "ZREM z a", "ZREM z a b", "ZPOPMIN z", "ZPOPMAX z 5", "BZPOPMIN z 0",
		"ZMPOP 1 z MAX COUNT 2", "ZREMRANGEBYRANK z 0 0", "ZREMRANGEBYSCORE z 0 9", "ZREMRANGEBYLEX z - +", "ZUNIONSTORE z 1 z WEIGHTS 5",
		"ZRANGESTORE z z 0 0", "ZDIFFSTORE z 2 z z", "ZADD z 5 " + mediumText,
	} {
		e := engine.New(engine.Options{})
		replies(e, "ZADD z 1 a 2 b")
		s := e.Snapshot()
		replies(e, change, "ZADD z 9 a 8 b 7 c")
		e.Restore(s)
		s.Release()
		if got := replies(e, "ZRANGE z 0 -1 WITHSCORES"); got != "*4\r\n$1\r\na\r\n$1\r\n1\r\n$1\r\nb\r\n$1\r\n2\r\n" {
			t.Errorf("restored after %.20s: %q", change, got)
		}
	}
}

// TestZSetEffects: what replicas and traces are told of sorted set commands.
func TestZSetEffects(t *testing.T) {
	t.Parallel()
	const three = "ZADD z 1 a 2 b 3 c"
	testEffects(t, []effectTest{
		{"", "ZADD z 1 a", "ZADD z 1 a"},
		{three, "ZADD z 1 a", ""},
		{three, "ZADD z NX 5 a", ""},
		{three, "ZINCRBY z 1 a", "ZINCRBY z 1 a"},
		{three, "ZREM z x", ""},
		{three, "ZPOPMIN z", "ZPOPMIN z"},
		{three, "ZPOPMIN z 0", ""},
		{three, "ZPOPMAX z 2", "ZPOPMAX z 2"},
		{three, "BZPOPMIN y z 0", "ZPOPMIN z"},
		{three, "BZPOPMAX z 0", "ZPOPMAX z"},
		{three, "ZMPOP 2 y z MIN COUNT 2", "ZPOPMIN z 2"},
		{three, "BZMPOP 0 2 y z MAX COUNT 9", "ZPOPMAX z 3"},
		{three, "ZMPOP 1 y MIN", ""},
		{three, "ZREMRANGEBYSCORE z 5 6", ""},
		{three, "ZREMRANGEBYSCORE z 1 2", "ZREMRANGEBYSCORE z 1 2"},
		{three, "ZUNIONSTORE d 1 z", "ZUNIONSTORE d 1 z"},
		{three, "ZUNIONSTORE d 1 y", ""},
		{three, "ZRANGESTORE d z 0 1", "ZRANGESTORE d z 0 1"},
		{three, "ZRANDMEMBER z 5", ""},
	})
}

// TestZSetOptionsByVersion: an emulated version knows the options that it had.
func TestZSetOptionsByVersion(t *testing.T) {
	t.Parallel()
	const syntax, notFloat = "-ERR syntax error\r\n", "-ERR value is not a valid float\r\n"
	for _, test := range []struct{ version, command, reply string }{
		{"7.0", "ZRANK z a WITHSCORE", "-ERR wrong number of arguments for 'zrank' command\r\n"},
		{"7.0", "ZRANK z a", "$-1\r\n"},
		{"7.2", "ZRANK z a WITHSCORE", "*-1\r\n"},
		{"", "ZREVRANK z a WITHSCORE", "*-1\r\n"},
		{"8.4", "ZUNION 1 z AGGREGATE COUNT", syntax},
		{"8.8", "ZUNION 1 z AGGREGATE COUNT", "*0\r\n"},
		{"6.0", "ZADD z GT 1 a", syntax},
		{"6.0", "ZADD z GT 1", notFloat},
		{"6.2", "ZADD z GT 1 a", ":1\r\n"},
		{"6.0", "ZRANGE z 0 -1 REV", syntax},
		{"6.2", "ZRANGE z 0 -1 REV", "*0\r\n"},
		{"6.0", "ZUNION 1 z", "-ERR unknown command `ZUNION`, with args beginning with: `1`, `z`, \r\n"},
	} {
		conf := config.New()
		if test.version != "" {
			if err := conf.Apply("redis-version", []string{test.version}, "test"); err != nil {
				t.Fatal(err)
			}
		}
		if got := replies(engine.New(engine.Options{Config: conf}), test.command); got != test.reply {
			t.Errorf("%s: %s: %q, want %q", test.version, test.command, got, test.reply)
		}
	}
}

// TestScanOptionsByVersion: the words that leave values or scores out belong to
// one command each, and older versions do not know them at all.
func TestScanOptionsByVersion(t *testing.T) {
	t.Parallel()
	const (
		syntax   = "-ERR syntax error\r\n"
		noValues = "-ERR NOVALUES option can only be used in HSCAN\r\n"
		noScores = "-ERR NOSCORES option can only be used in ZSCAN\r\n"
		names    = "*2\r\n$1\r\n0\r\n*1\r\n$1\r\na\r\n"
	)
	for _, test := range []struct{ version, command, reply string }{
		{"7.2", "HSCAN h 0 NOVALUES", syntax},
		{"7.4", "HSCAN h 0 NOVALUES", names},
		{"7.2", "ZSCAN z 0 NOVALUES", syntax},
		{"7.4", "ZSCAN z 0 NOVALUES", noValues},
		{"7.4", "ZSCAN z 0 NOSCORES", syntax},
		{"valkey-8.0", "ZSCAN z 0 NOSCORES", names},
		{"valkey-8.0", "HSCAN h 0 NOSCORES", noScores},
		{"", "HSCAN h 0 NOVALUES", names},
		{"", "ZSCAN z 0 NOSCORES", names},
	} {
		conf := config.New()
		if test.version != "" {
			if err := conf.Apply("redis-version", []string{test.version}, "test"); err != nil {
				t.Fatal(err)
			}
		}
		e := engine.New(engine.Options{Config: conf})
		replies(e, "HSET h a 1", "ZADD z 1 a")
		if got := replies(e, test.command); got != test.reply {
			t.Errorf("%s: %s: %q, want %q", test.version, test.command, got, test.reply)
		}
	}
}

// TestLargeZSetIsTheSame: what is stored of a large set and read back agrees
// with the set, whatever the form.
func TestLargeZSetIsTheSame(t *testing.T) {
	t.Parallel()
	const n = 1000
	e := engine.New(engine.Options{})
	replies(e, "ZADD z"+manyPairs(n, "%[1]d member:%[1]d"))
	all := replies(e, "ZRANGE z 0 -1 WITHSCORES")
	for _, store := range []string{"ZUNIONSTORE d 2 z none", "ZINTERSTORE d 2 z z AGGREGATE MAX", "ZDIFFSTORE d 2 z none", "ZRANGESTORE d z 0 -1", "ZRANGESTORE d z -inf inf BYSCORE"} {
		if got := replies(e, store, "ZRANGE d 0 -1 WITHSCORES"); got != fmt.Sprintf(":%d\r\n", n)+all {
			t.Errorf("%s: another set", store)
		}
	}
	if got, want := replies(e, "ZUNION 1 z WITHSCORES"), all; got != want {
		t.Error("ZUNION: another set")
	}
	if got := replies(e, "ZPOPMAX z 400", "ZCARD z", "ZCOUNT z -inf inf", "ZRANK z member:599"); got[len(got)-len(":600\r\n:600\r\n:599\r\n"):] != ":600\r\n:600\r\n:599\r\n" {
		t.Errorf("after ZPOPMAX: %.60q", got)
	}
}

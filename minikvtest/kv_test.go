package minikvtest_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	"minikv/minikvtest"
)

// client is a go-redis client of a server, closed with the test.
func client(t testing.TB, kv *minikvtest.KV, configure ...func(*redis.Options)) *redis.Client {
	t.Helper()
	opt := kv.Options()
	for _, c := range configure {
		c(opt)
	}
	rdb := redis.NewClient(opt)
	t.Cleanup(func() { rdb.Close() })
	return rdb
}

// want compares a reply with what redis-cli would show.
func want(t testing.TB, kv *minikvtest.KV, reply string, args ...any) {
	t.Helper()
	if got := kv.Do(args...).String(); got != reply {
		t.Errorf("%v: %s, want %s", args, got, reply)
	}
}

func TestAServerForOneTest(t *testing.T) {
	t.Parallel()
	kv := minikvtest.Run(t)
	rdb := client(t, kv)
	if err := rdb.Set(t.Context(), "k", "v", 0).Err(); err != nil {
		t.Fatal(err)
	}
	want(t, kv, `"v"`, "GET", "k")
	want(t, kv, "(integer) 8", "INCRBY", "n", 8)
	want(t, kv, `"0.5"`, "INCRBYFLOAT", "f", 0.5)
	want(t, kv, "(error) ERR unknown command 'NOSUCH', with args beginning with: ", "NOSUCH")
}

func TestAddrAndURLOpenAPort(t *testing.T) {
	t.Parallel()
	kv := minikvtest.Run(t)
	if n := len(kv.Server.Addrs()); n != 0 {
		t.Errorf("%d ports are open before one is asked for", n)
	}
	opt, err := redis.ParseURL(kv.URL())
	if err != nil {
		t.Fatal(err)
	}
	if opt.Addr != kv.Addr() {
		t.Errorf("URL %s, Addr %s", kv.URL(), kv.Addr())
	}
	rdb := redis.NewClient(opt)
	defer rdb.Close()
	if err := rdb.Ping(t.Context()).Err(); err != nil {
		t.Error(err)
	}
	kv.Close()
	if conn, err := net.Dial("tcp", opt.Addr); err == nil {
		conn.Close()
		t.Error("the port is open after Close")
	}
}

func TestOptionsOfTheServer(t *testing.T) {
	t.Parallel()
	kv := minikvtest.Run(t, minikvtest.Config("maxmemory-policy", "allkeys-lru"), minikvtest.Config("databases", "3"))
	want(t, kv, "1) \"databases\"\n2) \"3\"", "CONFIG", "GET", "databases")
	want(t, kv, "(error) ERR DB index is out of range", "SELECT", 3)
}

// Under redis-version 6.2 the server refuses what 6.2 refused.
func TestOlderVersion(t *testing.T) {
	t.Parallel()
	kv := minikvtest.Run(t, minikvtest.RedisVersion("6.2"))
	kv.Do("SET", "k", "old")
	want(t, kv, "(error) ERR syntax error", "SET", "k", "v", "NX", "GET")
	want(t, kv, "(error) ERR unknown command `HEXPIRE`, with args beginning with: `h`, `10`, `FIELDS`, `1`, `f`, ", "HEXPIRE", "h", 10, "FIELDS", 1, "f")
	if info := kv.Do("INFO", "server").Str; !strings.Contains(info, "redis_version:6.2") {
		t.Errorf("INFO says %s", info)
	}
}

// In strict mode a command across slots is refused as a cluster would.
func TestStrictCrossSlot(t *testing.T) {
	t.Parallel()
	kv := minikvtest.Run(t, minikvtest.Config("strict", "cross-slot"))
	rdb := client(t, kv)
	if err := rdb.MSet(t.Context(), "a", 1, "b", 2).Err(); err == nil || err.Error() != "CROSSSLOT Keys in request don't hash to the same slot" {
		t.Errorf("MSET a 1 b 2: %v", err)
	}
	if err := rdb.MSet(t.Context(), "{x}a", 1, "{x}b", 2).Err(); err != nil {
		t.Errorf("MSET {x}a 1 {x}b 2: %v", err)
	}
	want(t, kv, "1) 1) \"cross-slot\"\n   2) (integer) 1\n   3) \"CROSSSLOT Keys in request don't hash to the same slot\"", "MINIKV.WARNINGS")
}

func TestThePasswordIsForClients(t *testing.T) {
	t.Parallel()
	kv := minikvtest.Run(t, minikvtest.Config("requirepass", "secret"))
	want(t, kv, "OK", "SET", "k", "v")
	if err := client(t, kv, once).Get(t.Context(), "k").Err(); err == nil || !strings.HasPrefix(err.Error(), "NOAUTH") {
		t.Errorf("without a password: %v", err)
	}
	with := client(t, kv, func(o *redis.Options) { o.Password = "secret" })
	if v, err := with.Get(t.Context(), "k").Result(); v != "v" || err != nil {
		t.Errorf("with the password: %q, %v", v, err)
	}
}

func TestNodesKnowNothingOfEachOther(t *testing.T) {
	t.Parallel()
	nodes := minikvtest.Run(t, minikvtest.VirtualClock).Nodes(5)
	if len(nodes) != 5 {
		t.Fatalf("%d nodes", len(nodes))
	}
	nodes[0].Do("SET", "k", "v")
	nodes[0].Advance(time.Hour)
	for _, node := range nodes[1:] {
		want(t, node, "(nil)", "GET", "k")
		if !node.Now().Before(nodes[0].Now()) {
			t.Error("the nodes share a clock")
		}
	}
}

func TestSnapshotAndRestore(t *testing.T) {
	t.Parallel()
	kv := minikvtest.Run(t, minikvtest.VirtualClock)
	kv.Do("SET", "k", "v", "EX", 30)
	snap := kv.Snapshot()
	defer snap.Release()
	for range 2 {
		kv.Advance(time.Minute)
		kv.Do("SET", "other", 1)
		want(t, kv, "(nil)", "GET", "k")
		kv.Restore(snap)
		want(t, kv, `"v"`, "GET", "k")
		want(t, kv, "(integer) 30", "TTL", "k")
		want(t, kv, "(nil)", "GET", "other")
	}
}

func TestResetKeepsScriptsAndConfiguration(t *testing.T) {
	t.Parallel()
	kv := minikvtest.Run(t)
	rdb := client(t, kv)
	if err := rdb.Ping(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	sha := kv.Do("SCRIPT", "LOAD", "return 7").Str
	kv.Do("CONFIG", "SET", "timeout", 99)
	kv.Do("SET", "k", "v")
	kv.AddFault(minikvtest.Fault{Command: "get", Action: minikvtest.Error, Text: "ERR broken"})
	kv.Reset()
	want(t, kv, "(nil)", "GET", "k")
	want(t, kv, "(integer) 7", "EVALSHA", sha, 0)
	want(t, kv, "1) \"timeout\"\n2) \"99\"", "CONFIG", "GET", "timeout")
	if err := rdb.Ping(t.Context()).Err(); err != nil {
		t.Errorf("a connection is gone: %v", err)
	}
}

func TestDumpIsReadableAndSorted(t *testing.T) {
	t.Parallel()
	kv := minikvtest.Run(t, minikvtest.VirtualClockAt(time.UnixMilli(1_767_225_600_000)))
	for _, line := range []string{
		"SET lock t1 EX 30", "SET counter 5", "RPUSH jobs b a", "SADD set z y x", "ZADD board 1.5 ann 1 bob",
		"HSET user name ann age 40", "HEXPIRE user 60 FIELDS 1 age", "XADD log 1-1 f v", "XGROUP CREATE log g 0",
		"XREADGROUP GROUP g me STREAMS log >", "ARSET arr 3 x",
	} {
		args := make([]any, 0, 8)
		for _, word := range strings.Fields(line) {
			args = append(args, word)
		}
		if v := kv.Do(args...); v.IsError() {
			t.Fatalf("%s: %s", line, v)
		}
	}
	golden := `db 0
"arr" array
    3 "x"
"board" zset
    1 "bob"
    1.5 "ann"
"counter" string "5"
"jobs" list
    "b"
    "a"
"lock" string ttl 30 "t1"
"log" stream
    1-1 "f" "v"
    group "g" last 1-1
        consumer "me" 1-1
"set" set
    "x"
    "y"
    "z"
"user" hash
    "age" ttl 60 "40"
    "name" "ann"
`
	if got := kv.Dump(); got != golden {
		t.Errorf("%s", got)
	}
	kv.Advance(time.Minute)
	if got := kv.Dump(); strings.Contains(got, "lock") || strings.Contains(got, "age") {
		t.Errorf("what has expired is still there:\n%s", got)
	}
}

// In a bubble a goroutine that stays behind would be found.
func TestCloseLeavesNoGoroutine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kv := minikvtest.Run(t)
		rdb := redis.NewClient(kv.Options())
		sub := rdb.Subscribe(t.Context(), "channel")
		if _, err := sub.Receive(t.Context()); err != nil {
			t.Fatal(err)
		}
		blocked := make(chan error)
		go func() { blocked <- rdb.BLPop(context.WithoutCancel(t.Context()), 0, "nothing").Err() }()
		synctest.Wait()
		kv.Close()
		if err := <-blocked; err == nil {
			t.Error("BLPOP has an answer")
		}
		sub.Close()
		rdb.Close()
	})
}

func TestShutdownEndsTheServer(t *testing.T) {
	t.Parallel()
	kv := minikvtest.Run(t)
	rdb := client(t, kv)
	rdb.ShutdownNoSave(t.Context())
	kv.Close()
	if err := rdb.Ping(t.Context()).Err(); err == nil {
		t.Error("the server answers")
	}
}

// failing is a test that has failed and keeps what it is told.
type failing struct {
	testing.TB
	log      strings.Builder
	cleanups []func()
}

func (f *failing) Helper()               {}
func (f *failing) Failed() bool          { return true }
func (f *failing) Cleanup(fn func())     { f.cleanups = append(f.cleanups, fn) }
func (f *failing) Log(args ...any)       { fmt.Fprintln(&f.log, args...) }
func (f *failing) Fatalf(string, ...any) { panic("fatal") }

func TestAFailedTestPrintsItsCommands(t *testing.T) {
	t.Parallel()
	f := &failing{TB: t}
	kv := minikvtest.Run(f, minikvtest.VirtualClockAt(time.UnixMilli(1_767_225_600_000)))
	for i := range 60 {
		kv.Do("RPUSH", "l", i)
	}
	kv.AddFault(minikvtest.Fault{Command: "incr", Action: minikvtest.Error, Text: "ERR broken"})
	kv.Do("LRANGE", "l", 0, 1)
	kv.Do("SET", "k", "a\nb", "EX")
	kv.Do("INCR", "n")
	kv.Do("EVAL", "return redis.call('LLEN', KEYS[1])", 1, "l")
	kv.Do("GET", "l")
	for _, fn := range f.cleanups {
		fn()
	}
	got := f.log.String()
	for _, line := range []string{
		"the last 50 of 66 commands:\n  00:00:00.000000 client 17> RPUSH l 16 -> 17\n",
		"  00:00:00.000000 client 61> LRANGE l 0 1 -> [\"0\" \"1\"]\n",
		"client 62> SET k \"a\\nb\" EX -> (error) ERR syntax error\n",
		"                  client 63> INCR n -> (ERR broken)\n",
		"client 64> script: LLEN l -> 60\n",
		"client 64> EVAL \"return redis.call('LLEN', KEYS[1])\" 1 l -> 60\n",
		"client 65> GET l -> (error) WRONGTYPE Operation against a key holding the wrong kind of value\n",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("there is no %q in\n%s", line, got)
		}
	}
}

// Two thousand parallel tests with a server each.
func TestThousandsInParallel(t *testing.T) {
	t.Parallel()
	for i := range 2000 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			kv := minikvtest.Run(t)
			rdb := redis.NewClient(kv.Options())
			defer rdb.Close()
			if n, err := rdb.IncrBy(t.Context(), "n", int64(i)).Result(); n != int64(i) || err != nil {
				t.Errorf("%d, %v", n, err)
			}
		})
	}
}

func TestCallsAfterCloseFail(t *testing.T) {
	t.Parallel()
	kv := minikvtest.Run(t)
	kv.Close()
	if _, err := kv.Dial(t.Context(), "", ""); err == nil {
		t.Error("Dial connects")
	}
	if _, err := kv.Server.Addr(); err == nil {
		t.Error("Addr opens a port")
	}
	if err := kv.Server.Advance(time.Second); err == nil {
		t.Error("Advance moves the time")
	}
	var closed error
	if _, closed = kv.Server.Do("PING"); !errors.Is(closed, kv.Server.Advance(0)) {
		t.Errorf("Do: %v", closed)
	}
}

func BenchmarkStartToFirstReply(b *testing.B) {
	for b.Loop() {
		kv := minikvtest.Run(b)
		kv.Do("PING")
		kv.Close()
	}
}

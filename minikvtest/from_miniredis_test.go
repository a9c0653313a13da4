package minikvtest_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"minikv/engine/config"
	"minikv/minikvtest"
	"minikv/server"
)

var update = flag.Bool("update", false, "write docs/from-miniredis.md")

// strict is a server whose error replies fail the test.
type strict struct{ *minikvtest.KV }

func (kv strict) Do(args ...any) server.Value {
	v := kv.KV.Do(args...)
	if v.IsError() {
		panic(fmt.Sprint(args, v))
	}
	return v
}

// TestFromMiniredis runs the counterpart of every method of miniredis. The page
// docs/from-miniredis.md is made from its lines: what follows // is miniredis's.
func TestFromMiniredis(t *testing.T) {
	t.Parallel()
	kv := strict{minikvtest.Run(t, minikvtest.VirtualClock)}
	rdb, ctx := client(t, kv.KV), t.Context()
	kv.Do("MSET", "k", "v", "old", "1", "gone", "1")

	// ## Starting and stopping
	_ = minikvtest.Run(t)                                       // miniredis.RunT(t)
	srv, _ := server.Start(server.Options{NoNetwork: true})     // miniredis.Run(), m.Start()
	_, _ = server.New(server.Options{NoNetwork: true})          // miniredis.NewMiniRedis()
	tcp, _ := server.Start(server.Options{Addr: "127.0.0.1:0"}) // m.StartAddr(addr)
	_ = config.New().Apply("tls-port", []string{"6380"}, "")    // miniredis.RunTLS(cfg), m.StartTLS(cfg), m.StartAddrTLS(addr, cfg): in server.Options.Config, with tls-cert-file and tls-key-file
	defer srv.Close()
	defer tcp.Close()
	defer kv.Close()                      // m.Close()
	snap := kv.Snapshot()                 // m.Close(): before it, if m.Restart() follows
	kv.Restore(snap)                      // m.Restart()
	_ = kv.Addr()                         // m.Addr()
	_, _, _ = strings.Cut(kv.Addr(), ":") // m.Host(), m.Port()
	_ = kv.Server                         // m.Server()
	conn, _ := kv.Dial(ctx, "", "")       // m.Dial()
	defer conn.Close()
	_ = redis.NewClient(kv.Options())                                    // redis.NewClient(&redis.Options{Addr: m.Addr()})
	_ = minikvtest.Run(t, minikvtest.Config("requirepass", "secret"))    // m.RequireAuth("secret")
	kv.Do("ACL", "SETUSER", "ann", "on", ">secret", "~*", "&*", "+@all") // m.RequireUserAuth("ann", "secret")

	// ## Time and chance
	kv.Advance(time.Second)               // m.FastForward(time.Second)
	kv.SetTime(kv.Now().Add(time.Second)) // m.SetTime(t)
	_ = minikvtest.Run(t)                 // m.ClockTTL(true): a TTL passes by itself unless VirtualClock is given
	_ = minikvtest.Seed(42)               // m.Seed(42): an option of Run

	// ## Errors
	id := kv.AddFault(minikvtest.Fault{Action: minikvtest.Error, Text: "ERR broken"}) // m.SetError("ERR broken")
	kv.RemoveFault(id)                                                                // m.SetError("")

	// ## What is there
	_ = kv.Dump()                                                  // m.Dump()
	kv.Reset()                                                     // m.FlushAll()
	kv.Do("FLUSHDB")                                               // m.FlushDB()
	kv.Do("SWAPDB", 0, 1)                                          // m.SwapDB(0, 1)
	_ = redis.NewClient(onDatabase(kv.Options(), 2))               // m.Select(2), m.DB(2)
	_ = kv.Do("KEYS", "*").Elems                                   // m.Keys()
	_ = kv.Do("EXISTS", "k").Int == 1                              // m.Exists("k")
	_ = kv.Do("TYPE", "k").Str                                     // m.Type("k")
	_ = kv.Do("DEL", "k").Int == 1                                 // m.Del("k")
	_ = kv.Do("UNLINK", "k").Int == 1                              // m.Unlink("k")
	kv.Do("SET", "old", "1")                                       // m.Set("old", "1")
	kv.Do("COPY", "old", "new", "DB", 1, "REPLACE")                // m.Copy(0, "old", 1, "new")
	_ = time.Duration(kv.Do("PTTL", "old").Int) * time.Millisecond // m.TTL("old")
	kv.Do("PEXPIRE", "old", time.Second.Milliseconds())            // m.SetTTL("old", time.Second)
	_ = infoField(kv.KV, "total_commands_processed")               // m.CommandCount()
	_ = infoField(kv.KV, "connected_clients")                      // m.CurrentConnectionCount()
	_ = infoField(kv.KV, "total_connections_received")             // m.TotalConnectionCount()
	_ = kv.Do("COMMAND", "INFO", "get").Elems                      // m.IsReadOnlyCommand("get"): the flags are in it

	// ## Strings
	_ = kv.Do("GET", "k").Str              // m.Get("k")
	_ = kv.Do("INCRBY", "n", 2).Int        // m.Incr("n", 2)
	_ = kv.Do("INCRBYFLOAT", "n", 0.5).Str // m.IncrByFloat("n", 0.5), m.Incrfloat("n", 0.5)
	want(t, kv.KV, "(nil)", "GET", "k")    // m.CheckGet(t, "k", "v")

	// ## Hashes
	kv.Do("HSET", "h", "f", "1", "g", "2")                // m.HSet("h", "f", "1", "g", "2")
	_ = kv.Do("HGET", "h", "f").Str                       // m.HGet("h", "f")
	_ = kv.Do("HKEYS", "h").Elems                         // m.HKeys("h")
	_ = kv.Do("HINCRBY", "h", "f", 2).Int                 // m.HIncrBy("h", "f", 2), m.HIncr("h", "f", 2)
	_ = kv.Do("HINCRBYFLOAT", "h", "f", 0.5).Str          // m.HIncrByFloat("h", "f", 0.5), m.HIncrfloat("h", "f", 0.5)
	kv.Do("HEXPIRE", "h", 9, "FIELDS", 1, "f")            // m.HExpire("h", "f", 9*time.Second)
	_ = kv.Do("HTTL", "h", "FIELDS", 1, "f").Elems[0].Int // m.HTTL("h", "f")
	kv.Do("HPERSIST", "h", "FIELDS", 1, "f")              // m.HPersist("h", "f")
	kv.Do("HSETEX", "h", "EX", 9, "FIELDS", 1, "f", "v")  // m.HSetEX("h", 9*time.Second, "f", "v")
	kv.Do("HDEL", "h", "f")                               // m.HDel("h", "f")

	// ## Lists
	kv.Do("RPUSH", "l", "a", "b")         // m.RPush("l", "a", "b"), m.Push("l", "a", "b")
	kv.Do("LPUSH", "l", "c")              // m.Lpush("l", "c")
	_ = kv.Do("LRANGE", "l", 0, -1).Elems // m.List("l"), m.CheckList(t, "l", "c", "a", "b")
	_ = kv.Do("RPOP", "l").Str            // m.RPop("l"), m.Pop("l")
	_ = kv.Do("LPOP", "l").Str            // m.Lpop("l")

	// ## Sets
	kv.Do("SADD", "s", "a", "b")              // m.SAdd("s", "a", "b"), m.SetAdd("s", "a", "b")
	_ = kv.Do("SCARD", "s").Int               // m.SCard("s")
	_ = kv.Do("SMEMBERS", "s").Elems          // m.SMembers("s"), m.Members("s"), m.CheckSet(t, "s", "a", "b")
	_ = kv.Do("SISMEMBER", "s", "a").Int == 1 // m.SIsMember("s", "a"), m.IsMember("s", "a")
	_ = kv.Do("SRANDMEMBER", "s").Str         // m.SRandMember("s")
	kv.Do("SREM", "s", "a")                   // m.SRem("s", "a")

	// ## Sorted sets
	kv.Do("ZADD", "z", 1.5, "a")                        // m.ZAdd("z", 1.5, "a")
	_ = kv.Do("ZRANGE", "z", 0, -1).Elems               // m.ZMembers("z")
	_ = kv.Do("ZRANGE", "z", 0, -1, "WITHSCORES").Elems // m.SortedSet("z")
	_ = kv.Do("ZSCORE", "z", "a").Str                   // m.ZScore("z", "a")
	_ = kv.Do("ZMSCORE", "z", "a", "b").Elems           // m.ZMScore("z", "a", "b")
	kv.Do("ZREM", "z", "a")                             // m.ZRem("z", "a")

	// ## Streams and HyperLogLogs
	_ = kv.Do("XADD", "x", "*", "f", "v").Str // m.XAdd("x", "*", []string{"f", "v"})
	_ = kv.Do("XRANGE", "x", "-", "+").Elems  // m.Stream("x")
	kv.Do("PFADD", "p", "a")                  // m.PfAdd("p", "a"), db.HllAdd("p", "a")
	_ = kv.Do("PFCOUNT", "p").Int             // m.PfCount("p"), db.HllCount("p")
	kv.Do("PFMERGE", "q", "p")                // m.PfMerge("q", "p"), db.HllMerge("q", "p")

	// ## Pub/sub
	sub := rdb.Subscribe(ctx, "c")             // m.NewSubscriber(), s.Subscribe("c")
	defer sub.Close()                          // s.Close()
	_ = sub.PSubscribe(ctx, "c*")              // s.Psubscribe("c*")
	_ = sub.Channel()                          // s.Messages(), s.Pmessages()
	_ = kv.Do("PUBLISH", "c", "m").Int         // m.Publish("c", "m"), s.Publish("c", "m")
	_ = kv.Do("PUBSUB", "CHANNELS", "*").Elems // m.PubSubChannels("*"), s.Channels()
	_ = kv.Do("PUBSUB", "NUMSUB", "c").Elems   // m.PubSubNumSub("c")
	_ = kv.Do("PUBSUB", "NUMPAT").Int          // m.PubSubNumPat(), s.Patterns(), s.Count()
	_ = sub.Unsubscribe(ctx, "c")              // s.Unsubscribe("c")
	_ = sub.PUnsubscribe(ctx, "c*")            // s.Punsubscribe("c*")
}

func onDatabase(opt *redis.Options, db int) *redis.Options {
	opt.DB = db
	return opt
}

const fromMiniredis = `# From miniredis

minikvtest is to a Go test what miniredis is. A server lives in the test's process; with a client over ` + "`kv.Dial`" + ` it needs no
port. This page has a counterpart for each method of miniredis v2. It is made from
[a test](../minikvtest/from_miniredis_test.go) that runs each of them: ` + "`go test ./minikvtest -run FromMiniredis -update`" + `.

What is different:

- **Time is real** unless ` + "`minikvtest.VirtualClock`" + ` is given: a TTL passes by itself. With it, time stands still until ` + "`kv.Advance`" + `,
  which also fires expired events in order, lets blocked clients time out, and moves TIME, stream IDs and idle times.
- **Data is reached by commands**: ` + "`kv.Do`" + ` takes any command and returns its reply (` + "`Str`, `Int`, `Elems`, `IsError()`, `IsNull()`" + `), so there
  are no methods to learn beside Redis's own, and what the test reads is what a client would read.
- **Faults** are more than one error text: by command, key and client, the n-th call or by chance; a delay, a lost reply, a
  closed connection.
- **` + "`kv`" + `** below is ` + "`minikvtest.Run(t, minikvtest.VirtualClock)`" + `, **` + "`m`" + `** is ` + "`miniredis.RunT(t)`" + `. What returns an error in miniredis fails the test here.
`

// TestFromMiniredisPage compares docs/from-miniredis.md with the lines above.
func TestFromMiniredisPage(t *testing.T) {
	const page = "../docs/from-miniredis.md"
	source, err := os.ReadFile("from_miniredis_test.go")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`^\t(?:(?:_, )*_ = )?(.*?) +// ((?:m|s|db|redis|miniredis)\..*)$`)
	var b bytes.Buffer
	b.WriteString(fromMiniredis)
	rows := 0
	for line := range strings.Lines(string(source)) {
		line = strings.TrimSuffix(line, "\n")
		if title, ok := strings.CutPrefix(line, "\t// ## "); ok {
			fmt.Fprintf(&b, "\n## %s\n\n| miniredis | minikvtest |\n|---|---|\n", title)
		} else if m := row.FindStringSubmatch(line); m != nil {
			theirs, note, noted := strings.Cut(m[2], "): ")
			theirs = strings.ReplaceAll(theirs, "), ", ")`, `")
			if noted {
				theirs, note = theirs+")", ": "+note
			}
			fmt.Fprintf(&b, "| `%s`%s | `%s` |\n", theirs, note, m[1])
			rows++
		}
	}
	if rows < 70 {
		t.Errorf("only %d rows were found", rows)
	}
	if *update {
		if err := os.WriteFile(page, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(page)
	if err != nil || !bytes.Equal(bytes.ReplaceAll(have, []byte("\r\n"), []byte("\n")), b.Bytes()) {
		t.Errorf("%s is stale (%v): run go test ./minikvtest -run FromMiniredis -update", page, err)
	}
}

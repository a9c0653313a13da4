package compat_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// TestDumpPayloadsGoBothWays makes random values of every type and encoding on a
// real redis-server, and lets DUMP and RESTORE carry them to minikv and back. Where
// the order of a hash table has no part in it, both dump the same bytes.
func TestDumpPayloadsGoBothWays(t *testing.T) {
	t.Parallel()
	x := newExchange(t)
	forms := x.forms()
	for i := range 40 {
		for _, name := range slices.Sorted(maps.Keys(forms)) {
			key := fmt.Sprintf("%s:%d", name, i)
			forms[name](key)
			x.carry(key)
		}
	}
	for _, encoding := range []string{"string int", "string embstr", "string raw", "list quicklist", "set intset", "set hashtable",
		"hash listpack", "hash hashtable", "zset listpack", "zset skiplist", "stream stream"} {
		if x.seen[encoding] < 20 {
			t.Errorf("%d values were %ss", x.seen[encoding], encoding)
		}
	}
}

// exchange is both servers, and the source of random values.
type exchange struct {
	t            *testing.T
	ctx          context.Context
	ours, theirs *redis.Client
	*rand.Rand
	seen map[string]int // types with their encodings
}

func newExchange(t *testing.T) *exchange {
	theirs := redisClient(t, startRedis(t, "--enable-debug-command", "yes"))
	return &exchange{
		t: t, ctx: context.Background(), ours: client(t, start(t)), theirs: theirs,
		Rand: rand.New(rand.NewPCG(7, 0)), seen: make(map[string]int),
	}
}

// do runs a command, which must not fail, and answers its reply.
func (x *exchange) do(c *redis.Client, args ...any) any {
	x.t.Helper()
	v, err := c.Do(x.ctx, args...).Result()
	if err != nil {
		x.t.Fatalf("%.200v: %v", args, err)
	}
	return v
}

// carry takes a value from redis-server to minikv and back, and compares.
func (x *exchange) carry(key string) {
	x.t.Helper()
	payload := x.do(x.theirs, "DUMP", key)
	want := x.read(x.theirs, key)
	x.do(x.ours, "RESTORE", key, 0, payload)
	x.do(x.theirs, "RESTORE", key+":again", 0, payload)
	back := x.do(x.ours, "DUMP", key)
	x.do(x.theirs, "RESTORE", key+":back", 0, back)
	encoding := x.do(x.theirs, "OBJECT", "ENCODING", key+":again")
	for _, copied := range []struct {
		client *redis.Client
		key    string
	}{{x.ours, key}, {x.theirs, key + ":back"}} {
		if got := x.do(copied.client, "OBJECT", "ENCODING", copied.key); got != encoding {
			x.t.Errorf("%s: the encoding of %s is %v, not %v", key, copied.key, got, encoding)
		}
		if got := x.read(copied.client, copied.key); !reflect.DeepEqual(got, want) {
			x.t.Errorf("%s: %s is\n%.400v, not\n%.400v", key, copied.key, got, want)
		}
	}
	typ := fmt.Sprint(x.do(x.theirs, "TYPE", key), " ", encoding)
	x.seen[typ]++
	if !strings.HasSuffix(typ, "hashtable") && !strings.HasPrefix(key, "plain") && x.do(x.theirs, "DUMP", key+":again") != back {
		x.t.Errorf("%s (%s): the payloads are\n%.400q and\n%.400q", key, typ, payload, back)
	}
	x.do(x.theirs, "DEL", key, key+":again", key+":back")
	x.do(x.ours, "DEL", key)
}

// read is all of a value that can be compared.
func (x *exchange) read(c *redis.Client, key string) any {
	x.t.Helper()
	switch x.do(c, "TYPE", key) {
	case "string":
		return x.do(c, "GET", key)
	case "list":
		return x.do(c, "LRANGE", key, 0, -1)
	case "set":
		members := x.do(c, "SMEMBERS", key).([]any)
		slices.SortFunc(members, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		return members
	case "hash":
		return x.do(c, "HGETALL", key)
	case "zset":
		return x.do(c, "ZRANGE", key, 0, -1, "WITHSCORES")
	case "stream":
		info := x.do(c, "XINFO", "STREAM", key, "FULL", "COUNT", 0).(map[any]any)
		delete(info, "radix-tree-nodes")
		return info
	}
	x.t.Fatalf("%s is %v", key, x.do(c, "TYPE", key))
	return nil
}

// forms are the ways in which a key is filled on redis-server, by name.
func (x *exchange) forms() map[string]func(key string) {
	return map[string]func(key string){
		"number": func(key string) { x.do(x.theirs, "SET", key, x.number()) },
		"text":   func(key string) { x.do(x.theirs, "SET", key, x.text(45)) },
		"raw":    func(key string) { x.do(x.theirs, "SET", key, "..."+strings.Repeat(x.text(300), 1+x.IntN(50))) },
		"append": func(key string) { x.do(x.theirs, "APPEND", key, x.number()) },
		"list":   func(key string) { x.add(key, 1+x.IntN(300), 60, "RPUSH") },
		"nodes":  func(key string) { x.add(key, 20, 9000, "RPUSH") },
		"plain":  x.plainList,
		"ints":   func(key string) { x.integers(key, 1+x.IntN(600)) },
		"set":    func(key string) { x.add(key, 1+x.IntN(300), 60, "SADD") },
		"hash":   func(key string) { x.fields(key, 1+x.IntN(300), 60) },
		"table":  func(key string) { x.fields(key, 513+x.IntN(300), 60) },
		"wide":   func(key string) { x.fields(key, 1+x.IntN(20), 1000) },
		"zset":   func(key string) { x.scores(key, 1+x.IntN(120), 60) },
		"skip":   func(key string) { x.scores(key, 129+x.IntN(300), 60) },
		"stream": x.stream,
	}
}

func (x *exchange) number() string {
	n := int64(x.Uint64() >> x.IntN(64))
	if x.IntN(2) == 0 {
		n = -n
	}
	return strconv.FormatInt(n, 10)
}

// text is up to most bytes: any, few different ones, or a number.
func (x *exchange) text(most int) string {
	if x.IntN(4) == 0 {
		return x.number()
	}
	letters := 1 + x.IntN(20)
	if x.IntN(3) == 0 {
		letters = 256
	}
	b := make([]byte, x.IntN(most))
	for i := range b {
		b[i] = byte('a' + x.IntN(letters))
	}
	return string(b)
}

func (x *exchange) add(key string, n, most int, command string) {
	args := []any{command, key}
	for range n {
		args = append(args, x.text(most))
	}
	x.do(x.theirs, args...)
}

// plainList makes a list in which long elements have nodes of their own.
func (x *exchange) plainList(key string) {
	x.do(x.theirs, "DEBUG", "QUICKLIST-PACKED-THRESHOLD", "50b")
	x.add(key, 1+x.IntN(50), 150, "RPUSH")
	x.do(x.theirs, "DEBUG", "QUICKLIST-PACKED-THRESHOLD", "0")
}

func (x *exchange) integers(key string, n int) {
	args, shift := []any{"SADD", key}, x.IntN(64)
	for range n {
		args = append(args, int64(x.Uint64())>>shift)
	}
	x.do(x.theirs, args...)
}

func (x *exchange) fields(key string, n, most int) {
	args := []any{"HSET", key}
	for i := range n {
		args = append(args, x.text(most)+strconv.Itoa(i), x.text(most))
	}
	x.do(x.theirs, args...)
}

func (x *exchange) scores(key string, n, most int) {
	args := []any{"ZADD", key}
	for range n {
		score := any(x.number())
		switch x.IntN(4) {
		case 0:
			score = x.NormFloat64() * math.Pow(10, float64(x.IntN(40)-20))
		case 1:
			score = []string{"inf", "-inf", "0", "-0", "1.5", "1e300", "0.1"}[x.IntN(7)]
		}
		args = append(args, score, x.text(most))
	}
	x.do(x.theirs, args...)
}

// stream makes a stream that has lost entries, with groups that have read,
// acknowledged and claimed some.
func (x *exchange) stream(key string) {
	do := func(args ...any) { x.theirs.Do(x.ctx, args...) } // some are refused
	for i := range x.IntN(400) {
		args := []any{"XADD", key, fmt.Sprintf("%d-*", 1+i/3+1000*x.IntN(2)), "field", x.text(40), "n", x.number()}
		if x.IntN(3) == 0 {
			args = append(args, x.text(10), x.text(100))
		}
		do(args...)
	}
	do("XGROUP", "CREATE", key, "g0", "0", "MKSTREAM")
	for range x.IntN(30) {
		do("XDEL", key, fmt.Sprintf("%d-%d", 1+x.IntN(130), x.IntN(3)))
	}
	do("XGROUP", "CREATE", key, "g1", "20-1")
	do("XGROUP", "CREATE", key, "g2", "$", "ENTRIESREAD", 3)
	for range x.IntN(10) {
		group, consumer := fmt.Sprint("g", x.IntN(3)), fmt.Sprint("consumer", x.IntN(4))
		do("XREADGROUP", "GROUP", group, consumer, "COUNT", x.IntN(20), "STREAMS", key, ">")
		do("XACK", key, group, fmt.Sprintf("%d-%d", 1+x.IntN(130), x.IntN(3)))
		do("XAUTOCLAIM", key, group, "thief", 0, fmt.Sprint(x.IntN(100)), "COUNT", 3)
	}
	if x.IntN(3) == 0 {
		do("XTRIM", key, "MAXLEN", x.IntN(100))
	}
}

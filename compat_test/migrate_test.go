package compat_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/redis/go-redis/v9"
)

// TestMigrateGoesBothWays lets MIGRATE take values of every type from a real
// redis-server to minikv and back: they come home as they were.
func TestMigrateGoesBothWays(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	theirs := redisClient(t, startRedis(t, "--port", port, "--bind", "127.0.0.1", "--enable-debug-command", "yes"))
	srv := start(t, listening)
	x := &exchange{t: t, ctx: context.Background(), ours: client(t, srv), theirs: theirs, Rand: rand.New(rand.NewPCG(11, 0))}
	_, ourPort, _ := net.SplitHostPort(srv.Addrs()[0].String())
	forms := x.forms()
	want := make(map[string]any)
	var keys []any
	for i := range 5 {
		for _, name := range slices.Sorted(maps.Keys(forms)) {
			key := fmt.Sprintf("%s:%d", name, i)
			forms[name](key)
			if i == 0 {
				x.do(x.theirs, "PEXPIREAT", key, 33177117420000)
			}
			want[key] = x.read(x.theirs, key)
			keys = append(keys, key)
		}
	}
	x.migrate(x.theirs, ourPort, keys)
	x.holds(x.ours, x.theirs, want)
	x.migrate(x.ours, port, keys)
	x.holds(x.theirs, x.ours, want)
}

// migrate takes keys to the server at a port of this machine.
func (x *exchange) migrate(from *redis.Client, port string, keys []any) {
	x.t.Helper()
	if got := x.do(from, append([]any{"MIGRATE", "127.0.0.1", port, "", 0, 20000, "KEYS"}, keys...)...); got != "OK" {
		x.t.Fatalf("MIGRATE answers %v", got)
	}
}

// holds compares what a server has with what it should have; the other one has
// nothing any more.
func (x *exchange) holds(server, other *redis.Client, want map[string]any) {
	x.t.Helper()
	for key, value := range want {
		if got := x.read(server, key); !reflect.DeepEqual(got, value) {
			x.t.Errorf("%s is\n%.400v, not\n%.400v", key, got, value)
		}
		if ttl := x.do(server, "TTL", key).(int64); (ttl > 0) != (key[len(key)-1] == '0') {
			x.t.Errorf("%s lives for %d s", key, ttl)
		}
	}
	if n := x.do(other, "DBSIZE"); n != int64(0) {
		x.t.Errorf("%v keys are left behind", n)
	}
}

// freePort is a port that nobody listens on at the moment.
func freePort(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return strconv.Itoa(ln.Addr().(*net.TCPAddr).Port)
}

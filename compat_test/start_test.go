// Package compat_test uses minikv as its users do: through go-redis and other
// clients, with the lock libraries they use, and beside a real redis-server.
package compat_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"minikv/engine/config"
	"minikv/server"
)

// start runs a server for this test, reached by in-memory connections.
func start(t testing.TB, configure ...func(*server.Options)) *server.Server {
	t.Helper()
	opt := server.Options{NoNetwork: true, Config: testConfig()}
	for _, c := range configure {
		c(&opt)
	}
	srv, err := server.Start(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	return srv
}

// testConfig is the default configuration, on the transport and with the Lua
// machine that MINIKV_IO_BACKEND and MINIKV_LUA_MACHINE name.
func testConfig() *config.Config {
	c := config.New()
	for variable, directive := range map[string]string{"MINIKV_IO_BACKEND": "io-backend", "MINIKV_LUA_MACHINE": "lua-machine"} {
		if value := os.Getenv(variable); value != "" {
			if err := c.Apply(directive, []string{value}, variable); err != nil {
				panic(err)
			}
		}
	}
	return c
}

// listening is start with a TCP port on the loopback interface.
func listening(opt *server.Options) {
	opt.NoNetwork = false
	opt.Addr = "127.0.0.1:0"
}

// options are a go-redis client's for a server.
func options(srv *server.Server) *redis.Options {
	if addrs := srv.Addrs(); len(addrs) > 0 {
		return &redis.Options{Addr: addrs[0].String()}
	}
	return &redis.Options{Dialer: func(context.Context, string, string) (net.Conn, error) { return srv.DialMemory() }}
}

// client is a go-redis client of a server, closed with the test.
func client(t testing.TB, srv *server.Server, configure ...func(*redis.Options)) *redis.Client {
	t.Helper()
	opt := options(srv)
	for _, c := range configure {
		c(opt)
	}
	rdb := redis.NewClient(opt)
	t.Cleanup(func() { rdb.Close() })
	return rdb
}

// handClock is a server's time that moves only when told to.
type handClock struct {
	micros atomic.Int64
	srv    *server.Server
}

func (c *handClock) Now() int64                { return c.micros.Load() }
func (c *handClock) Until(int64) time.Duration { return -1 }

// advance moves the time on; when it returns, all that became due has happened.
func (c *handClock) advance(t testing.TB, d time.Duration) {
	t.Helper()
	c.micros.Add(d.Microseconds())
	if err := c.srv.Wake(); err != nil {
		t.Fatal(err)
	}
}

// startAt runs a server whose time moves by hand.
func startAt(t testing.TB) (*server.Server, *handClock) {
	clock := &handClock{}
	clock.micros.Store(1_700_000_000_000_000)
	clock.srv = start(t, func(o *server.Options) { o.Clock = clock })
	return clock.srv, clock
}

// requireRedis is the path of a real redis-server. Without one the test is
// skipped, unless MINIKV_REQUIRE_REDIS says that it must be there.
func requireRedis(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("MINIKV_REQUIRE_REDIS") != "" {
			t.Fatal("redis-server is not installed, and MINIKV_REQUIRE_REDIS is set")
		}
		t.Skip("redis-server is not installed")
	}
	return path
}

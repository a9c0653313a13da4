package minikvtest

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"minikv/engine/config"
	"minikv/server"
)

// historySize is how many commands a failed test prints.
const historySize = 50

// KV is a server that lives as long as a test. Its methods may be used by any
// goroutine of the test; what goes wrong with the server itself ends the test.
type KV struct {
	// Server is the server itself, for all that KV has no method for.
	Server *server.Server

	t       testing.TB
	opts    []Option
	history *server.History
	served  chan struct{} // closed when nothing runs any more
}

// Option changes how a server is started.
type Option func(*server.Options) error

// Run starts a server for a test and closes it when the test is over. No port
// is opened before Addr or URL is asked.
func Run(t testing.TB, opts ...Option) *KV {
	t.Helper()
	kv := &KV{t: t, opts: opts, history: server.NewHistory(historySize), served: make(chan struct{})}
	opt := server.Options{NoNetwork: true, Config: config.New(), Seed: 1}
	for _, o := range opts {
		if err := o(&opt); err != nil {
			t.Fatalf("minikvtest: %v", err)
		}
	}
	kv.history.Attach(&opt)
	srv, err := server.New(opt)
	if err == nil {
		err = srv.Listen()
	}
	kv.must(err)
	kv.Server = srv
	go func() {
		defer close(kv.served)
		srv.Serve(context.Background()) // until Close, or SHUTDOWN
	}()
	t.Cleanup(kv.end)
	return kv
}

// end closes the server and shows what a failed test has done.
func (kv *KV) end() {
	kv.Close()
	if kv.t.Failed() {
		if text := kv.history.String(); text != "" {
			kv.t.Log(text)
		}
	}
}

// Close ends the server before its test ends. Nothing of it runs any more when
// Close returns.
func (kv *KV) Close() {
	kv.Server.Close()
	<-kv.served
}

func (kv *KV) must(err error) {
	kv.t.Helper()
	if err != nil {
		kv.t.Fatalf("minikvtest: %v", err)
	}
}

// VirtualClock is the option of a time that stands still, at first at the
// present, and moves by Advance and its kind alone.
func VirtualClock(opt *server.Options) error { return VirtualClockAt(time.Time{})(opt) }

// VirtualClockAt is VirtualClock from a given time on.
func VirtualClockAt(at time.Time) Option {
	return func(opt *server.Options) error {
		opt.Clock = server.NewVirtualClock(at)
		return nil
	}
}

// Seed is where all randomness comes from: SPOP, RANDOMKEY, ids, the order of
// SCAN. Each server of a test has the same seed unless it is given another.
func Seed(seed uint64) Option {
	return func(opt *server.Options) error {
		opt.Seed = seed
		return nil
	}
}

// Config sets a directive of redis.conf.
func Config(directive string, values ...string) Option {
	return func(opt *server.Options) error {
		if err := opt.Config.Apply(directive, values, "minikvtest.Config"); err != nil {
			return fmt.Errorf("%s: %w", directive, err)
		}
		return nil
	}
}

// RedisVersion makes the server be a version: "6.2", "7.2", "valkey-8.0".
func RedisVersion(version string) Option { return Config("redis-version", version) }

// Addr is where the server listens: a free port of the loopback interface,
// opened when it is first asked for. In a synctest bubble use Dial.
func (kv *KV) Addr() string {
	kv.t.Helper()
	addr, err := kv.Server.Addr()
	kv.must(err)
	return addr
}

// URL is Addr as redis://host:port.
func (kv *KV) URL() string {
	kv.t.Helper()
	return "redis://" + kv.Addr()
}

// Dial connects without a network. It has the form of go-redis's
// Options.Dialer, and looks at neither network nor address.
func (kv *KV) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return kv.Server.Dial(ctx, network, addr)
}

// Options are a go-redis client's, over Dial. What the client would ask of a
// server before its first command, and a server for tests need not hear, is
// switched off.
func (kv *KV) Options() *redis.Options {
	return &redis.Options{
		Addr:                     "minikvtest",
		Dialer:                   kv.Dial,
		DisableIdentity:          true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
}

// Do runs a command and returns its reply; an error reply is a value, too. Bytes
// and strings are taken as they are, numbers in decimal. A command that blocks
// does so for the test.
func (kv *KV) Do(args ...any) server.Value {
	kv.t.Helper()
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = text(a)
	}
	v, err := kv.Server.Do(words...)
	kv.must(err)
	return v
}

func text(a any) string {
	switch a := a.(type) {
	case string:
		return a
	case []byte:
		return string(a)
	case float64:
		return strconv.FormatFloat(a, 'g', -1, 64)
	}
	return fmt.Sprint(a)
}

// Nodes is n servers that know nothing of each other, as Redlock wants them:
// this one and others that are started with the same options for the same test.
func (kv *KV) Nodes(n int) []*KV {
	kv.t.Helper()
	nodes := []*KV{kv}
	for len(nodes) < n {
		nodes = append(nodes, Run(kv.t, kv.opts...))
	}
	return nodes
}

package compat_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"minikv/server"
)

// rueidisClient is a rueidis client of a server that listens, on one connection,
// closed with the test.
func rueidisClient(t *testing.T, srv *server.Server, configure ...func(*rueidis.ClientOption)) rueidis.Client {
	t.Helper()
	opt := rueidis.ClientOption{InitAddress: []string{srv.Addrs()[0].String()}, ForceSingleClient: true, PipelineMultiplex: -1}
	for _, c := range configure {
		c(&opt)
	}
	client, err := rueidis.NewClient(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// awaitBlocked waits until a client of the server waits.
func awaitBlocked(t *testing.T, srv *server.Server) {
	t.Helper()
	for start := time.Now(); time.Since(start) < 20*time.Second; time.Sleep(time.Millisecond) {
		if v, err := srv.Do("INFO", "clients"); err == nil && infoField(v.Str, "blocked_clients") == "1" {
			return
		}
	}
	t.Fatal("no client is blocked")
}

// set is a SET by another client.
func set(t *testing.T, srv *server.Server, key, value string) {
	t.Helper()
	if v, err := srv.Do("SET", key, value); err != nil || v.IsError() {
		t.Fatal(v, err)
	}
}

// invalidations notes what a client is told to forget: keys, or "all".
func invalidations(into chan<- string) func(*rueidis.ClientOption) {
	return func(o *rueidis.ClientOption) {
		o.OnInvalidations = func(messages []rueidis.RedisMessage) {
			if messages == nil {
				into <- "all"
			}
			for _, m := range messages {
				key, _ := m.ToString()
				into <- key
			}
		}
	}
}

// TestRueidisCaches: what DoCache has read is answered from the client until
// another client writes the key, in each mode of tracking that rueidis knows.
func TestRueidisCaches(t *testing.T) {
	t.Parallel()
	for mode, tracking := range map[string][]string{
		"OPTIN": nil, // rueidis's own choice
		"BCAST": {"PREFIX", "k", "BCAST"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			srv := start(t, listening)
			told := make(chan string, 10)
			client := rueidisClient(t, srv, invalidations(told), func(o *rueidis.ClientOption) { o.ClientTrackingOptions = tracking })
			read := func(key string) rueidis.RedisResult {
				return client.DoCache(ctx, client.B().Get().Key(key).Cache(), time.Hour)
			}
			expect := func(key, value string, hit bool) {
				t.Helper()
				r := read(key)
				if got, err := r.ToString(); err != nil || got != value || r.IsCacheHit() != hit {
					t.Errorf("%s: %q (from the cache: %v), %v, want %q (%v)", key, got, r.IsCacheHit(), err, value, hit)
				}
			}
			forget := func(want string) {
				t.Helper()
				select {
				case got := <-told:
					if got != want {
						t.Errorf("told to forget %q, want %q", got, want)
					}
				case <-time.After(20 * time.Second):
					t.Fatalf("not told to forget %q", want)
				}
			}
			set(t, srv, "k1", "a")
			if mode == "BCAST" {
				forget("k1") // although nobody has read it
			}
			expect("k1", "a", false)
			expect("k1", "a", true)
			set(t, srv, "k1", "b")
			forget("k1")
			expect("k1", "b", false)

			// Several keys at once, one of them missing.
			for i, hit := range []bool{false, true} {
				values, err := rueidis.MGetCache(client, ctx, time.Hour, []string{"k1", "k2"})
				none := values["k2"]
				if one := values["k1"]; err != nil || one.String() == "" || !none.IsNil() || none.IsCacheHit() != hit {
					t.Errorf("round %d: MGetCache: %v, %v", i, values, err)
				}
			}
			// A script's write and EXEC's count like any other, and FLUSHALL is told once.
			if v, err := srv.Do("EVAL", "return redis.call('SET', KEYS[1], 'c')", "1", "k2"); err != nil || v.IsError() {
				t.Fatal(v, err)
			}
			forget("k2")
			expect("k2", "c", false)
			if v, err := srv.Do("FLUSHALL"); err != nil || v.IsError() {
				t.Fatal(v, err)
			}
			forget("all")
			if r := read("k2"); !rueidis.IsRedisNil(r.Error()) || r.IsCacheHit() {
				t.Errorf("after FLUSHALL: %v", r)
			}
		})
	}
}

// TestRueidisKnowsATimeToLive: what is kept in the client lives no longer than
// the key.
func TestRueidisKnowsATimeToLive(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	srv := start(t, listening)
	client := rueidisClient(t, srv)
	if err := client.Do(ctx, client.B().Set().Key("k").Value("v").PxMilliseconds(100_000).Build()).Error(); err != nil {
		t.Fatal(err)
	}
	r := client.DoCache(ctx, client.B().Get().Key("k").Cache(), time.Hour)
	if ttl := r.CachePTTL(); r.Error() != nil || ttl <= 0 || ttl > 100_000 {
		t.Errorf("kept for %d ms, %v", ttl, r.Error())
	}
}

func TestRueidisPubSub(t *testing.T) {
	t.Parallel()
	srv := start(t, listening)
	client := rueidisClient(t, srv)
	for _, c := range []struct {
		name      string
		subscribe rueidis.Completed
		publish   rueidis.Completed
		want      rueidis.PubSubMessage
	}{
		{"channel", client.B().Subscribe().Channel("news").Build(), client.B().Publish().Channel("news").Message("a").Build(),
			rueidis.PubSubMessage{Channel: "news", Message: "a"}},
		{"pattern", client.B().Psubscribe().Pattern("w*").Build(), client.B().Publish().Channel("weather").Message("b").Build(),
			rueidis.PubSubMessage{Pattern: "w*", Channel: "weather", Message: "b"}},
		{"shard", client.B().Ssubscribe().Channel("s").Build(), client.B().Spublish().Channel("s").Message("c").Build(),
			rueidis.PubSubMessage{Channel: "s", Message: "c"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			got := make(chan rueidis.PubSubMessage, 1)
			confirmed := make(chan string, 8)
			ctx = rueidis.WithOnSubscriptionHook(ctx, func(s rueidis.PubSubSubscription) { confirmed <- s.Kind })
			over := make(chan error, 1)
			go func() { over <- client.Receive(ctx, c.subscribe, func(m rueidis.PubSubMessage) { got <- m }) }()
			<-confirmed
			if n, err := client.Do(ctx, c.publish).AsInt64(); n != 1 || err != nil {
				t.Errorf("published to %d, %v", n, err)
			}
			if m := <-got; m != c.want {
				t.Errorf("received %+v, want %+v", m, c.want)
			}
			cancel()
			if err := <-over; !errors.Is(err, context.Canceled) {
				t.Errorf("Receive ended with %v", err)
			}
		})
	}
}

// TestRueidisPipelinesWithErrors: an error in the midst of a large pipeline is
// one command's; those around it have their replies.
func TestRueidisPipelinesWithErrors(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	client := rueidisClient(t, start(t, listening))
	var commands rueidis.Commands
	for i := range 3000 {
		switch i % 3 {
		case 0:
			commands = append(commands, client.B().Set().Key("s").Value(fmt.Sprint(i)).Build())
		case 1:
			commands = append(commands, client.B().Lpush().Key("s").Element("x").Build())
		default:
			commands = append(commands, client.B().Get().Key("s").Build())
		}
	}
	for i, r := range client.DoMulti(ctx, commands...) {
		got, err := r.ToString()
		switch {
		case i%3 == 0 && (err != nil || got != "OK"), i%3 == 2 && (err != nil || got != fmt.Sprint(i-2)):
			t.Fatalf("command %d: %q, %v", i, got, err)
		case i%3 == 1 && (err == nil || err.Error() != "WRONGTYPE Operation against a key holding the wrong kind of value"):
			t.Fatalf("command %d: %q, %v", i, got, err)
		}
	}
}

func TestRueidisTransactions(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	srv := start(t, listening)
	client := rueidisClient(t, srv)
	set(t, srv, "k", "1")
	for _, interfere := range []bool{true, false} {
		err := client.Dedicated(func(c rueidis.DedicatedClient) error {
			if err := c.Do(ctx, c.B().Watch().Key("k").Build()).Error(); err != nil {
				return err
			}
			if interfere {
				set(t, srv, "k", "2")
			}
			return c.DoMulti(ctx, c.B().Multi().Build(), c.B().Incr().Key("k").Build(), c.B().Exec().Build())[2].Error()
		})
		if interfere != rueidis.IsRedisNil(err) || !interfere && err != nil {
			t.Errorf("EXEC with a write between: %v, %v", interfere, err)
		}
	}
	if got, err := client.Do(ctx, client.B().Get().Key("k").Build()).AsInt64(); got != 3 || err != nil {
		t.Errorf("GET: %d, %v", got, err)
	}
}

// TestRueidisBlocks: a client that waits has a connection of its own, and is
// served before those who came later.
func TestRueidisBlocks(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	srv := start(t, listening)
	client := rueidisClient(t, srv)
	got := make(chan string, 1)
	go func() {
		pair, err := client.Do(ctx, client.B().Blpop().Key("a", "b").Timeout(20).Build()).AsStrSlice()
		got <- fmt.Sprint(pair, err)
	}()
	awaitBlocked(t, srv)
	if err := client.Do(ctx, client.B().Rpush().Key("b").Element("x", "y").Build()).Error(); err != nil {
		t.Fatal(err)
	}
	if pair := <-got; pair != "[b x] <nil>" {
		t.Errorf("BLPOP: %s", pair)
	}
	if err := client.Do(ctx, client.B().Blpop().Key("none").Timeout(0.01).Build()).Error(); !rueidis.IsRedisNil(err) {
		t.Errorf("BLPOP in vain: %v", err)
	}
}

func TestRueidisScripts(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	srv := start(t, listening)
	client := rueidisClient(t, srv)
	release := rueidis.NewLuaScript(`if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`)
	for round := range 2 { // the second after the server has forgotten the script
		set(t, srv, "lock", "me")
		for want, token := range []string{"you", "me"} {
			if n, err := release.Exec(ctx, client, []string{"lock"}, []string{token}).AsInt64(); n != int64(want) || err != nil {
				t.Errorf("round %d: release by %s: %d, %v", round, token, n, err)
			}
		}
		if v, err := srv.Do("SCRIPT", "FLUSH"); err != nil || v.IsError() {
			t.Fatal(v, err)
		}
	}
}

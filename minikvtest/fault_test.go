package minikvtest_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	"minikv/minikvtest"
)

// once is a client that tries every command once, so that its test sees what
// went wrong.
func once(o *redis.Options) { o.MaxRetries = -1 }

// A reply to SET NX is lost: the client cannot know whether it holds the lock.
// One that tries again with the same command believes that somebody else has it;
// a correct one, whose token is its own, looks whose the lock is.
func TestLostReplyOfSetNX(t *testing.T) {
	t.Parallel()
	kv := minikvtest.Run(t)
	rdb := client(t, kv, once)
	kv.AddFault(minikvtest.Fault{Command: "set", Key: "lock", Nth: 1, Action: minikvtest.LoseReply})

	naive := func() (bool, error) {
		taken, err := rdb.SetNX(t.Context(), "lock", "token", time.Minute).Result()
		if errors.Is(err, io.EOF) {
			taken, err = rdb.SetNX(t.Context(), "lock", "token", time.Minute).Result()
		}
		return taken, err
	}
	if taken, err := naive(); taken || err != nil {
		t.Errorf("%v, %v", taken, err)
	}
	want(t, kv, `"token"`, "GET", "lock") // yet it is its own

	careful := func() (bool, error) {
		taken, err := rdb.SetNX(t.Context(), "lock", "token", time.Minute).Result()
		if err != nil || taken {
			return taken, err
		}
		owner, err := rdb.Get(t.Context(), "lock").Result()
		return owner == "token", err
	}
	if taken, err := careful(); !taken || err != nil {
		t.Errorf("%v, %v", taken, err)
	}
}

// go-redis itself tries again when a connection closes, and so adds one twice.
func TestLostReplyOfIncr(t *testing.T) {
	t.Parallel()
	kv := minikvtest.Run(t)
	rdb := client(t, kv)
	kv.AddFault(minikvtest.Fault{Command: "incr", Nth: 1, Action: minikvtest.LoseReply})
	if n, err := rdb.Incr(t.Context(), "n").Result(); n != 2 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		fault minikvtest.Fault
		ran   bool
		err   string
	}{
		{"error", minikvtest.Fault{Action: minikvtest.Error, Text: "OOM no memory"}, false, "OOM no memory"},
		{"closed before", minikvtest.Fault{Action: minikvtest.CloseBefore}, false, "EOF"},
		{"lost reply", minikvtest.Fault{Action: minikvtest.LoseReply}, true, "EOF"},
		{"truncated", minikvtest.Fault{Action: minikvtest.Truncate, Bytes: 3}, true, "EOF"},
		{"moved", minikvtest.Fault{Action: minikvtest.Moved, Text: "127.0.0.1:1"}, false, "MOVED 3432 127.0.0.1:1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			kv := minikvtest.Run(t)
			rdb := client(t, kv, once)
			tc.fault.Command, tc.fault.Key = "incr", "n*"
			id := kv.AddFault(tc.fault)
			if err := rdb.Incr(t.Context(), "n").Err(); err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("INCR n: %v, want %s", err, tc.err)
			}
			if err := rdb.Incr(t.Context(), "other").Err(); err != nil {
				t.Errorf("INCR other: %v", err)
			}
			ran := "(integer) 0"
			if tc.ran {
				ran = "(integer) 1"
			}
			want(t, kv, ran, "EXISTS", "n")
			if list := kv.Faults(); len(list) != 1 || list[0].Matched != 1 || list[0].Fired != 1 {
				t.Errorf("faults: %+v", list)
			}
			if !kv.RemoveFault(id) || kv.RemoveFault(id) {
				t.Error("the fault is removed once")
			}
			if err := rdb.Incr(t.Context(), "n").Err(); err != nil {
				t.Errorf("INCR n without the fault: %v", err)
			}
		})
	}
}

// Without a reply a client waits for its own time-out.
func TestNoReplyInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kv := minikvtest.Run(t)
		opt := kv.Options()
		opt.MaxRetries, opt.ReadTimeout = -1, 3*time.Second
		rdb := redis.NewClient(opt)
		defer rdb.Close()
		kv.AddFault(minikvtest.Fault{Command: "get", Times: 1, Action: minikvtest.NoReply})
		began := time.Now()
		var timeout net.Error
		if err := rdb.Get(t.Context(), "k").Err(); !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Errorf("GET: %v", err)
		}
		if waited := time.Since(began); waited != 3*time.Second {
			t.Errorf("it waited %v", waited)
		}
	})
}

// A delay is one of the server's time: it stands still with a virtual clock.
func TestDelay(t *testing.T) {
	t.Parallel()
	kv := minikvtest.Run(t, minikvtest.VirtualClock)
	rdb := client(t, kv)
	kv.AddFault(minikvtest.Fault{Command: "set", Action: minikvtest.Delay, Delay: time.Minute})
	done := make(chan error)
	go func() { done <- rdb.Set(context.WithoutCancel(t.Context()), "k", "v", 0).Err() }()
	waitFor(t, func() bool { return kv.Faults()[0].Fired == 1 })
	kv.Advance(59 * time.Second)
	want(t, kv, "(integer) 0", "EXISTS", "k")
	kv.Advance(time.Second)
	if err := <-done; err != nil {
		t.Error(err)
	}
	want(t, kv, `"v"`, "GET", "k")
}

// A real delay passes though the server's time stands still.
func TestRealDelay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kv := minikvtest.Run(t, minikvtest.VirtualClock)
		rdb := redis.NewClient(kv.Options())
		defer rdb.Close()
		kv.AddFault(minikvtest.Fault{Command: "set", Action: minikvtest.Delay, Delay: time.Second, Real: true})
		began, shown := time.Now(), kv.Now()
		if err := rdb.Set(t.Context(), "k", "v", 0).Err(); err != nil {
			t.Error(err)
		}
		if waited := time.Since(began); waited != time.Second || !kv.Now().Equal(shown) {
			t.Errorf("it waited %v, and the server's time moved by %v", waited, kv.Now().Sub(shown))
		}
	})
}

// A delayed client is not forgotten when the server is put back.
func TestDelayEndsWithRestore(t *testing.T) {
	t.Parallel()
	kv := minikvtest.Run(t, minikvtest.VirtualClock)
	rdb := client(t, kv)
	snap := kv.Snapshot()
	defer snap.Release()
	kv.AddFault(minikvtest.Fault{Command: "incr", Action: minikvtest.Delay, Delay: time.Hour})
	done := make(chan error)
	go func() { done <- rdb.Incr(context.WithoutCancel(t.Context()), "n").Err() }()
	waitFor(t, func() bool { return kv.Faults()[0].Fired == 1 })
	kv.Restore(snap)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// By chance means by the seed: the same commands go wrong each time.
func TestFaultsByChanceAreSeeded(t *testing.T) {
	t.Parallel()
	pattern := func() string {
		kv := minikvtest.Run(t)
		kv.AddFault(minikvtest.Fault{Command: "incr", Probability: 0.3, Seed: 42, Action: minikvtest.Error, Text: "ERR bad luck"})
		var b strings.Builder
		for range 200 {
			if kv.Do("INCR", "n").IsError() {
				b.WriteByte('x')
			} else {
				b.WriteByte('.')
			}
		}
		return b.String()
	}
	first := pattern()
	if n := strings.Count(first, "x"); n < 30 || n > 90 {
		t.Errorf("%d of 200 went wrong: %s", n, first)
	}
	if second := pattern(); second != first {
		t.Errorf("%s\n%s", first, second)
	}
}

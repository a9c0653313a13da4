package minikvtest_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	"minikv/minikvtest"
)

// The documentation's example of a virtual clock: time stands still until the
// test moves it.
func TestVirtualClock(t *testing.T) {
	t.Parallel()
	kv := minikvtest.Run(t, minikvtest.VirtualClock)
	rdb := client(t, kv)

	rdb.SetNX(t.Context(), "lock", "me", 30*time.Second)
	kv.Advance(29 * time.Second)
	if owner := rdb.Get(t.Context(), "lock").Val(); owner != "me" {
		t.Errorf("after 29 seconds the lock is %q's", owner)
	}
	kv.Advance(time.Second)
	if taken := rdb.SetNX(t.Context(), "lock", "you", time.Minute).Val(); !taken {
		t.Error("after 30 seconds the lock cannot be taken")
	}
}

// The documentation's example of a bubble: the whole test takes no real time.
func TestInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kv := minikvtest.Run(t)
		rdb := redis.NewClient(kv.Options())
		defer rdb.Close()

		rdb.SetNX(t.Context(), "lock", "me", 30*time.Second)
		began := time.Now()
		for !rdb.SetNX(t.Context(), "lock", "you", time.Minute).Val() {
			time.Sleep(100 * time.Millisecond)
		}
		if waited := time.Since(began); waited != 30100*time.Millisecond {
			t.Errorf("the lock was free after %v", waited)
		}
	})
}

// A client that waits for a key is durably blocked: the bubble's time goes on
// to its time-out.
func TestBlockedInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kv := minikvtest.Run(t)
		opt := kv.Options()
		opt.ReadTimeout = -1
		rdb := redis.NewClient(opt)
		defer rdb.Close()
		done := make(chan error)
		go func() { done <- rdb.BLPop(t.Context(), time.Hour, "queue").Err() }()
		synctest.Wait() // it waits, and nothing else can run
		if blocked := infoField(kv, "blocked_clients"); blocked != "1" {
			t.Errorf("%s clients are blocked", blocked)
		}
		began := time.Now()
		if err := <-done; err != redis.Nil {
			t.Error(err)
		}
		if waited := time.Since(began); waited != time.Hour {
			t.Errorf("BLPOP waited %v", waited)
		}
	})
}

func infoField(kv *minikvtest.KV, name string) string {
	_, rest, _ := strings.Cut(kv.Do("INFO").Str, name+":")
	value, _, _ := strings.Cut(rest, "\r\n")
	return value
}

// Whatever becomes due on the way happens in order and at its own instant.
func TestAdvanceInOrder(t *testing.T) {
	t.Parallel()
	kv := minikvtest.Run(t, minikvtest.VirtualClock, minikvtest.Config("notify-keyspace-events", "Ex"))
	rdb := client(t, kv, func(o *redis.Options) { o.ReadTimeout = -1 })
	sub := rdb.Subscribe(t.Context(), "__keyevent@0__:expired")
	defer sub.Close()
	if _, err := sub.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	for key, ttl := range map[string]time.Duration{"third": 3 * time.Second, "first": time.Second, "fourth": time.Hour, "second": 2 * time.Second} {
		rdb.Set(t.Context(), key, "v", ttl)
	}
	timedOut := make(chan error)
	go func() { timedOut <- rdb.BLPop(t.Context(), 10*time.Second, "queue").Err() }()
	waitFor(t, func() bool { return infoField(kv, "blocked_clients") == "1" })

	kv.Advance(2 * time.Hour)
	if err := <-timedOut; err != redis.Nil {
		t.Errorf("BLPOP: %v", err)
	}
	var order []string
	for len(order) < 4 {
		m, err := sub.ReceiveMessage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		order = append(order, m.Payload)
	}
	if !slices.Equal(order, []string{"first", "second", "third", "fourth"}) {
		t.Errorf("expired in the order %v", order)
	}
}

// waitFor waits until something that another goroutine does is seen.
func waitFor(t *testing.T, seen func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !seen(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nothing happens")
		}
	}
}

// TIME, stream IDs, idle times and TTLs tell one and the same time.
func TestOneTime(t *testing.T) {
	t.Parallel()
	start := time.UnixMilli(1_767_225_600_000)
	kv := minikvtest.Run(t, minikvtest.VirtualClockAt(start))
	kv.Do("SET", "k", "v", "PX", 100_000)
	kv.Advance(90 * time.Second)
	want(t, kv, "1) \"1767225690\"\n2) \"0\"", "TIME")
	want(t, kv, `"1767225690000-0"`, "XADD", "s", "*", "f", "v")
	want(t, kv, "(integer) 90", "OBJECT", "IDLETIME", "k")
	want(t, kv, "(integer) 10000", "PTTL", "k")
	if now := kv.Now(); !now.Equal(start.Add(90 * time.Second)) {
		t.Errorf("Now: %v", now)
	}
	kv.SetTime(start)
	want(t, kv, "(integer) 100000", "PTTL", "k")
}

func TestAdvanceToNext(t *testing.T) {
	t.Parallel()
	kv := minikvtest.Run(t, minikvtest.VirtualClock)
	start := kv.Now()
	kv.Do("SET", "a", 1, "PX", 10)
	kv.Do("SET", "b", 1, "PX", 20)
	for _, gone := range []string{"a", "b"} {
		if !kv.AdvanceToNext() {
			t.Fatal("nothing is planned")
		}
		want(t, kv, "(integer) 0", "EXISTS", gone)
	}
	if kv.AdvanceToNext() {
		t.Error("something is planned")
	}
	if passed := kv.Now().Sub(start).Milliseconds(); passed != 21 {
		t.Errorf("%d ms have passed", passed)
	}
}

// MINIKV.CLOCK does the same from any client.
func TestClockByCommand(t *testing.T) {
	t.Parallel()
	kv := minikvtest.Run(t)
	rdb := client(t, kv)
	rdb.Set(t.Context(), "k", "v", time.Hour)
	if err := rdb.Do(t.Context(), "MINIKV.CLOCK", "ADVANCE", time.Hour.Milliseconds()).Err(); err != nil {
		t.Fatal(err)
	}
	if err := rdb.Get(t.Context(), "k").Err(); !errors.Is(err, redis.Nil) {
		t.Errorf("GET: %v", err)
	}
	if err := rdb.Do(t.Context(), "MINIKV.CLOCK", "FREEZE").Err(); err != nil {
		t.Fatal(err)
	}
	first := rdb.Time(t.Context()).Val()
	if second := rdb.Time(t.Context()).Val(); !second.Equal(first) {
		t.Errorf("frozen time went from %v to %v", first, second)
	}
	rdb.Do(t.Context(), "MINIKV.CLOCK", "RUN")
	waitFor(t, func() bool { return rdb.Time(t.Context()).Val().After(first) })
}

// Five clients wait for one list: whoever has waited longest is served first.
func TestBLPopServesTheLongestWaiterFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kv := minikvtest.Run(t)
		rdb := redis.NewClient(kv.Options())
		defer rdb.Close()
		served := make(chan [2]string)
		for _, name := range []string{"1", "2", "3", "4", "5"} {
			go func() {
				got := rdb.BLPop(t.Context(), 0, "queue").Val()
				served <- [2]string{name, got[1]}
			}()
			synctest.Wait() // it waits before the next one comes
		}
		for _, item := range []string{"1", "2", "3", "4", "5"} {
			rdb.RPush(t.Context(), "queue", item)
			if got := <-served; got[0] != item || got[1] != item {
				t.Errorf("waiter %s was served %s, want %s", got[0], got[1], item)
			}
		}
	})
}

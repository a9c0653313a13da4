package compat_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"

	"minikv/server"
)

// nodes are n independent servers, each with its own clock, and a redsync that
// asks them all.
func nodes(t *testing.T, n int) ([]*server.Server, []*handClock, *redsync.Redsync) {
	t.Helper()
	var servers []*server.Server
	var clocks []*handClock
	var pools []redsyncredis.Pool
	for range n {
		srv, clock := startAt(t)
		servers, clocks = append(servers, srv), append(clocks, clock)
		pools = append(pools, goredis.NewPool(client(t, srv)))
	}
	return servers, clocks, redsync.New(pools...)
}

func TestRedsyncOnOneAndOnFiveNodes(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 5} {
		_, clocks, rs := nodes(t, n)
		a := rs.NewMutex("lock", redsync.WithExpiry(8*time.Second), redsync.WithTries(1))
		b := rs.NewMutex("lock", redsync.WithExpiry(8*time.Second), redsync.WithTries(1))
		if err := a.Lock(); err != nil {
			t.Fatalf("%d nodes: A's lock: %v", n, err)
		}
		if err := b.Lock(); err == nil {
			t.Errorf("%d nodes: B got A's lock", n)
		}
		if ok, err := a.Extend(); !ok || err != nil {
			t.Errorf("%d nodes: A's extend: %v, %v", n, ok, err)
		}
		if ok, err := a.Unlock(); !ok || err != nil {
			t.Errorf("%d nodes: A's unlock: %v, %v", n, ok, err)
		}
		if err := b.Lock(); err != nil {
			t.Errorf("%d nodes: B's lock after A's unlock: %v", n, err)
		}
		for _, c := range clocks { // B dies; its lock goes by itself
			c.advance(t, 9*time.Second)
		}
		if err := a.Lock(); err != nil {
			t.Errorf("%d nodes: A's lock after B's expired: %v", n, err)
		}
		if ok, err := b.Extend(); ok || err == nil {
			t.Errorf("%d nodes: B's extend of a lost lock: %v, %v", n, ok, err)
		}
	}
}

func TestRedsyncLetsOneInAtATime(t *testing.T) {
	t.Parallel()
	_, _, rs := nodes(t, 5)
	var inside, most atomic.Int32
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for range 5 {
				m := rs.NewMutex("lock", redsync.WithTries(10_000), redsync.WithRetryDelay(time.Millisecond), redsync.WithTimeoutFactor(0.5))
				if err := m.Lock(); err != nil {
					t.Error(err)
					return
				}
				most.Store(max(most.Load(), inside.Add(1)))
				inside.Add(-1)
				if _, err := m.Unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	workers.Wait()
	if most.Load() != 1 {
		t.Errorf("%d were inside at once", most.Load())
	}
}

func TestRedsyncNeedsAMajority(t *testing.T) {
	t.Parallel()
	servers, _, rs := nodes(t, 5)
	servers[0].Close()
	servers[1].Close()
	m := rs.NewMutex("lock", redsync.WithTries(1), redsync.WithTimeoutFactor(0.5))
	if err := m.Lock(); err != nil {
		t.Errorf("three of five: %v", err)
	}
	m.Unlock()
	servers[2].Close()
	if err := rs.NewMutex("lock", redsync.WithTries(1), redsync.WithTimeoutFactor(0.5)).Lock(); err == nil {
		t.Error("two of five were enough")
	}
}

// A node whose clock jumps gives a lock to two: what Redlock does not cover.
func TestRedlockBreaksWhenAClockJumps(t *testing.T) {
	t.Parallel()
	servers, clocks, _ := nodes(t, 5)
	majority := func(which ...int) *redsync.Redsync {
		var pools []redsyncredis.Pool
		for i := range servers {
			up := false
			for _, w := range which {
				up = up || w == i
			}
			rdb := client(t, servers[i], func(o *redis.Options) {
				if !up {
					o.Dialer, o.Addr, o.MaxRetries = nil, "127.0.0.1:1", -1
				}
			})
			pools = append(pools, goredis.NewPool(rdb))
		}
		return redsync.New(pools...)
	}
	mutex := func(rs *redsync.Redsync) *redsync.Mutex {
		return rs.NewMutex("lock", redsync.WithTries(1), redsync.WithExpiry(10*time.Second), redsync.WithTimeoutFactor(0.4))
	}
	if err := mutex(majority(0, 1, 2)).Lock(); err != nil {
		t.Fatalf("A on nodes 1, 2, 3: %v", err)
	}
	if err := mutex(majority(2, 3, 4)).Lock(); err == nil {
		t.Fatal("B on nodes 3, 4, 5, before the jump: got A's lock")
	}
	clocks[2].advance(t, 11*time.Second)
	if err := mutex(majority(2, 3, 4)).Lock(); err != nil {
		t.Errorf("B on nodes 3, 4, 5, after node 3's clock jumped: %v", err)
	}
}

func TestRedislock(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	srv, clock := startAt(t)
	a, b := redislock.New(client(t, srv)), redislock.New(client(t, srv))
	lock, err := a.Obtain(ctx, "lock", 10*time.Second, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Obtain(ctx, "lock", 10*time.Second, nil); !errors.Is(err, redislock.ErrNotObtained) {
		t.Errorf("B's obtain: %v", err)
	}
	if ttl, err := lock.TTL(ctx); ttl != 10*time.Second || err != nil {
		t.Errorf("TTL: %v, %v", ttl, err)
	}
	if err := lock.Refresh(ctx, 20*time.Second, nil); err != nil {
		t.Errorf("refresh: %v", err)
	}
	clock.advance(t, 21*time.Second)
	if err := lock.Release(ctx); !errors.Is(err, redislock.ErrLockNotHeld) {
		t.Errorf("release of an expired lock: %v", err)
	}
	if err := lock.Refresh(ctx, time.Second, nil); !errors.Is(err, redislock.ErrNotObtained) {
		t.Errorf("refresh of an expired lock: %v", err)
	}
	other, err := b.Obtain(ctx, "lock", 10*time.Second, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Release(ctx); err != nil {
		t.Errorf("release: %v", err)
	}
}

package compat_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-redis/redis_rate/v10"
)

// TestRedisRate uses go-redis/redis_rate, whose every decision is a Lua script
// that reckons with TIME and fractions of a second.
func TestRedisRate(t *testing.T) {
	t.Parallel()
	srv, clock := startAt(t)
	ctx := t.Context()
	limiter := redis_rate.NewLimiter(client(t, srv))
	limit := redis_rate.PerSecond(4)
	allow := func(n int) *redis_rate.Result {
		t.Helper()
		res, err := limiter.AllowN(ctx, "user", limit, n)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	for left := 3; left >= 0; left-- {
		if res := allow(1); res.Allowed != 1 || res.Remaining != left || res.RetryAfter != -1 {
			t.Errorf("with %d to be left: %+v", left, res)
		}
	}
	if res := allow(1); res.Allowed != 0 || res.RetryAfter != 250*time.Millisecond || res.ResetAfter != time.Second {
		t.Errorf("over the limit: %+v", res)
	}
	clock.advance(t, 250*time.Millisecond)
	if res := allow(1); res.Allowed != 1 || res.Remaining != 0 {
		t.Errorf("a quarter of a second later: %+v", res)
	}
	clock.advance(t, 500*time.Millisecond)
	if res, err := limiter.AllowAtMost(ctx, "user", limit, 3); err != nil || res.Allowed != 2 {
		t.Errorf("AllowAtMost 3 with 2 left: %+v, %v", res, err)
	}
	if err := limiter.Reset(ctx, "user"); err != nil {
		t.Error(err)
	}
	if res := allow(4); res.Allowed != 4 || res.Remaining != 0 {
		t.Errorf("after Reset: %+v", res)
	}
	clock.advance(t, time.Minute)
	if n := client(t, srv).DBSize(ctx).Val(); n != 0 {
		t.Errorf("%d keys are left a minute later", n)
	}
}

// TestRedisRateTogether lets many clients ask at once: no more than the burst
// get through.
func TestRedisRateTogether(t *testing.T) {
	t.Parallel()
	srv, _ := startAt(t)
	limiter := redis_rate.NewLimiter(client(t, srv))
	var allowed atomic.Int64
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			res, err := limiter.Allow(t.Context(), "shared", redis_rate.PerMinute(7))
			if err != nil {
				t.Error(err)
				return
			}
			allowed.Add(int64(res.Allowed))
		})
	}
	all.Wait()
	if n := allowed.Load(); n != 7 {
		t.Errorf("%d of 40 got through, want 7", n)
	}
}

package minikvtest_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"

	"minikv/minikvtest"
)

// A lock that redsync holds on five nodes expires under their virtual clocks.
func TestRedsyncLockExpiresUnderAVirtualClock(t *testing.T) {
	t.Parallel()
	nodes := minikvtest.Run(t, minikvtest.VirtualClock).Nodes(5)
	var pools []redsyncredis.Pool
	for _, node := range nodes {
		pools = append(pools, goredis.NewPool(client(t, node)))
	}
	rs := redsync.New(pools...)
	mine := rs.NewMutex("lock", redsync.WithExpiry(30*time.Second), redsync.WithTries(1))
	yours := rs.NewMutex("lock", redsync.WithExpiry(30*time.Second), redsync.WithTries(1))
	if err := mine.Lock(); err != nil {
		t.Fatal(err)
	}
	var taken *redsync.ErrTaken
	if err := yours.Lock(); !errors.As(err, &taken) {
		t.Errorf("yours while mine is held: %v", err)
	}
	for _, node := range nodes {
		node.Advance(30 * time.Second)
	}
	if err := yours.Lock(); err != nil {
		t.Errorf("yours after mine has expired: %v", err)
	}
	if ok, err := mine.Unlock(); ok || err == nil {
		t.Errorf("mine can still be released: %v, %v", ok, err)
	}
}

// The same in a bubble: redsync tries again and again until the lock expires.
func TestRedsyncLockExpiresInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rdb := redis.NewClient(minikvtest.Run(t).Options())
		defer rdb.Close()
		rs := redsync.New(goredis.NewPool(rdb))
		began := time.Now()
		mine := rs.NewMutex("lock", redsync.WithExpiry(30*time.Second))
		yours := rs.NewMutex("lock", redsync.WithTries(1000), redsync.WithRetryDelay(50*time.Millisecond))
		if err := mine.Lock(); err != nil {
			t.Fatal(err)
		}
		if err := yours.Lock(); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(began); waited < 30*time.Second || waited > 31*time.Second {
			t.Errorf("yours was there after %v", waited)
		}
	})
}

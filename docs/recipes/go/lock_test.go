// Package recipe shows a Go test with a Redis of its own.
package recipe

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"minikv/minikvtest"
)

func TestLockExpires(t *testing.T) {
	t.Parallel()
	kv := minikvtest.Run(t, minikvtest.VirtualClock)
	rdb := redis.NewClient(kv.Options())
	defer rdb.Close()

	if ok, err := rdb.SetNX(t.Context(), "lock", "me", 30*time.Second).Result(); !ok || err != nil {
		t.Fatalf("the first lock: %v, %v", ok, err)
	}
	if ok, _ := rdb.SetNX(t.Context(), "lock", "you", 30*time.Second).Result(); ok {
		t.Error("two have the lock")
	}
	kv.Advance(30 * time.Second) // takes no time
	if ok, _ := rdb.SetNX(t.Context(), "lock", "you", 30*time.Second).Result(); !ok {
		t.Error("the lock does not expire")
	}
}

func TestLostReply(t *testing.T) {
	t.Parallel()
	kv := minikvtest.Run(t)
	opt := kv.Options()
	opt.MaxRetries = -1
	rdb := redis.NewClient(opt)
	defer rdb.Close()

	kv.AddFault(minikvtest.Fault{Command: "set", Nth: 1, Action: minikvtest.LoseReply})
	if err := rdb.SetNX(t.Context(), "lock", "me", time.Minute).Err(); err == nil {
		t.Error("the reply was not lost")
	}
	if owner := rdb.Get(t.Context(), "lock").Val(); owner != "me" {
		t.Errorf("the command did not run: the lock is %q's", owner)
	}
}

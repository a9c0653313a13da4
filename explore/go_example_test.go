package explore_test

import (
	"testing"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"minikv/explore"
)

// The documentation's example of programs in Go.
func TestOurLock(t *testing.T) {
	t.Parallel()
	r := explore.Run(t, explore.Config{}, func(x *explore.Sim) {
		x.Checks(explore.Ownership | explore.Progress)
		x.Clients(2, func(c *explore.Client) {
			rdb := redis.NewClient(&redis.Options{Addr: "explore", Dialer: c.Dial, MaxRetries: -1, DisableIdentity: true,
				MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}})
			defer rdb.Close()
			lock, err := redislock.Obtain(c.Context(), rdb, "lock", 5*time.Second, nil)
			if err != nil {
				return
			}
			c.Enter()
			time.Sleep(4 * time.Second)
			c.Leave()
			lock.Release(c.Context())
		})
	})
	if !r.Exhaustive {
		t.Error(r.Summary())
	}
}

package compat_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"minikv/lockcheck"
)

// clientOf is go-redis with its own defaults.
func clientOf(node lockcheck.Node) *redis.Client {
	return redis.NewClient(&redis.Options{
		Addr: node.Addr, Dialer: node.Dial, DisableIdentity: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
}

var redsyncAdapter = lockcheck.Adapter{
	Name:  "redsync",
	Nodes: []int{1, 5},
	New: func(nodes []lockcheck.Node) lockcheck.Client {
		var pools []redsyncredis.Pool
		var clients []*redis.Client
		for _, node := range nodes {
			rdb := clientOf(node)
			clients, pools = append(clients, rdb), append(pools, goredis.NewPool(rdb))
		}
		rs := redsync.New(pools...)
		lock := func(m *redsync.Mutex, err error) (lockcheck.Lock, error) {
			return lockcheck.Lock{
				Release: func(ctx context.Context) error { return said(m.UnlockContext(ctx)) },
				Extend: func(ctx context.Context, _ time.Duration) error {
					return said(m.ExtendContext(ctx)) // by the mutex's own expiry
				},
				Until: m.Until,
			}, err
		}
		return lockcheck.Client{
			Acquire: func(ctx context.Context, key string, ttl time.Duration) (lockcheck.Lock, error) {
				m := rs.NewMutex(key, redsync.WithExpiry(ttl))
				return lock(m, m.TryLockContext(ctx))
			},
			Wait: func(ctx context.Context, key string, ttl time.Duration) (lockcheck.Lock, error) {
				m := rs.NewMutex(key, redsync.WithExpiry(ttl), redsync.WithTries(1_000_000))
				return lock(m, m.LockContext(ctx))
			},
			Close: func() {
				for _, rdb := range clients {
					rdb.Close()
				}
			},
		}
	},
}

// said is the error that redsync's answer stands for.
func said(ok bool, err error) error {
	if !ok && err == nil {
		err = errors.New("not held")
	}
	return err
}

var redislockAdapter = lockcheck.Adapter{
	Name: "redislock",
	Known: map[string]string{
		"validity": "it does not look at the time that its request took",
		"jitter":   "its backoffs are the same for all",
	},
	New: func(nodes []lockcheck.Node) lockcheck.Client {
		rdb := clientOf(nodes[0])
		locker := redislock.New(rdb)
		obtain := func(ctx context.Context, key string, ttl time.Duration, retry redislock.RetryStrategy) (lockcheck.Lock, error) {
			l, err := locker.Obtain(ctx, key, ttl, &redislock.Options{RetryStrategy: retry})
			return lockcheck.Lock{
				Release: func(ctx context.Context) error { return l.Release(ctx) },
				Extend:  func(ctx context.Context, ttl time.Duration) error { return l.Refresh(ctx, ttl, nil) },
			}, err
		}
		return lockcheck.Client{
			Acquire: func(ctx context.Context, key string, ttl time.Duration) (lockcheck.Lock, error) {
				return obtain(ctx, key, ttl, redislock.NoRetry())
			},
			Wait: func(ctx context.Context, key string, ttl time.Duration) (lockcheck.Lock, error) {
				return obtain(ctx, key, ttl, redislock.ExponentialBackoff(16*time.Millisecond, time.Second))
			},
			Close: func() { rdb.Close() },
		}
	},
}

var updateLockcheck = flag.Bool("update", false, "write docs/lockcheck.md")

// TestLockLibraries pins what the lock libraries get right, and writes it down.
func TestLockLibraries(t *testing.T) {
	results := make(map[string][]lockcheck.Result)
	for _, a := range []lockcheck.Adapter{redsyncAdapter, redislockAdapter} {
		results[a.Name] = lockcheck.Run(t, a)
		for _, r := range results[a.Name] {
			if err := r.Schedule.Replay(); err != nil {
				t.Errorf("%s, %s: %v\n%s", a.Name, r.Check, err, r.Schedule)
			}
		}
	}
	text := []byte(lockcheckPreface + lockcheck.Page(results))
	file := filepath.Join("..", "docs", "lockcheck.md")
	if *updateLockcheck {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have, err := os.ReadFile(file); err != nil || !bytes.Equal(have, text) {
		t.Errorf("docs/lockcheck.md is stale (%v): run go test ./compat_test -run TestLockLibraries -update", err)
	}
}

const lockcheckPreface = `# What lock libraries get right

Package [lockcheck](../lockcheck) tries a lock library for Redis in a Go test: on servers of its own, in a testing/synctest bubble, where time
passes, replies are lost or late and servers go away as it wants, and nothing waits for real.

` + "```go" + `
func TestMyLock(t *testing.T) {
	lockcheck.Run(t, lockcheck.Adapter{Name: "mylock", Nodes: []int{1, 5}, New: newClient})
}
` + "```" + `

The adapter says how to acquire, wait, extend and release; what a library does not offer is left nil. A check that fails shows what
the library sent to which server and what went wrong on purpose; faults are put by MINIKV.FAULT.
Schedule.Replay runs it again. Known failures are named in the adapter, and have to fail.

Below is what it finds of two libraries, each over go-redis with its defaults. The page is generated and kept up to date by
[a test](../compat_test/lockcheck_test.go). "Not offered" is no fault: where there is no call, there is nothing to check.

`

package compat_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"minikv/server"
)

// TestDataFilesGoBothWays lets a real redis-server save values of every type,
// minikv load and save them again, and another redis-server load that: all have
// the same data, by their digests.
func TestDataFilesGoBothWays(t *testing.T) {
	t.Parallel()
	theirDir, ourDir := t.TempDir(), t.TempDir()
	theirs := redisClient(t, startRedis(t, "--dir", theirDir, "--enable-debug-command", "yes"))
	x := &exchange{t: t, ctx: context.Background(), theirs: theirs, Rand: rand.New(rand.NewPCG(13, 0))}
	x.do(theirs, "FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function() return 1 end)")
	forms := x.forms()
	for i := range 8 {
		for _, name := range slices.Sorted(maps.Keys(forms)) {
			key := fmt.Sprintf("%s:%d", name, i)
			forms[name](key)
			switch i % 4 {
			case 1:
				x.do(theirs, "PEXPIREAT", key, 33177117420000+i)
			case 2:
				x.do(theirs, "MOVE", key, 9)
			}
		}
	}
	x.do(theirs, "SAVE")
	want := x.do(theirs, "DEBUG", "DIGEST")
	copyFile(t, filepath.Join(theirDir, "dump.rdb"), filepath.Join(ourDir, "dump.rdb"))
	srv := start(t, func(o *server.Options) {
		for directive, value := range map[string]string{"dir": ourDir, "enable-debug-command": "yes"} {
			if err := o.Config.Apply(directive, []string{value}, "test"); err != nil {
				t.Fatal(err)
			}
		}
	})
	x.ours = client(t, srv)
	if got := x.do(x.ours, "DEBUG", "DIGEST"); got != want {
		t.Errorf("minikv's digest is %v, not %v", got, want)
	}
	x.do(x.ours, "SAVE")
	checkFile(t, filepath.Join(ourDir, "dump.rdb"))
	second := redisClient(t, startRedis(t, "--dir", ourDir, "--enable-debug-command", "yes"))
	for name, c := range map[string]*redis.Client{"minikv": x.ours, "redis-server": second} {
		if got := x.do(c, "DEBUG", "DIGEST"); got != want {
			t.Errorf("the digest of %s is %v, not %v", name, got, want)
		}
		if got := fmt.Sprint(x.do(c, "FCALL", "f", 0)); got != "1" {
			t.Errorf("the function of %s answers %s", name, got)
		}
	}
	for range 2 { // the second time, in place of the first
		x.do(x.ours, "BGREWRITEAOF")
		waitUntil(t, func() bool {
			return strings.Contains(x.do(x.ours, "INFO", "persistence").(string), "aof_rewrite_in_progress:0\r\n")
		})
	}
	if info := x.do(x.ours, "INFO", "persistence").(string); !strings.Contains(info, "aof_rewrites:2\r\n") {
		t.Errorf("INFO tells otherwise:\n%s", info)
	}
	if left, err := filepath.Glob(filepath.Join(ourDir, "appendonlydir", "*")); len(left) != 2 || err != nil {
		t.Errorf("the append-only file is %q, %v", left, err)
	}
	third := redisClient(t, startRedis(t, "--dir", ourDir, "--enable-debug-command", "yes", "--appendonly", "yes", "--dbfilename", "none.rdb"))
	if got := x.do(third, "DEBUG", "DIGEST"); got != want {
		t.Errorf("by the append-only file the digest of redis-server is %v, not %v", got, want)
	}
	for _, key := range []string{"list:1", "stream:0", "zset:1"} {
		ours, theirs := x.do(x.ours, "DEBUG", "DIGEST-VALUE", key), x.do(theirs, "DEBUG", "DIGEST-VALUE", key)
		if fmt.Sprint(ours) != fmt.Sprint(theirs) {
			t.Errorf("the digest of %s is %v, not %v", key, ours, theirs)
		}
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

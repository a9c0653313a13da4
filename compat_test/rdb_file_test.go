package compat_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/redis/go-redis/v9"

	"minikv/rdb"
)

// TestFilesAreReadAndWrittenAsRedisDoes reads the file that a real redis-server
// has saved, writes another of what was read, and lets redis-check-rdb and a
// second redis-server judge that: all of their data must be the same.
func TestFilesAreReadAndWrittenAsRedisDoes(t *testing.T) {
	t.Parallel()
	x := newExchange(t)
	dir := x.theirs.ConfigGet(x.ctx, "dir").Val()["dir"]
	x.do(x.theirs, "CONFIG", "SET", "maxmemory-policy", "allkeys-lru", "maxmemory", "1gb")
	x.do(x.theirs, "FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function() return 1 end)")
	forms := x.forms()
	for _, db := range []int{0, 3} {
		for i := range 6 {
			for _, name := range slices.Sorted(maps.Keys(forms)) {
				key := fmt.Sprintf("%d:%s:%d", db, name, i)
				forms[name](key)
				if i%2 == 0 {
					x.do(x.theirs, "PEXPIREAT", key, 33177117420000+i)
				}
				if db != 0 {
					x.do(x.theirs, "MOVE", key, db)
				}
			}
		}
	}
	x.do(x.theirs, "SAVE")
	saved := filepath.Join(dir, "dump.rdb")
	written := filepath.Join(dir, "written", "dump.rdb")
	if err := os.Mkdir(filepath.Dir(written), 0o755); err != nil {
		t.Fatal(err)
	}
	if keys := rewriteFile(t, saved, written); keys != 12*len(forms) {
		t.Errorf("%d keys were read", keys)
	}
	checkFile(t, written)
	second := redisClient(t, startRedis(t, "--dir", filepath.Dir(written), "--enable-debug-command", "yes"))
	want := x.do(x.theirs, "DEBUG", "DIGEST")
	if got := x.do(second, "DEBUG", "DIGEST"); got != want {
		t.Errorf("the digest of all data is %v, not %v", got, want)
	}
	if got := fmt.Sprint(x.do(second, "FCALL", "f", 0)); got != "1" {
		t.Errorf("the function answers %s", got)
	}
}

// redisClient is a go-redis client of a redis-server on a socket.
func redisClient(t *testing.T, socket string) *redis.Client {
	dialWhenReady(t, socket).Close()
	c := redis.NewClient(&redis.Options{Dialer: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", socket) }})
	t.Cleanup(func() { c.Close() })
	return c
}

// rewriteFile reads an RDB file and writes what it has to another, database by
// database as it comes. It answers how many keys there were.
func rewriteFile(t *testing.T, from, to string) (keys int) {
	t.Helper()
	src, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	dst, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	defer dst.Close()
	r, w := rdb.NewReader(src, rdb.Options{}), rdb.NewWriter(dst, rdb.WriterOptions{Compress: true, Summed: true})
	r.Aux = func(name, text []byte) error { return w.Aux(string(name), string(text)) }
	r.Function = w.Function
	db := -1
	for {
		e, err := r.Next()
		if err == io.EOF {
			break
		}
		if err == nil && r.DB() != db {
			db = r.DB()
			err = w.Select(db, 0, 0)
		}
		if err == nil {
			if e.Idle < 0 {
				t.Errorf("nothing tells when %s was used", e.Key)
			}
			err = w.Key(e)
		}
		if err != nil {
			t.Fatal(err)
		}
		keys++
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return keys
}

// checkFile lets redis-check-rdb judge a file.
func checkFile(t *testing.T, path string) {
	t.Helper()
	tool, err := exec.LookPath("redis-check-rdb")
	if err != nil {
		t.Log("redis-check-rdb is not installed")
		return
	}
	if out, err := exec.Command(tool, path).CombinedOutput(); err != nil {
		t.Errorf("redis-check-rdb: %v\n%s", err, out)
	}
}

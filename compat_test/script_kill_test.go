package compat_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"minikv/engine/config"
	"minikv/server"
)

// endless are scripts that never end by themselves, or not within the patience
// of anybody.
var endless = map[string]string{
	"loop":             "while true do end",
	"protected errors": "while true do pcall(error) end",
	"recursion":        "local function f() return f() end return f()",
	"commands":         "while true do redis.call('GET', KEYS[1]) end",
	"pattern":          "return string.find(string.rep('a', 200000), string.rep('a*', 200) .. 'b')",
	"gsub":             "while true do string.gsub(string.rep('x', 100000), '.', '%0%0') end",
	"sort":             "local t = {} for i = 1, 100000 do t[i] = i * 7919 % 100003 end while true do table.sort(t, function(a, b) return a > b end) end",
	"cjson":            "local t = {} for i = 1, 10000 do t[i] = {i} end while true do cjson.decode(cjson.encode(t)) end",
	"coroutines":       "while true do coroutine.wrap(function() coroutine.yield() end)() end",
}

// TestScriptKill lets a script run for ever while twenty other clients ask for
// something: each is told BUSY, then SCRIPT KILL ends the script and everybody
// is served again.
func TestScriptKill(t *testing.T) {
	t.Parallel()
	for transport, backend := range map[string]config.IOBackend{"auto": config.IOAuto, "redcon": config.IORedcon} {
		for name, script := range endless {
			t.Run(transport+"/"+name, func(t *testing.T) {
				t.Parallel()
				srv := start(t, listening, func(opt *server.Options) {
					opt.Config.IOBackend = backend
					opt.Config.BusyReplyThreshold = 20
				})
				killOne(t, srv, script)
			})
		}
	}
}

func killOne(t *testing.T, srv *server.Server, script string) {
	ctx := t.Context()
	rdb := client(t, srv, func(o *redis.Options) {
		o.ReadTimeout, o.PoolSize, o.MaxRetries = time.Minute, 32, -1
	})
	ended := make(chan error, 1)
	go func() { ended <- rdb.Eval(ctx, script, []string{"key"}).Err() }()
	var others sync.WaitGroup
	for range 20 {
		others.Go(func() {
			if err := untilBusy(ctx, rdb); err != nil {
				t.Error(err)
			}
		})
	}
	others.Wait()
	asked := time.Now()
	if err := rdb.ScriptKill(ctx).Err(); err != nil {
		t.Fatalf("SCRIPT KILL: %v", err)
	}
	err := <-ended
	t.Logf("the script ended %v after SCRIPT KILL", time.Since(asked).Round(100*time.Microsecond))
	if err == nil || !strings.Contains(err.Error(), "Script killed by user with SCRIPT KILL") {
		t.Errorf("the script ended with %v", err)
	}
	if err := rdb.Set(ctx, "key", "value", 0).Err(); err != nil {
		t.Errorf("SET afterwards: %v", err)
	}
	if err := rdb.ScriptKill(ctx).Err(); err == nil || !strings.HasPrefix(err.Error(), "NOTBUSY") {
		t.Errorf("SCRIPT KILL with nothing to kill: %v", err)
	}
}

// untilBusy sends GET until it is answered BUSY.
func untilBusy(ctx context.Context, rdb *redis.Client) error {
	for {
		err := rdb.Get(ctx, "key").Err()
		switch {
		case err == redis.Nil || err == nil:
		case strings.HasPrefix(err.Error(), "BUSY"):
			return nil
		default:
			return err
		}
	}
}

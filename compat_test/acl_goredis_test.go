package compat_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// TestACLThroughGoRedis uses access control as programs do: users made by one
// client, logins by another's options, and refusals as errors.
func TestACLThroughGoRedis(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	addr := start(t, listening).Addrs()[0].String()
	connect := func(user, password string, protocol int) *redis.Client {
		rdb := redis.NewClient(&redis.Options{Addr: addr, Username: user, Password: password, Protocol: protocol, MaxRetries: -1})
		t.Cleanup(func() { rdb.Close() })
		return rdb
	}
	admin := connect("", "", 3)
	if err := admin.ACLSetUser(ctx, "worker", "on", ">secret", "~job:*", "+@read", "+set", "+@connection", "&news").Err(); err != nil {
		t.Fatal(err)
	}
	for _, protocol := range []int{2, 3} {
		worker := connect("worker", "secret", protocol)
		if err := worker.Set(ctx, "job:1", "v", 0).Err(); err != nil {
			t.Errorf("RESP%d: SET of an allowed key: %v", protocol, err)
		}
		if err := worker.Get(ctx, "other").Err(); err == nil || !strings.HasPrefix(err.Error(), "NOPERM ") {
			t.Errorf("RESP%d: GET of another key: %v", protocol, err)
		}
		if err := worker.Del(ctx, "job:1").Err(); err == nil || !strings.HasPrefix(err.Error(), "NOPERM ") {
			t.Errorf("RESP%d: DEL: %v", protocol, err)
		}
		if err := connect("worker", "wrong", protocol).Ping(ctx).Err(); err == nil || !strings.HasPrefix(err.Error(), "WRONGPASS ") {
			t.Errorf("RESP%d: a wrong password: %v", protocol, err)
		}
	}
	if verdict, err := admin.ACLDryRun(ctx, "worker", "get", "other").Result(); err != nil || verdict != "This user has no permissions to access the 'other' key" {
		t.Errorf("ACL DRYRUN: %q, %v", verdict, err)
	}
	entries, err := admin.ACLLog(ctx, 10).Result()
	if err != nil || !slices.ContainsFunc(entries, func(en *redis.ACLLogEntry) bool {
		return en.Reason == "auth" && en.Username == "worker" && en.Count >= 1
	}) {
		t.Errorf("ACL LOG: %v, %v", entries, err)
	}
	if err := admin.ACLLogReset(ctx).Err(); err != nil {
		t.Error(err)
	}
	if users, err := admin.ACLUsers(ctx).Result(); err != nil || !slices.Equal(users, []string{"default", "worker"}) {
		t.Errorf("ACL USERS: %v, %v", users, err)
	}
	if me, err := admin.ACLWhoAmI(ctx).Result(); err != nil || me != "default" {
		t.Errorf("ACL WHOAMI: %q, %v", me, err)
	}
	worker := connect("worker", "secret", 3)
	conn := worker.Conn()
	defer conn.Close()
	if err := conn.Ping(ctx).Err(); err != nil {
		t.Fatal(err)
	}
	if n, err := admin.ACLDelUser(ctx, "worker").Result(); err != nil || n != 1 {
		t.Errorf("ACL DELUSER: %d, %v", n, err)
	}
	if err := conn.Ping(ctx).Err(); err == nil || errors.As(err, new(redis.Error)) {
		t.Errorf("the connection of a user that is gone answers: %v", err)
	}
}

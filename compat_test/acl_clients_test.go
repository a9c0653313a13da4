package compat_test

import (
	"crypto/sha1"
	"errors"
	"fmt"
	"strings"
	"testing"

	redigo "github.com/gomodule/redigo/redis"
	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
)

const (
	noKey     = "NOPERM this user has no permissions to access one of the keys used as arguments"
	noChannel = "NOPERM this user has no permissions to access one of the channels used as arguments"
)

// aclVerdicts are what the user of TestClientsOfARestrictedUser asks for, and
// what redis-server says: nothing, or the error.
var aclVerdicts = []struct {
	command []string
	want    string
}{
	{[]string{"SET", "job:1", "v"}, ""},
	{[]string{"GET", "job:1"}, ""},
	{[]string{"GET", "other"}, noKey},
	{[]string{"SET", "shared", "v"}, noKey},
	{[]string{"SET", "job:1", "v", "GET"}, ""},
	{[]string{"SET", "shared", "v", "GET"}, noKey},
	{[]string{"DEL", "job:1"}, "NOPERM this user has no permissions to run the 'del' command"},
	{[]string{"CONFIG", "GET", "port"}, "NOPERM this user has no permissions to run the 'config|get' command"},
	{[]string{"CONFIG", "NOSUCH"}, "ERR unknown subcommand 'NOSUCH'. Try CONFIG HELP."},
	{[]string{"PUBLISH", "news:a", "m"}, ""},
	{[]string{"PUBLISH", "weather", "m"}, noChannel},
	{[]string{"SUBSCRIBE", "weather"}, noChannel},
	{[]string{"PSUBSCRIBE", "news:a*"}, noChannel},
	{[]string{"SSUBSCRIBE", "news:a", "weather"}, noChannel},
	{[]string{"EVAL", "return 1", "1", "job:1"}, ""},
	{[]string{"EVAL", "return 1", "1", "other"}, noKey},
	{[]string{"EVAL", "return redis.call('DEL', 'job:1')", "0"},
		"ERR The user executing the script can't run this command or subcommand script: SHA, on @user_script:1."},
	{[]string{"EVAL", "return redis.call('GET', 'other')", "0"},
		"ERR The user executing the script can't access at least one of the keys mentioned in the command arguments script: SHA, on @user_script:1."},
	{[]string{"EVAL", "return redis.call('PUBLISH', 'weather', 'm')", "0"},
		"ERR The user executing the script can't publish to the channel mentioned in the command script: SHA, on @user_script:1."},
}

// TestClientsOfARestrictedUser: whatever library a user's program is written
// with, it may do the same, and reads Redis's own words where it may not.
func TestClientsOfARestrictedUser(t *testing.T) {
	t.Parallel()
	srv := start(t, listening)
	rules := "on >secret ~job:* %R~shared &news:* +@connection +get +set +@pubsub +eval"
	if v, err := srv.Do(append([]string{"ACL", "SETUSER", "worker"}, strings.Fields(rules)...)...); err != nil || v.IsError() {
		t.Fatal(v, err)
	}
	ctx := t.Context()
	goRedis := func(protocol int) func(args []string) error {
		rdb := client(t, srv, func(o *redis.Options) { o.Username, o.Password, o.Protocol = "worker", "secret", protocol })
		return func(args []string) error {
			list := make([]any, len(args))
			for i, a := range args {
				list[i] = a
			}
			return rdb.Do(ctx, list...).Err()
		}
	}
	fast := rueidisClient(t, srv, func(o *rueidis.ClientOption) { o.Username, o.Password = "worker", "secret" })
	plain := redigoConn(t, srv, redigo.DialUsername("worker"), redigo.DialPassword("secret"))
	for library, do := range map[string]func(args []string) error{
		"go-redis on RESP2": goRedis(2),
		"go-redis on RESP3": goRedis(3),
		"rueidis": func(args []string) error {
			nothing := func(rueidis.PubSubMessage) {}
			switch args[0] {
			case "SUBSCRIBE":
				return fast.Receive(ctx, fast.B().Subscribe().Channel(args[1:]...).Build(), nothing)
			case "PSUBSCRIBE":
				return fast.Receive(ctx, fast.B().Psubscribe().Pattern(args[1:]...).Build(), nothing)
			case "SSUBSCRIBE":
				return fast.Receive(ctx, fast.B().Ssubscribe().Channel(args[1:]...).Build(), nothing)
			}
			err := fast.Do(ctx, fast.B().Arbitrary(args...).Build()).Error()
			if rueidis.IsRedisNil(err) {
				return nil
			}
			return err
		},
		"redigo": func(args []string) error {
			_, err := plain.Do(args[0], redigo.Args{}.AddFlat(args[1:])...)
			return err
		},
	} {
		for _, v := range aclVerdicts {
			want := v.want
			if v.command[0] == "EVAL" {
				want = strings.ReplaceAll(want, "SHA", fmt.Sprintf("%x", sha1.Sum([]byte(v.command[1]))))
			}
			if library == "rueidis" {
				want = strings.TrimPrefix(want, "ERR ") // which it takes off
			}
			got := ""
			if err := do(v.command); err != nil && !errors.Is(err, redis.Nil) {
				got = err.Error()
			}
			if got != want {
				t.Errorf("%s: %q: %q, want %q", library, v.command, got, want)
			}
		}
	}
	// A password that is wrong, and a user who is switched off.
	for _, c := range []struct{ password, rule string }{{"wrong", "on"}, {"secret", "off"}} {
		if v, err := srv.Do("ACL", "SETUSER", "worker", c.rule); err != nil || v.IsError() {
			t.Fatal(v, err)
		}
		const want = "WRONGPASS invalid username-password pair or user is disabled."
		err := client(t, srv, func(o *redis.Options) { o.Username, o.Password = "worker", c.password }).Ping(ctx).Err()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("go-redis, %s, %s: %v", c.password, c.rule, err)
		}
		if _, err := rueidis.NewClient(rueidis.ClientOption{
			InitAddress: []string{srv.Addrs()[0].String()}, ForceSingleClient: true, Username: "worker", Password: c.password,
		}); err == nil || err.Error() != want {
			t.Errorf("rueidis, %s, %s: %v", c.password, c.rule, err)
		}
		if _, err := redigo.Dial("tcp", srv.Addrs()[0].String(), redigo.DialUsername("worker"), redigo.DialPassword(c.password)); err == nil || err.Error() != want {
			t.Errorf("redigo, %s, %s: %v", c.password, c.rule, err)
		}
	}
}

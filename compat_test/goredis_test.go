package compat_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// infoField is one value of INFO's text.
func infoField(info, name string) string {
	for line := range strings.Lines(info) {
		if v, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// eachClient runs a test with go-redis on RESP2 and RESP3, in memory and over
// TCP.
func eachClient(t *testing.T, test func(t *testing.T, rdb *redis.Client)) {
	t.Parallel()
	for _, proto := range []int{2, 3} {
		for _, over := range []string{"memory", "tcp"} {
			t.Run(fmt.Sprintf("RESP%d over %s", proto, over), func(t *testing.T) {
				t.Parallel()
				srv := start(t)
				if over == "tcp" {
					srv = start(t, listening)
				}
				test(t, client(t, srv, func(o *redis.Options) { o.Protocol, o.ContextTimeoutEnabled = proto, true }))
			})
		}
	}
}

func TestGoRedisStringsAndKeys(t *testing.T) {
	eachClient(t, func(t *testing.T, rdb *redis.Client) {
		ctx := context.Background()
		check := func(what string, got, want any, err error) {
			t.Helper()
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: got %v (%v), want %v", what, got, err, want)
			}
		}
		pong, err := rdb.Ping(ctx).Result()
		check("PING", pong, "PONG", err)
		check("SET", rdb.Set(ctx, "k", "v", time.Minute).Val(), "OK", nil)
		ttl, err := rdb.TTL(ctx, "k").Result()
		check("TTL", ttl, time.Minute, err)
		old, err := rdb.SetArgs(ctx, "k", "w", redis.SetArgs{Get: true, KeepTTL: true}).Result()
		check("SET GET KEEPTTL", old, "v", err)
		got, err := rdb.GetDel(ctx, "k").Result()
		check("GETDEL", got, "w", err)
		_, err = rdb.Get(ctx, "k").Result()
		check("GET of a missing key", errors.Is(err, redis.Nil), true, nil)
		check("MSET", rdb.MSet(ctx, "a", 1, "b", 2).Val(), "OK", nil)
		many, err := rdb.MGet(ctx, "a", "none", "b").Result()
		check("MGET", many, []any{"1", nil, "2"}, err)
		n, err := rdb.IncrBy(ctx, "a", 41).Result()
		check("INCRBY", n, 42, err)
		f, err := rdb.IncrByFloat(ctx, "f", 0.1).Result()
		check("INCRBYFLOAT", f, 0.1, err)
		gone, err := rdb.Del(ctx, "a", "b", "c").Result()
		check("DEL", gone, 2, err)
		err = rdb.Incr(ctx, "f").Err()
		check("INCR of a float", err, "ERR value is not an integer or out of range", nil)
		var keys []string
		for i := range 100 {
			rdb.Set(ctx, "scan:"+strconv.Itoa(i), i, 0)
		}
		iter := rdb.Scan(ctx, 0, "scan:*", 7).Iterator()
		for iter.Next(ctx) {
			keys = append(keys, iter.Val())
		}
		check("SCAN", len(keys), 100, iter.Err())
	})
}

func TestGoRedisPipelines(t *testing.T) {
	eachClient(t, func(t *testing.T, rdb *redis.Client) {
		ctx := context.Background()
		cmds, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i := range 10_000 {
				p.Set(ctx, strconv.Itoa(i%100), i, 0)
			}
			return nil
		})
		if err != nil || len(cmds) != 10_000 {
			t.Fatalf("pipeline: %d replies, %v", len(cmds), err)
		}
		cmds, err = rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Set(ctx, "s", "text", 0)
			p.Incr(ctx, "s")
			p.Get(ctx, "s")
			return nil
		})
		if err == nil || cmds[1].Err() == nil || cmds[2].(*redis.StringCmd).Val() != "text" {
			t.Errorf("EXEC goes on after an error: %v", cmds)
		}
	})
}

func TestGoRedisWatchRetriesUntilItWins(t *testing.T) {
	eachClient(t, func(t *testing.T, rdb *redis.Client) {
		ctx := context.Background()
		increment := func() error {
			for {
				err := rdb.Watch(ctx, func(tx *redis.Tx) error {
					n, err := tx.Get(ctx, "n").Int()
					if err != nil && !errors.Is(err, redis.Nil) {
						return err
					}
					_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
						p.Set(ctx, "n", n+1, 0)
						return nil
					})
					return err
				}, "n")
				if !errors.Is(err, redis.TxFailedErr) {
					return err
				}
			}
		}
		var workers sync.WaitGroup
		for range 8 {
			workers.Go(func() {
				for range 20 {
					if err := increment(); err != nil {
						t.Error(err)
					}
				}
			})
		}
		workers.Wait()
		if got := rdb.Get(ctx, "n").Val(); got != "160" {
			t.Errorf("160 increments made %s", got)
		}
	})
}

func TestGoRedisScripts(t *testing.T) {
	eachClient(t, func(t *testing.T, rdb *redis.Client) {
		ctx := context.Background()
		script := redis.NewScript(`return {KEYS[1], ARGV[1], tonumber(ARGV[2]) + 1, redis.status_reply('FINE'), false}`)
		got, err := script.Run(ctx, rdb, []string{"k"}, "x", 41).Slice()
		if err != nil || fmt.Sprint(got) != "[k x 42 FINE <nil>]" {
			t.Errorf("Run: %v, %v", got, err)
		}
		if exists := rdb.ScriptExists(ctx, script.Hash(), strings.Repeat("0", 40)).Val(); fmt.Sprint(exists) != "[true false]" {
			t.Errorf("SCRIPT EXISTS: %v", exists)
		}
		// Run goes on when the server has forgotten the script.
		if err := rdb.ScriptFlush(ctx).Err(); err != nil {
			t.Error(err)
		}
		if err := script.EvalSha(ctx, rdb, []string{"k"}, "x", 41).Err(); !redis.HasErrorPrefix(err, "NOSCRIPT") {
			t.Errorf("EVALSHA after SCRIPT FLUSH: %v", err)
		}
		if err := script.Run(ctx, rdb, []string{"k"}, "x", 41).Err(); err != nil {
			t.Errorf("Run after SCRIPT FLUSH: %v", err)
		}
		err = rdb.Eval(ctx, `return redis.call('INCR', KEYS[1])`, []string{"s"}).Err()
		if err != nil {
			t.Error(err)
		}
		err = rdb.EvalRO(ctx, `return redis.call('INCR', KEYS[1])`, []string{"s"}).Err()
		if err == nil || !strings.HasPrefix(err.Error(), "ERR Write commands are not allowed from read-only scripts.") {
			t.Errorf("EVAL_RO: %v", err)
		}
	})
}

func TestGoRedisPubSub(t *testing.T) {
	eachClient(t, func(t *testing.T, rdb *redis.Client) {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		sub := rdb.Subscribe(ctx, "news")
		defer sub.Close()
		if _, err := sub.Receive(ctx); err != nil {
			t.Fatal(err)
		}
		if err := sub.PSubscribe(ctx, "n*"); err != nil {
			t.Fatal(err)
		}
		if _, err := sub.Receive(ctx); err != nil {
			t.Fatal(err)
		}
		if n, err := rdb.Publish(ctx, "news", "hello").Result(); n != 2 || err != nil {
			t.Errorf("PUBLISH: %d, %v", n, err)
		}
		for _, pattern := range []string{"", "n*"} {
			m, err := sub.ReceiveMessage(ctx)
			if err != nil || m.Payload != "hello" || m.Channel != "news" || m.Pattern != pattern {
				t.Errorf("message: %+v, %v", m, err)
			}
		}
	})
}

func TestGoRedisShardedPubSub(t *testing.T) {
	eachClient(t, func(t *testing.T, rdb *redis.Client) {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		sub := rdb.SSubscribe(ctx, "orders")
		defer sub.Close()
		if _, err := sub.Receive(ctx); err != nil {
			t.Fatal(err)
		}
		if n, err := rdb.Publish(ctx, "orders", "to all").Result(); n != 0 || err != nil {
			t.Errorf("PUBLISH: %d, %v", n, err)
		}
		if n, err := rdb.SPublish(ctx, "orders", "hello").Result(); n != 1 || err != nil {
			t.Errorf("SPUBLISH: %d, %v", n, err)
		}
		if m, err := sub.ReceiveMessage(ctx); err != nil || m.Payload != "hello" || m.Channel != "orders" {
			t.Errorf("message: %+v, %v", m, err)
		}
		if n, err := rdb.PubSubShardNumSub(ctx, "orders", "none").Result(); err != nil || fmt.Sprint(n) != "map[none:0 orders:1]" {
			t.Errorf("PUBSUB SHARDNUMSUB: %v, %v", n, err)
		}
		if channels, err := rdb.PubSubShardChannels(ctx, "*").Result(); err != nil || fmt.Sprint(channels) != "[orders]" {
			t.Errorf("PUBSUB SHARDCHANNELS: %v, %v", channels, err)
		}
	})
}

func TestGoRedisPoolSurvivesACancelledWait(t *testing.T) {
	eachClient(t, func(t *testing.T, rdb *redis.Client) {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
		defer cancel()
		if _, err := rdb.BLPop(ctx, 0, "nothing").Result(); err == nil {
			t.Error("BLPOP answered")
		}
		for range 50 {
			if err := rdb.Ping(context.Background()).Err(); err != nil {
				t.Fatal(err)
			}
		}
		// The client that gave up must not swallow an element.
		rdb.LPush(context.Background(), "nothing", "x")
		if v := rdb.LPop(context.Background(), "nothing").Val(); v != "x" {
			t.Errorf("LPOP: %q", v)
		}
	})
}

func TestGoRedisAuthAndName(t *testing.T) {
	t.Parallel()
	srv := start(t)
	if v, err := srv.Do("CONFIG", "SET", "requirepass", "secret"); err != nil || v.IsError() {
		t.Fatal(v, err)
	}
	ctx := context.Background()
	if err := client(t, srv).Ping(ctx).Err(); err == nil || !redis.HasErrorPrefix(err, "NOAUTH") {
		t.Errorf("without a password: %v", err)
	}
	for _, proto := range []int{2, 3} {
		rdb := client(t, srv, func(o *redis.Options) { o.Password, o.ClientName, o.DB, o.Protocol = "secret", "worker", 3, proto })
		if got := rdb.ClientGetName(ctx).Val(); got != "worker" {
			t.Errorf("CLIENT GETNAME: %q", got)
		}
		if info := rdb.ClientInfo(ctx).Val(); info == nil || info.DB != 3 || info.LibName == "" {
			t.Errorf("CLIENT INFO: %+v", info)
		}
	}
	if err := client(t, srv, func(o *redis.Options) { o.Password = "wrong" }).Ping(ctx).Err(); err == nil || !redis.HasErrorPrefix(err, "WRONGPASS") {
		t.Errorf("with a wrong password: %v", err)
	}
}

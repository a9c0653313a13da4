package compat_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"minikv/server"
)

// redigoConn is a connection of redigo to a server that listens, closed with
// the test.
func redigoConn(t *testing.T, srv *server.Server, options ...redis.DialOption) redis.Conn {
	t.Helper()
	options = append([]redis.DialOption{redis.DialReadTimeout(20 * time.Second)}, options...)
	conn, err := redis.Dial("tcp", srv.Addrs()[0].String(), options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// received is what a subscriber gets next, in words.
func received(sub redis.PubSubConn) string {
	switch m := sub.Receive().(type) {
	case redis.Subscription:
		return fmt.Sprintf("%s %s %d", m.Kind, m.Channel, m.Count)
	case redis.Message:
		return fmt.Sprintf("message %s[%s] %s", m.Channel, m.Pattern, m.Data)
	case redis.Pong:
		return "pong " + m.Data
	default:
		return fmt.Sprint(m)
	}
}

func TestRedigoPubSub(t *testing.T) {
	t.Parallel()
	srv := start(t, listening)
	sub := redis.PubSubConn{Conn: redigoConn(t, srv)}
	other := redigoConn(t, srv)
	expect := func(want string) {
		t.Helper()
		if got := received(sub); got != want {
			t.Errorf("received %q, want %q", got, want)
		}
	}
	publish := func(channel, message string, listeners int) {
		t.Helper()
		if n, err := redis.Int(other.Do("PUBLISH", channel, message)); n != listeners || err != nil {
			t.Errorf("PUBLISH %s: %d, %v", channel, n, err)
		}
	}
	sub.Subscribe("a", "b")
	sub.PSubscribe("a*")
	for _, want := range []string{"subscribe a 1", "subscribe b 2", "psubscribe a* 3"} {
		expect(want)
	}
	publish("a", "1", 2)
	expect("message a[] 1")
	expect("message a[a*] 1")
	sub.Ping("still here")
	expect("pong still here")
	sub.Unsubscribe("a")
	expect("unsubscribe a 2")
	publish("a", "2", 1)
	expect("message a[a*] 2")
	sub.PUnsubscribe()
	expect("punsubscribe a* 1")
	publish("a", "3", 0)
	sub.Unsubscribe()
	expect("unsubscribe b 0")
	// Nothing is left: the connection takes commands again.
	if pong, err := redis.String(sub.Conn.Do("PING")); pong != "PONG" || err != nil {
		t.Errorf("PING: %q, %v", pong, err)
	}
}

// TestRedigoTracksByRedirection: a RESP2 client is told of writes by a channel,
// on a second connection.
func TestRedigoTracksByRedirection(t *testing.T) {
	t.Parallel()
	srv := start(t, listening)
	sub := redis.PubSubConn{Conn: redigoConn(t, srv)}
	id, err := redis.Int64(sub.Conn.Do("CLIENT", "ID"))
	if err != nil {
		t.Fatal(err)
	}
	sub.Subscribe("__redis__:invalidate")
	if got := received(sub); got != "subscribe __redis__:invalidate 1" {
		t.Fatal(got)
	}
	reader := redigoConn(t, srv)
	if ok, err := redis.String(reader.Do("CLIENT", "TRACKING", "ON", "REDIRECT", id)); ok != "OK" || err != nil {
		t.Fatal(ok, err)
	}
	set(t, srv, "k", "a")
	if v, err := redis.String(reader.Do("GET", "k")); v != "a" || err != nil {
		t.Fatal(v, err)
	}
	set(t, srv, "k", "b")
	set(t, srv, "k", "c") // nobody has read b
	set(t, srv, "other", "d")
	if v, err := redis.String(reader.Do("GET", "k")); v != "c" || err != nil {
		t.Fatal(v, err)
	}
	set(t, srv, "k", "d")
	for range 2 {
		message, err := redis.Values(sub.Conn.Receive())
		if err != nil || fmt.Sprintf("%s", message) != "[message __redis__:invalidate [k]]" {
			t.Errorf("%s, %v", message, err)
		}
	}
}

// TestRedigoPipelinesWithErrors: Send, Flush and Receive in step, errors
// standing in their places.
func TestRedigoPipelinesWithErrors(t *testing.T) {
	t.Parallel()
	conn := redigoConn(t, start(t, listening))
	const n = 3000
	for i := range n {
		conn.Send("SET", "s", i)
		conn.Send("LPUSH", "s", "x")
		conn.Send("NOSUCH", i)
		conn.Send("GET", "s")
	}
	if err := conn.Flush(); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		for _, want := range []string{
			"OK", "WRONGTYPE Operation against a key holding the wrong kind of value",
			fmt.Sprintf("ERR unknown command 'NOSUCH', with args beginning with: '%d' ", i), fmt.Sprint(i),
		} {
			got, err := redis.String(conn.Receive())
			if failure := redis.Error(""); errors.As(err, &failure) {
				got = string(failure)
			} else if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Fatalf("round %d: %q, want %q", i, got, want)
			}
		}
	}
}

func TestRedigoTransactions(t *testing.T) {
	t.Parallel()
	srv := start(t, listening)
	conn := redigoConn(t, srv)
	set(t, srv, "k", "1")
	for _, interfere := range []bool{true, false} {
		conn.Send("WATCH", "k")
		if _, err := conn.Do(""); err != nil {
			t.Fatal(err)
		}
		if interfere {
			set(t, srv, "k", "2")
		}
		conn.Send("MULTI")
		conn.Send("INCR", "k")
		conn.Send("LPUSH", "k", "x")
		conn.Send("GET", "k")
		replies, err := redis.Values(conn.Do("EXEC"))
		if interfere {
			if !errors.Is(err, redis.ErrNil) {
				t.Errorf("EXEC after another's write: %v, %v", replies, err)
			}
			continue
		}
		want := "[3 WRONGTYPE Operation against a key holding the wrong kind of value 3]"
		if got := fmt.Sprintf("%v", text(replies)); err != nil || got != want {
			t.Errorf("EXEC: %s, %v, want %s", got, err, want)
		}
	}
	// A command that is refused while queued spoils the lot.
	conn.Send("MULTI")
	conn.Send("INCR")
	conn.Send("EXEC")
	conn.Flush()
	for _, want := range []string{"<nil>", "ERR wrong number of arguments for 'incr' command", "EXECABORT Transaction discarded because of previous errors."} {
		if _, err := conn.Receive(); fmt.Sprint(err) != want {
			t.Errorf("in a transaction with a refused command: %v, want %s", err, want)
		}
	}
}

// text turns bytes into strings.
func text(values []any) []any {
	for i, v := range values {
		if b, ok := v.([]byte); ok {
			values[i] = string(b)
		}
	}
	return values
}

func TestRedigoBlocks(t *testing.T) {
	t.Parallel()
	srv := start(t, listening)
	waiting, conn := redigoConn(t, srv), redigoConn(t, srv)
	got := make(chan string, 1)
	go func() {
		pair, err := redis.Strings(waiting.Do("BLPOP", "a", "b", 0))
		got <- fmt.Sprint(pair, err)
	}()
	awaitBlocked(t, srv)
	if n, err := redis.Int(conn.Do("RPUSH", "b", "x", "y")); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	if pair := <-got; pair != "[b x] <nil>" {
		t.Errorf("BLPOP: %s", pair)
	}
	if pair, err := redis.Strings(conn.Do("BLPOP", "none", "0.01")); !errors.Is(err, redis.ErrNil) {
		t.Errorf("BLPOP in vain: %v, %v", pair, err)
	}
	// Reading gives up before the server does: the connection is done for, and
	// the client that has gone takes no element.
	if _, err := redis.DoWithTimeout(conn, 30*time.Millisecond, "BLPOP", "a", 0); err == nil {
		t.Error("BLPOP answered")
	}
	conn.Close()
	other := redigoConn(t, srv)
	for start := time.Now(); ; {
		info, err := redis.String(other.Do("INFO", "clients"))
		if err != nil {
			t.Fatal(err)
		}
		if infoField(info, "blocked_clients") == "0" {
			break
		}
		if time.Since(start) > 20*time.Second {
			t.Fatal("the client that has gone is still blocked")
		}
	}
	if n, err := redis.Int(other.Do("RPUSH", "a", "z")); n != 1 || err != nil {
		t.Errorf("RPUSH: %d, %v", n, err)
	}
	if n, err := redis.Int(other.Do("LLEN", "a")); n != 1 || err != nil {
		t.Errorf("LLEN: %d, %v", n, err)
	}
}

// TestRedigoScripts: Script.Do falls back to EVAL when the server does not know
// the script, and SendHash fails then.
func TestRedigoScripts(t *testing.T) {
	t.Parallel()
	srv := start(t, listening)
	conn := redigoConn(t, srv)
	script := redis.NewScript(1, `return {KEYS[1], ARGV[1], redis.call('INCR', KEYS[1])}`)
	if err := script.SendHash(conn, "n", "a"); err != nil {
		t.Fatal(err)
	}
	conn.Flush()
	if _, err := conn.Receive(); err == nil || err.Error() != "NOSCRIPT No matching script. Please use EVAL." {
		t.Errorf("EVALSHA of an unknown script: %v", err)
	}
	for i := range 3 {
		values, err := redis.Values(script.Do(conn, "n", "a"))
		if got := fmt.Sprint(text(values)); err != nil || got != fmt.Sprintf("[n a %d]", i+1) {
			t.Errorf("run %d: %s, %v", i, got, err)
		}
		if i == 1 {
			if _, err := conn.Do("SCRIPT", "FLUSH"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := script.Load(conn); err != nil {
		t.Error(err)
	}
}

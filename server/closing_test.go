package server

import (
	"strings"
	"testing"
	"time"

	"minikv/engine"
	"minikv/resp"
)

// Close does not wait for the end of what runs.
func TestCloseStopsScriptsAndSleeps(t *testing.T) {
	eachTransport(t, func(t *testing.T, transport string) {
		for _, command := range [][]string{
			{"EVAL", "redis.call('SET','k','v') while true do pcall(redis.call, 'PING') end", "0"},
			{"DEBUG", "SLEEP", "3600"},
		} {
			s := newServer(t, transport, "busy-reply-threshold", "0")
			c, other := s.testClient(t, transport), s.testClient(t, transport)
			other.send("PING")
			other.expect("+PONG\r\n")
			c.write(resp.AppendCommandStrings(nil, command...))
			// It runs once others are not answered any more, for lack of a
			// better sign.
			for {
				other.send("PING")
				other.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
				if _, err := other.in.ReadString('\n'); err != nil {
					break
				}
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestClientKill(t *testing.T) {
	eachTransport(t, func(t *testing.T, transport string) {
		s := newServer(t, transport)
		a, b := s.testClient(t, transport), s.testClient(t, transport)
		a.send("CLIENT ID")
		line, _ := a.in.ReadString('\n')
		id := strings.Trim(line, ":\r\n")
		a.send("BLPOP l 0")
		b.send("CLIENT KILL ID " + id)
		b.expect(":1\r\n")
		a.expectEnd()
		b.send("CLIENT ID")
		line, _ = b.in.ReadString('\n')
		b.send("CLIENT KILL ID "+strings.Trim(line, ":\r\n")+" SKIPME no", "PING")
		b.expect(":1\r\n")
		b.expectEnd()
		s.await(t, func(e *engine.Engine) bool { return e.Clients() == 0 })
	})
}

func TestIdleTimeout(t *testing.T) {
	eachTransport(t, func(t *testing.T, transport string) {
		s := newServer(t, transport, "timeout", "1")
		idle, blocked, sub := s.testClient(t, transport), s.testClient(t, transport), s.testClient(t, transport)
		blocked.send("BLPOP l 0")
		sub.send("SUBSCRIBE news")
		sub.expect("*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n")
		idle.expectEnd()
		for _, command := range []string{"RPUSH l x", "PUBLISH news x"} {
			if v, err := s.Do(strings.Fields(command)...); err != nil || v.Int != 1 {
				t.Errorf("%s: %v, %v", command, v, err)
			}
		}
		blocked.expect("*2\r\n$1\r\nl\r\n$1\r\nx\r\n")
		sub.expect("*3\r\n$7\r\nmessage\r\n")
	})
}

// A subscriber that does not read is cut when its output is over the limit.
func TestOutputLimit(t *testing.T) {
	eachTransport(t, func(t *testing.T, transport string) {
		s := newServer(t, transport, "client-output-buffer-limit", "pubsub 4mb 0 0")
		deaf, pub := s.testClient(t, transport), s.testClient(t, transport)
		deaf.send("SUBSCRIBE news")
		deaf.expect("*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n")
		message := resp.AppendCommandStrings(nil, "PUBLISH", "news", strings.Repeat("m", 1<<20))
		for i := 0; ; i++ {
			pub.write(message)
			if line, err := pub.in.ReadString('\n'); err != nil {
				t.Fatal(err)
			} else if line == ":0\r\n" {
				break
			}
			if i > 100 {
				t.Fatal("the subscriber is still there")
			}
		}
	})
}

// CLIENT PAUSE holds commands back, in their order.
func TestClientPause(t *testing.T) {
	eachTransport(t, func(t *testing.T, transport string) {
		s := newServer(t, transport)
		a, b := s.testClient(t, transport), s.testClient(t, transport)
		a.send("CLIENT PAUSE 100000 WRITE")
		a.expect("+OK\r\n")
		b.send("GET k", "SET k v", "GET k")
		b.expect("$-1\r\n")
		b.send("GET k")
		a.send("GET k")
		a.expect("$-1\r\n")
		a.send("CLIENT UNPAUSE")
		a.expect("+OK\r\n")
		b.expect("+OK\r\n$1\r\nv\r\n$1\r\nv\r\n")
	})
}

// What waits behind a blocking command is bounded, and a single command, too.
func TestQueryBufferLimit(t *testing.T) {
	eachTransport(t, func(t *testing.T, transport string) {
		s := newServer(t, transport, "client-query-buffer-limit", "1mb")
		c := s.testClient(t, transport)
		c.send("BLPOP l 0")
		echo := resp.AppendCommandStrings(nil, "ECHO", strings.Repeat("x", 1000))
		var err error
		for range 20_000 {
			if _, err = c.Write(echo); err != nil {
				break
			}
		}
		if err == nil {
			c.expectEnd()
		}
		c = s.testClient(t, transport)
		c.Write(resp.AppendCommandStrings(nil, "ECHO", strings.Repeat("x", 8<<20)))
		c.expectEnd()
		s.await(t, func(e *engine.Engine) bool { return e.Clients() == 0 })
	})
}

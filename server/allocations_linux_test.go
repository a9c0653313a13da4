package server

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"minikv/resp"
)

// TestEventLoopAllocations: a pipeline of a hot command passes the event loop,
// from the socket and back to it, without an allocation.
func TestEventLoopAllocations(t *testing.T) {
	const depth = 100
	for _, test := range []struct{ setup, command, reply string }{
		{"SET k v", "PING", "+PONG\r\n"},
		{"SET k v", "SET k v", "+OK\r\n"},
		{"SET k v", "SET k v NX EX 100", "$-1\r\n"},
		{"SET k v", "GET k", "$1\r\nv\r\n"},
		{"SET n 10000000", "INCRBY n 1", ":10000001\r\n"},
		{"SET k v EX 10", "EXPIRE k 100", ":1\r\n"},
		{"HSET h f v", "HSET h f w", ":0\r\n"},
		{"HSET h f v", "HGET h f", "$1\r\nv\r\n"},
		{"SADD s a b", "SADD s a", ":0\r\n"},
		{"ZADD z 1 a", "ZADD z 2 a", ":0\r\n"},
		{"SET k v", "PUBLISH channel message", ":0\r\n"},
	} {
		t.Run(test.command, func(t *testing.T) {
			s := newServer(t, "event-loop")
			c := s.testClient(t, "event-loop")
			c.send(test.setup)
			if _, err := c.in.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			one := resp.AppendCommandStrings(nil, strings.Fields(test.command)...)
			replies := make([]byte, depth*len(test.reply))
			pipeline := bytes.Repeat(one, depth)
			got := testing.AllocsPerRun(50, func() {
				c.write(pipeline)
				if _, err := io.ReadFull(c.in, replies); err != nil {
					t.Fatal(err)
				}
			})
			if last := string(replies[len(replies)-len(test.reply):]); last[0] != test.reply[0] {
				t.Fatalf("%q, want %q", last, test.reply)
			}
			// The loop's own turns may allocate now and then, commands never.
			if got >= depth/10 {
				t.Errorf("%v allocations for %d commands", got, depth)
			}
		})
	}
}

package engine_test

import (
	"strings"
	"testing"

	"minikv/engine"
)

// TestAllocations pins what the hot paths allocate that lead through more than
// one command or client; those of single kinds of values stand beside their
// tests. What one command brings the last takes away, so that the keyspace is
// the same after each round.
func TestAllocations(t *testing.T) {
	const release = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end"
	for _, test := range []struct {
		setup, commands string // commands are parted by semicolons
		most            float64
	}{
		{"SET k v", "PING", 0},
		{"SET k v", "EXISTS k", 0},
		{"SET k v", "EXPIRE none 100", 0},
		{"SET k v EX 100", "EXPIRE k 100", 0},
		{"SET k v EX 100", "PEXPIRE k 100000 GT", 0},
		{"SET k v EX 100", "TTL k", 0},
		{"SET k v", "EXPIRE k 100; PERSIST k", 1}, // the deadline
		{"SET k v", "SET n 5; DEL n", 2},          // entry and name
		{"SET k v", "SET n abc; DEL n", 3},        // and text
		{"SET k v", "SETEX n 100 abc; DEL n", 4},  // and deadline
		{"SET k v", "SET lock token NX EX 100; DEL lock", 4},
		{"SET k v", "SET lock token NX EX 100; EVALSHA @release 1 lock token", 4},
		{"SET k v", "INCR n; DEL n", 2},
		{"SET k v", "PUBLISH channel message", 0},
		{"RPUSH l a", "LPUSH l b; BRPOP l 0", 0},
		{"ZADD z 1 a", "ZADD z 2 b; ZPOPMAX z", 0},
		{"SET k v", "MULTI; INCR n; EXEC; DEL n", 5}, // entry, name, what was queued and the queue
		{"SET k v", "MGET k k", 0},
		{"SET k v", "SET k w GET", 0},
		{"SET k v", "XADD x MAXLEN ~ 10 * f v", 0},
	} {
		t.Run(test.commands, func(t *testing.T) {
			c := newCaller(test.setup)
			var sha strings.Builder
			c.e.Do(c.cl, virtualStart, [][]byte{[]byte("SCRIPT"), []byte("LOAD"), []byte(release)})
			for _, chunk := range c.cl.Output(nil) {
				sha.Write(chunk)
			}
			var argvs [][][]byte
			for command := range strings.SplitSeq(test.commands, ";") {
				argvs = append(argvs, words(strings.ReplaceAll(command, "@release", strings.Fields(sha.String())[1])))
			}
			round := func() {
				for _, argv := range argvs {
					c.do(argv)
				}
			}
			if got := testing.AllocsPerRun(200, round); got > test.most {
				t.Errorf("after %s: %v allocations, want %v", test.setup, got, test.most)
			}
		})
	}
}

// TestPublishAllocations: a message costs nothing however many hear it, by
// channel and by pattern.
func TestPublishAllocations(t *testing.T) {
	c := newCaller()
	var listeners []*engine.Client
	for _, subscribe := range []string{"SUBSCRIBE channel", "SUBSCRIBE channel other", "PSUBSCRIBE ch*"} {
		cl := c.e.Connect(virtualStart, engine.ConnInfo{})
		c.e.Do(cl, virtualStart, words(subscribe))
		listeners = append(listeners, cl)
	}
	argv := words("PUBLISH channel message")
	got := testing.AllocsPerRun(200, func() {
		c.do(argv)
		if len(c.e.Ready()) != len(listeners) {
			t.Fatal("not everybody has something to read")
		}
		for _, cl := range listeners {
			c.chunks = cl.Output(c.chunks[:0])
			for _, chunk := range c.chunks {
				cl.Recycle(chunk)
			}
		}
	})
	if got > 0 {
		t.Errorf("%v allocations", got)
	}
}

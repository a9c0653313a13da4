package server

import (
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"minikv/engine"
	"minikv/resp"
)

// countingSleeper counts how often the loop looks for events.
type countingSleeper struct {
	sleeper
	waits atomic.Int64
}

func (c *countingSleeper) wait(d time.Duration) bool {
	c.waits.Add(1)
	return c.sleeper.wait(d)
}

// TestLoopRests: whatever state connections are in, a loop with nothing to do
// does nothing.
func TestLoopRests(t *testing.T) {
	eachTransport(t, func(t *testing.T, transport string) {
		s := newServer(t, transport)
		clients := make([]*client, 6)
		for i := range clients {
			clients[i] = s.testClient(t, transport)
		}
		blocked, deaf, half, paused, quitting := clients[0], clients[1], clients[2], clients[3], clients[4]
		clients[5].write(resp.AppendCommandStrings(nil, "SET", "k", strings.Repeat("v", 8<<20)))
		clients[5].expect("+OK\r\n")
		blocked.send("BLPOP l 0", "PING", "PING")
		deaf.send("GET k", "GET k", "GET k", "PING") // reads none of it
		quitting.send("GET k", "GET k", "QUIT", "PING")
		half.write([]byte("*3\r\n$3\r\nSET\r\n"))
		clients[5].send("CLIENT PAUSE 3600000 WRITE")
		clients[5].expect("+OK\r\n")
		paused.send("SET k v", "PING")
		if tcp, ok := clients[5].Conn.(*net.TCPConn); ok {
			tcp.CloseWrite()
		}
		counter := new(countingSleeper)
		if err := s.Run(func(*engine.Engine, int64) {
			counter.sleeper = s.loop.sleep
			s.loop.sleep = counter
		}); err != nil {
			t.Fatal(err)
		}
		// A spinning loop waits a million times a second, one that rests a few
		// times for its own periodic work.
		const long = 300 * time.Millisecond
		time.Sleep(long)
		before := counter.waits.Load()
		time.Sleep(long)
		if n := counter.waits.Load() - before; n > 60 {
			t.Errorf("a loop with nothing to do looked for events %d times in %v", n, long)
		}
	})
}

// openDescriptors counts those of this process, or answers -1.
func openDescriptors() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return -1
	}
	return len(list)
}

// Not parallel: it counts all descriptors there are.
func TestDescriptorsAreClosed(t *testing.T) {
	before := openDescriptors()
	for _, transport := range transports {
		s := newServer(t, transport)
		for range 50 {
			a, b := s.testClient(t, transport), s.testClient(t, transport)
			a.send("PING", "QUIT")
			a.expect("+PONG\r\n+OK\r\n")
			a.expectEnd()
			a.Close()
			b.send("BLPOP l 0")
			b.Close()
		}
		s.await(t, func(e *engine.Engine) bool { return e.Clients() == 0 })
		s.Close()
	}
	if after := openDescriptors(); after > before+2 { // Go's own poller has some
		t.Errorf("%d descriptors were open, now %d", before, after)
	}
}

// awaitInfo polls INFO until it says something.
func (s *Server) awaitInfo(t *testing.T, section, line string) {
	t.Helper()
	for start := time.Now(); time.Since(start) < patience; time.Sleep(time.Millisecond) {
		v, err := s.Do("INFO", section)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(v.Str, line+"\r\n") {
			return
		}
	}
	t.Fatalf("INFO %s does not say %s", section, line)
}

// handClock is a clock that a test moves.
type handClock struct{ now atomic.Int64 }

func (c *handClock) Now() int64                { return c.now.Load() }
func (c *handClock) Until(int64) time.Duration { return -1 }

func TestClockMovedByHand(t *testing.T) {
	t.Parallel()
	clock := new(handClock)
	const start = 1_700_000_000_000_000
	clock.now.Store(start)
	s, err := Start(Options{NoNetwork: true, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := s.testClient(t, "memory")
	c.send("SET k v PX 1500", "PTTL k", "TIME", "BLPOP l 3600", "DBSIZE")
	c.expect("+OK\r\n:1500\r\n*2\r\n$10\r\n1700000000\r\n$1\r\n0\r\n")
	s.awaitInfo(t, "clients", "blocked_clients:1")
	clock.now.Add(3600_000_000 - 1000)
	if err := s.Wake(); err != nil {
		t.Fatal(err)
	}
	if err := s.Run(func(_ *engine.Engine, now int64) {
		if now != start+3600_000_000-1000 {
			t.Errorf("the time is %d", now)
		}
	}); err != nil {
		t.Fatal(err)
	}
	s.awaitInfo(t, "clients", "blocked_clients:1")
	clock.now.Add(1000)
	if err := s.Wake(); err != nil {
		t.Fatal(err)
	}
	c.expect("*-1\r\n:0\r\n")
}

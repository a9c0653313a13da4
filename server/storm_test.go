package server

import (
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"minikv/engine"
	"minikv/resp"
)

// passers are what clients of a storm send before they go without waiting.
var passers = []string{
	"MONITOR\r\n",
	"SUBSCRIBE news\r\n",
	strings.Repeat("HELLO 3\r\nPSUBSCRIBE *\r\nPUBLISH news x\r\n", 10),
	"PUBLISH news " + strings.Repeat("z", 1000) + "\r\n",
	"BLPOP l 0\r\n",
	"LPUSH l x\r\n",
	"XREAD BLOCK 0 STREAMS s $\r\nPING\r\n",
	"MULTI\r\nWATCH k\r\nSET k v\r\n",
	"*3\r\n$3\r\nSET\r\n$1\r\n",
	"",
}

// dial connects without a test's client around the connection.
func (s *Server) dial(transport string) (net.Conn, error) {
	if transport == "memory" {
		return s.DialMemory()
	}
	return net.Dial("tcp", s.Addrs()[0].String())
}

// pass connects, says something and is gone, in one of several ways.
func (s *Server) pass(transport string, r *rand.Rand) error {
	conn, err := s.dial(transport)
	if err != nil {
		return err
	}
	conn.SetDeadline(time.Now().Add(patience))
	conn.Write([]byte(passers[r.IntN(len(passers))]))
	if tcp, ok := conn.(*net.TCPConn); ok {
		switch r.IntN(3) {
		case 0:
			tcp.SetLinger(0) // RST
		case 1:
			tcp.CloseWrite()
		}
	}
	return conn.Close()
}

// A server that many connect to and leave at once answers those who stay, and
// nothing is left of the others when they are gone.
func TestConnectionStorm(t *testing.T) {
	const storms, rounds = 8, 150
	eachTransport(t, func(t *testing.T, transport string) {
		s := newServer(t, transport)
		staying := s.testClient(t, transport)
		var left sync.WaitGroup
		for i := range storms {
			left.Go(func() {
				r := rand.New(rand.NewPCG(1, uint64(i)))
				for range rounds {
					if err := s.pass(transport, r); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		over := make(chan struct{})
		go func() { left.Wait(); close(over) }()
		for n, storm := 0, true; storm; n++ {
			select {
			case <-over:
				storm = false
			default:
			}
			ping := fmt.Sprintf("ping-%d", n)
			staying.send("ECHO " + ping)
			staying.expect(fmt.Sprintf("$%d\r\n%s\r\n", len(ping), ping))
		}
		s.await(t, func(e *engine.Engine) bool {
			return e.Clients() == 1 && s.loop.rules.clients.Load() == 1 && len(s.loop.gate.places) == 0
		})
	})
}

// A server that is busy lets no more in than the gate holds; the others wait
// outside and are let in later.
func TestAcceptingWaitsForTheLoop(t *testing.T) {
	eachTransport(t, func(t *testing.T, transport string) {
		s := newServer(t, transport)
		hold, held := make(chan struct{}), make(chan struct{})
		free := sync.OnceFunc(func() { close(hold) })
		t.Cleanup(free)
		go s.Run(func(*engine.Engine, int64) { close(held); <-hold })
		<-held
		var dialed sync.WaitGroup
		conns := make(chan net.Conn, 3*gateSize)
		for range 3 * gateSize {
			dialed.Go(func() {
				conn, err := s.dial(transport)
				if err != nil {
					t.Error(err)
					return
				}
				conns <- conn
			})
		}
		for start := time.Now(); len(s.loop.gate.places) < gateSize; runtime.Gosched() {
			if time.Since(start) > patience {
				t.Fatal("the gate does not fill")
			}
		}
		if n := s.loop.rules.clients.Load(); n > gateSize {
			t.Errorf("%d clients let in, want at most %d", n, gateSize)
		}
		free()
		dialed.Wait()
		s.await(t, func(e *engine.Engine) bool { return e.Clients() == 3*gateSize })
		close(conns)
		for conn := range conns {
			conn.Close()
		}
		s.await(t, func(e *engine.Engine) bool { return e.Clients() == 0 })
	})
}

// A turn takes what has come by its beginning, not what comes of it.
func TestInboxGivesTurns(t *testing.T) {
	t.Parallel()
	var b inbox
	ran := 0
	var again func()
	again = func() {
		ran++
		b.call(again)
	}
	b.call(again)
	for turn := 1; turn <= 3; turn++ {
		if !b.take() || ran != turn {
			t.Fatalf("ran %d times in %d turns", ran, turn)
		}
	}
}

// Commands of every size come through, however they lie in what is read.
func TestRequestSizes(t *testing.T) {
	eachTransport(t, func(t *testing.T, transport string) {
		s := newServer(t, transport)
		c := s.testClient(t, transport)
		var pipeline []byte
		sizes := []int{1, 4 << 10, 16<<10 - 60, 16<<10 - 30, 16<<10 - 1, 16 << 10, 16<<10 + 1, 40 << 10, 64<<10 - 40, 64<<10 - 1, 64 << 10, 100 << 10}
		for _, size := range sizes {
			echo := resp.AppendCommandStrings(nil, "ECHO", strings.Repeat("e", size))
			c.write(echo)
			c.expect(fmt.Sprintf("$%d\r\n%s\r\n", size, strings.Repeat("e", size)))
			pipeline = append(append(pipeline, echo...), "PING\r\n"...)
		}
		go c.Write(pipeline)
		for _, size := range sizes {
			c.expect(fmt.Sprintf("$%d\r\n%s\r\n+PONG\r\n", size, strings.Repeat("e", size)))
		}
		// The peer is gone in the midst of one.
		c.Write(pipeline[:20<<10])
		c.Close()
		s.await(t, func(e *engine.Engine) bool { return e.Clients() == 0 })
	})
}

package server

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"minikv/engine"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"minikv/engine/config"
	"minikv/resp"
)

// patience is how long a test waits for what should come at once.
const patience = 20 * time.Second

// transports are the ways to reach a server, each with its own code.
var transports = []string{"event-loop", "redcon", "memory"}

// newServer starts a server for a test, reached through the given transport.
func newServer(t testing.TB, transport string, directives ...string) *Server {
	t.Helper()
	opt := Options{Config: config.New(), Addr: "127.0.0.1:0"}
	opt.Config.IOBackend = config.IORedcon
	opt.Config.EnableDebugCommand = config.LocalOnly
	if transport == "event-loop" {
		opt.Config.IOBackend = config.IOEventLoop
	}
	for i := 0; i < len(directives); i += 2 {
		if _, err := opt.Config.Set([][2]string{{directives[i], directives[i+1]}}, true); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Start(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// client is a connection of a test.
type client struct {
	net.Conn
	t  testing.TB
	in *bufio.Reader
	rd *resp.Reader
}

func (s *Server) testClient(t testing.TB, transport string) *client {
	t.Helper()
	var conn net.Conn
	var err error
	if transport == "memory" {
		conn, err = s.DialMemory()
	} else {
		conn, err = net.Dial("tcp", s.Addrs()[0].String())
	}
	if err != nil {
		t.Fatal(err)
	}
	conn.SetDeadline(time.Now().Add(patience))
	t.Cleanup(func() { conn.Close() })
	in := bufio.NewReader(conn)
	return &client{Conn: conn, t: t, in: in, rd: resp.NewReader(in)}
}

// send sends a command, or several, one a line.
func (c *client) send(commands ...string) {
	c.t.Helper()
	var b []byte
	for _, command := range commands {
		b = resp.AppendCommandStrings(b, strings.Fields(command)...)
	}
	c.write(b)
}

func (c *client) write(b []byte) {
	c.t.Helper()
	if _, err := c.Write(b); err != nil {
		c.t.Fatalf("writing %.40q: %v", b, err)
	}
}

// expect reads these very bytes.
func (c *client) expect(want string) {
	c.t.Helper()
	got := make([]byte, len(want))
	n, err := io.ReadFull(c.in, got)
	if string(got[:n]) != want {
		c.t.Fatalf("read %.200q (%v), want %.200q", got[:n], err, want)
	}
}

// expectEnd wants the server to have closed the connection.
func (c *client) expectEnd() {
	c.t.Helper()
	if rest, err := io.ReadAll(c.in); len(rest) > 0 || err != nil && !strings.Contains(err.Error(), "reset") {
		c.t.Fatalf("read %.80q, %v; want the end", rest, err)
	}
}

// eachTransport runs a test on every transport.
func eachTransport(t *testing.T, test func(t *testing.T, transport string)) {
	t.Parallel()
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			test(t, transport)
		})
	}
}

func TestPipeline(t *testing.T) {
	eachTransport(t, func(t *testing.T, transport string) {
		s := newServer(t, transport)
		c := s.testClient(t, transport)
		const n = 30_000
		go func() {
			var b []byte
			for i := range n {
				b = resp.AppendCommandStrings(b, "SET", fmt.Sprint("key:", i%100), fmt.Sprint(i))
				b = resp.AppendCommandStrings(b, "GET", fmt.Sprint("key:", i%100))
			}
			c.Write(b)
		}()
		for i := range n {
			v := fmt.Sprint(i)
			c.expect(fmt.Sprintf("+OK\r\n$%d\r\n%s\r\n", len(v), v))
		}
	})
}

func TestHugeValue(t *testing.T) {
	eachTransport(t, func(t *testing.T, transport string) {
		s := newServer(t, transport)
		c := s.testClient(t, transport)
		value := bytes.Repeat([]byte("0123456789abcdef"), 64<<20/16)
		go func() {
			c.Write(resp.AppendCommand(nil, []byte("SET"), []byte("k"), value))
			c.Write(resp.AppendCommandStrings(nil, "GET", "k"))
		}()
		c.expect("+OK\r\n")
		c.expect(fmt.Sprintf("$%d\r\n", len(value)))
		got := make([]byte, len(value)+2)
		if _, err := io.ReadFull(c.in, got); err != nil || !bytes.Equal(got[:len(value)], value) {
			t.Fatalf("the value did not come back: %v", err)
		}
	})
}

func TestPushToIdleConnection(t *testing.T) {
	eachTransport(t, func(t *testing.T, transport string) {
		s := newServer(t, transport)
		sub, pub := s.testClient(t, transport), s.testClient(t, transport)
		sub.send("SUBSCRIBE news")
		sub.expect("*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n")
		for i := range 1000 {
			m := fmt.Sprintf("m%03d", i)
			pub.send("PUBLISH news " + m)
			pub.expect(":1\r\n")
			sub.expect("*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$4\r\n" + m + "\r\n")
		}
		sub.send("PING")
		sub.in.Peek(1)
	})
}

func TestBlockedClient(t *testing.T) {
	eachTransport(t, func(t *testing.T, transport string) {
		s := newServer(t, transport)
		a, b := s.testClient(t, transport), s.testClient(t, transport)
		// What stands behind the blocking command is answered after it.
		a.send("PING", "BLPOP l 0", "GET none", "BLPOP l 0", "PING")
		a.expect("+PONG\r\n")
		a.send("ECHO x")
		b.send("RPUSH l one")
		b.expect(":1\r\n")
		a.expect("*2\r\n$1\r\nl\r\n$3\r\none\r\n$-1\r\n")
		b.send("RPUSH l two")
		b.expect(":1\r\n")
		a.expect("*2\r\n$1\r\nl\r\n$3\r\ntwo\r\n+PONG\r\n$1\r\nx\r\n")
		a.send("BLPOP l 0.01", "PING")
		a.expect("*-1\r\n+PONG\r\n")
	})
}

func TestBlockedClientDisconnects(t *testing.T) {
	eachTransport(t, func(t *testing.T, transport string) {
		s := newServer(t, transport)
		for range 3 {
			gone := s.testClient(t, transport)
			gone.send("PING", "BLPOP l 0", "PING")
			gone.expect("+PONG\r\n")
			gone.Close()
		}
		// They are noticed without anybody asking, and get nothing.
		s.await(t, func(e *engine.Engine) bool { return e.Clients() == 0 })
		c := s.testClient(t, transport)
		c.send("RPUSH l one", "LLEN l")
		c.expect(":1\r\n:1\r\n")
	})
}

// await polls a condition of the engine.
func (s *Server) await(t *testing.T, holds func(e *engine.Engine) bool) {
	t.Helper()
	for start := time.Now(); time.Since(start) < patience; time.Sleep(time.Millisecond) {
		ok := false
		if err := s.Run(func(e *engine.Engine, _ int64) { ok = holds(e) }); err != nil {
			t.Fatal(err)
		}
		if ok {
			return
		}
	}
	t.Fatal("it does not come about")
}

func TestProtocolError(t *testing.T) {
	eachTransport(t, func(t *testing.T, transport string) {
		s := newServer(t, transport)
		for _, test := range []struct{ send, want string }{
			{"*1\r\n$9223372036854775807\r\n", "invalid bulk length"},
			{"*2147483648\r\n", "invalid multibulk length"},
			{"*1\r\nx\r\n", "expected '$', got 'x'"},
			{"ECHO \"a\r\n", "unbalanced quotes in request"},
			{strings.Repeat("x", maxLine+1), "too big inline request"},
		} {
			// The commands before it run, those behind it do not.
			c := s.testClient(t, transport)
			c.write([]byte("PING\r\n*1\r\n$4\r\nPING\r\n*0\r\n\r\n" + test.send))
			c.expect("+PONG\r\n+PONG\r\n-ERR Protocol error: " + test.want + "\r\n")
			c.expectEnd()
		}
		// Behind a blocking command the error waits its turn.
		c := s.testClient(t, transport)
		c.write([]byte("BLPOP l 0\r\nPING\r\n*x\r\n"))
		c2 := s.testClient(t, transport)
		s.await(t, func(e *engine.Engine) bool { return e.Clients() == 2 })
		c2.send("RPUSH l a")
		c.expect("*2\r\n$1\r\nl\r\n$1\r\na\r\n+PONG\r\n-ERR Protocol error: invalid multibulk length\r\n")
		c.expectEnd()
	})
}

func TestUnauthenticatedLimits(t *testing.T) {
	eachTransport(t, func(t *testing.T, transport string) {
		s := newServer(t, transport, "requirepass", "pw")
		long := strings.Repeat("x", 20_000)
		c := s.testClient(t, transport)
		c.write(resp.AppendCommandStrings(nil, "ECHO", long))
		c.expect("-ERR Protocol error: unauthenticated bulk length\r\n")
		c.expectEnd()
		// An AUTH in the same pipeline lifts the limit.
		c = s.testClient(t, transport)
		c.write(resp.AppendCommandStrings(resp.AppendCommandStrings(nil, "AUTH", "pw"), "ECHO", long))
		c.expect("+OK\r\n$20000\r\n" + long + "\r\n")
	})
}

// One who does not read must not stop the others, and gets all of it later.
func TestSlowReader(t *testing.T) {
	eachTransport(t, func(t *testing.T, transport string) {
		s := newServer(t, transport)
		slow, other := s.testClient(t, transport), s.testClient(t, transport)
		value := strings.Repeat("v", 1<<20)
		other.write(resp.AppendCommandStrings(nil, "SET", "k", value))
		other.expect("+OK\r\n")
		const n = 40
		slow.send(strings.Split(strings.Repeat("GET k|", n)+"PING", "|")...)
		for range 1000 {
			other.send("PING")
			other.expect("+PONG\r\n")
		}
		for range n {
			slow.expect(fmt.Sprintf("$%d\r\n%s\r\n", len(value), value))
		}
		slow.expect("+PONG\r\n")
	})
}

func TestCloseIsClean(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, transport := range transports {
		s := newServer(t, transport)
		clients := make([]*client, 8)
		for i := range clients {
			clients[i] = s.testClient(t, transport)
		}
		clients[0].send("BLPOP l 0")
		clients[1].send("SUBSCRIBE news")
		clients[1].expect("*3\r\n")
		clients[2].send("PUBLISH news x") // starts a writer
		clients[3].write([]byte("*3\r\n$3\r\nSET"))
		clients[4].write([]byte("*bad\r\n"))
		done := make(chan error, 1)
		go func() {
			_, err := s.Do("BLPOP", "other", "0")
			done <- err
		}()
		s.await(t, func(e *engine.Engine) bool { return e.Clients() >= len(clients) })
		for range 2 {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := <-done; err != ErrClosed {
			t.Errorf("Do in a server that closes: %v", err)
		}
		for _, c := range []*client{clients[0], clients[5]} {
			c.expectEnd()
		}
		if _, err := s.Do("PING"); err != ErrClosed {
			t.Errorf("Do in a closed server: %v", err)
		}
		if _, err := s.DialMemory(); err != ErrClosed {
			t.Errorf("DialMemory of a closed server: %v", err)
		}
		for _, c := range clients {
			c.Close()
		}
	}
	for start := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Since(start) > patience {
			stack := make([]byte, 1<<20)
			t.Fatalf("goroutines are left:\n%s", stack[:runtime.Stack(stack, true)])
		}
	}
}

func TestShutdown(t *testing.T) {
	eachTransport(t, func(t *testing.T, transport string) {
		opt := Options{Config: config.New(), Addr: "127.0.0.1:0"}
		s, err := New(opt)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Listen(); err != nil {
			t.Fatal(err)
		}
		served := make(chan error)
		go func() { served <- s.Serve(context.Background()) }()
		c := s.testClient(t, transport)
		c.send("SHUTDOWN NOSAVE")
		c.expectEnd()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

func TestServeEndsWithContext(t *testing.T) {
	t.Parallel()
	s, err := New(Options{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Serve(ctx); err != nil {
		t.Error(err)
	}
}

// While a script runs too long the others are served.
func TestBusyScript(t *testing.T) {
	eachTransport(t, func(t *testing.T, transport string) {
		s := newServer(t, transport, "busy-reply-threshold", "20")
		script, other := s.testClient(t, transport), s.testClient(t, transport)
		waiting := s.testClient(t, transport)
		waiting.send("BLPOP l 0")
		script.write(resp.AppendCommandStrings(nil, "EVAL", "while true do end", "0"))
		script.send("PING")
		for {
			other.send("PING")
			if b, err := other.in.Peek(1); err != nil {
				t.Fatal(err)
			} else if b[0] == '-' {
				break
			}
			other.expect("+PONG\r\n")
		}
		other.expect("-BUSY")
		other.in.ReadString('\n')
		waiting.Close()
		late := s.testClient(t, transport)
		late.send("GET k")
		late.expect("-BUSY")
		other.send("SCRIPT KILL")
		other.expect("+OK\r\n")
		script.expect("-")
		if line, _ := script.in.ReadString('\n'); !strings.Contains(line, "killed by user") {
			t.Errorf("the script's reply: %q", line)
		}
		script.expect("+PONG\r\n")
	})
}

func TestMaxClients(t *testing.T) {
	eachTransport(t, func(t *testing.T, transport string) {
		s := newServer(t, transport, "maxclients", "2")
		a, b := s.testClient(t, transport), s.testClient(t, transport)
		a.send("PING")
		a.expect("+PONG\r\n")
		b.send("PING")
		b.expect("+PONG\r\n")
		c := s.testClient(t, transport)
		c.expect("-ERR max number of clients reached\r\n")
		c.expectEnd()
		b.Close()
		s.await(t, func(e *engine.Engine) bool { return e.Clients() == 1 })
		d := s.testClient(t, transport)
		d.send("PING")
		d.expect("+PONG\r\n")
	})
}

func TestUnixSocket(t *testing.T) {
	t.Parallel()
	for _, backend := range []config.IOBackend{config.IOAuto, config.IORedcon} {
		opt := Options{Config: config.New(), Addr: "127.0.0.1:0"}
		opt.Config.UnixSocket = filepath.Join(t.TempDir(), "s")
		opt.Config.UnixSocketPerm = 0o700
		opt.Config.IOBackend = backend
		s, err := Start(opt)
		if err != nil {
			t.Fatal(err)
		}
		if fi, err := os.Stat(opt.Config.UnixSocket); err != nil || fi.Mode().Perm() != 0o700 {
			t.Errorf("the socket: %v, %v", fi.Mode(), err)
		}
		conn, err := net.Dial("unix", opt.Config.UnixSocket)
		if err != nil {
			t.Fatal(err)
		}
		c := &client{Conn: conn, t: t, in: bufio.NewReader(conn)}
		c.send("PING")
		c.expect("+PONG\r\n")
		conn.Close()
		s.Close()
		if _, err := os.Stat(opt.Config.UnixSocket); !os.IsNotExist(err) {
			t.Errorf("after Close the socket is there: %v", err)
		}
	}
}

func TestDo(t *testing.T) {
	t.Parallel()
	s := newServer(t, "memory")
	for _, test := range []struct{ command, want string }{
		{"SET k v", "+OK\r\n"},
		{"GET k", "$1\r\nv\r\n"},
		{"NOSUCH", "-ERR unknown command 'NOSUCH', with args beginning with: \r\n"},
		{"BLPOP l 0.01", "*-1\r\n"},
	} {
		v, err := s.Do(strings.Fields(test.command)...)
		if err != nil || string(resp.AppendValue(nil, v)) != test.want {
			t.Errorf("%s: %q, %v, want %q", test.command, resp.AppendValue(nil, v), err, test.want)
		}
	}
}

// TestNoWakeUpIsLost moves elements through lists between clients of all
// transports: each arrives exactly once, or the test hangs.
func TestNoWakeUpIsLost(t *testing.T) {
	t.Parallel()
	for _, backend := range []string{"event-loop", "redcon"} {
		s := newServer(t, backend)
		const each, n = 3, 400 // pairs a transport, elements a pair
		popped := make(chan string, 2*each*n)
		for _, transport := range []string{backend, "memory"} {
			for i := range each {
				pop, push := s.testClient(t, transport), s.testClient(t, transport)
				pop.SetDeadline(time.Now().Add(4 * patience))
				push.SetDeadline(time.Now().Add(4 * patience))
				go func() {
					var b []byte
					for range n {
						b = resp.AppendCommandStrings(b[:0], "BLPOP", "a", "b", "0")
						if _, err := pop.Write(b); err != nil {
							return
						}
						v, err := pop.rd.Read()
						if err != nil || len(v.Elems) != 2 {
							return
						}
						popped <- v.Elems[1].Str
					}
				}()
				go func() {
					for j := range n / 4 {
						var b []byte
						for k := range 4 {
							list := string("ab"[k%2])
							b = resp.AppendCommandStrings(b, "RPUSH", list, fmt.Sprintf("%s-%d-%d", transport, i, 4*j+k))
						}
						if _, err := push.Write(b); err != nil {
							return
						}
						for range 4 {
							if _, err := push.rd.Read(); err != nil {
								return
							}
						}
					}
				}()
			}
		}
		seen := make(map[string]bool)
		timeout := time.After(4 * patience)
		for range 2 * each * n {
			select {
			case v := <-popped:
				if seen[v] {
					t.Fatalf("%s came twice", v)
				}
				seen[v] = true
			case <-timeout:
				t.Fatalf("%s: only %d of %d elements arrived", backend, len(seen), 2*each*n)
			}
		}
	}
}

package server

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"minikv/engine/config"
)

// dial connects to a port of this machine.
func dial(t *testing.T, port int) *client {
	t.Helper()
	conn, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	conn.SetDeadline(time.Now().Add(patience))
	t.Cleanup(func() { conn.Close() })
	return &client{Conn: conn, t: t, in: bufio.NewReader(conn)}
}

// freePort is a port that was free a moment ago.
func freePort(t *testing.T) int {
	t.Helper()
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port
}

// startOnFreePort starts a server on a port that it finds and notes. Others may
// be faster to take a free port, so it tries several.
func startOnFreePort(t *testing.T, conf *config.Config, port *int) *Server {
	t.Helper()
	for range 20 {
		*port = freePort(t)
		s, err := Start(Options{Config: conf})
		if err == nil {
			t.Cleanup(func() { s.Close() })
			return s
		}
		t.Log(err)
	}
	t.Fatal("no port is free")
	return nil
}

func TestConfigSetPort(t *testing.T) {
	t.Parallel()
	for _, backend := range []config.IOBackend{config.IOAuto, config.IORedcon} {
		conf := config.New()
		conf.Bind = []string{"127.0.0.1", "-198.51.100.7"}
		conf.IOBackend = backend
		s := startOnFreePort(t, conf, &conf.Port)
		first := dial(t, conf.Port)
		next := 0
		for line := ""; line != "+OK\r\n"; line, _ = first.in.ReadString('\n') {
			next = freePort(t)
			first.send(fmt.Sprintf("CONFIG SET port %d", next))
		}
		if conn, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", conf.Port)); err == nil {
			conn.Close()
			t.Error("the old port still answers")
		}
		second := dial(t, next)
		second.send("PING")
		second.expect("+PONG\r\n")

		// What fails changes nothing.
		taken, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer taken.Close()
		first.send(fmt.Sprintf("CONFIG SET port %d", taken.Addr().(*net.TCPAddr).Port), "CONFIG SET bind 198.51.100.7", "CONFIG GET port")
		first.expect("-ERR CONFIG SET failed (possibly related to argument 'port') - Unable to listen on this port. Check server logs.\r\n" +
			"-ERR CONFIG SET failed (possibly related to argument 'bind') - Failed to bind to specified addresses.\r\n" +
			fmt.Sprintf("*2\r\n$4\r\nport\r\n$%d\r\n%d\r\n", len(fmt.Sprint(next)), next))
		third := dial(t, next)
		third.send("PING")
		third.expect("+PONG\r\n")

		first.send("CONFIG SET port 0", "PING")
		first.expect("+OK\r\n+PONG\r\n")
		if len(s.Addrs()) != 0 {
			t.Errorf("with port 0 it listens on %v", s.Addrs())
		}
	}
}

func TestListenFails(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	s, err := Start(Options{Addr: taken.Addr().String()})
	if err == nil {
		s.Close()
		t.Fatal("two servers have one port")
	}
	if !strings.Contains(err.Error(), taken.Addr().String()) {
		t.Errorf("the error does not name the address: %v", err)
	}
}

// A client from elsewhere is turned away as long as there is no password.
func TestProtectedMode(t *testing.T) {
	t.Parallel()
	r := new(rules)
	conf := config.New()
	r.follow(conf, false)
	if refusal := r.letIn(false); !strings.HasPrefix(refusal, "-DENIED ") || !strings.HasSuffix(refusal, "outside.\r\n") {
		t.Errorf("a stranger is told %q", refusal)
	}
	if refusal := r.letIn(true); refusal != "" {
		t.Errorf("a local client is told %q", refusal)
	}
	r.follow(conf, true)
	if refusal := r.letIn(false); refusal != "" {
		t.Errorf("where there is a password a stranger is told %q", refusal)
	}
	if n := r.clients.Load(); n != 2 {
		t.Errorf("%d clients are in, want 2", n)
	}
}

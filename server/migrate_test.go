package server

import (
	"bufio"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"minikv/resp"
)

// pairOfServers are one to take keys from and one, with a port, to take them to.
func pairOfServers(t *testing.T) (from, to *Server, host, port string) {
	t.Helper()
	from, to = startServer(t, Options{NoNetwork: true}), startServer(t, Options{Addr: "127.0.0.1:0"})
	host, port, err := net.SplitHostPort(to.Addrs()[0].String())
	if err != nil {
		t.Fatal(err)
	}
	return from, to, host, port
}

func startServer(t *testing.T, opt Options) *Server {
	t.Helper()
	srv, err := Start(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	return srv
}

// says runs a command and fails the test unless the reply, as text, is want.
func says(t *testing.T, srv *Server, want string, args ...string) {
	t.Helper()
	v, err := srv.Do(args...)
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	if got := v.String(); got != want {
		t.Errorf("%v answers %s, not %s", args, got, want)
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	from, to, host, port := pairOfServers(t)
	says(t, from, `OK`, "MSET", "a", "1", "b", "2", "c", "3")
	says(t, from, `OK`, "MIGRATE", host, port, "a", "0", "1000")
	says(t, from, `NOKEY`, "MIGRATE", host, port, "a", "0", "1000")
	says(t, to, `"1"`, "GET", "a")
	says(t, from, `OK`, "SET", "a", "4", "PX", "100000")
	says(t, from, `(error) ERR Target instance replied with error: BUSYKEY Target key name already exists.`,
		"MIGRATE", host, port, "", "0", "1000", "KEYS", "a", "b", "absent")
	says(t, from, `(integer) 1`, "EXISTS", "a", "b")
	says(t, to, `"2"`, "GET", "b")
	says(t, from, `OK`, "MIGRATE", host, port, "", "0", "1000", "COPY", "REPLACE", "KEYS", "a", "c")
	says(t, from, `(integer) 2`, "EXISTS", "a", "c")
	says(t, to, `"4"`, "GET", "a")
	if v, _ := to.Do("PTTL", "a"); v.Int <= 0 || v.Int > 100000 {
		t.Errorf("the key lives for %v", v)
	}
	says(t, from, `OK`, "MIGRATE", host, port, "c", "7", "1000", "REPLACE")
	says(t, from, `(error) ERR Target instance replied with error: ERR DB index is out of range`, "MIGRATE", host, port, "a", "99", "1000")
	says(t, from, `(error) ERR Target instance replied with error: ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?`,
		"MIGRATE", host, port, "a", "0", "1000", "AUTH", "secret")
	says(t, from, `OK`, "MIGRATE", host, port, "a", "8", "1000")
	info, _ := from.Do("INFO", "stats")
	if !strings.Contains(info.Str, "migrate_cached_sockets:1\r\n") {
		t.Errorf("the connection is not kept:\n%s", info.Str)
	}
}

// An instance that asks for a password gets it, with or without a user.
func TestMigrateAuthenticates(t *testing.T) {
	t.Parallel()
	from, to, host, port := pairOfServers(t)
	says(t, to, `OK`, "CONFIG", "SET", "requirepass", "secret")
	says(t, from, `OK`, "MSET", "a", "1", "b", "2")
	says(t, from, `(error) ERR Target instance replied with error: NOAUTH Authentication required.`, "MIGRATE", host, port, "a", "0", "1000")
	says(t, from, `OK`, "MIGRATE", host, port, "a", "0", "1000", "AUTH", "secret")
	says(t, from, `OK`, "MIGRATE", host, port, "b", "0", "1000", "AUTH2", "default", "secret")
}

// fakeTarget is a server whose replies the test writes.
type fakeTarget struct {
	net.Listener
	host, port string
}

func newFakeTarget(t *testing.T) *fakeTarget {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	host, port, _ := net.SplitHostPort(ln.Addr().String())
	return &fakeTarget{ln, host, port}
}

// accept is the next connection, what has come from it, and a function that
// waits for a command.
func (f *fakeTarget) accept(t *testing.T) (conn net.Conn, command func() []string) {
	t.Helper()
	conn, err := f.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	r := resp.NewReader(bufio.NewReader(conn))
	return conn, func() []string {
		v, err := r.Read()
		if err != nil {
			t.Errorf("no command: %v", err)
			return nil
		}
		var words []string
		for _, e := range v.Elems {
			words = append(words, e.Str)
		}
		return words
	}
}

// While a key is on its way nobody changes it, and everybody may read it.
func TestMigrateHoldsWrites(t *testing.T) {
	t.Parallel()
	from := startServer(t, Options{NoNetwork: true})
	f := newFakeTarget(t)
	says(t, from, `OK`, "MSET", "k", "v", "other", "w")
	replies := make(chan string, 2)
	ask := func(args ...string) {
		v, err := from.Do(args...)
		if err != nil {
			t.Error(err)
		}
		replies <- v.String()
	}
	go ask("MIGRATE", f.host, f.port, "k", "0", "20000")
	conn, command := f.accept(t)
	if got := command(); !slices.Equal(got, []string{"SELECT", "0"}) {
		t.Errorf("%q", got)
	}
	says(t, from, `"v"`, "GET", "k")
	go ask("APPEND", "k", "x")
	paused := func() bool {
		v, _ := from.Do("CLIENT", "LIST")
		return strings.Contains(v.Str, "cmd=append")
	}
	for !paused() {
	}
	says(t, from, `"v"`, "GET", "k")
	if len(replies) > 0 {
		t.Errorf("%s came too early", <-replies)
	}
	io.WriteString(conn, "+OK\r\n")
	if got := command(); got[0] != "RESTORE" || got[1] != "k" || got[2] != "0" || len(got) != 4 {
		t.Errorf("%q", got)
	}
	io.WriteString(conn, "+OK\r\n")
	got := []string{<-replies, <-replies}
	slices.Sort(got)
	if !slices.Equal(got, []string{"(integer) 1", "OK"}) {
		t.Errorf("%q: the key went first, then was made anew", got)
	}
}

// What goes wrong on the connection is told in Redis's words, and keys that may
// not have arrived stay.
func TestMigrateFailures(t *testing.T) {
	t.Parallel()
	from := startServer(t, Options{NoNetwork: true})
	says(t, from, `OK`, "MSET", "a", "1", "b", "2")
	ln := newFakeTarget(t)
	ln.Close()
	says(t, from, `(error) IOERR error or timeout writing to target instance`, "MIGRATE", ln.host, ln.port, "a", "0", "1000")
	says(t, from, `(error) IOERR error or timeout writing to target instance`, "MIGRATE", "127.0.0.1", "port", "a", "0", "1000")
	says(t, from, `(error) IOERR error or timeout connecting to the client`, "MIGRATE", "no.such.host.invalid", "1", "a", "0", "1000")
	for _, tc := range []struct{ name, replies, want, left string }{
		{"it says nothing", "", `(error) IOERR error or timeout reading to target instance`, "(integer) 2"},
		{"it ends early", "+OK\r\n+OK\r\n", `(error) IOERR error or timeout reading to target instance`, "(integer) 1"},
		{"it speaks in long lines", strings.Repeat("x", 10000), `(error) IOERR error or timeout reading to target instance`, "(integer) 2"},
		{"it refuses one", "+OK\r\n-NO\r\n+OK\n", `(error) ERR Target instance replied with error: NO`, "(integer) 1"},
		{"it refuses all", "-NO THANKS\r\n", `(error) ERR Target instance replied with error: NO THANKS`, "(integer) 2"},
	} {
		f := newFakeTarget(t)
		done := make(chan struct{})
		go func() {
			defer close(done)
			conn, err := f.Accept()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			io.WriteString(conn, tc.replies)
			if tc.replies != "" {
				conn.(*net.TCPConn).CloseWrite()
			}
			io.Copy(io.Discard, conn)
		}()
		says(t, from, `OK`, "MSET", "a", "1", "b", "2")
		says(t, from, tc.want, "MIGRATE", f.host, f.port, "", "0", "100", "KEYS", "a", "b")
		if v, _ := from.Do("EXISTS", "a", "b"); v.String() != tc.left {
			t.Errorf("%s: %s keys are left, not %s", tc.name, v, tc.left)
		}
		from.loop.inbox.call(from.loop.dropTargets)
		<-done
	}
}

// A connection that was kept and is dead by now is made anew.
func TestMigrateAgain(t *testing.T) {
	t.Parallel()
	from := startServer(t, Options{NoNetwork: true})
	f := newFakeTarget(t)
	serve := func() {
		conn, command := f.accept(t)
		for range 2 {
			command()
			io.WriteString(conn, "+OK\r\n")
		}
		conn.Close()
	}
	for range 2 {
		done := make(chan struct{})
		go func() {
			defer close(done)
			serve()
		}()
		says(t, from, `OK`, "SET", "k", "v")
		says(t, from, `OK`, "MIGRATE", f.host, f.port, "k", "0", "20000")
		<-done
	}
}

// Who closes the server does not wait for an instance that says nothing.
func TestMigrateEndsWithTheServer(t *testing.T) {
	t.Parallel()
	from := startServer(t, Options{NoNetwork: true})
	f := newFakeTarget(t)
	says(t, from, `OK`, "SET", "k", "v")
	conn, err := from.DialMemory()
	if err != nil {
		t.Fatal(err)
	}
	conn.Write(resp.AppendCommandStrings(nil, "MIGRATE", f.host, f.port, "k", "0", "3600000"))
	there, command := f.accept(t)
	command()
	if err := from.Close(); err != nil {
		t.Error(err)
	}
	there.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := io.Copy(io.Discard, there); err != nil {
		t.Errorf("the connection is still open: %v", err)
	}
}

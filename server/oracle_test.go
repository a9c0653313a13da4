package server

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"minikv/resp"
)

// startRedis starts a real server, if one is installed, and gives its address.
func startRedis(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("redis-server is not installed")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	_, port, _ := net.SplitHostPort(addr)
	ln.Close()
	cmd := exec.Command(path, "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	for start := time.Now(); time.Since(start) < patience; time.Sleep(10 * time.Millisecond) {
		if conn, err := net.Dial("tcp", addr); err == nil {
			conn.Close()
			return addr
		}
	}
	t.Fatal("redis-server does not answer")
	return ""
}

// converse sends bytes, ends its side, and gives all that is answered.
func converse(t *testing.T, addr, data string) string {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	io.WriteString(conn, data)
	conn.(*net.TCPConn).CloseWrite()
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Fatalf("%.80q: read %.80q, %v", data, answer, err)
	}
	return string(answer)
}

// streams are bytes that a client might send, rightly or wrongly.
func streams() []string {
	list := []string{
		"*1\r\n$4\r\nPING\r\n", "PING\n", "*0\r\nPING\r\n", "*-1\r\nPING\r\n", "\r\n \r\n\nPING\r\n", "\r\r\nPING\r\n",
		"*1\r\n$4\r\nPINGxxPING\r\n", "*1\rx$4\rxPINGxxPING\r\n", "*1\n$4\nPING\n", "P\x00ING\r\nPING\r\n", "*1\x00\r\nPING\r\n",
		"*1\r\n$9223372036854775807\r\n", "*2147483647\r\n", "*2147483648\r\n", "*01\r\n", "*-0\r\n", "*+1\r\n", "*\r\n", "* 1\r\n",
		"*1\r\nx4\r\n", "*1\r\n\r\n", "*1\r\n\n\r\n", "*1\r\n\xff\r\n", "*1\r\n\x00\r\n", "*1\r\n$-1\r\n", "*1\r\n$\r\n", "*1\r\n$536870913\r\n",
		"PING\r\n*2\r\n$4\r\nPING\r\n$-1\r\n", "*1\r\n$0\r\n\r\n", "\"\"\r\n", "*-9223372036854775808\r\nPING\r\n", "*-9223372036854775809\r\n",
		"*1\r", "*1\r\n$4\r\nPING\r", "*1\r\n$4\r\nPING\rX", "PING\r\n" + strings.Repeat("x", maxLine+1), "*" + strings.Repeat("1", maxLine),
		"*1\r\n$" + strings.Repeat("1", maxLine), "*1\r\n" + strings.Repeat("x", maxLine+1),
		"GET / HTTP/1.1\r\nHost: here\r\n\r\nPING\r\n", "POST / HTTP/1.1\r\nPING\r\n", "PING\r\nQUIT\r\nPING\r\n",
	}
	for _, line := range []string{
		`ECHO "a\x41\n\q"`, `ECHO "abc`, `ECHO 'abc`, `ECHO "abc"d`, `ECHO 'a\'b\n'`, `ECHO 'a'b`, `ECHO a"b c"`, `ECHO a'b c'`,
		`ECHO a"b c"d`, `ECHO "a\xg1"`, `ECHO "a\x4"`, `ECHO "a\"`, `ECHO "\b\a\t\r"`, "ECHO a\vb", "ECHO \vb", "ECHO\tb", "ECHO \"a\"\v",
		"ECHO a\rb", "ECHO \"a\rb\"", `ECHO ""`, "ECHO \xff", `ECHO "a\x00b"`, "ECHO\x0cb",
	} {
		list = append(list, line+"\r\nPING\r\n")
	}
	return list
}

// mutated makes a stream of good commands in which some bytes are wrong.
func mutated(r *rand.Rand) string {
	var b []byte
	for range 1 + r.IntN(5) {
		switch r.IntN(4) {
		case 0:
			b = append(b, "PING\r\n"...)
		case 1:
			b = append(b, "ECHO \"a b\\x41\" \r\n"...)
		case 2:
			b = resp.AppendCommandStrings(b, "ECHO", strings.Repeat("y", r.IntN(20)))
		default:
			b = resp.AppendCommandStrings(b, "PING")
		}
	}
	const wrong = "\r\n$*0159-\"'\\ x\x00\xff\t"
	for range r.IntN(4) {
		i := r.IntN(len(b))
		switch c := wrong[r.IntN(len(wrong))]; r.IntN(3) {
		case 0:
			b[i] = c
		case 1:
			b = append(b[:i], b[i+1:]...)
		default:
			b = append(b[:i], append([]byte{c}, b[i:]...)...)
		}
		if len(b) == 0 {
			break
		}
	}
	return string(b)
}

// TestStreamsAsRedis sends the same bytes, good and bad, to a real server.
func TestStreamsAsRedis(t *testing.T) {
	t.Parallel()
	redis := startRedis(t)
	list := streams()
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		list = append(list, mutated(r))
	}
	want := make([]string, len(list))
	for i, data := range list {
		want[i] = converse(t, redis, data)
	}
	for _, transport := range []string{"event-loop", "redcon"} {
		addr := newServer(t, transport).Addrs()[0].String()
		for i, data := range list {
			if got := converse(t, addr, data); got != want[i] {
				t.Errorf("%s: %s\n got %.200q\nwant %.200q", transport, fmt.Sprintf("%.120q", data), got, want[i])
			}
		}
	}
}

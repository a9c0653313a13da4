package compat_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"minikv/resp"
)

const debuggedScript = `local n = tonumber(ARGV[1])
local list = {1, {x = 'y'}, n}
local function add(a, b)
  local sum = a + b
  return sum
end
for i = 1, 2 do
  n = add(n, i)
  redis.call('set', KEYS[1], n)
end
redis.debug('list', list)
redis.breakpoint()
local v = redis.call('get', KEYS[1])
return {v, n}
`

// dialogue is what a person types.
var dialogue = []string{
	"step", "print list", "b 5", "continue", "trace", "print sum", "print", "b -5", "n", "s", "s",
	"redis get key", "redis incr counter", "eval KEYS[1] .. ARGV[1]", "list 8 2", "whole", "maxlen 60", "nonsense", "c", "p v", "c",
}

// redis-cli --ldb, typed at in a terminal, shows the same with minikv as with
// redis-server, but for ports and the script's name.
func TestRedisCLIDebugsScripts(t *testing.T) {
	t.Parallel()
	tool := redisCLI(t)
	port := freePort(t)                                                  // on a unix socket redis-cli dies of SIGPIPE when a session has ended
	redisClient(t, startRedis(t, "--port", port, "--bind", "127.0.0.1")) // waits for it
	theirs := "127.0.0.1:" + port
	ours := start(t, listening).Addrs()[0].String()
	script := filepath.Join(t.TempDir(), "debugged.lua")
	if err := os.WriteFile(script, []byte(debuggedScript), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[string]string{"--ldb": "10", "--ldb-sync-mode": "13"} {
		shown := make(map[string]string)
		for _, addr := range []string{theirs, ours} {
			c := dialRESP(t, addr)
			c.do("FLUSHALL")
			c.do("SET", "key", "10")
			shown[addr] = typeInto(t, tool, addr, mode, script)
			if got := c.do("GET", "key").String(); !strings.Contains(got, want) {
				t.Errorf("%s at %s: key is %s afterwards, want %s", mode, addr, got, want)
			}
		}
		if shown[ours] != shown[theirs] {
			t.Errorf("%s with minikv:\n%s\nwith redis-server:\n%s", mode, shown[ours], shown[theirs])
		}
		for _, part := range []string{"stop reason = break point", "In add:", "<value> 11", "<debug> line 11", "redis.breakpoint() called", "session ended"} {
			if !strings.Contains(shown[ours], part) {
				t.Errorf("%s: %q is not shown:\n%s", mode, part, shown[ours])
			}
		}
	}
}

// A hundred sessions whose clients vanish in mid-script leave nothing behind.
func TestVanishedDebuggers(t *testing.T) { // not parallel: it counts goroutines
	srv := start(t, listening)
	addr := srv.Addrs()[0].String()
	before := runtime.NumGoroutine()
	for i := range 100 {
		c := dialRESP(t, addr)
		mode := "YES"
		if i%10 == 9 {
			mode = "SYNC"
		}
		c.do("SCRIPT", "DEBUG", mode)
		c.do("EVAL", debuggedScript, "1", "vanished", "1")
		c.do("step")
		c.conn.Close()
	}
	c := dialRESP(t, addr)
	for deadline := time.Now().Add(20 * time.Second); ; {
		clients, goroutines := strings.Count(c.do("CLIENT", "LIST").Str, " addr="), runtime.NumGoroutine()
		if clients == 1 && goroutines <= before+2 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("left behind: %d clients, %d goroutines more", clients-1, goroutines-before)
		}
	}
	if got := c.do("GET", "vanished").Str; got != "4" {
		t.Errorf("vanished is %q, want 4: in sync mode the script runs to its end", got)
	}
}

func redisCLI(t *testing.T) string {
	t.Helper()
	tool, err := exec.LookPath("redis-cli")
	if err != nil {
		if os.Getenv("MINIKV_REQUIRE_REDIS") != "" {
			t.Fatal(err)
		}
		t.Skip("there is no redis-cli here")
	}
	return tool
}

var (
	prompt = regexp.MustCompile(`(lua debugger|127\.0\.0\.1:\d+|redis \S+)> $`)
	varied = regexp.MustCompile(`127\.0\.0\.1:\d+|redis /[^>\s]+|[0-9a-f]{40}|@0x[0-9a-f]+|\x1b\[[0-9;]*m`)
)

// typeInto runs redis-cli in a terminal, types the dialogue, each line when the
// prompt stands there, and returns what the terminal showed.
func typeInto(t *testing.T, tool, addr, mode, script string) string {
	t.Helper()
	terminal, inside := openTerminal(t)
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, tool, "-p", port, mode, "--eval", script, "key", ",", "10")
	cmd.Env = append(os.Environ(), "TERM=dumb", "HOME="+t.TempDir())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inside, inside, inside
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	inside.Close()
	var shown bytes.Buffer
	lines := append(dialogue[:len(dialogue):len(dialogue)], "quit")
	buf := make([]byte, 4096)
	for {
		n, err := terminal.Read(buf)
		shown.Write(buf[:n])
		if err != nil {
			break // the program has ended
		}
		if len(lines) > 0 && prompt.Match(shown.Bytes()) {
			fmt.Fprintln(terminal, lines[0])
			lines = lines[1:]
		}
	}
	if err := cmd.Wait(); err != nil || len(lines) > 0 {
		t.Errorf("redis-cli %s: %v, %d lines not typed:\n%s", mode, err, len(lines), shown.String())
	}
	return varied.ReplaceAllString(shown.String(), "")
}

// openTerminal makes a pseudo-terminal that does not echo.
func openTerminal(t *testing.T) (outside, inside *os.File) {
	t.Helper()
	outside, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		if os.Getenv("MINIKV_REQUIRE_REDIS") != "" {
			t.Fatal("no pseudo-terminal, and MINIKV_REQUIRE_REDIS is set: ", err)
		}
		t.Skip("no pseudo-terminal: ", err)
	}
	t.Cleanup(func() { outside.Close() })
	fd := int(outside.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		inside, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	if mode, err := unix.IoctlGetTermios(fd, unix.TCGETS); err == nil {
		mode.Lflag &^= unix.ECHO
		_ = unix.IoctlSetTermios(int(inside.Fd()), unix.TCSETS, mode)
	}
	return outside, inside
}

// respConn is a connection on which commands are sent as they are.
type respConn struct {
	t    *testing.T
	conn net.Conn
	r    *resp.Reader
}

func dialRESP(t *testing.T, addr string) *respConn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &respConn{t, conn, resp.NewReader(conn)}
}

func (c *respConn) do(words ...string) resp.Value {
	c.t.Helper()
	if _, err := c.conn.Write(resp.AppendCommandStrings(nil, words...)); err != nil {
		c.t.Fatal(err)
	}
	v, err := c.r.Read()
	if err != nil {
		c.t.Fatal(err)
	}
	return v
}

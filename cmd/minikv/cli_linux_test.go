package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"minikv/server"
)

// terminal is a program in a pseudo-terminal.
type terminal struct {
	t     *testing.T
	side  *os.File // what a person sees and types into
	cmd   *exec.Cmd
	heard chan []byte // what was shown, as it came; closed at the end
	shown []byte      // since the last thing that was waited for
}

func openTerminal(t *testing.T, cmd *exec.Cmd) *terminal {
	t.Helper()
	side, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		if os.Getenv("MINIKV_REQUIRE_REDIS") != "" {
			t.Fatal("no pseudo-terminal, and MINIKV_REQUIRE_REDIS is set: ", err)
		}
		t.Skip("no pseudo-terminal: ", err)
	}
	t.Cleanup(func() { side.Close() })
	number, err := unix.IoctlGetInt(int(side.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(side.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(side.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 30, Col: 300})
	}
	if err != nil {
		t.Fatal(err)
	}
	inside, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer inside.Close()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inside, inside, inside
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true, Setctty: true} // Ctrl-C is a signal
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	term := &terminal{t: t, side: side, cmd: cmd, heard: make(chan []byte, 1000)}
	go func() {
		defer close(term.heard)
		for {
			buf := make([]byte, 4096)
			n, err := side.Read(buf)
			if n > 0 {
				term.heard <- buf[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	return term
}

// await waits until the terminal has shown a text since the last one.
func (term *terminal) await(text string) {
	term.t.Helper()
	timeout := time.After(30 * time.Second)
	for {
		if i := bytes.Index(term.shown, []byte(text)); i >= 0 {
			term.shown = term.shown[i+len(text):]
			return
		}
		select {
		case more, open := <-term.heard:
			if !open {
				term.t.Fatalf("ended before it showed %q, but: %q", text, term.shown)
			}
			term.shown = append(term.shown, more...)
		case <-timeout:
			term.t.Fatalf("%q is not shown, but: %q", text, term.shown)
		}
	}
}

func (term *terminal) types(keys string) {
	term.t.Helper()
	if _, err := io.WriteString(term.side, keys); err != nil {
		term.t.Fatal(err)
	}
}

// ends waits for the program, which has been told to end.
func (term *terminal) ends() {
	term.t.Helper()
	for range term.heard {
	}
	if err := term.cmd.Wait(); err != nil {
		term.t.Error(err)
	}
}

func TestClientInATerminal(t *testing.T) {
	t.Parallel()
	s, err := server.Start(server.Options{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	addr := s.Addrs()[0].String()
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	cmd := command(t, "cli", "-p", port)
	cmd.Env = append(cmd.Env, "HOME="+home, "TERM=xterm", "INPUTRC=/dev/null")
	term := openTerminal(t, cmd)
	const clear = "\x1b[?25h" // the cursor shows again: the line is drawn

	term.await(addr + "> ")
	term.await(clear)
	term.types("zrandm\t")
	term.await("zrandmember")
	term.await("key [count [WITHSCORES]]") // a hint
	term.types("\x15set k v ")             // Ctrl-U: another line
	term.await("[NX|XX")
	term.types("ex 100\r")
	term.await("OK\r\n")
	term.await(addr + "> ")
	term.types("select 3\r")
	term.await(addr + "[3]> ")
	term.types("multi\r")
	term.await(addr + "[3](TX)> ")
	term.types("incr n\r")
	term.await("QUEUED\r\n")
	term.types("exec\r")
	term.await("1) (integer) 1\r\n")
	term.await(addr + "[3]> ")
	term.types("auth secret\r")
	term.await("(error) ")
	term.await(addr + "[3]> ")
	term.types("monitor\r")
	term.await("(press Ctrl-C to quit)\r\nOK\r\n")
	if _, err := s.Do("PING", "overheard"); err != nil {
		t.Fatal(err)
	}
	term.await(`"PING" "overheard"`)
	term.types("\x03") // Ctrl-C ends the listening, not the client
	term.await(addr + "[3]> ")
	term.types("get n\r")
	term.await(`"1"`)
	term.await(addr + "[3]> ")
	term.types("\x1b[A") // up: what was typed before
	term.await("get n")
	term.types("\x15\x04")
	term.ends()

	text, err := os.ReadFile(filepath.Join(home, ".minikv_history"))
	if err != nil || !strings.HasPrefix(string(text), "set k v ex 100\nselect 3\n") || strings.Contains(string(text), "secret") {
		t.Errorf("the history is %q, %v", text, err)
	}
}

// The client outlives the server, and finds another in its place.
func TestClientReconnects(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "kv.sock")
	serve := func() *process { return start(t, "", "--port", "0", "--unixsocket", socket) }
	first := serve()
	cmd := command(t, "cli", "-s", socket, "--history", "")
	cmd.Env = append(cmd.Env, "TERM=xterm", "INPUTRC=/dev/null")
	term := openTerminal(t, cmd)
	term.await("redis " + socket + "> ")
	term.types("shutdown nosave\r")
	if err := first.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	term.await("not connected> ")
	term.types("ping\r")
	term.await("Could not connect to Redis at ")
	term.await("not connected> ")
	second := serve()
	term.types("ping\r")
	term.await("PONG\r\n")
	term.await("redis " + socket + "> ")
	_ = second.cmd.Process.Kill()
	_ = second.cmd.Wait()
	serve()
	term.types("echo again\r") // on a connection that is gone
	term.await("\"again\"\r\n")
	term.types("quit\r")
	term.ends()
}

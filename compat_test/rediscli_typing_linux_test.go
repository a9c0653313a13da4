package compat_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"minikv/resp"
	"minikv/server"
)

// ownNames are commands some of whose arguments have other names than in Redis
// 7.0, where two may have the same; ownUsage has those with another syntax.
var ownNames = []string{"georadius", "georadiusbymember", "lcs", "sort", "sort_ro", "xclaim", "xsetid"}

func toldOtherwise(line string) bool {
	words := strings.Fields(strings.ToLower(line))
	for n := 1; n <= min(2, len(words)); n++ {
		name := strings.Join(words[:n], "|")
		if _, own := ownUsage[name]; own || slices.Contains(ownNames, name) {
			return true
		}
	}
	return false
}

const hintColour = "\x1b[0;90;49m"

var frame = regexp.MustCompile(`^127\.0\.0\.1:\d+> ([^\r]*)`)

// redis-cli draws its hints and completes with tab out of COMMAND DOCS: a person
// who types sees the same with minikv as with redis-server, at every command.
func TestRedisCLIHintsAndCompletes(t *testing.T) {
	t.Parallel()
	tool := redisCLI(t)
	theirs := freePort(t)
	redisClient(t, startRedis(t, "--port", theirs, "--bind", "127.0.0.1")) // waits for it
	srv := start(t, listening, func(opt *server.Options) { opt.Config.RedisVersion = "7.0.15" })
	_, ours, _ := strings.Cut(srv.Addrs()[0].String(), ":")

	var names []string
	for _, name := range dialRESP(t, "127.0.0.1:"+theirs).do("COMMAND", "LIST").Elems {
		names = append(names, name.Str)
	}
	slices.Sort(names)
	mine, err := srv.Do("COMMAND", "LIST")
	if err != nil {
		t.Fatal(err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { // those of replication, which we have not
		return !slices.ContainsFunc(mine.Elems, func(v resp.Value) bool { return v.Str == name })
	})
	if len(names) < 200 {
		t.Fatalf("both have %d commands", len(names))
	}
	const again = "\x15" // Ctrl-U: the line is empty
	var keys strings.Builder
	for _, name := range names {
		keys.WriteString(name + " " + again)
		keys.WriteString(name[:len(name)-1] + "\t" + again)
	}
	for _, line := range []string{"set k v ", "zrange z 0 ", "xadd s * ", "config set ", "config get a ", "object fr\t", "client no\t", "acl set\t", "get\t\t\t"} {
		keys.WriteString(line + again)
	}
	got, want := typed(t, tool, ours, keys.String()), typed(t, tool, theirs, keys.String())
	if len(got) != len(want) {
		t.Fatalf("%d lines are drawn, with redis-server %d", len(got), len(want))
	}
	compared := 0
	for i := range want {
		text, hint, _ := strings.Cut(want[i], hintColour)
		gotText, gotHint, _ := strings.Cut(got[i], hintColour)
		if toldOtherwise(text) {
			gotHint, hint = "", ""
		}
		if hint != "" {
			compared++
		}
		if gotText != text || gotHint != hint {
			t.Errorf("line %d is %q, with redis-server %q", i, got[i], want[i])
		}
	}
	if compared < len(names) {
		t.Errorf("%d hints are compared, of %d commands", compared, len(names))
	}
}

// typed types keys into redis-cli and returns what the line looked like after
// each of them.
func typed(t *testing.T, tool, port, keys string) []string {
	t.Helper()
	terminal, inside := openTerminal(t)
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: 4000}); err != nil { // no hint is cut
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, tool, "-p", port)
	cmd.Env = append(os.Environ(), "TERM=xterm", "HOME="+t.TempDir())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inside, inside, inside
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	inside.Close()
	var shown bytes.Buffer
	done := make(chan struct{})
	begun := false
	buf := make([]byte, 1<<16)
	for {
		n, err := terminal.Read(buf)
		shown.Write(buf[:n])
		if err != nil {
			break // the program has ended
		}
		if !begun && bytes.Contains(shown.Bytes(), []byte("> ")) {
			begun = true
			go func() {
				defer close(done)
				_, _ = terminal.WriteString(keys + "\x04")
			}()
		}
	}
	if err := cmd.Wait(); err != nil || !begun {
		t.Fatalf("redis-cli: %v, %q", err, shown.String())
	}
	<-done
	var frames []string
	for _, part := range strings.Split(shown.String(), "\r\x1b[0K") {
		if m := frame.FindStringSubmatch(part); m != nil {
			frames = append(frames, m[1])
		}
	}
	return frames
}

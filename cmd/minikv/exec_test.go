package main

import (
	"bufio"
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

func requireShell(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
}

// output runs minikv to its end.
func output(t *testing.T, args ...string) (out, errs string, status int) {
	t.Helper()
	cmd := command(t, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Run()
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

func TestExecGivesTheProgramAServer(t *testing.T) {
	t.Parallel()
	requireShell(t)
	out, errs, status := output(t, "exec", "--", "sh", "-c", `echo "$REDIS_URL $REDIS_HOST $REDIS_PORT"; exit 7`)
	if !regexp.MustCompile(`^redis://127\.0\.0\.1:(\d+) 127\.0\.0\.1 \d+\n$`).MatchString(out) || errs != "" || status != 7 {
		t.Errorf("status %d, stdout %q, stderr %q", status, out, errs)
	}
}

// TestExecGivesTheProgramACluster: all nodes are named, the first one also by the
// variables of a single server.
func TestExecGivesTheProgramACluster(t *testing.T) {
	t.Parallel()
	requireShell(t)
	out, errs, status := output(t, "exec", "--cluster", "3", "--", "sh", "-c", `echo "$REDIS_CLUSTER_NODES $REDIS_PORT"`)
	if !regexp.MustCompile(`^127\.0\.0\.1:(\d+),127\.0\.0\.1:\d+,127\.0\.0\.1:\d+ \d+\n$`).MatchString(out) || errs != "" || status != 0 {
		t.Errorf("status %d, stdout %q, stderr %q", status, out, errs)
	}
}

func TestExecRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args   []string
		want   string
		status int
	}{
		{[]string{"exec"}, "minikv: exec: which program?", 1},
		{[]string{"exec", "--nosuch", "--", "true"}, "minikv: unknown flag --nosuch", 1},
		{[]string{"exec", "--set", "nosuch=1", "--", "true"}, "minikv: --nosuch 1: there is no such directive", 1},
		{[]string{"exec", "--record", "/nosuch/trace", "--", "true"}, "minikv: can't open the trace file: ", 1},
		{[]string{"exec", "--", "/nosuch/program"}, "minikv: fork/exec /nosuch/program: no such file or directory", 127},
	} {
		if runtime.GOOS == "windows" && tc.status == 127 {
			continue
		}
		out, errs, status := output(t, tc.args...)
		if status != tc.status || out != "" || !strings.HasPrefix(errs, tc.want) {
			t.Errorf("%v: status %d, stdout %q, stderr %q; want %q", tc.args, status, out, errs, tc.want)
		}
	}
}

// A signal to minikv reaches the program, whose end is then told as a shell does.
func TestExecPassesSignalsOn(t *testing.T) {
	t.Parallel()
	requireShell(t)
	for _, tc := range []struct {
		script string
		status int
	}{
		{`trap 'exit 3' TERM; echo ready; while :; do sleep 0.05; done`, 3},
		{`echo ready; exec sleep 60`, 128 + int(syscall.SIGTERM)},
	} {
		cmd := command(t, "exec", "--", "sh", "-c", tc.script)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if line, _ := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
			t.Fatalf("%q", line)
		}
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
		if status := cmd.ProcessState.ExitCode(); status != tc.status {
			t.Errorf("%s: status %d, want %d", tc.script, status, tc.status)
		}
	}
}

// What a program does under exec --record can be replayed, here and elsewhere.
func TestRecordAndReplay(t *testing.T) {
	t.Parallel()
	requireShell(t)
	if _, err := exec.LookPath("redis-cli"); err != nil {
		t.Skip("no redis-cli")
	}
	trace := filepath.Join(t.TempDir(), "trace")
	script := `r() { redis-cli -h $REDIS_HOST -p $REDIS_PORT "$@"; }; r SADD s a b c d; r SPOP s; r SET k v`
	out, errs, status := output(t, "exec", "--record", trace, "--seed", "5", "--redis-version", "7.0", "--set", "databases=2", "--", "sh", "-c", script)
	if status != 0 || errs != "" || !strings.HasSuffix(out, "OK\n") {
		t.Fatalf("status %d, stdout %q, stderr %q", status, out, errs)
	}
	if _, errs, status := output(t, "replay", os.DevNull); status != 1 || !strings.Contains(errs, "has no commands") {
		t.Errorf("replay of nothing: status %d, %q", status, errs)
	}
	for range 2 {
		out, errs, status = output(t, "replay", trace)
		if want := "commands: all replies are those of the trace\n"; status != 0 || !strings.HasSuffix(out, want) {
			t.Errorf("status %d, stdout %q, stderr %q; want %q", status, out, errs, want)
		}
	}
	other := start(t, "", "--port", "0")
	if out, errs, status = output(t, "replay", trace, "--url", "redis://"+other.addrs[0]); status != 0 {
		t.Errorf("on another server: status %d, stdout %q, stderr %q", status, out, errs)
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(trace, bytes.Replace(text, []byte(`":4\r\n"`), []byte(`":5\r\n"`), 1), 0o600)
	out, errs, status = output(t, "replay", trace)
	if !regexp.MustCompile(`trace:line \d+, client 1: SADD s a b c d\n- \(integer\) 5\n\+ \(integer\) 4\n$`).MatchString(out) || status != 1 {
		t.Errorf("a changed trace: status %d, stdout %q, stderr %q", status, out, errs)
	}
}

func TestReadyFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ready")
	p := start(t, "", "--port", "0", "--ready-file", path)
	text, err := os.ReadFile(path)
	if err != nil || string(text) != p.addrs[0]+"\n" {
		t.Errorf("%q, %v; ready on %v", text, err, p.addrs)
	}
	p.ask(t, "SHUTDOWN NOSAVE")
	p.cmd.Wait()
	if _, err := os.Stat(path); err == nil {
		t.Error("the file is still there")
	}
}

// A server that is to die with its parent, a shell, does so.
func TestDieWithParent(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells when a parent is gone")
	}
	requireShell(t)
	self := command(t, "--port", "0", "--die-with-parent", "yes")
	parent := exec.Command("sh", append([]string{"-c", `"$@" & read line`, "sh"}, self.Args...)...)
	parent.Env = self.Env
	in, err := parent.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	_, addr, _ := strings.Cut(strings.TrimSpace(line), " on ")
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	defer conn.Close()
	in.Close()
	conn.SetReadDeadline(time.Now().Add(time.Minute))
	if n, err := conn.Read(make([]byte, 1)); n != 0 || os.IsTimeout(err) {
		t.Errorf("the server goes on: %v", err)
	}
	parent.Wait()
}

// The seed is told by CONFIG GET, also one that was drawn.
func TestSeedIsTold(t *testing.T) {
	t.Parallel()
	out, errs, status := output(t, "replay", "/nosuch")
	if status != 1 || out != "" || !strings.Contains(errs, "/nosuch") {
		t.Errorf("status %d, stdout %q, stderr %q", status, out, errs)
	}
	for _, args := range [][]string{{"--port", "0", "--seed", "17"}, {"--port", "0"}} {
		p := start(t, "", args...)
		conn, err := net.Dial("tcp", p.addrs[0])
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.Write([]byte("CONFIG GET seed\r\n"))
		in := bufio.NewReader(conn)
		var seed string
		for range 5 {
			seed, _ = in.ReadString('\n')
		}
		if seed = strings.TrimSpace(seed); len(args) > 2 && seed != "17" || seed == "0" || seed == "" {
			t.Errorf("%v: seed %q", args, seed)
		}
	}
}

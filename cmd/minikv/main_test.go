package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
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

// asMinikv makes the test binary run as minikv itself.
const asMinikv = "RUN_AS_MINIKV"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == asLockers {
		os.Exit(runLockers(os.Args[2]))
	}
	if os.Getenv(asMinikv) != "" {
		main()
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // lest each of many short children lasts a second
	os.Exit(m.Run())
}

func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), asMinikv+"=1")
	return cmd
}

// process is a minikv that runs.
type process struct {
	cmd   *exec.Cmd
	addrs []string
	log   bytes.Buffer
}

// start waits for the line that says where it listens.
func start(t *testing.T, stdin string, args ...string) *process {
	t.Helper()
	p := &process{cmd: command(t, args...)}
	p.cmd.Stdin, p.cmd.Stderr = strings.NewReader(stdin), &p.log
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.cmd.Process.Kill(); p.cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	_, after, ok := strings.Cut(line, "minikv "+version+": Ready to accept connections on ")
	if err != nil || !ok {
		p.cmd.Wait()
		t.Fatalf("%q %v\n%s", line, err, p.log.String())
	}
	p.addrs = strings.Fields(after)
	return p
}

// ask sends an inline command and returns the first line of the answer.
func (p *process) ask(t *testing.T, inline string) string {
	t.Helper()
	network, addr := "tcp", p.addrs[0]
	if path, ok := strings.CutPrefix(addr, "unix:"); ok {
		network, addr = "unix", path
	}
	conn, err := net.Dial(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, inline+"\r\n"); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(conn).ReadString('\n')
	return strings.TrimSpace(line)
}

func (p *process) stop(t *testing.T, with os.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(with); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, p.log.String())
	}
}

func TestServesUntilASignal(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
		p := start(t, "", "--port", "0")
		if !regexp.MustCompile(`^127\.0\.0\.1:[1-9]\d*$`).MatchString(p.addrs[0]) || len(p.addrs) != 1 {
			t.Errorf("ready on %q", p.addrs)
		}
		if got := p.ask(t, "PING"); got != "+PONG" {
			t.Errorf("PING: %q", got)
		}
		p.stop(t, sig)
		for _, want := range []string{" * Ready to accept connections\n", fmt.Sprintf(" # Received a signal, scheduling shutdown... signal=%s\n", sig)} {
			if !strings.Contains(p.log.String(), want) {
				t.Errorf("the log has no %q:\n%s", want, p.log.String())
			}
		}
	}
}

func TestShutdownEndsTheProcess(t *testing.T) {
	t.Parallel()
	p := start(t, "", "--port", "0")
	if got := p.ask(t, "SHUTDOWN NOSAVE"); got != "" {
		t.Errorf("SHUTDOWN answers %q", got)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, p.log.String())
	}
}

func TestConfigurationReachesTheServer(t *testing.T) {
	t.Parallel()
	p := start(t, "requirepass sesame\ndatabases 2\n", "-", "--port", "0", "--bind", "127.0.0.1")
	for inline, want := range map[string]string{"PING": "-NOAUTH Authentication required.", "AUTH sesame": "+OK"} {
		if got := p.ask(t, inline); got != want {
			t.Errorf("%s: %q, want %q", inline, got, want)
		}
	}
}

func TestUnixSocketAlone(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no unix sockets")
	}
	dir, err := os.MkdirTemp("", "minikv") // short: a socket's path is
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	p := start(t, "", "--port", "0", "--unixsocket", dir+"/s", "--unixsocketperm", "700")
	if p.addrs[0] != "unix:"+dir+"/s" || p.ask(t, "PING") != "+PONG" {
		t.Errorf("ready on %q", p.addrs)
	}
}

func TestTheLogSaysWhatHasNoEffect(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	p := start(t, "", "--port", "0", "--logfile", log, "--appendonly", "yes", "--io-threads", "4", "--save", "900 1", "--dir", dir, "--hz", "20", "--daemonize", "no")
	p.stop(t, os.Interrupt)
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`(?m)^\d+:M \d\d \w{3} \d{4} \d\d:\d\d:\d\d\.\d{3} # appendonly yes: minikv keeps nothing on disk, data is lost when it ends$`,
		`(?m)^\d+:M .* # Directives without effect here: appendonly, io-threads$`,
	} {
		if found := regexp.MustCompile(want).FindAll(text, -1); len(found) != 1 {
			t.Errorf("%d lines match %s:\n%s", len(found), want, text)
		}
	}
	if p.log.Len() != 0 {
		t.Errorf("stderr has %s", p.log.String())
	}
}

// What goes wrong is told in one line, and the status is 1.
func TestFailuresAreOneLine(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"--port", "abc"}, "minikv: --port abc: argument couldn't be parsed into an integer"},
		{[]string{"/nosuch/redis.conf"}, "minikv: can't open config file: open /nosuch/redis.conf: "},
		{[]string{"--port", "0", "--logfile", "/nosuch/log"}, "minikv: can't open the log file: open /nosuch/log: "},
		{[]string{"--port", port, "--bind", "127.0.0.1"}, "minikv: could not create server TCP listening socket 127.0.0.1:" + port},
		{[]string{"--port", "0", "--bind", ""}, "minikv: configured to not listen anywhere"},
		{[]string{"--port", "0", "--tls-port", port, "--tls-cert-file", "/nosuch"}, "minikv: "},
		{[]string{"help", "me"}, "minikv: there is no help on me"},
	} {
		cmd := command(t, tc.args...)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		cmd.Run()
		got := errs.String()
		if cmd.ProcessState.ExitCode() != 1 || out.Len() != 0 || !strings.HasPrefix(got, tc.want) || strings.Count(got, "\n") != 1 {
			t.Errorf("%v: status %d, stdout %q, stderr %q; want %q", tc.args, cmd.ProcessState.ExitCode(), out.String(), got, tc.want)
		}
	}
}

func TestVersionAndHelp(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		words []string
		want  []string
	}{
		{[]string{"version", "-v", "--version"}, []string{"minikv " + version + " (Redis server v=7.0.15) go"}},
		{[]string{"help", "-h", "--help"}, []string{"Usage:", "minikv [redis.conf|-] [--directive value ...]", "  minikv version|-v ", "Examples:", "--requirepass"}},
	} {
		for _, word := range tc.words {
			var out, errs bytes.Buffer
			if code := run([]string{word}, stdio{nil, &out, &errs}); code != exitOK || errs.Len() != 0 {
				t.Errorf("%s: status %d, %s", word, code, errs.String())
			}
			for _, want := range tc.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%s does not print %q:\n%s", word, want, out.String())
				}
			}
		}
	}
}

// Every option that the help names exists, and every directive is listed.
func TestHelpNamesWhatExists(t *testing.T) {
	t.Parallel()
	var help, list bytes.Buffer
	run([]string{"help"}, stdio{nil, &help, nil})
	run([]string{"help", "directives"}, stdio{nil, &list, nil})
	options := regexp.MustCompile(`--([a-z][a-z-]*)`).FindAllStringSubmatch(help.String(), -1)
	if len(options) < 15 {
		t.Errorf("only %d options", len(options))
	}
	for _, option := range options {
		if name := option[1]; name != "directive" && !regexp.MustCompile(`(?m)^`+name+`( |$)`).MatchString(list.String()) {
			t.Errorf("--%s is no directive", name)
		}
	}
	for _, want := range []string{`(?m)^appendonly +no +no effect: `, `(?m)^set-max-listpack-value +64 +since Redis 7\.2$`, `(?m)^port +6379$`} {
		if !regexp.MustCompile(want).MatchString(list.String()) {
			t.Errorf("no line matches %s", want)
		}
	}
}

// Package oracle runs transcripts over a socket: on a redis-server of its own,
// which also writes them, and on any other server that speaks RESP.
package oracle

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"time"

	"minikv/engine/transcript"
)

// startPatience is how long a redis-server may take to answer.
const startPatience = 10 * time.Second

// Installed finds redis-server, and tells its version.
func Installed() (path string, version transcript.Version, err error) {
	if path, err = exec.LookPath("redis-server"); err != nil {
		return "", version, err
	}
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		return "", version, err
	}
	m := regexp.MustCompile(`v=([0-9.]+)`).FindSubmatch(out)
	if m == nil {
		return "", version, fmt.Errorf("%s --version answers %q", path, out)
	}
	version, err = transcript.ParseVersion(string(m[1]))
	return path, version, err
}

// Start starts the redis-server at path on a free port, with empty databases,
// for one transcript.
func Start(path string, f *transcript.File) (transcript.Target, error) {
	for attempt := 0; ; attempt++ {
		t, err := start(path, f)
		if err == nil || attempt == 2 {
			return t, err
		}
	}
}

func start(path string, f *transcript.File) (*Target, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "transcript")
	if err != nil {
		return nil, err
	}
	args := []string{"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--dir", dir,
		"--save", "", "--enable-debug-command", "yes"}
	if pauses(f) {
		args = append(args, "--hz", "100") // or what is due comes up to 100 ms late
	}
	for _, c := range f.Config {
		args = append(args, "--"+c.Name, c.Value)
	}
	cmd := exec.Command(path, args...)
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	stop := func() error {
		_ = cmd.Process.Kill() // it may have ended by itself, by SHUTDOWN
		_ = cmd.Wait()         // it was killed: the status says nothing
		return os.RemoveAll(dir)
	}
	addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	if err := awaitServer(addr); err != nil {
		return nil, errors.Join(err, stop())
	}
	t, err := Dial(Options{Addr: addr, Password: f.Setting("requirepass"), Stop: stop})
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	return t, nil
}

func pauses(f *transcript.File) bool {
	for _, s := range f.Steps {
		if s.IsPause() {
			return true
		}
	}
	return false
}

// freePort finds a port that nobody listens on at this moment.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	return port, l.Close()
}

// awaitServer waits until a new server accepts connections.
func awaitServer(addr string) error {
	deadline := time.Now().Add(startPatience)
	for {
		conn, err := net.DialTimeout("tcp", addr, startPatience)
		if err == nil {
			return conn.Close()
		}
		if time.Now().After(deadline) {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"minikv/resp"
)

// launcher starts one kind of server.
type launcher struct {
	name string
	args []string
}

// server is a running one.
type server struct {
	name string
	port int
	cmd  *exec.Cmd

	answered time.Duration // from its start to its first PONG, to a millisecond
}

// start runs the server on a free port, in dir, and waits until it answers.
func (l launcher) start(dir string) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	args := append(append([]string{}, l.args[1:]...), "--port", strconv.Itoa(port), "--save", "", "--dir", dir, "--logfile", "/dev/null")
	s := &server{name: l.name, port: port, cmd: exec.Command(l.args[0], args...)}
	begun := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", l.name, err)
	}
	for {
		_, err := s.do("PING")
		if s.answered = time.Since(begun); err == nil {
			return s, nil
		}
		if s.answered > 10*time.Second {
			s.stop()
			return nil, fmt.Errorf("%s does not answer on port %d", l.name, port)
		}
		time.Sleep(500 * time.Microsecond)
	}
}

func (s *server) stop() {
	s.cmd.Process.Kill()
	s.cmd.Wait()
}

// cpu is the processor time that the server has taken, to the system's tick of
// 10 ms; 0 where there is no /proc.
func (s *server) cpu() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// conn is a plain connection that sends commands and reads replies.
type conn struct {
	net.Conn
	r *resp.Reader
}

func (s *server) dial() (*conn, error) {
	c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)))
	if err != nil {
		return nil, err
	}
	return &conn{c, resp.NewReader(c)}, nil
}

func (c *conn) do(args ...string) (resp.Value, error) {
	if _, err := c.Write(resp.AppendCommandStrings(nil, args...)); err != nil {
		return resp.Value{}, err
	}
	v, err := c.r.Read()
	if err == nil && v.IsError() {
		err = fmt.Errorf("%s: %s", args[0], v.Str)
	}
	return v, err
}

// do runs one command on a connection of its own.
func (s *server) do(args ...string) (resp.Value, error) {
	c, err := s.dial()
	if err != nil {
		return resp.Value{}, err
	}
	defer c.Close()
	return c.do(args...)
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"time"

	"minikv/resp"
)

// A Session is one run of the client.
type Session struct {
	Target Target
	Format Format
	Pushes bool // show RESP3's pushes that come between replies
	Out    io.Writer
	Err    io.Writer
	// Fallback gives a reply to COMMAND DOCS where the server has none.
	Fallback func() (resp.Value, error)

	prompting bool // a person types
	inMulti   bool
	failed    bool // the last reply was an error
	docs      []doc
	known     bool // docs were asked for

	mu   sync.Mutex // conn is closed by an interrupt, too
	conn *conn
	cut  bool // by an interrupt
}

// errQuit ends the session.
var errQuit = errors.New("quit")

// Close ends the connection.
func (s *Session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != nil {
		s.conn.Close()
		s.conn = nil
	}
}

// connected returns the connection, making one if there is none.
func (s *Session) connected() (*conn, error) {
	s.mu.Lock()
	c := s.conn
	s.mu.Unlock()
	if c != nil {
		return c, nil
	}
	s.inMulti = false
	c, complaints, err := connect(context.Background(), s.Target)
	if err != nil {
		return nil, err
	}
	for _, complaint := range complaints {
		fmt.Fprintln(s.Err, complaint)
	}
	s.mu.Lock()
	s.conn, s.cut = c, false
	s.mu.Unlock()
	return c, nil
}

// Run runs one command and shows its reply. An error is about the connection;
// Failed tells whether the reply was one.
func (s *Session) Run(words [][]byte) error {
	s.mu.Lock()
	fresh := s.conn == nil
	s.mu.Unlock()
	err := s.attempt(words)
	if err == nil || fresh || s.interrupted() || is(words[0], "SHUTDOWN", "QUIT") {
		return s.settle(words, err)
	}
	s.Close() // the server may have gone and come back since
	return s.settle(words, s.attempt(words))
}

// settle leaves no broken connection behind.
func (s *Session) settle(words [][]byte, err error) error {
	if err == nil {
		return nil
	}
	s.Close()
	s.inMulti = false
	switch {
	case s.interrupted():
		return nil
	case is(words[0], "SHUTDOWN", "QUIT") && gone(err):
		return nil
	case errors.Is(err, io.EOF):
		//lint:ignore ST1005 redis-cli's text
		return errors.New("Error: Server closed the connection")
	}
	return err
}

func gone(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// Failed tells whether the last reply was an error.
func (s *Session) Failed() bool { return s.failed }

func (s *Session) interrupted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cut
}

func (s *Session) attempt(words [][]byte) error {
	c, err := s.connected()
	if err != nil {
		return err
	}
	if s.prompting {
		defer s.cutOnInterrupt(c)()
	}
	if err := c.send(words); err != nil {
		return err
	}
	if is(words[0], "MONITOR", "SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE") && !s.inMulti {
		return s.stream(c)
	}
	// These answer once for each channel, and in RESP3 by pushes alone.
	unsubscribing := is(words[0], "UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE") && !s.inMulti
	answers := 1
	if unsubscribing {
		answers = max(1, len(words)-1)
	}
	for answers > 0 {
		v, err := c.in.Read()
		if err != nil {
			return err
		}
		if v.Type == resp.TypePush && !unsubscribing {
			if s.Pushes {
				s.show(v, s.Format)
			}
			continue
		}
		answers--
		s.failed = v.IsError()
		if s.failed {
			answers = 0
		}
		s.show(v, s.formatOf(words))
		s.follow(words, v)
	}
	return nil
}

// stream shows whatever comes, until an interrupt or the end of the connection;
// a command that was refused ends it at once.
func (s *Session) stream(c *conn) error {
	if s.prompting {
		fmt.Fprintln(s.Out, "Reading messages... (press Ctrl-C to quit)")
	}
	for first := true; ; first = false {
		v, err := c.in.Read()
		if err != nil {
			return err
		}
		s.show(v, s.Format)
		if s.failed = v.IsError(); s.failed && first {
			return nil
		}
	}
}

// cutOnInterrupt lets Ctrl-C end the wait for a reply instead of the program.
func (s *Session) cutOnInterrupt(c *conn) (stop func()) {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-interrupts:
			s.mu.Lock()
			s.cut = true
			s.mu.Unlock()
			c.Close()
		case <-done:
		}
	}()
	return func() {
		signal.Stop(interrupts)
		close(done)
		<-ended
	}
}

func (s *Session) show(v resp.Value, f Format) { _, _ = io.WriteString(s.Out, f.show(v)) }

// formatOf is raw for replies that are meant to be read as they are.
func (s *Session) formatOf(words [][]byte) Format {
	if s.Format != Formatted {
		return s.Format
	}
	if is(words[0], "INFO", "LOLWUT") {
		return Raw
	}
	if len(words) > 1 {
		for _, pair := range [][]string{{"MEMORY", "MALLOC-STATS", "DOCTOR"}, {"CLUSTER", "INFO", "NODES"}, {"CLIENT", "LIST", "INFO"},
			{"LATENCY", "GRAPH", "DOCTOR"}, {"DEBUG", "HTSTATS", "HTSTATS-KEY"}, {"PROXY", "INFO"}} {
			if is(words[0], pair[0]) && is(words[1], pair[1:]...) {
				return Raw
			}
		}
	}
	return Formatted
}

// follow keeps what the prompt shows.
func (s *Session) follow(words [][]byte, v resp.Value) {
	switch {
	case is(words[0], "EXEC") && s.inMulti, is(words[0], "DISCARD") && !v.IsError():
		s.inMulti = false
	case v.IsError():
	case is(words[0], "MULTI"):
		s.inMulti = true
	case is(words[0], "RESET"):
		s.inMulti, s.Target.DB, s.Target.RESP3 = false, 0, false
	case s.inMulti:
	case is(words[0], "SELECT") && len(words) == 2:
		if n, err := strconv.Atoi(string(words[1])); err == nil {
			s.Target.DB = n
		}
	case is(words[0], "HELLO") && len(words) > 1:
		s.Target.RESP3 = string(words[1]) == "3"
	}
}

func (s *Session) prompt() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil {
		return "not connected> "
	}
	p := s.Target.String()
	if s.Target.DB != 0 {
		p += fmt.Sprintf("[%d]", s.Target.DB)
	}
	if s.inMulti {
		p += "(TX)"
	}
	return p + "> "
}

// learn asks for the commands' documentation, once.
func (s *Session) learn() {
	if s.known {
		return
	}
	c, err := s.connected()
	if err != nil {
		return
	}
	s.known = true
	_ = c.SetDeadline(time.Now().Add(dialTimeout))
	v, err := c.do(bytesOf([]string{"COMMAND", "DOCS"}))
	if err != nil {
		s.Close()
	}
	_ = c.SetDeadline(time.Time{})
	if err != nil || v.IsError() || len(v.Elems) == 0 {
		if v, err = s.Fallback(); err != nil {
			return
		}
	}
	s.docs = docsOf(v)
}

// A LineReader gives one line after the other; the error is io.EOF at the end.
type LineReader interface {
	ReadLine(prompt string) (string, error)
}

// Prompt reads commands that a person types into an editor.
func (s *Session) Prompt(editor LineReader) error {
	s.prompting = true
	if _, err := s.connected(); err != nil {
		fmt.Fprintln(s.Err, err)
	}
	for {
		s.learn()
		line, err := editor.ReadLine(s.prompt())
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch err := s.line(line); {
		case err == errQuit:
			return nil
		case err != nil:
			fmt.Fprintln(s.Err, err)
		case s.interrupted():
			fmt.Fprintln(s.Out) // behind ^C
			if _, err := s.connected(); err != nil {
				fmt.Fprintln(s.Err, err)
			}
		}
	}
}

// Lines reads commands from a file or a pipe, one a line. The first trouble
// with the connection ends it.
func (s *Session) Lines(in LineReader) error {
	for {
		line, err := in.ReadLine("")
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch err := s.line(line); {
		case err == errQuit:
			return nil
		case err != nil:
			return err
		}
	}
}

// line does what one line says.
func (s *Session) line(line string) error {
	words, ok := resp.SplitWords(nil, []byte(line))
	switch {
	case !ok:
		fmt.Fprintln(s.Out, "Invalid argument(s)")
		return nil
	case len(words) == 0:
		return nil
	case is(words[0], "QUIT", "EXIT"):
		return errQuit
	case is(words[0], "CLEAR") && len(words) == 1:
		_, _ = io.WriteString(s.Out, "\x1b[H\x1b[2J")
		return nil
	case is(words[0], "HELP", "?"):
		s.learn()
		_, _ = io.WriteString(s.Out, help(s.docs, strings.Fields(line)[1:]))
		return nil
	case is(words[0], "CONNECT") && len(words) == 3:
		return s.moveTo(string(words[1]), string(words[2]))
	}
	times := 1
	if n, err := strconv.Atoi(string(words[0])); err == nil && n > 0 && len(words) > 1 {
		times, words = n, words[1:]
	}
	for range times {
		if err := s.Run(words); err != nil {
			return err
		}
		if s.interrupted() {
			break
		}
	}
	return nil
}

// moveTo connects to another server.
func (s *Session) moveTo(host, port string) error {
	n, err := strconv.Atoi(port)
	if err != nil {
		return fmt.Errorf("%s is no port", port)
	}
	s.Close()
	s.Target.Host, s.Target.Port, s.Target.Socket, s.known = host, n, "", false
	_, err = s.connected()
	return err
}

package oracle

import (
	"errors"
	"time"

	"minikv/engine/transcript"
	"minikv/resp"
)

// Target is a server at an address.
//
// To tell whether a server is at rest it is asked something else, on another
// connection, twice. A server that serves all its connections in one loop, as
// Redis does, had what was sent before in its hands when it answered the first
// question, and had written all answers to it when it answered the second. So
// nothing sleeps and nothing is guessed.
//
// Of a server that is built otherwise only the contrary is known: it is not at
// rest as long as something is missing. That is what patience is for.
type Target struct {
	opt     Options
	control *link
	owed    int  // answers that control has not got
	stirred bool // something was sent since the server was last at rest
	gone    bool // the server accepts no connection any more
	conns   []*conn
}

var errNoAnswer = errors.New("oracle: no answer")

const (
	// gonePatience is how long after that an old connection may live.
	gonePatience = 2 * time.Second
	// controlPatience is how long the server may take to answer on the control
	// connection before it counts as paused.
	controlPatience = 300 * time.Millisecond
	// pausedPatience is the same once it counts so.
	pausedPatience = 10 * time.Millisecond
	// vainPatience is what is left of Options.Patience after waiting in vain:
	// the transcript fails in any case.
	vainPatience = 20 * time.Millisecond
	// margin is by how much a pause is longer than asked, for the server's
	// timers.
	margin = 25 * time.Millisecond
)

// Options say how to reach a server and what may be asked of it.
type Options struct {
	Addr     string
	Password string // of the default user, if it has one
	// Patience is how long to wait for what is missing. Zero trusts the server
	// to serve all connections in one loop.
	Patience time.Duration
	Advance  func(d time.Duration) error // lets time pass; nil sleeps
	Stop     func() error                // ends the server; nil leaves it
}

// Dial makes a target of a running server.
func Dial(opt Options) (*Target, error) {
	t := &Target{opt: opt}
	if opt.Advance == nil {
		t.opt.Advance = func(d time.Duration) error {
			time.Sleep(d + margin)
			return nil
		}
	}
	if err := t.connect(); err != nil {
		return nil, err
	}
	return t, nil
}

// connect makes the control connection, anew if the server has closed it.
func (t *Target) connect() error {
	control, err := dial(t.opt.Addr)
	if err != nil {
		t.gone = true
		return err
	}
	if t.control != nil {
		t.control.close()
	}
	t.control, t.owed = control, 0
	if t.opt.Password == "" {
		return nil
	}
	_, err = t.askOnce([]string{"AUTH", t.opt.Password})
	return err
}

// Open makes a new connection.
func (t *Target) Open() (transcript.Conn, error) {
	l, err := dial(t.opt.Addr)
	if err != nil {
		return nil, err
	}
	c := &conn{link: l, t: t}
	t.conns = append(t.conns, c)
	return c, nil
}

// Advance lets time pass.
func (t *Target) Advance(d time.Duration) error {
	t.stirred = true
	return t.opt.Advance(d)
}

// Close ends all connections, and the server if it is ours.
func (t *Target) Close() error {
	t.control.close()
	for _, c := range t.conns {
		c.close()
	}
	if t.opt.Stop != nil {
		return t.opt.Stop()
	}
	return nil
}

// ask asks on the control connection, on a new one if CLIENT KILL took the
// old. Not ok if there is no answer: clients are paused, or the server has gone.
func (t *Target) ask(args ...string) (answer resp.Value, ok bool) {
	answer, err := t.askOnce(args)
	if err == errNoAnswer || err != nil && t.connect() != nil {
		return answer, false
	}
	if err != nil {
		answer, err = t.askOnce(args)
	}
	return answer, err == nil
}

func (t *Target) askOnce(args []string) (answer resp.Value, err error) {
	if t.gone {
		return answer, errNoAnswer
	}
	if err := t.control.send(resp.AppendCommandStrings(nil, args...)); err != nil {
		return answer, err
	}
	patience := controlPatience
	if t.owed > 0 {
		patience = pausedPatience
	}
	deadline := time.Now().Add(patience)
	t.owed++
	for t.owed > 0 {
		v, found, err := t.control.next()
		switch {
		case err != nil:
			return answer, err
		case found:
			t.owed--
			answer = v
		case !t.control.await(deadline):
			return answer, errNoAnswer
		}
	}
	return answer, nil
}

// rest waits until the server is at rest.
func (t *Target) rest() {
	if !t.stirred {
		return
	}
	t.stirred = false
	for range 2 {
		// Something that MONITOR does not show.
		if _, ok := t.ask("CONFIG", "GET", "port"); !ok {
			return
		}
	}
}

type conn struct {
	*link
	t *Target
}

// Send sends a command.
func (c *conn) Send(args [][]byte) error {
	c.t.stirred = true
	return c.send(resp.AppendCommand(nil, args...))
}

// Receive returns the replies that came.
func (c *conn) Receive(enough transcript.Enough) ([]resp.Value, error) {
	c.t.rest()
	var replies []resp.Value
	patience := c.t.opt.Patience
	if c.t.gone {
		patience = gonePatience
	}
	trusted := c.t.opt.Patience == 0 && !c.t.gone
	deadline := time.Now().Add(patience)
	for {
		v, found, err := c.next()
		switch {
		case found:
			replies = append(replies, v)
		case err != nil:
			return replies, err
		case trusted || !c.t.gone && enough(replies, false):
			return replies, nil
		case !c.await(deadline):
			c.t.opt.Patience = min(c.t.opt.Patience, vainPatience)
			return replies, nil
		}
	}
}

// Waiting asks the server whether the client is blocked.
func (c *conn) Waiting(expected bool) (bool, error) {
	deadline := time.Now().Add(c.t.opt.Patience)
	for {
		answer, ok := c.t.ask("CLIENT", "LIST")
		if !ok || answer.IsError() {
			return true, nil // paused, or busy with this client's script
		}
		if blocked(answer.Str, c.local()) {
			return true, nil
		}
		if !expected || time.Now().After(deadline) {
			return false, nil
		}
		time.Sleep(time.Millisecond)
	}
}

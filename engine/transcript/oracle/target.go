package oracle

import (
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
	addr     string
	patience time.Duration
	stop     func() error
	control  *link
	owed     int  // answers that control has not got
	stirred  bool // something was sent since the server was last at rest
	gone     bool // the server accepts no connection any more
	conns    []*conn
}

const (
	// gonePatience is how long after that an old connection may live.
	gonePatience = 2 * time.Second
	// controlPatience is how long the server may take to answer on the control
	// connection before it counts as paused.
	controlPatience = 300 * time.Millisecond
	// margin is by how much a pause is longer than asked, for the server's
	// timers.
	margin = 25 * time.Millisecond
)

// Dial makes a target of the server at addr. With a patience of zero the
// server is trusted to serve all connections in one loop. stop, if not nil,
// ends the server.
func Dial(addr string, patience time.Duration, stop func() error) (*Target, error) {
	control, err := dial(addr)
	if err != nil {
		return nil, err
	}
	return &Target{addr: addr, patience: patience, stop: stop, control: control}, nil
}

// Open makes a new connection.
func (t *Target) Open() (transcript.Conn, error) {
	l, err := dial(t.addr)
	if err != nil {
		return nil, err
	}
	c := &conn{link: l, t: t}
	t.conns = append(t.conns, c)
	return c, nil
}

// Advance sleeps.
func (t *Target) Advance(d time.Duration) error {
	time.Sleep(d + margin)
	t.stirred = true
	return nil
}

// Close ends all connections, and the server if it is ours.
func (t *Target) Close() error {
	t.control.close()
	for _, c := range t.conns {
		c.close()
	}
	if t.stop != nil {
		return t.stop()
	}
	return nil
}

// ask asks on the control connection. Not ok if there is no answer: clients
// are paused, or the server has gone.
func (t *Target) ask(args ...string) (answer resp.Value, ok bool) {
	if t.gone {
		return answer, false
	}
	request := make([][]byte, len(args))
	for i, a := range args {
		request[i] = []byte(a)
	}
	if err := t.control.send(request); err != nil {
		return answer, false
	}
	t.owed++
	deadline := time.Now().Add(controlPatience)
	for t.owed > 0 {
		v, found, err := t.control.next()
		switch {
		case err != nil: // CLIENT KILL or SHUTDOWN
			if t.reconnect() != nil {
				return answer, false
			}
			return t.ask(args...)
		case found:
			t.owed--
			answer = v
		case !t.control.await(deadline):
			return answer, false
		}
	}
	return answer, true
}

// reconnect replaces a control connection that the server has closed.
func (t *Target) reconnect() error {
	control, err := dial(t.addr)
	if err != nil {
		t.gone = true
		return err
	}
	t.control.close()
	t.control, t.owed = control, 0
	return nil
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
	return c.send(args)
}

// Receive returns the replies that came.
func (c *conn) Receive(enough transcript.Enough) ([]resp.Value, error) {
	c.t.rest()
	var replies []resp.Value
	patience := c.t.patience
	if c.t.gone {
		patience = gonePatience
	}
	deadline := time.Now().Add(patience)
	for {
		v, found, err := c.next()
		switch {
		case found:
			replies = append(replies, v)
		case err != nil:
			return replies, err
		case !c.t.gone && (patience == 0 || enough(replies, false)) || !c.await(deadline):
			return replies, nil
		}
	}
}

// Waiting asks the server whether the client is blocked.
func (c *conn) Waiting() (bool, error) {
	deadline := time.Now().Add(c.t.patience)
	for {
		answer, ok := c.t.ask("CLIENT", "LIST")
		if !ok || answer.IsError() {
			return true, nil // paused, or busy with this client's script
		}
		if blocked(answer.Str, c.local()) {
			return true, nil
		}
		if time.Now().After(deadline) {
			return false, nil
		}
		time.Sleep(time.Millisecond)
	}
}

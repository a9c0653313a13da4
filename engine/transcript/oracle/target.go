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
// nothing sleeps and nothing is guessed. The question is a command inside a
// MULTI that never ends: that is answered and shows nowhere, not in statistics,
// SLOWLOG or MONITOR. While CLIENT PAUSE holds all commands it is one that
// does not exist, which is answered then, too, but counted as an error.
//
// Of a server that is built otherwise only the contrary is known: it is not at
// rest as long as something is missing. That is what patience is for.
type Target struct {
	opt     Options
	fence   inquiry // queues commands
	alarm   inquiry // asks for what does not exist
	list    inquiry // CLIENT LIST, for who is blocked
	stirred bool    // something was sent since the server was last at rest
	conns   []*conn
}

const (
	// gonePatience is how long an old connection may live when the server
	// accepts no new ones.
	gonePatience = 2 * time.Second
	// fencePatience is how long a server may take to answer until clients count
	// as paused.
	fencePatience = 50 * time.Millisecond
	// answerPatience is the same where pausing makes no difference; a script
	// may keep the server from answering until it is busy.
	answerPatience = 10 * time.Second
	// pausePatience is how long a server that is not Redis may take to say who is
	// blocked until all clients count as paused, as is expected then.
	pausePatience = 250 * time.Millisecond
	// fenceAttempts bounds how often the fence is set up again. A server that
	// ends may accept a last connection.
	fenceAttempts = 5
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
	t.fence = inquiry{addr: opt.Addr, password: opt.Password, multi: true}
	t.alarm = inquiry{addr: opt.Addr}
	t.list = inquiry{addr: opt.Addr, password: opt.Password}
	return t, t.fence.connect()
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
	t.fence.close()
	t.alarm.close()
	t.list.close()
	for _, c := range t.conns {
		c.close()
	}
	if t.opt.Stop != nil {
		return t.opt.Stop()
	}
	return nil
}

// rest waits until the server is at rest.
func (t *Target) rest() {
	if !t.stirred {
		return
	}
	t.stirred = false
	t.pass()
}

// pass asks until it was answered twice in a row. What was sent may have closed
// the connection, by CLIENT KILL or SHUTDOWN; then the count begins again.
func (t *Target) pass() {
	for answered, failed := 0, 0; answered < 2 && failed < fenceAttempts && !t.fence.refused; {
		if t.question() {
			answered++
		} else {
			answered = 0
			failed++
		}
	}
}

// question asks once and waits for the answer.
func (t *Target) question() (answered bool) {
	if t.fence.owed == 0 || t.fence.ready() {
		if t.fence.ask("PING") != nil {
			return false
		}
		_, err := t.fence.answer(fencePatience)
		if err != errNoAnswer {
			return err == nil
		}
	}
	if t.alarm.ask("atrest") != nil { // clients are paused
		return false
	}
	_, err := t.alarm.answer(answerPatience)
	t.alarm.close()
	return err == nil
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
	gone := c.t.fence.refused
	trusted := c.t.opt.Patience == 0 && !gone
	deadline := time.Now().Add(c.t.opt.Patience)
	if gone {
		deadline = time.Now().Add(gonePatience)
	}
	for {
		v, found, err := c.next()
		switch {
		case found:
			replies = append(replies, v)
		case err != nil:
			return replies, err
		case trusted || !gone && enough(replies):
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
		if err := c.t.list.ask("CLIENT", "LIST"); err != nil {
			return false, err
		}
		if c.t.opt.Patience == 0 {
			if c.t.pass(); !c.t.list.ready() {
				return true, nil // paused
			}
		}
		patience := answerPatience
		if expected && c.t.opt.Patience > 0 {
			patience = pausePatience
		}
		answer, err := c.t.list.answer(patience)
		if err == errNoAnswer && patience == pausePatience {
			return true, nil // paused, until Advance ends that
		}
		c.t.list.close() // so that the server always counts the same clients
		if err != nil {
			return false, err
		}
		if answer.IsError() || blocked(answer.Str, c.local()) {
			return true, nil // an error: the server is busy with this client's script
		}
		if !expected || time.Now().After(deadline) {
			return false, nil
		}
		time.Sleep(time.Millisecond)
	}
}

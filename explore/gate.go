package explore

import (
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"

	"minikv/engine"
	"minikv/resp"
)

// gate is a connection of a client to a node. What the client writes stays at
// the gate until the schedule lets it through; while it does the client is
// paused, so that no deadline of its own runs out.
type gate struct {
	c      *Client
	n      *liveNode
	serial int // of the client's connections to the node

	// The rest is guarded by the play's mutex.
	cl      *engine.Client // nil: the node has not seen it yet
	in      []byte         // the beginning of a command
	queue   []command
	multi   []string // the commands that wait for EXEC; nil: there is no transaction
	out     []byte   // for the client to read
	held    []byte   // a reply on its way, while the client is paused
	asked   string   // the name of its command
	failed  error    // what the client's reads and writes answer
	closed  bool     // by the client
	stopped time.Time
	readBy  time.Time
	wake    chan struct{}
}

// command is what a client has written.
type command struct {
	argv  [][]byte
	shown []string // with names; nil until it stands at the gate
	order []string // by what it sorts
}

// atOnce are the commands that need no turn: they concern nobody but their own
// connection.
var atOnce = map[string]bool{"HELLO": true, "AUTH": true, "SELECT": true, "MULTI": true, "DISCARD": true, "READONLY": true,
	"CLIENT SETINFO": true, "CLIENT SETNAME": true, "CLIENT GETNAME": true, "CLIENT ID": true, "CLIENT MAINT_NOTIFICATIONS": true}

func (m *command) name() string { return strings.ToUpper(string(m.argv[0])) }

// passes tells whether the first command at the gate needs no turn.
func (g *gate) passes() bool {
	if len(g.queue) == 0 {
		return false
	}
	m := &g.queue[0]
	name := m.name()
	if g.multi != nil {
		return name != "EXEC"
	}
	if name == "CLIENT" && len(m.argv) > 1 {
		name += " " + strings.ToUpper(string(m.argv[1]))
	}
	return atOnce[name]
}

// waits tells whether the client stands at the gate.
func (g *gate) waits() bool { return len(g.queue) > 0 || g.held != nil }

// Read waits for replies. A deadline counts only while no command stands at the
// gate.
func (g *gate) Read(b []byte) (int, error) {
	p := g.c.p
	for {
		p.mu.Lock()
		n := copy(b, g.out)
		g.out = g.out[n:]
		err, runs := g.failed, !g.readBy.IsZero() && !g.waits()
		left := time.Until(g.readBy)
		p.mu.Unlock()
		switch {
		case n > 0:
			return n, nil
		case err != nil:
			return 0, err
		case !runs:
			<-g.wake
			continue
		case left <= 0:
			return 0, os.ErrDeadlineExceeded
		}
		timer := time.NewTimer(left)
		select {
		case <-g.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// Write brings commands to the gate.
func (g *gate) Write(b []byte) (int, error) {
	p := g.c.p
	p.mu.Lock()
	if err, since := g.failed, g.c.stopped; err != nil {
		p.mu.Unlock()
		if !since.IsZero() {
			g.c.wearOut(since)
		}
		return 0, err
	}
	defer p.mu.Unlock()
	stood := g.waits()
	g.in = append(g.in, b...)
	for len(g.in) > 0 {
		v, n, err := resp.Decode(g.in)
		if errors.Is(err, resp.ErrIncomplete) {
			break
		}
		if err != nil || v.Type != resp.TypeArray || len(v.Elems) == 0 {
			g.failed = syscall.ECONNRESET
			return 0, g.failed
		}
		m := command{}
		for _, el := range v.Elems {
			m.argv = append(m.argv, []byte(el.Str))
		}
		g.queue = append(g.queue, m)
		g.in = g.in[n:]
	}
	if !stood && g.waits() {
		g.stopped = time.Now()
	}
	p.signal()
	return len(b), nil
}

// wearOut ends a client that does not end by itself, though it is dead or its
// schedule is over: each write that is refused takes time, and in the end so
// does the goroutine.
func (c *Client) wearOut(since time.Time) {
	const takes, patience = time.Second, 10 * time.Minute
	if time.Since(since) > patience {
		runtime.Goexit()
	}
	time.Sleep(takes)
}

// goesOn wakes the reader; a deadline is moved by the time that the client
// stood at the gate.
func (g *gate) goesOn() {
	if now := time.Now(); !g.stopped.IsZero() {
		if !g.readBy.IsZero() {
			g.readBy = g.readBy.Add(now.Sub(g.stopped))
		}
		g.stopped = time.Time{}
		if g.waits() {
			g.stopped = now
		}
	}
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// deliver hands a reply to the client.
func (g *gate) deliver(out []byte) {
	g.out = append(g.out, out...)
	g.goesOn()
}

// fail ends the connection from the node's side, or because the client is dead.
func (g *gate) fail(err error) {
	if g.failed == nil {
		g.failed = err
	}
	g.queue, g.held = nil, nil
	g.goesOn()
}

// Close is the client's.
func (g *gate) Close() error {
	p := g.c.p
	p.mu.Lock()
	defer p.mu.Unlock()
	g.closed = true
	g.fail(net.ErrClosed)
	p.signal()
	return nil
}

// SetReadDeadline is a net.Conn's.
func (g *gate) SetReadDeadline(t time.Time) error {
	p := g.c.p
	p.mu.Lock()
	defer p.mu.Unlock()
	g.readBy = t
	select {
	case g.wake <- struct{}{}:
	default:
	}
	return nil
}

// SetWriteDeadline is a net.Conn's. A write never waits.
func (g *gate) SetWriteDeadline(time.Time) error { return nil }

// SetDeadline is a net.Conn's.
func (g *gate) SetDeadline(t time.Time) error { return g.SetReadDeadline(t) }

// LocalAddr is a net.Conn's.
func (g *gate) LocalAddr() net.Addr { return gateAddr("client " + g.c.name) }

// RemoteAddr is a net.Conn's.
func (g *gate) RemoteAddr() net.Addr { return gateAddr(g.c.p.s.nodeName(g.n.index)) }

type gateAddr string

func (gateAddr) Network() string  { return "explore" }
func (a gateAddr) String() string { return string(a) }

// lost is what a client sees of a connection that is gone.
var lost = &net.OpError{Op: "read", Net: "explore", Err: io.ErrUnexpectedEOF}

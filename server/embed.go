package server

import (
	"context"
	"net"

	"minikv/engine"
	"minikv/resp"
)

// What a program that embeds a server, above all a test, uses besides Start,
// Do and Close. Package minikvtest offers the same tied to a testing.T.

// Value is a decoded reply.
type Value = resp.Value

// Dial is DialMemoryContext in the form that clients want for their dialers,
// go-redis's Options.Dialer among them. It looks at neither network nor address.
func (s *Server) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return s.DialMemoryContext(ctx)
}

// Addr is an address, host and port, where clients can connect over TCP. If the
// server does not listen on any it opens a free port of the loopback interface.
func (s *Server) Addr() (string, error) {
	if err := s.Listen(); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != stateListening {
		return "", ErrClosed
	}
	for _, ln := range s.listeners {
		if ln.kind == plainListener {
			return ln.Addr().String(), nil
		}
	}
	n := len(s.listeners)
	if err := s.bindAll(plainListener, []place{{network: "tcp", addr: "127.0.0.1:0"}}); err != nil {
		return "", err
	}
	s.accepting(s.listeners[n])
	return s.listeners[n].Addr().String(), nil
}

// URL is Addr as a redis:// URL.
func (s *Server) URL() (string, error) {
	addr, err := s.Addr()
	if err != nil {
		return "", err
	}
	return "redis://" + addr, nil
}

// Reset deletes all data, in every database, and removes all faults. Scripts,
// configuration and connections stay.
func (s *Server) Reset() error {
	return s.inLoop(func() {
		s.loop.eng.Reset(s.loop.now())
		s.loop.settle()
	})
}

// Dump is the data as text, sorted: for people and golden files.
func (s *Server) Dump() (text string, err error) {
	err = s.Run(func(e *engine.Engine, now int64) { text = e.Dump(now) })
	return text, err
}

// Snapshot is the state of a server at one moment: data, deadlines, scripts,
// configuration, randomness, what its clients were doing, and the time if that
// stood still. It is good for Restore, again and again, until Release.
type Snapshot struct {
	of    *Server
	state *engine.Snapshot
	clock VirtualClock
}

// Snapshot takes the state.
func (s *Server) Snapshot() (*Snapshot, error) {
	snap := &Snapshot{of: s}
	err := s.Run(func(e *engine.Engine, _ int64) {
		snap.state = e.Snapshot()
		if clock, ok := s.loop.clock.(*VirtualClock); ok {
			snap.clock = *clock
		}
	})
	return snap, err
}

// Restore puts the server back into the state. A client that has connected
// since is as if it had just connected; output that nobody has read is lost.
func (snap *Snapshot) Restore() error {
	return snap.of.inLoop(func() {
		l := snap.of.loop
		l.eng.Restore(snap.state)
		if clock, ok := l.clock.(*VirtualClock); ok && snap.clock.at != 0 && snap.clock.since.IsZero() {
			*clock = snap.clock
		}
		l.tick()
		l.settle()
	})
}

// Release ends the snapshot: values that have changed since are no longer kept.
func (snap *Snapshot) Release() error {
	return snap.of.Run(func(*engine.Engine, int64) { snap.state.Release() })
}

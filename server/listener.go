package server

import (
	"crypto/tls"
	"errors"
	"net"
	"sync/atomic"
	"time"

	"github.com/tidwall/redcon"

	"minikv/engine"
)

// listener is a listener as redcon sees it: what it accepts is guarded, and an
// error other than the end does not make redcon spin.
type listener struct {
	net.Listener
	server  *Server
	kind    listenerKind
	retired atomic.Bool
}

func (s *Server) newListener(ln net.Listener, kind listenerKind) *listener {
	return &listener{Listener: ln, server: s, kind: kind}
}

// retire ends the listener, but not its connections: redcon would close them
// if it heard of the end, so it does not before the server's.
func (ln *listener) retire() {
	ln.retired.Store(true)
	ln.Listener.Close()
}

func (ln *listener) Accept() (net.Conn, error) {
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		conn, err := ln.Listener.Accept()
		switch {
		case err == nil:
			return ln.guarded(conn), nil
		case ln.retired.Load():
			<-ln.server.ending
			return nil, net.ErrClosed
		case errors.Is(err, net.ErrClosed):
			return nil, err
		}
		ln.server.logf(engine.LogWarning, "Accepting client connection: %v", err)
		select {
		case <-time.After(wait):
		case <-ln.server.ending:
			return nil, net.ErrClosed
		}
	}
}

// guarded makes the session of a connection and returns its guard.
func (ln *listener) guarded(conn net.Conn) net.Conn {
	s := ln.server
	session := &session{server: s, loop: s.loop, raw: conn, answers: make(chan answer, 1)}
	session.info = s.describe(conn)
	session.unauth.Store(true)
	if tcp, ok := conn.(*net.TCPConn); ok {
		s.keepAlive(tcp)
	}
	if ln.kind == tlsListener {
		session.info.TLS = true
		conn = tls.Server(conn, s.secure.Load())
	}
	session.guard = &guard{Conn: conn, judge: session}
	return session.guard
}

// keepAlive sets what tcp-keepalive says, 0 meaning never.
func (s *Server) keepAlive(conn *net.TCPConn) {
	every := time.Duration(s.loop.rules.keepAlive.Load()) * time.Second
	if every == 0 {
		return
	}
	conn.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: every, Interval: max(every/3, time.Second), Count: 3})
}

// accepting has a new listener's connections served. The caller holds s.mu.
func (s *Server) accepting(ln *listener) {
	s.running.Add(1)
	go s.serve(ln)
}

// serve lets redcon accept from a listener until it is closed.
func (s *Server) serve(ln net.Listener) {
	defer s.running.Done()
	redcon.Serve(ln, handle, s.accept, s.closed)
}

func sessionOf(conn redcon.Conn) *session { return conn.NetConn().(*guard).judge.(*session) }

func handle(conn redcon.Conn, cmd redcon.Command) { sessionOf(conn).serve(conn, cmd) }

// accept is asked by redcon whether it is to serve a new connection.
func (s *Server) accept(conn redcon.Conn) bool {
	session := sessionOf(conn)
	if s.down.Load() {
		return false
	}
	if !s.loop.gate.enter(s.ending) {
		return false
	}
	if refusal := s.loop.rules.letIn(session.info.Local); refusal != "" {
		if refusal == maxClientsRefusal {
			s.loop.inbox.call(s.loop.eng.CountRejected)
		}
		if !session.info.TLS {
			session.raw.Write([]byte(refusal))
		}
		s.loop.gate.leave()
		return false
	}
	if s.adopt(session) {
		return false // the event loop has it
	}
	s.running.Add(1)
	s.loop.inbox.post(session, newsConnect)
	return true
}

// closed is called by redcon when a connection is over.
func (s *Server) closed(conn redcon.Conn, _ error) {
	s.loop.inbox.post(sessionOf(conn), newsClosed)
}

// describe says who a connection is.
func (s *Server) describe(conn net.Conn) engine.ConnInfo {
	info := engine.ConnInfo{Addr: conn.RemoteAddr().String(), LAddr: conn.LocalAddr().String(), FD: int(s.connections.Add(1)) + 7}
	switch addr := conn.RemoteAddr().(type) {
	case *net.TCPAddr:
		info.Local = addr.IP.IsLoopback()
	case *net.UnixAddr:
		info.Local, info.Unix = true, true
		info.LAddr += ":0"
		info.Addr = info.LAddr
	case memoryAddr:
		info.Local = true
	}
	return info
}

package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/redcon"

	"minikv/engine"
	"minikv/engine/config"
)

// bind opens all listeners that the configuration asks for.
func (s *Server) bind(c *config.Config) error {
	if s.opt.Addr != "" {
		ln, err := listenTCP("tcp", s.opt.Addr, c)
		if err != nil {
			return err
		}
		s.listen(ln, nil)
	} else if c.Port != 0 {
		if err := s.bindPort(c, c.Port, nil); err != nil {
			return err
		}
	}
	if c.TLSPort != 0 {
		conf, err := tlsConfig(c)
		if err != nil {
			return err
		}
		if err := s.bindPort(c, c.TLSPort, conf); err != nil {
			return err
		}
	}
	if c.UnixSocket != "" {
		return s.bindUnix(c)
	}
	return nil
}

// bindPort listens on a port of every address of the bind directive. An
// address with a minus sign in front may be missing from this machine.
func (s *Server) bindPort(c *config.Config, port int, secure *tls.Config) error {
	bound := 0
	for _, name := range c.Bind {
		host, optional := strings.CutPrefix(name, "-")
		network := "tcp4"
		if strings.Contains(host, ":") {
			network = "tcp6"
		}
		switch host {
		case "*":
			host = "0.0.0.0"
		case "::*":
			host = "::"
		}
		addr := net.JoinHostPort(host, strconv.Itoa(port))
		ln, err := listenTCP(network, addr, c)
		if err != nil {
			if optional && notHere(err) {
				continue
			}
			return err
		}
		bound++
		s.listen(ln, secure)
	}
	if bound == 0 && len(c.Bind) > 0 {
		return fmt.Errorf("could not listen on any address of bind %s", strings.Join(c.Bind, " "))
	}
	return nil
}

func listenTCP(network, addr string, c *config.Config) (net.Listener, error) {
	listen := net.ListenConfig{KeepAliveConfig: keepAlive(c)}
	ln, err := listen.Listen(context.Background(), network, addr)
	if err != nil {
		return nil, fmt.Errorf("could not create server TCP listening socket %s: %w", addr, err)
	}
	return ln, nil
}

func keepAlive(c *config.Config) net.KeepAliveConfig {
	every := time.Duration(c.TCPKeepAlive) * time.Second
	return net.KeepAliveConfig{
		Enable:   every > 0,
		Idle:     every,
		Interval: max(every/3, time.Second),
		Count:    3,
	}
}

// bindUnix listens on the unix socket, in place of a file that is there.
func (s *Server) bindUnix(c *config.Config) error {
	os.Remove(c.UnixSocket)
	ln, err := net.Listen("unix", c.UnixSocket)
	if err != nil {
		return fmt.Errorf("could not open the unix socket: %w", err)
	}
	s.listen(ln, nil)
	if c.UnixSocketPerm != 0 {
		return os.Chmod(c.UnixSocket, os.FileMode(c.UnixSocketPerm))
	}
	return nil
}

// listen adds a listener; redcon accepts from it once the server serves.
func (s *Server) listen(ln net.Listener, secure *tls.Config) {
	s.listeners = append(s.listeners, &guardedListener{Listener: ln, server: s, secure: secure})
}

// guardedListener is a listener as redcon sees it: what it accepts is guarded,
// and an error other than the end does not make redcon spin.
type guardedListener struct {
	net.Listener
	server *Server
	secure *tls.Config // nil: plain
}

func (ln *guardedListener) Accept() (net.Conn, error) {
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		conn, err := ln.Listener.Accept()
		if err == nil {
			return ln.server.guarded(conn, ln.secure), nil
		}
		if errors.Is(err, net.ErrClosed) {
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
func (s *Server) guarded(conn net.Conn, secure *tls.Config) net.Conn {
	session := &session{server: s, loop: s.loop, raw: conn, answers: make(chan answer, 1)}
	session.info = s.describe(conn)
	session.unauth.Store(true)
	if secure != nil {
		session.info.TLS = true
		conn = tls.Server(conn, secure)
	}
	session.guard = &guard{Conn: conn, judge: session}
	return session.guard
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
	if refusal := s.loop.rules.letIn(session.info.Local); refusal != "" {
		if refusal == maxClientsRefusal {
			s.loop.inbox.call(s.loop.eng.CountRejected)
		}
		if !session.info.TLS {
			session.raw.Write([]byte(refusal))
		}
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

// notHere tells that an address cannot be used on this machine.
func notHere(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) || unavailable(err)
}

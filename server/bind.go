package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"minikv/engine"
	"minikv/engine/config"
)

// listenerKind tells the directives that a listener comes from.
type listenerKind uint8

const (
	plainListener    listenerKind = iota // port and bind, or Options.Addr
	tlsListener                          // tls-port and bind
	unixListener                         // unixsocket
	inMemoryListener                     // DialMemory
)

// place is an address to listen on.
type place struct {
	network, addr string
	optional      bool // this machine may not have it
}

// places are those of the bind directive, at a port; none for port 0.
func places(c *config.Config, port int) []place {
	if port == 0 {
		return nil
	}
	var list []place
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
		list = append(list, place{network, net.JoinHostPort(host, strconv.Itoa(port)), optional})
	}
	return list
}

// bind opens all listeners that the configuration asks for.
func (s *Server) bind(c *config.Config) error {
	plain := places(c, c.Port)
	if s.opt.Addr != "" {
		plain = []place{{network: "tcp", addr: s.opt.Addr}}
	}
	if err := s.bindAll(plainListener, plain); err != nil {
		return err
	}
	if c.TLSPort != 0 {
		if err := s.loadTLS(c); err != nil {
			return err
		}
		if err := s.bindAll(tlsListener, places(c, c.TLSPort)); err != nil {
			return err
		}
	}
	if c.UnixSocket != "" {
		return s.bindUnix(c)
	}
	return nil
}

// bindAll listens on all places, or on none.
func (s *Server) bindAll(kind listenerKind, list []place) error {
	var opened []*listener
	for _, p := range list {
		ln, err := p.listen()
		if err != nil && p.optional && notHere(err) {
			continue
		}
		if err != nil {
			for _, ln := range opened {
				ln.Close()
			}
			return err
		}
		opened = append(opened, s.newListener(ln, kind))
	}
	s.listeners = append(s.listeners, opened...)
	return nil
}

func (p place) listen() (net.Listener, error) {
	listen := net.ListenConfig{KeepAlive: -1} // that is set when a connection comes
	ln, err := listen.Listen(context.Background(), p.network, p.addr)
	if err != nil {
		return nil, fmt.Errorf("could not create server TCP listening socket %s: %w", p.addr, err)
	}
	return ln, nil
}

// bindUnix listens on the unix socket, in place of a file that is there.
func (s *Server) bindUnix(c *config.Config) error {
	os.Remove(c.UnixSocket)
	ln, err := net.Listen("unix", c.UnixSocket)
	if err != nil {
		return fmt.Errorf("could not open the unix socket: %w", err)
	}
	s.listeners = append(s.listeners, s.newListener(ln, unixListener))
	if c.UnixSocketPerm != 0 {
		return os.Chmod(c.UnixSocket, os.FileMode(c.UnixSocketPerm))
	}
	return nil
}

// loadTLS reads the files that the tls- directives name.
func (s *Server) loadTLS(c *config.Config) error {
	conf, err := tlsConfig(c)
	if err == nil {
		s.secure.Store(conf)
	}
	return err
}

// reconfigured carries out what CONFIG SET asks of the network. The loop calls
// it before the command is answered; after an error the engine has the old
// configuration again.
func (s *Server) reconfigured(changed []string) error {
	c := s.loop.eng.Config()
	has := func(name string) bool { return slices.Contains(changed, name) }
	tlsFiles := slices.ContainsFunc(changed, func(name string) bool { return strings.HasPrefix(name, "tls-") })
	if has("dir") {
		if err := enterDir(c); err != nil {
			return config.Failed("dir", err.Error())
		}
	}
	if c.TLSPort != 0 && tlsFiles {
		if err := s.loadTLS(c); err != nil {
			s.logf(engine.LogWarning, "Failed to configure TLS: %v", err)
			return config.Failed(firstOf(changed, "tls-"), "Unable to update TLS configuration. Check server logs.")
		}
	}
	var err error
	if has("port") || has("bind") {
		err = s.rebind(plainListener, places(c, c.Port))
	}
	if err == nil && (has("tls-port") || has("bind")) {
		err = s.rebind(tlsListener, places(c, c.TLSPort))
	}
	switch {
	case err == nil:
		return nil
	case has("bind"):
		return config.Failed("bind", "Failed to bind to specified addresses.")
	}
	return config.Failed(firstOf(changed, "port", "tls-port"), "Unable to listen on this port. Check server logs.")
}

// firstOf is the first of the names that begins with one of the prefixes.
func firstOf(names []string, prefixes ...string) string {
	for _, name := range names {
		for _, prefix := range prefixes {
			if strings.HasPrefix(name, prefix) {
				return name
			}
		}
	}
	return ""
}

// rebind moves the listeners of a kind to other places; connections stay. If
// that fails they listen where they did.
func (s *Server) rebind(kind listenerKind, list []place) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != stateListening || s.opt.NoNetwork {
		return nil
	}
	var old []place
	s.listeners = slices.DeleteFunc(s.listeners, func(ln *listener) bool {
		if ln.kind != kind {
			return false
		}
		addr := ln.Addr()
		network := "tcp4"
		if addr.(*net.TCPAddr).IP.To4() == nil {
			network = "tcp6"
		}
		old = append(old, place{network: network, addr: addr.String()})
		ln.retire()
		return true
	})
	kept := len(s.listeners)
	err := s.bindAll(kind, list)
	if err != nil {
		s.logf(engine.LogWarning, "%v", err)
		if again := s.bindAll(kind, old); again != nil {
			s.logf(engine.LogWarning, "Restoring the listeners: %v", again)
		}
	}
	for _, ln := range s.listeners[kept:] {
		s.accepting(ln)
	}
	return err
}

// notHere tells that an address cannot be used on this machine.
func notHere(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) || unavailable(err)
}

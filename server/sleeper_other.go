//go:build !linux

package server

// chooseSleeper: everything comes through the inbox.
func (s *Server) chooseSleeper() error {
	s.loop.sleep = newNaps()
	return nil
}

// adopt hands a connection to the event loop, which is not there.
func (s *Server) adopt(*session) bool { return false }

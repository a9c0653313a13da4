package server

import (
	"net"
	"testing"
)

// Who has sent his last still gets the replies to what stands behind a command
// that is carried out outside the loop.
func TestRequestOfAHalfClosedConnection(t *testing.T) {
	t.Parallel()
	for range 20 {
		s := newServer(t, "event-loop")
		c := s.testClient(t, "event-loop")
		c.send("MEMORY PURGE", "PING")
		if err := c.Conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		c.expect("+OK\r\n+PONG\r\n")
		c.expectEnd()
	}
}

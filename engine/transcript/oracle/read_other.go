//go:build !unix

package oracle

import (
	"errors"
	"net"
	"os"
	"syscall"
	"time"
)

// readNow reads what is there, and waits for it a little, since this system
// has no way not to wait.
func readNow(c *net.TCPConn, buf []byte) (n int, err error) {
	if err := c.SetReadDeadline(time.Now().Add(10 * time.Millisecond)); err != nil {
		return 0, err
	}
	n, err = c.Read(buf)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil
	}
	return n, err
}

func wasReset(err error) bool { return errors.Is(err, syscall.ECONNRESET) }

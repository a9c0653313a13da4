//go:build unix

package oracle

import (
	"errors"
	"io"
	"net"
	"syscall"
)

// readNow reads what is there without waiting: nothing and no error if there
// is nothing.
func readNow(c *net.TCPConn, buf []byte) (n int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	if e := raw.Read(func(fd uintptr) bool {
		n, err = syscall.Read(int(fd), buf)
		return true
	}); e != nil {
		return 0, e
	}
	switch {
	case err == syscall.EAGAIN || err == syscall.EINTR:
		return 0, nil
	case err != nil:
		return 0, err
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

func wasReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

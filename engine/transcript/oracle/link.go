package oracle

import (
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"minikv/resp"
)

// link is a connection whose replies are read without waiting for them.
type link struct {
	conn *net.TCPConn
	in   []byte // read and not decoded
	err  error  // why nothing more comes
}

func dial(addr string) (*link, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &link{conn: c.(*net.TCPConn)}, nil
}

func (l *link) close() {
	_ = l.conn.Close() // nothing is lost by a failure: both ends go
}

// local is our address, by which the server knows the client.
func (l *link) local() string { return l.conn.LocalAddr().String() }

// send writes an encoded command. That the server has closed the connection shows when
// its replies are read.
func (l *link) send(command []byte) error {
	_, err := l.conn.Write(command)
	if isClosed(err) {
		return nil
	}
	return err
}

// next takes one reply of those that are here. The error is io.EOF once the
// server has closed the connection and all replies are taken.
func (l *link) next() (v resp.Value, found bool, err error) {
	l.fill()
	v, n, err := resp.Decode(l.in)
	switch err {
	case nil:
		l.in = l.in[n:]
		return v, true, nil
	case resp.ErrIncomplete:
		return v, false, l.err
	}
	return v, false, err
}

// fill reads what the system holds for the connection.
func (l *link) fill() {
	var buf [64 << 10]byte
	for l.err == nil {
		n, err := readNow(l.conn, buf[:])
		l.in = append(l.in, buf[:n]...)
		switch {
		case isClosed(err):
			l.err = io.EOF
		case err != nil:
			l.err = err
		case n <= 0:
			return
		}
	}
}

// await waits until something comes, and tells whether it did.
func (l *link) await(deadline time.Time) bool {
	if l.err != nil || l.conn.SetReadDeadline(deadline) != nil {
		return false
	}
	var buf [4 << 10]byte
	n, err := l.conn.Read(buf[:])
	l.in = append(l.in, buf[:n]...)
	if isClosed(err) {
		l.err = io.EOF
	} else if err := l.conn.SetReadDeadline(time.Time{}); err != nil {
		l.err = err
	}
	return n > 0 || l.err != nil
}

func isClosed(err error) bool {
	return err != nil && (errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || wasReset(err))
}

// blocked finds a client by its address in the answer to CLIENT LIST and tells
// whether it has the flag of a blocked one.
func blocked(list, addr string) bool {
	for line := range strings.Lines(list) {
		if !strings.Contains(line, " addr="+addr+" ") {
			continue
		}
		_, flags, _ := strings.Cut(line, " flags=")
		flags, _, _ = strings.Cut(flags, " ")
		return strings.Contains(flags, "b")
	}
	return false
}

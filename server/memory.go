package server

import (
	"context"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// In-memory connections: what DialMemory gives. Both ends have buffers and
// deadlines like a socket's, and block on nothing but condition variables and
// channels, so a test may keep a server, its clients and their clocks in a
// testing/synctest bubble.

// pipeSize is how many bytes each direction holds before a writer waits.
const pipeSize = 256 << 10

// memoryAddr is the address of both ends.
type memoryAddr struct{}

func (memoryAddr) Network() string { return "memory" }
func (memoryAddr) String() string  { return "memory:0" }

// memoryListener hands the server's ends of new pipes to redcon.
type memoryListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newMemoryListener() *memoryListener {
	return &memoryListener{conns: make(chan net.Conn), done: make(chan struct{})}
}

// dial makes a connection and returns the client's end.
func (ln *memoryListener) dial(ctx context.Context) (net.Conn, error) {
	ours, theirs := memoryPipe()
	select {
	case ln.conns <- theirs:
		return ours, nil
	case <-ln.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (ln *memoryListener) Accept() (net.Conn, error) {
	select {
	case conn := <-ln.conns:
		return conn, nil
	case <-ln.done:
		return nil, net.ErrClosed
	}
}

func (ln *memoryListener) Close() error {
	ln.once.Do(func() { close(ln.done) })
	return nil
}

func (ln *memoryListener) Addr() net.Addr { return memoryAddr{} }

// memoryConn is one end of a pipe.
type memoryConn struct{ in, out *stream }

func memoryPipe() (a, b net.Conn) {
	ab, ba := newStream(), newStream()
	return &memoryConn{in: ba, out: ab}, &memoryConn{in: ab, out: ba}
}

func (c *memoryConn) Read(p []byte) (int, error)  { return c.in.read(p) }
func (c *memoryConn) Write(p []byte) (int, error) { return c.out.write(p) }
func (c *memoryConn) LocalAddr() net.Addr         { return memoryAddr{} }
func (c *memoryConn) RemoteAddr() net.Addr        { return memoryAddr{} }

// Close ends both directions: the peer reads what was written, then io.EOF.
func (c *memoryConn) Close() error {
	c.out.closeWrite()
	c.in.closeRead()
	return nil
}

func (c *memoryConn) SetDeadline(t time.Time) error {
	c.in.readers.set(c.in, t)
	c.out.writers.set(c.out, t)
	return nil
}

func (c *memoryConn) SetReadDeadline(t time.Time) error {
	c.in.readers.set(c.in, t)
	return nil
}

func (c *memoryConn) SetWriteDeadline(t time.Time) error {
	c.out.writers.set(c.out, t)
	return nil
}

// stream is one direction of a pipe.
type stream struct {
	mu      sync.Mutex
	buf     []byte // bytes not read yet are buf[at:]
	at      int
	readers side
	writers side
}

// side is what readers, or writers, wait on.
type side struct {
	wake     *sync.Cond
	closed   bool // this side is: its calls fail, and the other side sees the end
	deadline time.Time
	timer    *time.Timer
	waiting  int
}

func newStream() *stream {
	s := new(stream)
	s.readers.wake = sync.NewCond(&s.mu)
	s.writers.wake = sync.NewCond(&s.mu)
	return s
}

func (s *stream) read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.readers.closed:
			return 0, net.ErrClosed
		case s.readers.expired():
			return 0, os.ErrDeadlineExceeded
		case s.at < len(s.buf):
			n := copy(p, s.buf[s.at:])
			s.at += n
			if s.at == len(s.buf) {
				s.buf, s.at = s.buf[:0], 0
			}
			s.writers.wake.Broadcast()
			return n, nil
		case s.writers.closed:
			return 0, io.EOF
		case len(p) == 0:
			return 0, nil
		}
		s.readers.wait()
	}
}

func (s *stream) write(p []byte) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.writers.closed:
			return n, net.ErrClosed
		case s.readers.closed:
			return n, io.ErrClosedPipe
		case s.writers.expired():
			return n, os.ErrDeadlineExceeded
		case len(p) == 0:
			return n, nil
		}
		if room := pipeSize - (len(s.buf) - s.at); room > 0 {
			if s.at > 0 && len(s.buf)+min(room, len(p)) > cap(s.buf) {
				s.buf, s.at = append(s.buf[:0], s.buf[s.at:]...), 0
			}
			k := min(room, len(p))
			s.buf = append(s.buf, p[:k]...)
			p, n = p[k:], n+k
			s.readers.wake.Broadcast()
			continue
		}
		s.writers.wait()
	}
}

func (s *stream) closeWrite() { s.close(&s.writers) }

func (s *stream) closeRead() { s.close(&s.readers) }

func (s *stream) close(d *side) {
	s.mu.Lock()
	d.closed = true
	if d.timer != nil {
		d.timer.Stop()
	}
	s.readers.wake.Broadcast()
	s.writers.wake.Broadcast()
	s.mu.Unlock()
}

func (d *side) expired() bool {
	return !d.deadline.IsZero() && !time.Now().Before(d.deadline)
}

// wait waits for news, or for the deadline. Only a call that has to wait
// starts a timer: setting a deadline is cheap.
func (d *side) wait() {
	if !d.deadline.IsZero() {
		d.arm()
	}
	d.waiting++
	d.wake.Wait()
	d.waiting--
}

func (d *side) arm() {
	left := time.Until(d.deadline)
	if d.timer == nil {
		d.timer = time.AfterFunc(left, func() {
			d.wake.L.Lock()
			d.wake.Broadcast()
			d.wake.L.Unlock()
		})
		return
	}
	d.timer.Reset(left)
}

func (d *side) set(s *stream, t time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d.deadline = t
	if d.timer != nil {
		d.timer.Stop()
	}
	if d.waiting > 0 {
		d.wake.Broadcast()
	}
}

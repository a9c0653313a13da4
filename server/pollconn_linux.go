package server

import (
	"golang.org/x/sys/unix"

	"minikv/engine"
)

// pollConn is a connection of the event loop. Only the loop touches it.
type pollConn struct {
	peer
	poller *poller
	loop   *loop
	fd     int

	framer framer
	buf    []byte // bytes read and not used are buf[used:]
	used   int
	paused bool // the command in front of them was not run (CLIENT PAUSE)

	out     [][]byte // output on its way
	sent    int      // bytes of out[0] that are gone
	unsent  int      // bytes of out that are not
	waiting bool     // for room in the socket

	ending bool // the peer has sent its last
	ended  bool // and it has been read
}

const (
	readSize    = 64 << 10 // of the buffer in which requests are run in place
	turnSize    = 16 << 10 // of which this much is read in one turn, lest a pipeline keep others waiting
	partSize    = 16 << 10 // of a buffer for a request that came in part
	keptArgs    = 4096     // arguments of the buffer that is kept
	writeBudget = 1 << 20  // bytes to one connection in one turn
	writeParts  = 64       // chunks in one write

	watched = unix.EPOLLIN | unix.EPOLLRDHUP
)

// register begins to serve the connection.
func (c *pollConn) register() {
	p := c.poller
	if c.fd >= len(p.conns) {
		p.conns = append(p.conns, make([]*pollConn, c.fd+1-len(p.conns)+64)...)
	}
	p.conns[c.fd] = c
	c.loop.connect(c)
	c.loop.gate.fresh++
	if err := p.control(unix.EPOLL_CTL_ADD, c.fd, watched); err != nil {
		c.loop.log(engine.LogWarning, "Watching a connection: "+err.Error())
		c.loop.drop(c)
	}
}

func (c *pollConn) core() *peer { return &c.peer }

// Held is part of engine.Holder.
func (c *pollConn) Held() (read, room, output int) {
	return len(c.buf) - c.used, cap(c.buf) - len(c.buf) + c.used, c.unsent
}

// readable reads once and runs what has come. Usually that happens in the
// loop's buffer; only what is left of it is copied to one of the connection's.
func (c *pollConn) readable() {
	l := c.loop
	if c.running { // below, in the script that called Busy
		return
	}
	if c.used < len(c.buf) {
		c.makeRoom()
		c.more(c.buf[len(c.buf):cap(c.buf)], true)
		return
	}
	d := l.desk
	if d.read == nil {
		d.read = make([]byte, readSize)
	}
	c.more(d.read[:turnSize], false)
}

// more reads into space, which is behind the bytes that are there or, with
// nothing there, the loop's.
func (c *pollConn) more(space []byte, own bool) {
	n, err := readNow(c.fd, space)
	switch {
	case n > 0:
	case err == unix.EAGAIN || err == unix.EINTR:
		return
	case err == nil && c.eng.Asking(): // its last command is at work outside the engine, and resume goes on
		c.ended = true
		c.poller.control(unix.EPOLL_CTL_MOD, c.fd, 0)
		return
	default:
		c.loop.drop(c)
		return
	}
	c.ended = c.ending && n < len(space)
	c.loop.eng.CountNet(int64(n), 0)
	c.loop.elapsed() // reading took time, which is not the command's
	switch {
	case own:
		c.buf = c.buf[:len(c.buf)+n]
		if c.held() {
			break
		}
		c.used += c.consume(c.buf[c.used:])
	case c.held():
		c.store(space[:n])
	default:
		done := c.consume(space[:n])
		if done < n {
			done, n = c.complete(space[:cap(space)], done, n)
		}
		c.store(space[done:n])
	}
	c.settle()
}

// complete reads the rest of the request that b[done:n] is the beginning of, if
// it fits there, and runs it.
func (c *pollConn) complete(b []byte, done, n int) (int, int) {
	end := done + c.framer.pos + c.framer.bulk + 2
	if !c.framer.open || end > len(b) || c.gone || c.lost || c.held() {
		return done, n
	}
	m, err := readNow(c.fd, b[n:end])
	if m <= 0 || err != nil {
		return done, n // the next turn looks into it
	}
	c.loop.eng.CountNet(int64(m), 0)
	n += m
	return done + c.consume(b[done:n]), n
}

// held tells whether the client has to wait with what it sends.
func (c *pollConn) held() bool { return c.closing || c.paused || c.eng.Waiting() }

// consume runs the commands in b, as far as the client may go, and answers how
// many bytes it is done with.
func (c *pollConn) consume(b []byte) (done int) {
	l := c.loop
	d := l.desk
	c.running = true
	defer func() { c.running = false }()
	for done < len(b) {
		argv, n, err := c.framer.next(b[done:], l.limitsOf(&c.peer), d.argv[:0])
		if err != nil {
			l.wrong(c, err)
			return len(b)
		}
		if len(argv) == 0 {
			return done + n
		}
		if d.argv = argv; cap(argv) > keptArgs {
			d.argv = nil
		}
		ran, more := l.deliver(c, argv)
		if !ran {
			c.paused = true
			return done
		}
		done += n
		if !more {
			return done
		}
	}
	return done
}

// settle tidies up after commands have run.
func (c *pollConn) settle() {
	switch {
	case c.gone:
		return
	case c.lost || c.eng.CloseNow():
		c.loop.drop(c)
		return
	case c.closing, c.used == len(c.buf):
		c.release()
	case int64(len(c.buf)-c.used) > c.loop.eng.Config().ClientQueryBufferLimit:
		c.loop.log(engine.LogWarning, "Closing client that reached max query buffer length")
		c.loop.drop(c)
		return
	}
	c.loop.touch(c)
}

// store keeps the bytes of a request that is not whole, or may not run yet.
func (c *pollConn) store(b []byte) {
	if len(b) == 0 || c.closing {
		return
	}
	if c.buf = c.poller.spare; len(b) > cap(c.buf) {
		c.buf = make([]byte, 0, max(partSize, c.framer.grow(len(b))))
	} else {
		c.poller.spare = nil
	}
	c.buf, c.used = append(c.buf[:0], b...), 0
}

// release gives the connection's buffer up.
func (c *pollConn) release() {
	if cap(c.buf) == partSize {
		c.poller.spare = c.buf[:0]
	}
	c.buf, c.used = nil, 0
}

// makeRoom sees to space behind the connection's bytes.
func (c *pollConn) makeRoom() {
	rest := c.buf[c.used:]
	switch {
	case len(c.buf) < cap(c.buf):
		return
	case len(rest) > cap(c.buf)/2:
		c.buf = append(make([]byte, 0, max(partSize, c.framer.grow(len(rest)))), rest...)
	default:
		c.buf = append(c.buf[:0], rest...)
	}
	c.used = 0
}

// resume runs what had to wait.
func (c *pollConn) resume() {
	c.paused = false
	if c.used < len(c.buf) {
		c.used += c.consume(c.buf[c.used:])
	}
	c.settle()
}

// flush writes the output that there is, as much as the socket takes.
func (c *pollConn) flush() {
	for budget := writeBudget; ; {
		if len(c.out) == 0 {
			if c.eng.Pending() == 0 {
				break
			}
			c.unsent = c.eng.Pending()
			c.out = c.eng.Output(c.out)
		}
		if budget <= 0 {
			c.await(true)
			return
		}
		n, err := c.write()
		budget -= n
		switch {
		case err == nil:
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			c.await(true)
			return
		default:
			c.loop.drop(c)
			return
		}
	}
	c.await(false)
	switch {
	case c.closing:
		c.loop.drop(c)
	case c.ended:
		c.ended = false
		c.readable() // the end
	}
}

// write writes once.
func (c *pollConn) write() (n int, err error) {
	first := c.out[0][c.sent:]
	if len(c.out) == 1 {
		n, err = writeNow(c.fd, first)
	} else {
		var parts [writeParts][]byte
		v := append(append(parts[:0], first), c.out[1:min(len(c.out), writeParts)]...)
		n, err = unix.Writev(c.fd, v)
	}
	n = max(n, 0)
	c.loop.eng.CountNet(0, int64(n))
	c.advance(n)
	return n, err
}

// advance notes that n bytes are written and gives their chunks back.
func (c *pollConn) advance(n int) {
	c.sent += n
	c.unsent -= n
	i := 0
	for ; i < len(c.out) && c.sent >= len(c.out[i]); i++ {
		c.sent -= len(c.out[i])
		c.eng.Recycle(c.out[i])
		c.out[i] = nil
	}
	if i == len(c.out) {
		c.out = c.out[:0]
	} else {
		c.out = c.out[i:]
	}
}

// await watches for room in the socket, or no more.
func (c *pollConn) await(room bool) {
	if c.waiting == room {
		return
	}
	c.waiting = room
	events := uint32(watched)
	if room {
		events |= unix.EPOLLOUT
	}
	if err := c.poller.control(unix.EPOLL_CTL_MOD, c.fd, events); err != nil {
		c.loop.drop(c)
	}
}

// cut closes the descriptor. Its watch would outlive it as long as redcon has
// not closed the original.
func (c *pollConn) cut() {
	if p := c.poller; c.fd < len(p.conns) && p.conns[c.fd] == c {
		p.conns[c.fd] = nil
		p.control(unix.EPOLL_CTL_DEL, c.fd, 0)
	}
	unix.Close(c.fd)
	c.release()
	c.out, c.unsent = nil, 0
	c.loop.rules.clients.Add(-1)
}

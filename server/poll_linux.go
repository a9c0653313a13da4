package server

import (
	"encoding/binary"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"minikv/engine"
	"minikv/engine/config"
)

// The event loop. On Linux the loop itself reads and writes the connections
// that need nothing between it and the kernel: redcon accepts them, then a
// duplicate of the descriptor comes here. A turn reads and runs what all ready
// connections have sent, then writes to each once.
//
// Descriptors are watched level-triggered, so nothing is lost when a turn stops
// early. When there is nothing to do, the kernel is asked once without waiting,
// since that is cheap and under load usually finds something, before the
// goroutine gives up its processor in a waiting call.
//
// The goroutine keeps its thread, and does not yield: otherwise each wait hands
// it to another thread, and two are woken where one would do. That took a third
// of the processor time of a GET.

// poller is the sleeper of an event loop.
type poller struct {
	loop  *loop
	epoll int
	bell  int // an eventfd: wakes the waiting loop
	conns []*pollConn

	events [1024]unix.EpollEvent
	n, at  int    // events[at:n] are not served yet
	spare  []byte // a buffer for the next connection that needs one
}

// chooseSleeper sets up how the loop waits: by epoll, if there are listeners
// whose connections it can serve itself.
func (s *Server) chooseSleeper() error {
	backend := s.conf.IOBackend
	plain := false
	for _, ln := range s.listeners {
		plain = plain || ln.kind == plainListener || ln.kind == unixListener
	}
	if backend == config.IORedcon || !plain {
		s.loop.sleep = newNaps()
		return nil
	}
	p, err := newPoller(s.loop)
	if err == nil {
		s.loop.sleep = p
	}
	return err
}

func newPoller(l *loop) (*poller, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	bell, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		unix.Close(epoll)
		return nil, err
	}
	p := &poller{loop: l, epoll: epoll, bell: bell}
	if err := p.control(unix.EPOLL_CTL_ADD, bell, unix.EPOLLIN); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// adopt hands a connection that redcon has accepted to the event loop, if
// there is one and the connection is a plain one.
func (s *Server) adopt(accepted *session) bool {
	p, ok := s.loop.sleep.(*poller)
	if !ok || accepted.info.TLS {
		return false
	}
	conn, ok := accepted.raw.(syscall.Conn)
	if !ok {
		return false
	}
	fd, err := duplicate(conn)
	if err != nil {
		s.logf(engine.LogWarning, "Taking over a connection: %v", err)
		return false
	}
	c := &pollConn{poller: p, loop: s.loop, fd: fd}
	c.info = accepted.info
	c.info.FD = fd
	if !s.loop.inbox.call(c.register) {
		c.cut()
	}
	return true
}

func duplicate(conn syscall.Conn) (fd int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = raw.Control(func(original uintptr) {
		fd, failed = unix.FcntlInt(original, unix.F_DUPFD_CLOEXEC, 0)
	})
	if err == nil {
		err = failed
	}
	return fd, err
}

func (p *poller) control(op, fd int, events uint32) error {
	return unix.EpollCtl(p.epoll, op, fd, &unix.EpollEvent{Events: events, Fd: int32(fd)})
}

func (p *poller) begin() { runtime.LockOSThread() }

func (p *poller) yield() {}

func (p *poller) wait(d time.Duration) bool {
	if p.at < p.n {
		return true // Busy: the outer turn has not served them yet
	}
	p.at, p.n = 0, 0
	var n int
	if d == 0 {
		n = p.ask()
	} else {
		ms := -1
		if d > 0 {
			ms = int((d + time.Millisecond - 1) / time.Millisecond)
		}
		n, _ = unix.EpollWait(p.epoll, p.events[:], ms)
	}
	p.n = max(n, 0)
	overFirst(p.events[:p.n])
	return p.n > 0
}

// overEvents tell that a peer sends nothing any more.
const overEvents = unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR

// overFirst moves those to the front who are about to go: what others do is
// not written to them then.
func overFirst(events []unix.EpollEvent) {
	front := 0
	for i := range events {
		if events[i].Events&overEvents != 0 {
			events[front], events[i] = events[i], events[front]
			front++
		}
	}
}

// ask looks for events without waiting, and so without telling the scheduler.
func (p *poller) ask() int {
	n, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(p.epoll),
		uintptr(unsafe.Pointer(&p.events)), uintptr(len(p.events)), 0, 0, 0)
	if errno != 0 {
		return 0
	}
	return int(n)
}

func (p *poller) serve() {
	for p.at < p.n {
		event := p.events[p.at]
		p.at++
		if int(event.Fd) == p.bell {
			var count [8]byte
			unix.Read(p.bell, count[:])
			continue
		}
		c := p.conns[event.Fd]
		if c == nil {
			continue
		}
		if event.Events&unix.EPOLLOUT != 0 {
			p.loop.touch(c)
		}
		if event.Events&overEvents != 0 {
			c.ending = true
		}
		if event.Events&^unix.EPOLLOUT != 0 {
			c.readable()
		}
	}
}

func (p *poller) wake() {
	var one [8]byte
	binary.NativeEndian.PutUint64(one[:], 1)
	unix.Write(p.bell, one[:])
}

func (p *poller) close() {
	unix.Close(p.bell)
	unix.Close(p.epoll)
	runtime.UnlockOSThread()
}

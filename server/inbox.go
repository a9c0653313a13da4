package server

import (
	"errors"
	"runtime"
	"sync"
	"time"
)

// ErrClosed is what calls into a closed server return.
var ErrClosed = errors.New("minikv: server closed")

// inbox is where other goroutines leave word for the loop. A session has one
// place in it, whatever its news, and a second when it is over: those are
// handled first, so that nothing is written for who is gone. Nothing is
// allocated.
//
// No wake-up is lost: asleep is set under the lock, and only if nothing has
// come; whoever brings something later finds it set and wakes the loop.
type inbox struct {
	mu       sync.Mutex
	sessions []*session // with news
	over     []*session // whose connection is over: they come first
	funcs    []func()
	asleep   bool
	closed   bool
	wake     func()

	// The loop's own: what was taken and is being worked through. Busy goes on
	// where the outer call stands, so that nobody waits behind a long script.
	work struct {
		sessions []*session
		over     []*session
		funcs    []func()
		s, o, f  int // the next ones
	}
}

// news is what a session may have to say, several things at once.
type news uint8

const (
	newsConnect news = 1 << iota // it is new
	newsBatch                    // a batch waits to be run
	newsWritten                  // the last output is written and more may come
	newsClosed                   // the connection is over
)

// post leaves word of a session.
func (b *inbox) post(s *session, n news) {
	b.mu.Lock()
	if s.news == 0 {
		b.sessions = append(b.sessions, s)
	}
	s.news |= n
	if n&newsClosed != 0 {
		b.over = append(b.over, s)
	}
	b.unlock()
}

// call has f run by the loop; false: the loop has ended.
func (b *inbox) call(f func()) bool {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return false
	}
	b.funcs = append(b.funcs, f)
	b.unlock()
	return true
}

// unlock wakes the loop if it sleeps, under the lock: once close has returned
// nobody does that any more.
func (b *inbox) unlock() {
	if b.asleep {
		b.asleep = false
		b.wake()
	}
	b.mu.Unlock()
}

// fallAsleep tells that the loop is about to wait; false if it must not.
func (b *inbox) fallAsleep() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asleep = b.empty()
	return b.asleep
}

// take runs what has come by now and tells whether there was anything; what
// comes meanwhile has to wait for the next turn, lest output and closing never
// have theirs. It may be called from within itself.
func (b *inbox) take() (found bool) {
	w := &b.work
	for swapped := false; ; {
		switch {
		case w.o < len(w.over):
			s := w.over[w.o]
			w.over[w.o] = nil
			w.o++
			s.handle(b.newsOf(s))
		case w.f < len(w.funcs):
			f := w.funcs[w.f]
			w.funcs[w.f] = nil
			w.f++
			f()
		case w.s < len(w.sessions):
			s := w.sessions[w.s]
			w.sessions[w.s] = nil
			w.s++
			s.handle(b.newsOf(s))
		case swapped || !b.swap():
			return found
		default:
			swapped = true
		}
		found = true
	}
}

// swap takes the lists and leaves the used ones for what comes.
func (b *inbox) swap() (found bool) {
	w := &b.work
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asleep = false
	if b.empty() {
		return false
	}
	w.sessions, b.sessions = b.sessions, w.sessions[:0]
	w.over, b.over = b.over, w.over[:0]
	w.funcs, b.funcs = b.funcs, w.funcs[:0]
	w.s, w.o, w.f = 0, 0, 0
	return true
}

// empty tells that nothing has come; the caller holds the lock.
func (b *inbox) empty() bool { return len(b.sessions)+len(b.over)+len(b.funcs) == 0 }

func (b *inbox) newsOf(s *session) news {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := s.news
	s.news = 0
	return n
}

// close refuses and drops all that comes from here on.
func (b *inbox) close() {
	b.mu.Lock()
	b.closed, b.asleep = true, false
	b.mu.Unlock()
}

// naps is the sleeper of a loop to which everything comes through its inbox.
type naps struct {
	bell  chan struct{}
	timer *time.Timer
}

func newNaps() *naps { return &naps{bell: make(chan struct{}, 1)} }

func (n *naps) begin() {}

// yield lets those run who are about to bring something.
func (n *naps) yield() { runtime.Gosched() }

func (n *naps) wait(d time.Duration) bool {
	switch {
	case d == 0:
		return false
	case d < 0:
		<-n.bell
		return true
	case n.timer == nil:
		n.timer = time.NewTimer(d)
	default:
		n.timer.Reset(d)
	}
	select {
	case <-n.bell:
		n.timer.Stop()
	case <-n.timer.C:
	}
	return true
}

func (n *naps) serve() {}

func (n *naps) wake() {
	select {
	case n.bell <- struct{}{}:
	default:
	}
}

func (n *naps) close() {
	if n.timer != nil {
		n.timer.Stop()
	}
}

package server

import (
	"errors"
	"sync"
	"time"
)

// ErrClosed is what calls into a closed server return.
var ErrClosed = errors.New("minikv: server closed")

// inbox is where other goroutines leave word for the loop. A session has at
// most one place in it, whatever its news; nothing is allocated.
//
// No wake-up is lost: asleep is set under the lock, and only if nothing has
// come; whoever brings something later finds it set and wakes the loop.
type inbox struct {
	mu       sync.Mutex
	sessions []*session // with news
	funcs    []func()
	asleep   bool
	closed   bool
	wake     func()

	// The loop's own: what was taken and is being worked through. Busy goes on
	// where the outer call stands, so that nobody waits behind a long script.
	work struct {
		sessions []*session
		funcs    []func()
		s, f     int // the next ones
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
	b.asleep = len(b.sessions) == 0 && len(b.funcs) == 0
	return b.asleep
}

// take runs what has come and tells whether there was anything. It may be
// called from within itself.
func (b *inbox) take() (found bool) {
	w := &b.work
	for {
		switch {
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
		case found || !b.swap():
			return found
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
	if len(b.sessions) == 0 && len(b.funcs) == 0 {
		return false
	}
	w.sessions, b.sessions = b.sessions, w.sessions[:0]
	w.funcs, b.funcs = b.funcs, w.funcs[:0]
	w.s, w.f = 0, 0
	return true
}

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

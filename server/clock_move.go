package server

import (
	"time"

	"minikv/engine"
	"minikv/resp"
)

// Moving the time. Whoever moves it, a client by MINIKV.CLOCK or the embedding
// program by Advance, the loop goes from one deadline to the next and lets each
// thing happen at its own instant: keys expire and their events go out in
// order, clients that wait have their time-outs. In between, clients that are
// let go run the commands that wait behind; what they send in answer comes
// after the move.
//
// As in Redis a key lives through the millisecond of its deadline. A move that
// ends in that very millisecond goes on to its end, so that after SET k v EX 30
// an advance of 30 seconds is enough.

// Advance moves the server's time on. What becomes due has happened when it
// returns. A time that runs goes on running from there; one that has never
// been moved is the system's up to now.
func (s *Server) Advance(d time.Duration) error {
	_, _, err := s.moveClock(engine.ClockAdvance, d.Microseconds())
	return err
}

// AdvanceToNext moves the time on to the next deadline; false: there is none.
func (s *Server) AdvanceToNext() (moved bool, err error) {
	_, moved, err = s.moveClock(engine.ClockNext, 0)
	return moved, err
}

// SetTime sets the time: forward as Advance does, or back.
func (s *Server) SetTime(t time.Time) error {
	_, _, err := s.moveClock(engine.ClockSet, t.UnixMicro())
	return err
}

// Freeze lets time stand still, Resume lets it run from where it stands.
func (s *Server) Freeze() error {
	_, _, err := s.moveClock(engine.ClockFreeze, 0)
	return err
}

// Resume lets time run: see Freeze.
func (s *Server) Resume() error {
	_, _, err := s.moveClock(engine.ClockRun, 0)
	return err
}

// Now is the server's time.
func (s *Server) Now() (time.Time, error) {
	at, _, err := s.moveClock(engine.ClockGet, 0)
	return time.UnixMicro(at), err
}

func (s *Server) moveClock(move engine.ClockMove, micros int64) (at int64, moved bool, err error) {
	err = s.inLoop(func() {
		moved = s.loop.move(move, micros)
		at = s.loop.now()
	})
	return at, moved, err
}

// performClock is MINIKV.CLOCK. While a script runs its client waits.
func (l *loop) performClock(cl *engine.Client, request engine.Request) {
	l.between(func() {
		var moved bool
		l.aside(func() { moved = l.move(request.Move, request.Micros) })
		at := l.now()
		answer := func() {
			l.eng.Complete(cl, l.now(), func(out *resp.Writer) {
				if !moved {
					out.Null()
					return
				}
				out.Int(at / 1000)
			})
		}
		if l.node == nil {
			answer()
			return
		}
		l.helpers.Go(func() { // the other nodes have the same time
			l.node.moveClocks(request.Move, at)
			l.inbox.call(answer)
		})
	})
}

// aside runs f, which may deliver commands of others, while the commands of a
// client lie on the desk: on another one.
func (l *loop) aside(f func()) {
	started, outer := l.started, l.desk
	if outer.spare == nil {
		outer.spare = new(desk)
	}
	l.desk = outer.spare
	f()
	l.desk, l.started = outer, started
}

// move moves the time. It tells whether it found where to move it to.
func (l *loop) move(move engine.ClockMove, micros int64) bool {
	l.look()
	if move == engine.ClockGet {
		return true
	}
	clock := l.virtual()
	switch move {
	case engine.ClockFreeze:
		clock.freeze()
	case engine.ClockRun:
		clock.run()
	case engine.ClockAdvance:
		l.moveTo(clock, l.now()+max(micros, 0))
	case engine.ClockSet:
		if micros < l.now() {
			clock.set(micros)
		}
		l.moveTo(clock, micros)
	case engine.ClockNext:
		l.tick()
		l.settle()
		next, planned := l.eng.NextDue()
		if !planned {
			return false
		}
		l.moveTo(clock, next)
	}
	return true
}

// virtual is the clock that can be moved. The first who asks for it takes the
// time over from the clock that was there: the system's goes on, to the eye,
// another one stands still until it is moved here.
func (l *loop) virtual() *VirtualClock {
	clock, ok := l.clock.(*VirtualClock)
	if !ok {
		clock = NewVirtualClock(time.UnixMicro(l.now()))
		if l.clock == nil {
			clock.run()
		}
		l.clock = clock
	}
	return clock
}

// moveTo moves the clock on to a time, through all that is due on the way.
func (l *loop) moveTo(clock *VirtualClock, end int64) {
	end = min(end, engine.LastTime)
	for {
		l.look()
		l.tick()
		l.settle()
		next := l.nextTick
		if next > end && l.eng.Expiring(end) {
			end = next
		}
		if next > end {
			break
		}
		if next > l.now() {
			clock.set(next)
		}
	}
	if end > l.now() {
		clock.set(end)
		l.tick()
		l.settle()
	}
}

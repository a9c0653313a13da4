package server

import "time"

// Clock is a time other than the system's. Its methods are called by the
// server's own goroutine.
type Clock interface {
	// Now is the time in microseconds since 1970. It may step backwards.
	Now() int64
	// Until is for how long, in real time, the server may sleep before this
	// clock shows at. A clock that moves by hand answers less than zero: the
	// server then sleeps until Wake is called.
	Until(at int64) time.Duration
}

// VirtualClock is a time that stands still until the server is told to move it:
// by Server.Advance and its kind, or by a client's MINIKV.CLOCK. It can be set
// running, too. A clock belongs to one server.
type VirtualClock struct {
	at    int64     // what it shows, or showed when it began to run
	since time.Time // when it began to run; zero: it stands still
}

// NewVirtualClock makes a clock that stands at a time, by the microsecond; given
// the zero time it stands at the present millisecond.
func NewVirtualClock(at time.Time) *VirtualClock {
	if at.IsZero() {
		at = time.Now().Truncate(time.Millisecond)
	}
	return &VirtualClock{at: at.UnixMicro()}
}

// Now is what the clock shows.
func (c *VirtualClock) Now() int64 {
	if c.since.IsZero() {
		return c.at
	}
	return c.at + time.Since(c.since).Microseconds()
}

// Until is for ever while the clock stands still.
func (c *VirtualClock) Until(at int64) time.Duration {
	if c.since.IsZero() {
		return -1
	}
	left := max(at-c.Now(), 0)
	return time.Duration(min(left, int64(time.Hour/time.Microsecond))) * time.Microsecond
}

// set makes the clock show a time; if it runs it goes on from there.
func (c *VirtualClock) set(at int64) {
	c.at = at
	if !c.since.IsZero() {
		c.since = time.Now()
	}
}

// freeze stops the clock, run starts it.
func (c *VirtualClock) freeze() { c.at, c.since = c.Now(), time.Time{} }

func (c *VirtualClock) run() {
	if c.since.IsZero() {
		c.since = time.Now()
	}
}

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

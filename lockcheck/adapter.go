package lockcheck

import (
	"context"
	"net"
	"time"
)

// Adapter ties a library to the checks.
type Adapter struct {
	Name string
	// New makes a client of the library on some servers, which know nothing of
	// each other.
	New func(nodes []Node) Client
	// Nodes are the numbers of servers to try it with; none: one.
	Nodes []int
	// Known are the checks that the library is known to fail, each with the
	// reason. They have to fail.
	Known map[string]string
}

// Node is a server as a client sees it.
type Node struct {
	Addr string // a name; Dial looks at none
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

// Client is what a library offers. What it does not is nil.
type Client struct {
	// Acquire tries once to take a lock. An error: it is not held.
	Acquire func(ctx context.Context, key string, ttl time.Duration) (Lock, error)
	// Wait tries again and again until ctx ends.
	Wait func(ctx context.Context, key string, ttl time.Duration) (Lock, error)
	// Close ends all connections, and whatever else runs.
	Close func()
}

// Lock is a lock that was taken. What the library does not offer is nil.
type Lock struct {
	// Release gives it back. An error: it was not held any more.
	Release func(ctx context.Context) error
	// Extend gives it another ttl from now. An error: it was not held any more.
	Extend func(ctx context.Context, ttl time.Duration) error
	// Until is when the library says that the lock is over.
	Until func() time.Time
}

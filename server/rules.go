package server

import (
	"sync/atomic"

	"minikv/engine/config"
)

// rules are the directives that sessions and listeners need and that CONFIG
// SET may change: the loop, which owns the configuration, copies them here.
type rules struct {
	maxBulk    atomic.Int64
	queryLimit atomic.Int64
	maxClients atomic.Int64
	keepAlive  atomic.Int64 // seconds
	protected  atomic.Bool  // who is not on this machine is turned away

	clients atomic.Int64 // connections that were let in and are not over
}

// follow copies what has changed; guarded tells that the default user needs a
// password.
func (r *rules) follow(c *config.Config, guarded bool) {
	follow(&r.maxBulk, c.ProtoMaxBulkLen)
	follow(&r.queryLimit, c.ClientQueryBufferLimit)
	follow(&r.maxClients, c.MaxClients)
	follow(&r.keepAlive, int64(c.TCPKeepAlive))
	if protected := c.ProtectedMode && !guarded; protected != r.protected.Load() {
		r.protected.Store(protected)
	}
}

func follow(to *atomic.Int64, v int64) {
	if to.Load() != v {
		to.Store(v)
	}
}

// letIn decides on a new connection: what it is told instead, or nothing if it
// counts as one of the clients from here on.
func (r *rules) letIn(local bool) (refusal string) {
	switch {
	case r.clients.Add(1) > r.maxClients.Load():
		refusal = maxClientsRefusal
	case r.protected.Load() && !local:
		refusal = protectedModeRefusal
	default:
		return ""
	}
	r.clients.Add(-1)
	return refusal
}

const maxClientsRefusal = "-ERR max number of clients reached\r\n"

const protectedModeRefusal = "-" + "DENIED Redis is running in protected mode because protected mode is enabled and no password is " +
	"set for the default user. In this mode connections are only accepted from the loopback " +
	"interface. If you want to connect from external computers to Redis you may adopt one of the " +
	"following solutions: 1) Just disable protected mode sending the command 'CONFIG SET " +
	"protected-mode no' from the loopback interface by connecting to Redis from the same host the " +
	"server is running, however MAKE SURE Redis is not publicly accessible from internet if you do " +
	"so. Use CONFIG REWRITE to make this change permanent. 2) Alternatively you can just disable the " +
	"protected mode by editing the Redis configuration file, and setting the protected mode option " +
	"to 'no', and then restarting the server. 3) If you started the server manually just for " +
	"testing, restart it with the '--protected-mode no' option. 4) Setup a an authentication " +
	"password for the default user. NOTE: You only need to do one of the above things in order for " +
	"the server to start accepting connections from the outside.\r\n"

package engine

import (
	"container/list"

	"minikv/resp"
)

// ConnInfo is what the transport knows of a connection.
type ConnInfo struct {
	Addr  string // peer: "127.0.0.1:50412", or the socket's path and ":0"
	LAddr string // our side
	FD    int    // descriptor for CLIENT LIST, or a number that serves as one
	Unix  bool
	TLS   bool
	Local bool // loopback, unix socket or in-memory
	// Trusted: the program around the engine itself, which needs no password.
	Trusted bool
}

// Client is one connection as the engine sees it. The loop owns it together
// with the engine: no field is for concurrent use.
type Client struct {
	// Data is the transport's own: its session for this client.
	Data any

	id   int64
	conn ConnInfo
	e    *Engine
	db   *DB
	out  resp.Writer
	// pushes are messages that came while the client's own command ran; they
	// follow its reply.
	pushes resp.Writer

	name             string
	libName, libVer  string
	user             *user // never nil
	authed           bool
	noTouch, noEvict bool
	asking           int8     // 1: its next command follows an ASK; 2 while ASKING runs
	readonly         bool     // READONLY
	monitor          bool     // it sees all commands: see monitor.go
	created, seen    int64    // microseconds
	lastCmd          *Command // the last that came, nil if it was none

	// CLIENT REPLY: no replies, not this one, not the next one.
	off, skip, skipNext bool

	multi   multiState
	watched []watchedKey

	fieldsets fieldsets // of HIMPORT

	wait    *wait
	spoiled spoiling // by faults
	request *Request
	paused  bool

	debugMode debugMode // of its next EVAL
	debug     *debugSession

	subs     subscriptions
	tracking *trackingMode // nil: off

	softSince int64 // since when the output is over the soft limit, microseconds

	listed, closed, closing, closeNow bool
}

// RequestKind names what the engine needs of the outside.
type RequestKind uint8

// The kinds of requests.
const (
	RequestSleep         RequestKind = iota + 1 // DEBUG SLEEP: hold the loop for Micros
	RequestShutdown                             // SHUTDOWN: close the server; Complete only if it is refused
	RequestSave                                 // SAVE
	RequestBGSave                               // BGSAVE
	RequestRewriteAOF                           // BGREWRITEAOF
	RequestReload                               // DEBUG RELOAD: save unless NoSave, then load as Load says
	RequestConfigRewrite                        // CONFIG REWRITE
	RequestPurge                                // MEMORY PURGE: give unused memory back to the system
	RequestClock                                // MINIKV.CLOCK: Move, with Micros where it needs them
	RequestNodeList                             // MINIKV.NODE LIST
	RequestNodeStart                            // MINIKV.NODE START: Node is its number, address or id
	RequestNodeStop                             // MINIKV.NODE STOP
	RequestMigrate                              // MIGRATE: carry Migration there, then call Migrated
	RequestACLLoad                              // ACL LOAD: read the aclfile and call LoadACL
	RequestACLSave                              // ACL SAVE: write what ACLFile says to the aclfile
)

// Request is work that a command asks of the loop.
type Request struct {
	Kind   RequestKind
	Args   [][]byte // the command's arguments, valid until Complete
	Micros int64    // RequestSleep, RequestClock
	Move   ClockMove
	// RequestShutdown: do not save, save in any case, end even if that fails.
	NoSave, Save, Force bool
	Migration           *Migration
	Node                string
	Load                LoadOptions // RequestReload

	cmd      *Command
	since    int64 // when it was asked, microseconds
	answered bool  // the reply stands in the output already
}

// Connect makes a client for a new connection.
func (e *Engine) Connect(now int64, conn ConnInfo) *Client {
	e.setNow(now)
	cl := &Client{id: e.nextID, conn: conn, e: e, db: e.dbs[0], created: now, seen: now}
	cl.out.Share(&e.buffers)
	cl.pushes.Share(&e.buffers)
	cl.out.SetProto(2)
	cl.pushes.SetProto(2)
	cl.logout()
	cl.authed = cl.authed || conn.Trusted
	e.nextID++
	e.clients[cl.id] = cl
	e.stats.connections++
	e.journal(JournalConnect, now, cl, nil, nil)
	return cl
}

// Disconnect forgets a client: it waits for nothing, watches nothing and gets
// no message any more.
func (e *Engine) Disconnect(cl *Client, now int64) {
	if cl.closed {
		return
	}
	e.journal(JournalDisconnect, now, cl, nil, nil)
	e.endDebugging(cl)
	cl.closed = true
	e.unblock(cl)
	e.unwatch(cl)
	e.unsubscribeAll(cl)
	e.untrack(cl)
	e.unmonitor(cl)
	e.forgetFaults(cl)
	cl.multi.reset()
	cl.out.Reset()
	cl.pushes.Reset()
	delete(e.clients, cl.id)
}

// ID is the number by which CLIENT commands name the client.
func (cl *Client) ID() int64 { return cl.id }

// Name is what CLIENT SETNAME gave.
func (cl *Client) Name() string { return cl.name }

// Authenticated tells whether the client may run commands: until then the
// transport holds it to the small limits of unauthenticated clients.
func (cl *Client) Authenticated() bool { return cl.authed || !cl.e.acl.authRequired() }

// Output moves all pending chunks of output to dst; they are the caller's from
// here on.
func (cl *Client) Output(dst [][]byte) [][]byte {
	cl.softSince = 0
	if cl.spoiled.silent {
		cl.out.Reset()
	}
	n := len(dst)
	dst = cl.out.Take(dst)
	cl.e.journalOutput(cl, dst[n:])
	return dst
}

// Recycle gives a chunk's memory back for reuse.
func (cl *Client) Recycle(buf []byte) { cl.out.Recycle(buf) }

// Pending is how many bytes of output wait to be taken.
func (cl *Client) Pending() int {
	if cl.spoiled.silent {
		return 0
	}
	return cl.out.Len()
}

// IdleSince is when the client last sent something, in microseconds; applies
// tells whether the timeout directive is meant for it.
func (cl *Client) IdleSince() (at int64, applies bool) {
	return cl.seen, cl.wait == nil && cl.subs.count() == 0 && cl.debug == nil
}

// Waiting tells whether the client's later commands are to be kept back: it is
// blocked, or a request of it is under way.
func (cl *Client) Waiting() bool { return cl.wait != nil || cl.request != nil }

// Closing tells whether the connection is to be closed once its output is
// written; CloseNow, at once and without it.
func (cl *Client) Closing() bool  { return cl.closing || cl.closeNow }
func (cl *Client) CloseNow() bool { return cl.closeNow }

// Request is what a client for which Do answered Requested asks.
func (cl *Client) Request() Request { return *cl.request }

// Asking tells whether a request is not yet complete.
func (cl *Client) Asking() bool { return cl.request != nil }

// ask makes the running command a request: the client waits for Complete.
//
// DIFFERS: CONFIG REWRITE, ACL LOAD and ACL SAVE are refused inside MULTI, because EXEC is one step and files are read and written outside it.
func (c *Ctx) ask(r Request) error {
	switch {
	case c.source == FromScript:
		return errScriptOnly
	case !c.mayWait():
		return errNoMulti
	}
	r.Args = copyArgv(c.argv)
	r.cmd, r.since = c.cmd, c.e.now
	c.cl.request = &r
	return errWait
}

// askLater is ask for what cannot fail: inside EXEC or a script it answers OK
// and is asked once that is over, several of a kind as one.
func (c *Ctx) askLater(r Request) error {
	if c.mayWait() {
		return c.ask(r)
	}
	if earlier := c.cl.request; earlier != nil {
		r.Kind = min(r.Kind, earlier.Kind) // a sleep is never forgotten
		r.Micros += earlier.Micros
	}
	r.answered = true
	c.cl.request = &r
	return c.ok()
}

// ProtocolError answers bytes that are no command; the connection closes.
func (e *Engine) ProtocolError(cl *Client, now int64, text string) {
	e.setNow(now)
	e.journal(JournalBad, now, cl, nil, []byte(text))
	cl.out.Error("ERR " + text)
	cl.closing = true
	e.stats.countError("ERR")
}

// kill marks a client to be closed by the loop; its own running command's
// reply still goes out.
func (e *Engine) kill(cl *Client) {
	if cl == e.current {
		cl.closing = true
		return
	}
	cl.closeNow = true
	e.awake(cl)
}

// push writes a message outside the run of replies: at once, or behind the
// reply that is being made.
//
// DIFFERS: a message that a client's own command sends to itself follows the reply, as since Redis 7.2, instead of standing before it or, if EXEC runs the command, in the midst of it.
func (e *Engine) push(cl *Client, write func(out *resp.Writer)) {
	if cl.Closing() {
		return
	}
	if cl == e.current {
		write(&cl.pushes)
		return
	}
	write(&cl.out)
	e.checkOutput(cl)
	e.awake(cl)
}

// flushPushes appends the messages that waited for the client's reply.
func (e *Engine) flushPushes(cl *Client) {
	if cl.pushes.Len() == 0 {
		return
	}
	for _, chunk := range cl.pushes.Take(nil) {
		cl.out.Raw(chunk)
	}
}

// checkOutput cuts a client whose unread output, here and with the connection, is
// over its class's limit: over the hard one at once, over the soft one once it has
// been so for long enough.
func (e *Engine) checkOutput(cl *Client) {
	n := int64(cl.out.Len())
	if n < smallOutput {
		return
	}
	_, _, taken := cl.held()
	n += int64(taken)
	limit := e.conf.ClientOutputBufferLimits[cl.class()]
	over := limit.Hard > 0 && n >= limit.Hard
	if limit.Soft > 0 && n >= limit.Soft {
		if cl.softSince == 0 {
			cl.softSince = e.now
		}
		over = over || e.now-cl.softSince >= limit.Seconds*1_000_000
	} else {
		cl.softSince = 0
	}
	if over && !cl.closeNow {
		cl.closeNow = true
		cl.out.Reset()
		e.stats.outputLimitDisconnects++
		e.log(LogWarning, "Client "+cl.info()+" scheduled to be closed ASAP for overcoming of output buffer limits.")
		if cl != e.current {
			e.awake(cl)
		}
	}
}

// smallOutput is never worth a look at the limits.
const smallOutput = 16 << 10

// class is the client's class of output limits: 0 normal, 1 replica, 2 pubsub.
func (cl *Client) class() int {
	if cl.subs.count() > 0 {
		return 2
	}
	return 0
}

func (e *Engine) log(level LogLevel, msg string) {
	if e.opt.Log != nil {
		e.opt.Log(level, msg)
	}
}

// subscriptions are what a client listens to, each with its place in the
// engine's list.
type subscriptions struct {
	channels map[string]*list.Element
	patterns map[string]*list.Element
	shards   map[string]*list.Element
	order    []string // the patterns, oldest first
}

func (s *subscriptions) count() int { return len(s.channels) + len(s.patterns) + len(s.shards) }

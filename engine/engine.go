package engine

import (
	"math"
	"math/rand/v2"
	"slices"

	"minikv/engine/config"
	"minikv/expiry"
	"minikv/rdb"
	"minikv/resp"
	"minikv/value"
)

// Outcome tells the loop what became of a command that it handed to Do.
type Outcome uint8

const (
	// Done: the reply stands in the client's output.
	Done Outcome = iota
	// Queued: the command was kept for EXEC; QUEUED stands in the output.
	Queued
	// Blocked: the client waits (BLPOP and the like). Its later commands stay
	// with the loop until Ready lists the client.
	Blocked
	// Paused: the command was not run (CLIENT PAUSE). The loop keeps it and
	// hands the very same one over again when Ready lists the client.
	Paused
	// Close: the output is to be written, then the connection closed.
	Close
	// Requested: the command needs the outside world. The loop performs
	// Client.Request and calls Complete; until then the client waits.
	Requested
)

// Env is what the engine may ask of the world while a command runs. Tests
// script it.
type Env interface {
	// Elapsed is how many microseconds the call to Do or Tick that is running
	// has taken so far, or Ending.
	Elapsed() int64
	// Busy is called from time to time by a script that has run longer than
	// busy-reply-threshold. The server polls its connections once, hands what
	// it finds to Do (which answers BUSY, or kills the script) and returns.
	Busy()
}

// Ending is what Env.Elapsed answers when the server is being closed: a running
// script stops.
const Ending = int64(math.MaxInt64)

// Options make an engine. The zero value is a working default.
type Options struct {
	Config *config.Config // nil: defaults
	Env    Env            // nil: nothing takes time, nobody is served meanwhile
	Seed   uint64         // of all randomness: same seed, same commands, same replies
	RunID  string         // 40 hex digits; empty: derived from Seed
	// Tap, if set, sees every execution twice: before and after it.
	Tap func(*TapEvent)
	// Effects, if set, gets what each unit (command, script, EXEC) did to the
	// data, as commands that would do the same again: see Effect.
	Effects func(Effect)
	// Verify, if set, is told of every broken invariant that Check finds; it
	// then looks after every unit, which makes all slow: for tests.
	Verify func(error)
	// Process, if set, tells INFO of the process around the engine.
	Process func() ProcessInfo
	// Reconfigured, if set, hears which directives CONFIG SET has changed, so
	// that what lies outside follows. With an error (see config.Failed) the
	// change is taken back.
	Reconfigured func(changed []string) error
	// Journal, if set, gets all that goes in and comes out: see journal.go.
	Journal func(*JournalEntry)
	// Noted, if set, hears of commands that were refused, and of those that a
	// fault has spoiled; argv is valid during the call only.
	Noted func(cl *Client, argv [][]byte, what string)
	// Gossip, if set, gets what a node of a cluster has to tell all others, for
	// their Hear.
	Gossip func(*ClusterNews)
	// Log, if set, gets lines for the server's log.
	Log func(level LogLevel, msg string)
}

// LogLevel is the weight of a log line, in redis.conf's terms.
type LogLevel uint8

// The levels of loglevel, least important first.
const (
	LogDebug LogLevel = iota
	LogVerbose
	LogNotice
	LogWarning
)

// Engine is one Redis node. See the package comment for its rules.
type Engine struct {
	opt   Options
	conf  *config.Config
	env   Env
	table *Table // the commands of the emulated version
	typed recent // rows of it

	dbs []*DB

	now   int64 // microseconds, as of the running Do or Tick; may step backwards
	start int64 // when the first command or tick came: uptime counts from here

	pcg  *rand.PCG
	rand *rand.Rand

	clients  map[int64]*Client
	buffers  resp.Buffers // of all clients' output: who is idle holds none
	nextID   int64
	ready    []*Client
	waiting  expiry.Heap[*Client] // time-outs of blocked clients, by millisecond
	awaited  []awaitedKey         // keys that changed and have waiters, in order
	nblocked int

	acl      accessList
	pubsub   pubsubState
	cluster  *clusterState // nil: cluster-enabled is no
	tracking trackingState
	pause    pauseState
	faults   faultState
	strict   strictState
	// migrations is how many MIGRATEs are under way: see holdWrites.
	migrations int
	effects    effectBuffer
	touched    []Touch
	ctxs       []*Ctx // reused, one per nesting depth
	depth      int
	unit       int // nesting of units: 0 outside any command
	current    *Client
	debug      debugState
	scripts    scriptState
	snapshot   snapshotState
	memory     memoryAccount
	eviction   evictionState
	packing    value.Limits // see limits
	serials    rdb.Encoder  // of DUMP

	settings        debugSettings
	activeExpireOff bool
	persist         persistState
	stats           Stats
	slow            slowLog
	latency         latencyMonitor
	monitors        []*Client // that sent MONITOR
	closedGates     gateBits  // gates that concern every client
}

type noEnv struct{}

func (noEnv) Elapsed() int64 { return 0 }
func (noEnv) Busy()          {}

// New makes an engine with empty databases.
func New(opt Options) *Engine {
	if opt.Config == nil {
		opt.Config = config.New()
	}
	if opt.Env == nil {
		opt.Env = noEnv{}
	}
	e := &Engine{
		opt:     opt,
		conf:    opt.Config,
		env:     opt.Env,
		clients: make(map[int64]*Client),
		nextID:  1,
	}
	e.pcg = rand.NewPCG(opt.Seed, opt.Seed^0x9e3779b97f4a7c15)
	e.rand = rand.New(e.pcg)
	e.buffers.Keep(128)
	e.table = tableFor(e.conf.RedisVersion)
	e.initUsers()
	if opt.RunID == "" {
		e.opt.RunID = e.hexID(40)
	}
	e.dbs = make([]*DB, e.conf.Databases)
	for i := range e.dbs {
		e.dbs[i] = newDB(e, i)
	}
	e.stats.init(e.table)
	e.scripts.kind = e.conf.LuaMachine
	e.setClosedGates()
	if e.conf.ClusterEnabled {
		e.startCluster()
	}
	return e
}

// hexID draws n random hex digits.
func (e *Engine) hexID(n int) string {
	const digits = "0123456789abcdef"
	b := make([]byte, n)
	for i := range b {
		b[i] = digits[e.rand.Uint64()&15]
	}
	return string(b)
}

// Config is the engine's configuration; CONFIG SET changes it.
func (e *Engine) Config() *config.Config { return e.conf }

// RunID is the node's 40-digit identity (INFO run_id).
func (e *Engine) RunID() string { return e.opt.RunID }

// random is a fair draw from [0, n).
func (e *Engine) random(n uint64) uint64 { return e.rand.Uint64N(n) }

// nowMS is the engine's time in milliseconds, the unit of deadlines.
func (e *Engine) nowMS() int64 { return e.now / 1000 }

// setNow takes the time from outside. It is frozen until the next Do or Tick.
func (e *Engine) setNow(now int64) {
	e.now = now
	if e.start == 0 {
		e.start = now
	}
}

// Ready lists, once each and in order, the clients that have output to be
// taken or may go on (a blocked client was served, a pause ended), and empties
// the list. The client of the running Do is not listed: its caller has it at
// hand. The slice is valid until the next call into the engine.
func (e *Engine) Ready() []*Client {
	list := e.ready
	e.ready = e.ready[:0]
	for _, cl := range list {
		cl.listed = false
	}
	return slices.DeleteFunc(list, func(cl *Client) bool { return cl.closed })
}

// awake puts a client on the Ready list.
func (e *Engine) awake(cl *Client) {
	if cl.listed || cl.closed || cl == e.current {
		return
	}
	cl.listed = true
	e.ready = append(e.ready, cl)
}

// tickBudget bounds how many due things one Tick does, so that a million keys
// due at once do not stall whoever is waiting to be served. Mostly each takes
// about a microsecond, but many where nobody has touched its memory for long.
const tickBudget = 100

// never is what Tick answers when nothing is due at any time.
const never = int64(1)<<62 - 1

// Tick does what is due at now, a bounded number of things: keys expire,
// blocked clients time out, pauses end. It answers when to come back, in the
// same microseconds: now itself if there is more to do at once, and a time far
// away if nothing is planned.
func (e *Engine) Tick(now int64) (next int64) {
	e.journalTick(now)
	e.setNow(now)
	if e.debug.sync != nil {
		return never
	}
	budget := tickBudget
	e.unit++
	e.endPause()
	budget -= e.expireWaits(budget)
	budget -= e.endDelays(budget)
	if e.mayExpireActively() {
		budget -= e.expireDue(budget)
		budget -= e.expireFieldsDue(budget)
	}
	more := e.makeRoom()
	e.unit--
	e.afterUnit()
	if budget <= 0 || more {
		return now
	}
	return e.nextDue()
}

// nextDue is the earliest time at which Tick has something to do.
func (e *Engine) nextDue() (next int64) {
	if e.eviction.running {
		return e.now
	}
	next = never
	if d := e.waiting.Min(); d != nil {
		next = min(next, d.At()*1000)
	}
	if d := e.faults.delays.Min(); d != nil {
		next = min(next, d.At()*1000)
	}
	if e.mayExpireActively() {
		for _, db := range e.dbs {
			for _, d := range []*expiry.Deadline[*Entry]{db.expires.Min(), db.fields.Min()} {
				if d != nil {
					next = min(next, (d.At()+1)*1000)
				}
			}
		}
	}
	if e.pause.kind != pauseNone {
		next = min(next, e.pause.until*1000)
	}
	return next
}

// mayExpireActively tells whether keys go by themselves: not under DEBUG
// SET-ACTIVE-EXPIRE 0, and not while CLIENT PAUSE holds the data still.
func (e *Engine) mayExpireActively() bool {
	return !e.activeExpireOff && e.pausing() == pauseNone
}

// Complete ends a request: the loop has done what Client.Request asked and
// gives the reply by writing it, if there is one. The client goes on from here.
func (e *Engine) Complete(cl *Client, now int64, reply func(out *resp.Writer)) {
	e.complete(cl, now, func(c *Ctx) {
		if reply != nil {
			reply(c.out)
		}
	})
}

// Refuse is Complete with an error.
func (e *Engine) Refuse(cl *Client, now int64, text string) {
	e.complete(cl, now, func(c *Ctx) { e.fail(c, wireError(text)) })
}

func (e *Engine) complete(cl *Client, now int64, reply func(c *Ctx)) {
	e.setNow(now)
	if cl.request == nil || cl.closed {
		return
	}
	r := cl.request
	cl.request = nil
	mark := cl.out.Mark()
	if !r.answered {
		c := e.pushCtx(cl, r.Args, FromClient)
		c.cmd = r.cmd
		reply(c)
		e.stats.count(c, now-r.since)
		e.slow.note(c, now-r.since)
		if e.conf.LatencyMonitorThreshold > 0 {
			e.latency.note(c, now-r.since)
		}
		e.popCtx()
	}
	e.journalComplete(cl, now, mark)
	e.awake(cl)
}

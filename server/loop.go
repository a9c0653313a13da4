package server

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"minikv/engine"
)

// The loop. One goroutine owns the engine and everything that hangs on it;
// whatever else runs (sessions, listeners, the embedding program) leaves its
// news in the loop's inbox. That is Redis's single thread, and here one can
// point at it: run, turn.
//
// A turn takes what has come, runs it, and writes the answers. The loop never
// waits for a socket: output that a connection cannot take stays with its
// client in the engine, where output limits see it.
//
// Time: the clock is read once per turn and once per command, since the end of
// a command is the start of the next.

// link is the loop's hold on one client, however its bytes come and go.
type link interface {
	// core is the part that all links have.
	core() *peer
	// resume delivers commands that the client could not take before.
	resume()
	// flush moves output on, as much as the connection takes now, and closes
	// the connection if that was the last.
	flush()
	// cut closes the connection at once.
	cut()
}

// peer is what every link has: the loop's goroutine alone uses it.
type peer struct {
	eng     *engine.Client
	info    engine.ConnInfo
	running bool // commands of it are being delivered, or one of them runs
	dirty   bool // it is on the list of those to be flushed
	closing bool // the connection closes when the output is written
	lost    bool // the connection is to be dropped once the command that runs is over
	left    bool // the engine has forgotten the client
	gone    bool // so has the loop
}

type loop struct {
	eng   *engine.Engine
	clock Clock
	inbox inbox
	gate  gate
	sleep sleeper
	log   func(engine.LogLevel, string)
	quit  func() // SHUTDOWN: does not wait

	configFile string // what CONFIG REWRITE writes

	ending  <-chan struct{} // closed when the server is being closed
	closing atomic.Bool     // and this is set

	links map[link]struct{}
	ready queue[*engine.Client] // may go on, or have output
	dirty queue[link]           // are to be flushed
	desk  *desk

	base    time.Time     // when the loop was made
	wall    int64         // microseconds since 1970 at base, by the last look at the clock
	read    time.Duration // since base, the last reading
	started time.Duration // of the running command or tick

	nextTick int64 // when the engine wants to be called
	lastTick int64
	nextIdle int64 // when connections are looked at that say nothing
	stopped  bool
	trace    *tracer // or nil
	rules    *rules

	nested  int      // scripts that run and have called Busy
	later   []func() // what waits until they are over
	targets targets  // of MIGRATE
	saving  *backgroundSave
	node    *clusterNode   // nil: of no cluster
	helpers sync.WaitGroup // goroutines that migrate and write for the loop
}

// sleeper is how the loop waits, and where events come from that are not in
// the inbox.
type sleeper interface {
	// begin is called once by the goroutine that will wait.
	begin()
	// yield comes before a wait that is not 0.
	yield()
	// wait waits for events, or for wake, as long as d; negative: for ever.
	wait(d time.Duration) (found bool)
	// serve reads and runs what the events were about.
	serve()
	// wake ends wait; any goroutine may call it.
	wake()
	close()
}

// desk is where the command that runs lies. A script that is served by Busy
// keeps its own while others are served on the next.
type desk struct {
	read  []byte
	argv  [][]byte
	spare *desk
}

// queue is a list that is worked off while it may grow, also from within.
type queue[T any] struct {
	list []T
	next int
}

func (q *queue[T]) push(v T) { q.list = append(q.list, v) }

func (q *queue[T]) pop() (v T, ok bool) {
	if q.next == len(q.list) {
		q.list, q.next = q.list[:0], 0
		return v, false
	}
	var none T
	v, q.list[q.next] = q.list[q.next], none
	q.next++
	return v, true
}

// newLoop makes a loop around an engine that it makes with opt.
func newLoop(opt engine.Options, clock Clock) *loop {
	now := time.Now()
	l := &loop{
		clock: clock,
		links: make(map[link]struct{}),
		desk:  new(desk),
		gate:  newGate(),
		base:  now,
		wall:  now.UnixMicro(),
		rules: new(rules),
		log:   opt.Log,
	}
	opt.Env = l
	l.eng = engine.New(opt)
	l.rules.follow(l.eng.Config(), l.eng.DefaultUserNeedsPassword())
	return l
}

// run serves until stopped is set.
func (l *loop) run() {
	l.sleep.begin()
	defer l.end()
	for !l.stopped {
		if l.turn(0) {
			continue
		}
		l.sleep.yield()
		if d := l.tickUntil(); l.inbox.fallAsleep() {
			l.turn(d)
		}
	}
}

// end closes what is still open.
func (l *loop) end() {
	l.inbox.close()
	for l.inbox.take() {
	}
	l.dropAll()
	l.dropTargets()
	l.dropSave()
	l.helpers.Wait()
	l.sleep.close()
	l.trace.flush()
}

func (l *loop) dropAll() {
	for k := range l.links {
		l.drop(k)
	}
}

// turn waits for at most d, then does what there is to do. It tells whether
// there was anything.
func (l *loop) turn(d time.Duration) (worked bool) {
	worked = l.sleep.wait(d)
	l.look()
	if now := l.now(); now >= l.nextTick || now-l.lastTick >= tickAtLeast || now < l.lastTick {
		l.tick()
	}
	if l.inbox.take() {
		worked = true
	}
	if worked {
		l.sleep.serve()
	}
	l.settle()
	if l.eng.EvictClients(l.now()) {
		l.settle()
	}
	l.doLater()
	if l.stepSave() {
		worked = true
	}
	l.gate.turn()
	l.rules.follow(l.eng.Config(), l.eng.DefaultUserNeedsPassword())
	return worked
}

// tickAtLeast is how often (in microseconds) a loop that never rests asks the
// engine whether something is due: commands make deadlines.
const tickAtLeast = 1000

// tick lets the engine do what is due.
func (l *loop) tick() {
	l.lastTick = l.now()
	l.started = l.read
	l.nextTick = l.eng.Tick(l.lastTick)
	if l.lastTick >= l.nextIdle {
		l.cutIdle(l.lastTick)
		l.nextIdle = l.lastTick + 1_000_000
	}
}

// between has f run between two commands, though a script may be running now.
func (l *loop) between(f func()) {
	if l.nested > 0 {
		l.later = append(l.later, f)
		return
	}
	f()
}

// doLater runs what had to wait for the end of a script.
func (l *loop) doLater() {
	for len(l.later) > 0 {
		list := l.later
		l.later = nil
		for _, f := range list {
			f()
		}
		l.settle()
	}
}

// catchUp does all that is due by now.
func (l *loop) catchUp() {
	for {
		l.look()
		l.tick()
		l.settle()
		if l.nextTick > l.now() {
			return
		}
	}
}

// tickUntil is how long the loop may sleep.
func (l *loop) tickUntil() time.Duration {
	l.look()
	l.tick()
	l.settle()
	l.trace.flush()
	next := min(l.nextTick, l.eng.NextSave())
	if l.eng.Config().Timeout > 0 {
		next = min(next, l.nextIdle)
	}
	if l.clock != nil {
		return l.clock.Until(next)
	}
	return time.Duration(min(max(next-l.now(), 0), int64(time.Hour/time.Microsecond))) * time.Microsecond
}

// look reads the clock, the time of day too.
func (l *loop) look() {
	t := time.Now()
	l.read = t.Sub(l.base)
	l.wall = t.UnixMicro() - l.read.Microseconds()
}

// now is the time of day as of the last reading, in microseconds.
func (l *loop) now() int64 {
	if l.clock != nil {
		return l.clock.Now()
	}
	return l.wall + l.read.Microseconds()
}

// Elapsed is part of engine.Env.
func (l *loop) Elapsed() int64 {
	if l.closing.Load() {
		return engine.Ending
	}
	return l.elapsed()
}

func (l *loop) elapsed() int64 {
	l.read = time.Since(l.base)
	return (l.read - l.started).Microseconds()
}

// Busy is part of engine.Env: a script runs long. Connections are polled once,
// and whoever has sent something is served, on another desk, since the script
// and its client's pipeline lie on this one.
func (l *loop) Busy() {
	started, outer := l.started, l.desk
	if outer.spare == nil {
		outer.spare = new(desk)
	}
	l.desk = outer.spare
	l.nested++
	found := l.sleep.wait(0)
	l.look()
	l.inbox.take()
	if found {
		l.sleep.serve()
	}
	l.settle()
	l.gate.turn()
	l.nested--
	l.desk, l.started = outer, started
}

// deliver runs one command of a client. ran is false if the client has to
// bring the same command again, more if it may go on at once.
func (l *loop) deliver(k link, argv [][]byte) (ran, more bool) {
	p := k.core()
	if isHTTP(argv[0]) {
		l.log(engine.LogWarning, "Closing connection of "+p.info.Addr+", which speaks HTTP: possibly a web page that was made to attack this server")
		p.lost = true
		return true, false
	}
	l.started = l.read
	switch l.eng.Do(p.eng, l.now(), argv) {
	case engine.Done, engine.Queued:
		return true, true
	case engine.Paused:
		l.delayed(p.eng)
		return false, false
	case engine.Close:
		p.closing = true
	case engine.Requested:
		return true, l.perform(k)
	}
	return true, false
}

// isHTTP tells a command that is the beginning of a request by POST, or a
// header that every request has. As in Redis nothing is answered, not even
// what came before.
func isHTTP(name []byte) bool {
	switch len(name) {
	case 4:
		return name[0]|0x20 == 'p' && strings.EqualFold(string(name), "post")
	case 5:
		return name[4] == ':' && strings.EqualFold(string(name), "host:")
	}
	return false
}

// wrong answers a protocol error; the connection closes.
func (l *loop) wrong(k link, err error) {
	p := k.core()
	l.log(engine.LogVerbose, err.Error()+" from client "+p.info.Addr)
	l.eng.ProtocolError(p.eng, l.now(), err.Error())
	p.closing = true
}

// settle lets those go on who may, and flushes those who have output, until
// nobody is left.
func (l *loop) settle() {
	for {
		for _, cl := range l.eng.Ready() {
			l.ready.push(cl)
		}
		if cl, ok := l.ready.pop(); ok {
			l.goOn(cl)
			continue
		}
		k, ok := l.dirty.pop()
		if !ok {
			return
		}
		if p := k.core(); !p.gone {
			p.dirty = false
			k.flush()
		}
	}
}

func (l *loop) goOn(cl *engine.Client) {
	k := cl.Data.(link)
	p := k.core()
	switch {
	case p.gone, p.running: // in the latter case whoever delivers looks after it
		return
	case cl.CloseNow():
		l.drop(k)
		return
	case cl.Closing():
		p.closing = true
	case !p.closing && !cl.Waiting():
		k.resume()
	}
	l.touch(k)
}

// touch sees to it that a client is flushed at the end of the turn.
func (l *loop) touch(k link) {
	if p := k.core(); !p.dirty && !p.gone {
		p.dirty = true
		l.dirty.push(k)
	}
}

// connect makes the engine's client for a new connection.
func (l *loop) connect(k link) {
	p := k.core()
	p.eng = l.eng.Connect(l.now(), p.info)
	p.eng.Data = k
	l.links[k] = struct{}{}
}

// drop closes a connection at once and forgets its client.
func (l *loop) drop(k link) {
	if p := k.core(); p.running { // a command of it runs and has called Busy
		p.lost = true
	} else if l.forget(k) {
		k.cut()
	}
}

// forget takes a client whose connection is over out of the engine. It tells
// whether it was there.
func (l *loop) forget(k link) bool {
	p := k.core()
	if p.gone || p.eng == nil {
		return false
	}
	p.gone = true
	l.leave(p)
	delete(l.links, k)
	return true
}

// leave takes a client out of the engine whose connection closes when its last
// output is written.
func (l *loop) leave(p *peer) {
	if !p.left {
		p.left = true
		l.eng.Disconnect(p.eng, l.now())
	}
}

// cutIdle closes connections that have been silent for longer than timeout.
func (l *loop) cutIdle(now int64) {
	limit := int64(l.eng.Config().Timeout) * 1_000_000
	if limit == 0 {
		return
	}
	for k := range l.links {
		if seen, applies := k.core().eng.IdleSince(); applies && now-seen > limit {
			l.log(engine.LogVerbose, "Closing idle client")
			l.drop(k)
		}
	}
}

// limitsOf are what binds a client's requests.
func (l *loop) limitsOf(p *peer) limits {
	return limits{maxBulk: l.eng.Config().ProtoMaxBulkLen, unauth: !p.eng.Authenticated()}
}

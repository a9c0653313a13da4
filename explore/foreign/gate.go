package foreign

import (
	"cmp"
	"context"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"minikv/engine"
	"minikv/server"
)

// Config is one run.
type Config struct {
	Server   server.Options // its Tap, Noted and Seed are the gate's
	Seed     uint64
	Clients  int           // connections that the program has at work at once
	Patience time.Duration // for how long a client that sends nothing is waited for
	Pauses   int           // times that the server's time goes on though a client could
	Depth    int           // of PCT; 0: by chance
	Steps    int           // that a run is expected to have, for PCT
}

// Gate is a server whose clients run one command at a time, in an order that
// is drawn.
//
// A client's command waits at the gate until every client stands there or is
// idle: blocked by its last command, gone, or silent for the patience. Then one
// of them is drawn, its command runs, and the gate waits again. So the order
// does not depend on how fast the clients are, as long as none takes longer to
// send its next command than the patience.
type Gate struct {
	conf     Config
	srv      *server.Server
	listener net.Listener
	ctx      context.Context
	cancel   context.CancelFunc
	running  sync.WaitGroup
	wake     chan struct{}

	mu       sync.Mutex
	picker   *picker
	conns    []*conn
	arrived  int
	peak     int         // the most connections at one time
	numbered int         // connections that have a number
	left     []time.Time // when connections closed for which another may come
	waived   bool        // a command was let through: clients that have not come had their time
	event    time.Time   // the last one
	pauses   int         // that are left
	trace    Trace
}

// latecomers is how many times the patience clients are waited for that have
// not come at all: programs start slower than they go.
const latecomers = 10

// Start starts a server and its gate, on a free port of the loopback interface.
func Start(conf Config) (*Gate, error) {
	g := &Gate{conf: conf, wake: make(chan struct{}, 1), picker: newPicker(conf.Seed, conf.Depth, conf.Steps), pauses: conf.Pauses}
	g.event = time.Now()
	opt := conf.Server
	opt.NoNetwork, opt.Seed, opt.Tap, opt.Noted = true, conf.Seed, g.tap, g.noted
	var err error
	if g.srv, err = server.Start(opt); err != nil {
		return nil, err
	}
	if g.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		g.srv.Close()
		return nil, err
	}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	g.running.Go(g.accept)
	g.running.Go(g.schedule)
	return g, nil
}

// Addr is where clients connect.
func (g *Gate) Addr() net.Addr { return g.listener.Addr() }

// Close ends everything and answers what was run.
func (g *Gate) Close() Trace {
	g.cancel()
	g.listener.Close()
	g.mu.Lock()
	for _, c := range g.conns {
		c.client.Close()
		c.server.Close()
	}
	g.mu.Unlock()
	g.srv.Close()
	g.running.Wait()
	return g.trace
}

func (g *Gate) accept() {
	for {
		client, err := g.listener.Accept()
		if err != nil {
			return
		}
		g.serve(g.ctx, client)
	}
}

// What happens. Each of these is followed by a look at who may go.

// happened is called under the lock.
func (g *Gate) happened() {
	g.event = time.Now()
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// join takes in a new connection, which may be one that was closed come back;
// false: the gate is being closed.
func (g *Gate) join(c *conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ctx.Err() != nil {
		return false
	}
	g.arrived++
	c.arrived = g.arrived
	g.conns = append(g.conns, c)
	g.peak = max(g.peak, len(g.conns))
	if len(g.left) > 0 {
		g.left = g.left[1:]
	}
	g.happened()
	return true
}

// closed is the end of a connection.
func (g *Gate) closed(c *conn) {
	c.server.Close()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.conns = slices.DeleteFunc(g.conns, func(other *conn) bool { return other == c })
	c.enter(gone)
	if !c.quit {
		g.left = append(g.left, time.Now())
	}
	g.happened()
}

// came takes in a command.
func (g *Gate) came(c *conn, cmd command) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c.queue = append(c.queue, cmd)
	g.happened()
}

// heard tells that the server has sent something to a client: the reply to what
// was not gated, or what the client has waited for.
func (g *Gate) heard(c *conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	overdue := time.Since(c.since) > g.conf.Patience
	if c.state == blocked || c.state == running && (c.passed || overdue) {
		c.enter(thinking)
		g.happened()
	}
}

func (c *conn) enter(s state) { c.state, c.since = s, time.Now() }

// of finds the connection that the engine knows as a client.
func (g *Gate) of(cl *engine.Client) *conn {
	for _, c := range g.conns {
		if cl != nil && c.id == cl.ID() {
			return c
		}
	}
	return nil
}

// tap hears from the server of every command that was run.
func (g *Gate) tap(ev *engine.TapEvent) {
	if !ev.After || ev.Source != engine.FromClient && ev.Source != engine.FromBlocked {
		return
	}
	reply := "" // of a client that wants none
	if len(ev.Reply) > 0 || ev.Client.Waiting() {
		reply = shown(ev.Reply)
	}
	g.ran(ev.Client, ev.Argv, reply, len(ev.Reply) == 0 && ev.Client.Waiting())
}

// noted hears of those that were refused, or spoiled by a fault.
func (g *Gate) noted(cl *engine.Client, argv [][]byte, what string) {
	g.ran(cl, argv, what, cl.Waiting())
}

func (g *Gate) ran(cl *engine.Client, argv [][]byte, reply string, waits bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.of(cl)
	if c == nil {
		return
	}
	if name := cl.Name(); name != "" {
		c.name = name
	}
	if cmd := (command{argv: argv}); c.number != 0 && !c.passes(&cmd) {
		c.queued = append(c.queued, words(argv))
		g.trace = append(g.trace, Step{c.title(), strings.Join(c.queued, "; "), reply})
		c.queued = nil
	}
	switch {
	case waits:
		c.enter(blocked)
	case c.state != gone:
		c.enter(thinking)
	}
	g.happened()
}

// title is how a trace calls a client.
func (c *conn) title() string {
	if c.name != "" {
		return c.name
	}
	n, title := c.number-1, ""
	for ; n >= 26; n = n/26 - 1 {
		title = string(rune('A'+n%26)) + title
	}
	return string(rune('A'+n)) + title
}

// schedule lets commands through until the gate is closed.
func (g *Gate) schedule() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		g.mu.Lock()
		wait := g.turn(time.Now())
		g.mu.Unlock()
		timer.Reset(wait)
		select {
		case <-g.ctx.Done():
			return
		case <-g.wake:
		case <-timer.C:
		}
	}
}

// turn lets through what may go now and answers when to look again. It is called
// under the lock.
func (g *Gate) turn(now time.Time) time.Duration {
	for _, c := range g.conns {
		if c.state == thinking && len(c.queue) > 0 && c.passes(&c.queue[0]) {
			g.let(c, true)
		}
	}
	parked, wait := g.look(now)
	switch {
	case len(parked) == 0:
		return time.Hour // until something happens
	case wait > 0:
		return wait
	}
	g.waived = true
	if g.pauses > 0 && g.picker.chance(len(parked)+1) && g.pause() {
		return 0
	}
	numbers := make([]int, len(parked))
	for i, c := range parked {
		numbers[i] = c.number
	}
	g.let(parked[g.picker.pick(numbers)], false)
	return g.conf.Patience
}

// look finds the clients at the gate in the order of their numbers, and for how
// long others have to be waited for.
func (g *Gate) look(now time.Time) (parked []*conn, wait time.Duration) {
	until := func(since time.Time, patience time.Duration) {
		wait = max(wait, since.Add(patience).Sub(now))
	}
	for _, c := range g.conns {
		switch {
		case c.state == thinking && len(c.queue) > 0:
			parked = append(parked, c)
		case c.state == thinking, c.state == running:
			until(c.since, g.conf.Patience)
		}
	}
	g.left = slices.DeleteFunc(g.left, func(at time.Time) bool { return at.Add(g.conf.Patience).Before(now) })
	for _, at := range g.left {
		until(at, g.conf.Patience)
	}
	switch {
	case g.peak >= g.conf.Clients:
	case g.waived:
		until(g.event, g.conf.Patience)
	default:
		until(g.event, latecomers*g.conf.Patience)
	}
	if wait <= 0 {
		g.number(parked)
	}
	return parked, wait
}

// number gives numbers to those who come for the first time, and sorts. Who
// connects first is a matter of luck, so it goes by names and by what they send.
func (g *Gate) number(parked []*conn) {
	slices.SortFunc(parked, func(a, b *conn) int {
		if a.number != 0 && b.number != 0 {
			return cmp.Compare(a.number, b.number)
		}
		return cmp.Or(cmp.Compare(b.number, a.number), cmp.Compare(a.name, b.name),
			cmp.Compare(a.sends(), b.sends()), cmp.Compare(a.arrived, b.arrived))
	})
	for _, c := range parked {
		if c.number == 0 {
			g.numbered++
			c.number = g.numbered
		}
	}
}

// sends is what a client at the gate is about to run.
func (c *conn) sends() string {
	return strings.Join(append(slices.Clone(c.queued), words(c.queue[0].argv)), "; ")
}

// pause lets the server's time go on to the next deadline; false: there is none.
func (g *Gate) pause() bool {
	g.mu.Unlock() // clients that are served meanwhile are heard of
	moved, err := g.srv.AdvanceToNext()
	g.mu.Lock()
	if err != nil || !moved {
		return false
	}
	g.pauses--
	g.trace = append(g.trace, Step{"", "(time goes on to the next deadline)", ""})
	return true
}

// let sends a client's first command to the server.
func (g *Gate) let(c *conn, passed bool) {
	cmd := c.queue[0]
	c.queue = c.queue[1:]
	name := strings.ToLower(string(cmd.argv[0]))
	if c.inMulti && passed || name == "multi" {
		c.queued = append(c.queued, words(cmd.argv))
	}
	switch name {
	case "multi":
		c.inMulti = true
	case "exec", "discard", "reset":
		c.inMulti = false
	case "quit":
		c.quit = true
	}
	c.passed = passed
	c.enter(running)
	<-c.places
	g.running.Go(func() {
		if _, err := c.server.Write(cmd.wire); err != nil {
			c.client.Close()
		}
	})
}

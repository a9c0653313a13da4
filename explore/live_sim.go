package explore

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/zeebo/xxh3"

	"minikv/resp"
)

// Sim is one schedule of programs in Go, while it is set up: who takes part,
// and what counts as wrong. The function that Run is given is called anew for
// each schedule, so it must make anew whatever its programs use, and programs
// may share nothing but the nodes.
type Sim struct{ p *play }

// Client declares a client. A name is a capital letter.
func (x *Sim) Client(name string, program func(c *Client)) {
	x.p.add(name, len(x.p.clients), program)
}

// Clients declares n clients of one program, which are alike until they begin.
func (x *Sim) Clients(n int, program func(c *Client)) {
	group := len(x.p.clients)
	for range n {
		x.p.add(string(rune('A'+len(x.p.clients))), group, program)
	}
}

// Nodes says how many servers there are, which know nothing of each other. Call
// it first.
func (x *Sim) Nodes(n int) {
	p := x.p
	if n < 1 || n > maxNodes || len(p.nodes) > 0 || len(p.clients) > 0 {
		panic(fmt.Sprintf("explore: there can be from 1 to %d nodes, declared before clients and commands", maxNodes))
	}
	p.s.nodes = n
}

// Locks are the keys to watch for ownership and progress, "lock" if there are
// none. Call it before Do.
func (x *Sim) Locks(keys ...string) {
	if len(keys) > maxLocks || len(x.p.nodes) > 0 {
		panic(fmt.Sprintf("explore: there can be at most %d locks, declared before commands", maxLocks))
	}
	x.p.s.locks = keys
}

// Checks are the properties to look after: without a call exclusion, ownership
// and progress.
func (x *Sim) Checks(c Checks) { x.p.form.Checks = c }

// Fenced makes the resource refuse a write with a lower number.
func (x *Sim) Fenced() { x.p.form.fenced = true }

// Restart says what a restart of a node is; without a call it loses the data
// and takes no time.
func (x *Sim) Restart(keepsData bool, takes time.Duration) {
	x.p.form.lost, x.p.form.down = !keepsData, takes.Milliseconds()
}

// Jump is how far a step of a node's clock goes.
func (x *Sim) Jump(d time.Duration) { x.p.s.jump = d.Milliseconds() }

// AnyOrder is a promise: a client that asks several nodes at the same time does
// the same in whatever order their replies come. Then there are far fewer
// schedules to try.
func (x *Sim) AnyOrder() { x.p.anyOrder = true }

// Finally is called when nothing can happen any more. It may look at the first
// node with Do and call Fail.
func (x *Sim) Finally(look func()) { x.p.finally = look }

// Do runs a command on the first node, outside of the schedule.
func (x *Sim) Do(args ...any) resp.Value {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = fmt.Sprint(a)
	}
	x.p.start()
	v := x.p.nodes[0].observe(words...)
	x.p.nodes[0].settle(-1, "")
	return v
}

// Fail says that something is wrong.
func (x *Sim) Fail(text string) { x.p.violate(&Violation{"assertion", text}) }

// Client is one client in one schedule.
type Client struct {
	p       *play
	name    string
	index   int8
	group   int
	program func(c *Client)
	ctx     context.Context
	cancel  context.CancelFunc

	// The rest is guarded by the play's mutex.
	gates   []*gate // in the order of nodes and of dialling
	marks   []*mark
	events  []string  // what it saw that the schedule did not hand out
	stopped time.Time // when it died, or its schedule was over
	ended   bool
	panics  *Violation
	dead    bool
	begun   bool // it has made a move
	paused  pausing
	inside  bool
	belief  int64
	tokens  int
	history map[*gate]xxh3.Uint128 // of what it saw, by connection if the order does not count
	seen    xxh3.Uint128           // all of that together
}

// mark is something that a client tells; it waits until that has been noted.
type mark struct {
	act  action
	told bool      // it stands in the client's history
	done chan bool // gets the answer, or is closed if the client is to end
}

// Name is the client's letter.
func (c *Client) Name() string { return c.name }

// Context ends when the client dies, and with the schedule. Contexts from
// outside of the schedule must not be used in it.
func (c *Client) Context() context.Context { return c.ctx }

// Dial connects to the first node, whatever the address. It has the form of
// go-redis's Options.Dialer.
func (c *Client) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return c.dial(ctx, 0)
}

// DialNode is Dial for node i, which counts from 1.
func (c *Client) DialNode(i int) func(ctx context.Context, network, addr string) (net.Conn, error) {
	if i < 1 || i > c.p.s.nodes {
		panic(fmt.Sprintf("explore: there is no node %d", i))
	}
	return func(ctx context.Context, _, _ string) (net.Conn, error) { return c.dial(ctx, i-1) }
}

// unreachable is after how long a connection to a node that is cut off fails if
// nothing else ends it.
const unreachable = 5 * time.Second

func (c *Client) dial(ctx context.Context, node int) (net.Conn, error) {
	p := c.p
	p.mu.Lock()
	n := p.nodes[node]
	failure := func(err error) error {
		c.events = append(c.events, n.p.s.nodeName(node)+" "+err.Error())
		return &net.OpError{Op: "dial", Net: "explore", Err: err}
	}
	switch {
	case n.cut:
		p.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-c.ctx.Done():
		case <-time.After(unreachable):
		}
		return nil, &net.OpError{Op: "dial", Net: "explore", Err: syscall.ETIMEDOUT}
	case n.down:
		defer p.mu.Unlock()
		return nil, failure(syscall.ECONNREFUSED)
	}
	defer p.mu.Unlock()
	n.serial[c.index]++
	g := &gate{c: c, n: n, serial: n.serial[c.index], wake: make(chan struct{}, 1)}
	if p.over || c.dead {
		g.failed = lost // and its writes end the client, if it goes on and on
	}
	c.gates = append(c.gates, g)
	slices.SortFunc(c.gates, func(a, b *gate) int {
		if a.n != b.n {
			return a.n.index - b.n.index
		}
		return a.serial - b.serial
	})
	p.signal()
	return g, nil
}

// Enter begins the critical section.
func (c *Client) Enter() { c.mark(action{kind: actEnter}) }

// Leave ends it.
func (c *Client) Leave() { c.mark(action{kind: actLeave}) }

// Believe says until when the client believes to hold the lock; the zero time:
// it does not.
func (c *Client) Believe(until time.Time) {
	n := int64(0)
	if !until.IsZero() {
		n = until.Sub(c.p.begun).Milliseconds()
	}
	c.mark(action{kind: actBelieve, n: n})
}

// Write writes to the resource that the lock protects, with a fencing number;
// it tells whether the resource accepted it.
func (c *Client) Write(fence int64) bool { return c.mark(action{kind: actWrite, n: fence}) }

// Note is a word for the story.
func (c *Client) Note(text string) { c.mark(action{kind: actNote, text: text}) }

// Fail says that something is wrong.
func (c *Client) Fail(text string) { c.mark(action{kind: actFail, text: text}) }

// mark tells something and waits for the answer.
func (c *Client) mark(act action) bool {
	m := &mark{act: act, done: make(chan bool, 1)}
	c.p.mu.Lock()
	if c.dead || c.p.over {
		c.p.mu.Unlock()
		runtime.Goexit()
	}
	c.marks = append(c.marks, m)
	c.p.signal()
	c.p.mu.Unlock()
	answer, ok := <-m.done
	if !ok {
		runtime.Goexit()
	}
	return answer
}

// run is the client's goroutine.
func (c *Client) run() {
	defer func() {
		r := recover()
		c.p.mu.Lock()
		defer c.p.mu.Unlock()
		if r != nil {
			c.panics = &Violation{"panic", fmt.Sprintf("%s panics: %v", c.name, r)}
		}
		c.ended = true
		c.p.signal()
	}()
	c.program(c)
}

// gone tells whether the client does nothing any more.
func (c *Client) gone() bool { return c.dead || c.ended }

// end makes the client stop: it reaches nothing any more.
func (c *Client) end() {
	c.stopped = time.Now()
	c.cancel()
	for _, m := range c.marks {
		close(m.done)
	}
	c.marks = nil
	for _, g := range c.gates {
		g.fail(lost)
	}
}

// saw adds to what the client has seen, through a connection or otherwise.
func (c *Client) saw(g *gate, what ...string) {
	head := ""
	if !c.p.anyOrder {
		g = nil
	}
	if g != nil {
		head = fmt.Sprint(g.n.index, g.serial)
	}
	old := c.history[g]
	b := old.Bytes()
	h := xxh3.Hash128(fmt.Append(b[:], head, c.p.now(), what))
	c.history[g] = h
	c.seen.Hi ^= old.Hi ^ h.Hi
	c.seen.Lo ^= old.Lo ^ h.Lo
}

// turn is something that a client waits to do.
type turn struct {
	gate *gate
	mark *mark
}

// turns lists what the client can do next, in an order that does not depend on
// which of its goroutines came first.
func (c *Client) turns() (list []turn) {
	for _, g := range c.gates {
		if g.waits() {
			list = append(list, turn{gate: g})
		}
	}
	for _, m := range c.marks {
		list = append(list, turn{mark: m})
	}
	slices.SortStableFunc(list, func(a, b turn) int { return slices.Compare(a.sorts(), b.sorts()) })
	return list
}

func (t turn) sorts() []string {
	if t.mark != nil {
		return []string{"", markText(&t.mark.act)}
	}
	node := t.gate.c.p.s.nodeName(t.gate.n.index)
	if t.gate.held != nil {
		return []string{node}
	}
	m := &t.gate.queue[0]
	if m.order == nil {
		m.order = []string{node}
		for _, w := range m.argv {
			m.order = append(m.order, masked(string(w)))
		}
	}
	return m.order
}

// text is what the turn is, with names.
func (t turn) text() string {
	switch {
	case t.mark != nil:
		return markText(&t.mark.act)
	case t.gate.held != nil:
		return "the reply of " + t.gate.asked
	}
	text := (&action{argv: t.gate.queue[0].shown}).command()
	if n := len(t.gate.multi); n > 0 {
		text += fmt.Sprintf(" %q", t.gate.multi)
	}
	return text
}

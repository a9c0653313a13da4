package explore

import (
	"bytes"
	"fmt"
	"time"

	"minikv/engine"
	"minikv/engine/config"
	"minikv/resp"
)

// liveNode is a node of programs in Go: an engine that the schedule drives. Its
// clock is the bubble's.
type liveNode struct {
	p        *play
	index    int
	e        *engine.Engine
	observer *engine.Client
	limit    *scriptLimit
	down     bool
	cut      bool
	up       int64 // when a restart is over, in milliseconds, 0: none under way
	skew     int64 // how far its clock is ahead, in milliseconds
	due      int64 // when something happens by itself, in its own unix microseconds
	locks    [maxLocks]lockValue
	owners   [maxLocks]int8
	serial   [maxClients]int
	chunks   [][]byte
}

// scriptLimit ends a script that runs on and on.
type scriptLimit struct {
	asked int
	ended bool
}

// maxAsked is how often a script asks for its time before it is ended.
const maxAsked = 100

// Elapsed is the engine's: no time goes by unless a script runs on and on.
func (l *scriptLimit) Elapsed() int64 {
	l.asked++
	switch {
	case l.ended:
		return engine.Ending
	case l.asked > maxAsked:
		return overTime
	}
	return 0
}

// Busy is the engine's.
func (l *scriptLimit) Busy() { l.ended = true }

func newLiveNode(p *play, index int) *liveNode {
	n := &liveNode{p: p, index: index}
	n.begin()
	return n
}

// begin makes an engine without data.
func (n *liveNode) begin() {
	n.limit = &scriptLimit{}
	n.e = engine.New(engine.Options{Config: config.New(), Seed: 1, Env: n.limit})
	n.observer = n.connect("127.0.0.1:50000")
	n.owners = [maxLocks]int8{-1, -1}
	n.settle(-1, "")
}

func (n *liveNode) connect(addr string) *engine.Client {
	return n.e.Connect(n.micros(), engine.ConnInfo{Addr: addr, LAddr: "127.0.0.1:6379", FD: 8, Local: true})
}

// micros is the node's time.
func (n *liveNode) micros() int64 { return time.Now().UnixMicro() + n.skew*1000 }

// run runs a command of a connection, and all that follows from it.
func (n *liveNode) run(g *gate, m *command) (out []byte, blocked bool, broken *Violation) {
	n.limit.asked = 0
	outcome := n.e.Do(g.cl, n.micros(), m.argv)
	n.p.ran++
	if outcome == engine.Requested || outcome == engine.Paused || n.limit.ended {
		n.p.wrong(fmt.Errorf("%s cannot be explored: it ends by itself never, or not without a server around it", m.name()))
		return nil, true, nil
	}
	out = n.output(g.cl)
	broken = n.settle(g.c.index, m.name())
	switch m.name() {
	case "MULTI":
		g.multi = []string{}
	case "EXEC", "DISCARD", "RESET":
		g.multi = nil
	default:
		if outcome == engine.Queued {
			g.multi = append(g.multi, n.p.names.in((&action{argv: words(m.argv)}).command()))
		}
	}
	return out, outcome == engine.Blocked, broken
}

// settle does what is due, hands out what clients that waited get, and looks at
// the locks. by is whose command it was, -1 if it was none.
func (n *liveNode) settle(by int8, name string) (broken *Violation) {
	for {
		now := n.micros()
		if n.due = n.e.Tick(now); n.due > now {
			break
		}
	}
	n.e.Ready()
	for _, c := range n.p.clients {
		for _, g := range c.gates {
			if g.n == n && g.cl != nil && g.cl.Pending() > 0 {
				out := n.output(g.cl)
				c.saw(g, "served", n.p.names.in(string(out)))
				g.deliver(out)
			}
		}
	}
	for i, key := range n.p.s.locks {
		old, owner := n.locks[i], n.owners[i]
		now := look(key, n.p.begun.UnixMilli(), n.observe)
		if old == now {
			continue
		}
		n.locks[i] = now
		if old.there && by >= 0 && owner >= 0 && owner != by && n.p.form.Checks&Ownership != 0 && broken == nil {
			broken = foreign(n.p.name(by), name, key, &now, n.p.name(owner))
		}
		switch {
		case !now.there:
			n.owners[i] = -1
		case by >= 0:
			n.owners[i] = by
		}
	}
	return broken
}

// observe runs a command that is no client's.
func (n *liveNode) observe(argv ...string) resp.Value {
	b := make([][]byte, len(argv))
	for i, w := range argv {
		b[i] = []byte(w)
	}
	n.e.Do(n.observer, n.micros(), b)
	v, _, _ := resp.Decode(n.output(n.observer))
	return v
}

func (n *liveNode) output(cl *engine.Client) []byte {
	n.chunks = cl.Output(n.chunks[:0])
	out := bytes.Join(n.chunks, nil)
	for _, c := range n.chunks {
		cl.Recycle(c)
	}
	return out
}

// forget ends a connection.
func (n *liveNode) forget(g *gate) {
	if g.cl != nil {
		n.e.Disconnect(g.cl, n.micros())
		g.cl = nil
	}
}

// goDown ends all connections.
func (n *liveNode) goDown() {
	n.down = true
	for _, c := range n.p.clients {
		for _, g := range c.gates {
			if g.n == n && g.failed == nil {
				c.saw(g, "reset", n.p.s.nodeName(n.index))
				n.forget(g)
				g.fail(lost)
			}
		}
	}
}

// restart begins anew, with or without the data.
func (n *liveNode) restart() {
	n.goDown()
	if n.p.form.lost {
		n.begin()
	} else {
		n.observe("SCRIPT", "FLUSH")
	}
	n.down = n.p.form.down > 0
	if n.down {
		n.up = n.p.now() + n.p.form.down
	}
}

// nextDue is when something happens by itself, in the schedule's milliseconds.
func (n *liveNode) nextDue() int64 {
	begin := n.p.begun.UnixMicro()
	switch {
	case n.down && n.up > 0:
		return n.up
	case n.down || n.due-begin >= never*1000:
		return never
	}
	return (n.due-begin+999)/1000 - n.skew
}

// tick does what is due.
func (n *liveNode) tick() {
	if n.down && n.up > 0 && n.up <= n.p.now() {
		n.down, n.up = false, 0
	}
	if !n.down {
		n.settle(-1, "")
	}
}

// words are a command's as texts.
func words(argv [][]byte) []string {
	list := make([]string, len(argv))
	for i, w := range argv {
		list[i] = string(w)
	}
	return list
}

// describe is all that decides how the node goes on, with names.
func (n *liveNode) describe() string {
	var clients []*engine.Client
	for _, c := range n.p.clients {
		for _, g := range c.gates {
			if g.n == n && g.cl != nil {
				clients = append(clients, g.cl)
			}
		}
	}
	return n.p.names.in(string(n.e.AppendState(nil, clients)))
}

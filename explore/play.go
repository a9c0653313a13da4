package explore

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"github.com/zeebo/xxh3"
)

// play is one schedule of programs in Go. It lives in a bubble, whose time
// moves when everybody waits: the programs for their turn, for a reply or for
// the time. Between two moves everybody does, so all is as the moves made it.
type play struct {
	s        *Scenario
	form     *Form
	clients  []*Client
	nodes    []*liveNode
	finally  func()
	anyOrder bool
	names    names
	plain    bool                      // clients are not merged
	known    map[xxh3.Uint128]struct{} // states of nodes

	mu       sync.Mutex // whoever makes the moves has it, unless everybody may run
	begun    time.Time
	activity chan struct{}
	over     bool

	left   [budgets]uint8
	last   int8
	still  bool // nothing comes of waiting any more
	cut    bool // a client had more ways to go on than can be told apart
	fence  int64
	fencer int8
	made   []move
	broken *Violation
	err    error
	ran    int // commands

	telling bool
	rows    []Row
	notes   []string // of the row
	buf     []byte
}

// newPlay sets a schedule up.
func newPlay(title string, bounds Bounds, setup func(x *Sim)) *play {
	p := &play{begun: time.Now(), activity: make(chan struct{}, 1), last: -1, fencer: -1, names: names{of: map[string]string{}}}
	p.s = &Scenario{ID: "Go", Title: title, nodes: 1, locks: []string{"lock"}, bounds: bounds}
	p.form = &Form{Expect: Holds, Bounds: bounds, Checks: Exclusion | Ownership | Progress, lost: true}
	for i, n := range bounds.fields() {
		p.left[i] = uint8(*n)
	}
	if p.left[switches] == 0 {
		p.left[switches] = anyNumber
	}
	setup(&Sim{p})
	p.s.Forms = []Form{*p.form}
	return p
}

// start makes the nodes.
func (p *play) start() {
	for len(p.nodes) < p.s.nodes {
		p.nodes = append(p.nodes, newLiveNode(p, len(p.nodes)))
	}
}

func (p *play) add(name string, group int, program func(*Client)) {
	same := func(c *Client) bool { return c.name == name }
	if len(p.clients) == maxClients || len(name) != 1 || name[0] < 'A' || name[0] > 'Z' || slices.ContainsFunc(p.clients, same) {
		panic(fmt.Sprintf("explore: there can be at most %d clients, and a client's name is a capital letter of its own", maxClients))
	}
	c := &Client{p: p, name: name, index: int8(len(p.clients)), group: group, program: program, history: map[*gate]xxh3.Uint128{}}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	p.clients = append(p.clients, c)
	p.s.clients = append(p.s.clients, clientDecl{name, group, int(c.index)})
}

// now is how long the schedule runs, in milliseconds of the bubble.
func (p *play) now() int64 { return time.Since(p.begun).Milliseconds() }

func (p *play) name(client int8) string { return p.clients[client].name }

// signal says that something may have come to a gate.
func (p *play) signal() {
	select {
	case p.activity <- struct{}{}:
	default:
	}
}

func (p *play) wrong(err error) {
	if p.err == nil {
		p.err = err
	}
}

// violate notes the first thing that is wrong.
func (p *play) violate(v *Violation) {
	if p.broken == nil {
		p.broken = v
	}
}

// run plays: choose says which move comes next, or that it is enough.
func (p *play) run(choose func(moves []move) (m move, goesOn bool)) {
	p.start()
	var clients sync.WaitGroup
	for _, c := range p.clients {
		clients.Go(c.run)
	}
	p.mu.Lock()
	p.settle(-1)
	for p.broken == nil && p.err == nil {
		moves := p.moves()
		if len(moves) == 0 {
			p.judge()
			break
		}
		m, goesOn := choose(moves)
		if !goesOn {
			break
		}
		p.apply(m)
	}
	p.over = true
	for _, c := range p.clients {
		c.end()
	}
	p.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		clients.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(time.Hour): // the bubble says that something has not ended
	}
	time.Sleep(remains)
}

// remains is how long what a client has left behind may take to end.
const remains = time.Minute

// settle waits until everybody waits, and does what needs no turn. Who has just
// made its move tells what it tells at once.
func (p *play) settle(who int8) {
	p.wait()
	for p.pass(who) {
		p.wait()
	}
	p.arrive()
}

// wait waits until everybody else waits.
func (p *play) wait() {
	p.mu.Unlock()
	synctest.Wait()
	p.mu.Lock()
}

// pass does what needs no turn and tells whether there was anything that makes
// a client go on.
func (p *play) pass(who int8) (more bool) {
	for _, c := range p.clients {
		for _, g := range slices.Clone(c.gates) {
			if g.closed {
				g.n.forget(g)
				continue
			}
			if g.cl == nil && g.failed == nil {
				g.cl = g.n.connect(fmt.Sprintf("127.0.0.1:%d", 50001+100*int(c.index)+g.serial))
			}
			for g.passes() {
				more = true
				m := g.queue[0]
				g.queue = g.queue[1:]
				if g.n.cut {
					continue
				}
				p.learn(c, &m)
				out, _, _ := g.n.run(g, &m)
				g.deliver(out)
			}
		}
		c.gates = slices.DeleteFunc(c.gates, func(g *gate) bool { return g.closed })
		if c.panics != nil && !c.dead {
			p.violate(c.panics)
		}
		if c.index == who && len(c.marks) > 0 {
			more = true
			p.tell(c, c.turns()[0].mark)
		}
	}
	return more
}

// learn names what is random in a command.
func (p *play) learn(c *Client, m *command) {
	for i, w := range m.argv {
		if script := strings.ToUpper(string(m.argv[0])); i > 0 && script != "SCRIPT" && script != "FUNCTION" && (i != 1 || !strings.HasPrefix(script, "EVAL")) {
			p.names.learn(c, string(w))
		}
	}
	m.shown = make([]string, len(m.argv))
	for i, w := range m.argv {
		m.shown[i] = p.names.in(string(w))
	}
}

// arrive notes what has come to the gates.
func (p *play) arrive() {
	for _, c := range p.clients {
		if c.gone() {
			if p.finally == nil {
				c.seen = xxh3.Uint128{} // where it ended does not matter
			}
			continue
		}
		slices.Sort(c.events)
		for _, e := range c.events {
			c.saw(nil, e)
		}
		c.events = nil
		for _, t := range c.turns() {
			switch {
			case t.mark != nil && !t.mark.told:
				t.mark.told = true
			case t.gate != nil && t.gate.held == nil && t.gate.queue[0].shown == nil:
				p.learn(c, &t.gate.queue[0])
			default:
				continue
			}
			c.saw(t.gate, "does", t.text())
		}
	}
}

// tell notes what a client tells, and lets it go on.
func (p *play) tell(c *Client, m *mark) {
	c.marks = slices.DeleteFunc(c.marks, func(other *mark) bool { return other == m })
	accepted := true
	note := ""
	switch m.act.kind {
	case actEnter:
		c.inside = true
		for _, other := range p.clients {
			if other != c && other.inside && !other.gone() && p.form.Checks&Exclusion != 0 {
				p.violate(overlap(other.name, c.name))
			}
		}
	case actLeave:
		c.inside = false
	case actBelieve:
		c.belief = m.act.n
	case actFail:
		p.violate(&Violation{"assertion", m.act.text})
	case actWrite:
		accepted = p.write(c, m.act.n)
		note = ": accepted"
		if !accepted {
			note = ": refused"
		}
	}
	p.notes = append(p.notes, p.names.in(markText(&m.act))+note)
	c.saw(nil, "told", markText(&m.act), fmt.Sprint(accepted))
	m.done <- accepted
}

// write is a write to the resource.
func (p *play) write(c *Client, n int64) bool {
	if p.form.fenced && n < p.fence {
		return false
	}
	if p.form.Checks&Fencing != 0 {
		switch {
		case n < p.fence:
			p.violate(older(c.name, n, p.fence))
		case n == p.fence && p.fencer >= 0 && p.fencer != c.index:
			p.violate(sameNumber(p.name(p.fencer), c.name, n))
		}
	}
	p.fence, p.fencer = n, c.index
	return true
}

// held tells on how many nodes a client holds the first lock.
func (p *play) held(c *Client) (held int) {
	for _, n := range p.nodes {
		if n.owners[0] == c.index {
			held++
		}
	}
	return held
}

// judge looks at the end of a schedule.
func (p *play) judge() {
	if p.form.Checks&Progress != 0 {
		for _, n := range p.nodes {
			for j, lock := range p.s.locks {
				if n.down || !n.locks[j].there {
					continue
				}
				owner, dead := "", false
				if o := n.owners[j]; o >= 0 {
					owner, dead = p.name(o), p.clients[o].dead
				}
				p.violate(leftBehind(lock, owner, dead))
			}
		}
	}
	if p.finally != nil && p.broken == nil {
		p.finally()
	}
}

// hash tells apart what schedules have come to.
func (p *play) hash() [16]byte {
	b := binary.AppendVarint(p.buf[:0], p.now())
	b = append(b, p.left[:]...)
	if p.left[switches] != anyNumber {
		b = append(b, byte(p.last))
	}
	b = append(binary.AppendVarint(b, p.fence), byte(p.fencer), flag(p.still))
	for _, n := range p.nodes {
		b = append(b, flag(n.down)|flag(n.cut)<<1)
		b = binary.AppendVarint(binary.AppendVarint(b, n.skew), n.up)
		for _, owner := range n.owners {
			b = append(b, byte(owner))
		}
		state := n.describe()
		p.known[xxh3.HashString128(state)] = struct{}{}
		b = append(b, state...)
	}
	for _, c := range p.clients {
		b = append(b, flag(c.dead)|flag(c.ended)<<1|flag(c.begun)<<2|flag(c.inside && !c.gone())<<3, byte(c.paused))
		seen := c.seen.Bytes()
		b = append(binary.AppendVarint(b, c.belief), seen[:]...)
		if !c.gone() {
			for _, t := range c.turns() {
				b = append(append(b, t.text()...), 0)
			}
		}
	}
	p.buf = b
	return xxh3.Hash128(b).Bytes()
}

// look tells what everybody waits for, for a comparison.
func (p *play) look() string {
	var parts []string
	for _, c := range p.clients {
		switch turns := c.turns(); {
		case c.gone():
			parts = append(parts, c.name+" has ended")
		case len(turns) == 0:
			parts = append(parts, c.name+" waits")
		default:
			text := c.name + " is at"
			for _, t := range turns {
				text += " " + t.text()
			}
			parts = append(parts, text)
		}
	}
	return "at " + seconds(p.now()) + ", " + strings.Join(parts, "; ")
}

package explore

import "time"

// What can happen in a schedule of programs in Go, and what each move does.

// holdsClock tells whether the clock waits for a client.
func (p *play) holdsClock(c *Client) bool {
	return !c.gone() && c.paused == running && len(c.turns()) > 0
}

// preempts tells whether a step of one client leaves another that could go on.
func (p *play) preempts(who int8) bool {
	return p.last >= 0 && p.last != who && p.holdsClock(p.clients[p.last])
}

// alike tells whether a client is still as one before it of the same program.
func (p *play) alike(c *Client) bool {
	if p.plain || c.begun || c.index == 0 {
		return false
	}
	before := p.clients[c.index-1]
	return before.group == c.group && !before.begun && !before.gone()
}

// moves lists what can happen.
func (p *play) moves() (list []move) {
	holding, fresh := 0, 0
	alive, waiting := false, false
	for _, c := range p.clients {
		if c.gone() {
			continue
		}
		alive = true
		turns := c.turns()
		switch {
		case len(turns) == 0 || c.paused == stopping:
			waiting = true
		case !p.holdsClock(c):
		case !c.begun:
			fresh++
		default:
			holding++
		}
		if p.alike(c) {
			continue
		}
		if c.paused != stopping && (p.left[switches] > 0 || !p.preempts(c.index)) {
			list = append(list, p.steps(c, turns)...)
		}
		if p.left[kills] > 0 {
			list = append(list, move{kind: moveKill, who: c.index})
		}
	}
	due := p.nextDue() < never
	lasting := p.form.Checks&Progress != 0 || p.finally != nil
	if (alive && (waiting && !p.still || due) || lasting && due) && holding+max(fresh-int(p.left[late]), 0) <= int(p.left[pauses]) {
		list = append(list, move{kind: moveClock})
	}
	if alive {
		list = append(list, p.nodeMoves()...)
	}
	return list
}

// steps are the ways in which a client can go on.
func (p *play) steps(c *Client, turns []turn) (list []move) {
	p.cut = p.cut || len(turns) > maxWays
	for i, t := range turns[:min(len(turns), maxWays)] {
		m := move{kind: moveStep, who: c.index}
		if len(turns) > 1 {
			m.arg = int8(i + 1)
		}
		list = append(list, m)
		if t.mark != nil || t.gate.held != nil || t.gate.n.cut {
			continue
		}
		if p.left[lostReplies] > 0 {
			list = append(list, move{moveLose, c.index, m.arg})
		}
		if p.left[pauses] > 0 {
			list = append(list, move{moveHold, c.index, m.arg})
		}
	}
	return list
}

func (p *play) nodeMoves() (list []move) {
	for i, n := range p.nodes {
		if n.down || n.cut {
			continue
		}
		for _, m := range []struct {
			kind   moveKind
			budget budget
			may    bool
		}{{moveCrash, crashes, true}, {moveRestart, restarts, true}, {moveCut, cuts, true}, {moveJump, clockSteps, p.s.jump > 0}} {
			if m.may && p.left[m.budget] > 0 {
				list = append(list, move{kind: m.kind, who: int8(i)})
			}
		}
	}
	return list
}

// What a move adds to the cost of a schedule. A step by itself is free.
const (
	failureCost = 3
	switchCost  = 1
)

// cost is what a move adds to a schedule.
func (p *play) cost(m move) int {
	switch m.kind {
	case moveStep:
		if p.preempts(m.who) {
			return switchCost
		}
		return 0
	case moveClock:
		cost := 0
		for _, c := range p.clients {
			if p.holdsClock(c) && c.begun {
				cost += failureCost
			}
		}
		return cost
	}
	return failureCost
}

// apply makes a move.
func (p *play) apply(m move) {
	before, who := p.now(), int8(-1)
	p.notes, p.still = nil, false
	row := Row{Move: m.text(p.s)}
	switch m.kind {
	case moveStep, moveHold, moveLose:
		who = m.who
		p.step(m, &row)
	case moveKill:
		c := p.clients[m.who]
		row.Who, row.What = c.name, "dies"
		p.left[kills]--
		c.dead = true
		for _, g := range c.gates {
			g.n.forget(g)
		}
		c.end()
	case moveClock:
		p.advance(&row)
		row.Who, row.What = "clock", "+"+seconds(p.now()-before)
	default:
		p.happen(m, &row)
	}
	p.made = append(p.made, m)
	p.settle(who)
	if p.form.Checks&Belief != 0 {
		p.checkBelief()
	}
	if p.telling {
		row.Notes = append(row.Notes, p.notes...)
		p.tellState(&row)
		p.rows = append(p.rows, row)
	}
}

// step is a client's turn.
func (p *play) step(m move, row *Row) {
	c := p.clients[m.who]
	t := c.turns()[max(m.arg, 1)-1]
	if p.preempts(m.who) && p.left[switches] != anyNumber {
		p.left[switches]--
	}
	row.Who = c.name
	if c.paused != running && c.begun {
		p.notes = append(p.notes, "goes on after its pause")
	}
	c.paused, c.begun, p.last = running, true, m.who
	switch {
	case t.mark != nil:
		row.What = "goes on"
		p.tell(c, t.mark)
	case t.gate.held != nil:
		row.What = "gets the reply of " + t.gate.asked
		out := t.gate.held
		t.gate.held = nil
		p.hand(t.gate, out, row)
	default:
		p.command(m, c, t, row)
	}
}

// hand gives a client its reply.
func (p *play) hand(g *gate, out []byte, row *Row) {
	reply := p.names.in(string(out))
	row.Reply = replyText(reply)
	g.c.saw(g, "reply", g.asked, reply)
	g.deliver(out)
}

// command lets a command through.
func (p *play) command(m move, c *Client, t turn, row *Row) {
	g := t.gate
	cmd := g.queue[0]
	row.Command, row.What, row.Node = cmd.shown, t.text(), p.s.nodeName(g.n.index)
	g.queue, g.asked = g.queue[1:], cmd.name()
	if g.n.cut {
		p.notes = append(p.notes, "is not heard")
		c.saw(g, "asks", row.Node)
		g.goesOn()
		return
	}
	out, blocked, broken := g.n.run(g, &cmd)
	if broken != nil {
		p.violate(broken)
	}
	switch {
	case m.kind == moveLose:
		row.Reply, row.Fate = replyText(p.names.in(string(out))), "lost"
		p.left[lostReplies]--
		c.saw(g, "loses", row.Node)
		g.n.forget(g)
		g.n.settle(-1, "")
		g.fail(lost)
	case blocked:
		p.notes = append(p.notes, "waits")
		c.saw(g, "blocks", row.Node)
		g.goesOn()
	case m.kind == moveHold:
		row.Reply, row.Fate = replyText(p.names.in(string(out))), "held"
		p.left[pauses]--
		c.paused = stopping
		g.held = out
	default:
		p.hand(g, out, row)
	}
}

// nextDue is when a node does something by itself.
func (p *play) nextDue() int64 {
	next := never
	for _, n := range p.nodes {
		next = min(next, n.nextDue())
	}
	return next
}

// farthest is how long the clock goes on if nothing at all comes of it.
const farthest = 24 * time.Hour

// advance moves the clock on until something happens. Clients that could have
// gone on are paused by that.
func (p *play) advance(row *Row) {
	for _, c := range p.clients {
		switch {
		case c.paused == stopping:
			c.paused = stopped
		case p.holdsClock(c):
			c.paused = stopped
			switch {
			case !c.begun && p.left[late] > 0:
				p.left[late]--
				continue
			case c.begun:
				p.notes = append(p.notes, c.name+" is paused")
			}
			p.left[pauses]--
		}
	}
	p.last = -1
	wait := farthest
	due := p.nextDue()
	if due < never {
		wait = min(wait, time.Until(p.begun.Add(time.Duration(due)*time.Millisecond)))
	}
	select {
	case <-p.activity: // of what is at the gates already
	default:
	}
	timer := time.NewTimer(wait)
	still := false
	p.mu.Unlock()
	select {
	case <-p.activity:
	case <-timer.C:
		still = due >= never
	}
	p.mu.Lock()
	timer.Stop()
	p.still = still
	p.wait()
	for i, n := range p.nodes {
		before, down := n.locks, n.down
		n.tick()
		where := ""
		if p.s.nodes > 1 {
			where = " at " + p.s.nodeName(i)
		}
		for j, key := range p.s.locks {
			if before[j].there && !n.locks[j].there {
				p.notes = append(p.notes, key+" runs out"+where)
			}
		}
		if down && !n.down {
			p.notes = append(p.notes, p.s.nodeName(i)+" is up again")
		}
	}
}

// happen does what befalls a node.
func (p *play) happen(m move, row *Row) {
	n := p.nodes[m.who]
	row.Who = p.s.nodeName(int(m.who))
	switch m.kind {
	case moveCrash:
		row.What = "dies"
		p.left[crashes]--
		n.goDown()
	case moveRestart:
		row.What = "starts anew, with its data"
		if p.form.lost {
			row.What = "starts anew, with nothing"
		}
		p.left[restarts]--
		n.restart()
	case moveCut:
		row.What = "is cut off"
		p.left[cuts]--
		n.cut = true
	case moveJump:
		row.What = "its clock jumps by " + seconds(p.s.jump)
		p.left[clockSteps]--
		n.skew += p.s.jump
		n.tick()
	}
}

// checkBelief looks whether each client that believes to hold the lock does.
func (p *play) checkBelief() {
	for _, c := range p.clients {
		if c.gone() || p.now() >= c.belief {
			continue
		}
		if held := p.held(c); held < len(p.nodes)/2+1 {
			p.violate(mistaken(c.name, p.s.locks[0], c.belief, held, len(p.nodes)))
		}
	}
}

// tellState tells what the nodes know and what the clients believe.
func (p *play) tellState(row *Row) {
	row.Time = p.now()
	for i, n := range p.nodes {
		for j, key := range p.s.locks {
			k := n.locks[j].known(p.now() + n.skew)
			k.Node, k.Key, k.Value, k.Down = p.s.nodeName(i), key, p.names.in(k.Value), n.down
			if k.TTL != -2 && n.owners[j] >= 0 {
				k.Owner = p.name(n.owners[j])
			}
			row.Known = append(row.Known, k)
		}
	}
	for _, c := range p.clients {
		if !c.gone() {
			row.Beliefs = append(row.Beliefs, belief(c.name, c.inside, c.belief, p.now(), p.held(c) > len(p.nodes)/2)...)
		}
	}
}

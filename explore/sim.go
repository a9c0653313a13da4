package explore

import (
	"fmt"
	"slices"
	"strconv"
)

// sim plays one form of a scenario: it knows which moves a world has, and what
// each of them makes of it.
type sim struct {
	scenario *Scenario
	form     *Form
	bounds   Bounds
	store    *store
	programs *programs
	symmetry bool // clients that are alike are merged
	sym      *symmetry
	reduce   bool // moves that change nothing are left out
	group    []int
	begins   []int32 // of the clients: where they begin

	seen   []string
	seenBy map[string]int32
	trace  *trace // of the running move, for a story; nil: nobody reads it
	buf    []byte
	err    error
}

// newSim makes a world and all that is needed to play on from it.
func newSim(s *Scenario, form int, bounds Bounds, mut *Mutant, how reduced) (*sim, world, error) {
	m, err := newMachine(s.File, s.Source, mut)
	if err != nil {
		return nil, world{}, err
	}
	x := &sim{scenario: s, form: &s.Forms[form], bounds: bounds, symmetry: how.alike, seen: []string{""}, seenBy: map[string]int32{"": 0}}
	x.store = newStore(len(s.clients), s.locks, how.merged && !asksForScripts(s.Source))
	x.programs = newPrograms(m, s, form, x.store)
	x.programs.plain, x.reduce = !how.merged, how.merged
	if how.alike {
		x.sym = newSymmetry(s)
	}
	for _, c := range s.clients {
		x.group = append(x.group, c.group)
	}
	w, err := x.begin()
	return x, w, err
}

// begin makes the world in which every schedule begins.
func (x *sim) begin() (w world, err error) {
	w.fencer, w.last = -1, -1
	for i, n := range x.bounds.fields() {
		w.left[i] = uint8(*n)
	}
	if w.left[switches] == 0 {
		w.left[switches] = anyNumber
	}
	for i := range w.nodes {
		w.nodes[i].owners = [maxLocks]int8{-1, -1}
	}
	if x.scenario.setup {
		if _, err := x.aside(&w, setupProgram); err != nil {
			return w, err
		}
		for i := 1; i < x.scenario.nodes; i++ {
			w.nodes[i].state = w.nodes[0].state
		}
	}
	for i := range x.scenario.clients {
		at, err := x.programs.begin(i, 0)
		if err != nil {
			return w, err
		}
		x.arrive(&w, int8(i), at, &footprint{})
		x.begins = append(x.begins, w.clients[i].at)
	}
	return w, x.err
}

// anyNumber is how many context switches are left if nobody counts them.
const anyNumber = 255

// preempts tells whether a step of one client leaves another that could go on.
func (x *sim) preempts(w *world, who int8) bool {
	return w.last >= 0 && w.last != who && x.holdsClock(w, int(w.last))
}

// footprint is what a move depends on and changes, as far as other moves are
// concerned.
type footprint struct {
	all   bool // it may concern everything
	marks bool // critical section, resource, beliefs
	node  int8 // -1: none
	step  *step
}

// commutes tells whether two moves of different clients can change places.
func (f *footprint) commutes(g *footprint) bool {
	if f.all || g.all || f.marks && g.marks {
		return false
	}
	if f.node != g.node || f.node < 0 {
		return true
	}
	for _, a := range f.step.keys {
		for _, b := range g.step.keys {
			if a.Key == b.Key && a.DB == b.DB && (a.Write || b.Write) {
				return false
			}
		}
	}
	return true
}

// apply makes a move. What is wrong from then on is the first violation.
func (x *sim) apply(w *world, m move) (foot footprint, broken *Violation) {
	foot.node = -1
	switch m.kind {
	case moveStep, moveHold, moveLose:
		broken = x.step(w, m, &foot)
		w.last = m.who
	default:
		foot.all = true
		broken = x.happen(w, m)
	}
	if broken == nil && x.form.Checks&Belief != 0 {
		broken = x.checkBelief(w)
	}
	return foot, broken
}

// step is a client's turn.
func (x *sim) step(w *world, m move, foot *footprint) *Violation {
	c := &w.clients[m.who]
	if x.preempts(w, m.who) && w.left[switches] != anyNumber {
		w.left[switches]--
	}
	c.paused = running
	switch c.phase {
	case waiting:
		return x.deliver(w, m.who, x.seen[c.seen], foot)
	case acking:
		foot.all = true
		seen := ":0\r\n"
		if w.link.n == 0 && !w.link.cut {
			seen = ":1\r\n"
		}
		return x.deliver(w, m.who, seen, foot)
	}
	switch act := &x.programs.points[c.at].act; act.kind {
	case actCall:
		return x.call(w, m, act, foot)
	case actWrite:
		foot.marks = true
		return x.write(w, m.who, act.n, foot)
	default: // actChoose
		return x.deliver(w, m.who, strconv.Itoa(int(m.arg)), foot)
	}
}

// target is the node that a call goes to.
func (x *sim) target(w *world, c *clientState, act *action) int8 {
	switch {
	case act.node == everyNode:
		return c.asked
	case act.node > 0:
		return int8(min(act.node, x.scenario.nodes) - 1)
	}
	return w.primary
}

// call sends a command. The reply comes at once, or is held, or lost.
func (x *sim) call(w *world, m move, act *action, foot *footprint) *Violation {
	c := &w.clients[m.who]
	at := x.target(w, c, act)
	n := &w.nodes[at]
	switch {
	case n.down:
		foot.all = true
		return x.deliver(w, m.who, seenRefused, foot)
	case n.cut:
		foot.all = true
		x.wait(w, c, w.now+x.scenario.timeout, seenTimeout)
		return nil
	case x.scenario.replica && act.argv[0] == "WAIT":
		foot.all = true
		ms, _ := strconv.ParseInt(act.argv[len(act.argv)-1], 10, 64)
		c.phase, c.until = acking, w.now+ms
		return nil
	}
	st := x.store.exec(stepKey{n.state, act.op, m.who, w.now + n.skew})
	foot.node, foot.step, foot.all = at, st, st.all || len(st.others) > 0 || x.scenario.replica && st.unit != 0
	x.trace.ran(at, st)
	broken := x.settle(w, at, m.who, st)
	switch {
	case st.blocked:
		c.phase, c.node = blocked, at
	case m.kind == moveHold:
		x.wait(w, c, w.now, st.reply)
		c.paused = stopping
		w.left[pauses]--
	case m.kind == moveLose:
		x.wait(w, c, w.now+x.scenario.timeout, seenTimeout)
		w.left[lostReplies]--
		x.reset(w, at, m.who) // the connection went with it
	default:
		if b := x.deliver(w, m.who, st.reply, foot); broken == nil {
			broken = b
		}
	}
	return broken
}

// wait makes a client wait for what it will see at a time.
func (x *sim) wait(w *world, c *clientState, until int64, seen string) {
	n, ok := x.seenBy[seen]
	if !ok {
		n = int32(len(x.seen))
		x.seen = append(x.seen, seen)
		x.seenBy[seen] = n
	}
	c.phase, c.until, c.seen = waiting, until, n
}

// settle puts a node into the state that a step leads to. by is the client
// whose step it is, -1 if there is none.
func (x *sim) settle(w *world, at, by int8, st *step) (broken *Violation) {
	n := &w.nodes[at]
	who := by
	if by >= 0 {
		by = int8(x.scenario.clients[by].acts)
	}
	before, after := &x.store.states[n.state], &x.store.states[st.to]
	n.state = st.to
	for i := range x.scenario.locks {
		old, new := &before.locks[i], &after.locks[i]
		if *old == *new {
			continue
		}
		owner := n.owners[i]
		if old.there && by >= 0 && owner >= 0 && owner != by && x.form.Checks&Ownership != 0 && broken == nil && !x.follows(w, at) { // a replica does what the primary has decided
			broken = foreign(x.name(who), x.programs.points[w.clients[who].at].act.argv[0], x.scenario.locks[i], new, x.name(owner))
		}
		switch {
		case !new.there:
			n.owners[i] = -1
		case by >= 0:
			n.owners[i] = by
		}
	}
	for _, a := range st.others {
		if int(a.slot) < len(x.scenario.clients) {
			if c := &w.clients[a.slot]; c.phase == blocked {
				x.wait(w, c, w.now, a.reply)
			}
		}
	}
	if st.unit != 0 && who >= 0 && x.scenario.replica && at == 0 && w.primary == 0 && !w.link.cut {
		x.replicate(w, linkUnit{st.unit, who, w.now})
	}
	return broken
}

func (x *sim) name(client int8) string { return x.scenario.clients[client].name }

func (x *sim) replicate(w *world, u linkUnit) {
	w.link.units[w.link.n] = u
	w.link.n++
}

// deliver gives a client what it waited for; it goes on to its next action.
func (x *sim) deliver(w *world, who int8, seen string, foot *footprint) *Violation {
	c := &w.clients[who]
	x.trace.saw(seen)
	at := x.programs.points[c.at]
	if at.act.node == everyNode {
		c.agreed += int8(flag(!at.act.blind && yes(seen)))
		if c.asked++; int(c.asked) < x.scenario.nodes {
			c.phase, c.seen, c.until = ready, 0, 0
			return nil
		}
		seen = fmt.Sprintf(":%d\r\n", c.agreed)
		c.asked, c.agreed = 0, 0
	}
	if at.act.blind {
		seen = ""
	}
	at, err := x.programs.step(int(who), at, seen)
	if err != nil {
		x.fail(err)
		return nil
	}
	return x.arrive(w, who, at, foot)
}

// arrive puts a client at a point and does what needs no turn.
func (x *sim) arrive(w *world, who int8, at *point, foot *footprint) (broken *Violation) {
	c := &w.clients[who]
	for at.act.immediate() {
		next, err := x.pass(w, who, at, foot, &broken)
		if err != nil {
			x.fail(err)
			return broken
		}
		at = next
	}
	c.at, c.phase, c.seen, c.until = at.number, ready, 0, 0
	switch at.act.kind {
	case actSleep, actWork:
		x.wait(w, c, w.now+at.act.n, "")
	case actDone, actDied:
		foot.marks = foot.marks || c.inside
		*c = clientState{phase: finished} // where it ended does not matter
	}
	return broken
}

// pass does one thing that needs no turn and says where that leads.
func (x *sim) pass(w *world, who int8, at *point, foot *footprint, broken **Violation) (*point, error) {
	switch at.act.kind {
	case actNow:
		return x.programs.step(int(who), at, strconv.FormatInt(w.now, 10))
	case actCount:
		foot.all = true
		return x.programs.step(int(who), at, strconv.Itoa(x.finished(w)))
	case actAttempt:
		return x.programs.begin(int(who), int(at.act.n))
	}
	foot.marks = true
	x.trace.did(&at.act)
	if b := x.mark(w, who, &at.act); *broken == nil {
		*broken = b
	}
	return x.programs.step(int(who), at, "")
}

// mark does what needs no turn and has a meaning for the others.
func (x *sim) mark(w *world, who int8, act *action) *Violation {
	c := &w.clients[who]
	switch act.kind {
	case actEnter:
		c.inside = true
		if x.form.Checks&Exclusion == 0 {
			return nil
		}
		for i := range x.scenario.clients {
			if int8(i) != who && w.clients[i].inside {
				return overlap(x.name(int8(i)), x.name(who))
			}
		}
	case actLeave:
		c.inside = false
	case actBelieve:
		c.belief = act.n
		if x.form.Checks&Agreement == 0 || act.n <= w.now {
			return nil
		}
		for i := range x.scenario.clients {
			if o := &w.clients[i]; int8(i) != who && !o.gone() && o.belief > w.now {
				return &Violation{"agreement", fmt.Sprintf("%s and %s believe to hold %s at the same time.", x.name(int8(i)), x.name(who), x.scenario.locks[0])}
			}
		}
	case actFail:
		return &Violation{"assertion", act.text}
	case actShow:
		return &Violation{shown, act.text}
	}
	return nil
}

// write is a write to the resource with a fencing number.
func (x *sim) write(w *world, who int8, n int64, foot *footprint) (broken *Violation) {
	again := n == w.fence && w.fencer >= 0 && w.fencer != who
	if x.form.fenced && n < w.fence {
		return x.deliver(w, who, "0", foot)
	}
	if x.form.Checks&Fencing != 0 {
		switch {
		case n < w.fence:
			broken = older(x.name(who), n, w.fence)
		case again:
			broken = sameNumber(x.name(w.fencer), x.name(who), n)
		}
	}
	w.fence, w.fencer = n, who
	if b := x.deliver(w, who, "1", foot); broken == nil {
		broken = b
	}
	return broken
}

// checkBelief looks whether each client that believes to hold the lock does.
func (x *sim) checkBelief(w *world) *Violation {
	for i := range x.scenario.clients {
		c := &w.clients[i]
		if c.gone() || w.now >= c.belief {
			continue
		}
		held, need, of := x.held(w, int8(i))
		if held < need {
			return mistaken(x.name(int8(i)), x.scenario.locks[0], c.belief, held, of)
		}
	}
	return nil
}

// held tells on how many nodes a client holds the lock, and on how many it must.
func (x *sim) held(w *world, who int8) (held, need, of int) {
	owner := int8(x.scenario.clients[who].acts)
	if x.scenario.replica {
		if w.nodes[w.primary].owners[0] == owner {
			held = 1
		}
		return held, 1, 1
	}
	for i := range x.scenario.nodes {
		if w.nodes[i].owners[0] == owner {
			held++
		}
	}
	return held, x.scenario.nodes/2 + 1, x.scenario.nodes
}

// over tells whether nothing more happens unless a client comes that has not
// begun.
func (x *sim) over(w *world) bool {
	for i := range x.scenario.clients {
		if c := &w.clients[i]; !c.gone() && (c.at != x.begins[i] || c.phase != ready) {
			return false
		}
	}
	return x.nextDue(w) == never && w.link.n == 0
}

// end looks at a world in which nothing can happen any more.
func (x *sim) end(w *world) *Violation {
	if x.form.Checks&Progress != 0 {
		for i := range x.scenario.nodes {
			for j, lock := range x.store.states[w.nodes[i].state].locks[:len(x.scenario.locks)] {
				if lock.there && !w.nodes[i].down {
					return x.stuck(w, i, j)
				}
			}
		}
	}
	if x.scenario.finally {
		broken, err := x.aside(w, finallyProgram)
		if err != nil {
			x.fail(err)
		}
		return broken
	}
	return nil
}

func (x *sim) stuck(w *world, node, lock int) *Violation {
	owner := w.nodes[node].owners[lock]
	if owner < 0 {
		return leftBehind(x.scenario.locks[lock], "", false)
	}
	return leftBehind(x.scenario.locks[lock], x.name(owner), w.clients[owner].phase == destroyed)
}

// aside runs a program that is no client's, without any turns.
func (x *sim) aside(w *world, program int) (broken *Violation, err error) {
	at, err := x.programs.begin(program, 0)
	for err == nil && at.act.kind < actDone {
		seen := ""
		switch act := &at.act; act.kind {
		case actCall:
			n := &w.nodes[x.target(w, &clientState{}, act)]
			st := x.store.exec(stepKey{n.state, act.op, x.store.observer(), w.now + n.skew})
			n.state, seen = st.to, st.reply
		case actFail:
			return &Violation{"assertion", act.text}, nil
		case actShow:
			return &Violation{shown, act.text}, nil
		case actNow:
			seen = strconv.FormatInt(w.now, 10)
		case actCount:
			seen = strconv.Itoa(x.finished(w))
		case actNote:
		default:
			return nil, fmt.Errorf("%s: setup and finally can only send commands", x.scenario.File)
		}
		at, err = x.programs.step(program, at, seen)
	}
	if err == nil && at.act.kind == actDied {
		err = fmt.Errorf("%s: setup or finally: %s", x.scenario.File, at.act.text)
	}
	return nil, err
}

// finished counts the clients that have ended in peace.
func (x *sim) finished(w *world) (n int) {
	for i := range x.scenario.clients {
		if w.clients[i].phase == finished {
			n++
		}
	}
	return n
}

func (x *sim) fail(err error) {
	if x.err == nil {
		x.err = err
	}
}

// failed is the first error of anything that takes part.
func (x *sim) failed() error {
	if x.err == nil {
		x.err = x.store.err
	}
	return x.err
}

// alike tells whether a client is still as one before it that runs the same
// program, so that it is enough to let that one go first.
func (x *sim) alike(w *world, who int) bool {
	if !x.symmetry || w.clients[who].at != x.begins[who] {
		return false
	}
	return slices.ContainsFunc(x.sameProgram(who), func(other int) bool {
		a, b := w.clients[other], w.clients[who]
		b.at = a.at
		return w.clients[other].at == x.begins[other] && a == b
	})
}

// sameProgram lists the clients before one that run its program.
func (x *sim) sameProgram(who int) (list []int) {
	for i := who - 1; i >= 0 && x.group[i] == x.group[who]; i-- {
		list = append(list, i)
	}
	return list
}

package explore

// What can happen in a world, and what happens that is no client's step.

// moves lists what can happen, a client's steps first.
func (x *sim) moves(w *world, dst []move) []move {
	dst = dst[:0]
	if w.link.n == maxUnits && !w.link.cut {
		return append(dst, move{kind: moveArrive})
	}
	holding, fresh := 0, 0 // clients that the clock waits for: those that have begun, and the others
	alive := false
	for i := range x.scenario.clients {
		c := &w.clients[i]
		if c.gone() {
			continue
		}
		alive = true
		due := x.due(w, c)
		switch {
		case !x.holdsClock(w, i):
		case c.at == x.begins[i]:
			fresh++
		default:
			holding++
		}
		if x.alike(w, i) {
			continue
		}
		if due && c.paused != stopping && (w.left[switches] > 0 || !x.preempts(w, int8(i))) {
			dst = x.steps(w, int8(i), dst)
		}
		if w.left[kills] > 0 {
			dst = append(dst, move{kind: moveKill, who: int8(i)})
		}
	}
	lasting := x.form.Checks&Progress != 0 || x.scenario.finally
	clock := (alive || lasting) && holding+max(fresh-int(w.left[late]), 0) <= int(w.left[pauses]) && x.nextDue(w) < never
	if clock {
		dst = append(dst, move{kind: moveClock})
	}
	if x.scenario.replica {
		dst = x.replicaMoves(w, alive, dst)
	}
	if alive {
		dst = x.nodeMoves(w, clock, dst)
	}
	return dst
}

// holdsClock tells whether the clock waits for a client, unless that is paused:
// it can go on.
func (x *sim) holdsClock(w *world, who int) bool {
	c := &w.clients[who]
	return !c.gone() && c.paused == running && x.due(w, c)
}

// due tells whether a client can go on.
func (x *sim) due(w *world, c *clientState) bool {
	switch c.phase {
	case ready:
		return true
	case waiting:
		return c.until <= w.now
	case acking:
		return c.until <= w.now || w.link.n == 0 && !w.link.cut
	}
	return false
}

// steps are the ways in which a client can go on.
func (x *sim) steps(w *world, who int8, dst []move) []move {
	c := &w.clients[who]
	act := &x.programs.points[c.at].act
	if c.phase == ready && act.kind == actChoose {
		for k := range act.n {
			dst = append(dst, move{kind: moveStep, who: who, arg: int8(k + 1)})
		}
		return dst
	}
	dst = append(dst, move{kind: moveStep, who: who})
	if c.phase != ready || act.kind != actCall || w.left[pauses] == 0 && w.left[lostReplies] == 0 {
		return dst
	}
	n := &w.nodes[x.target(w, c, act)]
	if n.down || n.cut || x.scenario.replica && act.argv[0] == "WAIT" ||
		x.store.exec(stepKey{n.state, act.op, who, w.now + n.skew}).blocked {
		return dst
	}
	if w.left[lostReplies] > 0 {
		dst = append(dst, move{kind: moveLose, who: who})
	}
	if w.left[pauses] > 0 && (act.node != everyNode || int(c.asked) == x.scenario.nodes-1) { // else it is a pause before the next node
		dst = append(dst, move{kind: moveHold, who: who})
	}
	return dst
}

func (x *sim) replicaMoves(w *world, alive bool, dst []move) []move {
	if w.primary != 0 {
		return dst
	}
	if w.link.n > 0 && !w.link.cut {
		dst = append(dst, move{kind: moveArrive})
	}
	if w.left[failovers] > 0 && alive && (w.nodes[0].down || w.link.cut) {
		dst = append(dst, move{kind: movePromote})
	}
	if w.left[crashes] > 0 && alive && !w.nodes[0].down {
		dst = append(dst, move{kind: moveCrash})
	}
	if w.left[cuts] > 0 && alive && !w.link.cut {
		dst = append(dst, move{kind: moveCut})
	}
	return dst
}

func (x *sim) nodeMoves(w *world, clock bool, dst []move) []move {
	for i := range x.scenario.nodes {
		n := &w.nodes[i]
		if !clock && x.mayComeLater(w, int8(i)) {
			continue
		}
		if n.down || n.cut || x.scenario.replica && (i == 0 || w.primary == 1) {
			continue
		}
		if w.left[crashes] > 0 && !x.scenario.replica {
			dst = append(dst, move{kind: moveCrash, who: int8(i)})
		}
		if w.left[restarts] > 0 && !x.restartsUnseen(w, int8(i)) {
			dst = append(dst, move{kind: moveRestart, who: int8(i)})
		}
		if w.left[cuts] > 0 && !x.scenario.replica {
			dst = append(dst, move{kind: moveCut, who: int8(i)})
		}
		if w.left[clockSteps] > 0 && x.scenario.jump > 0 {
			dst = append(dst, move{kind: moveJump, who: int8(i)})
		}
	}
	return dst
}

// happen does what is no client's step.
func (x *sim) happen(w *world, m move) *Violation {
	n := &w.nodes[m.who]
	switch m.kind {
	case moveKill:
		w.left[kills]--
		x.kill(w, m.who)
	case moveClock:
		x.clock(w)
	case moveArrive:
		x.arriveUnit(w)
	case movePromote:
		w.left[failovers]--
		w.primary = 1
		w.link = linkState{cut: true}
		x.tick(w, 1)
	case moveCrash:
		w.left[crashes]--
		x.goDown(w, m.who)
	case moveRestart:
		w.left[restarts]--
		x.restart(w, m.who)
	case moveCut:
		w.left[cuts]--
		if x.scenario.replica {
			w.link.cut = true
		} else {
			n.cut = true
		}
	case moveJump:
		w.left[clockSteps]--
		n.skew += x.scenario.jump
		x.tick(w, m.who)
	}
	return nil
}

func (x *sim) kill(w *world, who int8) {
	c := &w.clients[who]
	*c = clientState{phase: destroyed}
	for i := range x.scenario.nodes {
		x.reset(w, int8(i), who)
	}
}

// reset gives a client another connection to a node.
func (x *sim) reset(w *world, at, who int8) {
	n := &w.nodes[at]
	x.settle(w, at, -1, x.store.exec(stepKey{n.state, opReset, who, w.now + n.skew}))
}

// nextDue is when the next thing happens by itself.
func (x *sim) nextDue(w *world) int64 {
	next := never
	later := func(at int64) {
		if at > w.now && at < next {
			next = at
		}
	}
	for i := range x.scenario.clients {
		if c := &w.clients[i]; c.phase == waiting || c.phase == acking {
			later(c.until)
		}
	}
	for i := range x.scenario.nodes {
		n := &w.nodes[i]
		switch {
		case x.follows(w, int8(i)):
		case !n.down:
			later(x.store.states[n.state].due - n.skew)
		case n.up > 0:
			later(n.up)
		}
	}
	return next
}

// clock moves the clock to the next thing that is due. Clients that could have
// gone on are paused by that.
func (x *sim) clock(w *world) {
	for i := range x.scenario.clients {
		c := &w.clients[i]
		switch {
		case c.paused == stopping:
			c.paused = stopped
		case x.holdsClock(w, i):
			c.paused = stopped
			if c.at == x.begins[i] && w.left[late] > 0 {
				w.left[late]--
			} else {
				w.left[pauses]--
			}
		}
	}
	w.now, w.last = x.nextDue(w), -1
	for i := range x.scenario.nodes {
		n := &w.nodes[i]
		if n.down && n.up > 0 && n.up <= w.now {
			n.down, n.up = false, 0
		}
		x.tick(w, int8(i))
	}
}

// follows tells whether a node is a replica. It lets no key go by itself: the
// primary decides on that, and what it replicates is done as of the time at
// which the primary did it.
func (x *sim) follows(w *world, at int8) bool { return x.scenario.replica && w.primary == 0 && at == 1 }

// tick lets a node do what is due.
func (x *sim) tick(w *world, at int8) {
	n := &w.nodes[at]
	if now := w.now + n.skew; !n.down && !x.follows(w, at) && x.store.states[n.state].due <= now {
		x.settle(w, at, -1, x.store.exec(stepKey{n.state, opTick, 0, now}))
	}
}

// goDown ends a node; who is blocked there learns it.
func (x *sim) goDown(w *world, at int8) {
	w.nodes[at].down = true
	for i := range x.scenario.clients {
		if c := &w.clients[i]; c.phase == blocked && c.node == at {
			x.wait(w, c, w.now, seenReset)
		}
	}
}

// restart ends a node and begins it anew, with or without its data.
func (x *sim) restart(w *world, at int8) {
	n := &w.nodes[at]
	x.goDown(w, at)
	if x.form.lost {
		n.state, n.owners = 0, [maxLocks]int8{-1, -1}
	} else {
		n.state = x.store.exec(stepKey{n.state, opRestart, 0, w.now + n.skew}).to
	}
	if x.scenario.replica && at == 1 {
		w.link.n, w.link.cut = 0, true // it would have to copy everything anew
	}
	n.down = x.form.down > 0
	if n.down {
		n.up = w.now + x.form.down
	}
	x.tick(w, at)
}

// arriveUnit runs the oldest replicated unit at the replica.
func (x *sim) arriveUnit(w *world) {
	u := w.link.units[0]
	copy(w.link.units[:], w.link.units[1:w.link.n])
	w.link.n--
	w.link.units[w.link.n] = linkUnit{}
	n := &w.nodes[1]
	for _, argv := range x.store.units[u.unit] {
		words := make([]string, len(argv))
		for i, b := range argv {
			words[i] = string(b)
		}
		x.settle(w, 1, u.by, x.store.exec(stepKey{n.state, x.store.op(words), x.store.link(), u.at + n.skew}))
	}
}

package explore

// Moves that need not be tried, because they change nothing or are tried later.

// mayComeLater tells whether what can happen to a node can as well happen later.
//
// A node that dies, starts anew or is cut off is noticed by who sends it a
// command or waits for one there, and by the clock. With any other move that
// changes places: the move is of another client at another node. So if neither
// a command to this node nor the clock can be next, the same is tried after the
// moves that can be. What a node loses can break a belief at once, and belief
// is given up by any move; then nothing waits.
func (x *sim) mayComeLater(w *world, at int8) bool {
	if !x.reduce || x.scenario.replica || x.scenario.finally || x.form.Checks&Belief != 0 && (x.form.lost || w.left[clockSteps] > 0) {
		return false
	}
	for i := range x.scenario.clients {
		switch c := &w.clients[i]; {
		case c.phase == blocked && c.node == at:
			return false
		case c.phase == ready && c.paused != stopping:
			if act := &x.programs.points[c.at].act; act.kind == actCall && x.target(w, c, act) == at {
				return false
			}
		}
	}
	return true
}

// restartsUnseen tells whether a restart would change nothing but how many are
// left: the node is up again at once with all that it had, and nobody waits
// there. What can happen after it can happen without it.
func (x *sim) restartsUnseen(w *world, at int8) bool {
	n := &w.nodes[at]
	if !x.reduce || x.form.lost || x.form.down > 0 || x.scenario.replica && at == 1 {
		return false
	}
	for i := range x.scenario.clients {
		if c := &w.clients[i]; c.phase == blocked && c.node == at {
			return false
		}
	}
	return x.store.exec(stepKey{n.state, opRestart, 0, w.now + n.skew}).to == n.state
}

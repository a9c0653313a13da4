package engine

// CLIENT PAUSE: for a while no command, or no writing command, of any client
// is run, and no key expires. The loop keeps what comes and hands it over
// again when the pause is over.

type pauseKind uint8

const (
	pauseNone pauseKind = iota
	pauseWrites
	pauseAll
)

type pauseState struct {
	kind    pauseKind
	until   int64 // unix milliseconds
	waiting []*Client
}

// pausing is what is held back now, by CLIENT PAUSE or since keys are on their
// way to another server.
func (e *Engine) pausing() pauseKind {
	if e.migrations > 0 {
		return max(e.pause.kind, pauseWrites)
	}
	return e.pause.kind
}

// holdWrites begins, by 1, or ends, by -1, that commands which write are held
// back because a key is on its way to another server.
func (e *Engine) holdWrites(by int) {
	e.migrations += by
	e.setClosedGates()
	if e.migrations == 0 {
		e.freePaused()
	}
}

// setPause starts or tightens a pause: its end never moves nearer and a pause
// of everything is not weakened.
func (e *Engine) setPause(kind pauseKind, until int64) {
	e.pause.kind = max(e.pause.kind, kind)
	e.pause.until = max(e.pause.until, until)
	e.closedGates |= gatePause
}

// pausedClients counts those whose command the pause holds back.
func (e *Engine) pausedClients() (n int) {
	for _, cl := range e.pause.waiting {
		if cl.paused && !cl.closed {
			n++
		}
	}
	return n
}

// holdsData tells whether a pause is under way, in which no key may go.
func (e *Engine) holdsData() bool {
	return e.migrations > 0 || e.pause.kind != pauseNone && e.nowMS() < e.pause.until
}

// endPause ends the pause if its time is over.
func (e *Engine) endPause() {
	if e.pause.kind != pauseNone && e.nowMS() >= e.pause.until {
		e.unpause()
	}
}

// unpause ends the pause.
func (e *Engine) unpause() {
	e.pause.kind, e.pause.until = pauseNone, 0
	e.setClosedGates()
	e.freePaused()
}

// freePaused lets the clients that were held back try again.
func (e *Engine) freePaused() {
	waiting := e.pause.waiting
	e.pause.waiting = nil
	for _, cl := range waiting {
		cl.paused = false
		if !cl.closed {
			e.awake(cl)
		}
	}
}

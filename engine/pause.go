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
	return e.pause.kind != pauseNone && e.nowMS() < e.pause.until
}

// endPause ends the pause if its time is over.
func (e *Engine) endPause() {
	if e.pause.kind != pauseNone && e.nowMS() >= e.pause.until {
		e.unpause()
	}
}

// unpause lets the clients that were held back go on.
func (e *Engine) unpause() {
	waiting := e.pause.waiting
	e.pause = pauseState{}
	e.closedGates &^= gatePause
	for _, cl := range waiting {
		cl.paused = false
		if !cl.closed {
			e.awake(cl)
		}
	}
}

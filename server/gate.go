package server

// gate holds back whoever accepts connections. Accepting is cheaper than
// serving: without a gate, clients that connect and go away at once fill the
// server with connections that it has not looked at, each of which may watch
// what the others do, so that the more there are the dearer each command is.
// Redis accepts and serves by turns in one thread; here a connection stands in
// the gate from when it was accepted until the loop has served it for a whole
// turn. Who finds the gate full is not accepted, and the kernel holds those who
// knock.
type gate struct {
	places chan struct{} // taken

	// The loop's own: those in the gate that came in this turn and in the last.
	fresh, served int
}

// gateSize is how many connections may be new at a time.
const gateSize = 64

func newGate() gate { return gate{places: make(chan struct{}, gateSize)} }

// enter waits for a place; false: the server ends.
func (g *gate) enter(ending <-chan struct{}) bool {
	select {
	case g.places <- struct{}{}:
		return true
	default:
	}
	select {
	case g.places <- struct{}{}:
		return true
	case <-ending:
		return false
	}
}

// leave gives a place back.
func (g *gate) leave() { <-g.places }

// turn is the end of a turn of the loop: those who came in the last one have
// been served.
func (g *gate) turn() {
	for ; g.served > 0; g.served-- {
		g.leave()
	}
	g.served, g.fresh = g.fresh, 0
}

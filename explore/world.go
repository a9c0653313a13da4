package explore

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"
)

// world is everything at one moment of a schedule. It is a value: a search
// copies it to go on from the copy.
type world struct {
	now     int64
	nodes   [maxNodes]nodeState
	clients [maxClients]clientState
	link    linkState
	primary int8 // the node that serves writes
	fence   int64
	fencer  int8 // who wrote with that number, -1: nobody
	left    [budgets]uint8
	last    int8 // who moved last, -1: nobody since the clock did
}

type nodeState struct {
	state  int32
	down   bool
	cut    bool
	up     int64 // when a restart is over, 0: none under way
	skew   int64 // how far its clock is ahead
	owners [maxLocks]int8
}

// clientState is one client. While it waits, seen is what it gets at the time
// until.
type clientState struct {
	at     int32 // point
	phase  phase
	paused pausing
	inside bool // the critical section
	node   int8 // where it is blocked
	asked  int8 // nodes that a call to each node has gone to
	agreed int8 // and how many said yes
	seen   int32
	until  int64
	belief int64 // until when it believes to hold the lock, 0: it does not
}

type phase uint8

const (
	ready     phase = iota // its action can be done
	waiting                // for time, or for what comes then
	blocked                // in a command like BLPOP
	acking                 // in WAIT
	finished               // its program is over
	destroyed              // it died
)

type pausing uint8

const (
	running  pausing = iota
	stopping         // it goes on once the clock has moved
	stopped          // it may go on, or let the clock move once more
)

// linkState is the way from the primary to its replica.
type linkState struct {
	cut   bool
	n     uint8
	units [maxUnits]linkUnit
}

// maxUnits is how many units may be on their way; then one has to arrive first.
const maxUnits = 4

type linkUnit struct {
	unit int32
	by   int8
	at   int64 // when the primary did it
}

// gone tells whether a client does nothing any more.
func (c *clientState) gone() bool { return c.phase >= finished }

// append writes down all that decides how the world can go on; as, if set, with
// clients exchanged.
func (x *sim) append(dst []byte, w *world, as *swap) []byte {
	who := &unchanged
	if as != nil {
		who = &as.who
	}
	name := func(i int8) byte {
		if i < 0 {
			return 0xff
		}
		return byte(who[i])
	}
	dst = binary.AppendUvarint(dst, uint64(w.now))
	dst = append(dst, w.left[:]...)
	if w.left[switches] != anyNumber {
		dst = append(dst, name(w.last))
	}
	for i := range w.nodes[:x.scenario.nodes] {
		n := &w.nodes[i]
		state := n.state
		if as != nil {
			state = x.stateAs(as, state)
		}
		dst = binary.AppendUvarint(dst, uint64(state))
		dst = append(dst, flag(n.down)|flag(n.cut)<<1)
		dst = binary.AppendUvarint(binary.AppendVarint(dst, n.skew), uint64(n.up))
		for _, owner := range n.owners {
			dst = append(dst, name(owner))
		}
	}
	var from [maxClients]int8
	for i := range x.scenario.clients {
		from[who[i]] = int8(i)
	}
	for _, i := range from[:len(x.scenario.clients)] {
		c := &w.clients[i]
		at, seen := c.at, c.seen
		if as != nil && !c.gone() {
			at = x.pointAs(as, i, x.programs.points[at])
			seen = x.seenAs(as, seen)
		}
		dst = binary.AppendUvarint(dst, uint64(at))
		dst = append(dst, byte(c.phase), byte(c.paused), flag(c.inside), byte(c.node), byte(c.asked), byte(c.agreed))
		dst = binary.AppendUvarint(dst, uint64(seen))
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(c.until)), uint64(c.belief))
	}
	dst = append(dst, byte(w.primary), name(w.fencer), flag(w.link.cut), w.link.n)
	dst = binary.AppendUvarint(dst, uint64(w.fence))
	for _, u := range w.link.units[:w.link.n] {
		unit := u.unit
		if as != nil {
			unit = x.unitAs(as, unit)
		}
		dst = append(binary.AppendUvarint(binary.AppendUvarint(dst, uint64(unit)), uint64(u.at)), name(u.by))
	}
	return dst
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// hash is of all that append writes down.
func (x *sim) hash(w *world, as *swap) xxh3.Uint128 {
	x.buf = x.append(x.buf[:0], w, as)
	return xxh3.Hash128(x.buf)
}

package lua

import "slices"

// tape is what the server has answered to a run so far.
type tape struct {
	calls []CallRecord
	known []aclAnswer
	evals []evaluation
	size  int // bytes
}

// CallRecord is a command that a stepped run has made, and its reply.
type CallRecord struct {
	Argv  [][]byte
	Reply []byte
}

type aclAnswer struct{ allowed, known bool }

// evaluation is code that was run while the run stood at an event.
type evaluation struct {
	at     int
	source string
}

// maxTape bounds the tape. A run with a longer one goes on, but does not stop
// any more where it would have to be made again.
const maxTape = 64 << 20

func (t *tape) full() bool { return t.size > maxTape }

// clone shares what is on the tape; what either adds is its own.
func (t *tape) clone() tape {
	c := *t
	c.calls, c.known, c.evals = slices.Clip(t.calls), slices.Clip(t.known), slices.Clip(t.evals)
	t.calls, t.known, t.evals = c.calls, c.known, c.evals
	return c
}

func (t *tape) add(argv [][]byte, reply []byte) {
	if t.full() {
		return
	}
	r := CallRecord{Argv: copyAll(argv), Reply: slices.Clone(reply)}
	t.calls = append(t.calls, r)
	t.size += len(reply) + 64
	for _, a := range argv {
		t.size += len(a) + 24
	}
}

func (r *CallRecord) of(argv [][]byte) bool {
	return slices.EqualFunc(r.Argv, argv, func(a, b []byte) bool { return string(a) == string(b) })
}

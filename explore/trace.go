package explore

// trace notes what a move does, for its row of a story. A nil trace notes
// nothing.
type trace struct {
	node  int8
	step  *step
	got   string // what the client saw last
	gotIt bool
	marks []action
}

func (t *trace) ran(node int8, st *step) {
	if t != nil {
		t.node, t.step = node, st
	}
}

func (t *trace) saw(seen string) {
	if t != nil && !t.gotIt {
		t.got, t.gotIt = seen, true
	}
}

func (t *trace) did(act *action) {
	if t != nil {
		t.marks = append(t.marks, *act)
	}
}

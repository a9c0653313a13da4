package explore

import (
	"fmt"
	"strconv"
)

// What a program does is a function of the replies it has seen, but it soon
// forgets most of them: after the release it only sleeps, whatever it was
// answered. Points from which a program does the same, come what may, are one
// point, or else each such reply would multiply the worlds.
//
// That is found by looking ahead. What a program will see after a sleep or a
// mark is known, of a call to each node it is one of a few numbers, and of a
// command whose reply it throws away it is nothing. So its next points can be
// had at once, and a point is what it does together with the points behind it,
// down to the next attempt or the end. Where a program waits for a reply that
// can be anything it is known by all that it has seen since its attempt began.
// So two points are one only if the programs cannot differ from there on:
// nothing is guessed. TestMergedPoints runs both histories of merged points on
// and compares.

// point is where a program stands: a node of the tree of all that it can have
// seen. What it does next is known.
type point struct {
	number  int32
	attempt int // that it belongs to
	parent  *point
	seen    string // what led here from the parent
	depth   int
	act     action
	next    map[string]*point
	known   string // what the program does from here on
	ahead   []*point
}

// programs is the tree of each program's points.
type programs struct {
	m      *machine
	s      *Scenario
	form   int
	store  *store
	points []*point
	begins map[[2]int]*point // by program and attempt
	merged map[string]*point // by program and what it does from there on
	plain  bool              // none are
	onward int               // how far is being looked ahead
}

func newPrograms(m *machine, s *Scenario, form int, store *store) *programs {
	return &programs{m: m, s: s, form: form, store: store, begins: map[[2]int]*point{}, merged: map[string]*point{}}
}

// begin is where a program begins, or an attempt of it.
func (p *programs) begin(program, attempt int) (*point, error) {
	if at := p.begins[[2]int{program, attempt}]; at != nil {
		return at, nil
	}
	at, err := p.add(program, attempt, nil, "")
	p.begins[[2]int{program, attempt}] = at
	return at, err
}

// step is where a program stands once it has seen one thing more.
func (p *programs) step(program int, at *point, seen string) (*point, error) {
	if to := at.next[seen]; to != nil {
		return to, nil
	}
	to, err := p.add(program, at.attempt, at, seen)
	if err != nil {
		return nil, err
	}
	if at.next == nil {
		at.next = make(map[string]*point, 1)
	}
	at.next[seen] = to
	return to, nil
}

func (p *programs) add(program, attempt int, parent *point, seen string) (*point, error) {
	at := &point{attempt: attempt, parent: parent, seen: seen}
	if parent != nil {
		at.depth = parent.depth + 1
	}
	act, err := p.m.next(p.s, program, p.form, attempt, at.record())
	if err != nil {
		return nil, err
	}
	if act.kind == actCall {
		act.op = p.store.op(act.argv)
	}
	at.act = act
	at.number = int32(len(p.points))
	p.points = append(p.points, at)
	if parent == nil || p.plain {
		return at, nil
	}
	at.known = p.behaviour(program, at)
	key := strconv.Itoa(program) + " " + at.known
	if same := p.merged[key]; same != nil {
		return same, nil
	}
	p.merged[key] = at
	return at, nil
}

// maxOnward is how far is looked ahead.
const maxOnward = 40

// behaviour describes what a program does from a point on.
func (p *programs) behaviour(program int, at *point) string {
	act := &at.act
	if act.kind == actAttempt || act.kind >= actDone {
		return fmt.Sprint(act.kind, act.n)
	}
	words := at.replies(p.s.nodes)
	if words == nil || p.onward == maxOnward {
		return p.history(at)
	}
	text := fmt.Sprintf("%d %d %q %d %q", act.kind, act.node, act.argv, act.n, act.text)
	p.onward++
	defer func() { p.onward-- }()
	var ahead []*point
	for _, seen := range words {
		to, err := p.step(program, at, seen)
		if err != nil { // it is an error only if the program comes there
			return p.history(at)
		}
		ahead = append(ahead, to)
		text += fmt.Sprint(" ", to.number)
	}
	at.ahead = ahead
	return text
}

// history is all that a program has seen at a point: it is that point alone.
func (p *programs) history(at *point) string { return fmt.Sprintf("at %d %q", at.attempt, at.record()) }

// replies lists all that a program can see next, nil if that is not known.
func (at *point) replies(nodes int) (list []string) {
	switch act := &at.act; {
	case act.kind == actSleep || act.kind == actWork, act.kind == actEnter, act.kind == actLeave, act.kind == actBelieve,
		act.kind == actFail, act.kind == actShow, act.kind == actNote, act.kind == actCall && act.blind:
		return []string{""}
	case act.kind == actCall && act.node == everyNode:
		for n := range nodes + 1 {
			list = append(list, fmt.Sprintf(":%d\r\n", n))
		}
	case act.kind == actWrite:
		return []string{"0", "1"}
	case act.kind == actChoose:
		for n := range act.n {
			list = append(list, strconv.Itoa(int(n+1)))
		}
	}
	return list
}

// record is what a program has seen since its attempt began.
func (at *point) record() []string {
	record := make([]string, at.depth)
	for q := at; q.parent != nil; q = q.parent {
		record[q.depth-1] = q.seen
	}
	return record
}

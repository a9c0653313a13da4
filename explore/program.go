package explore

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
}

// programs is the tree of each program's points.
type programs struct {
	m      *machine
	s      *Scenario
	form   int
	store  *store
	points []*point
	begins map[[2]int]*point // by program and attempt
}

func newPrograms(m *machine, s *Scenario, form int, store *store) *programs {
	return &programs{m: m, s: s, form: form, store: store, begins: map[[2]int]*point{}}
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
	at := &point{number: int32(len(p.points)), attempt: attempt, parent: parent, seen: seen}
	if parent != nil {
		at.depth = parent.depth + 1
	}
	record := make([]string, at.depth)
	for q := at; q.parent != nil; q = q.parent {
		record[q.depth-1] = q.seen
	}
	act, err := p.m.next(p.s, program, p.form, attempt, record)
	if err != nil {
		return nil, err
	}
	if act.kind == actCall {
		act.op = p.store.op(act.argv)
	}
	at.act = act
	p.points = append(p.points, at)
	return at, nil
}

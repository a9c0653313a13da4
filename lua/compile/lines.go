package compile

// WithLines returns the function, and those inside of it, with instructions Line
// put in where a debugger may stop: at the beginning of the function, where the
// line changes, and where a loop begins its next round.
//
// Idea: whether going from one instruction to another comes to a new line is
// known beforehand. So a Line stands in front of an instruction if anything
// leads there from another line or from behind, jumps that do so lead to the
// Line, and all others pass it by. Code without Lines has none of that cost.
//
// A debugger sees the code as Lua 5.1 makes it: a jump to a jump leads to where
// that one does, and some instructions are not there (see loadNil).
func (f *Function) WithLines() *Function {
	g := *f
	n := len(f.Code) + 1
	l := liner{from: f, to: &g, arrivals: make([]arrival, n), places: make([]spot, n)}
	l.find()
	l.lay()
	l.link()
	g.Locals = make([]Local, len(f.Locals))
	for i, v := range f.Locals {
		v.Start, v.End = l.places[v.Start].begin, l.places[min(v.End, len(f.Code))].begin
		g.Locals[i] = v
	}
	g.Functions = make([]*Function, len(f.Functions))
	for i, inner := range f.Functions {
		g.Functions[i] = inner.WithLines()
	}
	return &g
}

// liner puts the instructions Line into a function.
type liner struct {
	from, to *Function
	arrivals []arrival
	places   []spot
}

// arrival tells how an instruction is come to: stopping, some way leads to it
// that comes to a new line; passing, the instruction before it does not.
type arrival struct{ stopping, passing bool }

// spot is where an instruction of the old code is in the new one: itself, the
// Line in front of it, and what is in front of that.
type spot struct{ begin, line, self int }

// silent tells whether a debugger does not see an instruction.
func silent(i Instr) bool { return i.Op() == LoadNil && i.C() != 0 }

// stops tells whether going from one instruction to another comes to a new line.
func (l *liner) stops(from, to int) bool {
	if silent(l.from.Code[to]) {
		return false
	}
	for silent(l.from.Code[from]) {
		if from--; from < 0 {
			return true
		}
	}
	return to <= from || l.from.Lines[to] != l.from.Lines[from]
}

// jumps tells where an instruction leads: to next, unless it is -1, and to
// target, unless it is -1.
func (l *liner) jumps(at int) (next, target int) {
	i := l.from.Code[at]
	switch i.Op() {
	case Jump, Loop:
		return -1, l.final(at + 1 + i.D())
	case Test, TestSet, Eq, EqK, Lt, LtK, LtKR, Le, LeK, LeKR:
		return at + 1, l.final(at + 1 + i.D())
	case ForPrep:
		return -1, at + 1 + i.D()
	case ForLoop, TForLoop:
		return at + 1, at + 1 + i.D()
	case LoadBool:
		if i.C() != 0 {
			return -1, at + 2
		}
	case Return:
		return -1, -1
	}
	return at + 1, -1
}

// final follows jumps from a place.
func (l *liner) final(at int) int {
	for range len(l.from.Code) {
		i := l.from.Code[at]
		if op := i.Op(); op != Jump && op != Loop {
			break
		}
		at += 1 + i.D()
	}
	return at
}

// find finds out how each instruction is come to.
func (l *liner) find() {
	l.arrivals[0].stopping = !silent(l.from.Code[0])
	for at := range l.from.Code {
		next, target := l.jumps(at)
		if next >= 0 && next < len(l.from.Code) {
			if l.stops(at, next) {
				l.arrivals[next].stopping = true
			} else {
				l.arrivals[next].passing = true
			}
		}
		if target >= 0 && l.stops(at, target) {
			l.arrivals[target].stopping = true
		}
	}
}

// lay copies the instructions; their jumps still lead to the old places.
func (l *liner) lay() {
	out := l.to
	out.Code, out.Lines = nil, nil
	emit := func(i Instr, line int32) {
		out.Code = append(out.Code, i)
		out.Lines = append(out.Lines, line)
	}
	for at, i := range l.from.Code {
		line := l.from.Lines[at]
		p := &l.places[at]
		p.begin = len(out.Code)
		if l.arrivals[at].stopping {
			if l.arrivals[at].passing {
				emit(instr(Jump, 0, 0, 0, 1), line)
			}
			p.line = len(out.Code)
			emit(instr(Line, 0, 0, 0, int(line)), line)
		}
		p.self = len(out.Code)
		if i.Op() == LoadBool && i.C() != 0 {
			emit(instr(LoadBool, i.A(), i.B(), 0, 0), line)
			emit(instr(Jump, 0, 0, 0, 0), line)
			continue
		}
		emit(i, line)
	}
	end := len(out.Code)
	l.places[len(l.from.Code)] = spot{end, end, end}
}

// link makes the jumps lead to the new places.
func (l *liner) link() {
	for at, i := range l.from.Code {
		_, target := l.jumps(at)
		if target < 0 {
			continue
		}
		to := l.places[target].self
		if l.stops(at, target) {
			to = l.places[target].line
		}
		from := l.places[at].self
		if i.Op() == LoadBool {
			from++
		}
		l.to.Code[from] = l.to.Code[from]&0xffffffff | Instr(uint32(int32(to-from-1)))<<32
	}
}

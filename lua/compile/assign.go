package compile

import "github.com/yuin/gopher-lua/ast"

// place is what an assignment assigns to.
type place struct {
	kind  targetKind
	index int // a register, an upvalue or a constant
	table int
	key   operand
	line  int
}

type targetKind uint8

const (
	toLocal targetKind = iota
	toUpvalue
	toGlobal
	toIndex
)

// target evaluates what has to be known of a target before the values are.
func (f *function) target(e ast.Expr) place {
	switch e := e.(type) {
	case *ast.IdentExpr:
		if r, ok := f.local(e.Value); ok {
			return place{kind: toLocal, index: r}
		}
		if u, ok := f.upvalue(e.Value); ok {
			return place{kind: toUpvalue, index: u}
		}
		return place{kind: toGlobal, index: f.string(e.Value)}
	case *ast.AttrGetExpr:
		return f.indexTarget(e.Object, e.Key, e.Line())
	}
	return place{}
}

func (f *function) indexTarget(object, key ast.Expr, line int) place {
	t := place{kind: toIndex, line: line}
	t.table = f.hold(object)
	t.key = f.operandOf(key)
	if !t.key.constant && t.key.index == f.free {
		f.reserve(1)
	}
	return t
}

// store assigns a register.
func (f *function) store(t place, reg, line int) {
	switch t.kind {
	case toLocal:
		if reg != t.index {
			f.emit(line, Move, t.index, reg, 0, 0)
		}
	case toUpvalue:
		f.emit(line, SetUpval, reg, 0, 0, t.index)
	case toGlobal:
		f.emit(line, SetGlobal, reg, 0, 0, t.index)
	case toIndex:
		f.setIndex(line, t.table, t.key, reg)
	}
}

func (f *function) setIndex(line, table int, key operand, reg int) {
	switch {
	case !key.constant:
		f.emit(line, SetTable, table, key.index, reg, 0)
	case f.out.Constants[key.index].Kind == String:
		f.emit(line, SetField, table, 0, reg, key.index)
	default:
		f.emit(line, SetIndex, table, 0, reg, key.index)
	}
}

// assign compiles an assignment: the targets are evaluated from left to right,
// then the values, and the values are stored from right to left.
func (f *function) assign(s *ast.AssignStmt) {
	if len(s.Lhs) == 1 && len(s.Rhs) == 1 {
		t := f.target(s.Lhs[0])
		if t.kind == toLocal {
			f.into(s.Rhs[0], t.index)
			return
		}
		r := f.any(s.Rhs[0])
		f.store(t, r, s.LastLine())
		return
	}
	targets := make([]place, 0, len(s.Lhs))
	for _, e := range s.Lhs {
		t := f.target(e)
		if t.kind == toLocal {
			f.keep(targets, t.index)
		}
		targets = append(targets, t)
	}
	f.assignMany(targets, s)
}

// keep copies a variable that is assigned to and that an earlier target uses:
// the target means its old value.
func (f *function) keep(targets []place, reg int) {
	copied := -1
	for i := range targets {
		t := &targets[i]
		if t.kind != toIndex {
			continue
		}
		for _, used := range []*int{&t.table, &t.key.index} {
			if *used != reg || used == &t.key.index && t.key.constant {
				continue
			}
			if copied < 0 {
				copied = f.reserve(1)
				f.emit(f.last, Move, copied, reg, 0, 0)
			}
			*used = copied
		}
	}
}

func (f *function) assignMany(targets []place, s *ast.AssignStmt) {
	first, n := f.free, len(targets)
	if len(s.Rhs) == n {
		for _, e := range s.Rhs[:n-1] {
			f.next(e)
		}
		last := targets[n-1]
		if e := s.Rhs[n-1]; last.kind == toLocal {
			f.into(e, last.index)
		} else {
			f.store(last, f.any(e), s.LastLine())
		}
		n--
	} else {
		f.values(s.Rhs, n, s.Line())
	}
	for i := n - 1; i >= 0; i-- {
		f.store(targets[i], first+i, s.LastLine())
	}
}

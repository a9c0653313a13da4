package compile

import "github.com/yuin/gopher-lua/ast"

// block compiles statements in a scope of their own.
// A block without any is on the given line.
func (f *function) block(list []ast.Stmt, loop bool, line int) *scope {
	s := f.open(loop)
	f.statements(list)
	f.close(endOfBlock(list, line))
	return s
}

func (f *function) statements(list []ast.Stmt) {
	for _, s := range list {
		f.statement(s)
		f.free = len(f.active)
	}
}

func (f *function) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.LocalAssignStmt:
		f.localStatement(s)
	case *ast.AssignStmt:
		f.assign(s)
	case *ast.FuncCallStmt:
		f.call(s.Expr.(*ast.FuncCallExpr), 1)
	case *ast.DoBlockStmt:
		f.block(s.Stmts, false, s.Line())
	case *ast.IfStmt:
		f.ifStatement(s)
	case *ast.WhileStmt:
		f.whileStatement(s)
	case *ast.RepeatStmt:
		f.repeatStatement(s)
	case *ast.NumberForStmt:
		f.numericFor(s)
	case *ast.GenericForStmt:
		f.genericFor(s)
	case *ast.FuncDefStmt:
		f.functionStatement(s)
	case *ast.ReturnStmt:
		f.returnStatement(s)
	case *ast.BreakStmt:
		f.breakStatement(s)
	}
}

func (f *function) localStatement(s *ast.LocalAssignStmt) {
	if s.LastLine() != 0 { // local function
		r := f.reserve(1)
		f.declare(r, s.Names[0])
		e := s.Exprs[0].(*ast.FunctionExpr)
		i := f.child(e, false)
		f.emit(e.LastLine(), Closure, r, 0, 0, i)
		f.out.Locals[f.active[len(f.active)-1]].Start = f.here() // nobody sees it empty
		return
	}
	first := f.free
	f.values(s.Exprs, len(s.Names), s.Line())
	f.declare(first, s.Names...)
}

// values puts expressions into new registers, adjusted to want values.
func (f *function) values(list []ast.Expr, want, line int) {
	for i, e := range list {
		rest := want - i
		switch {
		case i == len(list)-1 && rest > 1 && multiple(e):
			f.need(rest)
			f.spread(e, rest)
			f.free += rest
			return
		case rest > 0:
			f.next(e)
		default: // evaluated and dropped
			free := f.free
			f.next(e)
			f.free = free
		}
	}
	if n := want - len(list); n > 0 {
		r := f.reserve(n)
		f.loadNil(endOfList(list, line), r, n)
	}
}

// spread evaluates a call or ... for so many values, all if want is negative,
// into the registers from the first free one on.
func (f *function) spread(e ast.Expr, want int) {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		f.call(e, want+1)
	case *ast.Comma3Expr:
		f.out.NeedsArg = false
		f.need(1)
		f.emit(e.Line(), Vararg, f.free, want+1, 0, 0)
	}
}

// multiple tells whether an expression may have any number of values.
func multiple(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		return !e.AdjustRet
	case *ast.Comma3Expr:
		return !e.AdjustRet
	}
	return false
}

// list puts expressions into new registers and returns how many there are; -1
// if the last one gives all it has.
func (f *function) list(list []ast.Expr) int {
	for i, e := range list {
		if i == len(list)-1 && multiple(e) {
			f.spread(e, -1)
			return -1
		}
		f.next(e)
	}
	return len(list)
}

func (f *function) ifStatement(s *ast.IfStmt) {
	var ends []int
	for {
		no := f.condition(s.Condition, false)
		then := endOf(s.Condition)
		f.block(s.Then, false, then)
		next, chained := (*ast.IfStmt)(nil), false
		if len(s.Else) == 1 {
			next, chained = s.Else[0].(*ast.IfStmt)
		}
		if len(s.Else) == 0 {
			f.patchHere(no...)
			break
		}
		ends = append(ends, f.emit(endOfBlock(s.Then, then), Jump, 0, 0, 0, 0))
		f.patchHere(no...)
		if !chained {
			f.block(s.Else, false, f.last)
			break
		}
		s = next
	}
	f.patchHere(ends...)
}

func (f *function) whileStatement(s *ast.WhileStmt) {
	start := f.label()
	exits := f.condition(s.Condition, false)
	do := endOf(s.Condition)
	body := f.block(s.Stmts, true, do)
	f.patch([]int{f.emit(endOfBlock(s.Stmts, do), Loop, 0, 0, 0, 0)}, start)
	f.patchHere(exits...)
	f.patchHere(body.breaks...)
}

func (f *function) repeatStatement(s *ast.RepeatStmt) {
	start := f.label()
	loop := f.open(true)
	f.open(false)
	f.statements(s.Stmts)
	exits := f.condition(s.Condition, true)
	inner, until := f.scope, endOf(s.Condition)
	if inner.captured {
		f.emit(until, Close, inner.active, 0, 0, 0)
	}
	f.patch([]int{f.emit(until, Loop, 0, 0, 0, 0)}, start)
	f.patchHere(exits...)
	f.close(until)
	f.close(until)
	f.patchHere(loop.breaks...)
}

func (f *function) breakStatement(s *ast.BreakStmt) {
	captured := false
	for b := f.scope; b != nil; b = b.outer {
		captured = captured || b.captured
		if !b.loop {
			continue
		}
		if captured {
			f.emit(s.Line(), Close, b.active, 0, 0, 0)
		}
		b.breaks = append(b.breaks, f.emit(s.Line(), Jump, 0, 0, 0, 0))
		return
	}
}

func (f *function) numericFor(s *ast.NumberForStmt) {
	outer := f.open(false)
	base := f.free
	f.next(s.Init)
	f.next(s.Limit)
	if s.Step != nil {
		f.next(s.Step)
	} else {
		f.emit(endOf(s.Limit), LoadK, f.reserve(1), 0, 0, f.number(1))
	}
	line := endOf(s.Limit)
	if s.Step != nil {
		line = endOf(s.Step)
	}
	f.declare(base, "(for index)", "(for limit)", "(for step)")
	prep := f.emit(line, ForPrep, base, 0, 0, 0)
	body := f.open(true)
	f.declare(f.reserve(1), s.Name)
	f.statements(s.Stmts)
	f.close(endOfBlock(s.Stmts, line))
	f.patchHere(prep)
	f.patch([]int{f.emit(s.Line(), ForLoop, base, 0, 0, 0)}, prep+1)
	f.patchHere(body.breaks...)
	f.end(outer)
}

func (f *function) genericFor(s *ast.GenericForStmt) {
	outer := f.open(false)
	base := f.free
	f.values(s.Exprs, 3, s.Line())
	f.need(3)
	f.declare(base, "(for generator)", "(for state)", "(for control)")
	line := endOfList(s.Exprs, s.Line())
	prep := f.emit(line, Jump, 0, 0, 0, 0)
	body := f.open(true)
	f.declare(f.reserve(len(s.Names)), s.Names...)
	f.need(1)
	f.statements(s.Stmts)
	f.close(endOfBlock(s.Stmts, line))
	f.patchHere(prep)
	f.patch([]int{f.emit(s.Line(), TForLoop, base, 0, len(s.Names), 0)}, prep+1)
	f.patchHere(body.breaks...)
	f.end(outer)
}

// end closes the scope that holds the hidden variables of a loop.
func (f *function) end(s *scope) {
	f.hide(s.active)
	f.scope = s.outer
}

func (f *function) functionStatement(s *ast.FuncDefStmt) {
	method := s.Name.Method != ""
	target := s.Name.Func
	var t place
	if method {
		t = f.indexTarget(s.Name.Receiver, &ast.StringExpr{Value: s.Name.Method}, s.Line())
	} else {
		t = f.target(target)
	}
	i := f.child(s.Func, method)
	r := f.reserve(1)
	f.emit(s.Func.LastLine(), Closure, r, 0, 0, i)
	f.store(t, r, s.Line())
}

func (f *function) returnStatement(s *ast.ReturnStmt) {
	if len(s.Exprs) == 1 {
		e := s.Exprs[0]
		if c, ok := e.(*ast.FuncCallExpr); ok && multiple(e) {
			base := f.free
			at := f.call(c, 0)
			i := f.out.Code[at]
			f.out.Code[at] = i&^0xff | Instr(TailCall)
			f.emit(s.LastLine(), Return, base, 0, 0, 0)
			return
		}
		if !multiple(e) {
			r := f.any(e)
			f.emit(s.LastLine(), Return, r, 2, 0, 0)
			return
		}
	}
	base := f.free
	n := f.list(s.Exprs)
	f.emit(s.LastLine(), Return, base, n+1, 0, 0)
}

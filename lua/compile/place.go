package compile

import "github.com/yuin/gopher-lua/ast"

// Lines. Lua 5.1 compiles while it reads, and an instruction is on the line of
// the last token read. Debuggers see that, and so do those who read the messages
// of errors in statements of several lines. Most instructions are made when
// their expression has been read; but the value of a variable, a field or a
// constant is fetched only once it is known what is to be done with it, that is
// when the token behind it has been read: an operator, a comma, a parenthesis.

// endOf is the line of an expression's last token.
func endOf(e ast.Expr) int {
	switch e.(type) {
	case *ast.FuncCallExpr, *ast.TableExpr, *ast.FunctionExpr:
		return e.LastLine()
	}
	return e.Line()
}

// endOfList is the line of the last token of expressions, or line if there is
// none.
func endOfList(list []ast.Expr, line int) int {
	if len(list) == 0 {
		return line
	}
	return endOf(list[len(list)-1])
}

// endOfBlock is the line of the last token of statements, or line if there is
// none.
func endOfBlock(list []ast.Stmt, line int) int {
	if len(list) == 0 {
		return line
	}
	switch s := list[len(list)-1].(type) {
	case *ast.LocalAssignStmt:
		if s.LastLine() == 0 {
			return endOfList(s.Exprs, s.Line())
		}
		return s.LastLine()
	case *ast.BreakStmt:
		return s.Line()
	default:
		return s.LastLine()
	}
}

// fetched tells whether an expression is one whose value is fetched late.
func fetched(e ast.Expr) bool {
	switch e := reduce(e).(type) {
	case *ast.IdentExpr, *ast.AttrGetExpr, *ast.StringExpr, *ast.NilExpr, *ast.TrueExpr, *ast.FalseExpr, *ast.Comma3Expr:
		return true
	default:
		_, number := fold(e)
		return number
	}
}

// fetchedOn is the line that the parser has noted, or 0.
func fetchedOn(e ast.Expr) int {
	switch e := reduce(e).(type) {
	case *ast.IdentExpr, *ast.AttrGetExpr, *ast.StringExpr, *ast.NumberExpr, *ast.NilExpr, *ast.TrueExpr, *ast.FalseExpr, *ast.Comma3Expr:
		if e.LastLine() > e.Line() {
			return e.LastLine()
		}
	}
	return 0
}

// fetchAt says on which line the value of an expression is fetched, which has
// been compiled to the instructions from a place on. The parser has said so
// itself of what a comma or a parenthesis follows; else it is line, if not 0.
func (f *function) fetchAt(line int, e ast.Expr, from int) {
	if at := fetchedOn(e); at > 0 {
		line = at
	}
	if line == 0 {
		return
	}
	if last := len(f.out.Code) - 1; last >= from && fetched(e) {
		f.out.Lines[last] = int32(line)
		f.last = line
	}
}

// testAt says on which line the left operand of an and or or is tested, which has
// been compiled to the instructions from a place on, if it is no comparison.
func (f *function) testAt(line int, operator string, e ast.Expr, from int) {
	last := len(f.out.Code) - 1
	e = reduce(e)
	for l, ok := e.(*ast.LogicalOpExpr); ok; l, ok = e.(*ast.LogicalOpExpr) {
		e = reduce(l.Rhs)
	}
	if _, ok := e.(*ast.RelationalOpExpr); ok || idle(operator, e) {
		return
	}
	if last < from {
		return
	}
	if last > from {
		switch f.out.Code[last-1].Op() {
		case LoadK, LoadBool, LoadNil, GetUpval, GetGlobal, GetTable, GetField, GetIndex, Vararg:
			if fetched(e) {
				f.out.Lines[last-1] = int32(line)
			}
		}
	}
	f.out.Lines[last] = int32(line)
	f.last = line
}

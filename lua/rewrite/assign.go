package rewrite

import (
	"strconv"

	"github.com/yuin/gopher-lua/ast"
)

// assign rewrites an assignment.
//
// One to several variables becomes a block that evaluates everything into
// locals of its own and then assigns one by one, from the last to the first.
// The names of those locals cannot be written in a script.
func (r *rewriter) assign(s *ast.AssignStmt) ast.Stmt {
	targets := s.Lhs
	for i, t := range targets {
		targets[i] = r.target(t)
	}
	r.exprs(s.Rhs)
	if len(targets) == 1 && len(s.Rhs) == 1 && r.plain(targets[0]) {
		return r.late(s)
	}
	var parts temporaries
	for i, t := range targets {
		if a, ok := t.(*ast.AttrGetExpr); ok {
			targets[i] = at(&ast.AttrGetExpr{Object: parts.keep(a.Object), Key: parts.keepVariable(a.Key)}, a)
		}
	}
	values := temporaries{next: parts.next}
	for _, t := range targets {
		values.keep(at(&ast.NilExpr{}, t))
	}
	block := &ast.DoBlockStmt{}
	if len(parts.names) > 0 {
		block.Stmts = append(block.Stmts, parts.statement(s, parts.exprs))
	}
	block.Stmts = append(block.Stmts, values.statement(s, s.Rhs))
	for i := len(targets) - 1; i >= 0; i-- {
		block.Stmts = append(block.Stmts, r.store(targets[i], values.names[i]))
	}
	return at(block, s)
}

// late computes the value before it is assigned where that makes a difference:
// the compiler puts what and, or come to in between into the variable already,
// and calls a function in the register of the last parameter, over the
// variables behind it; and t[k] must look at the variables t and k afterwards, if an inner function
// may change them meanwhile.
func (r *rewriter) late(s *ast.AssignStmt) ast.Stmt {
	switch t := s.Lhs[0].(type) {
	case *ast.IdentExpr:
		switch s.Rhs[0].(type) {
		case *ast.LogicalOpExpr:
		case *ast.FuncCallExpr:
			if r.depth == 0 {
				return s
			}
		default:
			return s
		}
	case *ast.AttrGetExpr:
		if !r.changes(t.Object) && !r.changes(t.Key) {
			return s
		}
	}
	value := temporaries{}
	value.keep(s.Rhs[0])
	store := at(&ast.AssignStmt{
		Lhs: s.Lhs,
		Rhs: []ast.Expr{at(&ast.IdentExpr{Value: value.names[0]}, s)},
	}, s)
	return at(&ast.DoBlockStmt{Stmts: []ast.Stmt{value.statement(s, s.Rhs), store}}, s)
}

func (r *rewriter) changes(e ast.Expr) bool {
	id, ok := e.(*ast.IdentExpr)
	return ok && r.changed[id.Value]
}

// plain tells whether the compiler assigns right to a single target.
func (r *rewriter) plain(t ast.Expr) bool {
	switch t := t.(type) {
	case *ast.IdentExpr:
		return r.scope.has(t.Value)
	case *ast.AttrGetExpr:
		switch t.Object.(type) {
		case *ast.IdentExpr, *ast.AttrGetExpr, *ast.FuncCallExpr:
			return true
		}
	}
	return false
}

// store assigns a local of ours; to a global it is refused.
func (r *rewriter) store(target ast.Expr, name string) ast.Stmt {
	if id, ok := target.(*ast.IdentExpr); ok && !r.scope.has(id.Value) {
		return at(&ast.FuncCallStmt{Expr: apply(ReadOnly, target)}, target)
	}
	return at(&ast.AssignStmt{
		Lhs: []ast.Expr{target},
		Rhs: []ast.Expr{at(&ast.IdentExpr{Value: name}, target)},
	}, target)
}

// target rewrites what is assigned to.
func (r *rewriter) target(t ast.Expr) ast.Expr {
	if a, ok := t.(*ast.AttrGetExpr); ok {
		a.Object, a.Key = r.expr(a.Object), r.expr(a.Key)
	}
	return t
}

// temporaries are locals of the rewriter's own.
type temporaries struct {
	next  int
	names []string
	exprs []ast.Expr
}

// keep makes a local for an expression and returns its name as an expression.
func (t *temporaries) keep(e ast.Expr) ast.Expr {
	name := "\x00" + strconv.Itoa(t.next)
	t.next++
	t.names, t.exprs = append(t.names, name), append(t.exprs, e)
	return at(&ast.IdentExpr{Value: name}, e)
}

// keepVariable is keep for an expression whose value may change.
func (t *temporaries) keepVariable(e ast.Expr) ast.Expr {
	switch e.(type) {
	case *ast.StringExpr, *ast.NumberExpr:
		return e
	}
	return t.keep(e)
}

// statement makes the locals. A last expression of many values stays last; one
// of single value is marked, so that it gives no more.
func (t *temporaries) statement(old ast.Stmt, exprs []ast.Expr) ast.Stmt {
	s := &ast.LocalAssignStmt{Names: t.names, Exprs: exprs}
	if len(t.names) == 1 && len(exprs) == 1 {
		if f, ok := exprs[0].(*ast.FunctionExpr); ok {
			s.Exprs = append(s.Exprs, at(&ast.NilExpr{}, f))
		}
	}
	s.SetLine(old.Line())
	return s
}

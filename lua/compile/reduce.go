package compile

import "github.com/yuin/gopher-lua/ast"

// reduce drops the operands of and and or that cannot be the result and need
// not be tested: 's' and x is x. Lua 5.1 does so before it compiles what is
// around, which the names in messages show.
func reduce(e ast.Expr) ast.Expr {
	for {
		l, ok := e.(*ast.LogicalOpExpr)
		if !ok {
			return e
		}
		items := logicalItems(l)
		n := 0
		for n < len(items)-1 && idle(l.Operator, reduce(items[n])) {
			n++
		}
		switch {
		case n == 0:
			return e
		case n < len(items)-1:
			rest := items[n]
			for _, item := range items[n+1:] {
				x := &ast.LogicalOpExpr{Operator: l.Operator, Lhs: rest, Rhs: item}
				x.SetLine(l.Line())
				x.SetLastLine(item.Line())
				rest = x
			}
			return rest
		}
		e = items[n]
	}
}

// idle tells whether a left operand always hands on to the right one.
func idle(operator string, e ast.Expr) bool {
	switch e.(type) {
	case *ast.NilExpr, *ast.FalseExpr:
		return operator == "or"
	case *ast.TrueExpr, *ast.StringExpr:
		return operator == "and"
	case *ast.LogicalOpExpr:
		return false
	}
	_, number := fold(e)
	return number && operator == "and"
}

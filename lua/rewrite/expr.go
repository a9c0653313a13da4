package rewrite

import "github.com/yuin/gopher-lua/ast"

func (r *rewriter) exprs(list []ast.Expr) {
	for i, e := range list {
		list[i] = r.expr(e)
	}
}

func (r *rewriter) expr(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.IdentExpr:
		return r.ident(e)
	case *ast.AttrGetExpr:
		return r.attr(e)
	case *ast.TableExpr:
		return r.table(e)
	case *ast.FuncCallExpr:
		return r.call(e)
	case *ast.LogicalOpExpr:
		return r.logical(e)
	case *ast.RelationalOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	case *ast.StringConcatOpExpr:
		return r.concat(e)
	case *ast.ArithmeticOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
		if e.Operator == "%" {
			return apply(Mod, e, single(e.Lhs), single(e.Rhs))
		}
	case *ast.UnaryMinusOpExpr:
		e.Expr = r.expr(e.Expr)
	case *ast.UnaryNotOpExpr:
		return r.not(e)
	case *ast.UnaryLenOpExpr:
		e.Expr = r.expr(e.Expr)
		if r.Lengths {
			return apply(Len, e, single(e.Expr))
		}
	case *ast.FunctionExpr:
		r.function(e)
	}
	return e
}

func (r *rewriter) function(f *ast.FunctionExpr, names ...string) {
	r.traits.Endless = true
	names = append(names, f.ParList.Names...)
	if f.ParList.HasVargs {
		names = append(names, "arg")
	}
	r.depth++
	f.Stmts = r.block(f.Stmts, names...)
	r.depth--
}

// ident puts the value of a global in its place. Through some globals a script
// can make code while it runs.
func (r *rewriter) ident(e *ast.IdentExpr) ast.Expr {
	if r.scope.has(e.Value) {
		return e
	}
	switch e.Value {
	case "load", "loadstring", "_G":
		r.traits.Endless, r.traits.Dynamic = true, true
	}
	if r.Known(e.Value) {
		return value(e.Value, e)
	}
	return e
}

// attr puts the value of a library's member in its place.
func (r *rewriter) attr(e *ast.AttrGetExpr) ast.Expr {
	if id, ok := e.Object.(*ast.IdentExpr); ok && !r.scope.has(id.Value) {
		if key, ok := e.Key.(*ast.StringExpr); ok {
			if path := id.Value + "." + key.Value; r.Known(path) {
				return value(path, e)
			}
		}
	}
	e.Object, e.Key = r.expr(e.Object), r.expr(e.Key)
	return e
}

func (r *rewriter) call(e *ast.FuncCallExpr) *ast.FuncCallExpr {
	if e.Func != nil {
		e.Func = r.expr(e.Func)
	} else {
		e.Receiver = r.expr(e.Receiver)
	}
	r.exprs(e.Args)
	return e
}

// logical leaves out the operand that a constant rules out.
func (r *rewriter) logical(e *ast.LogicalOpExpr) ast.Expr {
	e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	truth, ok := constant(e.Lhs)
	switch {
	case !ok:
		return e
	case truth == (e.Operator == "and"):
		return single(e.Rhs)
	}
	return e.Lhs
}

func (r *rewriter) not(e *ast.UnaryNotOpExpr) ast.Expr {
	e.Expr = r.expr(e.Expr)
	truth, ok := constant(e.Expr)
	switch {
	case !ok:
		return e
	case truth:
		return at(&ast.FalseExpr{}, e)
	}
	return at(&ast.TrueExpr{}, e)
}

// constant returns what a condition comes to, if that is known.
func constant(e ast.Expr) (truth, ok bool) {
	switch e.(type) {
	case *ast.TrueExpr, *ast.NumberExpr, *ast.StringExpr:
		return true, true
	case *ast.FalseExpr, *ast.NilExpr:
		return false, true
	}
	return false, false
}

// single marks an expression that may have many values to have one.
func single(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		e.AdjustRet = true
	case *ast.Comma3Expr:
		e.AdjustRet = true
	}
	return e
}

// concatWidth is how many operands one call concatenates: all are in registers.
const concatWidth = 50

// concat makes one call of a chain of concatenations.
func (r *rewriter) concat(e *ast.StringConcatOpExpr) ast.Expr {
	var operands []ast.Expr
	var rest ast.Expr = e
	for {
		c, ok := rest.(*ast.StringConcatOpExpr)
		if !ok {
			break
		}
		operands = append(operands, r.expr(c.Lhs))
		rest = c.Rhs
	}
	operands = append(operands, r.expr(rest))
	for len(operands) > concatWidth {
		tail := operands[len(operands)-concatWidth:]
		operands = append(operands[:len(operands)-concatWidth:len(operands)-concatWidth], r.concatenated(e, tail))
	}
	return r.concatenated(e, operands)
}

func (r *rewriter) concatenated(old ast.Expr, operands []ast.Expr) ast.Expr {
	last := len(operands) - 1
	operands[last] = single(operands[last])
	return apply(Concat, old, operands...)
}

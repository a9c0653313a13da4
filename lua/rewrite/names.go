package rewrite

import (
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// Names are how a function's expressions are called in messages, as in "local
// 'x'" or "field 'y'"; an empty name is that of an expression without one.
//
// Idea: the compiler makes exactly one instruction of each expression of a
// kind, in the order of evaluation. So the n-th index instruction of a
// function belongs to its n-th index expression, and nothing has to be kept
// while a script runs: the names are found again when a message needs one.
type Names struct {
	Index    []string    // of what is read from
	Store    []string    // of what is written to
	Calls    []CallNames // of what is called
	Operands [][2]string // of arithmetic
	Lengths  []string
	Inner    []*Names // of the functions inside, in order
}

// CallNames are the names of a call: of the function, and of the arguments if
// it is a concatenation.
type CallNames struct {
	Function string
	Method   bool
	Operands []string
}

// NamesOf returns the names of a rewritten chunk.
func NamesOf(stmts []ast.Stmt) *Names {
	w := &namer{n: &Names{}, f: &frame{}}
	w.stmts(stmts)
	return w.n
}

type namer struct {
	n *Names
	f *frame
}

// frame is a function with its variables in scope.
type frame struct {
	outer *frame
	names []string
}

// variable returns the name of a variable in messages.
func (w *namer) variable(name string) string {
	if strings.HasPrefix(name, "\x00") {
		return ""
	}
	for f := w.f; f != nil; f = f.outer {
		for _, n := range f.names {
			if n != name {
				continue
			}
			if f == w.f {
				return "local '" + name + "'"
			}
			return "upvalue '" + name + "'"
		}
	}
	return "global '" + name + "'"
}

// name returns the name of an expression in messages.
func (w *namer) name(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.IdentExpr:
		return w.variable(e.Value)
	case *ast.AttrGetExpr:
		if key, ok := e.Key.(*ast.StringExpr); ok {
			return "field '" + key.Value + "'"
		}
		return "field '?'"
	case *ast.StringExpr:
		if path, ok := Path(e.Value); ok && path[0] != 0 {
			if _, member, ok := strings.Cut(path, "."); ok {
				return "field '" + member + "'"
			}
			return "global '" + path + "'"
		}
	}
	return ""
}

func (w *namer) block(stmts []ast.Stmt, names ...string) {
	n := len(w.f.names)
	w.f.names = append(w.f.names, names...)
	w.stmts(stmts)
	w.f.names = w.f.names[:n]
}

func (w *namer) stmts(stmts []ast.Stmt) {
	for _, s := range stmts {
		w.stmt(s)
	}
}

func (w *namer) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		w.assign(s)
	case *ast.LocalAssignStmt:
		if s.LastLine() > 0 {
			w.f.names = append(w.f.names, s.Names...)
			w.exprs(s.Exprs)
			return
		}
		w.exprs(s.Exprs)
		w.f.names = append(w.f.names, s.Names...)
	case *ast.FuncCallStmt:
		w.expr(s.Expr)
	case *ast.DoBlockStmt:
		w.block(s.Stmts)
	case *ast.WhileStmt:
		w.expr(s.Condition)
		w.block(s.Stmts)
	case *ast.RepeatStmt:
		n := len(w.f.names)
		w.stmts(s.Stmts)
		w.expr(s.Condition)
		w.f.names = w.f.names[:n]
	case *ast.IfStmt:
		w.expr(s.Condition)
		w.block(s.Then)
		w.block(s.Else)
	case *ast.NumberForStmt:
		w.expr(s.Init)
		w.expr(s.Limit)
		if s.Step != nil {
			w.expr(s.Step)
		}
		w.block(s.Stmts, s.Name)
	case *ast.GenericForStmt:
		w.exprs(s.Exprs)
		w.block(s.Stmts, s.Names...)
	case *ast.FuncDefStmt:
		w.define(s)
	case *ast.ReturnStmt:
		w.exprs(s.Exprs)
	}
}

func (w *namer) assign(s *ast.AssignStmt) {
	for _, t := range s.Lhs {
		if a, ok := t.(*ast.AttrGetExpr); ok {
			w.expr(a.Object)
			w.expr(a.Key)
		}
	}
	w.exprs(s.Rhs)
	for i := len(s.Lhs) - 1; i >= 0; i-- {
		if a, ok := s.Lhs[i].(*ast.AttrGetExpr); ok {
			w.n.Store = append(w.n.Store, w.name(a.Object))
		}
	}
}

func (w *namer) define(s *ast.FuncDefStmt) {
	if s.Name.Func == nil {
		w.expr(s.Name.Receiver)
		w.function(s.Func, "self")
		w.n.Store = append(w.n.Store, w.name(s.Name.Receiver))
		return
	}
	w.assign(&ast.AssignStmt{Lhs: []ast.Expr{s.Name.Func}, Rhs: []ast.Expr{s.Func}})
}

func (w *namer) function(f *ast.FunctionExpr, names ...string) {
	outer, frameBefore := w.n, w.f
	w.n, w.f = &Names{}, &frame{outer: w.f, names: append(names, f.ParList.Names...)}
	outer.Inner = append(outer.Inner, w.n)
	w.stmts(f.Stmts)
	w.n, w.f = outer, frameBefore
}

func (w *namer) exprs(list []ast.Expr) {
	for _, e := range list {
		w.expr(e)
	}
}

func (w *namer) expr(e ast.Expr) {
	switch e := e.(type) {
	case *ast.AttrGetExpr:
		w.expr(e.Object)
		w.expr(e.Key)
		w.n.Index = append(w.n.Index, w.name(e.Object))
	case *ast.TableExpr:
		for _, f := range e.Fields {
			if f.Key != nil {
				w.expr(f.Key)
			}
			w.expr(f.Value)
			if f.Key != nil {
				w.n.Store = append(w.n.Store, "")
			}
		}
	case *ast.FuncCallExpr:
		w.call(e)
	case *ast.LogicalOpExpr:
		w.expr(e.Lhs)
		w.expr(e.Rhs)
	case *ast.RelationalOpExpr:
		w.expr(e.Lhs)
		w.expr(e.Rhs)
	case *ast.ArithmeticOpExpr:
		if folded(e) {
			return
		}
		w.expr(e.Lhs)
		w.expr(e.Rhs)
		w.n.Operands = append(w.n.Operands, [2]string{w.name(e.Lhs), w.name(e.Rhs)})
	case *ast.UnaryMinusOpExpr:
		if folded(e) {
			return
		}
		w.expr(e.Expr)
		w.n.Operands = append(w.n.Operands, [2]string{w.name(e.Expr), w.name(e.Expr)})
	case *ast.UnaryNotOpExpr:
		w.expr(e.Expr)
	case *ast.UnaryLenOpExpr:
		w.expr(e.Expr)
		w.n.Lengths = append(w.n.Lengths, w.name(e.Expr))
	case *ast.FunctionExpr:
		w.function(e)
	}
}

func (w *namer) call(e *ast.FuncCallExpr) {
	var c CallNames
	if e.Func != nil {
		w.expr(e.Func)
		c.Function = w.name(e.Func)
	} else {
		w.expr(e.Receiver)
		w.n.Index = append(w.n.Index, w.name(e.Receiver))
		c = CallNames{Function: "method '" + e.Method + "'", Method: true}
	}
	if f, ok := e.Func.(*ast.StringExpr); ok {
		if path, _ := Path(f.Value); path != "" && path[0] == 0 {
			for _, a := range e.Args {
				c.Operands = append(c.Operands, w.name(a))
			}
		}
	}
	w.exprs(e.Args)
	w.n.Calls = append(w.n.Calls, c)
}

// folded tells whether the compiler computes an expression.
func folded(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.NumberExpr:
		return true
	case *ast.ArithmeticOpExpr:
		return folded(e.Lhs) && folded(e.Rhs)
	case *ast.UnaryMinusOpExpr:
		return folded(e.Expr)
	}
	return false
}

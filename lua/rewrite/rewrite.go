// Package rewrite changes a syntax tree so that gopher-lua's compiler makes of
// it what Lua 5.1 would.
//
// Idea: where the compiler goes wrong (assignments to several variables, loops
// over fewer than three values, constant conditions) the tree is changed into
// one that means the same and is compiled right. Where the machine goes wrong
// (numbers in concatenations, control values of loops) the tree calls a
// function instead. And because the globals of a script never change, a use of
// one becomes a constant: no script looks up redis.call while it runs.
//
// A function or value that the machine provides is written as a string
// constant, see Path; the machine replaces such constants in the compiled code.
package rewrite

import (
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// The paths of the functions that the rewriter calls.
const (
	Concat   = "\x00concat"
	ReadOnly = "\x00readonly"
	ForInit  = "\x00for initial value"
	ForLimit = "\x00for limit"
	ForStep  = "\x00for step"
	Merge    = "\x00merge"
	Mod      = "\x00mod"
	Len      = "\x00len"
)

const mark = "\x00minikv\x00"

// Path returns the path of the value that a string constant stands for.
func Path(constant string) (path string, ok bool) { return strings.CutPrefix(constant, mark) }

// Traits are what the rewriter found out about a chunk.
type Traits struct {
	// Endless is true when running the chunk may not come to an end by itself.
	Endless bool
	// Dynamic is true when the chunk may use globals that it does not name.
	Dynamic bool
}

// Options tell the rewriter about the machine and the chunk.
type Options struct {
	// Known tells whether there is a value with a path.
	Known func(path string) bool
	// Lengths is true when the chunk may give a table a __len, which the
	// machine would ask and Lua 5.1 does not.
	Lengths bool
	// Template returns the path of a function that makes a table of constants.
	Template func([]Field) (path string)
}

// Chunk rewrites a chunk.
func Chunk(stmts []ast.Stmt, o Options) ([]ast.Stmt, Traits) {
	r := &rewriter{Options: o, scope: &scope{}, changed: assignedInside(stmts)}
	return r.block(stmts), r.traits
}

type rewriter struct {
	Options
	scope   *scope
	traits  Traits
	depth   int             // of functions
	changed map[string]bool // names that some inner function assigns to
}

// scope are the local variables of a block.
type scope struct {
	outer *scope
	names []string
}

func (s *scope) has(name string) bool {
	for ; s != nil; s = s.outer {
		for _, n := range s.names {
			if n == name {
				return true
			}
		}
	}
	return false
}

func (r *rewriter) declare(names ...string) { r.scope.names = append(r.scope.names, names...) }

// block rewrites statements in a scope of their own.
func (r *rewriter) block(stmts []ast.Stmt, names ...string) []ast.Stmt {
	r.scope = &scope{outer: r.scope, names: names}
	defer func() { r.scope = r.scope.outer }()
	return r.stmts(stmts)
}

func (r *rewriter) stmts(stmts []ast.Stmt) []ast.Stmt {
	out := make([]ast.Stmt, 0, len(stmts))
	for _, s := range stmts {
		out = r.stmt(out, s)
	}
	return out
}

// stmt appends what a statement becomes.
func (r *rewriter) stmt(out []ast.Stmt, s ast.Stmt) []ast.Stmt {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return append(out, r.assign(s))
	case *ast.LocalAssignStmt:
		r.local(s)
	case *ast.FuncCallStmt:
		s.Expr = r.call(s.Expr.(*ast.FuncCallExpr))
	case *ast.DoBlockStmt:
		s.Stmts = r.block(s.Stmts)
	case *ast.WhileStmt:
		r.traits.Endless = true
		s.Condition = r.expr(s.Condition)
		if truth, ok := constant(s.Condition); ok && !truth {
			return out
		}
		s.Stmts = r.block(s.Stmts)
	case *ast.RepeatStmt:
		r.repeat(s)
	case *ast.IfStmt:
		return r.ifStmt(out, s)
	case *ast.NumberForStmt:
		r.numericFor(s)
	case *ast.GenericForStmt:
		r.genericFor(s)
	case *ast.FuncDefStmt:
		return append(out, r.define(s))
	case *ast.ReturnStmt:
		r.exprs(s.Exprs)
	}
	return append(out, s)
}

// local rewrites a local statement. The parser gives a LastLine to those that
// define a function able to call itself.
func (r *rewriter) local(s *ast.LocalAssignStmt) {
	if s.LastLine() > 0 {
		r.declare(s.Names...)
		r.exprs(s.Exprs)
		return
	}
	r.exprs(s.Exprs)
	r.declare(s.Names...)
	if len(s.Names) == 1 && len(s.Exprs) == 1 {
		if f, ok := s.Exprs[0].(*ast.FunctionExpr); ok {
			// With a second value the compiler does not take it for one of those.
			s.Exprs = append(s.Exprs, at(&ast.NilExpr{}, f))
		}
	}
}

func (r *rewriter) repeat(s *ast.RepeatStmt) {
	r.traits.Endless = true
	r.scope = &scope{outer: r.scope}
	s.Stmts = r.stmts(s.Stmts)
	s.Condition = r.expr(s.Condition)
	r.scope = r.scope.outer
}

// ifStmt leaves out what a constant condition rules out.
func (r *rewriter) ifStmt(out []ast.Stmt, s *ast.IfStmt) []ast.Stmt {
	s.Condition = r.expr(s.Condition)
	truth, ok := constant(s.Condition)
	if !ok {
		s.Then, s.Else = r.block(s.Then), r.block(s.Else)
		return append(out, s)
	}
	rest := s.Else
	if truth {
		rest = s.Then
	}
	if rest = r.block(rest); len(rest) == 0 {
		return out
	}
	return append(out, at(&ast.DoBlockStmt{Stmts: rest}, s))
}

func (r *rewriter) numericFor(s *ast.NumberForStmt) {
	r.traits.Endless = true
	s.Init = r.forNumber(ForInit, s.Init)
	s.Limit = r.forNumber(ForLimit, s.Limit)
	if s.Step != nil {
		s.Step = r.forNumber(ForStep, s.Step)
	}
	s.Stmts = r.block(s.Stmts, s.Name)
}

// forNumber converts a control value to a number, unless it is one already.
func (r *rewriter) forNumber(path string, e ast.Expr) ast.Expr {
	e = r.expr(e)
	switch e.(type) {
	case *ast.NumberExpr, *ast.ArithmeticOpExpr, *ast.UnaryLenOpExpr, *ast.UnaryMinusOpExpr:
		return e
	}
	return apply(path, e, e)
}

// genericFor makes the three values of a loop explicit.
func (r *rewriter) genericFor(s *ast.GenericForStmt) {
	r.traits.Endless = true
	r.exprs(s.Exprs)
	last := s.Exprs[len(s.Exprs)-1]
	if !multiple(last) {
		for len(s.Exprs) < 3 {
			s.Exprs = append(s.Exprs, at(&ast.NilExpr{}, last))
		}
	}
	s.Stmts = r.block(s.Stmts, s.Names...)
}

// define rewrites the definition of a function; that of a global is refused.
func (r *rewriter) define(s *ast.FuncDefStmt) ast.Stmt {
	if id, ok := s.Name.Func.(*ast.IdentExpr); ok {
		if !r.scope.has(id.Value) {
			return r.assign(at(&ast.AssignStmt{Lhs: []ast.Expr{id}, Rhs: []ast.Expr{s.Func}}, s))
		}
		r.function(s.Func)
		return s
	}
	if s.Name.Receiver != nil {
		s.Name.Receiver = r.expr(s.Name.Receiver)
		r.function(s.Func, "self")
		return s
	}
	s.Name.Func = r.target(s.Name.Func)
	r.function(s.Func)
	return s
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

// at gives a new node the lines of an old one.
func at[N ast.PositionHolder](n N, old ast.PositionHolder) N {
	n.SetLine(old.Line())
	n.SetLastLine(old.LastLine())
	return n
}

func value(path string, old ast.PositionHolder) ast.Expr {
	return at(&ast.StringExpr{Value: mark + path}, old)
}

func apply(path string, old ast.PositionHolder, args ...ast.Expr) *ast.FuncCallExpr {
	return at(&ast.FuncCallExpr{Func: value(path, old), Args: args, AdjustRet: true}, old)
}

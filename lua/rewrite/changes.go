package rewrite

import "github.com/yuin/gopher-lua/ast"

// assignedInside returns the names that are assigned to within functions of a
// chunk, whatever variable they stand for there.
func assignedInside(stmts []ast.Stmt) map[string]bool {
	c := &changes{names: map[string]bool{}}
	c.stmts(stmts)
	return c.names
}

// Constants counts the different strings, numbers and names of a chunk.
func Constants(stmts []ast.Stmt) int {
	c := &changes{names: map[string]bool{}, constants: map[string]bool{}}
	c.stmts(stmts)
	return len(c.constants)
}

// changes walks a chunk and collects names that inner functions assign to, and
// constants if there is a place for them.
type changes struct {
	names     map[string]bool
	constants map[string]bool
	depth     int
}

func (c *changes) constant(s string) {
	if c.constants != nil {
		c.constants[s] = true
	}
}

func (c *changes) stmts(stmts []ast.Stmt) {
	for _, s := range stmts {
		switch s := s.(type) {
		case *ast.AssignStmt:
			c.assign(s)
		case *ast.LocalAssignStmt:
			c.exprs(s.Exprs...)
		case *ast.FuncCallStmt:
			c.exprs(s.Expr)
		case *ast.DoBlockStmt:
			c.stmts(s.Stmts)
		case *ast.WhileStmt:
			c.exprs(s.Condition)
			c.stmts(s.Stmts)
		case *ast.RepeatStmt:
			c.stmts(s.Stmts)
			c.exprs(s.Condition)
		case *ast.IfStmt:
			c.exprs(s.Condition)
			c.stmts(s.Then)
			c.stmts(s.Else)
		case *ast.NumberForStmt:
			c.exprs(s.Init, s.Limit, s.Step)
			c.stmts(s.Stmts)
		case *ast.GenericForStmt:
			c.exprs(s.Exprs...)
			c.stmts(s.Stmts)
		case *ast.FuncDefStmt:
			c.assign(&ast.AssignStmt{Lhs: []ast.Expr{s.Name.Func}, Rhs: []ast.Expr{s.Func}})
		case *ast.ReturnStmt:
			c.exprs(s.Exprs...)
		}
	}
}

func (c *changes) assign(s *ast.AssignStmt) {
	for _, t := range s.Lhs {
		if id, ok := t.(*ast.IdentExpr); ok && c.depth > 0 {
			c.names[id.Value] = true
		}
	}
	c.exprs(s.Lhs...)
	c.exprs(s.Rhs...)
}

func (c *changes) exprs(list ...ast.Expr) {
	for _, e := range list {
		switch e := e.(type) {
		case *ast.StringExpr:
			c.constant(e.Value)
		case *ast.NumberExpr:
			c.constant(e.Value)
		case *ast.AttrGetExpr:
			c.exprs(e.Object, e.Key)
		case *ast.TableExpr:
			for _, f := range e.Fields {
				c.exprs(f.Key, f.Value)
			}
		case *ast.FuncCallExpr:
			c.constant(e.Method)
			c.exprs(e.Func, e.Receiver)
			c.exprs(e.Args...)
		case *ast.LogicalOpExpr:
			c.exprs(e.Lhs, e.Rhs)
		case *ast.RelationalOpExpr:
			c.exprs(e.Lhs, e.Rhs)
		case *ast.StringConcatOpExpr:
			c.exprs(e.Lhs, e.Rhs)
		case *ast.ArithmeticOpExpr:
			c.exprs(e.Lhs, e.Rhs)
		case *ast.UnaryMinusOpExpr:
			c.exprs(e.Expr)
		case *ast.UnaryNotOpExpr:
			c.exprs(e.Expr)
		case *ast.UnaryLenOpExpr:
			c.exprs(e.Expr)
		case *ast.FunctionExpr:
			c.depth++
			c.stmts(e.Stmts)
			c.depth--
		}
	}
}

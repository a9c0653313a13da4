package syntax

import (
	"strconv"

	"github.com/yuin/gopher-lua/ast"
)

// exprKind tells what a primary expression may be used for.
type exprKind int

const (
	isOther exprKind = iota
	isVariable
	isCall
)

func (p *parser) exprs() []ast.Expr {
	out := []ast.Expr{p.expr()}
	for p.accept(',') {
		p.fetched(out[len(out)-1])
		out = append(out, p.expr())
	}
	return out
}

// fetched notes as the LastLine of a variable, a field, a constant or ... the
// line on which Lua 5.1 fetches its value: that of the last token read, a comma or
// a parenthesis. Of several only the first counts.
func (p *parser) fetched(e ast.Expr) {
	switch e.(type) {
	case *ast.IdentExpr, *ast.AttrGetExpr, *ast.StringExpr, *ast.NumberExpr, *ast.NilExpr, *ast.TrueExpr, *ast.FalseExpr, *ast.Comma3Expr:
		if e != p.enclosed {
			e.SetLastLine(p.last)
		}
	}
}

func (p *parser) expr() ast.Expr { return p.binary(0) }

// priorities of the binary operators, to the left and to the right.
var priorities = map[int][2]int{
	'+': {6, 6}, '-': {6, 6}, '*': {7, 7}, '/': {7, 7}, '%': {7, 7},
	'^': {10, 9}, concat: {5, 4},
	notEqual: {3, 3}, equal: {3, 3}, '<': {3, 3}, lessEqual: {3, 3}, '>': {3, 3}, greaterEqual: {3, 3},
	kwAnd: {2, 2}, kwOr: {1, 1},
}

const unaryPriority = 8

// binary reads an expression of operators that bind more than limit.
func (p *parser) binary(limit int) ast.Expr {
	p.descend()
	defer p.ascend()
	var left ast.Expr
	switch op := p.t.kind; op {
	case '-', '#', kwNot:
		p.advance()
		left = p.unary(op, p.binary(unaryPriority))
	default:
		left = p.simple()
	}
	for {
		op := p.t.kind
		priority, ok := priorities[op]
		if !ok || priority[0] <= limit {
			return left
		}
		p.advance()
		line := p.last
		right := p.binary(priority[1])
		left = p.operation(op, left, right, line)
	}
}

func (p *parser) unary(op int, e ast.Expr) ast.Expr {
	switch op {
	case '-':
		return at(&ast.UnaryMinusOpExpr{Expr: e}, p.last)
	case '#':
		return at(&ast.UnaryLenOpExpr{Expr: e}, p.last)
	}
	return at(&ast.UnaryNotOpExpr{Expr: e}, p.last)
}

// operation makes a node whose Line is that of its last token, and whose LastLine
// is that of the operator.
func (p *parser) operation(op int, l, r ast.Expr, line int) ast.Expr {
	switch op {
	case kwAnd, kwOr:
		return span(&ast.LogicalOpExpr{Operator: tokenText(op), Lhs: l, Rhs: r}, p.last, line)
	case concat:
		return span(&ast.StringConcatOpExpr{Lhs: l, Rhs: r}, p.last, line)
	case equal, notEqual, '<', '>', lessEqual, greaterEqual:
		return span(&ast.RelationalOpExpr{Operator: tokenText(op), Lhs: l, Rhs: r}, p.last, line)
	}
	return span(&ast.ArithmeticOpExpr{Operator: tokenText(op), Lhs: l, Rhs: r}, p.last, line)
}

func (p *parser) simple() (e ast.Expr) {
	line := p.t.line
	switch p.t.kind {
	case number:
		e = at(&ast.NumberExpr{Value: strconv.FormatFloat(p.t.num, 'g', -1, 64)}, line)
	case text:
		e = at(&ast.StringExpr{Value: p.t.value}, line)
	case kwNil:
		e = at(&ast.NilExpr{}, line)
	case kwTrue:
		e = at(&ast.TrueExpr{}, line)
	case kwFalse:
		e = at(&ast.FalseExpr{}, line)
	case dots:
		if !p.f.vararg {
			p.fail("cannot use '...' outside a vararg function")
		}
		e = at(&ast.Comma3Expr{}, line)
	case '{':
		return p.table()
	case kwFunction:
		p.advance()
		return p.functionBody(false, p.t.line)
	default:
		e, _ = p.primary()
		return e
	}
	p.advance()
	return e
}

// primary reads a variable, a call or an expression in parentheses, and what
// follows it.
func (p *parser) primary() (ast.Expr, exprKind) {
	e, kind := p.prefix()
	for {
		line := p.t.line
		switch p.t.kind {
		case '.':
			p.advance()
			l := p.t.line
			e, kind = at(&ast.AttrGetExpr{Object: e, Key: at(&ast.StringExpr{Value: p.name()}, l)}, l), isVariable
		case '[':
			p.advance()
			key := p.expr()
			p.expect(']')
			e, kind = at(&ast.AttrGetExpr{Object: e, Key: key}, p.last), isVariable
		case ':':
			p.advance()
			method := p.name()
			line = p.t.line
			c := &ast.FuncCallExpr{Receiver: e, Method: method, Args: p.arguments()}
			e, kind = span(c, line, p.last), isCall
		case '(', text, '{':
			p.fetched(e)
			c := &ast.FuncCallExpr{Func: e, Args: p.arguments()}
			e, kind = span(c, line, p.last), isCall
		default:
			return e, kind
		}
	}
}

func (p *parser) prefix() (ast.Expr, exprKind) {
	line := p.t.line
	switch p.t.kind {
	case name:
		n := p.name()
		p.refer(n)
		return at(&ast.IdentExpr{Value: n}, line), isVariable
	case '(':
		p.advance()
		e := p.expr()
		p.match(')', '(', line)
		if c, ok := e.(*ast.FuncCallExpr); ok {
			c.SetLastLine(p.last)
		}
		p.fetched(e)
		p.enclosed = e
		return single(e), isOther
	}
	p.fail("unexpected symbol")
	return nil, isOther
}

// single marks an expression in parentheses, which has one value.
func single(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		e.AdjustRet = true
	case *ast.Comma3Expr:
		e.AdjustRet = true
	}
	return e
}

func (p *parser) arguments() []ast.Expr {
	line := p.t.line
	switch p.t.kind {
	case text:
		s := at(&ast.StringExpr{Value: p.t.value}, line)
		p.advance()
		return []ast.Expr{s}
	case '{':
		return []ast.Expr{p.table()}
	case '(':
		if line != p.last {
			p.fail("ambiguous syntax (function call x new statement)")
		}
		p.advance()
		if p.accept(')') {
			return []ast.Expr{}
		}
		args := p.exprs()
		p.match(')', '(', line)
		return args
	}
	p.fail("function arguments expected")
	return nil
}

// table makes a node whose Line is that of the token before it: there Lua 5.1
// makes the table.
func (p *parser) table() ast.Expr {
	line, before := p.t.line, p.last
	p.expect('{')
	t := &ast.TableExpr{Fields: []*ast.Field{}}
	for p.t.kind != '}' {
		f := &ast.Field{}
		switch {
		case p.t.kind == name && p.lookahead() == '=':
			f.Key = at(&ast.StringExpr{Value: p.t.raw}, p.t.line)
			p.advance()
			p.advance()
		case p.t.kind == '[':
			p.advance()
			f.Key = p.expr()
			p.expect(']')
			p.expect('=')
		}
		f.Value = p.expr()
		t.Fields = append(t.Fields, f)
		if !p.accept(',') && !p.accept(';') {
			break
		}
		if f.Key == nil {
			p.fetched(f.Value)
		}
	}
	p.match('}', '{', line)
	return span(t, before, p.last)
}

// functionBody reads a function from its parameters on. Messages say that it is
// on a line: of function if that begins a statement, else of what follows.
func (p *parser) functionBody(method bool, line int) *ast.FunctionExpr {
	f := &function{outer: p.f, line: line}
	p.f = f
	defer func() { p.f = f.outer }()
	if method {
		p.declare("self")
	}
	p.expect('(')
	list := &ast.ParList{Names: []string{}}
	for p.t.kind != ')' {
		if p.t.kind == dots {
			p.advance()
			f.vararg, list.HasVargs = true, true
			break
		}
		if p.t.kind != name {
			p.fail("<name> or '...' expected")
		}
		list.Names = append(list.Names, p.name())
		p.declare(list.Names[len(list.Names)-1])
		if !p.accept(',') {
			break
		}
		if p.t.kind == ')' {
			p.fail("<name> or '...' expected")
		}
	}
	if f.vararg {
		p.declare("arg")
	}
	p.expect(')')
	stmts := p.chunk()
	p.match(kwEnd, kwFunction, line)
	return span(&ast.FunctionExpr{ParList: list, Stmts: stmts}, line, p.last)
}

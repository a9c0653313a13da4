package syntax

import (
	"fmt"

	"github.com/yuin/gopher-lua/ast"
)

// parser reads statements by recursive descent.
type parser struct {
	x      lexer
	t      token // the current token
	ahead  *token
	last   int // the line of the token before the current one
	f      *function
	levels int
	work   func(steps int)

	enclosed ast.Expr // what the last pair of parentheses is around
}

// Parse reads a chunk. The error is an *Error.
func Parse(source string) ([]ast.Stmt, error) {
	return ParseNested(source, 0, func(int) {})
}

// ParseNested reads a chunk within so many nested calls of the machine: by that
// much less may be nested in it. It accounts for its steps with work, which may
// panic.
func ParseNested(source string, depth int, work func(steps int)) (chunk []ast.Stmt, err error) {
	p := &parser{x: lexer{src: source, line: 1, work: work}, f: &function{vararg: true}, levels: depth, work: work}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			chunk, err = nil, e
		}
	}()
	p.advance()
	chunk = p.chunk()
	p.check(eof)
	return chunk, nil
}

func (p *parser) advance() {
	p.work(10)
	p.last = p.x.line // where the lexer is, which may have looked ahead
	if p.ahead != nil {
		p.t, p.ahead = *p.ahead, nil
		return
	}
	p.t = p.x.next()
}

func (p *parser) lookahead() int {
	if p.ahead == nil {
		t := p.x.next()
		p.ahead = &t
	}
	return p.ahead.kind
}

func (p *parser) fail(message string) { p.x.fail(message, p.t.text()) }

func (p *parser) check(kind int) {
	if p.t.kind != kind {
		p.fail("'" + tokenText(kind) + "' expected")
	}
}

func (p *parser) accept(kind int) bool {
	if p.t.kind == kind {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(kind int) {
	p.check(kind)
	p.advance()
}

// match expects the token that closes what was opened on a line.
func (p *parser) match(kind, opener, line int) {
	if p.t.kind != kind && p.x.line != line {
		p.fail(fmt.Sprintf("'%s' expected (to close '%s' at line %d)", tokenText(kind), tokenText(opener), line))
	}
	p.expect(kind)
}

func (p *parser) name() string {
	p.check(name)
	s := p.t.raw
	p.advance()
	return s
}

func at[N ast.PositionHolder](n N, line int) N {
	n.SetLine(line)
	n.SetLastLine(line)
	return n
}

func span[N ast.PositionHolder](n N, line, last int) N {
	n.SetLine(line)
	n.SetLastLine(last)
	return n
}

func (p *parser) blockEnds() bool {
	switch p.t.kind {
	case kwElse, kwElseif, kwEnd, kwUntil, eof:
		return true
	}
	return false
}

func (p *parser) chunk() []ast.Stmt {
	p.descend()
	defer p.ascend()
	var out []ast.Stmt
	for last := false; !last && !p.blockEnds(); {
		last = p.t.kind == kwReturn || p.t.kind == kwBreak
		out = append(out, p.statement())
		p.accept(';')
	}
	return out
}

// body reads the statements of a block in a scope of its own.
func (p *parser) body() (out []ast.Stmt) {
	p.block(func() { out = p.chunk() })
	return out
}

func (p *parser) loop() []ast.Stmt {
	p.f.loops++
	defer func() { p.f.loops-- }()
	return p.body()
}

func (p *parser) statement() ast.Stmt {
	line := p.t.line
	switch p.t.kind {
	case kwIf:
		return p.ifStatement()
	case kwWhile:
		p.advance()
		condition := p.expr()
		p.expect(kwDo)
		s := &ast.WhileStmt{Condition: condition, Stmts: p.loop()}
		p.match(kwEnd, kwWhile, line)
		return span(s, line, p.last)
	case kwDo:
		p.advance()
		s := &ast.DoBlockStmt{Stmts: p.body()}
		p.match(kwEnd, kwDo, line)
		return span(s, line, p.last)
	case kwFor:
		return p.forStatement()
	case kwRepeat:
		return p.repeatStatement()
	case kwFunction:
		return p.functionStatement()
	case kwLocal:
		p.advance()
		if p.accept(kwFunction) {
			return p.localFunction(line)
		}
		return p.localStatement(line)
	case kwReturn:
		return p.returnStatement()
	case kwBreak:
		p.advance()
		if p.f.loops == 0 {
			p.fail("no loop to break")
		}
		return at(&ast.BreakStmt{}, line)
	}
	return p.exprStatement()
}

func (p *parser) ifStatement() ast.Stmt {
	line := p.t.line
	p.advance()
	s := &ast.IfStmt{Condition: p.expr()}
	p.expect(kwThen)
	s.Then = p.body()
	first, tail := s, s
	for p.t.kind == kwElseif {
		l := p.t.line
		p.advance()
		next := &ast.IfStmt{Condition: p.expr()}
		p.expect(kwThen)
		next.Then = p.body()
		tail.Else = []ast.Stmt{span(next, l, p.last)}
		tail = next
	}
	if p.accept(kwElse) {
		tail.Else = p.body()
	}
	p.match(kwEnd, kwIf, line)
	return span(first, line, p.last)
}

func (p *parser) forStatement() (s ast.Stmt) {
	line := p.t.line
	p.advance()
	first := p.name()
	p.block(func() {
		switch p.t.kind {
		case '=':
			s = p.numericFor(first, line)
		case ',', kwIn:
			s = p.genericFor(first, line)
		default:
			p.fail("'=' or 'in' expected")
		}
	})
	return s
}

func (p *parser) numericFor(variable string, line int) ast.Stmt {
	p.reserve(3 + 1)
	p.advance()
	s := &ast.NumberForStmt{Name: variable, Init: p.expr()}
	p.expect(',')
	s.Limit = p.expr()
	if p.accept(',') {
		s.Step = p.expr()
	}
	p.declare("(for index)", "(for limit)", "(for step)")
	s.Stmts = p.forBody([]string{variable}, line)
	return span(s, line, p.last)
}

func (p *parser) genericFor(first string, line int) ast.Stmt {
	s := &ast.GenericForStmt{Names: []string{first}}
	p.reserve(3 + 1)
	for p.accept(',') {
		s.Names = append(s.Names, p.name())
		p.reserve(3 + len(s.Names))
	}
	p.expect(kwIn)
	call := p.t.line // where messages say that the generator is called
	s.Exprs = p.exprs()
	p.declare("(for generator)", "(for state)", "(for control)")
	s.Stmts = p.forBody(s.Names, line)
	return span(s, call, p.last)
}

func (p *parser) forBody(names []string, line int) (out []ast.Stmt) {
	p.expect(kwDo)
	p.block(func() {
		p.declare(names...)
		out = p.loop()
	})
	p.match(kwEnd, kwFor, line)
	return out
}

func (p *parser) repeatStatement() ast.Stmt {
	line := p.t.line
	p.advance()
	s := &ast.RepeatStmt{}
	p.block(func() {
		p.f.loops++
		s.Stmts = p.chunk()
		p.f.loops--
		p.match(kwUntil, kwRepeat, line)
		s.Condition = p.expr()
	})
	return span(s, line, p.last)
}

func (p *parser) functionStatement() ast.Stmt {
	line := p.t.line
	p.advance()
	start := p.t.line
	n := p.name()
	p.refer(n)
	var target ast.Expr = at(&ast.IdentExpr{Value: n}, start)
	for p.t.kind == '.' {
		p.advance()
		l := p.t.line
		target = at(&ast.AttrGetExpr{Object: target, Key: at(&ast.StringExpr{Value: p.name()}, l)}, l)
	}
	f := &ast.FuncName{Func: target}
	method := p.t.kind == ':'
	if method {
		p.advance()
		f = &ast.FuncName{Receiver: target, Method: p.name()}
	}
	return span(&ast.FuncDefStmt{Name: f, Func: p.functionBody(method, line)}, line, p.last)
}

// localFunction reads a function that can call itself. Its statement is the one
// local statement with a LastLine: that is how the compiler's rewriter knows it
// from a variable that is given a function.
func (p *parser) localFunction(line int) ast.Stmt {
	n := p.name()
	p.declare(n)
	s := &ast.LocalAssignStmt{Names: []string{n}, Exprs: []ast.Expr{p.functionBody(false, p.t.line)}}
	return span(s, line, p.last)
}

func (p *parser) localStatement(line int) ast.Stmt {
	s := &ast.LocalAssignStmt{Names: []string{p.name()}, Exprs: []ast.Expr{}}
	p.reserve(1)
	for p.accept(',') {
		s.Names = append(s.Names, p.name())
		p.reserve(len(s.Names))
	}
	if p.accept('=') {
		s.Exprs = p.exprs()
	}
	p.declare(s.Names...)
	s.SetLine(line)
	return s
}

func (p *parser) returnStatement() ast.Stmt {
	line := p.t.line
	p.advance()
	s := &ast.ReturnStmt{}
	if !p.blockEnds() && p.t.kind != ';' {
		s.Exprs = p.exprs()
	}
	return span(s, line, p.last)
}

func (p *parser) exprStatement() ast.Stmt {
	line := p.t.line
	e, kind := p.primary()
	if kind == isCall {
		return span(&ast.FuncCallStmt{Expr: e}, line, p.last)
	}
	s := &ast.AssignStmt{Lhs: []ast.Expr{e}}
	for {
		if kind != isVariable {
			p.fail("syntax error")
		}
		if !p.accept(',') {
			break
		}
		e, kind = p.primary()
		s.Lhs = append(s.Lhs, e)
		p.limit(p.f, len(s.Lhs)-1, maxLevels-p.levels, "variables in assignment")
	}
	p.expect('=')
	s.Rhs = p.exprs()
	return span(s, line, p.last)
}

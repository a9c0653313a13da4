package lua

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// program writes random scripts: valid ones that end soon, many of them with an
// error on the way. What they log shows the order of evaluation, the values of
// variables, the order of keys and the texts of errors.
type program struct {
	r      *rand.Rand
	b      strings.Builder
	locals []string
	depth  int
	vararg bool
	names  int
}

// header gives a program what it logs with: see testdata/start.lua.
const header = "local log,tick,out,left=start()\n"

// language writes a program that exercises variables, control flow, functions
// and metatables.
func (p *program) language() {
	for range 3 + p.r.IntN(3) {
		p.localStatement()
	}
	for range 4 + p.r.IntN(8) {
		p.statement()
	}
	p.w("log(%s)\n", strings.Join(p.someLocals(6), ","))
	p.w("return table.concat(out,'|')")
}

func (p *program) w(format string, args ...any) { fmt.Fprintf(&p.b, format, args...) }

func (p *program) pick(list ...string) string { return list[p.r.IntN(len(list))] }

func (p *program) someLocals(n int) []string {
	var out []string
	for range n {
		out = append(out, p.local())
	}
	return out
}

func (p *program) local() string {
	if len(p.locals) == 0 {
		return "nil"
	}
	return p.locals[p.r.IntN(len(p.locals))]
}

func (p *program) fresh() string {
	if p.r.IntN(4) == 0 && len(p.locals) > 0 {
		return p.local() // shadows
	}
	p.names++
	return fmt.Sprintf("v%d", p.names)
}

// in writes a block whose variables are gone afterwards.
func (p *program) in(f func()) {
	n := len(p.locals)
	p.depth++
	f()
	p.depth--
	p.locals = p.locals[:n]
}

func (p *program) localStatement() {
	n := 1 + p.r.IntN(3)/2
	var names, values []string
	for range n {
		names = append(names, p.fresh())
	}
	for range p.r.IntN(n + 2) {
		values = append(values, p.expr(2))
	}
	p.w("local %s", strings.Join(names, ","))
	if len(values) > 0 {
		p.w("=%s", strings.Join(values, ","))
	}
	p.w("\n")
	p.locals = append(p.locals, names...)
}

func (p *program) block() {
	p.in(func() {
		for range 1 + p.r.IntN(3) {
			p.statement()
		}
	})
}

func (p *program) statement() {
	if p.depth > 4 {
		p.w("log(%s)\n", p.expr(2))
		return
	}
	switch p.r.IntN(15) {
	case 0, 1:
		p.localStatement()
	case 2, 3, 4:
		p.assignment()
	case 5:
		p.w("if %s then\n", p.expr(2))
		p.block()
		for range p.r.IntN(2) {
			p.w("elseif %s then\n", p.expr(2))
			p.block()
		}
		if p.r.IntN(2) == 0 {
			p.w("else\n")
			p.block()
		}
		p.w("end\n")
	case 6:
		v := p.fresh()
		p.w("for %s=%s,%s%s do tick()\n", v, p.number(), p.number(), p.pick("", "", ",1", ",-1", ",2", ",0.5"))
		p.loop(v)
		p.w("end\n")
	case 7:
		k, v := p.fresh(), p.fresh()
		iterator := p.pick("pairs(T)", "ipairs(T)", "next,T", "string.gmatch('a1b2','%a(%d)')", "T")
		p.w("for %s,%s in %s do tick()\n", k, v, strings.Replace(iterator, "T", p.tableExpr(1), 1))
		p.loop(k, v)
		p.w("end\n")
	case 8:
		p.w("while tick() and %s do\n", p.expr(2))
		p.loop()
		if p.r.IntN(3) > 0 {
			p.w("break\n")
		}
		p.w("end\n")
	case 9:
		p.w("repeat tick()\n")
		p.in(func() {
			p.localStatement()
			p.statement()
			p.w("until %s\n", p.pick(p.expr(2), p.local(), "true", "left()<250"))
		})
	case 10:
		name := p.fresh()
		p.w("local function %s", name)
		p.locals = append(p.locals, name)
		p.function()
		p.w("\n")
	case 11:
		p.w("log(pcall(function() %s end))\n", p.inner(func() { p.block() }))
	case 12:
		p.w("do\n")
		p.block()
		p.w("end\n")
	case 13:
		p.w("do local _=%s end\n", p.call(2))
	default:
		p.w("log(%s)\n", strings.Join([]string{p.expr(3), p.expr(2)}, ","))
	}
}

// inner returns what f writes.
func (p *program) inner(f func()) string {
	before := p.b.String()
	p.b.Reset()
	vararg := p.vararg
	p.vararg = false
	f()
	p.vararg = vararg
	text := p.b.String()
	p.b.Reset()
	p.b.WriteString(before)
	return text
}

func (p *program) loop(names ...string) {
	p.in(func() {
		p.locals = append(p.locals, names...)
		for range 1 + p.r.IntN(2) {
			p.statement()
		}
		if p.r.IntN(5) == 0 {
			p.w("if %s then break end\n", p.expr(1))
		}
	})
}

func (p *program) function() {
	p.in(func() {
		vararg := p.vararg
		var params []string
		for range p.r.IntN(3) {
			params = append(params, p.fresh())
		}
		p.locals = append(p.locals, params...)
		p.vararg = p.r.IntN(3) == 0
		if p.vararg {
			params = append(params, "...")
		}
		p.w("(%s) tick() ", strings.Join(params, ","))
		for range p.r.IntN(3) {
			p.statement()
		}
		if p.r.IntN(4) > 0 {
			p.w("return %s ", p.list(2))
		}
		p.w("end")
		p.vararg = vararg
	})
}

func (p *program) list(n int) string {
	var out []string
	for range 1 + p.r.IntN(n) {
		out = append(out, p.expr(2))
	}
	if p.vararg && p.r.IntN(4) == 0 {
		out = append(out, "...")
	}
	return strings.Join(out, ",")
}

func (p *program) assignment() {
	n := 1 + p.r.IntN(3)
	var targets, values []string
	for range n {
		targets = append(targets, p.target())
	}
	for range 1 + p.r.IntN(n+1) {
		values = append(values, p.expr(2))
	}
	p.w("%s=%s\n", strings.Join(targets, ","), strings.Join(values, ","))
}

func (p *program) target() string {
	v := p.local()
	if v == "nil" {
		return "out.x"
	}
	switch p.r.IntN(5) {
	case 0:
		return v + "." + p.pick("x", "y", "name")
	case 1:
		return v + "[" + p.expr(1) + "]"
	}
	return v
}

func (p *program) number() string {
	return p.pick("0", "1", "2", "3", "-1", "5", "10", "0.5", "2^3", "'4'", "1", "2", p.local(), "nil")
}

func (p *program) tableExpr(d int) string {
	switch p.r.IntN(4) {
	case 0:
		return p.local()
	case 1:
		return "{}"
	}
	var fields []string
	for range p.r.IntN(6) {
		switch p.r.IntN(4) {
		case 0:
			fields = append(fields, p.pick("x", "y", "name", "k1", "k2")+"="+p.expr(d-1))
		case 1:
			fields = append(fields, "["+p.key(d-1)+"]="+p.expr(d-1))
		default:
			fields = append(fields, p.expr(d-1))
		}
	}
	return "{" + strings.Join(fields, p.pick(",", ";")) + "}"
}

func (p *program) key(d int) string {
	return p.pick("1", "2", "3", "4", "-1", "1.5", "'a'", "'b'", "true", "2^40", p.expr(d))
}

func (p *program) call(d int) string {
	switch p.r.IntN(14) {
	case 0:
		return fmt.Sprintf("log(%s)", p.list(2))
	case 1:
		return fmt.Sprintf("select(%s,%s)", p.pick("1", "2", "'#'", "-1"), p.list(3))
	case 2:
		return fmt.Sprintf("tostring(%s)", p.pick("1", "0/0", "'s'", "nil", "1e15", "-0", "2^53", "true"))
	case 3:
		return fmt.Sprintf("table.insert(%s,%s)", p.tableExpr(1), p.list(2))
	case 4:
		return fmt.Sprintf("#%s", p.tableExpr(d))
	case 5:
		return fmt.Sprintf("pcall(%s,%s)", p.local(), p.list(2))
	case 6:
		return fmt.Sprintf("setmetatable(%s,{%s=function(a,b) return log('%s',%s) end})", p.tableExpr(1),
			p.pick("__index", "__newindex", "__call", "__add", "__concat", "__eq", "__lt", "__le", "__unm", "__mod"), p.pick("m", "n"), p.pick("a", "b", "1", "'s'", "{}"))
	case 7:
		return fmt.Sprintf("coroutine.wrap(function(...) log(...) log(coroutine.yield(%s)) return %s end)(%s)", p.inner(func() { p.w("%s", p.expr(1)) }), p.pick("1", "nil", "error('e')"), p.expr(1))
	case 8:
		return fmt.Sprintf("(%s):%s(%s)", p.pick("'hello'", "'a,b'", p.local()), p.pick("upper", "len", "sub", "rep", "byte", "nosuch"), p.pick("", "1", "2", "2,3", "{}", p.local()))
	case 9:
		return fmt.Sprintf("unpack(%s)", p.tableExpr(1))
	case 10:
		return fmt.Sprintf("tonumber(%s)", p.pick("'12'", "'0x1f'", "'z',36", "'1e2'", "nil", p.local()))
	case 11:
		return fmt.Sprintf("table.concat(%s,%s)", p.tableExpr(1), p.pick("','", "''", "1", p.local()))
	case 12:
		return fmt.Sprintf("next(%s)", p.tableExpr(1))
	}
	return fmt.Sprintf("%s(%s)", p.local(), p.list(2))
}

func (p *program) expr(d int) string {
	if d <= 0 || p.r.IntN(4) == 0 {
		return p.pick(p.local(), p.local(), p.local(), p.number(), "nil", "true", "false", "'s'", "'10'", "''")
	}
	a, b := p.expr(d-1), p.expr(d-1)
	switch p.r.IntN(18) {
	case 0, 1:
		return fmt.Sprintf("%s%s%s", a, p.pick("+", "-", "*", "/", "%", "^"), b)
	case 2:
		return fmt.Sprintf("(%s %s %s)", a, p.pick("==", "~=", "<", ">", "<=", ">="), b)
	case 3:
		return fmt.Sprintf("%s==%s", a, b)
	case 4, 5:
		return fmt.Sprintf("(%s and %s)", a, b)
	case 6, 7:
		return fmt.Sprintf("(%s or %s)", a, b)
	case 8:
		return fmt.Sprintf("(%s and %s or %s)", a, b, p.expr(d-1))
	case 9:
		return fmt.Sprintf("not %s", a)
	case 10:
		return fmt.Sprintf("%s..%s", p.pick(a, "'x'"), b)
	case 11:
		return p.pick("-", "- -", "#") + p.pick(p.local(), "'abc'", "3", "("+a+")")
	case 12:
		return fmt.Sprintf("(%s).%s", p.local(), p.pick("x", "y", "name"))
	case 13:
		return fmt.Sprintf("(%s)[%s]", p.local(), p.expr(d-1))
	case 14:
		return p.tableExpr(d)
	case 15:
		return "function" + p.inner(func() { p.function() })
	}
	return p.call(d)
}

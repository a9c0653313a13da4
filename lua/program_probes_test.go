package lua

import (
	"fmt"
	"regexp"
	"strings"
)

// arithmetic is an expression of operators on numbers, and on what may stand
// for one.
func (p *program) arithmetic(d int) string {
	if d == 0 || p.chance(4) {
		return p.pick(p.num(), p.num(), p.num(), p.small(), "'10'", "' 0x1p1 '", "'a'", "nil", "{}", "true", "#'abc'", "...")
	}
	a, b := p.arithmetic(d-1), p.arithmetic(d-1)
	switch p.r.IntN(10) {
	case 0, 1, 2, 3, 4:
		return fmt.Sprintf("(%s%s%s)", a, p.pick("+", "-", "*", "/", "%", "^", "%", "^"), b)
	case 5:
		return fmt.Sprintf("(%s%s%s)", a, p.pick("<", "<=", ">", ">=", "==", "~="), b)
	case 6:
		return fmt.Sprintf("(%s ..%s)", a, b)
	case 7:
		return fmt.Sprintf("-(%s)", a)
	case 8:
		return fmt.Sprintf("string.format('%%.17g',%s)", p.pick("3*0.1", "1e15+0.3", "2^0.5", a+"*1", "10^-2", "2^10", "7%0.3", "-7%3"))
	}
	return fmt.Sprintf("tostring(%s)", a)
}

// data is a table with holes and fields.
func (p *program) data() string {
	var fields []string
	for range p.r.IntN(9) {
		v := p.pick("1", "2", "3", "'a'", "'b'", "nil", "5", "10", "true", "0.5", "'10'", "{1}", "-1")
		switch p.r.IntN(6) {
		case 0:
			v = p.pick("x", "y", "a", "b", "n", "k1", "name") + "=" + v
		case 1:
			v = "[" + p.pick("1", "2", "3", "4", "5", "8", "0", "-1", "1.5", "2^31", "'a'", "true", "1e15", "100") + "]=" + v
		}
		fields = append(fields, v)
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// tableProbe changes a table step by step, then shows its border and its order.
func (p *program) tableProbe() {
	var b strings.Builder
	for range 2 + p.r.IntN(12) {
		key := p.pick("1", "2", "3", "4", "5", "6", "7", "8", "9", "16", "17", "0", "-1", "'a'", "'b'", "'c'", "'key'", "1.5", "true", "false", "#t", "#t+1", "2^40", "'1'", "-0", "nil", "0/0")
		if strings.Contains(key, "nil") || key == "0/0" {
			key = p.pick("1", "2", "3", key)
		}
		switch p.r.IntN(8) {
		case 0, 1:
			fmt.Fprintf(&b, "t[%s]=nil ", key)
		case 2:
			fmt.Fprintf(&b, "table.insert(t,%s) ", p.pick("1", "'i'", "1,'f'", "2,'g'", "#t,'h'", "#t+1,'e'", "'2','s'", "0,'z'", "#t+3,'far'"))
		case 3:
			fmt.Fprintf(&b, "log(table.remove(t%s)) ", p.pick("", "", ",1", ",2", ",#t", ",0", ",9"))
		case 4:
			fmt.Fprintf(&b, "for i=%s,%s do t[i]=%s end ", p.pick("1", "2", "5", "-2"), p.pick("3", "6", "9", "17"), p.pick("i", "nil", "'v'", "i%3==0 and i or nil"))
		case 5:
			fmt.Fprintf(&b, "log(#t,next(t)) ")
		default:
			fmt.Fprintf(&b, "t[%s]=%s ", key, p.pick("1", "'x'", "true", "{}", "nil"))
		}
	}
	end := p.pick("return t,#t", "return t,#t,next(t)", "return #t,table.maxn(t),t", "for k,v in pairs(t) do log(k,v) t[k]=nil end return t,#t",
		"for i,v in ipairs(t) do log(i,v) end return #t", "local k repeat k=next(t,k) log(k) until k==nil return t", "return unpack(t)", "return table.concat(t,',')", "return #t,select('#',unpack(t))")
	p.attempt("local t=%s %s%s", p.data(), b.String(), end)
}

func (p *program) sortProbe() {
	var items []string
	kind := p.r.IntN(6)
	for range p.r.IntN(14) {
		switch kind {
		case 0:
			items = append(items, p.pick("'a'", "'b'", "'ab'", "'B'", `'\0'`, `'a\0'`, "'10'", "'9'", "''"))
		case 1:
			items = append(items, p.pick("1", "'x'", "2", "nil", "{}"))
		default:
			items = append(items, fmt.Sprint(p.r.IntN(10)))
		}
	}
	compare := p.pick("", "", ",nil", ",function(a,b) return a<b end", ",function(a,b) return a>b end", ",function(a,b) return a<=b end", ",function() return true end", ",function() return false end",
		",function(a,b) log(a,b) return a<b end", ",function(a,b) if a==3 then error('e') end return a<b end", ",function(a,b) return tostring(a)<tostring(b) end", ",function(a,b) return a%3<b%3 end", ",5", ",function() end",
		",function(a,b) return nil end", ",function(a,b) return (a*7)%5<(b*3)%4 end")
	p.attempt("local t={%s} local ok,e=pcall(table.sort,t%s) return ok,e,t", strings.Join(items, ","), compare)
}

// coroutineProbe makes a coroutine of random steps and resumes it often.
func (p *program) coroutineProbe() {
	var b strings.Builder
	for range 1 + p.r.IntN(5) {
		b.WriteString(p.pick(
			"log('in',...) ", "local x,y=coroutine.yield(1,nil) log(x,y) ", "log(coroutine.yield()) ", "log(pcall(coroutine.yield,1)) ", "log(pcall(function() coroutine.yield(2) end)) ",
			"error('e') ", "error('lvl',2) ", "for i=1,3 do log(coroutine.yield(i)) end ", "if true then return 'done',2 end ", "log(coroutine.running()==co,coroutine.status(co)) ",
			"log(coroutine.resume(co,1)) ", "local w=coroutine.wrap(function() coroutine.yield('w') error('we') end) log(w(),coroutine.status(co)) log(pcall(w)) log(pcall(w)) ",
			"log(pcall(table.sort,{3,2,1},function(a,b) coroutine.yield(a) return a<b end)) ", "log(pcall(string.gsub,'ab','.',function(c) coroutine.yield(c) end)) ",
			"log(pcall(function() return setmetatable({},{__index=function(t,k) return coroutine.yield(k) end}).z end)) ", "log(setmetatable({},{__index=function(t,k) return coroutine.yield(k) end}).z) ",
			"for a in coroutine.wrap(function() coroutine.yield('g') end) do log(a,coroutine.yield('l')) end ", "if log(1) then return coroutine.yield('tail') end ", "local t=setmetatable({},{__call=function(s,...) return coroutine.yield(...) end}) log(t('call')) ",
			"local u=0 local f=function() u=u+1 return u end f() coroutine.yield(f) log(f()) ", "local function r(n) if n==0 then return coroutine.yield('deep') end return r(n-1) end log(r(3)) ",
			"local function r(n) if n==0 then return coroutine.yield('deep') end return 1+r(n-1) end log(r(3)) ", "nothing() ", "local t t.x=1 ", "log(xpcall(function() coroutine.yield(1) end,function(e) return 'h:'..tostring(e) end)) ",
			"tostring(setmetatable({},{__tostring=function() coroutine.yield('ts') return 'x' end})) ", "for k in function() return coroutine.yield('it') end do break end ", "log(select('#',coroutine.yield(select(2,1,2,nil)))) ",
			"load(function() coroutine.yield('ld') end) ", "coroutine.wrap(coroutine.yield)() ",
		))
	}
	if p.chance(3) {
		fmt.Fprintf(&b, "return %s ", p.pick("1", "...", "nil,2", "coroutine.yield('last')", "co"))
	}
	if p.chance(3) {
		p.attempt("local co co=coroutine.create(function(...) end) local w=coroutine.wrap(function(...) %s end) log(w(%s)) log(w('b')) log(pcall(w,nil,1)) log(pcall(w)) return w()", b.String(), p.pick("", "'a'", "1,nil"))
		return
	}
	p.attempt("local co co=coroutine.create(function(...) %s end) log(coroutine.status(co)) for i=1,%d do log(coroutine.resume(co,i%s)) log(coroutine.status(co)) end return coroutine.running()", b.String(), 2+p.r.IntN(4), p.pick("", ",nil", ",'x',i"))
}

// errorProbe raises errors with levels, from names of all kinds, through pcall
// and xpcall.
func (p *program) errorProbe() {
	fault := p.pick(
		"error('m')", "error('m',0)", "error('m',1)", "error('m',2)", "error('m',3)", "error('m',5)", "error('m',-1)", "error(42)", "error()", "error(nil)", "error(true)", "error('m',nil)", "error('m','2')",
		"local a a.b=1", "local a=1 a.b.c=2", "local t={} t.x.y=1", "local t={} return t.x.y.z", "return up.x", "up()", "up.f()", "local t={} t:f()", "local t={f={}} t.f.g()", "return undefinedname", "undefinedname=1", "return 1+{}", "return {}+1",
		"local a={} return a+1", "local a return a..'x'", "local t={} return t.n+1", "return -{}", "return #5", "return nil..'x'", "return 'x'..{}", "return 1<'2'", "return {}<{}", "return nil<1", "return {}<=1", "return 'a'<nil", "local t={} t[nil]=1", "local t={} t[0/0]=1",
		"for i='a',2 do end", "for i=1,{} do end", "for i=1,2,nil do end", "for i=1,2,'x' do end", "for k in nil do end", "for k in 5 do end", "('x')()", "(function() end)().x=1", "local a={} a[{}][1]=2", "string.rep()", "('x'):rep({})", "('x'):bad()", "local s='x' return s.y.z",
		"string.rep('x',{})", "setmetatable(1,{})", "setmetatable({},1)", "setmetatable({})", "local t=setmetatable({},{__index=function(t,k) error('idx '..k) end}) return t.q", "local t=setmetatable({},{__newindex=function(t,k,v) error('new',2) end}) t.q=1",
		"local t=setmetatable({},{__metatable='locked'}) setmetatable(t,{})", "return getmetatable(setmetatable({},{__metatable='locked'}))", "local t=setmetatable({},{__call=5}) t()", "local t={} setmetatable(t,{__index=t}) return t.x", "assert(false)", "assert(nil,'am')", "assert(false,{})", "assert(1,2,3)",
		"select(0)", "select('x')", "select(-5,1)", "unpack()", "unpack({},1,1e8)", "ipairs()", "next({},'nokey')", "tostring()", "tonumber()", "tonumber('1',99)", "tonumber({},16)", "rawset({},nil,1)", "rawset(1,2,3)", "rawget()", "loadstring()", "load()", "load(5)", "xpcall()", "pcall(nil)", "coroutine.resume(1)",
		"coroutine.create(1)", "coroutine.status()", "table.concat({{}})", "table.concat({1,nil,3},',',1,3)", "table.insert({})", "table.insert({},1,2,3)", "table.insert({},'x',1)", "table.sort({1,'x'})", "table.remove({},'x')", "collectgarbage('bad')", "math.floor()", "math.floor('x')", "math.max()", "string.char(-1)", "string.format('%d','x')",
		"tostring(setmetatable({},{__tostring=function() return 1 end}))", "tostring(setmetatable({},{__tostring=function() return {} end}))", "local function f() return f() end", "local function f() f() end f()", "return (function(...) local a,b=... return a.x end)(1)", "local a <const> = 1",
		"return setmetatable({},{__eq=function() return 1 end})==setmetatable({},{__eq=function() return 1 end})", "local m={__lt=function() error('lt') end} return setmetatable({},m)<setmetatable({},m)", "local m={__lt=function() return 1 end} return setmetatable({},m)<=setmetatable({},m)",
		"local m={__concat=function(a,b) return type(a)..type(b) end} return 1 ..setmetatable({},m)..'x'", "local m={__unm=function(a,b) return rawequal(a,b) end} return -setmetatable({},m)", "local m={__len=function() return 7 end} return #setmetatable({},m)", "return table.concat(setmetatable({1,2},{__index=function() return 'd' end}),',',1,4)",
	)
	switch p.r.IntN(6) {
	case 0:
		p.attempt("local up %s", fault)
	case 1:
		p.attempt("local up\nlocal function g()\n%s\nend\nlocal r=g()\nreturn r", fault)
	case 2:
		p.attempt("local up local function g() %s end return g()", fault)
	case 3:
		p.attempt("local up return xpcall(function() %s end,%s)", fault, p.pick("function(e) return 'H:'..tostring(e),2 end", "function() error('again') end", "nil", "tostring", "function() end", "5", "function(e) return {e} end", "error"))
	case 4:
		p.attempt("local up local f=loadstring(%q,%s) return pcall(f,1,2)", fault, p.pick("nil", "'=n'", "'@file.lua'", "'name'", `'line one\nline two'`, "('long name '):rep(9)", "'@'..('long/'):rep(20)"))
	default:
		p.attempt("local up return pcall(function() return coroutine.wrap(function() %s end)() end)", fault)
	}
}

// oddProbe tries what fits nowhere else: loops at their edges, limits, load.
func (p *program) oddProbe() {
	switch p.r.IntN(9) {
	case 0:
		p.attempt("local n,l=0 for i=%s,%s,%s do n=n+1 l=i if n>8 then break end end return n,l", p.num(), p.num(), p.pick("1", "-1", "0", "0.5", "'1'", "1e300", "0/0", "-0.1", "3", p.num()))
	case 1:
		p.attempt("local parts={%s} local i=0 return pcall(load(function() i=i+1 return parts[i] end%s) or log)", p.pick("'return ','1'", "'return','',1", "'x=',nil", "'re','turn ',5", "{}", "'return 1',function() end", "''", "'return ...'"), p.pick("", ",'=ld'", ",'ld'", ",5"))
	case 2:
		n := []int{5, 60, 61, 199, 200, 201, 255}[p.r.IntN(7)]
		p.attempt("local s={} for i=1,%d do s[i]='%s' end local f,e=loadstring(table.concat(s,'%s')..'%s') return f and pcall(f),e", n,
			p.pick("local a=1", "a", "{", "(", "do", "x.y", "-", "not", "f(", "''", "1", "a,b", "local a,b", "return 1", "a=", "if a then", "function f()", "repeat", "[1]=2"), p.pick(" ", "..", ",", "+", `\n`, "^", ";", " and ", "="), p.pick("", " return 1", " end"))
	case 3:
		p.attempt("local f,e=loadstring(%s%s) return f and pcall(f),e", p.str(), p.pick("", ",'=c'", ",'chunk'", ",nil"))
	case 4:
		p.attempt("local function f(a,b,...) return a,b,select('#',...),... end return f(%s)", strings.Join([]string{p.value(), p.pick("f(1)", "...", "nil", "select(2,1,2,3)", "(select(1,4,5))", "unpack({1,nil,3},1,3)")}, ","))
	case 5:
		p.attempt("local function f(...) %s end return f(%s)", p.pick("return arg and arg.n,#arg", "return arg", "local t={...} return #t,t", "return (...)", "local a,b=... return b,a", "return {n=select('#',...),...}", "return #{...,...}", "return {...,1}"), strings.Join([]string{p.value(), p.value()}, ","))
	case 6:
		p.attempt("local m={__%s=function(a,b) log(type(a),type(b)) return %s end} local x,y=setmetatable({},m),%s return %s", p.pick("add", "sub", "concat", "eq", "lt", "le", "index", "call", "unm", "mod", "pow", "newindex", "div"), p.value(), p.pick("setmetatable({},m)", "1", "'s'", "nil", "setmetatable({},{})"),
			p.pick("x+y", "y+x", "x..y", "y..x", "x==y", "x~=y", "x<y", "x<=y", "x>y", "x>=y", "x.k", "x[y]", "x(y)", "-x", "x%y", "x^y", "y/x", "#x", "not x", "rawequal(x,y)"))
	case 7:
		p.attempt("local t=setmetatable({},{__newindex=%s,__index=%s}) t.a=1 t[1]=2 t.a=3 return t,t.a,t[1],t.zz,rawget(t,'a')", p.pick("function(t,k,v) rawset(t,k,v) end", "{}", "nil", "function() end", "5", "function(t,k,v) log(k,v) end"), p.pick("{zz=1}", "function(t,k) return k end", "nil", "'str'", "setmetatable({},{__index={zz=5}})"))
	default:
		p.attempt("local fs={} for i=1,3 do local j=i fs[i]=function(d) j=j+(d or 0) %s return j end end fs[1](5) fs[2]() return fs[1](),fs[2](),fs[3](1)", p.pick("", "if j>7 then return nil end", "i=i+1", "fs[i]=nil"))
	}
}

var tokens = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*|[0-9][0-9a-zA-Z.]*|'(?:[^'\\]|\\.)*'|[.]{2,3}|[=~<>]=|\s+|(?s:.)`)

// spoil changes a few tokens of a program, most often into one that does not
// compile.
func (p *program) spoil(source string) string {
	list := tokens.FindAllString(strings.TrimPrefix(source, header), -1)
	for range 1 + p.r.IntN(3)/2 {
		if len(list) < 3 {
			break
		}
		i := p.r.IntN(len(list) - 1)
		odd := p.pick("end", "do", "then", "if", "else", "elseif", "until", "repeat", "while", "for", "in", "local", "function", "return", "break", "nil", "not", "and", "or", "(", ")", "{", "}", "[", "]", ",", ";", ".", ":", "=", "==", "~=", "..", "...", "+", "-", "#",
			"'unclosed", `"\300"`, `'\400'`, `'a\`, "[[", "[==[", "[=x", "--[[", "--[==[ ", "--", "]]", "1e", "0x", "0xg", "3..2", "1.2.3", "5e+", "12abc", "~", "&", "@", "!", "`", "\x00", "\x01", "\xe9", "goto", "::", "//", "$", "?", "\n", "\r\n", "%", "x.y:z()", "f{}", "f''", "a.b.c=1", "local x=", "x=x=x", "(f)()", "1()", "{}.x=1", "\f", "\v", "'\n'", `'\z'`, "'a\\\nb'", "[[a\r\nb]]")
		switch p.r.IntN(4) {
		case 0:
			list = append(list[:i], list[i+1:]...)
		case 1:
			list[i] = odd
		case 2:
			list = append(list[:i], append([]string{odd}, list[i:]...)...)
		default:
			j := p.r.IntN(len(list))
			list[i], list[j] = list[j], list[i]
		}
	}
	return header + strings.Join(list, "")
}

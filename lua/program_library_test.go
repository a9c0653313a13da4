package lua

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// newProgram writes the program of a number: one that exercises the language,
// one that exercises the libraries, or one with a fault in its syntax.
func newProgram(seed uint64) string {
	p := &program{r: rand.New(rand.NewPCG(seed, 7)), vararg: true}
	p.b.WriteString(header)
	switch seed % 8 {
	case 0, 1:
		p.language()
	case 2:
		p.language()
		return p.spoil(p.b.String())
	default:
		for range 3 + p.r.IntN(5) {
			p.probe()
		}
		p.w("return table.concat(out,'|')")
		if seed%16 == 3 {
			return p.spoil(p.b.String())
		}
	}
	return p.b.String()
}

// signatures are the library functions with their arguments: s a string, p a
// pattern, F a format with its arguments, R a replacement, i and k a small integer, n
// a number, c a byte, b a base, t a table, f a function, v anything; what stands
// after a ? may be missing.
var signatures = strings.Fields(`
string.byte:s?ii string.char:?ccc string.find:sp?iv string.match:sp?i string.gsub:spR?i string.gsub:spR string.rep:si
string.reverse:s string.lower:s string.upper:s string.len:s string.sub:si?i string.format:F string.format:F string.format:F
string.find:sp string.match:sp string.gmatch:sp
tostring:v tonumber:s?b tonumber:n?b tonumber:s tonumber:sb type:?v select:i?vvv rawequal:vv rawget:tv rawset:tKv next:t?v
unpack:t?kk pairs:t ipairs:t assert:v?sv getmetatable:t loadstring:s?s error:Se
table.concat:t?skk table.insert:tv table.insert:tkv table.remove:t?k table.maxn:t table.getn:t table.foreach:tf table.foreachi:tf
table.setn:tn math.floor:n math.ceil:n math.abs:n math.fmod:nn math.mod:nn math.modf:n math.frexp:n math.ldexp:ni math.sqrt:n
math.max:n?nn math.min:n?nn math.pow:nn math.deg:n math.rad:n math.exp:n math.log:n math.log10:n math.sin:n math.cos:n math.tan:n
math.asin:n math.acos:n math.atan:n math.atan2:nn math.sinh:n math.cosh:n math.tanh:n
coroutine.create:f coroutine.wrap:f coroutine.status:v coroutine.resume:v?v coroutine.running: coroutine.yield:?v`)

// probe writes one statement that logs what something gives, or its error.
func (p *program) probe() {
	switch p.r.IntN(16) {
	case 0, 1, 2, 3, 4:
		p.attempt("return %s", p.libraryCall())
	case 5:
		p.attempt("local s=%s return s:%s", p.str(), p.method())
	case 6, 7:
		p.attempt("return %s", p.arithmetic(2))
	case 8:
		p.attempt("local n,r=0,{} for a,b in string.gmatch(%s,%s) do n=n+1 r[n]=tostring(a)..':'..tostring(b) if n>20 then break end end return r", p.str(), p.pattern())
	case 9, 10:
		p.tableProbe()
	case 11:
		p.sortProbe()
	case 12, 13:
		p.coroutineProbe()
	case 14:
		p.errorProbe()
	default:
		p.oddProbe()
	}
}

func (p *program) attempt(format string, args ...any) {
	p.w("log(pcall(function(...) "+format+" end))\n", args...)
}

func (p *program) chance(n int) bool { return p.r.IntN(n) == 0 }

func (p *program) libraryCall() string {
	name, args, _ := strings.Cut(p.pick(signatures...), ":")
	if p.chance(12) {
		return fmt.Sprintf("select('#',%s(%s))", name, p.arguments(args))
	}
	return name + "(" + p.arguments(args) + ")"
}

func (p *program) method() string {
	name, args, _ := strings.Cut(p.pick(signatures[:14]...), ":")
	if len(args) > 0 && args[0] != '?' {
		args = args[1:]
	}
	return strings.TrimPrefix(name, "string.") + "(" + p.arguments(args) + ")"
}

func (p *program) arguments(letters string) string {
	if letters == "Se" { // of error: a table thrown is another value after Redis's pcall
		return p.str() + "," + p.argument('e')
	}
	var out []string
	for _, letter := range letters {
		if letter == '?' {
			if p.chance(3) {
				break
			}
			continue
		}
		if letter != 'K' && p.chance(25) {
			letter = 'v'
		}
		out = append(out, p.argument(letter))
	}
	if p.chance(30) && len(out) > 0 {
		out = out[:len(out)-1]
	}
	if p.chance(30) {
		out = append(out, p.value())
	}
	return strings.Join(out, ",")
}

func (p *program) argument(letter rune) string {
	switch letter {
	case 's':
		return p.str()
	case 'k':
		return p.pick("1", "2", "3", "0", "-1", "-2", "4", "7", "1.9", "'2'", "nil", "10", "20", "8")
	case 'p':
		return p.pattern()
	case 'F':
		return p.format()
	case 'R':
		return p.replacement()
	case 'i':
		return p.small()
	case 'n':
		return p.num()
	case 'K':
		return p.pick("'key'", "'a'", "1", "2", "5", "true", "1.5", "nil", "0/0", "-1")
	case 'e':
		return p.pick("0", "1", "2", "3", "nil", "'1'", "-1")
	case 'c':
		return p.pick("65", "0", "255", "256", "-1", "'66'", "97.9", "10")
	case 'b':
		return p.pick("10", "16", "2", "8", "36", "1", "37", "7", "'16'", "10.9", "nil")
	case 't':
		return p.data()
	case 'f':
		return p.pick("function(a,b) log(a,b) end", "function(a,b) if b==2 then return a end end", "print", "function() return nil end", "log", "tostring")
	}
	return p.value()
}

var texts = []string{
	"''", "'a'", "'hello world'", "'a,b,,c'", "'  x  '", `'\0'`, `'a\0b'`, "'%d'", "'12'", "'0x1F'", "'1e2'", "' 5 '", "'-0'", "'nan'", "'inf'",
	"'1e400'", "'-7'", "'.5'", "'5.'", "'1 2'", "'0x'", "'1e'", `'\200\255'`, "'x=1, y=2'", "'THE (quick) fox'", `'two\nlines\r\n'`, `'"q\\"'`, "'ff'", "'zz'", "'-ff'",
	"'18446744073709551616'", "'9007199254740993'", "'0x1p4'", "'1_0'", "'infinity'", "('ab'):rep(60)", "('x'):rep(99)", "('x'):rep(101)", "'aaa'", "'(a(b)c)'", "'[x]'", "'99999999999999999999'",
	"'=name'", "'@file'", "'return 1,2'", "'return ...'", "'x='", "'error(1)'", `'a\nb'`, "'k1'", "'10'", "'0'", "'1'", "'123456789012345678'",
}

// str is a string, now and then one of random bytes.
func (p *program) str() string {
	if !p.chance(4) {
		return p.pick(texts...)
	}
	const odd = "aAbB01 ,.%()[]-\n\x00\xffxyz_'\"\\\t\r^$"
	var b strings.Builder
	b.WriteByte('\'')
	for range p.r.IntN(9) {
		c := odd[p.r.IntN(len(odd))]
		fmt.Fprintf(&b, `\%03d`, c)
	}
	b.WriteByte('\'')
	return b.String()
}

func (p *program) small() string {
	return p.pick("1", "2", "3", "0", "-1", "-2", "4", "5", "7", "10", "20", "-10", "1.9", "-1.9", "'2'", "2^31", "-2^31", "2^53", "nil", "0.5", "8")
}

func (p *program) num() string {
	if p.chance(5) {
		return fmt.Sprintf("%d", p.r.IntN(2000)-1000)
	}
	if p.chance(8) {
		return fmt.Sprintf("%.*g", 1+p.r.IntN(17), (p.r.Float64()-0.5)*float64(p.r.IntN(1e6)))
	}
	return p.pick("0", "-0", "1", "-1", "2", "3", "0.5", "1.5", "-2.5", "1e15", "2^53", "2^31", "2^32", "2^63", "-2^63", "2^64", "1e308", "0/0", "-(0/0)", "1/0", "-1/0", "5e-324",
		"123456789012", "0.1", "255", "256", "1e14", "99999999999999.5", "100", "10", "7", "-7", "1e100", "0x10", "0xffffffff", "1e-5", "123456.789e3", "3.14159265358979", "'10'", "' 0x1f '", "1/3", "2.5", "3.5")
}

func (p *program) value() string {
	return p.pick("nil", "true", "false", "{}", "{1,2}", "function() end", "print", "log", "tostring", "1", "'s'", p.str(), p.num(), p.small(), p.data())
}

// pattern is a pattern made of pieces, often a malformed one.
func (p *program) pattern() string {
	var b strings.Builder
	b.WriteByte('\'')
	if p.chance(5) {
		b.WriteByte('^')
	}
	open := 0
	for range p.r.IntN(6) {
		piece := p.pick("a", "b", ".", "%a", "%d", "%s", "%w", "%p", "%l", "%u", "%x", "%c", "%z", "%A", "%S", "%W", "[abc]", "[^a]", "[a-z]", "[%w_]", "[^%s,]", "[]]", "[^]]", "[a-]", "[%a-z]", "%b()", "%bxx", "%f[%w]", "%f[%W]", "%%", "%.",
			",", "x", "l", "o", " ", "=", "(", "(", "()", ")", ")", "%1", "%2", `\0`, "-", "%", "[", "[^", "]", "%f", "%b", "%bx", "[b-a]", "$", "^", "[%", "[a-%z]")
		switch piece {
		case "(":
			open++
		case ")":
			if open == 0 && !p.chance(8) {
				continue
			}
			open--
		case "%1", "%2":
			if open == 0 && !p.chance(4) {
				continue
			}
		case "%", "[", "[^", "%f", "%b", "%bx", "[%":
			if !p.chance(4) {
				continue
			}
		}
		b.WriteString(piece)
		if p.chance(3) {
			b.WriteString(p.pick("*", "+", "-", "?"))
		}
	}
	for ; open > 0 && !p.chance(10); open-- {
		b.WriteByte(')')
	}
	if p.chance(5) {
		b.WriteByte('$')
	}
	b.WriteByte('\'')
	return b.String()
}

func (p *program) replacement() string {
	return p.pick("'<%0>'", "'%1%1'", "'%2'", "''", "'x'", "'%%'", "'%'", "'%z'", `'\0'`, "'%9'", "5", "1.5", "{a='A',b=1,x=true}", "{['1']=2,l=false,o={}}", "setmetatable({},{__index=function(t,k) return '['..k..']' end})",
		"function(...) return select('#',...) end", "function(a,b) return b end", "function(a) log(a) end", "function() return {} end", "function() error('in') end", "function() return false end", "string.upper", "tostring", "true", "nil")
}

// format is a format and what it wants.
func (p *program) format() string {
	var format strings.Builder
	var args []string
	for range 1 + p.r.IntN(3) {
		if p.chance(4) {
			format.WriteString(p.pick("x", " ", "%%", "-", `\0`, ","))
		}
		format.WriteByte('%')
		for range p.r.IntN(3) {
			if p.chance(2) {
				format.WriteString(p.pick("-", "+", " ", "#", "0"))
			}
		}
		if p.chance(2) {
			format.WriteString(p.pick("1", "2", "5", "10", "20", "99", "100", "05"))
		}
		if p.chance(3) {
			format.WriteString("." + p.pick("", "0", "1", "2", "3", "5", "10", "14", "17", "20", "99", "100"))
		}
		verb := p.pick("d", "i", "u", "c", "x", "X", "o", "e", "E", "f", "g", "G", "q", "s", "s", "d", "g", "p", "y", "5", "")
		if (verb == "y" || verb == "5" || verb == "" || verb == "p") && !p.chance(4) {
			verb = "s"
		}
		format.WriteString(verb)
		if p.chance(12) {
			args = append(args, p.value())
			continue
		}
		switch verb {
		case "s", "q":
			args = append(args, p.pick(p.str(), p.str(), p.num()))
		case "c":
			args = append(args, p.pick("65", "0", "256", "321", "-1", "97.5"))
		case "u", "x", "X", "o", "d", "i":
			args = append(args, p.pick(p.num(), "0", "1", "-1", "255", "123456"))
		default:
			args = append(args, p.num())
		}
	}
	return strings.Join(append([]string{"'" + format.String() + "'"}, args...), ",")
}

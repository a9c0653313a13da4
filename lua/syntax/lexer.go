// Package syntax parses Lua 5.1 into the syntax tree of gopher-lua, with the
// errors and limits of Lua 5.1.
package syntax

import (
	"fmt"
	"strconv"
	"strings"

	"minikv/lua/lib"
)

// Tokens of more than one byte; a single byte is its own token.
const (
	eof = iota + 256
	name
	number
	text
	concat // ..
	dots   // ...
	equal
	notEqual
	lessEqual
	greaterEqual
	kwAnd
	kwBreak
	kwDo
	kwElse
	kwElseif
	kwEnd
	kwFalse
	kwFor
	kwFunction
	kwIf
	kwIn
	kwLocal
	kwNil
	kwNot
	kwOr
	kwRepeat
	kwReturn
	kwThen
	kwTrue
	kwUntil
	kwWhile
)

var keywords = map[string]int{
	"and": kwAnd, "break": kwBreak, "do": kwDo, "else": kwElse, "elseif": kwElseif, "end": kwEnd,
	"false": kwFalse, "for": kwFor, "function": kwFunction, "if": kwIf, "in": kwIn, "local": kwLocal,
	"nil": kwNil, "not": kwNot, "or": kwOr, "repeat": kwRepeat, "return": kwReturn, "then": kwThen,
	"true": kwTrue, "until": kwUntil, "while": kwWhile,
}

var tokenNames = func() map[int]string {
	names := map[int]string{
		eof: "<eof>", name: "<name>", number: "<number>", text: "<string>", concat: "..", dots: "...",
		equal: "==", notEqual: "~=", lessEqual: "<=", greaterEqual: ">=",
	}
	for word, t := range keywords {
		names[t] = word
	}
	return names
}()

// token is a token with its text and what it stands for.
type token struct {
	kind  int
	raw   string // as it stands in the source, of a name or number; what a string begins with
	value string // of a string
	num   float64
	line  int // where it ends
}

// An Error is a syntax error.
type Error struct {
	Line    int
	Message string
}

func (e *Error) Error() string { return e.Message }

// lexer splits source into tokens.
type lexer struct {
	src  string
	at   int
	line int
	work func(steps int)
}

// passed accounts for what is read of a long token.
func (x *lexer) passed() {
	if x.at&0xffff == 0 {
		x.work(1 << 13)
	}
}

// fail raises an error near a token, whose text a NUL ends; none if near is
// empty.
func (x *lexer) fail(message, near string) {
	near, _, _ = strings.Cut(near, "\x00")
	if near != "" {
		message += " near '" + near + "'"
	}
	panic(&Error{x.line, message})
}

func tokenText(kind int) string {
	switch {
	case kind == 0: // a NUL in the source: the message names nothing
		return ""
	case kind >= 256:
		return tokenNames[kind]
	case kind < ' ' || kind == 0x7f:
		return fmt.Sprintf("char(%d)", kind)
	}
	return string([]byte{byte(kind)})
}

func (t token) text() string {
	switch t.kind {
	case name, number:
		return t.raw
	case text:
		return t.raw + t.value + strings.ReplaceAll(t.raw, "[", "]")
	}
	return tokenText(t.kind)
}

// peek returns the byte i places on, or -1 at the end.
func (x *lexer) peek(i int) int {
	if x.at+i < len(x.src) {
		return int(x.src[x.at+i])
	}
	return -1
}

// among tells whether the byte i places on is one of set, to which a NUL always
// belongs, as it does for C's strchr.
func (x *lexer) among(i int, set string) bool {
	c := x.peek(i)
	return c == 0 || c > 0 && strings.IndexByte(set, byte(c)) >= 0
}

// newline skips a line end: \n, \r, or both in either order.
func (x *lexer) newline() {
	c := x.src[x.at]
	x.at++
	if d := x.peek(0); (d == '\n' || d == '\r') && d != int(c) {
		x.at++
	}
	x.line++
}

func (x *lexer) next() token {
	for {
		c := x.peek(0)
		switch {
		case c < 0:
			return token{kind: eof, line: x.line}
		case c == '\n' || c == '\r':
			x.newline()
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
			x.at++
			x.passed()
		case c == '-' && x.peek(1) == '-':
			x.comment()
		case c == '[':
			if level, ok := x.longBracket(); ok {
				return x.longText(level, "unfinished long string")
			} else if level > 0 {
				x.fail("invalid long string delimiter", x.src[x.at:x.at+level+1])
			}
			return x.symbol(1, c)
		case c == '"' || c == '\'':
			return x.quoted(byte(c))
		case isDigit(c) || c == '.' && isDigit(x.peek(1)):
			return x.number()
		case isLetter(c):
			return x.word()
		default:
			return x.operator(c)
		}
	}
}

func isDigit(c int) bool  { return c >= '0' && c <= '9' }
func isLetter(c int) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

func (x *lexer) symbol(n, kind int) token {
	x.at += n
	return token{kind: kind, line: x.line}
}

func (x *lexer) operator(c int) token {
	second := x.peek(1)
	switch {
	case c == '=' && second == '=':
		return x.symbol(2, equal)
	case c == '~' && second == '=':
		return x.symbol(2, notEqual)
	case c == '<' && second == '=':
		return x.symbol(2, lessEqual)
	case c == '>' && second == '=':
		return x.symbol(2, greaterEqual)
	case c == '.' && x.among(1, ".") && x.among(2, "."):
		return x.symbol(3, dots)
	case c == '.' && x.among(1, "."):
		return x.symbol(2, concat)
	}
	return x.symbol(1, c)
}

func (x *lexer) word() token {
	start := x.at
	for isLetter(x.peek(0)) || isDigit(x.peek(0)) {
		x.at++
		x.passed()
	}
	word := x.src[start:x.at]
	if k, ok := keywords[word]; ok {
		return token{kind: k, line: x.line}
	}
	return token{kind: name, raw: word, line: x.line}
}

func (x *lexer) number() token {
	start := x.at
	for isDigit(x.peek(0)) || x.peek(0) == '.' {
		x.at++
		x.passed()
	}
	if x.among(0, "Ee") {
		x.at++
		if x.among(0, "+-") {
			x.at++
		}
	}
	for isLetter(x.peek(0)) || isDigit(x.peek(0)) {
		x.at++
	}
	raw := x.src[start:x.at]
	n, ok := lib.ParseNumber(raw)
	if !ok {
		x.fail("malformed number", raw)
	}
	return token{kind: number, raw: raw, num: n, line: x.line}
}

// comment skips a comment.
func (x *lexer) comment() {
	x.at += 2
	if x.peek(0) == '[' {
		if level, ok := x.longBracket(); ok {
			x.longText(level, "unfinished long comment")
			return
		}
	}
	for c := x.peek(0); c >= 0 && c != '\n' && c != '\r'; c = x.peek(0) {
		x.at++
		x.passed()
	}
}

// longBracket tells whether a long bracket such as [==[ begins here, and the
// number of = after the [.
func (x *lexer) longBracket() (level int, ok bool) {
	for x.peek(1+level) == '=' {
		level++
	}
	return level, x.peek(1+level) == '['
}

// longText reads a long string or comment. Its line ends become \n, the first
// one right after the bracket is left out.
func (x *lexer) longText(level int, unfinished string) token {
	opening := x.src[x.at : x.at+level+2]
	x.at += level + 2
	if c := x.peek(0); c == '\n' || c == '\r' {
		x.newline()
	}
	var b strings.Builder
	closing := "]" + strings.Repeat("=", level) + "]"
	for {
		x.passed()
		switch c := x.peek(0); {
		case c < 0:
			x.fail(unfinished, "<eof>")
		case c == '\n' || c == '\r':
			x.newline()
			b.WriteByte('\n')
		case c == ']' && strings.HasPrefix(x.src[x.at:], closing):
			x.at += len(closing)
			return token{kind: text, raw: opening, value: b.String(), line: x.line}
		default:
			b.WriteByte(byte(c))
			x.at++
		}
	}
}

func (x *lexer) quoted(quote byte) token {
	opening := x.src[x.at : x.at+1]
	x.at++
	var b strings.Builder
	for {
		x.passed()
		switch c := x.peek(0); {
		case c < 0:
			x.fail("unfinished string", "<eof>")
		case c == '\n' || c == '\r':
			x.fail("unfinished string", string(quote)+b.String())
		case c == int(quote):
			x.at++
			return token{kind: text, raw: opening, value: b.String(), line: x.line}
		case c == '\\':
			x.at++
			x.escape(quote, &b)
		default:
			b.WriteByte(byte(c))
			x.at++
		}
	}
}

// escape reads what follows a backslash.
func (x *lexer) escape(quote byte, b *strings.Builder) {
	c := x.peek(0)
	switch {
	case c < 0:
		return
	case c == '\n' || c == '\r':
		x.newline()
		b.WriteByte('\n')
		return
	case isDigit(c):
		end := x.at
		for end < len(x.src) && end < x.at+3 && isDigit(int(x.src[end])) {
			end++
		}
		n, _ := strconv.Atoi(x.src[x.at:end])
		x.at = end
		if n > 255 {
			x.fail("escape sequence too large", string(quote)+b.String())
		}
		b.WriteByte(byte(n))
		return
	}
	if i := strings.IndexByte("abfnrtv", byte(c)); i >= 0 {
		c = int("\a\b\f\n\r\t\v"[i])
	}
	b.WriteByte(byte(c))
	x.at++
}

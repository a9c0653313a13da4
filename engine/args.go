package engine

import (
	"minikv/value"
)

// Scanner walks over a command's arguments and latches the first error, so
// that a handler reads all it wants and asks Err once.
type Scanner struct {
	c   *Ctx
	pos int
	err error
}

// Scan starts behind the command's name (and its subcommand's).
func (c *Ctx) Scan() Scanner {
	pos := 1
	if c.cmd.parent != nil {
		pos = 2
	}
	return Scanner{c: c, pos: pos}
}

// More tells whether arguments are left and none was wrong so far.
func (a *Scanner) More() bool { return a.err == nil && a.pos < len(a.c.argv) }

// Left is how many arguments are left.
func (a *Scanner) Left() int { return len(a.c.argv) - a.pos }

// Next is the next argument; past the end it is nil and a syntax error.
func (a *Scanner) Next() []byte {
	if a.pos >= len(a.c.argv) {
		a.Fail(errSyntax)
		return nil
	}
	arg := a.c.argv[a.pos]
	a.pos++
	return arg
}

// Rest is all that is left, and consumes it.
func (a *Scanner) Rest() [][]byte {
	rest := a.c.argv[a.pos:]
	a.pos = len(a.c.argv)
	return rest
}

// Word consumes the next argument if it is this keyword (given in upper case)
// and the emulated version knows it here.
func (a *Scanner) Word(word string) bool {
	if !a.More() || !isWord(a.c.argv[a.pos], word) {
		return false
	}
	if ver := a.c.e.table.ver; !ver.isZero() && !ver.has(a.c.cmd.newer[word]) {
		return false
	}
	a.pos++
	return true
}

// WordWith is Word for a keyword that must be followed by at least n more
// arguments; without them it is not recognised, as in Redis.
func (a *Scanner) WordWith(word string, n int) bool {
	return a.Left() > n && a.Word(word)
}

// Int is the next argument as an integer.
func (a *Scanner) Int() int64 { return a.IntOr(errNotInteger) }

// IntOr is Int with another error text.
func (a *Scanner) IntOr(err error) int64 {
	arg := a.Next()
	if a.err != nil {
		return 0
	}
	n, ok := value.ParseInt(arg)
	if !ok {
		a.Fail(err)
	}
	return n
}

// IntIn is Int restricted to lo..hi; outside it fails with err.
func (a *Scanner) IntIn(lo, hi int64, err error) int64 {
	n := a.IntOr(err)
	if a.err == nil && (n < lo || n > hi) {
		a.Fail(err)
	}
	return n
}

// Float is the next argument as a double.
func (a *Scanner) Float() float64 { return a.FloatOr(errNotFloat) }

// FloatOr is Float with another error text.
func (a *Scanner) FloatOr(err error) float64 {
	arg := a.Next()
	if a.err != nil {
		return 0
	}
	f, ok := value.ParseFloat(arg)
	if !ok {
		a.Fail(err)
	}
	return f
}

// Fail latches an error unless one was latched before.
func (a *Scanner) Fail(err error) {
	if a.err == nil {
		a.err = err
	}
}

// Syntax latches a syntax error.
func (a *Scanner) Syntax() { a.Fail(errSyntax) }

// Done is Err, and a syntax error if arguments are left over.
func (a *Scanner) Done() error {
	if a.err == nil && a.pos < len(a.c.argv) {
		return errSyntax
	}
	return a.err
}

// Err is the first error.
func (a *Scanner) Err() error { return a.err }

// isWord compares an argument with an upper-case word, ignoring ASCII case.
func isWord(arg []byte, word string) bool {
	if len(arg) != len(word) {
		return false
	}
	for i := range arg {
		ch := arg[i]
		if 'a' <= ch && ch <= 'z' {
			ch -= 'a' - 'A'
		}
		if ch != word[i] {
			return false
		}
	}
	return true
}

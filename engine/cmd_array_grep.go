package engine

import (
	"bytes"
	"errors"
	"math"
	"regexp"
	"regexp/syntax"

	"minikv/value"
)

// arrayTest tells whether a text is sought; lower is the same text in lower case
// if the search ignores case.
type arrayTest func(text, lower []byte) bool

// arrayPattern is a test as it was asked for: whether it ignores case is known
// when all arguments are read.
type arrayPattern struct {
	text    []byte
	compile func(pattern []byte, noCase bool) (arrayTest, error)
}

// arrayGrep is what ARGREP is asked for.
type arrayGrep struct {
	start, end uint64
	patterns   []arrayPattern
	tests      []arrayTest
	all        bool // AND: every test must be passed
	limit      int64
	withValues bool
	noCase     bool
}

const maxArrayTests = 250

// bound is the next argument as an index, "-" for the first or "+" for the last.
func (a *Scanner) bound() uint64 {
	switch {
	case a.Word("-"):
		return 0
	case a.Word("+"):
		return value.MaxArrayIndex
	}
	return a.Index()
}

// grep reads ARGREP's arguments behind the key.
func (a *Scanner) grep() (g arrayGrep) {
	g = arrayGrep{start: a.bound(), end: a.bound(), limit: math.MaxInt64}
	for a.More() {
		switch {
		case a.Word("EXACT"):
			g.add(a, exactTest)
		case a.Word("MATCH"):
			g.add(a, matchTest)
		case a.Word("GLOB"):
			g.add(a, globTest)
		case a.Word("RE"):
			g.add(a, regexpTest)
		case a.Word("AND"):
			g.all = true
		case a.Word("OR"):
			g.all = false
		case a.Word("LIMIT"):
			g.limit = a.limit()
		case a.Word("WITHVALUES"):
			g.withValues = true
		case a.Word("NOCASE"):
			g.noCase = true
		default:
			a.Syntax()
		}
	}
	if len(g.patterns) == 0 {
		a.Syntax()
	}
	return g
}

// add takes a test whose pattern is the next argument.
func (g *arrayGrep) add(a *Scanner, compile func(pattern []byte, noCase bool) (arrayTest, error)) {
	if len(g.patterns) == maxArrayTests {
		a.Fail(errTooManyTests)
	}
	g.patterns = append(g.patterns, arrayPattern{a.Next(), compile})
}

// compile makes the tests.
func (g *arrayGrep) compile() error {
	for _, p := range g.patterns {
		test, err := p.compile(p.text, g.noCase)
		if err != nil {
			return err
		}
		g.tests = append(g.tests, test)
	}
	return nil
}

// sought tells whether the tests are passed.
func (g *arrayGrep) sought(text, lower []byte) bool {
	for _, test := range g.tests {
		if test(text, lower) != g.all {
			return !g.all
		}
	}
	return g.all
}

func cmdArGrep(c *Ctx) error {
	a := c.Scan()
	name, g := a.Next(), a.grep()
	if a.Err() != nil {
		return a.Err()
	}
	if err := g.compile(); err != nil {
		return err
	}
	arr, err := c.readArray(name)
	if err != nil {
		return err
	}
	lo, hi, backward := inOrder(g.start, g.end)
	mark, n := c.out.Mark(), int64(0)
	var lower []byte
	for index, text := range walk(arr, lo, hi, backward) {
		if g.noCase {
			lower = appendLower(lower[:0], text)
		}
		if !g.sought(text, lower) {
			continue
		}
		if g.withValues {
			c.indexWith(index, text)
		} else {
			c.index(index)
		}
		if n++; n == g.limit {
			break
		}
	}
	c.out.InsertArray(mark, int(n))
	return nil
}

// appendLower appends a text with its ASCII letters in lower case.
func appendLower(dst, text []byte) []byte {
	for _, ch := range text {
		if 'A' <= ch && ch <= 'Z' {
			ch += 'a' - 'A'
		}
		dst = append(dst, ch)
	}
	return dst
}

func exactTest(pattern []byte, noCase bool) (arrayTest, error) {
	if noCase {
		pattern = appendLower(nil, pattern)
		return func(_, lower []byte) bool { return bytes.Equal(lower, pattern) }, nil
	}
	return func(text, _ []byte) bool { return bytes.Equal(text, pattern) }, nil
}

func matchTest(pattern []byte, noCase bool) (arrayTest, error) {
	if noCase {
		pattern = appendLower(nil, pattern)
		return func(_, lower []byte) bool { return bytes.Contains(lower, pattern) }, nil
	}
	return func(text, _ []byte) bool { return bytes.Contains(text, pattern) }, nil
}

func globTest(pattern []byte, noCase bool) (arrayTest, error) {
	if noCase {
		return func(text, _ []byte) bool { return value.GlobFold(pattern, text) }, nil
	}
	return func(text, _ []byte) bool { return value.Glob(pattern, text) }, nil
}

const (
	maxRegexp = 2048 // bytes
	// maxRegexpSteps is how long an expression may be with its repetitions
	// written out: a search takes so many steps for each byte at most.
	maxRegexpSteps = 10_000
)

// regexpTest compiles a regular expression that finds its texts in linear time.
//
// DIFFERS: The RE of ARGREP is an expression of Go (RE2), which works on UTF-8 characters and refuses an expression of more than 10,000 characters with its repetitions written out; Redis has POSIX's.
func regexpTest(pattern []byte, noCase bool) (arrayTest, error) {
	switch {
	case len(pattern) == 0:
		return nil, errRegexpEmpty
	case len(pattern) > maxRegexp:
		return nil, errRegexpLong
	}
	flags := syntax.ClassNL | syntax.DotNL | syntax.OneLine | syntax.PerlX
	if noCase {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(string(pattern), flags)
	if err != nil {
		return nil, regexpError(err)
	}
	if regexpSteps(tree) > maxRegexpSteps {
		return nil, errRegexp
	}
	re, err := regexp.Compile(tree.String())
	if err != nil {
		return nil, regexpError(err)
	}
	return func(text, _ []byte) bool { return re.Match(text) }, nil
}

// regexpError is what ARGREP answers to an expression that cannot be read.
func regexpError(err error) error {
	var fault *syntax.Error
	if errors.As(err, &fault) && fault.Code == syntax.ErrInvalidEscape &&
		len(fault.Expr) == 2 && '1' <= fault.Expr[1] && fault.Expr[1] <= '9' {
		return errRegexpBackreference
	}
	return errRegexp
}

// regexpSteps is about the length of an expression with its repetitions written
// out.
func regexpSteps(re *syntax.Regexp) int {
	n := 1
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n += regexpSteps(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return n
}

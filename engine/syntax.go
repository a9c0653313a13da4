package engine

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A row's Syntax is the redis.io notation of a command's arguments:
//
//	key [NX | XX | IFEQ@8.4 value] [GET@6.2] [EX seconds | PX milliseconds]
//
// Upper-case words are keywords, lower-case ones placeholders; [..] is
// optional, <a | b> a choice, "x [x ...]" one or more. WORD@8.4 is a keyword
// newer than the command: an older emulated version does not know it. COMMAND
// DOCS, the documentation and the random command generator read the tree.

// ArgKind is the kind of an argument, named as COMMAND DOCS names types.
type ArgKind string

// The kinds.
const (
	ArgKey       ArgKind = "key"
	ArgString    ArgKind = "string"
	ArgInteger   ArgKind = "integer"
	ArgDouble    ArgKind = "double"
	ArgPattern   ArgKind = "pattern"
	ArgUnixTime  ArgKind = "unix-time"
	ArgPureToken ArgKind = "pure-token"
	ArgOneOf     ArgKind = "oneof"
	ArgBlock     ArgKind = "block"
)

// Arg is a node of a syntax tree.
type Arg struct {
	Name     string
	Kind     ArgKind
	Token    string // the keyword before the value, or the pure token
	Since    string // of the keyword, if newer than the command
	Optional bool
	Multiple bool  // may be repeated
	Args     []Arg // of a oneof or block
}

// ArgTree is the parsed Syntax of a command.
type ArgTree []Arg

// ParseSyntax reads a Syntax string.
func ParseSyntax(s string) (ArgTree, error) {
	p := syntaxParser{tokens: syntaxTokens(s)}
	args, err := p.sequence("")
	if err != nil {
		return nil, fmt.Errorf("syntax %q: %w", s, err)
	}
	return args, nil
}

// versionMark is the "@8.4" behind a keyword that is newer than its command.
var versionMark = regexp.MustCompile(`@[0-9a-z.-]+`)

// plainSyntax is a Syntax string without version marks, for people.
func plainSyntax(s string) string { return versionMark.ReplaceAllString(s, "") }

func syntaxTokens(s string) []string {
	for _, mark := range []string{"[", "]", "<", ">", "|"} {
		s = strings.ReplaceAll(s, mark, " "+mark+" ")
	}
	return strings.Fields(s)
}

type syntaxParser struct {
	tokens []string
	pos    int
}

func (p *syntaxParser) peek() string {
	if p.pos < len(p.tokens) {
		return p.tokens[p.pos]
	}
	return ""
}

// sequence reads up to the closing mark (or the end): alternatives become a
// oneof, "x [x ...]" one repeated argument.
func (p *syntaxParser) sequence(closing string) ([]Arg, error) {
	var branches [][]Arg
	var seq []Arg
	for {
		tok := p.peek()
		p.pos++
		switch tok {
		case closing:
			if branches == nil {
				return seq, nil
			}
			branches = append(branches, seq)
			return []Arg{oneOf(branches)}, nil
		case "", "]", ">":
			return nil, fmt.Errorf("unbalanced %q", tok)
		case "|":
			branches = append(branches, seq)
			seq = nil
		case "...":
			if len(seq) == 0 {
				return nil, fmt.Errorf("nothing to repeat")
			}
			seq = []Arg{block(seq)}
			seq[0].Multiple = true
		case "<":
			inner, err := p.sequence(">")
			if err != nil {
				return nil, err
			}
			seq = append(seq, block(inner))
		case "[":
			inner, err := p.sequence("]")
			if err != nil {
				return nil, err
			}
			opt := block(inner)
			if opt.Multiple && foldRepeat(&seq, opt) {
				continue
			}
			opt.Optional = true
			seq = append(seq, opt)
		default:
			seq = append(seq, p.word(tok))
		}
	}
}

// word is a keyword, alone or with the value that follows, or a placeholder.
func (p *syntaxParser) word(tok string) Arg {
	name, since, _ := strings.Cut(tok, "@")
	if !isKeyword(name) {
		return Arg{Name: name, Kind: placeholderKind(name)}
	}
	next := p.peek()
	if next != "" && !strings.ContainsAny(next, "[]<>|.") && !isKeyword(strings.SplitN(next, "@", 2)[0]) {
		p.pos++
		return Arg{Name: next, Kind: placeholderKind(next), Token: name, Since: since}
	}
	return Arg{Name: strings.ToLower(name), Kind: ArgPureToken, Token: name, Since: since}
}

// foldRepeat recognises "x [x ...]": the repeated part equals what stands
// before it, which then may be given once or more.
func foldRepeat(seq *[]Arg, rep Arg) bool {
	parts := []Arg{rep}
	if rep.Kind == ArgBlock && rep.Token == "" {
		parts = rep.Args
	}
	at := len(*seq) - len(parts)
	if at < 0 {
		return false
	}
	for i, part := range parts {
		have := (*seq)[at+i]
		if have.Name != part.Name || have.Token != part.Token {
			return false
		}
	}
	rep.Optional = false
	*seq = append((*seq)[:at], rep)
	return true
}

// block makes one argument of a sequence.
func block(seq []Arg) Arg {
	if len(seq) == 1 {
		return seq[0]
	}
	return Arg{Name: blockName(seq), Kind: ArgBlock, Args: seq}
}

func oneOf(branches [][]Arg) Arg {
	a := Arg{Kind: ArgOneOf}
	for _, b := range branches {
		a.Args = append(a.Args, block(b))
	}
	a.Name = blockName(a.Args)
	return a
}

func blockName(args []Arg) string {
	var names []string
	for _, a := range args {
		names = append(names, a.Name)
	}
	return strings.Join(names, "-")
}

func isKeyword(s string) bool {
	return s != "" && s == strings.ToUpper(s) && strings.ToLower(s) != s || s == "*" || s == "=" || s == "~" || s == "$"
}

func placeholderKind(name string) ArgKind {
	switch name {
	case "key", "newkey", "source", "destination", "src", "dst", "mykey":
		return ArgKey
	case "pattern":
		return ArgPattern
	case "unix-time-seconds", "unix-time-milliseconds":
		return ArgUnixTime
	case "score", "longitude", "latitude", "radius", "width", "height", "timeout", "weight":
		return ArgDouble
	}
	for _, part := range strings.Split(name, "-") {
		switch part {
		case "seconds", "milliseconds", "count", "index", "start", "stop", "end", "offset", "increment", "decrement",
			"cursor", "db", "index1", "index2", "numkeys", "limit", "rank", "maxlen", "len", "id", "port", "numreplicas":
			return ArgInteger
		}
	}
	return ArgString
}

// newerWords maps the keywords that are newer than their command to their
// version; nil if there is none.
func (t ArgTree) newerWords() map[string]version {
	var words map[string]version
	t.Walk(func(a *Arg) {
		if a.Since == "" {
			return
		}
		v, err := parseVersion(a.Since)
		if err != nil {
			panic(err)
		}
		if words == nil {
			words = make(map[string]version)
		}
		words[a.Token] = v
	})
	return words
}

// Walk visits every node, outer before inner.
func (t ArgTree) Walk(fn func(*Arg)) {
	for i := range t {
		fn(&t[i])
		ArgTree(t[i].Args).Walk(fn)
	}
}

// ForVersion is the tree without the options that a version lacks ("" keeps all).
func (t ArgTree) ForVersion(ver string) ArgTree {
	v, err := parseVersion(ver)
	if err != nil || v.isZero() {
		return t
	}
	return slices.DeleteFunc(slices.Clone(t), func(a Arg) bool {
		since, _ := parseVersion(a.Since)
		return !v.has(since)
	}).prune(v)
}

func (t ArgTree) prune(v version) ArgTree {
	for i := range t {
		t[i].Args = slices.DeleteFunc(slices.Clone(t[i].Args), func(a Arg) bool {
			since, _ := parseVersion(a.Since)
			return !v.has(since)
		})
		ArgTree(t[i].Args).prune(v)
	}
	return t
}

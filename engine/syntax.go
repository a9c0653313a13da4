package engine

import (
	"fmt"
	"slices"
	"strings"
)

// A row's Syntax is the redis.io notation of a command's arguments:
//
//	key [NX | XX | IFEQ@8.4 value] [GET@6.2] [EX seconds | PX milliseconds]
//
// Upper-case words are keywords, lower-case ones placeholders; [..] is
// optional, <a | b> a choice, "x [x ...]" one or more. WORD@8.4 is a keyword
// newer than the command: an older emulated version does not know it;
// "timeout:integer" gives a placeholder a type that its name does not. COMMAND
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
	Multiple bool // may be repeated
	// MultipleToken: each repetition has the keyword before it again.
	MultipleToken bool
	KeySpec       int   // of an ArgKey: which of the row's key specifications finds it
	Args          []Arg // of a oneof or block
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
	distinguish(args)
	return args, nil
}

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
			word, err := p.word(tok)
			if err != nil {
				return nil, err
			}
			seq = append(seq, word)
		}
	}
}

// word is a placeholder, or a keyword, alone or with the value or the choice
// that follows.
func (p *syntaxParser) word(tok string) (Arg, error) {
	name, since, _ := strings.Cut(tok, "@")
	if !isKeyword(name) {
		return placeholder(tok), nil
	}
	next := p.peek()
	switch {
	case next == "<":
		p.pos++
		inner, err := p.sequence(">")
		if err != nil {
			return Arg{}, err
		}
		arg := block(inner)
		if arg.Token != "" {
			arg = Arg{Kind: ArgBlock, Args: inner}
		}
		arg.Name, arg.Token, arg.Since = strings.ToLower(name), name, since
		return arg, nil
	case next != "" && !strings.ContainsAny(next, "[]<>|.") && !isKeyword(strings.SplitN(next, "@", 2)[0]):
		p.pos++
		arg := placeholder(next)
		arg.Token, arg.Since = name, since
		return arg, nil
	}
	return Arg{Name: tokenName(name), Kind: ArgPureToken, Token: name, Since: since}, nil
}

// foldRepeat recognises "x [x ...]": the repeated part equals what stands
// before it, which then may be given once or more. In "WORD x [x ...]" the
// keyword comes once, in "WORD x [WORD x ...]" each time.
func foldRepeat(seq *[]Arg, rep Arg) bool {
	parts := []Arg{rep}
	if rep.Kind == ArgBlock && rep.Token == "" {
		parts = rep.Args
	}
	at := len(*seq) - len(parts)
	if at < 0 {
		return false
	}
	first := (*seq)[at]
	for i, part := range parts {
		have := (*seq)[at+i]
		if have.Name != part.Name || have.Token != part.Token && (i > 0 || part.Token != "") {
			return false
		}
	}
	rep.Optional = false
	switch {
	case len(parts) == 1 && rep.Token == "":
		rep.Token, rep.Since = first.Token, first.Since
	case len(parts) == 1:
		rep.MultipleToken = true
	default:
		rep.Token, rep.Since = first.Token, first.Since
		rep.MultipleToken = first.Token != "" && parts[0].Token != ""
		rep.Args = slices.Clone(rep.Args)
		rep.Args[0].Token, rep.Args[0].Since = "", ""
	}
	*seq = append((*seq)[:at], rep)
	return true
}

// block makes one argument of a sequence.
func block(seq []Arg) Arg {
	if len(seq) == 1 {
		return seq[0]
	}
	return Arg{Name: joinedName(seq), Kind: ArgBlock, Args: seq}
}

func oneOf(branches [][]Arg) Arg {
	a := Arg{Kind: ArgOneOf}
	for _, b := range branches {
		a.Args = append(a.Args, block(b))
	}
	a.Name = joinedName(a.Args)
	return a
}

func isKeyword(s string) bool {
	return s != "" && s == strings.ToUpper(s) && strings.ToLower(s) != s || s == "*" || s == "=" || s == "~" || s == "$"
}

// placeholder is a lower-case word, perhaps with its type behind a colon.
func placeholder(tok string) Arg {
	if i := strings.LastIndexByte(tok, ':'); i >= 0 {
		switch kind := ArgKind(tok[i+1:]); kind {
		case ArgKey, ArgString, ArgInteger, ArgDouble, ArgPattern, ArgUnixTime:
			return Arg{Name: tok[:i], Kind: kind}
		}
	}
	return Arg{Name: tok, Kind: placeholderKind(tok)}
}

func placeholderKind(name string) ArgKind {
	switch name {
	case "key", "key1", "key2", "newkey", "source", "destination", "src", "dst", "mykey":
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
			"cursor", "db", "index1", "index2", "numkeys", "limit", "rank", "maxlen", "len", "id", "port", "numreplicas", "num", "protover", "version":
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

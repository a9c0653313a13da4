package engine

import (
	"fmt"
	"strings"
	"testing"
)

// outline writes a tree on one line: names, types where they are not string,
// keywords in capitals, ? for optional, + for repeated, ++ with its keyword.
func outline(args []Arg) string {
	var parts []string
	for _, a := range args {
		text := a.Name
		switch a.Kind {
		case ArgString:
		case ArgPureToken:
			text = a.Token
		case ArgBlock:
			text = "(" + outline(a.Args) + ")"
		case ArgOneOf:
			text = "<" + outline(a.Args) + ">"
		case ArgKey:
			text = fmt.Sprintf("%s:key%d", a.Name, a.KeySpec)
		default:
			text += ":" + string(a.Kind)
		}
		if a.Token != "" && a.Kind != ArgPureToken {
			text = a.Token + "=" + text
		}
		if a.Since != "" {
			text += "@" + a.Since
		}
		if a.Multiple {
			text += "+"
		}
		if a.MultipleToken {
			text += "+"
		}
		if a.Optional {
			text += "?"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

func TestSyntaxTrees(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ syntax, version, want string }{
		{"key value", "", "key:key0 value"},
		{"key [key ...]", "", "key:key0+"},
		{"[message]", "", "message?"},
		{"[section [section ...]]", "", "section+?"},
		{"<ON | OFF>", "", "<ON OFF>"},
		{"[NX | XX]", "", "<NX XX>?"},
		{"[EX seconds | PX milliseconds]", "", "<EX=seconds:integer PX=milliseconds:integer>?"},
		{"score member [score member ...]", "", "(score:double member)+"},
		{"[GET pattern [GET pattern ...]]", "", "GET=pattern:pattern++?"},
		{"[PREFIX prefix [PREFIX prefix ...]]", "", "PREFIX=prefix++?"},
		{"[ID client-id [client-id ...]]", "", "ID=client-id:integer+?"},
		{"STREAMS key [key ...] id [id ...]", "", "STREAMS=key:key0+ id:integer+"},
		{"[CONFIG name value [CONFIG name value ...]]", "", "CONFIG=(name value)++?"},
		{"[TYPE <NORMAL | PUBSUB>]", "", "TYPE=<NORMAL PUBSUB>?"},
		{"[FILTERBY <ACLCAT category | PATTERN pattern>]", "", "FILTERBY=<ACLCAT=category PATTERN=pattern:pattern>?"},
		{"timeout", "", "timeout:double"},
		{"timeout:integer", "", "timeout:integer"},
		{"ip:port", "", "ip:port"},
		{"[ADDR ip:port] [LADDR ip:port]", "", "ADDR=ip:port? LADDR=laddr?"},
		{"a b a", "", "a b a2"},
		{"[NX | XX | IFEQ@8.4 value]", "", "<NX XX IFEQ=value@8.4>?"},
		{"[NX | XX | IFEQ@8.4 value]", "7.0", "<NX XX>?"},
		{"[ASYNC | SYNC@6.2]", "6.0", "ASYNC?"},
		{"[ASYNC@4.0 | SYNC@6.2]", "3.2", ""},
		{"[TYPE@6.0 <A | B>] x", "5.0", "x"},
	} {
		tree, err := ParseSyntax(test.syntax)
		if err != nil {
			t.Errorf("%s: %v", test.syntax, err)
			continue
		}
		if got := outline(tree.ForVersion(test.version)); got != test.want {
			t.Errorf("%s under %q is\n%s, want\n%s", test.syntax, test.version, got, test.want)
		}
	}
}

func TestFaultySyntax(t *testing.T) {
	t.Parallel()
	for _, syntax := range []string{"[a", "a]", "<a | b", "a>", "[a>", "...", "[...]", "TYPE <a", "TYPE <a]"} {
		if tree, err := ParseSyntax(syntax); err == nil {
			t.Errorf("%s is %s, want an error", syntax, outline(tree))
		}
	}
}

// TestKeyArgumentsKnowTheirSpec: the index is what COMMAND DOCS shows.
func TestKeyArgumentsKnowTheirSpec(t *testing.T) {
	t.Parallel()
	unknown := KeySpec{Flags: OW}
	for _, test := range []struct {
		syntax string
		specs  []KeySpec
		want   string
	}{
		{"key", key(1, RO), "key:key0"},
		{"source destination", specs(key(1, RW), key(2, RW)), "source:key0 destination:key1"},
		{"destination key [key ...]", specs(key(1, OW), keys(2, -1, 1, RO)), "destination:key0 key:key1+"},
		{"key radius [STORE key] [STOREDIST key]",
			[]KeySpec{{Index: 1, Step: 1}, {Keyword: "STORE", From: 6, Step: 1}, {Keyword: "STOREDIST", From: 6, Step: 1}},
			"key:key0 radius:double STORE=store:key1? STOREDIST=storedist:key2?"},
		{"key [BY pattern] [STORE destination]", []KeySpec{{Index: 1, Step: 1}, unknown, unknown},
			"key:key0 BY=pattern:pattern? STORE=destination:key2?"},
	} {
		tree, err := ParseSyntax(test.syntax)
		if err != nil {
			t.Fatal(err)
		}
		tree.bindKeys(test.specs)
		if got := outline(tree); got != test.want {
			t.Errorf("%s is %s, want %s", test.syntax, got, test.want)
		}
	}
}

func FuzzParseSyntax(f *testing.F) {
	for _, cmd := range Commands().Commands() {
		f.Add(cmd.Syntax)
	}
	f.Fuzz(func(t *testing.T, syntax string) {
		tree, err := ParseSyntax(syntax)
		if err != nil {
			return
		}
		tree.Walk(func(a *Arg) {
			if a.Kind == ArgOneOf && len(a.Args) == 0 {
				t.Errorf("%q: a choice of nothing", syntax)
			}
		})
	})
}

package foreign

import (
	"fmt"
	"strings"

	"minikv/resp"
)

// Step is a command that a client ran, or what happened instead.
type Step struct {
	Client  string // empty: the time moved
	Command string
	Reply   string
}

// Trace is what was run, in order.
type Trace []Step

// String is a table, a step a line.
func (t Trace) String() string {
	wide := len("client")
	for _, s := range t {
		wide = max(wide, len(s.Client))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "step | %-*s | command -> reply\n-----+-%s-+-----------------\n", wide, "client", strings.Repeat("-", wide))
	for i, s := range t {
		fmt.Fprintf(&b, "%4d | %-*s | %s", i+1, wide, s.Client, s.Command)
		if s.Reply != "" {
			fmt.Fprintf(&b, " -> %s", s.Reply)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// What is shown of an argument and of a reply.
const (
	shownArgument = 96
	shownReply    = 256
)

// words is a command as one would type it.
func words(argv [][]byte) string {
	var b []byte
	for i, a := range argv {
		if i > 0 {
			b = append(b, ' ')
		}
		b = appendWord(b, string(a))
	}
	return string(b)
}

func appendWord(b []byte, word string) []byte {
	plain := word != "" && len(word) <= shownArgument
	for i := 0; plain && i < len(word); i++ {
		plain = word[i] > ' ' && word[i] < 0x7f && word[i] != '"' && word[i] != '\\'
	}
	if plain {
		return append(b, word...)
	}
	b = resp.AppendQuoted(b, word[:min(len(word), shownArgument)])
	if n := len(word) - shownArgument; n > 0 {
		b = fmt.Appendf(b, "(+%d bytes)", n)
	}
	return b
}

// shown is an encoded reply on one line.
func shown(reply []byte) string {
	if len(reply) == 0 {
		return "(waits)"
	}
	v, _, err := resp.Decode(reply)
	if err != nil {
		return fmt.Sprintf("(%d bytes)", len(reply))
	}
	b := appendShown(nil, v)
	if n := len(b) - shownReply; n > 0 {
		b = fmt.Appendf(b[:shownReply], "(+%d bytes)", n)
	}
	return string(b)
}

func appendShown(b []byte, v resp.Value) []byte {
	switch v.Type {
	case resp.TypeArray, resp.TypeSet, resp.TypeMap, resp.TypePush:
		if v.Nil {
			return append(b, "(nil)"...)
		}
		b = append(b, '[')
		for i, elem := range v.Elems {
			if i > 0 {
				b = append(b, ' ')
			}
			if b = appendShown(b, elem); len(b) > shownReply {
				break
			}
		}
		return append(b, ']')
	case resp.TypeStatus:
		return append(b, v.Str...)
	case resp.TypeInt:
		return fmt.Append(b, v.Int)
	}
	return append(b, v.String()...)
}

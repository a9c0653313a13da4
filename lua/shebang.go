package lua

import (
	"bytes"
	"strings"
)

// shebang splits off the first line of a source and that into words. body is
// what follows, from the end of the line on, nil if the line does not end. There
// are no words if a quote is not closed, else one at least.
func shebang(source []byte) (words []string, body []byte) {
	end := bytes.IndexAny(source, "\n\x00")
	if end < 0 || source[end] == 0 {
		return nil, nil
	}
	words, _ = splitWords(string(source[:end]))
	return words, source[end:]
}

const (
	spaces    = " \t\r\v\f" // stand between words
	wordBreak = " \t\r"     // end one that is not quoted
)

// splitWords splits a line at white space, outside of quotes. ok is false if a
// quote is not closed, or not at the end of its word.
func splitWords(line string) (words []string, ok bool) {
	for {
		line = strings.TrimLeft(line, spaces)
		if line == "" {
			return words, true
		}
		var word strings.Builder
		for line != "" && strings.IndexByte(wordBreak, line[0]) < 0 {
			quote := line[0]
			line = line[1:]
			if quote != '"' && quote != '\'' {
				word.WriteByte(quote)
				continue
			}
			if line, ok = unquote(&word, line, quote); !ok {
				return nil, false
			}
		}
		words = append(words, word.String())
	}
}

// unquote reads up to the closing quote, which must end the word, and returns
// what follows it.
func unquote(word *strings.Builder, line string, quote byte) (rest string, ok bool) {
	for line != "" {
		switch {
		case line[0] == quote:
			rest = line[1:]
			return rest, rest == "" || strings.IndexByte(spaces, rest[0]) >= 0
		case line[0] == '\\' && len(line) > 1 && (quote == '"' || line[1] == '\''):
			n := 2
			if c, ok := hexByte(line); ok && quote == '"' {
				word.WriteByte(c)
				n = 4
			} else {
				word.WriteByte(meaning(line[1], quote))
			}
			line = line[n:]
		default:
			word.WriteByte(line[0])
			line = line[1:]
		}
	}
	return "", false
}

// hexByte reads an escape such as \x41 at the beginning of s.
func hexByte(s string) (c byte, ok bool) {
	if len(s) < 4 || s[1] != 'x' {
		return 0, false
	}
	for _, d := range []byte(s[2:4]) {
		i := strings.IndexByte("0123456789abcdef", d|0x20)
		if i < 0 || d < '0' {
			return 0, false
		}
		c = c<<4 | byte(i)
	}
	return c, true
}

// meaning is the character that a letter stands for behind a backslash.
func meaning(c, quote byte) byte {
	if quote == '"' {
		if i := strings.IndexByte("nrtba", c); i >= 0 {
			return "\n\r\t\b\a"[i]
		}
	}
	return c
}

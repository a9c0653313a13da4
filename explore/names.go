package explore

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// names gives the random texts of a schedule's clients names that are the same
// in each schedule: the client's own and a number, in the order in which it
// first sends them. The nodes get the texts themselves; what is compared and
// told has the names.
type names struct {
	constant map[string]bool // looks random, and is the same in each run
	of       map[string]string
	replacer *strings.Replacer // nil: to be made anew
}

// shortestToken is how long a text must be to be taken for random.
const shortestToken = 16

// learn names what a client's word has in it that looks random.
func (n *names) learn(c *Client, word string) {
	for _, token := range tokens(word) {
		if _, known := n.of[token]; !known && !n.constant[token] {
			c.tokens++
			n.of[token] = c.name + strconv.Itoa(c.tokens)
			n.replacer = nil
		}
	}
}

// in is a text with names instead of what is random.
func (n *names) in(text string) string {
	if len(n.of) == 0 {
		return text
	}
	if n.replacer == nil {
		var pairs []string
		for token, name := range n.of {
			pairs = append(pairs, token, name)
		}
		n.replacer = strings.NewReplacer(pairs...)
	}
	return n.replacer.Replace(text)
}

// masked is a text without what looks random.
func masked(word string) string {
	for _, token := range tokens(word) {
		word = strings.ReplaceAll(word, token, "*")
	}
	return word
}

// tokens lists what looks random in a word: bytes that are no text, UUIDs, long
// numbers in hexadecimal, base64 of either alphabet. A text that only looks so
// may get a name, too, which does no harm; one that is not seen here makes a
// program nondeterministic, which is told.
func tokens(word string) (list []string) {
	if len(word) >= 12 && len(word) <= 64 && !utf8.ValidString(word) {
		return []string{word}
	}
	begin := 0
	for i := 0; i <= len(word); i++ {
		if i < len(word) && isTokenByte(word[i]) {
			continue
		}
		if looksRandom(word[begin:i]) {
			list = append(list, word[begin:i])
		}
		begin = i + 1
	}
	return list
}

func isTokenByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("+/=_-", b) >= 0
}

// looksRandom: a number in hexadecimal, or a text in which letters of either
// case and digits change places more than once.
func looksRandom(text string) bool {
	if len(text) < shortestToken {
		return false
	}
	hex, letters, digits := true, false, false
	changes, last := 0, byte(0)
	for i := range len(text) {
		class := byte('a')
		switch b := text[i]; {
		case b >= '0' && b <= '9':
			class, digits = '0', true
		case b >= 'A' && b <= 'Z':
			class, letters, hex = 'A', true, hex && b <= 'F'
		case b >= 'a' && b <= 'z':
			letters, hex = true, hex && b <= 'f'
		default:
			hex = hex && b == '-'
			continue
		}
		if last != 0 && class != last {
			changes++
		}
		last = class
	}
	return hex && letters && digits || changes > 1
}

package transcript

import "errors"

var (
	errOpenQuote  = errors.New("a quotation is not closed")
	errAfterQuote = errors.New("a blank must follow a closing quote")
)

// splitWords splits a command line as redis-cli does: words stand between
// blanks; "..." knows \n \r \t \b \a \xHH and takes any other escaped byte as
// it is; '...' knows \' alone.
func splitWords(line string) ([][]byte, error) {
	var words [][]byte
	i := 0
	for {
		for i < len(line) && isBlank(line[i]) {
			i++
		}
		if i == len(line) {
			return words, nil
		}
		word := []byte{}
		for i < len(line) && !isBlank(line[i]) {
			c := line[i]
			i++
			if c != '"' && c != '\'' {
				word = append(word, c)
				continue
			}
			var err error
			if word, i, err = unquote(word, line, i, c); err != nil {
				return nil, err
			}
			if i < len(line) && !isBlank(line[i]) {
				return nil, errAfterQuote
			}
		}
		words = append(words, word)
	}
}

// unquote appends to word what is quoted from i on, and returns the place
// behind the closing quote.
func unquote(word []byte, line string, i int, quote byte) ([]byte, int, error) {
	for i < len(line) {
		c := line[i]
		switch {
		case c == quote:
			return word, i + 1, nil
		case c == '\\' && quote == '\'' && i+1 < len(line) && line[i+1] == '\'':
			c = '\''
			i += 2
		case c == '\\' && quote == '"' && i+1 < len(line):
			c, i = unescape(line, i)
		default:
			i++
		}
		word = append(word, c)
	}
	return nil, i, errOpenQuote
}

// unescape reads the escape that begins at i, where more than the backslash
// stands.
func unescape(line string, i int) (c byte, next int) {
	if line[i+1] == 'x' && i+3 < len(line) {
		hi, isHi := hexDigit(line[i+2])
		lo, isLo := hexDigit(line[i+3])
		if isHi && isLo {
			return hi<<4 | lo, i + 4
		}
	}
	switch c = line[i+1]; c {
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'b':
		c = '\b'
	case 'a':
		c = '\a'
	}
	return c, i + 2
}

func hexDigit(c byte) (v byte, ok bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

func isBlank(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

package server

// splitWords splits an inline request into words and appends them to dst.
// Words stand between blanks; "..." may hold \n, \r, \t, \b, \a, \xHH and any
// other escaped byte, '...' only \'. A quotation ends its word, so a blank or
// the end must follow; ok is false if it does not, or if a quotation is open.
// The words are one copy of the line's bytes.
func splitWords(line []byte, dst [][]byte) (out [][]byte, ok bool) {
	text := make([]byte, 0, len(line)) // never longer: slices of it stay valid
	i := 0
	for {
		for i < len(line) && isBlank(line[i]) {
			i++
		}
		if i == len(line) {
			return dst, true
		}
		start := len(text)
		for i < len(line) && !endsWord(line[i]) {
			quote := line[i]
			if quote != '"' && quote != '\'' {
				text = append(text, quote)
				i++
				continue
			}
			var closed bool
			if text, i, closed = unquote(line, i+1, quote, text); !closed {
				return dst, false
			}
			if i < len(line) && !isBlank(line[i]) {
				return dst, false
			}
			break
		}
		dst = append(dst, text[start:len(text):len(text)])
	}
}

// unquote appends the quoted bytes from i on to text; next is behind the
// closing quote.
func unquote(line []byte, i int, quote byte, text []byte) (out []byte, next int, closed bool) {
	for i < len(line) {
		c := line[i]
		i++
		switch {
		case c == quote:
			return text, i, true
		case c == '\\' && quote == '\'' && i < len(line) && line[i] == '\'':
			c = '\''
			i++
		case c == '\\' && quote == '"' && i < len(line):
			if i+2 < len(line) && line[i] == 'x' {
				hi, isHi := hexDigit(line[i+1])
				lo, isLo := hexDigit(line[i+2])
				if isHi && isLo {
					text = append(text, hi<<4|lo)
					i += 3
					continue
				}
			}
			c = unescape(line[i])
			i++
		}
		text = append(text, c)
	}
	return text, i, false
}

func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	case 'a':
		return '\a'
	}
	return c
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

// isBlank tells what may stand between words.
func isBlank(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// endsWord tells which blanks end an unquoted word: not all of them do.
func endsWord(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

package resp

// SplitWords splits a line into words as redis.conf, redis-cli and inline
// commands have it, and appends them to dst. Blanks stand between words; "..."
// knows \n \r \t \b \a \xHH and takes any other escaped byte as it is; '...'
// knows only \'. After a closing quote a blank or the end must follow, and a
// zero byte is the end. ok is false if a quote stays open or something else
// follows it. The words are one copy of the line's bytes.
func SplitWords(dst [][]byte, line []byte) (words [][]byte, ok bool) {
	buf := make([]byte, 0, len(line)) // never longer: slices of it stay valid
	for i := 0; ; {
		for i < len(line) && isSpace(line[i]) {
			i++
		}
		if i == len(line) || line[i] == 0 {
			return dst, true
		}
		start := len(buf)
		for i < len(line) && !endsWord(line[i]) {
			c := line[i]
			i++
			if c != '"' && c != '\'' {
				buf = append(buf, c)
				continue
			}
			var closed bool
			if buf, i, closed = quoted(buf, line, i, c); !closed || i < len(line) && !isSpace(line[i]) && line[i] != 0 {
				return dst, false
			}
			break
		}
		dst = append(dst, buf[start:len(buf):len(buf)])
	}
}

// quoted appends what stands between line[i] and the closing quote to buf and
// returns the place after the quote.
func quoted(buf, line []byte, i int, quote byte) (out []byte, next int, closed bool) {
	for i < len(line) && line[i] != 0 {
		c := line[i]
		i++
		switch {
		case c == quote:
			return buf, i, true
		case c == '\\' && quote == '\'':
			if i < len(line) && line[i] == '\'' {
				c = '\''
				i++
			}
		case c == '\\' && i < len(line) && line[i] != 0:
			c, i = Unescape(line, i)
		}
		buf = append(buf, c)
	}
	return buf, i, false
}

// Unescape reads what stands at line[i], behind a backslash between double
// quotes, and returns the place after it.
func Unescape(line []byte, i int) (c byte, next int) {
	if line[i] == 'x' && i+2 < len(line) {
		high, low := hexValue(line[i+1]), hexValue(line[i+2])
		if high < 16 && low < 16 {
			return high<<4 | low, i + 3
		}
	}
	switch c = line[i]; c {
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
	return c, i + 1
}

// hexValue is 16 for what is no hexadecimal digit.
func hexValue(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return 16
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// endsWord leaves \v and \f inside words: they count as blanks only between.
func endsWord(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == 0 }

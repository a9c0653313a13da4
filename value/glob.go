package value

// Glob tells whether the whole of text matches pattern as KEYS, SCAN MATCH,
// PSUBSCRIBE and ACL rules match: "*" any bytes, "?" one byte, "[a-z]" one of a
// class, "[^a]" one outside it, "\" the next byte itself.
//
// Redis's corners are kept. A class that is not closed ends with the pattern, "\"
// at the end stands for itself, "-" in a class makes a range of whatever surrounds
// it, "]" included, bytes compare as signed in a range, and the empty text matches
// the empty pattern only, not "*": callers that mean everything by a lone "*" look
// for it themselves, as Redis does.
//
// Each piece of a pattern but "*" takes exactly one byte. So when a match fails
// only the last "*" seen can take more, and the time is bounded by the product of
// the two lengths, whatever the number of stars.
func Glob(pattern, text []byte) bool { return glob(pattern, text, false) }

// GlobFold is Glob without regard to the case of ASCII letters, save those behind
// "\" in a class: how CONFIG GET and COMMAND LIST FILTERBY PATTERN match.
func GlobFold(pattern, text []byte) bool { return glob(pattern, text, true) }

func glob(pattern, text []byte, fold bool) bool {
	if len(text) == 0 {
		return len(pattern) == 0
	}
	p, t := 0, 0
	star, from := -1, 0 // behind the last star, and where the text it leaves begins
	for t < len(text) {
		if p < len(pattern) && pattern[p] == '*' {
			for p < len(pattern) && pattern[p] == '*' {
				p++
			}
			if p == len(pattern) {
				return true
			}
			star, from = p, t
			continue
		}
		if p < len(pattern) {
			if next, ok := globByte(pattern, p, text[t], fold); ok {
				p, t = next, t+1
				continue
			}
		}
		if star < 0 {
			return false
		}
		from++
		p, t = star, from
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// globByte matches c with the piece of pattern at p, not a star, and returns where
// the next piece starts.
func globByte(pattern []byte, p int, c byte, fold bool) (next int, ok bool) {
	switch pattern[p] {
	case '?':
		return p + 1, true
	case '[':
		return globClass(pattern, p+1, c, fold)
	case '\\':
		if p+1 < len(pattern) {
			p++
		}
	}
	return p + 1, pattern[p] == c || fold && lower(pattern[p]) == lower(c)
}

// globClass matches c with the class whose "[" stands before p.
func globClass(pattern []byte, p int, c byte, fold bool) (next int, ok bool) {
	negated := p < len(pattern) && pattern[p] == '^'
	if negated {
		p++
	}
	for ; p < len(pattern) && pattern[p] != ']'; p++ {
		switch {
		case pattern[p] == '\\' && p+1 < len(pattern):
			p++
			ok = ok || pattern[p] == c
		case p+2 < len(pattern) && pattern[p+1] == '-':
			ok = ok || inRange(pattern[p], pattern[p+2], c, fold)
			p += 2
		default:
			ok = ok || pattern[p] == c || fold && lower(pattern[p]) == lower(c)
		}
	}
	return min(p+1, len(pattern)), ok != negated
}

func inRange(low, high, c byte, fold bool) bool {
	if int8(low) > int8(high) {
		low, high = high, low
	}
	if fold {
		low, high, c = lower(low), lower(high), lower(c)
	}
	return int8(low) <= int8(c) && int8(c) <= int8(high)
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}

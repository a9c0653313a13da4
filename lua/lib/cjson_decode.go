package lib

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

func (j *JSON) decode(c *Call) {
	if c.N() != 1 {
		c.ArgError(1, "expected 1 argument")
	}
	s := c.String(1)
	if len(s) >= 2 && (s[0] == 0 || s[1] == 0) {
		c.Errorf("JSON parser does not support UTF-16 or UTF-32")
	}
	d := jsonDecoder{c: c, j: j, in: s}
	v := d.value(d.next(), 0)
	if t := d.next(); t.kind != jsonEnd {
		d.expected("the end", t)
	}
	c.Push(v)
}

// jsonDecoder reads JSON token by token.
type jsonDecoder struct {
	c    *Call
	j    *JSON
	in   string
	at   int
	read Value // what the last token stands for, if it is a value
	sb   []byte
}

// token is a piece of JSON and where it begins. If it is malformed, its kind is
// the complaint, and at may be the place inside of it.
type token struct {
	kind tokenKind
	at   int
}

type tokenKind uint8

const (
	jsonNone tokenKind = iota
	jsonString
	jsonNumber
	jsonBoolean
	jsonNull
	jsonObject
	jsonObjectEnd
	jsonArray
	jsonArrayEnd
	jsonComma
	jsonColon
	jsonEnd
	badNumber
	badToken
	badEnd
	badEscape
	badUnicode
)

// String returns the name that messages give to a token.
func (k tokenKind) String() string { return tokenNames[k] }

var tokenNames = [...]string{
	jsonString: "T_STRING", jsonNumber: "T_NUMBER", jsonBoolean: "T_BOOLEAN", jsonNull: "T_NULL",
	jsonObject: "T_OBJ_BEGIN", jsonObjectEnd: "T_OBJ_END", jsonArray: "T_ARR_BEGIN", jsonArrayEnd: "T_ARR_END",
	jsonComma: "T_COMMA", jsonColon: "T_COLON", jsonEnd: "T_END",
	badNumber: "invalid number", badToken: "invalid token", badEnd: "unexpected end of string",
	badEscape: "invalid escape code", badUnicode: "invalid unicode escape code",
}

func (d *jsonDecoder) expected(what string, t token) {
	d.c.Errorf("Expected %s but found %s at character %d", what, t.kind, t.at+1)
}

var punctuation = [256]tokenKind{
	'{': jsonObject, '}': jsonObjectEnd, '[': jsonArray, ']': jsonArrayEnd, ',': jsonComma, ':': jsonColon,
}

func (d *jsonDecoder) next() token {
	for d.at < len(d.in) {
		if x := d.in[d.at]; x != ' ' && x != '\t' && x != '\n' && x != '\r' {
			break
		}
		d.c.passed(d.at)
		d.at++
	}
	t := token{at: d.at}
	if d.at >= len(d.in) || d.in[d.at] == 0 && d.at == len(d.in)-1 {
		t.kind = jsonEnd
		return t
	}
	ch := d.in[d.at]
	if kind := punctuation[ch]; kind != jsonNone {
		d.at++
		t.kind = kind
		return t
	}
	rest := d.in[d.at:]
	switch {
	case ch == '"':
		return d.text(t)
	case ch == '-' || isDigit(ch):
		if !d.j.DecodeInvalidNumbers && invalidJSONNumber(rest) {
			t.kind = badNumber
			return t
		}
		return d.number(t)
	case strings.HasPrefix(rest, "true"):
		t.kind, d.read = jsonBoolean, Bool(true)
		d.at += 4
	case strings.HasPrefix(rest, "false"):
		t.kind, d.read = jsonBoolean, Bool(false)
		d.at += 5
	case strings.HasPrefix(rest, "null"):
		t.kind, d.read = jsonNull, d.j.Null
		d.at += 4
	case d.j.DecodeInvalidNumbers && invalidJSONNumber(rest):
		return d.number(t)
	default:
		t.kind = badToken
	}
	return t
}

// invalidJSONNumber tells whether s begins with a number that C reads but JSON
// does not have: a + in front, leading zeros, hexadecimal, infinity or NaN.
func invalidJSONNumber(s string) bool {
	if s[0] == '+' {
		return true
	}
	s = strings.TrimPrefix(s, "-")
	if s == "" {
		return false
	}
	if s[0] == '0' {
		return len(s) > 1 && (lower(s[1]) == 'x' || isDigit(s[1]))
	}
	if s[0] > '0' && s[0] <= '9' {
		return false
	}
	word := strings.ToLower(s[:min(3, len(s))])
	return word == "inf" || word == "nan"
}

func (d *jsonDecoder) number(t token) token {
	if n, end := smallInteger(d.in, d.at); end > d.at {
		d.at = end
		t.kind, d.read = jsonNumber, Num(float64(n))
		return t
	}
	n, rest, ok := scanNumber(d.in[d.at:])
	if !ok {
		t.kind = badNumber
		return t
	}
	d.at = len(d.in) - len(rest)
	t.kind, d.read = jsonNumber, Num(n)
	return t
}

// smallInteger reads the number at in[at:] if it is digits only, and few of
// them; else the end is at.
func smallInteger(in string, at int) (n, end int) {
	for end = at; end < len(in) && isDigit(in[end]); end++ {
		if end-at == 15 {
			return 0, at
		}
		n = n*10 + int(in[end]-'0')
	}
	if end < len(in) {
		switch lower(in[end]) {
		case '.', 'e', 'x':
			return 0, at
		}
	}
	return n, end
}

// text reads a string. A complaint is about the place inside of it.
func (d *jsonDecoder) text(t token) token {
	start := d.at + 1
	for i := start; i < len(d.in); i++ {
		d.c.passed(i)
		x := d.in[i]
		if x == '"' { // nothing to unescape
			t.kind, d.read = jsonString, Str(d.in[start:i])
			d.at = i + 1
			return t
		}
		if x == 0 || x == '\\' {
			break
		}
	}
	d.sb = d.sb[:0]
	for i := start; i < len(d.in); i++ {
		d.c.passed(i)
		switch x := d.in[i]; x {
		case 0:
			return token{kind: badEnd, at: i}
		case '"':
			t.kind, d.read = jsonString, Str(string(d.sb))
			d.at = i + 1
			return t
		case '\\':
			used, complaint := d.escape(d.in[i:])
			if complaint != jsonNone {
				return token{kind: complaint, at: i}
			}
			i += used - 1
		default:
			d.sb = append(d.sb, x)
		}
	}
	return token{kind: badEnd, at: len(d.in)}
}

// escape reads the escape sequence at the start of s and returns its length.
func (d *jsonDecoder) escape(s string) (used int, complaint tokenKind) {
	if len(s) < 2 {
		return 0, badEscape
	}
	switch s[1] {
	case '"', '\\', '/':
		d.sb = append(d.sb, s[1])
	case 'b':
		d.sb = append(d.sb, '\b')
	case 'f':
		d.sb = append(d.sb, '\f')
	case 'n':
		d.sb = append(d.sb, '\n')
	case 'r':
		d.sb = append(d.sb, '\r')
	case 't':
		d.sb = append(d.sb, '\t')
	case 'u':
		return d.unicode(s)
	default:
		return 0, badEscape
	}
	return 2, jsonNone
}

func (d *jsonDecoder) unicode(s string) (used int, complaint tokenKind) {
	r, ok := hex4(s)
	if !ok {
		return 0, badUnicode
	}
	if !utf16.IsSurrogate(r) {
		d.sb = utf8.AppendRune(d.sb, r)
		return 6, jsonNone
	}
	low, ok := hex4(s[6:])
	r = utf16.DecodeRune(r, low)
	if !ok || r == utf8.RuneError {
		return 0, badUnicode
	}
	d.sb = utf8.AppendRune(d.sb, r)
	return 12, jsonNone
}

// hex4 reads \uXXXX.
func hex4(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	for i := 2; i < 6; i++ {
		if hexDigit(s[i]) < 0 {
			return 0, false
		}
	}
	n, _ := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), true
}

func (d *jsonDecoder) value(t token, depth int) Value {
	switch t.kind {
	case jsonString, jsonNumber, jsonBoolean, jsonNull:
		return d.read
	case jsonObject:
		return d.object(depth + 1)
	case jsonArray:
		return d.array(depth + 1)
	}
	d.expected("value", t)
	return Value{}
}

func (d *jsonDecoder) descend(depth int) {
	if depth > d.j.DecodeDepth {
		d.c.Errorf("Found too many nested data structures (%d) at character %d", depth, d.at)
	}
	d.c.Work(1)
}

// took accounts for a key or value that has been stored.
func (d *jsonDecoder) took(size int, v Value) {
	d.c.Work(1)
	d.c.Charge(size + len(v.Str))
}

func (d *jsonDecoder) object(depth int) Value {
	d.descend(depth)
	v := d.c.NewTable(0, 0)
	m := v.Map()
	t := d.next()
	if t.kind == jsonObjectEnd {
		return v
	}
	for {
		if t.kind != jsonString {
			d.expected("object key string", t)
		}
		key := d.read
		if t = d.next(); t.kind != jsonColon {
			d.expected("colon", t)
		}
		x := d.value(d.next(), depth)
		d.took(80+len(key.Str), x)
		m.Set(key, x)
		switch t = d.next(); t.kind {
		case jsonObjectEnd:
			return v
		case jsonComma:
			t = d.next()
		default:
			d.expected("comma or object end", t)
		}
	}
}

func (d *jsonDecoder) array(depth int) Value {
	d.descend(depth)
	v := d.c.NewTable(0, 0)
	m := v.Map()
	t := d.next()
	if t.kind == jsonArrayEnd {
		return v
	}
	for i := 1; ; i++ {
		x := d.value(t, depth)
		d.took(24, x)
		m.SetIndex(i, x)
		switch t = d.next(); t.kind {
		case jsonArrayEnd:
			return v
		case jsonComma:
			t = d.next()
		default:
			d.expected("comma or array end", t)
		}
	}
}

package engine

import (
	"bytes"
	"strconv"
	"strings"

	"minikv/resp"
)

// say adds a line to the output.
func (s *debugSession) say(line string) { s.out = append(s.out, line) }

// sayLong is say for lines that maxlen cuts; once, a hint tells of it.
func (s *debugSession) sayLong(line string) {
	if s.longest == 0 || len(line) <= s.longest {
		s.say(line)
		return
	}
	s.say(line[:s.longest] + " ...")
	if !s.hinted {
		s.hinted = true
		s.say("<hint> The above reply was trimmed. Use 'maxlen 0' to disable trimming.")
	}
}

// flush answers with the lines of output that there are.
func (s *debugSession) flush(out *resp.Writer) {
	out.Array(len(s.out))
	for _, line := range s.out {
		out.Status(line)
	}
	s.out = s.out[:0]
}

// maxWords is how many words of a command are shown.
const maxWords = 10

func (s *debugSession) sayCommand(argv [][]byte) {
	var b strings.Builder
	b.WriteString("<redis>")
	for i, a := range argv {
		b.WriteByte(' ')
		if i == maxWords {
			b.WriteString("... (" + strconv.Itoa(len(argv)-i-1) + " more)")
			break
		}
		b.Write(a)
	}
	s.say(b.String())
}

// sayReply shows what a command replied, or why it was refused.
func (s *debugSession) sayReply(reply []byte) {
	if reply[0] == '-' {
		text, _, _ := bytes.Cut(reply, []byte("\r\n"))
		if s.run.refused {
			s.say("<error> " + strings.TrimPrefix(string(text), "-ERR "))
			return
		}
		s.say("<error> " + string(text))
	}
	shown, _ := appendShown(nil, reply)
	s.sayLong("<reply> " + string(shown))
}

// appendShown writes the first reply of b in the debugger's notation, and
// returns what follows it.
func appendShown(dst, b []byte) (shown, rest []byte) {
	line, rest, _ := bytes.Cut(b, []byte("\r\n"))
	kind, text := line[0], string(line[1:])
	switch kind {
	case ':':
		return append(dst, text...), rest
	case '+', '-':
		return resp.AppendQuoted(dst, string(line)), rest
	case '$':
		n, _ := strconv.Atoi(text)
		if n < 0 {
			return append(dst, "NULL"...), rest
		}
		return resp.AppendQuoted(dst, string(rest[:n])), rest[n+2:]
	case '=':
		n, _ := strconv.Atoi(text)
		return dst, rest[n+2:]
	case '_':
		return append(dst, "(null)"...), rest
	case ',':
		return append(append(dst, "(double) "...), text...), rest
	case '#':
		return append(append(dst, '#'), map[string]string{"t": "true", "f": "false"}[text]...), rest
	case '*':
		return appendShownList(dst, rest, text, "[", "]", ",")
	case '~':
		return appendShownList(dst, rest, text, "~(", ")", ",")
	case '%':
		return appendShownList(dst, rest, text, "{", "}", ",")
	}
	return dst, rest
}

func appendShownList(dst, b []byte, length, open, end, between string) (shown, rest []byte) {
	n, _ := strconv.Atoi(length)
	if n < 0 {
		return append(dst, "NULL"...), b
	}
	dst = append(dst, open...)
	for i := range n {
		if i > 0 {
			dst = append(dst, between...)
		}
		dst, b = appendShown(dst, b)
		if open == "{" {
			dst, b = appendShown(append(dst, " => "...), b)
		}
	}
	return append(dst, end...), b
}

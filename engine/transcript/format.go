package transcript

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"minikv/resp"
)

// Lines that stand for what is no reply.
const (
	waitingLine = "(waiting)" // the command is blocked
	closedLine  = "(closed)"  // the server closed the connection
)

// Format writes the transcript. Of what Parse read, only unneeded escapes of
// reply lines change.
func (f *File) Format() string {
	var b strings.Builder
	for _, s := range f.Steps {
		writeLines(&b, s.Before)
		writeLines(&b, s.Command)
		b.WriteString(s.Want.text())
	}
	writeLines(&b, f.Tail)
	return b.String()
}

func writeLines(b *strings.Builder, lines []string) {
	for _, line := range lines {
		b.WriteString(line)
		b.WriteByte('\n')
	}
}

// text is the output as it stands in a file.
func (o *Output) text() string {
	var b strings.Builder
	for _, line := range o.Own {
		b.WriteString(encodeLine(line))
		b.WriteByte('\n')
	}
	for _, block := range o.Others {
		for _, line := range block.Lines {
			b.WriteString(strings.TrimSuffix(block.Client+": "+encodeOther(line), " "))
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// showReplies gives replies line by line, unescaped.
func showReplies(replies []resp.Value) []string {
	var lines []string
	for _, v := range replies {
		lines = append(lines, strings.Split(v.String(), "\n")...)
	}
	return lines
}

// encodeLine makes a reply's line safe to stand in a file: one that could be
// taken for something else, or has bytes that an editor would not keep, gets a
// bar before it and escapes.
func encodeLine(line string) string {
	if _, _, mark := cutClient(line); mark == 0 && line != "" && line[0] != '#' && isPlain(line) {
		return line
	}
	return escapeLine(line)
}

// encodeOther does the same for a line that stands behind a client's name.
func encodeOther(line string) string {
	if isPlain(line) {
		return line
	}
	return escapeLine(line)
}

func isPlain(line string) bool {
	if strings.HasPrefix(line, "|") || strings.HasSuffix(line, " ") || !utf8.ValidString(line) {
		return false
	}
	return !strings.ContainsFunc(line, isControl)
}

func isControl(r rune) bool {
	return r < ' ' || 0x7f <= r && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff
}

func escapeLine(line string) string {
	var b strings.Builder
	b.WriteString("| ")
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRuneInString(line[i:])
		last := i+n == len(line)
		switch {
		case r == '\\':
			b.WriteString(`\\`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == utf8.RuneError && n == 1, isControl(r), r == ' ' && last:
			for _, c := range []byte(line[i : i+n]) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		default:
			b.WriteString(line[i : i+n])
		}
		i += n
	}
	return strings.TrimSuffix(b.String(), " ")
}

// decodeLine is the inverse of encodeLine and encodeOther.
func decodeLine(line string) (string, error) {
	if line == "|" {
		return "", nil
	}
	if !strings.HasPrefix(line, "|") {
		return line, nil
	}
	text, ok := strings.CutPrefix(line, "| ")
	if !ok {
		return "", fmt.Errorf("a blank must follow the bar of %q", line)
	}
	var b []byte
	escaped := []byte(text)
	for i := 0; i < len(escaped); {
		c := escaped[i]
		if i++; c == '\\' && i < len(escaped) {
			c, i = resp.Unescape(escaped, i)
		}
		b = append(b, c)
	}
	return string(b), nil
}

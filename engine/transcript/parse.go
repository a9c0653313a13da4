package transcript

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"minikv/resp"
)

var errQuotes = errors.New("a quotation is not closed, or more than a blank follows it")

// maxContinued bounds the lines of one command.
const maxContinued = 1000

// Read parses a transcript file.
func Read(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, string(text))
}

// Parse parses the text of a transcript; path is for messages.
func Parse(path, text string) (*File, error) {
	p := parser{file: &File{Path: path}, next: new(Step)}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		p.lines = append(p.lines, strings.TrimRight(line, "\r")) // Windows ends lines so
	}
	for p.at < len(p.lines) {
		line := p.lines[p.at]
		p.at++
		if err := p.line(line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, p.at, err)
		}
	}
	if p.pending != "" {
		return nil, fmt.Errorf("%s:%d: no command follows # %s", path, p.at, p.pending)
	}
	p.file.Tail = p.next.Before
	return p.file, nil
}

type parser struct {
	file    *File
	lines   []string
	at      int    // lines read so far
	next    *Step  // collects what stands above the next command
	open    *Step  // the step whose reply is being read
	pending string // a directive that waits for its command
}

func (p *parser) line(line string) error {
	client, rest, mark := cutClient(line)
	switch {
	case line == "":
		p.open = nil
		p.next.Before = append(p.next.Before, line)
	case line[0] == '#':
		p.open = nil
		return p.comment(line)
	case mark == '>':
		return p.command(client, rest)
	case p.open == nil:
		return fmt.Errorf("a reply without a command: %q", line)
	case mark == ':':
		return p.otherReply(client, rest)
	case p.open.IsPause() || len(p.open.Want.Others) > 0:
		return errors.New("the sender's own reply must stand before the others'")
	default:
		text, err := decodeLine(line)
		p.open.Want.Own = append(p.open.Want.Own, text)
		return err
	}
	return nil
}

// cutClient finds the mark of a command, "> " or "A> ", or of another
// client's output, "A: ", and what follows it.
func cutClient(line string) (client, rest string, mark byte) {
	n := 0
	for n < len(line) && n < 16 && isNameByte(line[n], n == 0) {
		n++
	}
	if n == len(line) || line[n] != '>' && line[n] != ':' {
		return "", "", 0
	}
	rest = line[n+1:]
	if rest != "" && rest[0] != ' ' {
		return "", "", 0
	}
	return line[:n], strings.TrimPrefix(rest, " "), line[n]
}

func isNameByte(c byte, first bool) bool {
	if 'A' <= c && c <= 'Z' {
		return true
	}
	return !first && ('a' <= c && c <= 'z' || '0' <= c && c <= '9')
}

// command reads a command, over several lines while a quotation is open.
func (p *parser) command(client, text string) error {
	s := p.next
	s.Line, s.Client = p.at, client
	s.Command = []string{p.lines[p.at-1]}
	args, ok := resp.SplitWords(nil, []byte(text))
	for !ok && p.at < len(p.lines) && len(s.Command) < maxContinued {
		s.Command = append(s.Command, p.lines[p.at])
		text += "\n" + p.lines[p.at]
		p.at++
		args, ok = resp.SplitWords(nil, []byte(text))
	}
	if !ok {
		p.at = s.Line // where the complaint belongs
		return errQuotes
	}
	if len(args) == 0 {
		return errors.New("a command without words")
	}
	s.Args = args
	p.add(s)
	p.pending = ""
	p.next = new(Step)
	return nil
}

func (p *parser) add(s *Step) {
	p.file.Steps = append(p.file.Steps, s)
	p.open = s
}

func (p *parser) otherReply(client, rest string) error {
	if client == p.open.Client && !p.open.IsPause() {
		return errors.New("the sender's own reply needs no name")
	}
	text, err := decodeLine(rest)
	if err != nil {
		return err
	}
	others := p.open.Want.Others
	if n := len(others); n > 0 && others[n-1].Client == client {
		others[n-1].Lines = append(others[n-1].Lines, text)
		return nil
	}
	if p.open.Want.block(client) != nil {
		return fmt.Errorf("client %q is told things in two places", client)
	}
	p.open.Want.Others = append(others, Block{client, []string{text}})
	return nil
}

// comment keeps a line that begins with # and obeys it if it is a directive.
func (p *parser) comment(line string) error {
	word, rest, _ := strings.Cut(strings.TrimSpace(line[1:]), " ")
	rest = strings.TrimSpace(rest)
	obey, ok := directives[word]
	if !ok || !strings.HasPrefix(line, "# "+word) {
		p.next.Before = append(p.next.Before, line)
		return nil
	}
	if word == "after" {
		return p.pause(line, rest)
	}
	p.next.Before = append(p.next.Before, line)
	if err := obey(p, rest); err != nil {
		return fmt.Errorf("# %s: %w (a comment that begins with this word in lower case is a directive)", word, err)
	}
	return nil
}

// pause makes a step of its own of "# after". What was said above it about
// the next command still holds.
func (p *parser) pause(line, rest string) error {
	d, err := time.ParseDuration(rest)
	if err != nil || d <= 0 || d > time.Hour {
		return fmt.Errorf("# after: %q is no duration like 100ms", rest)
	}
	s := new(Step)
	s.Line, s.After = p.at, d
	s.Before = append(p.next.Before, line)
	p.next.Before = nil
	p.add(s)
	return nil
}

// directives holds all directives. Before the first command since, valkey and
// resp3 speak for the file.
var directives = map[string]func(p *parser, rest string) error{
	"after":   nil, // a step, see pause
	"since":   (*parser).since,
	"valkey":  (*parser).valkey,
	"resp3":   (*parser).resp3,
	"config":  (*parser).config,
	"sorted":  (*parser).sorted,
	"approx":  (*parser).approx,
	"matches": (*parser).matches,
	"any":     (*parser).any,
	"let":     (*parser).let,
}

func (p *parser) atTop() bool { return len(p.file.Steps) == 0 }

func (p *parser) since(rest string) error {
	v, err := ParseVersion(rest)
	if err != nil {
		return err
	}
	if p.atTop() {
		p.file.Since = v
	} else {
		p.next.Since = v
		p.pending = "since"
	}
	return nil
}

func (p *parser) valkey(rest string) error {
	if rest != "" {
		return errors.New("nothing may follow; a version is # since valkey-8.1")
	}
	return p.since("valkey")
}

func (p *parser) resp3(rest string) error {
	if rest != "" {
		return errors.New("nothing may follow")
	}
	if p.atTop() {
		p.file.RESP3 = true
	} else {
		p.next.RESP3 = true
		p.pending = "resp3"
	}
	return nil
}

func (p *parser) config(rest string) error {
	if !p.atTop() {
		return errors.New("must stand before the first command")
	}
	words, ok := resp.SplitWords(nil, []byte(rest))
	if !ok {
		return errQuotes
	}
	if len(words) != 2 {
		return errors.New("needs a name and a value")
	}
	p.file.Config = append(p.file.Config, Setting{string(words[0]), string(words[1])})
	return nil
}

func (p *parser) sorted(rest string) error {
	kind, ok := map[string]Sorting{"": SortedTop, "pairs": SortedPairs, "all": SortedAll}[rest]
	if !ok {
		return errors.New("only pairs or all may follow")
	}
	p.next.Compare.Sorted = kind
	p.pending = "sorted"
	return nil
}

func (p *parser) approx(rest string) error {
	n, err := strconv.ParseFloat(rest, 64)
	if err != nil || !(n > 0) {
		return errors.New("needs a positive number")
	}
	p.next.Compare.Approx = n
	p.pending = "approx"
	return nil
}

func (p *parser) matches(rest string) error {
	re, err := regexp.Compile(`(?s)\A(?:` + rest + `)\z`)
	if err != nil {
		return err
	}
	p.next.Compare.Matches = re
	p.pending = "matches"
	return nil
}

func (p *parser) any(rest string) error {
	if rest != "" {
		return errors.New("nothing may follow")
	}
	p.next.Compare.Any = true
	p.pending = "any"
	return nil
}

func (p *parser) let(rest string) error {
	if rest == "" || strings.ContainsAny(rest, " ${}") {
		return errors.New("needs one name")
	}
	p.next.Let = rest
	p.next.Compare.Any = true
	p.pending = "let"
	return nil
}

package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/reeflective/readline"
	"github.com/reeflective/readline/inputrc"

	"minikv/resp"
)

// editor is a line editor on the terminal, with history, completion and hints.
type editor struct {
	shell *readline.Shell
}

// NewEditor makes an editor for a session. It uses the program's own standard
// input and output; historyPath may be empty.
func NewEditor(s *Session, historyPath string) LineReader {
	shell := readline.NewShell(inputrc.WithApp("minikv"))
	// Asking the terminal where the cursor is hangs where it does not answer, and
	// may lose what is typed meanwhile. See ReadLine for what takes its place.
	_ = shell.Config.Set("cursor-position-probe", false)
	_ = shell.Config.Set("completion-ignore-case", true)
	shell.Hint.SetProvider(func(line []rune, cursor int) []rune {
		before, last := typed(string(line))
		if last != "" {
			before = append(before, last)
		}
		return []rune(hint(s.docs, before))
	})
	shell.Completer = func(line []rune, cursor int) readline.Completions {
		before, last := typed(string(line[:cursor]))
		return readline.CompleteValuesDescribed(complete(s.docs, before, last)...)
	}
	shell.History.Delete()
	shell.History.Add("commands", openHistory(historyPath))
	return &editor{shell}
}

// typed splits an unfinished line: last is the word that the cursor stands in,
// empty after a blank.
func typed(line string) (before []string, last string) {
	words, ok := resp.SplitWords(nil, []byte(line))
	if !ok { // a quotation is open: nobody can tell what it will be
		return strings.Fields(line), ""
	}
	for _, w := range words {
		before = append(before, string(w))
	}
	if n := len(before); n > 0 && !strings.HasSuffix(line, " ") {
		before, last = before[:n-1], before[n-1]
	}
	return before, last
}

// rowsBelow keeps so many rows free below the prompt. The library clears the row
// below the line, and that is the line itself if the screen ends there.
const rowsBelow = 4

// ReadLine reads a line; Ctrl-C and, on an empty line, Ctrl-D are the end.
func (e *editor) ReadLine(prompt string) (string, error) {
	fmt.Print(strings.Repeat("\n", rowsBelow), "\x1b[", rowsBelow, "A")
	e.shell.Prompt.Primary(func() string { return prompt })
	line, err := e.shell.Readline()
	if errors.Is(err, readline.ErrInterrupt) {
		return "", io.EOF
	}
	return line, err
}

// maxLine bounds a line that is read from a pipe.
const maxLine = 512 << 20

type lines struct{ in *bufio.Scanner }

// NewLines reads lines that nobody edits.
func NewLines(r io.Reader) LineReader {
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxLine)
	return lines{in}
}

func (l lines) ReadLine(string) (string, error) {
	if l.in.Scan() {
		return l.in.Text(), nil
	}
	if err := l.in.Err(); err != nil {
		return "", err
	}
	return "", io.EOF
}

// maxHistory bounds how many lines are kept.
const maxHistory = 1000

// history is the lines that were typed, the latest last, and the file where
// they are kept. A line with a password is in neither.
type history struct {
	path  string
	lines []string
}

func openHistory(path string) *history {
	h := &history{path: path}
	if text, err := os.ReadFile(path); err == nil {
		h.lines = slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool { return line == "" })
		if over := len(h.lines) - maxHistory; over > 0 {
			h.lines = h.lines[over:]
			_ = os.WriteFile(path, []byte(strings.Join(h.lines, "\n")+"\n"), 0o600)
		}
	}
	return h
}

// Write adds a line, but not the same twice in a row. A history that cannot be
// written is no reason to stop.
func (h *history) Write(line string) (int, error) {
	line = strings.TrimSpace(line)
	if line == "" || secret(line) || strings.ContainsAny(line, "\n") || len(h.lines) > 0 && h.lines[len(h.lines)-1] == line {
		return len(h.lines), nil
	}
	h.lines = append(h.lines, line)
	if h.path != "" {
		if f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			_, _ = io.WriteString(f, line+"\n")
			f.Close()
		}
	}
	return len(h.lines), nil
}

// GetLine is the line that was typed i-th.
func (h *history) GetLine(i int) (string, error) {
	if i < 0 || i >= len(h.lines) {
		return "", errors.New("no such line in the history")
	}
	return h.lines[i], nil
}

func (h *history) Len() int  { return len(h.lines) }
func (h *history) Dump() any { return h.lines }

// secret tells whether a line may hold a password: AUTH, HELLO and MIGRATE with
// AUTH, ACL SETUSER, CONFIG SET of one. A quotation that stays open is read as
// if it were closed.
func secret(line string) bool {
	words := strings.Fields(strings.ToUpper(strings.NewReplacer(`"`, " ", `'`, " ").Replace(line)))
	if len(words) > 1 && strings.Trim(words[0], "0123456789") == "" {
		words = words[1:] // how many times
	}
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "AUTH":
		return true
	case "HELLO", "MIGRATE":
		return slices.ContainsFunc(words, func(w string) bool { return w == "AUTH" || w == "AUTH2" })
	case "ACL":
		return len(words) > 1 && words[1] == "SETUSER"
	case "CONFIG":
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, "PASS") || strings.Contains(w, "AUTH") })
	}
	return false
}

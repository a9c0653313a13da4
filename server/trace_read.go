package server

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"minikv/engine"
	"minikv/engine/config"
	"minikv/resp"
)

// Trace is a trace that was read.
type Trace struct {
	seed    uint64
	conf    *config.Config
	entries []traceEntry
}

// traceEntry is a line of a trace.
type traceEntry struct {
	engine.JournalEntry
	line int
}

// maxTraceLine bounds a line: a reply may be half a gigabyte, and a byte of it
// four in the trace.
const maxTraceLine = 1 << 30

// ReadTrace reads a trace.
func ReadTrace(r io.Reader) (*Trace, error) {
	t := &Trace{conf: config.New()}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxTraceLine)
	for n := 1; lines.Scan(); n++ {
		if n == 1 {
			if lines.Text() != traceHeader {
				return nil, errors.New("this is no trace: it does not begin with " + traceHeader)
			}
			continue
		}
		words, ok := resp.SplitWords(nil, lines.Bytes())
		if !ok {
			return nil, fmt.Errorf("line %d: unbalanced quotes", n)
		}
		if len(words) == 0 {
			continue
		}
		if err := t.add(n, words); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return t, lines.Err()
}

func (t *Trace) add(line int, words [][]byte) (err error) {
	word := func(i int) string {
		if i < len(words) {
			return string(words[i])
		}
		return ""
	}
	switch word(0) {
	case "seed":
		t.seed, err = strconv.ParseUint(word(1), 10, 64)
		return err
	case "config":
		if len(words) != 3 {
			return errors.New("a directive has a name and a value")
		}
		return t.conf.Apply(word(1), []string{word(2)}, "trace")
	}
	e := traceEntry{line: line}
	if e.Now, err = strconv.ParseInt(word(0), 10, 64); err != nil {
		return err
	}
	kind, known := kindOf(word(1))
	if !known {
		return fmt.Errorf("%q is not known", word(1))
	}
	e.Kind = kind
	if kind != engine.JournalTick {
		if e.Client, err = strconv.ParseInt(word(2), 10, 64); err != nil {
			return err
		}
	}
	if err := e.details(words[min(len(words), 3):]); err != nil {
		return err
	}
	t.entries = append(t.entries, e)
	return nil
}

func kindOf(word string) (engine.JournalKind, bool) {
	for kind, w := range traceWords {
		if w == word {
			return kind, true
		}
	}
	return 0, false
}

// details reads what follows the client.
func (e *traceEntry) details(words [][]byte) (err error) {
	switch e.Kind {
	case engine.JournalConnect:
		if len(words) < 3 {
			return errors.New("a connection has two addresses and a descriptor")
		}
		e.Conn.Addr, e.Conn.LAddr = string(words[0]), string(words[1])
		e.Conn.FD, err = strconv.Atoi(string(words[2]))
		for _, w := range words[3:] {
			for _, is := range connWords(&e.Conn) {
				if is.word == string(w) {
					*is.set = true
				}
			}
		}
	case engine.JournalDo:
		if len(words) == 0 {
			return errors.New("a command has a name")
		}
		e.Argv = words
	case engine.JournalBad, engine.JournalComplete, engine.JournalOutput:
		if len(words) != 1 {
			return errors.New("one text is expected")
		}
		e.Bytes = words[0]
	}
	return err
}

// Difference is where a replay first differs from its trace.
type Difference struct {
	Line    int    // of the trace
	Client  int64  // to whom the reply went
	Command string // the last that the client had sent
	Want    string // what the trace has
	Got     string
}

// String is the difference for people.
func (d *Difference) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "line %d, client %d: %s\n", d.Line, d.Client, d.Command)
	for _, side := range []struct{ mark, text string }{{"- ", d.Want}, {"+ ", d.Got}} {
		for line := range strings.Lines(side.text + "\n") {
			b.WriteString(side.mark + line)
		}
	}
	return b.String()
}

package server

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"minikv/engine"
	"minikv/engine/config"
	"minikv/resp"
)

// A trace is a server's life as text: what its clients sent, in the order in
// which it was run, and what they were answered. Replay lets another server
// live it again.
//
//	minikv trace 1
//	seed 42
//	config redis-version 7.0
//	1767225600000000 connect 3 127.0.0.1:50412 127.0.0.1:6379 8 local
//	1767225600000010 do 3 SET k "a b"
//	1767225600000010 out 3 "+OK\r\n"
//	1767225600030000 tick
//	1767225600030001 close 3
//
// A line is words as redis-cli writes them. Its first is the server's time in
// microseconds. A trace holds what was sent, passwords too.

// traceHeader is a trace's first line.
const traceHeader = "minikv trace 1"

// traceWords are the second words of lines, by kind.
var traceWords = map[engine.JournalKind]string{
	engine.JournalConnect: "connect", engine.JournalDo: "do", engine.JournalBad: "bad", engine.JournalComplete: "complete",
	engine.JournalOutput: "out", engine.JournalDisconnect: "close", engine.JournalTick: "tick", engine.JournalRelease: "release",
}

// tracer writes a trace. The loop's goroutine uses it alone.
type tracer struct {
	to   *bufio.Writer
	line []byte
	err  error // the first
}

// newTracer begins a trace with what the replies depend on besides the commands.
func newTracer(to io.Writer, seed uint64, conf *config.Config) *tracer {
	t := &tracer{to: bufio.NewWriterSize(to, 64<<10)}
	fmt.Fprintf(t.to, "%s\nseed %d\n", traceHeader, seed)
	plain := config.New()
	for _, d := range config.Directives() {
		known := len(conf.Get(d.Name)) > 0     // to the emulated version
		path := d.Traits&config.Protected != 0 // of this machine
		if v := conf.Value(d.Name); known && !path && v != plain.Value(d.Name) {
			fmt.Fprintf(t.to, "config %s %s\n", d.Name, resp.AppendQuoted(nil, v))
		}
	}
	return t
}

// write is an engine's Options.Journal.
func (t *tracer) write(entry *engine.JournalEntry) {
	b := strconv.AppendInt(t.line[:0], entry.Now, 10)
	b = append(append(b, ' '), traceWords[entry.Kind]...)
	if entry.Client != 0 {
		b = strconv.AppendInt(append(b, ' '), entry.Client, 10)
	}
	switch entry.Kind {
	case engine.JournalConnect:
		b = fmt.Appendf(b, " %s %s %d", resp.AppendQuoted(nil, entry.Conn.Addr), resp.AppendQuoted(nil, entry.Conn.LAddr), entry.Conn.FD)
		for _, is := range connWords(&entry.Conn) {
			if *is.set {
				b = append(append(b, ' '), is.word...)
			}
		}
	case engine.JournalDo:
		for _, arg := range entry.Argv {
			b = appendWord(append(b, ' '), arg)
		}
	case engine.JournalBad, engine.JournalComplete, engine.JournalOutput:
		b = resp.AppendQuoted(append(b, ' '), string(entry.Bytes))
	}
	t.line = append(b, '\n')
	if _, err := t.to.Write(t.line); err != nil && t.err == nil {
		t.err = err
	}
	if cap(t.line) > 1<<20 {
		t.line = nil
	}
}

// connWord is a property of a connection that a trace tells by a word.
type connWord struct {
	word string
	set  *bool
}

func connWords(c *engine.ConnInfo) []connWord {
	return []connWord{{"local", &c.Local}, {"unix", &c.Unix}, {"tls", &c.TLS}, {"trusted", &c.Trusted}}
}

// appendWord writes an argument as it is if it is a plain word.
func appendWord(dst, arg []byte) []byte {
	plain := len(arg) > 0
	for i := 0; plain && i < len(arg); i++ {
		plain = arg[i] > ' ' && arg[i] < 0x7f && arg[i] != '"' && arg[i] != '\'' && arg[i] != '\\'
	}
	if plain {
		return append(dst, arg...)
	}
	return resp.AppendQuoted(dst, string(arg))
}

// flush hands what is written to the trace's file.
func (t *tracer) flush() {
	if t == nil {
		return
	}
	if err := t.to.Flush(); err != nil && t.err == nil {
		t.err = err
	}
}

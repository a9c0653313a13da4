package server

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"minikv/engine"
	"minikv/resp"
)

// Replay lets an engine of its own live a trace again, at the trace's times and
// without waiting, and returns where it first answers otherwise; nil: nowhere.
// What INFO, SLOWLOG, LATENCY and MEMORY answer is not compared: they tell of
// the process, and of how long things took.
func (t *Trace) Replay() (*Difference, error) {
	p := &player{clients: make(map[int64]*engine.Client), held: make(map[int64][]byte), queued: make(map[int64]bool), last: make(map[int64][][]byte)}
	p.eng = engine.New(engine.Options{Config: t.conf.Clone(), Seed: t.seed, Env: p})
	for i := range t.entries {
		d, err := p.play(&t.entries[i])
		if d != nil || err != nil {
			return d, err
		}
	}
	return nil, nil
}

// Commands is how many commands a trace has.
func (t *Trace) Commands() (n int) {
	for i := range t.entries {
		if t.entries[i].Kind == engine.JournalDo {
			n++
		}
	}
	return n
}

// player is a replay on an engine. It is the engine's Env: nothing takes time,
// but for a command that does not end.
type player struct {
	eng     *engine.Engine
	clients map[int64]*engine.Client // by the trace's IDs
	held    map[int64][]byte         // output that is not compared yet
	last    map[int64][][]byte       // commands
	queued  map[int64]bool           // what EXEC will answer is not to be compared
	began   time.Time
}

// longest is how long one command of a replay may take.
const longest = 30 * time.Second

// Elapsed is part of engine.Env.
func (p *player) Elapsed() int64 {
	if time.Since(p.began) > longest {
		return engine.Ending
	}
	return 0
}

// Busy is part of engine.Env.
func (p *player) Busy() {}

// play lets one entry happen.
func (p *player) play(e *traceEntry) (*Difference, error) {
	p.began = time.Now()
	cl := p.clients[e.Client]
	if cl == nil && e.Kind != engine.JournalConnect && e.Kind != engine.JournalTick {
		return nil, fmt.Errorf("line %d: client %d has not connected", e.line, e.Client)
	}
	switch e.Kind {
	case engine.JournalConnect:
		p.clients[e.Client] = p.eng.Connect(e.Now, e.Conn)
	case engine.JournalDo:
		if d := p.surplus(e); d != nil {
			return d, nil
		}
		p.last[e.Client] = e.Argv
		p.eng.Do(cl, e.Now, e.Argv)
	case engine.JournalBad:
		p.eng.ProtocolError(cl, e.Now, string(e.Bytes))
	case engine.JournalComplete:
		p.eng.Complete(cl, e.Now, func(out *resp.Writer) { out.Raw(e.Bytes) })
	case engine.JournalTick:
		p.eng.Tick(e.Now)
	case engine.JournalRelease:
		p.eng.EndDelay(cl)
	case engine.JournalDisconnect:
		p.eng.Disconnect(cl, e.Now)
		delete(p.clients, e.Client)
		delete(p.last, e.Client)
		delete(p.held, e.Client)
	case engine.JournalOutput:
		return p.compare(e, cl), nil
	}
	p.eng.Ready()
	return nil, nil
}

// compare takes the client's output and compares as much as the trace has here.
func (p *player) compare(e *traceEntry, cl *engine.Client) *Difference {
	out := p.held[e.Client]
	for _, chunk := range cl.Output(nil) {
		out = append(out, chunk...)
		cl.Recycle(chunk)
	}
	last := p.last[e.Client]
	if p.tellsOfOutside(e, rowOf(last)) {
		delete(p.held, e.Client)
		return nil
	}
	n := min(len(out), len(e.Bytes))
	p.held[e.Client] = append([]byte(nil), out[n:]...)
	if bytes.Equal(out[:n], e.Bytes) {
		return nil
	}
	return difference(e, last, decodeAll(e.Bytes), decodeAll(out))
}

// tellsOfOutside tells whether a reply depends on what is not in a trace: that of
// INFO and its kind, and of an EXEC that has run one of them.
func (p *player) tellsOfOutside(e *traceEntry, row *engine.Command) bool {
	switch {
	case row == nil:
		return false
	case row.Group == engine.Server && uncertain(row):
		if string(e.Bytes) == "+QUEUED\r\n" {
			p.queued[e.Client] = true
		}
		return true
	case row.Flags&engine.EndsMulti != 0:
		told := p.queued[e.Client]
		delete(p.queued, e.Client)
		return told
	}
	return false
}

// surplus finds what is answered beyond what the trace has.
func (p *player) surplus(e *traceEntry) *Difference {
	out := p.held[e.Client]
	if len(out) == 0 {
		return nil
	}
	return difference(e, p.last[e.Client], nil, decodeAll(out))
}

// rowOf is the row of a command, nil if there is none.
func rowOf(argv [][]byte) *engine.Command {
	if len(argv) == 0 {
		return nil
	}
	row := engine.Commands().Lookup(string(argv[0]))
	if row != nil && len(row.Sub) > 0 && len(argv) > 1 {
		return engine.Commands().Lookup(string(argv[0]) + "|" + string(argv[1]))
	}
	return row
}

// uncertain tells whether a command may answer another thing each time.
func uncertain(row *engine.Command) bool { return slices.Contains(row.Tips, "nondeterministic_output") }

// difference describes one, as short as it can be.
func difference(e *traceEntry, last [][]byte, want, got []string) *Difference {
	i := 0
	for i < len(want)-1 && i < len(got)-1 && want[i] == got[i] {
		i++
	}
	d := &Difference{Line: e.line, Client: e.Client, Command: commandText(last), Want: "(nothing)", Got: "(nothing)"}
	if i < len(want) {
		d.Want = want[i]
	}
	if i < len(got) {
		d.Got = got[i]
	}
	return d
}

func commandText(argv [][]byte) string {
	var b []byte
	for i, arg := range argv {
		if i > 0 {
			b = append(b, ' ')
		}
		b = appendArgument(b, arg)
	}
	return string(b)
}

// decodeAll shows what is in a piece of output.
func decodeAll(b []byte) (shown []string) {
	for len(b) > 0 {
		v, n, err := resp.Decode(b)
		if err != nil {
			return append(shown, string(resp.AppendQuoted(nil, string(b))))
		}
		shown = append(shown, v.String())
		b = b[n:]
	}
	return shown
}

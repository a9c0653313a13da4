package engine

import "minikv/resp"

// The journal is all that goes into an engine and all that comes out of it, in
// order. Since an engine is a pure state machine, another one of the same seed
// and configuration to which the same goes in gives the same out, byte for
// byte: that is how a trace is replayed. Outside remain how long things take,
// and the process around the engine: what INFO, SLOWLOG and LATENCY tell of
// these, and what is done to an engine by Restore or Reset.

// JournalKind says what happened.
type JournalKind uint8

// The kinds of journal entries.
const (
	JournalConnect    JournalKind = iota // a client came, with Conn
	JournalDo                            // it sent Argv
	JournalBad                           // it sent what is no command, and is told Bytes
	JournalComplete                      // its request is done, and answered with Bytes
	JournalOutput                        // Bytes were taken from its output
	JournalDisconnect                    // it is gone
	JournalTick                          // something was due
	JournalRelease                       // a command of it that a fault has delayed may run
)

// JournalEntry is one of these. All it refers to is valid during the call only.
type JournalEntry struct {
	Kind   JournalKind
	Now    int64 // microseconds
	Client int64 // its ID; 0: none
	Conn   ConnInfo
	Argv   [][]byte
	Bytes  []byte
}

// journal writes an entry, if anybody reads it.
func (e *Engine) journal(kind JournalKind, now int64, cl *Client, argv [][]byte, text []byte) {
	if e.opt.Journal != nil {
		e.journalEntry(kind, now, cl, argv, text)
	}
}

func (e *Engine) journalEntry(kind JournalKind, now int64, cl *Client, argv [][]byte, text []byte) {
	entry := JournalEntry{Kind: kind, Now: now, Argv: argv, Bytes: text}
	if cl != nil {
		entry.Client, entry.Conn = cl.id, cl.conn
	}
	e.opt.Journal(&entry)
}

// journalTick writes that something is due, if that is so.
func (e *Engine) journalTick(now int64) {
	if e.opt.Journal != nil && e.nextDue() <= now {
		e.journal(JournalTick, now, nil, nil, nil)
	}
}

// journalOutput writes chunks of output that were taken.
func (e *Engine) journalOutput(cl *Client, chunks [][]byte) {
	if e.opt.Journal != nil {
		for _, chunk := range chunks {
			e.journal(JournalOutput, e.now, cl, nil, chunk)
		}
	}
}

// journalComplete writes the answer to a request, which stands behind mark.
func (e *Engine) journalComplete(cl *Client, now int64, mark resp.Mark) {
	if e.opt.Journal != nil {
		e.journal(JournalComplete, now, cl, nil, cl.out.Since(mark))
	}
}

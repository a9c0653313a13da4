package server

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"minikv/engine"
	"minikv/resp"
)

// History keeps the last commands that a server has run or refused, each with
// its reply, to be shown when a test fails. Its methods may be called at any
// time, by anybody.
type History struct {
	mu    sync.Mutex
	ring  []heard
	total int // commands since the beginning
}

// heard is one command. Long arguments and replies are cut.
type heard struct {
	at     int64
	who    string
	source engine.Source
	words  []byte
	reply  []byte // encoded, or what became of the command
	note   bool   // reply is a note, in words
	cut    int    // bytes of the reply that are not kept
}

// NewHistory makes a history of the last n commands.
func NewHistory(n int) *History { return &History{ring: make([]heard, max(n, 1))} }

// Attach has the server that is started with opt keep this history, besides
// whatever else listens there.
func (h *History) Attach(opt *Options) {
	tap, noted := opt.Tap, opt.Noted
	opt.Tap = func(ev *engine.TapEvent) {
		h.tap(ev)
		if tap != nil {
			tap(ev)
		}
	}
	opt.Noted = func(cl *engine.Client, argv [][]byte, what string) {
		h.noted(cl, argv, what)
		if noted != nil {
			noted(cl, argv, what)
		}
	}
}

// What is kept of an argument, of a command and of a reply.
const (
	keptArgument = 64
	keptWords    = 256
	keptReply    = 512
)

func (h *History) tap(ev *engine.TapEvent) {
	if !ev.After {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.next(ev.Client, ev.Argv)
	e.at, e.source, e.note = ev.Now, ev.Source, false
	n := min(len(ev.Reply), keptReply)
	e.reply, e.cut = append(e.reply[:0], ev.Reply[:n]...), len(ev.Reply)-n
}

func (h *History) noted(cl *engine.Client, argv [][]byte, what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.next(cl, argv)
	e.at, e.source, e.note = -1, engine.FromClient, true
	e.reply, e.cut = append(e.reply[:0], what...), 0
}

// next takes the oldest place.
func (h *History) next(cl *engine.Client, argv [][]byte) *heard {
	e := &h.ring[h.total%len(h.ring)]
	h.total++
	if e.who = cl.Name(); e.who == "" {
		e.who = fmt.Sprintf("client %d", cl.ID())
	}
	e.words = e.words[:0]
	for i, a := range argv {
		if len(e.words) > keptWords {
			e.words = fmt.Appendf(e.words, " ... (%d arguments)", len(argv))
			break
		}
		if i > 0 {
			e.words = append(e.words, ' ')
		}
		e.words = appendArgument(e.words, a)
	}
	return e
}

// appendArgument writes an argument as one would type it.
func appendArgument(dst, arg []byte) []byte {
	plain := len(arg) > 0 && len(arg) <= keptArgument
	for i := 0; plain && i < len(arg); i++ {
		plain = arg[i] > ' ' && arg[i] < 0x7f && arg[i] != '"' && arg[i] != '\\'
	}
	if plain {
		return append(dst, arg...)
	}
	dst = resp.AppendQuoted(dst, string(arg[:min(len(arg), keptArgument)]))
	if n := len(arg) - keptArgument; n > 0 {
		dst = fmt.Appendf(dst, "(+%d bytes)", n)
	}
	return dst
}

// String lists the commands, the oldest first, one a line; it is empty if there
// were none.
func (h *History) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := min(h.total, len(h.ring))
	if n == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "the last %d of %d commands:\n", n, h.total)
	for i := h.total - n; i < h.total; i++ {
		h.ring[i%len(h.ring)].write(&b)
	}
	return b.String()
}

func (e *heard) write(b *strings.Builder) {
	at := "               "
	if e.at >= 0 {
		at = time.UnixMicro(e.at).UTC().Format("15:04:05.000000")
	}
	how := map[engine.Source]string{engine.FromExec: "exec: ", engine.FromScript: "script: ", engine.FromBlocked: "waited: "}[e.source]
	fmt.Fprintf(b, "  %s %s> %s%s -> ", at, e.who, how, e.words)
	switch v, _, err := resp.Decode(e.reply); {
	case e.note:
		fmt.Fprintf(b, "(%s)", e.reply)
	case len(e.reply) == 0:
		b.WriteString("(no reply yet)")
	case err != nil:
		b.Write(resp.AppendQuoted(nil, string(e.reply)))
		if e.cut > 0 {
			fmt.Fprintf(b, "(+%d bytes)", e.cut)
		}
	default:
		writeShort(b, v)
	}
	b.WriteByte('\n')
}

// writeShort writes a reply on one line.
func writeShort(b *strings.Builder, v Value) {
	switch v.Type {
	case resp.TypeArray, resp.TypeSet, resp.TypeMap, resp.TypePush:
		if v.Nil {
			b.WriteString("(nil)")
			return
		}
		b.WriteByte('[')
		for i, elem := range v.Elems {
			if i > 0 {
				b.WriteByte(' ')
			}
			writeShort(b, elem)
		}
		b.WriteByte(']')
	case resp.TypeStatus:
		b.WriteString(v.Str)
	case resp.TypeInt:
		fmt.Fprintf(b, "%d", v.Int)
	default:
		b.WriteString(v.String())
	}
}

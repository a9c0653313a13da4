package server

import (
	"errors"
	"io"
	"net"

	"minikv/resp"
)

// guard stands between an accepted connection and redcon's reader, which has
// no limits, gives up on requests that Redis takes, and drops the good commands
// in front of a bad one. The guard frames the bytes itself and hands on nothing
// but whole, checked commands, written anew: one at a time, so that redcon's
// reader never holds a part of another. The rest of a pipeline that has come
// with it is there for the taking (rest), already framed.
//
// A command too long for redcon's buffer would be held three times over on its
// way through it. It is kept here, and a stand-in goes through instead.
//
// Only the connection's own goroutine uses a guard.
type guard struct {
	net.Conn
	judge judge

	framer framer
	buf    []byte
	r, w   int      // bytes read and not used are buf[r:w]
	read   int64    // bytes in all
	args   [][]byte // of the command that goes through redcon
	kept   bool     // it is the stand-in
	frame  []byte   // the command as redcon gets it
	hand   []byte   // what redcon has not read of it
	full   bool     // the last read filled the buffer
}

// judge is who knows a guard's client.
type judge interface {
	// limits are those that hold at the moment.
	limits() limits
	// queryLimit is client-query-buffer-limit.
	queryLimit() int64
	// refresh brings them up to date: AUTH or CONFIG SET may just have run.
	refresh()
	// reject answers a protocol error, after all commands before it.
	reject(err error)
}

// errQueryBuffer closes a connection without an answer.
var errQueryBuffer = errors.New("closing client that reached max query buffer length")

const (
	guardBuffer    = 4 << 10
	guardBufferMax = 64 << 10
	throughRedcon  = 2 << 10 // longer commands do not go through redcon
)

// standIn is what redcon gets in place of a long command.
const standIn = "*1\r\n$0\r\n\r\n"

// Read gives redcon the next command or what is left of it.
func (g *guard) Read(p []byte) (int, error) {
	if len(g.hand) == 0 {
		if err := g.await(); err != nil {
			return 0, err
		}
	}
	n := copy(p, g.hand)
	g.hand = g.hand[n:]
	return n, nil
}

// Write writes nothing, if that is all: redcon flushes after each command,
// while the sessions write for themselves.
func (g *guard) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	return g.Conn.Write(p)
}

// await reads until a whole command is there, and makes it the one in hand.
func (g *guard) await() error {
	for {
		args, err := g.next(g.args[:0])
		if err != nil {
			g.judge.refresh()
			args, err = g.next(g.args[:0])
		}
		if err != nil {
			g.judge.reject(err)
			return g.drain()
		}
		if len(args) > 0 {
			g.args = args
			g.present()
			return nil
		}
		if err := g.fill(); err != nil {
			return err
		}
	}
}

// present makes g.args the command in hand.
func (g *guard) present() {
	size := 0
	for _, a := range g.args {
		size += len(a) + len("$65536\r\n\r\n")
	}
	if g.kept = size > throughRedcon; g.kept {
		g.frame = append(g.frame[:0], standIn...)
	} else {
		g.frame = resp.AppendCommand(g.frame[:0], g.args...)
	}
	g.hand = g.frame
}

// first is the command that went through redcon: as redcon read it, or as it
// was kept. Valid until the next Read.
func (g *guard) first(args [][]byte) [][]byte {
	if g.kept {
		return g.args
	}
	return args
}

// next appends the arguments of a command that is there already, if one is.
// They are valid until the next Read.
func (g *guard) next(dst [][]byte) (args [][]byte, err error) {
	args, n, err := g.framer.next(g.buf[g.r:g.w], g.judge.limits(), dst)
	g.r += n
	return args, err
}

// rest appends the next command of the pipeline that has been read with the
// one in hand; nothing is appended at its end, or where an error stands: Read
// judges that, after what came before has run.
func (g *guard) rest(dst [][]byte) [][]byte {
	args, err := g.next(dst)
	if err != nil {
		return dst
	}
	return args
}

// fill reads more bytes. It moves or drops what is unused: arguments handed
// out earlier are no longer valid.
func (g *guard) fill() error {
	if int64(g.w-g.r) > g.judge.queryLimit() {
		return errQueryBuffer
	}
	g.makeRoom()
	n, err := g.Conn.Read(g.buf[g.w:])
	g.w += n
	g.read += int64(n)
	g.full = g.w == len(g.buf)
	if n > 0 {
		return nil
	}
	return err
}

// makeRoom sees to free space behind g.w.
func (g *guard) makeRoom() {
	used := g.w - g.r
	size := len(g.buf)
	switch {
	case used == 0 && (size == 0 || size > guardBufferMax):
		size = guardBuffer
	case used == 0 && g.full:
		size = min(2*size, guardBufferMax)
	case used == 0:
	case g.w < size:
		return
	case used > size/2:
		size = max(size, g.framer.grow(used))
	}
	if size == len(g.buf) {
		copy(g.buf, g.buf[g.r:g.w])
	} else {
		buf := make([]byte, size)
		copy(buf, g.buf[g.r:g.w])
		g.buf = buf
	}
	g.r, g.w = 0, used
}

// drain reads on after a protocol error, until the connection is closed: by
// whoever writes the error, or by the peer.
func (g *guard) drain() error {
	g.r, g.w = 0, 0
	for {
		if _, err := g.Conn.Read(g.buf); err != nil {
			return io.EOF
		}
	}
}

package server

import (
	"net"
	"sync/atomic"

	"github.com/tidwall/redcon"

	"minikv/engine"
)

// A session is a connection that redcon serves: TLS, in-memory, and every
// connection where there is no event loop.
//
// redcon's goroutine of the connection reads. What it gets, with the rest of
// the pipeline that came along, is one batch; it leaves the batch with the
// loop and waits. The loop runs it, gives the output that came of it, and the
// goroutine writes that: one wake-up each way. If a command of the batch has
// to wait, what is behind it is copied and stays with the loop, and the
// goroutine goes back to reading, so that it sees the connection end; output
// that comes while nobody waits is written by a second goroutine, started
// when it is first needed.
//
// At most one lot of output is on its way. What comes meanwhile stays with the
// engine's client, and the writer asks for it when it is done: see turnstile.
type session struct {
	peer
	server *Server
	loop   *loop
	guard  *guard
	raw    net.Conn // beneath TLS: closing it never waits

	news news // what the inbox holds of it, under the inbox's lock

	// Used by the goroutine and by the loop in turns: a batch and its answer.
	batch   batch
	answers chan answer
	unauth  atomic.Bool

	// Used by the holder of the turnstile.
	turnstile turnstile
	chunks    [][]byte
	vector    net.Buffers
	jobs      chan answer // for the writer goroutine

	// The loop's own.
	counted int64 // bytes that INFO knows of
	taken   int   // bytes of the last output
	inBatch bool
	// Commands that wait.
	kept    []keptCommand
	keptLen int64
	bad     error // stands behind them
}

// answer tells who writes what to do.
type answer struct {
	write bool // the chunks
	close bool // and then the connection
}

// keptCommand is a command that could not be delivered yet.
type keptCommand [][]byte

// batch is a pipeline of framed commands. Its arguments are good while its
// session waits for the answer.
type batch struct {
	args [][]byte
	ends []int // where each command's arguments end
	bad  error // stands behind them
	read int64 // bytes from the connection so far
}

func (b *batch) reset() {
	const keep = 4096
	if cap(b.args) > keep {
		b.args = nil
	}
	clear(b.args)
	b.args, b.ends, b.bad = b.args[:0], b.ends[:0], nil
}

func (b *batch) command(i int) [][]byte {
	start := 0
	if i > 0 {
		start = b.ends[i-1]
	}
	return b.args[start:b.ends[i]]
}

// turnstile lets one at a time write to a connection.
type turnstile struct{ state atomic.Int32 }

const (
	turnFree    int32 = iota
	turnTaken         // someone writes
	turnAwaited       // someone writes, and there is more to come
)

// enter takes the turn. If it is taken, its holder will be told of more.
func (t *turnstile) enter() bool {
	for {
		switch {
		case t.state.CompareAndSwap(turnFree, turnTaken):
			return true
		case t.state.CompareAndSwap(turnTaken, turnAwaited), t.state.Load() == turnAwaited:
			return false
		}
	}
}

// leave gives the turn back and tells whether there is more.
func (t *turnstile) leave() (more bool) {
	if t.state.CompareAndSwap(turnTaken, turnFree) {
		return false
	}
	t.state.Store(turnFree)
	return true
}

// The goroutine's side.

// serve is redcon's handler: cmd and what came with it are run.
func (s *session) serve(conn redcon.Conn, cmd redcon.Command) {
	b := &s.batch
	b.reset()
	b.add(s.guard.first(cmd.Args))
	for _, cmd := range conn.ReadPipeline() {
		b.add(cmd.Args)
	}
	for {
		n := len(b.args)
		if b.args = s.guard.rest(b.args); len(b.args) == n {
			break
		}
		b.ends = append(b.ends, len(b.args))
	}
	s.submit()
}

func (b *batch) add(args [][]byte) {
	b.args = append(b.args, args...)
	b.ends = append(b.ends, len(b.args))
}

// submit leaves the batch with the loop and waits for the answer.
func (s *session) submit() {
	s.batch.read = s.guard.read
	s.loop.inbox.post(s, newsBatch)
	s.perform(<-s.answers)
}

// perform writes and closes as the loop says. Whoever closes keeps the turn:
// nothing is written any more.
func (s *session) perform(a answer) {
	if a.write {
		s.vector = append(s.vector[:0], s.chunks...)
		v := s.vector
		if _, err := v.WriteTo(s.guard.Conn); err != nil {
			a.close = true
		}
		clear(s.vector)
	}
	if a.close {
		s.guard.Close()
	} else if a.write && s.turnstile.leave() {
		s.loop.inbox.post(s, newsWritten)
	}
}

// write is the second goroutine.
func (s *session) write(jobs <-chan answer) {
	defer s.server.running.Done()
	for a := range jobs {
		s.perform(a)
	}
}

func (s *session) limits() limits {
	return limits{maxBulk: s.loop.rules.maxBulk.Load(), unauth: s.unauth.Load()}
}

func (s *session) queryLimit() int64 { return s.loop.rules.queryLimit.Load() }

// refresh is a batch of nothing: its answer brings the limits.
func (s *session) refresh() {
	s.batch.reset()
	s.submit()
}

// reject is called by the guard at a protocol error.
func (s *session) reject(err error) {
	s.batch.reset()
	s.batch.bad = err
	s.submit()
}

// The loop's side.

func (s *session) core() *peer { return &s.peer }

// handle takes a session's news.
func (s *session) handle(n news) {
	if n&newsConnect != 0 {
		s.loop.connect(s)
		s.loop.gate.fresh++
	}
	if n&newsBatch != 0 {
		s.take()
	}
	if n&newsWritten != 0 {
		s.loop.touch(s)
	}
	if n&newsClosed != 0 {
		s.over()
	}
}

// take runs a batch as far as the client may go, keeps the rest, and answers.
func (s *session) take() {
	s.loop.eng.CountNet(s.batch.read-s.counted, 0)
	s.counted = s.batch.read
	s.inBatch = true
	i := 0
	if !s.held() {
		s.running = true
		for more := true; more && i < len(s.batch.ends) && !s.gone; {
			var ran bool
			if ran, more = s.loop.deliver(s, s.batch.command(i)); ran {
				i++
			}
		}
		s.running = false
	}
	s.keep(i)
	s.settleBad()
	s.inBatch = false
	s.answer()
}

// held tells whether commands have to wait behind others.
func (s *session) held() bool {
	return s.gone || s.closing || s.running || len(s.kept) > 0 || s.eng.Waiting()
}

// keep copies the batch from its i-th command on.
func (s *session) keep(i int) {
	if s.gone || s.closing {
		return
	}
	for ; i < len(s.batch.ends); i++ {
		argv, size := copyCommand(s.batch.command(i))
		s.kept = append(s.kept, argv)
		s.keptLen += size
	}
	if s.batch.bad != nil {
		s.bad = s.batch.bad
	}
	if s.keptLen > s.loop.eng.Config().ClientQueryBufferLimit {
		s.loop.log(engine.LogWarning, "Closing client that reached max query buffer length")
		s.loop.drop(s)
	}
}

// settleBad answers a protocol error when nothing stands before it any more.
func (s *session) settleBad() {
	if s.bad != nil && !s.held() {
		s.loop.wrong(s, s.bad)
		s.bad = nil
	}
}

// answer lets the waiting goroutine go on, with the output there is.
func (s *session) answer() {
	if s.gone || s.lost || s.eng.CloseNow() {
		s.loop.drop(s)
		s.answers <- answer{close: true}
		return
	}
	s.unauth.Store(!s.eng.Authenticated())
	var a answer
	if s.output() {
		a = answer{write: len(s.chunks) > 0, close: s.closing}
	}
	s.answers <- a
}

// output takes the client's output if it can be written now. If so the turn is
// taken, and given back by whoever performs the answer. With its last output a
// client leaves, lest who reads that still finds it in the server.
func (s *session) output() bool {
	if s.eng.Pending() == 0 && !s.closing || !s.turnstile.enter() {
		return false
	}
	s.taken = s.eng.Pending()
	s.loop.eng.CountNet(0, int64(s.taken))
	for i, b := range s.chunks {
		s.eng.Recycle(b)
		s.chunks[i] = nil
	}
	s.chunks = s.eng.Output(s.chunks[:0])
	if s.closing {
		s.loop.leave(&s.peer)
	}
	return true
}

// flush is called when there is output although no batch of the client runs.
func (s *session) flush() {
	if s.inBatch || !s.output() {
		return
	}
	if s.jobs == nil {
		s.jobs = make(chan answer, 1)
		s.server.running.Add(1)
		go s.write(s.jobs)
	}
	s.jobs <- answer{write: len(s.chunks) > 0, close: s.closing}
}

// resume delivers what was kept.
func (s *session) resume() {
	s.running = true
	n := 0
	for more := true; more && n < len(s.kept); {
		var ran bool
		argv := s.kept[n]
		if ran, more = s.loop.deliver(s, argv); ran {
			s.keptLen -= sizeOf(argv)
			s.kept[n] = nil
			n++
		}
	}
	s.running = false
	if s.kept = s.kept[n:]; len(s.kept) == 0 {
		s.kept = nil
	}
	s.settleBad()
	if s.eng.CloseNow() || s.lost {
		s.loop.drop(s)
	}
}

// Held is part of engine.Holder.
func (s *session) Held() (read, room, output int) {
	if s.turnstile.state.Load() != turnFree {
		output = s.taken
	}
	return int(s.keptLen), 0, output
}

// cut closes the connection without waiting.
func (s *session) cut() {
	s.kept = nil
	s.raw.Close()
}

// over is the end: redcon has closed the connection.
func (s *session) over() {
	if s.running {
		s.lost = true
	} else {
		s.loop.forget(s)
	}
	if s.jobs != nil {
		close(s.jobs)
		s.jobs = nil
	}
	s.kept = nil
	s.loop.rules.clients.Add(-1)
	s.server.running.Done()
}

func sizeOf(argv [][]byte) (n int64) {
	for _, a := range argv {
		n += int64(len(a))
	}
	return n + int64(len(argv))*argumentOverhead
}

// argumentOverhead is what a kept argument costs besides its bytes.
const argumentOverhead = 24

// copyCommand copies a command into one block.
func copyCommand(argv [][]byte) (keptCommand, int64) {
	size := sizeOf(argv)
	block := make([]byte, 0, size-int64(len(argv))*argumentOverhead)
	out := make([][]byte, len(argv))
	for i, a := range argv {
		at := len(block)
		block = append(block, a...)
		out[i] = block[at:len(block):len(block)]
	}
	return out, size
}

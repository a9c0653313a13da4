package server

import (
	"errors"

	"minikv/engine"
	"minikv/resp"
)

// call is the link of a command that the embedding program runs itself: a
// client that lives as long as the command.
type call struct {
	peer
	loop  *loop
	argv  [][]byte // to be run
	reply chan callReply
}

type callReply struct {
	value resp.Value
	err   error
}

var errNoCommand = errors.New("minikv: no command given")

// Do runs one command in the engine and returns its reply; an error reply is a
// value, too. A blocking command waits for its time-out, or for the end of the
// server.
func (s *Server) Do(args ...string) (resp.Value, error) {
	if len(args) == 0 {
		return resp.Value{}, errNoCommand
	}
	if err := s.Listen(); err != nil {
		return resp.Value{}, err
	}
	argv := make([][]byte, len(args))
	for i, a := range args {
		argv[i] = []byte(a)
	}
	c := &call{loop: s.loop, reply: make(chan callReply, 1)}
	if !s.loop.inbox.call(func() { c.start(argv) }) {
		return resp.Value{}, ErrClosed
	}
	r := <-c.reply
	return r.value, r.err
}

// Run runs f in the goroutine that owns the engine, between two commands, and
// returns when it is done. f must not keep the engine, nor call into the server.
func (s *Server) Run(f func(e *engine.Engine, now int64)) error {
	return s.inLoop(func() { f(s.loop.eng, s.loop.now()) })
}

// Wake tells the server that its Clock has moved: it does what has become due.
// When Wake returns, it is done.
func (s *Server) Wake() error { return s.inLoop(s.loop.catchUp) }

func (s *Server) inLoop(f func()) error {
	if err := s.Listen(); err != nil {
		return err
	}
	done := make(chan struct{})
	if !s.loop.inbox.call(func() {
		s.loop.between(func() {
			defer close(done)
			f()
		})
	}) {
		return ErrClosed
	}
	select {
	case <-done:
		return nil
	case <-s.loopDone:
	}
	select {
	case <-done:
		return nil
	default:
		return ErrClosed
	}
}

func (c *call) start(argv [][]byte) {
	c.info = engine.ConnInfo{Addr: "embedded:0", LAddr: "embedded:0", Local: true, Trusted: true}
	c.loop.connect(c)
	c.argv = argv
	c.resume()
	c.loop.touch(c)
}

func (c *call) core() *peer { return &c.peer }

// resume runs the command, again if CLIENT PAUSE has held it back.
func (c *call) resume() {
	if c.argv == nil {
		return
	}
	c.running = true
	if ran, _ := c.loop.deliver(c, c.argv); ran {
		c.argv = nil
	}
	c.running = false
	if c.lost {
		c.loop.drop(c)
	}
}

// flush ends the call once the reply is there.
func (c *call) flush() {
	if c.argv != nil || c.eng.Waiting() {
		return
	}
	var out []byte
	for _, b := range c.eng.Output(nil) {
		out = append(out, b...)
	}
	if len(out) == 0 && c.eng.Closing() {
		c.loop.drop(c)
		return
	}
	r := callReply{value: resp.Value{Nil: true}}
	if len(out) > 0 {
		r.value, _, r.err = resp.Decode(out)
	}
	c.loop.forget(c)
	c.reply <- r
}

// cut answers a call whose client was closed.
func (c *call) cut() { c.reply <- callReply{err: ErrClosed} }

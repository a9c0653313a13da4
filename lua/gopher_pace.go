package lua

import "time"

// pacer stops a script that has run for long enough.
//
// Idea: gopher-lua asks its context for Done before each instruction. So a
// context that counts the questions needs no clock and no goroutine: every
// paceInterval instructions it asks the host whether to go on. Long library
// functions count their own steps through work.
//
// Once the host has said stop, every further instruction fails, so that a
// script cannot go on by catching the error.
type pacer struct {
	m    *gopher
	left int
	stop string // the host's word, once given
}

const paceInterval = 100_000

var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

func (p *pacer) start() { p.left, p.stop = paceInterval, "" }

// Done counts one instruction.
func (p *pacer) Done() <-chan struct{} {
	if p.left--; p.left > 0 {
		return nil
	}
	return p.ask()
}

func (p *pacer) ask() <-chan struct{} {
	if p.stop == "" {
		p.stop = p.m.run.host.Busy()
	}
	if p.stop == "" {
		p.left = paceInterval
		return nil
	}
	p.left = 0
	return closed
}

// work counts n steps of a library function and tells whether to stop.
func (p *pacer) work(n int) bool {
	p.left -= n
	return p.left <= 0 && p.ask() != nil
}

// Err returns the host's word.
func (p *pacer) Err() error { return stopError(p.stop) }

// Deadline and Value complete a context.Context: there is neither.
func (p *pacer) Deadline() (time.Time, bool) { return time.Time{}, false }
func (p *pacer) Value(any) any               { return nil }

type stopError string

func (e stopError) Error() string { return string(e) }

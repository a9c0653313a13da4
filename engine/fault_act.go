package engine

import (
	"errors"
	"time"
)

// What faultGate answers besides errors for the client.
var (
	errDelayed = errors.New("command delayed")
	errCut     = errors.New("connection closed instead of running the command")
)

// act does what a fault does before its command runs, and prepares what it
// does after.
func (f *fault) act(c *Ctx) error {
	s := &c.cl.spoiled
	switch f.Action {
	case FaultError:
		return wireError(plainLine(f.Text))
	case FaultMoved:
		return f.redirection(c, "MOVED")
	case FaultAsk:
		return f.redirection(c, "ASK")
	case FaultCloseBefore:
		c.e.noted(c, "fault %d: not run, connection closed", f.ID)
		return errCut
	case FaultDelay:
		if f.Delay == 0 {
			return nil
		}
		c.e.noted(c, "fault %d: delayed by %v", f.ID, f.Delay)
		if f.Real {
			s.real = f.Delay
		} else {
			s.delay = c.e.faults.delays.Add(c.nowMS()+(f.Delay+time.Millisecond-1).Milliseconds(), c.cl)
		}
		return errDelayed
	}
	s.by, s.from = f, c.cl.out.Mark()
	return nil
}

// spoil takes back from a reply what its fault does not let through. It is
// called once the reply stands: at the end of the command, or of its wait.
func (e *Engine) spoil(cl *Client) {
	s := &cl.spoiled
	f := s.by
	s.by = nil
	var head []byte
	if f.Action == FaultTruncate {
		reply := cl.out.Since(s.from)
		head = append(head, reply[:min(f.Bytes, len(reply))]...)
	}
	cl.out.Truncate(s.from)
	cl.out.Raw(head)
	if f.Action == FaultNoReply {
		s.silent = true
		return
	}
	cl.closing = true
	e.awake(cl)
}

// RealDelay is for how long, in real time, the command for which Do has
// answered Paused is to be kept back; 0: nobody has said so. The loop then
// calls EndDelay.
func (cl *Client) RealDelay() time.Duration {
	d := cl.spoiled.real
	cl.spoiled.real = 0
	return d
}

// EndDelay lets a client's command run for which RealDelay has told a time.
func (e *Engine) EndDelay(cl *Client) {
	if !cl.closed {
		e.journal(JournalRelease, e.now, cl, nil, nil)
		e.release(cl)
	}
}

// release lets a client's delayed command run.
func (e *Engine) release(cl *Client) {
	s := &cl.spoiled
	if s.delay != nil {
		e.faults.delays.Remove(s.delay)
		s.delay = nil
	}
	s.delayed, cl.paused = true, false
	e.awake(cl)
}

// endDelays lets commands run whose delay is over, at most so many, and
// answers how many.
func (e *Engine) endDelays(budget int) (n int) {
	for ; n < budget; n++ {
		d := e.faults.delays.Min()
		if d == nil || d.At() > e.nowMS() {
			break
		}
		e.release(d.Owner)
	}
	return n
}

// endAllDelays lets all delayed commands run.
func (e *Engine) endAllDelays() {
	for d := e.faults.delays.Min(); d != nil; d = e.faults.delays.Min() {
		e.release(d.Owner)
	}
}

// forgetFaults takes from a client what faults had in store for it.
func (e *Engine) forgetFaults(cl *Client) {
	if d := cl.spoiled.delay; d != nil {
		e.faults.delays.Remove(d)
	}
	cl.spoiled = spoiling{}
}

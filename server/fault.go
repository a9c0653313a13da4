package server

import (
	"time"

	"minikv/engine"
)

// Fault says which commands go wrong, and how: see its fields.
type Fault = engine.Fault

// FaultStatus is a fault that was added and what became of it.
type FaultStatus = engine.FaultStatus

// What a fault does: Fault.Action.
const (
	FaultError       = engine.FaultError
	FaultMoved       = engine.FaultMoved
	FaultAsk         = engine.FaultAsk
	FaultDelay       = engine.FaultDelay
	FaultNoReply     = engine.FaultNoReply
	FaultCloseBefore = engine.FaultCloseBefore
	FaultCloseAfter  = engine.FaultCloseAfter
	FaultTruncate    = engine.FaultTruncate
)

// AddFault makes commands go wrong from now on, as MINIKV.FAULT ADD does, and
// answers the id by which the fault can be removed.
func (s *Server) AddFault(f Fault) (id int64, err error) {
	if running := s.Run(func(e *engine.Engine, _ int64) { id, err = e.AddFault(f) }); running != nil {
		return 0, running
	}
	return id, err
}

// Faults lists the faults with how many commands matched and went wrong.
func (s *Server) Faults() (list []FaultStatus, err error) {
	err = s.Run(func(e *engine.Engine, _ int64) { list = e.Faults() })
	return list, err
}

// RemoveFault removes a fault; false: there is none with this id.
func (s *Server) RemoveFault(id int64) (removed bool, err error) {
	err = s.Run(func(e *engine.Engine, _ int64) { removed = e.RemoveFault(id) })
	return removed, err
}

// delayed keeps a command back for as long as a fault says in real time. A delay
// of the server's own time the engine ends by itself.
func (l *loop) delayed(cl *engine.Client) {
	d := cl.RealDelay()
	if d == 0 {
		return
	}
	time.AfterFunc(d, func() {
		l.inbox.call(func() { l.eng.EndDelay(cl) })
	})
}

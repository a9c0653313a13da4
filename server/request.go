package server

import (
	"time"

	"minikv/engine"
	"minikv/resp"
)

// perform does what a command asked of the outside. It tells whether its
// client may go on at once.
func (l *loop) perform(k link) (more bool) {
	cl := k.core().eng
	request := cl.Request()
	switch request.Kind {
	case engine.RequestSleep:
		l.hold(time.Duration(request.Micros) * time.Microsecond)
		l.eng.Complete(cl, l.now(), func(out *resp.Writer) { out.Status("OK") })
	case engine.RequestShutdown:
		if request.Save && !request.Force {
			l.log(engine.LogWarning, "SHUTDOWN SAVE refused: there is no disk to save to")
			l.eng.Complete(cl, l.now(), func(out *resp.Writer) { out.Error("ERR Errors trying to SHUTDOWN. Check logs.") })
			break
		}
		k.core().closing = true
		l.quit()
	default:
		l.eng.Complete(cl, l.now(), func(out *resp.Writer) {
			out.Error("ERR this server has no disk to write to")
		})
	}
	return !cl.Waiting() && !k.core().closing
}

// hold is DEBUG SLEEP: nobody is served for a while, as in Redis. Only the
// server's end cuts it short.
func (l *loop) hold(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.ending:
	}
	l.look()
}

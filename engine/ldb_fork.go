package engine

// fork makes the engine of a forked session and its client: everything is as it
// is now, and nothing that happens there is seen here. The values are shared:
// each side copies one before it changes it.
//
// DIFFERS: in a forked debugging session nobody is subscribed to anything, so that PUBLISH answers 0.
func (s *debugSession) fork() (*Engine, *Client) {
	home := s.home
	home.snapshot.epoch++
	home.snapshot.live++
	s.shared = &Snapshot{e: home}
	e := New(Options{Config: home.conf.Clone(), Env: forkEnv{home}, RunID: home.opt.RunID, Log: home.opt.Log})
	e.now, e.start, *e.pcg = s.started, home.start, *home.pcg
	e.activeExpireOff, e.settings = true, home.settings
	e.snapshot = snapshotState{epoch: home.snapshot.epoch, live: 1}
	e.setClosedGates()
	e.unit++ // for good: nobody waits there
	for i, db := range home.dbs {
		shot := db.snapshot()
		e.dbs[i].restore(&shot, false)
	}
	cl := e.Connect(s.started, s.cl.conn)
	state := s.cl.copyState()
	cl.setState(&Client{id: s.cl.id, created: state.created, seen: state.seen, authed: state.authed, user: state.user, name: state.name}, e.dbs[s.cl.db.id])
	cl.setProto(s.cl.out.Proto())
	home.detach(s.cl)
	return e, cl
}

// detach takes a client out of all lists of the engine but those of the loop, as
// Redis does once a forked process has its connection.
func (e *Engine) detach(cl *Client) {
	e.unwatch(cl)
	e.unsubscribeAll(cl)
	e.untrack(cl)
	e.unmonitor(cl)
	delete(e.clients, cl.id)
}

// forkEnv is what a fork may ask of the world.
type forkEnv struct{ home *Engine }

func (f forkEnv) Elapsed() int64 { return f.home.env.Elapsed() }
func (f forkEnv) Busy()          {}

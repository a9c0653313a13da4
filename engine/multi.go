package engine

// Transactions. Between MULTI and EXEC commands are checked and kept; EXEC
// runs them as one unit, between which nothing else can happen. It does not
// roll back: a command that fails leaves those before and after it done. WATCH
// makes EXEC conditional: if any watched key was changed, deleted, flushed,
// swapped away or has expired since, EXEC runs nothing and answers nil.

// multiState is a client's open transaction.
type multiState struct {
	open    bool
	aborted bool // a command was refused while queueing: EXEC will abort
	failed  bool // a watched key changed: EXEC will answer nil
	cmds    []queuedCommand
	flags   Flag // of all queued commands together
	bytes   int
}

type queuedCommand struct {
	cmd  *Command
	argv [][]byte
}

// watchedKey is one key that a client watches.
type watchedKey struct {
	db      *DB
	key     string
	expired bool // it stood there but its time was over already when WATCH came
}

// queue keeps a command for EXEC.
func (m *multiState) queue(c *Ctx) {
	if m.aborted || m.failed {
		return // it will never run: do not keep it
	}
	for _, a := range c.argv {
		m.bytes += len(a)
	}
	m.cmds = append(m.cmds, queuedCommand{c.cmd, copyArgv(c.argv)})
	m.flags |= c.flags()
}

// reset ends the transaction. What WATCH found out stays until unwatch.
func (m *multiState) reset() {
	*m = multiState{failed: m.failed}
}

// watch adds a key to those that the client's EXEC depends on.
func (e *Engine) watch(cl *Client, db *DB, key string) {
	for _, w := range cl.watched {
		if w.db == db && w.key == key {
			return
		}
	}
	en := db.keys.GetString(key)
	cl.watched = append(cl.watched, watchedKey{db, key, en != nil && db.due(en)})
	db.watchers[key] = append(db.watchers[key], cl)
}

// unwatch forgets all watched keys of a client, and that any of them changed.
func (e *Engine) unwatch(cl *Client) {
	for _, w := range cl.watched {
		list := w.db.watchers[w.key]
		for i, other := range list {
			if other == cl {
				list = append(list[:i], list[i+1:]...)
				break
			}
		}
		if len(list) == 0 {
			delete(w.db.watchers, w.key)
		} else {
			w.db.watchers[w.key] = list
		}
	}
	cl.watched = nil
	cl.multi.failed = false
}

// failWatchers makes the EXEC of everyone who watches key answer nil.
// A key whose time was over at WATCH already may go without that being a change.
func (db *DB) failWatchers(key []byte) {
	for _, cl := range db.watchers[string(key)] {
		if !cl.multi.failed {
			cl.multi.failed = !cl.sawExpired(db, key)
		}
	}
}

// sawExpired tells whether what happened to a watched key is only that it went
// whose time had been over at WATCH; to go again would be a change.
func (cl *Client) sawExpired(db *DB, key []byte) bool {
	for i := range cl.watched {
		w := &cl.watched[i]
		if w.db == db && w.key == string(key) {
			expired := w.expired
			w.expired = false
			return expired && db.keys.Get(key) == nil
		}
	}
	return false
}

// watchedExpired tells whether a watched key's time has run out since WATCH,
// whether or not anything has deleted it yet.
func (e *Engine) watchedExpired(cl *Client) bool {
	for _, w := range cl.watched {
		if w.expired {
			continue
		}
		if en := w.db.keys.GetString(w.key); en != nil && w.db.due(en) {
			return true
		}
	}
	return false
}

package engine

// What becomes of the clients of a user that is removed or changed. Other
// permissions are looked at when a command comes; subscriptions go on without
// one, so that who has one that its user may not have any more is closed.

// expel closes all clients of a user that no longer exists: asker, whose
// command did it, after its answer.
func (e *Engine) expel(u *user, asker *Client) {
	for _, cl := range e.clientsByID() {
		if cl.user != u {
			continue
		}
		cl.user, cl.authed = e.acl.def, false
		if cl == asker {
			cl.closing = true
			continue
		}
		e.kill(cl)
	}
}

// expelListeners closes the clients that listen to what their user will not be
// allowed to hear.
func (e *Engine) expelListeners(u, changed *user) {
	for _, cl := range e.clientsByID() {
		if cl.user == u && !changed.mayHearAll(&cl.subs) {
			e.kill(cl)
		}
	}
}

// mayHearAll tells whether each subscription is allowed by some selector.
func (u *user) mayHearAll(subs *subscriptions) bool {
	selectors := u.all()
	may := func(channel string, literal bool) bool {
		for _, s := range selectors {
			if s.allowsChannel([]byte(channel), literal) {
				return true
			}
		}
		return false
	}
	for pattern := range subs.patterns {
		if !may(pattern, true) {
			return false
		}
	}
	for channel := range subs.channels {
		if !may(channel, false) {
			return false
		}
	}
	for channel := range subs.shards {
		if !may(channel, false) {
			return false
		}
	}
	return true
}

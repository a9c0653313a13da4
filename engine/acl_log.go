package engine

import "slices"

// accessLog is ACL LOG: what users were refused, the newest first. What happens
// again and again makes one entry, as long as it does so within a minute.
type accessLog struct {
	entries []*accessEntry
	nextID  int64
	denied  [deniedChannel + 1]int64 // INFO, since 7.2
}

// accessEntry is one kind of refusal.
type accessEntry struct {
	id            int64
	count         int64
	why           deniedWhy
	context       string
	object        string // the command, key or channel; for a failed login the command
	user          string
	created, last int64  // milliseconds
	client        string // the last client, as CLIENT LIST shows it
}

const (
	// sameWithin is how long an entry waits for more of its kind, in milliseconds.
	sameWithin = 60_000
	// sameAmong is how many of the newest entries are compared.
	sameAmong = 10
)

func (l *accessLog) clone() accessLog {
	c := *l
	c.entries = slices.Clone(l.entries)
	for i, en := range c.entries {
		copied := *en
		c.entries[i] = &copied
	}
	return c
}

// add notes a refusal. If it is a new one, at most limit entries are kept.
func (l *accessLog) add(en *accessEntry, limit int64) {
	if i := l.like(en); i >= 0 {
		known := l.entries[i]
		known.count++
		known.last, known.client = en.last, en.client
		copy(l.entries[1:i+1], l.entries[:i])
		l.entries[0] = known
		return
	}
	en.id = l.nextID
	l.nextID++
	l.entries = slices.Insert(l.entries, 0, en)
	if int64(len(l.entries)) > limit {
		clear(l.entries[limit:])
		l.entries = l.entries[:limit]
	}
}

// like finds a recent entry of the same kind, or -1.
func (l *accessLog) like(en *accessEntry) int {
	return slices.IndexFunc(l.entries[:min(len(l.entries), sameAmong)], func(known *accessEntry) bool {
		age := en.last - known.last
		return known.why == en.why && known.context == en.context && -sameWithin <= age && age <= sameWithin &&
			known.object == en.object && known.user == en.user
	})
}

// logDenial notes what a user was refused.
func (c *Ctx) logDenial(d denial, user string) {
	c.e.acl.log.denied[d.why]++
	en := &accessEntry{
		count: 1, why: d.why, context: "toplevel", object: c.cmd.FullName(), user: user,
		created: c.nowMS(), last: c.nowMS(), client: c.cl.info(),
	}
	switch {
	case c.source == FromScript:
		en.context = "lua"
	case c.cl.multi.open:
		en.context = "multi"
	}
	if d.why != deniedCommand {
		en.object = string(c.argv[d.pos])
	}
	c.e.acl.log.add(en, c.e.conf.ACLLogMaxLen)
}

// denials counts refusals by what was lacking, as Redis does since 7.2.
func (w *infoWriter) denials() {
	if !w.e.namesUsers() {
		return
	}
	denied := &w.e.acl.log.denied
	w.line("acl_access_denied_auth", denied[deniedAuth])
	w.line("acl_access_denied_cmd", denied[deniedCommand])
	w.line("acl_access_denied_key", denied[deniedKey])
	w.line("acl_access_denied_channel", denied[deniedChannel])
}

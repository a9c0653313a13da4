package engine

// deniedWhy is what a user lacks, the graver the greater: of several selectors
// the one that came farthest tells why none allows a command.
type deniedWhy uint8

const (
	granted deniedWhy = iota
	deniedCommand
	deniedKey
	deniedAuth
	deniedChannel
)

var deniedNames = [...]string{deniedCommand: "command", deniedKey: "key", deniedAuth: "auth", deniedChannel: "channel"}

func (w deniedWhy) String() string { return deniedNames[w] }

// denial is why a command is refused, and which argument made it so.
type denial struct {
	why deniedWhy
	pos int
}

// ChannelSpec says which arguments of a command are channels: from First on,
// Last included (below 0: counted from the end). First 0: there are none.
type ChannelSpec struct {
	First, Last int
	Pattern     bool // they are patterns
}

// aclGate refuses what the client's user may not do.
func aclGate(c *Ctx) error {
	if !c.cl.user.limited {
		return nil
	}
	d := c.e.check(c.cl.user, c.cmd, c.argv)
	if d.why == granted {
		return nil
	}
	c.cl.lastCmd = c.cmd // the log tells it of the client
	c.logDenial(d, c.cl.user.name)
	return c.e.errNoPermission(c.cl.user, c.cmd, d.why)
}

// check tells whether a user may run a command line.
func (e *Engine) check(u *user, cmd *Command, argv [][]byte) (worst denial) {
	if !u.limited {
		return denial{}
	}
	k := &keysOnce{e: e, cmd: cmd, argv: argv}
	if worst = u.root.check(k); worst.why == granted {
		return worst
	}
	for _, s := range u.selectors {
		d := s.check(k)
		switch {
		case d.why == granted:
			return d
		case d.why > worst.why, d.why == worst.why && d.pos > worst.pos:
			worst = d
		}
	}
	return worst
}

// keysOnce is a command line whose keys are looked for once, if at all.
type keysOnce struct {
	e     *Engine
	cmd   *Command
	argv  [][]byte
	found bool
}

// keys are the keys of the line; none if it makes no sense, which its handler
// will say.
func (k *keysOnce) keys() []KeyRef {
	if !k.found {
		k.found = true
		refs, ok := k.cmd.keysOf(k.argv, k.e.acl.refs[:0])
		if !ok {
			refs = refs[:0]
		}
		k.e.acl.refs = refs
	}
	return k.e.acl.refs
}

// check tells whether a selector allows a command line.
func (s *selector) check(k *keysOnce) denial {
	if !s.allows(k.cmd, k.argv) {
		return denial{why: deniedCommand}
	}
	if !s.allKeys {
		for _, ref := range k.keys() {
			if !s.allowsKey(k.argv[ref.Pos], ref.Flags) {
				return denial{deniedKey, ref.Pos}
			}
		}
	}
	if spec := &k.cmd.Channels; spec.First > 0 && !s.allChannels {
		last := spec.Last
		if last < 0 {
			last += len(k.argv)
		}
		for i := spec.First; i <= last; i++ {
			if !s.allowsChannel(k.argv[i], spec.Pattern) {
				return denial{deniedChannel, i}
			}
		}
	}
	return denial{}
}

// recheckBlocked is the check of a command that runs again since a key that it
// waited for has changed: Redis 7.2 makes it.
func (c *Ctx) recheckBlocked() error {
	if !c.cl.user.limited || !c.e.namesUsers() {
		return nil
	}
	return aclGate(c)
}

// mayReadAllKeys tells whether a command may read keys that no argument names:
// SORT's BY and GET make them of the elements that they find.
func (c *Ctx) mayReadAllKeys() bool {
	u := c.cl.user
	if !u.limited {
		return true
	}
	for _, s := range u.all() {
		if s.allows(c.cmd, c.argv) && s.readsAllKeys() {
			return true
		}
	}
	return false
}

func (s *selector) readsAllKeys() bool {
	if s.allKeys {
		return true
	}
	for i := range s.keys {
		if s.keys[i].read && s.keys[i].pattern == "*" {
			return true
		}
	}
	return false
}

// recheckExec is the check of a queued command when EXEC comes to it.
func (c *Ctx) recheckExec() error {
	d := c.e.check(c.cl.user, c.cmd, c.argv)
	if d.why == granted {
		return nil
	}
	c.logDenial(d, c.cl.user.name)
	return errRulesChanged(d.why)
}

// checkScript is the check of a script's command.
func (c *Ctx) checkScript() error {
	d := c.e.check(c.cl.user, c.cmd, c.argv)
	if d.why == granted {
		return nil
	}
	c.logDenial(d, c.cl.user.name)
	return c.e.errScriptPermission(c.cl.user, c.cmd, d.why)
}

package engine

import (
	"fmt"
)

// The slow log keeps the last commands that ran for slowlog-log-slower-than
// microseconds or longer: newest first, at most slowlog-max-len of them, with
// long arguments and long argument lists cut short.

// slowEntry is one command of the slow log.
type slowEntry struct {
	id     int64
	at     int64 // unix seconds
	micros int64
	argv   [][]byte
	addr   string
	name   string
}

type slowLog struct {
	entries []slowEntry // the oldest first
	nextID  int64
}

// What an entry keeps of a command, as in Redis.
const (
	slowArgs     = 32
	slowArgBytes = 128
)

// note takes down a finished execution if it was slow.
func (s *slowLog) note(c *Ctx, micros int64) {
	conf := c.e.conf
	if conf.SlowlogLogSlowerThan < 0 || micros < conf.SlowlogLogSlowerThan || c.cmd.Flags&SkipSlowlog != 0 {
		return
	}
	en := slowEntry{id: s.nextID, at: c.e.now / 1_000_000, micros: micros, argv: c.slowArgv(), addr: c.cl.conn.Addr, name: c.cl.name}
	if c.source == FromScript {
		en.addr, en.name = "?:0", "" // a script's commands have no connection of their own
	}
	s.nextID++
	s.entries = append(s.entries, en)
	if over := len(s.entries) - int(min(conf.SlowlogMaxLen, int64(len(s.entries)))); over > 0 {
		clear(s.entries[:over])
		s.entries = s.entries[over:]
	}
}

func (s *slowLog) reset() { s.entries = nil }

// slowArgv is a copy of the command's arguments, shortened, without secrets.
func (c *Ctx) slowArgv() [][]byte {
	argv := c.argv
	if len(argv) > slowArgs {
		argv = argv[:slowArgs-1]
	}
	kept := make([][]byte, 0, len(argv)+1)
	for i, arg := range argv {
		switch {
		case c.isSecret(i):
			arg = []byte("(redacted)")
		case len(arg) > slowArgBytes:
			arg = fmt.Appendf(nil, "%s... (%d more bytes)", arg[:slowArgBytes], len(arg)-slowArgBytes)
		}
		kept = append(kept, arg)
	}
	if left := len(c.argv) - len(argv); left > 0 {
		kept = append(kept, fmt.Appendf(nil, "... (%d more arguments)", left))
	}
	return copyArgv(kept)
}

// secret says that argv[i] is a password: logs show it redacted.
func (c *Ctx) secret(i int) { c.secrets = append(c.secrets, i) }

// secretFrom says so of all arguments from argv[i] on.
func (c *Ctx) secretFrom(i int) { c.hidden = i }

func (c *Ctx) isSecret(i int) bool {
	if c.hidden > 0 && i >= c.hidden {
		return true
	}
	for _, s := range c.secrets {
		if s == i {
			return true
		}
	}
	return false
}

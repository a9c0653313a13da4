package engine

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"

	"minikv/value"
)

func streamIdempotence() []*Command {
	return []*Command{
		{Name: "XCFGSET", Arity: -2, Flags: Write | Fast, Keys: key(1, RW|Update), Group: Stream, Since: "8.6.0",
			Syntax:     "key [IDMP-DURATION seconds] [IDMP-MAXSIZE count]",
			Summary:    "Sets for how long, and how many, names of entries a stream remembers.",
			Complexity: "O(N) for N names that are forgotten", Handler: cmdXCfgSet},
		{Name: "XIDMPRECORD", Arity: 5, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Update), Group: Stream, Since: "8.8.0",
			Syntax:     "key pid iid stream-id:string",
			Summary:    "Remembers under which name an entry was added. For replication.",
			Complexity: "O(1)", Handler: cmdXIdmpRecord},
	}
}

// idempotent is the name that a producer gives an entry: IDMP and IDMPAUTO.
type idempotent struct {
	given     bool
	pid, name []byte
	auto      bool // the name is made from the fields and values
}

// option reads IDMP or IDMPAUTO; false if the next word is neither.
func (p *idempotent) option(a *Scanner) bool {
	word := "IDMPAUTO"
	switch {
	case a.WordWith("IDMP", 2):
		word = "IDMP"
	case a.WordWith("IDMPAUTO", 1):
		p.auto = true
	default:
		return false
	}
	if p.given {
		a.Fail(errIdmpTwice)
		return true
	}
	p.given = true
	if p.pid = a.Next(); len(p.pid) == 0 {
		a.Fail(errorf("ERR %s requires a non-empty producer ID", word))
	}
	if !p.auto {
		if p.name = a.Next(); len(p.name) == 0 {
			a.Fail(errIdmpName)
		}
	}
	return true
}

// nameOf makes a name from fields and values, in their order.
func nameOf(pairs [][]byte) []byte {
	h := sha256.New()
	var size [8]byte
	for _, p := range pairs {
		binary.LittleEndian.PutUint64(size[:], uint64(len(p)))
		h.Write(size[:])
		h.Write(p)
	}
	return h.Sum(nil)
}

// idempotenceLimits is what a stream has, or the configuration.
func (c *Ctx) idempotenceLimits(s *value.Stream) value.IdempotenceLimits {
	conf := c.e.conf
	return s.IdempotenceLimits(value.IdempotenceLimits{Duration: conf.StreamIdmpDuration * 1000, MaxSize: conf.StreamIdmpMaxSize})
}

// recall answers the ID of an entry that was added before; false if it was not.
func (c *Ctx) recall(p *idempotent, en *Entry) bool {
	if !p.given || en == nil {
		return false
	}
	s := c.streamToWrite(en)
	id, ok := s.Recall(c.idempotenceLimits(s), c.nowMS(), p.pid, p.name)
	if ok {
		c.bulkID(id)
	}
	return ok
}

// remember notes under which name an entry was added.
func (c *Ctx) remember(p *idempotent, key []byte, s *value.Stream, id value.StreamID) {
	if p.given {
		s.Remember(c.idempotenceLimits(s), c.nowMS(), p.pid, p.name, id)
		c.effect([]byte("XIDMPRECORD"), key, p.pid, p.name, id.Append(nil))
	}
}

// idempotenceSettings reads the options of XCFGSET; one that is not given is 0.
func (a *Scanner) idempotenceSettings() (limits value.IdempotenceLimits, err error) {
	const longest, most = 86_400, 10_000
	for a.More() {
		switch {
		case a.WordWith("IDMP-DURATION", 1):
			limits.Duration = 1000 * a.IntIn(1, longest, errIdmpDuration)
		case a.WordWith("IDMP-MAXSIZE", 1):
			limits.MaxSize = a.IntIn(1, most, errIdmpMaxSize)
		default:
			a.Syntax()
		}
	}
	if limits == (value.IdempotenceLimits{}) {
		a.Syntax()
	}
	return limits, a.Err()
}

func cmdXCfgSet(c *Ctx) error {
	a := c.Scan()
	key := a.Next()
	limits, err := a.idempotenceSettings()
	if err != nil {
		return err
	}
	en, err := c.Write(key, value.KindStream)
	switch {
	case err != nil:
		return err
	case en == nil:
		return errNoSuchKey
	}
	s := c.streamToWrite(en)
	had := c.idempotenceLimits(s)
	limits.Duration = cmp.Or(limits.Duration, had.Duration)
	limits.MaxSize = cmp.Or(limits.MaxSize, had.MaxSize)
	s.SetIdempotenceLimits(limits, had)
	c.e.stats.dirty++
	return c.ok()
}

func cmdXIdmpRecord(c *Ctx) error {
	a := c.Scan()
	key, pid, name, id := a.Next(), a.Next(), a.Next(), a.streamID(0)
	switch {
	case a.err != nil:
		return a.err
	case len(pid) == 0:
		return errIdmpProducer
	case len(name) == 0:
		return errIdmpName
	}
	en, err := c.Write(key, value.KindStream)
	switch {
	case err != nil:
		return err
	case en == nil:
		return errNoSuchKey
	case !en.Val.stream().Has(id):
		return errIdmpNoEntry
	}
	s := c.streamToWrite(en)
	limits := c.idempotenceLimits(s)
	switch old, known := s.Recall(limits, c.nowMS(), pid, name); {
	case known && old != id:
		return errIdmpOther
	case !known:
		s.Remember(limits, c.nowMS(), pid, name, id)
		c.e.stats.dirty++
	}
	return c.ok()
}

// infoIdempotence answers what a stream tells of its producers: six pairs.
func (c *Ctx) infoIdempotence(s *value.Stream) {
	limits := c.idempotenceLimits(s)
	st := s.IdempotenceStats(limits, c.nowMS())
	c.infoInt("idmp-duration", limits.Duration/1000)
	c.infoInt("idmp-maxsize", limits.MaxSize)
	c.infoInt("pids-tracked", int64(st.Producers))
	c.infoInt("iids-tracked", int64(st.Names))
	c.infoInt("iids-added", int64(st.Added))
	c.infoInt("iids-duplicates", int64(st.Duplicates))
}

// knowsIdempotence tells whether the emulated version tells of producers.
func (c *Ctx) knowsIdempotence() bool { return c.e.table.ver.from(version{major: 8, minor: 6}) }

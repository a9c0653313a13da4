package engine

import (
	"minikv/value"
)

func hllDebugging() []*Command {
	return []*Command{
		{Name: "PFDEBUG", Arity: 3, Flags: Write | DenyOOM | Admin, Keys: key(2, RW|Access), Group: HyperLogLog, Since: "2.8.9",
			Syntax: "subcommand key", Summary: "Shows a HyperLogLog from inside: its registers, runs and encoding.", Complexity: "N/A", Handler: cmdPFDebug},
		{Name: "PFSELFTEST", Arity: 1, Flags: Admin, Group: HyperLogLog, Since: "2.8.9",
			Summary: "Tries whether HyperLogLogs keep what they are given and count as exactly as they should.", Complexity: "N/A", Handler: cmdPFSelfTest},
	}
}

func cmdPFDebug(c *Ctx) error {
	a := c.Scan()
	pos := a.pos
	a.Next()
	name := a.Next()
	en := c.LookupWrite(name)
	if en == nil {
		return errNoSpecifiedKey
	}
	if _, err := hyperLogLog(en); err != nil {
		return err
	}
	en, h := c.openHLL(en)
	a.pos = pos
	switch {
	case a.Word("GETREG"):
		return c.registersHLL(en, h)
	case a.Word("DECODE"):
		if h.IsDense() {
			return errNotSparse
		}
		c.out.BulkString(h.Decode())
	case a.Word("ENCODING"):
		c.out.Status(encodingHLL(h))
	case a.Word("TODENSE"):
		sparse := !h.IsDense()
		if _, err := c.densifyHLL(en, h); err != nil {
			return err
		}
		return c.bool(sparse)
	default:
		return errUnknownPFDebug(c.argv[1])
	}
	return nil
}

func encodingHLL(h value.HyperLogLog) string {
	if h.IsDense() {
		return "dense"
	}
	return "sparse"
}

// densifyHLL makes an entry's HyperLogLog dense. It has no event.
func (c *Ctx) densifyHLL(en *Entry, h value.HyperLogLog) (value.HyperLogLog, error) {
	if h.IsDense() {
		return h, nil
	}
	h, ok := h.ToDense()
	if !ok {
		return nil, errCorruptHLL
	}
	en.Val.setBytes(h)
	c.db.changed(en.KeyBytes(), 0, "")
	return h, nil
}

// registersHLL answers all registers. As in Redis it is dense afterwards.
func (c *Ctx) registersHLL(en *Entry, h value.HyperLogLog) error {
	h, err := c.densifyHLL(en, h)
	if err != nil {
		return err
	}
	var all value.Registers
	all.Merge(h)
	c.out.Array(len(all))
	for _, rank := range all {
		c.out.Int(int64(rank))
	}
	return nil
}

func cmdPFSelfTest(c *Ctx) error {
	if err := value.TestHyperLogLog(c.e.rand.Uint64()); err != nil {
		return errorf("TESTFAILED %s", err)
	}
	return c.ok()
}

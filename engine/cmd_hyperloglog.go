package engine

import (
	"slices"

	"minikv/value"
)

func hyperLogLogCommands() []*Command {
	return slices.Concat(hllCounting(), hllDebugging())
}

func hllCounting() []*Command {
	return []*Command{
		{Name: "PFADD", Arity: -2, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Insert), Group: HyperLogLog, Since: "2.8.9",
			Syntax: "key [element [element ...]]", Summary: "Shows elements to a HyperLogLog, which is made if need be.",
			Complexity: "O(1) for each element", Handler: cmdPFAdd},
		{Name: "PFCOUNT", Arity: -2, Flags: ReadOnly | MayReplicate,
			Keys:  noted("RW because it may change the internal representation of the key, and propagate to replicas", keys(1, -1, 1, RW|Access)),
			Group: HyperLogLog, Since: "2.8.9", Syntax: "key [key ...]", Summary: "Estimates how many different elements HyperLogLogs have seen together.",
			Complexity: "O(1) for one key, else O(N) for N keys", Handler: cmdPFCount},
		{Name: "PFMERGE", Arity: -2, Flags: Write | DenyOOM, Keys: specs(key(1, RW|Access|Insert), keys(2, -1, 1, RO|Access)), Group: HyperLogLog, Since: "2.8.9",
			Syntax: "destkey:key [sourcekey:key [sourcekey:key ...]]", Summary: "Makes a HyperLogLog that has seen what others have seen.",
			Complexity: "O(N) for N keys", Handler: cmdPFMerge},
	}
}

// hyperLogLog is an entry's value as a HyperLogLog.
func hyperLogLog(en *Entry) (value.HyperLogLog, error) {
	if en.Val.kind() != value.KindString {
		return nil, errWrongType
	}
	h, ok := value.ParseHyperLogLog(en.Val.text(nil))
	if !ok {
		return nil, errNotHyperLogLog
	}
	return h, nil
}

// openHLL announces the change of an entry that holds a HyperLogLog and
// answers it, to be changed in place; the string is raw from then on.
func (c *Ctx) openHLL(en *Entry) (*Entry, value.HyperLogLog) {
	en = c.db.write(en)
	en.Val.setBytes(en.Val.editable())
	return en, value.HyperLogLog(en.Val.str())
}

// writeHLL finds the HyperLogLog that is to be changed, or makes one.
func (c *Ctx) writeHLL(name []byte) (en *Entry, h value.HyperLogLog, made bool, err error) {
	if en = c.LookupWrite(name); en == nil {
		h = value.NewHyperLogLog()
		en = c.db.add(name, rawObject(h))
		c.db.open(en, en.Val.memory())
		return en, h, true, nil
	}
	if _, err = hyperLogLog(en); err != nil {
		return nil, nil, false, err
	}
	en, h = c.openHLL(en)
	return en, h, false, nil
}

func (c *Ctx) hllSparseMax() int { return intOf(c.e.conf.HLLSparseMaxBytes) }

func cmdPFAdd(c *Ctx) error {
	name := c.argv[1]
	en, h, made, err := c.writeHLL(name)
	if err != nil {
		return err
	}
	updates := int64(0)
	if made {
		updates++
	}
	limit := c.hllSparseMax()
	for _, element := range c.argv[2:] {
		var changed, ok bool
		h, changed, ok = h.Add(element, limit)
		en.Val.setBytes(h)
		if !ok {
			return errCorruptHLL
		}
		if changed {
			h.Touch()
			updates++
		}
	}
	if updates > 0 {
		h.Touch()
		c.db.changed(name, ClassString, "pfadd")
		c.e.stats.dirty += updates - 1
	}
	return c.bool(updates > 0)
}

func cmdPFCount(c *Ctx) error {
	if len(c.argv) == 2 {
		return c.countHLL(c.argv[1])
	}
	var all value.Registers
	for _, name := range c.argv[1:] {
		if _, err := c.mergeHLL(&all, name); err != nil {
			return err
		}
	}
	return c.int(int64(all.Count()))
}

// countHLL counts the elements of one HyperLogLog, which keeps the number: a
// change that has no event, but that replicas are told of.
func (c *Ctx) countHLL(name []byte) error {
	en := c.Lookup(name)
	if en == nil {
		return c.int(0)
	}
	h, err := hyperLogLog(en)
	if err != nil {
		return err
	}
	n, cached := h.Cached()
	if cached && en.Val.enc() == encRaw {
		return c.int(int64(n))
	}
	_, h = c.openHLL(en)
	if cached {
		return c.int(int64(n))
	}
	n, ok := h.Count()
	if !ok {
		return errCorruptHLL
	}
	h.Cache(n)
	c.db.changed(name, 0, "")
	return c.int(int64(n))
}

// mergeHLL raises registers to those of a key, and tells whether it is dense.
func (c *Ctx) mergeHLL(all *value.Registers, name []byte) (dense bool, err error) {
	en := c.Lookup(name)
	if en == nil {
		return false, nil
	}
	h, err := hyperLogLog(en)
	if err != nil {
		return false, err
	}
	if !all.Merge(h) {
		return false, errCorruptHLL
	}
	return h.IsDense(), nil
}

func cmdPFMerge(c *Ctx) error {
	var all value.Registers
	dense := false
	for _, name := range c.argv[1:] {
		one, err := c.mergeHLL(&all, name)
		if err != nil {
			return err
		}
		dense = dense || one
	}
	name := c.argv[1]
	en, h, _, err := c.writeHLL(name)
	if err != nil {
		return err
	}
	if dense {
		h, _ = h.ToDense() // mergeHLL has read it, so it is whole
	}
	limit := c.hllSparseMax()
	for i, rank := range all {
		if rank > 0 {
			h, _, _ = h.Raise(i, rank, limit)
		}
	}
	h.Touch()
	en.Val.setBytes(h)
	c.db.changed(name, ClassString, "pfadd")
	return c.ok()
}

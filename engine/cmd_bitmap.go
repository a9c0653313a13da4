package engine

import (
	"slices"

	"minikv/value"
)

// A bitmap is a string, seen as bits: bit 0 is the highest of the first byte.
// What lies behind the string's end reads as zero; writing there makes the
// string longer. Offsets are bounded as the length of strings is, by
// proto-max-bulk-len.

func bitmapCommands() []*Command {
	return slices.Concat(bitAccess(), bitCounts(), bitOperations(), bitFields())
}

func bitAccess() []*Command {
	return []*Command{
		{Name: "SETBIT", Arity: 4, Flags: Write | DenyOOM, Keys: key(1, RW|Access|Update), Group: Bitmap, Since: "2.2.0",
			Syntax: "key offset value:integer", Summary: "Sets or clears a bit of a string, which may be too short for it, and answers what it was.",
			Complexity: "O(1)", Handler: cmdSetBit},
		{Name: "GETBIT", Arity: 3, Flags: ReadOnly | Fast, Keys: key(1, RO|Access), Group: Bitmap, Since: "2.2.0",
			Syntax: "key offset", Summary: "Answers a bit of a string.", Complexity: "O(1)", Handler: cmdGetBit},
	}
}

// bitOffset is the next argument as the place of a bit.
func (a *Scanner) bitOffset() int64 {
	n := a.IntOr(errBitOffset)
	if a.err == nil && !a.c.bitInRange(n) {
		a.Fail(errBitOffset)
	}
	return n
}

func (c *Ctx) bitInRange(offset int64) bool {
	return offset >= 0 && offset>>3 < c.e.conf.ProtoMaxBulkLen
}

// bits finds a string for reading its bits; buf is used for a number's digits.
// It is nil where there is none.
func (c *Ctx) bits(name, buf []byte) ([]byte, error) {
	en, err := c.Read(name, value.KindString)
	if en == nil || err != nil {
		return nil, err
	}
	return en.Val.text(buf), nil
}

// openBits finds a string that is to be changed and makes it raw and at least
// size bytes long, or a new one; grown tells that it was not so long before.
func (c *Ctx) openBits(name []byte, size int) (en *Entry, grown bool, err error) {
	en, err = c.Write(name, value.KindString)
	switch {
	case err != nil:
		return nil, false, err
	case en == nil:
		return c.db.add(name, rawObject(make([]byte, size))), true, nil
	}
	en = c.db.write(en)
	b := en.Val.editable()
	if old := len(b); old < size {
		b = slices.Grow(b, size-old)[:size]
		clear(b[old:])
		grown = true
	}
	en.Val.setBytes(b)
	return en, grown, nil
}

func cmdSetBit(c *Ctx) error {
	a := c.Scan()
	name, offset, on := a.Next(), a.bitOffset(), a.IntIn(0, 1, errBit)
	if err := a.Done(); err != nil {
		return err
	}
	at := int(offset >> 3)
	en, grown, err := c.openBits(name, at+1)
	if err != nil {
		return err
	}
	b, mask := en.Val.str(), byte(0x80)>>(offset&7)
	was := b[at]&mask != 0
	if was != (on == 1) {
		b[at] ^= mask
	}
	if grown || was != (on == 1) {
		c.db.changed(name, ClassString, "setbit")
	}
	return c.bool(was)
}

func cmdGetBit(c *Ctx) error {
	a := c.Scan()
	name, offset := a.Next(), a.bitOffset()
	if err := a.Done(); err != nil {
		return err
	}
	var buf [20]byte
	b, err := c.bits(name, buf[:])
	if err != nil {
		return err
	}
	at := offset >> 3
	return c.bool(at < int64(len(b)) && b[at]&(0x80>>(offset&7)) != 0)
}

package engine

import (
	"encoding/binary"
	"math"
	"math/bits"

	"minikv/value"
)

func bitCounts() []*Command {
	return []*Command{
		{Name: "BITCOUNT", Arity: -2, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Bitmap, Since: "2.6.0",
			Syntax: "key [start end [BYTE@7.0 | BIT@7.0]]", Summary: "Counts the bits of a string that are set.",
			Complexity: "O(N), N being the bytes looked at", Handler: cmdBitCount},
		{Name: "BITPOS", Arity: -3, Flags: ReadOnly, Keys: key(1, RO|Access), Group: Bitmap, Since: "2.8.7",
			Syntax: "key bit:integer [start [end [BYTE@7.0 | BIT@7.0]]]", Summary: "Finds the first bit of a string that is set, or the first that is not.",
			Complexity: "O(N), N being the bytes looked at", Handler: cmdBitPos},
	}
}

// bitUnit reads the word that ends a range and answers how many bits its unit
// has.
func (a *Scanner) bitUnit() int64 {
	if a.Word("BIT") {
		return 1
	}
	a.Word("BYTE")
	return 8
}

func cmdBitCount(c *Ctx) error {
	en, err := c.Read(c.argv[1], value.KindString)
	if en == nil || err != nil {
		return c.intOr(0, err)
	}
	a := c.Scan()
	a.Next()
	start, end, unit := int64(0), int64(-1), int64(8)
	if n := a.Left(); n == 1 || n > 3 {
		return errSyntax
	} else if n > 0 {
		start, end = a.Int(), a.Int()
		if a.Err() == nil && end < start && start < 0 {
			return c.int(0) // whatever follows, as in Redis
		}
		unit = a.bitUnit()
	}
	if err := a.Done(); err != nil {
		return err
	}
	var buf [20]byte
	b := en.Val.text(buf[:])
	from, to := byteRange(start, end, int64(len(b))*8/unit)
	return c.int(countBits(b, from*unit, to*unit))
}

// countBits counts the bits from..to-1 of b that are set.
func countBits(b []byte, from, to int64) int64 {
	if from >= to {
		return 0
	}
	first, last := from>>3, (to-1)>>3
	head, tail := byte(0xff)>>(from&7), byte(0xff)<<(7-(to-1)&7)
	if first == last {
		return int64(bits.OnesCount8(b[first] & head & tail))
	}
	n := bits.OnesCount8(b[first]&head) + bits.OnesCount8(b[last]&tail)
	b = b[first+1 : last]
	for ; len(b) >= 8; b = b[8:] {
		n += bits.OnesCount64(binary.NativeEndian.Uint64(b))
	}
	for _, x := range b {
		n += bits.OnesCount8(x)
	}
	return int64(n)
}

func cmdBitPos(c *Ctx) error {
	a := c.Scan()
	name, bit := a.Next(), a.Int()
	switch {
	case a.Err() != nil:
		return a.Err()
	case bit != 0 && bit != 1:
		return errBitArgument
	}
	en, err := c.Read(name, value.KindString)
	switch {
	case err != nil:
		return err
	case en == nil:
		return c.int(-bit)
	}
	start, end, unit := int64(0), int64(math.MaxInt64), int64(8)
	if a.Left() > 3 {
		return errSyntax
	} else if a.More() {
		start = a.Int()
	}
	open := !a.More() // the end is open: zeros follow behind the string
	if a.More() {
		end, unit = a.Int(), a.bitUnit()
	}
	if err := a.Done(); err != nil {
		return err
	}
	var buf [20]byte
	b := en.Val.text(buf[:])
	from, to := bitRange(start, end, int64(len(b))*8/unit)
	at := findBit(b, byte(bit), from*unit, to*unit)
	if at < 0 && bit == 0 && open && from < to {
		at = int64(len(b)) * 8
	}
	return c.int(at)
}

// bitRange is byteRange as BITPOS has it: an end before the first unit always
// means the first.
func bitRange(start, end, n int64) (from, to int64) {
	if start < 0 {
		start = max(0, start+n)
	}
	if end < 0 {
		end = max(0, end+n)
	}
	end = min(end, n-1)
	if start > end {
		return 0, 0
	}
	return start, end + 1
}

// findBit finds the first bit of the value bit among the bits from..to-1 of b,
// or answers -1.
func findBit(b []byte, bit byte, from, to int64) int64 {
	if from >= to {
		return -1
	}
	skip := bit - 1 // what a byte is that holds no such bit: 0xff when a 0 is sought
	skip8 := uint64(skip) * 0x0101010101010101
	at, last := from>>3, (to-1)>>3
	x := (b[at] ^ skip) & (0xff >> (from & 7))
	for x == 0 {
		at++
		for last-at >= 8 && binary.NativeEndian.Uint64(b[at:]) == skip8 {
			at += 8
		}
		if at > last {
			return -1
		}
		x = b[at] ^ skip
	}
	if at = at<<3 + int64(bits.LeadingZeros8(x)); at < to {
		return at
	}
	return -1
}

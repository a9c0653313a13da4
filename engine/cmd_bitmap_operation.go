package engine

import "encoding/binary"

func bitOperations() []*Command {
	return []*Command{
		{Name: "BITOP", Arity: -4, Flags: Write | DenyOOM, Keys: specs(key(2, OW|Update), keys(3, -1, 1, RO|Access)), Group: Bitmap, Since: "2.6.0",
			Syntax:     "<AND | OR | XOR | NOT | DIFF@8.2 | DIFF1@8.2 | ANDOR@8.2 | ONE@8.2> destkey:key key [key ...]",
			Summary:    "Combines the bits of strings and stores the result.",
			Complexity: "O(N), N being the bytes of all sources together", Handler: cmdBitOp},
	}
}

// bitOp is one way of combining bitmaps into a new one of size bytes, the
// length of the longest; the shorter end in zero bits.
type bitOp struct {
	word        string
	least, most int // how many sources it takes; most 0: any number
	combine     func(sources [][]byte, size int) []byte
}

var bitOps = []bitOp{
	{"AND", 1, 0, allBits},
	{"OR", 1, 0, anyBits},
	{"XOR", 1, 0, oddBits},
	{"NOT", 1, 1, func(sources [][]byte, size int) []byte {
		return mergeBits(sources[0], nil, size, func(x, _ uint64) uint64 { return ^x })
	}},
	{"DIFF", 2, 0, firstAndRest(func(x, rest uint64) uint64 { return x &^ rest })},
	{"DIFF1", 2, 0, firstAndRest(func(x, rest uint64) uint64 { return rest &^ x })},
	{"ANDOR", 2, 0, firstAndRest(func(x, rest uint64) uint64 { return x & rest })},
	{"ONE", 1, 0, oneBit},
}

func allBits(sources [][]byte, size int) []byte {
	return foldBits(sources, size, func(x, y uint64) uint64 { return x & y })
}

func anyBits(sources [][]byte, size int) []byte {
	return foldBits(sources, size, func(x, y uint64) uint64 { return x | y })
}

func oddBits(sources [][]byte, size int) []byte {
	return foldBits(sources, size, func(x, y uint64) uint64 { return x ^ y })
}

// firstAndRest combines the first source with what is set in any of the others.
func firstAndRest(op func(x, rest uint64) uint64) func([][]byte, int) []byte {
	return func(sources [][]byte, size int) []byte {
		return mergeBits(sources[0], anyBits(sources[1:], size), size, op)
	}
}

// oneBit sets what is set in exactly one source.
func oneBit(sources [][]byte, size int) []byte {
	once, twice := make([]byte, size), make([]byte, size)
	for _, source := range sources {
		again := mergeBits(once, source, size, func(x, y uint64) uint64 { return x & y })
		twice = mergeBits(twice, again, size, func(x, y uint64) uint64 { return x | y })
		once = mergeBits(once, source, size, func(x, y uint64) uint64 { return x | y })
	}
	return mergeBits(once, twice, size, func(x, y uint64) uint64 { return x &^ y })
}

func foldBits(sources [][]byte, size int, op func(x, y uint64) uint64) []byte {
	all := append(make([]byte, 0, size), sources[0]...)[:size]
	for _, source := range sources[1:] {
		mergeInto(all, all, source, op)
	}
	return all
}

// mergeBits makes a bitmap of size bytes of two that may be shorter.
func mergeBits(x, y []byte, size int, op func(x, y uint64) uint64) []byte {
	all := make([]byte, size)
	mergeInto(all, x, y, op)
	return all
}

// mergeInto fills dst, which may be x. It goes word by word: as far as both
// reach without looking at their ends.
func mergeInto(dst, x, y []byte, op func(x, y uint64) uint64) {
	at := 0
	for n := min(len(x), len(y), len(dst)) - 8; at <= n; at += 8 {
		binary.LittleEndian.PutUint64(dst[at:], op(binary.LittleEndian.Uint64(x[at:]), binary.LittleEndian.Uint64(y[at:])))
	}
	for ; at < len(dst); at += 8 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], op(wordAt(x, at), wordAt(y, at)))
		copy(dst[at:], word[:])
	}
}

// wordAt reads eight bytes of b, zeros behind its end.
func wordAt(b []byte, at int) uint64 {
	var word [8]byte
	if at < len(b) {
		copy(word[:], b[at:])
	}
	return binary.LittleEndian.Uint64(word[:])
}

// bitOp is the operation that comes next, or nil.
func (a *Scanner) bitOp() *bitOp {
	for i := range bitOps {
		if a.Word(bitOps[i].word) {
			return &bitOps[i]
		}
	}
	a.Syntax()
	return nil
}

func cmdBitOp(c *Ctx) error {
	a := c.Scan()
	op, dst := a.bitOp(), a.Next()
	if err := a.Err(); err != nil {
		return err
	}
	names := a.Rest()
	switch {
	case op.most > 0 && len(names) > op.most:
		return errBitOpSingle
	case len(names) < op.least:
		return errBitOpFew(op.word)
	}
	sources, size := make([][]byte, len(names)), 0
	for i, name := range names {
		b, err := c.bits(name, nil)
		if err != nil {
			return err
		}
		sources[i] = b
		size = max(size, len(b))
	}
	if size == 0 {
		if old := c.LookupWrite(dst); old != nil {
			c.db.delete(old)
		}
		return c.int(0)
	}
	result := rawObject(op.combine(sources, size))
	c.putObject(c.LookupWrite(dst), dst, result, false)
	c.db.changed(dst, ClassString, "set")
	return c.int(int64(size))
}

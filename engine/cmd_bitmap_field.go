package engine

import (
	"math"

	"minikv/value"
)

func bitFields() []*Command {
	const get = "GET encoding offset"
	const operation = "<" + get + " | [OVERFLOW <WRAP | SAT | FAIL>] <SET encoding offset value:integer | INCRBY encoding offset increment>>"
	return []*Command{
		{Name: "BITFIELD", Arity: -2, Flags: Write | DenyOOM, Keys: noted("This command allows both access and modification of the key", key(1, RW|Access|Update|VariableFlags)),
			GetKeys: keysOfBitField, Group: Bitmap, Since: "3.2.0", Syntax: "key [" + operation + " [" + operation + " ...]]",
			Summary: "Reads, sets and counts integers of any width inside a string.", Complexity: "O(1) for each operation", Handler: cmdBitField},
		{Name: "BITFIELD_RO", Arity: -2, Flags: ReadOnly | Fast, Keys: key(1, RO|Access), Group: Bitmap, Since: "6.0.0",
			Syntax: "key [" + get + " [" + get + " ...]]", Summary: "Reads integers of any width inside a string.", Complexity: "O(1) for each operation", Handler: cmdBitFieldRO},
	}
}

// keysOfBitField finds BITFIELD's key and what is done with it: it is only read
// if all operations are GET.
func keysOfBitField(argv [][]byte) ([]KeyRef, error) {
	for i := 2; i < len(argv); {
		switch left := len(argv) - i - 1; {
		case isWord(argv[i], "GET") && left >= 2:
			i += 3
		case isWord(argv[i], "OVERFLOW") && left >= 1:
			i += 2
		default:
			return []KeyRef{{1, RW | Access | Update}}, nil
		}
	}
	return []KeyRef{{1, RO | Access}}, nil
}

// overflow says what becomes of a number that does not fit its field.
type overflow uint8

const (
	overflowWrap overflow = iota // its lowest bits are kept
	overflowSat                  // the nearest number that fits
	overflowFail                 // nothing: the answer is null
)

type fieldVerb uint8

const (
	fieldGet fieldVerb = iota
	fieldSet
	fieldIncr
)

// intField is an integer of some bits inside a string, the highest first.
type intField struct {
	signed bool
	width  int
	offset int64
}

// fieldOp is one operation of BITFIELD.
type fieldOp struct {
	intField
	verb     fieldVerb
	operand  int64
	overflow overflow
}

// intType is the next argument as a type: u1 to u63, i1 to i64.
func (a *Scanner) intType() (f intField) {
	arg := a.Next()
	if a.err != nil {
		return f
	}
	n, ok := int64(0), false
	if len(arg) > 1 && (arg[0] == 'u' || arg[0] == 'i') {
		n, ok = value.ParseInt(arg[1:])
	}
	f.signed = ok && arg[0] == 'i'
	if !ok || n < 1 || n > 64 || n == 64 && !f.signed {
		a.Fail(errFieldType)
	}
	f.width = int(n)
	return f
}

// fieldOffset is the next argument as a place of a field: counted in bits, or
// after # in fields. As in Redis the product is taken modulo 2^64.
func (a *Scanner) fieldOffset(width int) int64 {
	arg := a.Next()
	if a.err != nil {
		return 0
	}
	unit := int64(1)
	if len(arg) > 0 && arg[0] == '#' {
		arg, unit = arg[1:], int64(width)
	}
	n, ok := value.ParseInt(arg)
	if n *= unit; !ok || !a.c.bitInRange(n) {
		a.Fail(errBitOffset)
	}
	return n
}

// fieldOps reads all operations.
func (a *Scanner) fieldOps() (ops []fieldOp) {
	mode := overflowWrap
	for a.More() {
		op := fieldOp{overflow: mode}
		switch {
		case a.WordWith("GET", 2):
		case a.WordWith("SET", 3):
			op.verb = fieldSet
		case a.WordWith("INCRBY", 3):
			op.verb = fieldIncr
		case a.WordWith("OVERFLOW", 1):
			mode = a.overflow()
			continue
		default:
			a.Syntax()
		}
		op.intField = a.intType()
		op.offset = a.fieldOffset(op.width)
		if op.verb != fieldGet {
			op.operand = a.Int()
		}
		ops = append(ops, op)
	}
	return ops
}

func (a *Scanner) overflow() overflow {
	switch {
	case a.Word("WRAP"):
		return overflowWrap
	case a.Word("SAT"):
		return overflowSat
	case a.Word("FAIL"):
		return overflowFail
	}
	a.Fail(errOverflowType)
	return overflowWrap
}

func cmdBitField(c *Ctx) error   { return c.bitField(false) }
func cmdBitFieldRO(c *Ctx) error { return c.bitField(true) }

// bitField does the operations. If any of them may write, the string is made
// as long as they need, even if nothing is written then.
func (c *Ctx) bitField(readOnly bool) error {
	a := c.Scan()
	name, ops := a.Next(), a.fieldOps()
	if err := a.Err(); err != nil {
		return err
	}
	size := 0
	for i := range ops {
		if ops[i].verb != fieldGet {
			size = max(size, ops[i].size())
		}
	}
	switch {
	case size == 0:
		return c.readFields(name, ops)
	case readOnly:
		return errFieldReadOnly
	}
	en, grown, err := c.openBits(name, size)
	if err != nil {
		return err
	}
	b, changes := en.Val.str(), 0
	c.out.Array(len(ops))
	for i := range ops {
		answer, written, ok := ops[i].apply(b)
		if !ok {
			c.out.Null()
			continue
		}
		c.out.Int(answer)
		if written || grown && ops[i].verb != fieldGet {
			changes++
		}
	}
	if changes > 0 {
		c.db.changed(name, ClassString, "setbit")
		c.e.stats.dirty += int64(changes - 1)
	}
	return nil
}

func (c *Ctx) readFields(name []byte, ops []fieldOp) error {
	var buf [20]byte
	b, err := c.bits(name, buf[:])
	if err != nil {
		return err
	}
	c.out.Array(len(ops))
	for i := range ops {
		c.out.Int(ops[i].get(b))
	}
	return nil
}

// apply does an operation on a string that is long enough. It answers the
// number to tell, whether the string is another now, and ok false for a number
// that does not fit under OVERFLOW FAIL.
func (op *fieldOp) apply(b []byte) (answer int64, written, ok bool) {
	old := op.get(b)
	fresh, fits := old, true
	switch op.verb {
	case fieldGet:
		return old, false, true
	case fieldSet:
		fresh, fits = op.fit(op.operand, 0, op.overflow)
		answer = old
	case fieldIncr:
		fresh, fits = op.fit(old, op.operand, op.overflow)
		answer = fresh
	}
	if !fits && op.overflow == overflowFail {
		return 0, false, false
	}
	op.set(b, fresh)
	return answer, fresh != old, true
}

// fit adds up n and more, as far as the field's type holds the sum.
func (f *intField) fit(n, more int64, mode overflow) (sum int64, fits bool) {
	over, under := f.exceeds(n, more)
	switch {
	case !over && !under:
		return n + more, true
	case mode == overflowSat && over:
		return f.max(), false
	case mode == overflowSat:
		return f.min(), false
	}
	return f.narrow(uint64(n) + uint64(more)), false
}

// exceeds tells whether n+more is more or less than the field holds. Of an
// unsigned one n is meant as a number without a sign. Of a signed one a number
// so low that the distance to the highest overflows is too high, as in Redis.
func (f *intField) exceeds(n, more int64) (over, under bool) {
	if f.signed {
		over = n > f.max() || more > 0 && n > f.max()-more || f.width < 64 && n < f.max()-math.MaxInt64
		return over, n < f.min() || more < 0 && n < f.min()-more
	}
	u, limit := uint64(n), uint64(f.max())
	return u > limit || more > 0 && uint64(more) > limit-u, u <= limit && more < 0 && -uint64(more) > u
}

func (f *intField) max() int64 {
	if f.signed {
		return math.MaxInt64 >> (64 - f.width)
	}
	return 1<<f.width - 1
}

func (f *intField) min() int64 {
	if f.signed {
		return math.MinInt64 >> (64 - f.width)
	}
	return 0
}

// narrow keeps the lowest bits.
func (f *intField) narrow(u uint64) int64 {
	drop := 64 - f.width
	if f.signed {
		return int64(u<<drop) >> drop
	}
	return int64(u << drop >> drop)
}

// size is how long a string must be to hold the field.
func (f *intField) size() int { return int((f.offset+int64(f.width)-1)>>3) + 1 }

// get reads the field; what is behind b's end is zero.
func (f *intField) get(b []byte) int64 {
	var u uint64
	for i := range int64(f.width) {
		at := f.offset + i
		u <<= 1
		if at>>3 < int64(len(b)) {
			u |= uint64(b[at>>3]>>(7-at&7)) & 1
		}
	}
	return f.narrow(u)
}

// set writes the field into b, which must be long enough.
func (f *intField) set(b []byte, n int64) {
	for i := range int64(f.width) {
		at, mask := f.offset+i, byte(0)
		if uint64(n)>>(int64(f.width)-1-i)&1 != 0 {
			mask = 0xff
		}
		bit := byte(0x80) >> (at & 7)
		b[at>>3] = b[at>>3]&^bit | mask&bit
	}
}

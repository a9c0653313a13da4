package engine

import (
	"strconv"

	"minikv/expiry"
	"minikv/value"
)

// Entry is one key with its value, as it stands in the keyspace.
type Entry = value.Node[Object]

// collection is what every aggregate value offers.
type collection = value.Collection

// Object is a value with its bookkeeping, in half a cache line: what a key costs
// besides its value decides how many keys a machine holds. A string is either an
// integer (encInt) or bytes; every other kind is a collection. All of them stand
// in the body.
type Object struct {
	body  value.Body
	ttl   *expiry.Deadline[*Entry] // nil: lives for ever
	epoch uint32                   // snapshot epoch in which this version was born
	flags objectFlags
	clock [3]byte // last use: see used
}

// objectFlags are an object's kind, a string's encoding, and what else is to be
// known of it.
type objectFlags uint8

const (
	kindBits objectFlags = 7
	encBits  objectFlags = 3 << 3
	encShift             = 3
	// flagShared: the string was handed out by reference (a large reply under
	// way), so it must be copied before it is changed in place.
	flagShared objectFlags = 1 << 5
	// flagTimed: fields of the hash have deadlines, see DB.timed.
	flagTimed objectFlags = 1 << 6
	// flagOpen: the value is being changed, see memoryAccount.
	flagOpen objectFlags = 1 << 7
)

func newObject(kind value.Kind, enc strEncoding) Object {
	return Object{flags: objectFlags(kind) | objectFlags(enc)<<encShift}
}

func (o *Object) has(f objectFlags) bool { return o.flags&f != 0 }

func (o *Object) mark(f objectFlags, on bool) {
	if o.flags &^= f; on {
		o.flags |= f
	}
}

// kind is the value's type.
func (o *Object) kind() value.Kind { return value.Kind(o.flags & kindBits) }

// enc is how a string is kept.
func (o *Object) enc() strEncoding { return strEncoding(o.flags & encBits >> encShift) }

// num and str are a string's contents, the one or the other by its encoding.
func (o *Object) num() int64 { return o.body.Int() }

func (o *Object) str() []byte {
	if o.kind() != value.KindString || o.enc() == encInt {
		return nil
	}
	return o.body.Text()
}

// lru is the access clock: 24 bits, as in Redis.
func (o *Object) lru() uint32 { return lruOf(o.clock) }

func lruOf(clock [3]byte) uint32 {
	return uint32(clock[0]) | uint32(clock[1])<<8 | uint32(clock[2])<<16
}

func (o *Object) setLRU(n uint32) { o.clock = [3]byte{byte(n), byte(n >> 8), byte(n >> 16)} }

type strEncoding uint8

const (
	encInt strEncoding = iota
	encEmbstr
	encRaw
)

// embstrLimit is the longest string that Redis keeps in one allocation with
// its header; it shows in OBJECT ENCODING alone.
const embstrLimit = 44

// stringObject makes a string value, keeping b itself. Decimal integers are
// kept as numbers, as SET does.
func stringObject(b []byte) Object {
	if len(b) <= 20 {
		if n, ok := value.ParseInt(b); ok {
			return intObject(n)
		}
	}
	return textObject(b)
}

// textObject is stringObject for what stays text though it may spell a
// number, as INCRBYFLOAT stores it.
func textObject(b []byte) Object {
	enc := encRaw
	if len(b) <= embstrLimit {
		enc = encEmbstr
	}
	return bytesObject(b, enc)
}

// rawObject makes a string value that was built by changing another (APPEND,
// SETRANGE): never kept as a number.
func rawObject(b []byte) Object { return bytesObject(b, encRaw) }

func bytesObject(b []byte, enc strEncoding) Object {
	o := newObject(value.KindString, enc)
	o.body.SetText(b)
	return o
}

func intObject(n int64) Object {
	o := newObject(value.KindString, encInt)
	o.body.SetInt(n)
	return o
}

// collectionObject makes a value of any kind but string. From here on val is to
// be found in the object alone.
func collectionObject(kind value.Kind, val collection) Object {
	o := newObject(kind, 0)
	o.body.Put(val)
	return o
}

// text is a string value's bytes; buf is used for a number's digits. The
// result must not be changed, and is valid until the value changes.
func (o *Object) text(buf []byte) []byte {
	if o.enc() == encInt {
		return strconv.AppendInt(buf[:0], o.num(), 10)
	}
	return o.str()
}

// strlen is a string value's length.
func (o *Object) strlen() int {
	if o.enc() == encInt {
		var buf [20]byte
		return len(strconv.AppendInt(buf[:0], o.num(), 10))
	}
	return len(o.str())
}

// editable is a string value's own bytes, to be changed in place and put back
// by setBytes: copied if they were handed out, written out if a number.
func (o *Object) editable() []byte {
	switch {
	case o.enc() == encInt:
		return strconv.AppendInt(nil, o.num(), 10)
	case o.has(flagShared):
		return append([]byte(nil), o.str()...)
	}
	return o.str()
}

// setBytes makes the object the raw string b.
func (o *Object) setBytes(b []byte) {
	o.flags = o.flags&^(encBits|flagShared) | objectFlags(encRaw)<<encShift
	o.body.SetText(b)
}

// list, set, zset, hash and stream are the value as its type; the kind must be
// right. They are valid until the entry gets another value.
func (o *Object) list() *value.List { return o.body.List() }
func (o *Object) set() *value.Set   { return o.body.Set() }
func (o *Object) zset() *value.ZSet { return o.body.ZSet() }
func (o *Object) hash() *value.Hash { return o.body.Hash() }

func (o *Object) stream() *value.Stream { return o.body.Stream() }
func (o *Object) array() *value.Array   { return o.body.Array() }

// collection is the value as such, nil if it is a string.
func (o *Object) collection() collection { return o.body.Collection(o.kind()) }

// encoding is what OBJECT ENCODING answers.
func (o *Object) encoding() string {
	if o.kind() != value.KindString {
		return o.collection().Encoding()
	}
	switch o.enc() {
	case encInt:
		return "int"
	case encEmbstr:
		return "embstr"
	}
	return "raw"
}

// expireAt is the deadline in unix milliseconds, or -1.
func (o *Object) expireAt() int64 {
	if o.ttl == nil {
		return -1
	}
	return o.ttl.At()
}

// clone is a copy that shares nothing which is ever changed in place.
func (o *Object) clone() Object {
	c := *o
	c.ttl = nil
	c.mark(flagTimed|flagOpen, false)
	if o.kind() != value.KindString {
		c.body = o.body.Clone(o.kind())
	} else if o.enc() != encInt {
		c.body = o.body.Clone(value.KindString)
		c.mark(flagShared, false)
	}
	return c
}

// memory estimates the bytes a value takes, without its key and its entry. It
// follows from the value alone, and costs the same however large that is.
func (o *Object) memory() int {
	switch {
	case o.kind() != value.KindString:
		return o.collection().MemoryUsage()
	case o.enc() == encInt:
		return 0
	}
	return value.Allocated(o.body.TextRoom())
}

// The access clock serves OBJECT IDLETIME and eviction: under an LFU policy 16
// bits of minutes and an 8-bit logarithmic counter, else the time of last use in
// seconds, which comes round after 194 days.
const lfuInit = 5

// used notes an access now.
func (o *Object) used(e *Engine) {
	if e.conf.MaxMemoryPolicy.LFU() {
		o.setLRU(e.lfuTouch(o.lru()))
		return
	}
	o.setLRU(uint32(e.now / 1_000_000))
}

// born sets up the access clock of a new value.
func (o *Object) born(e *Engine) {
	if e.conf.MaxMemoryPolicy.LFU() {
		o.setLRU(e.lfuMinutes()<<8 | lfuInit)
		return
	}
	o.setLRU(uint32(e.now / 1_000_000))
}

// idle is the time since the last use in seconds. A use up to a day in the future
// was just now: the clock has been set back.
func (o *Object) idle(e *Engine) int64 { return e.idleSince(o.lru()) }

func (e *Engine) idleSince(lru uint32) int64 {
	const round, day = 1 << 24, 24 * 60 * 60
	passed := (e.now/1_000_000 - int64(lru)) & (round - 1)
	if passed > round-day {
		return 0
	}
	return passed
}

func (e *Engine) lfuMinutes() uint32 { return uint32(e.now/60_000_000) & 0xffff }

// lfuDecayed is the counter after the decay that time has brought.
func (e *Engine) lfuDecayed(lru uint32) uint32 {
	counter := lru & 0xff
	if e.conf.LFUDecayTime > 0 {
		passed := (e.lfuMinutes() - lru>>8) & 0xffff / uint32(e.conf.LFUDecayTime)
		counter -= min(counter, passed)
	}
	return counter
}

// lfuTouch counts an access: the higher the counter the less likely it grows.
func (e *Engine) lfuTouch(lru uint32) uint32 {
	counter := e.lfuDecayed(lru)
	if counter < 255 {
		base := max(0, int(counter)-lfuInit)
		if e.rand.Float64() < 1/float64(base*int(e.conf.LFULogFactor)+1) {
			counter++
		}
	}
	return e.lfuMinutes()<<8 | counter
}

package engine

import (
	"strconv"

	"minikv/expiry"
	"minikv/value"
)

// Entry is one key with its value, as it stands in the keyspace.
type Entry = value.Node[Object]

// collection is what every aggregate value offers.
type collection interface {
	Encoding() string
	MemoryUsage() int
	Check() error
}

// Object is a value with its bookkeeping. A string is either an integer
// (encInt, in num) or bytes (in str); every other kind stands in val.
type Object struct {
	kind value.Kind
	enc  strEncoding
	// shared: str was handed out by reference (a large reply under way), so
	// it must be copied before it is changed in place.
	shared bool
	lru    uint32 // last use: see used
	epoch  uint32 // snapshot epoch in which this version was born
	num    int64
	str    []byte
	val    collection
	ttl    *expiry.Deadline[*Entry] // nil: lives for ever
	fields *expiry.Deadline[*Entry] // when fields of a hash may be due; nil: never
}

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
	if len(b) <= embstrLimit {
		return Object{kind: value.KindString, enc: encEmbstr, str: b}
	}
	return Object{kind: value.KindString, enc: encRaw, str: b}
}

// rawObject makes a string value that was built by changing another (APPEND,
// SETRANGE): never kept as a number.
func rawObject(b []byte) Object {
	return Object{kind: value.KindString, enc: encRaw, str: b}
}

func intObject(n int64) Object {
	return Object{kind: value.KindString, enc: encInt, num: n}
}

// collectionObject makes a value of any kind but string.
func collectionObject(kind value.Kind, val collection) Object {
	return Object{kind: kind, val: val}
}

// text is a string value's bytes; buf is used for a number's digits. The
// result must not be changed, and is valid until the value changes.
func (o *Object) text(buf []byte) []byte {
	if o.enc == encInt {
		return strconv.AppendInt(buf[:0], o.num, 10)
	}
	return o.str
}

// strlen is a string value's length.
func (o *Object) strlen() int {
	if o.enc == encInt {
		var buf [20]byte
		return len(strconv.AppendInt(buf[:0], o.num, 10))
	}
	return len(o.str)
}

// editable is a string value's own bytes, to be changed in place and put back
// by setBytes: copied if they were handed out, written out if a number.
func (o *Object) editable() []byte {
	switch {
	case o.enc == encInt:
		return strconv.AppendInt(nil, o.num, 10)
	case o.shared:
		return append([]byte(nil), o.str...)
	}
	return o.str
}

// setBytes makes the object the raw string b.
func (o *Object) setBytes(b []byte) {
	o.enc, o.str, o.num, o.shared = encRaw, b, 0, false
}

// list, set, zset, hash and stream are the value as its type; the kind must be right.
func (o *Object) list() *value.List { return o.val.(*value.List) }
func (o *Object) set() *value.Set   { return o.val.(*value.Set) }
func (o *Object) zset() *value.ZSet { return o.val.(*value.ZSet) }
func (o *Object) hash() *value.Hash { return o.val.(*value.Hash) }

func (o *Object) stream() *value.Stream { return o.val.(*value.Stream) }
func (o *Object) array() *value.Array   { return o.val.(*value.Array) }

// encoding is what OBJECT ENCODING answers.
func (o *Object) encoding() string {
	if o.kind != value.KindString {
		return o.val.Encoding()
	}
	switch o.enc {
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
	c.ttl, c.fields = nil, nil
	switch v := o.val.(type) {
	case nil:
		if o.enc != encInt {
			c.str = append([]byte(nil), o.str...)
			c.shared = false
		}
	case *value.List:
		c.val = v.Clone()
	case *value.Set:
		c.val = v.Clone()
	case *value.ZSet:
		c.val = v.Clone()
	case *value.Hash:
		c.val = v.Clone()
	case *value.Stream:
		c.val = v.Clone()
	case *value.Array:
		c.val = v.Clone()
	}
	return c
}

// memory estimates the bytes a value takes, without its key.
func (o *Object) memory() int {
	const header = 104
	if o.kind == value.KindString {
		return header + cap(o.str)
	}
	return header + o.val.MemoryUsage()
}

// The lru field serves OBJECT IDLETIME and eviction: under an LFU policy 16
// bits of minutes and an 8-bit logarithmic counter, else a time of last use in
// seconds.
const lfuInit = 5

// used notes an access now.
func (o *Object) used(e *Engine) {
	if e.conf.MaxMemoryPolicy.LFU() {
		o.lru = e.lfuTouch(o.lru)
		return
	}
	o.lru = uint32(e.now / 1_000_000)
}

// born sets up the access clock of a new value.
func (o *Object) born(e *Engine) {
	if e.conf.MaxMemoryPolicy.LFU() {
		o.lru = e.lfuMinutes()<<8 | lfuInit
		return
	}
	o.lru = uint32(e.now / 1_000_000)
}

// idle is the time since the last use in seconds.
func (o *Object) idle(e *Engine) int64 {
	return max(0, e.now/1_000_000-int64(o.lru))
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

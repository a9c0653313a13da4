package value

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unsafe"
)

// A Body is the two words in which a keyspace keeps any value, its kind being
// noted elsewhere. The zero Body is the empty string.
//
// Idea: a value that is small is one allocation, and what describes it stands
// beside the key. So hashes, sets, sorted sets and lists are Bodies under other
// names: a pointer with a number, which says how the pointer is to be taken.
//
//	a string             bytes; length and capacity, 32 bits each
//	a packed collection  a run of bytes (see splice); its length and its elements
//	an indexed one       the structure of its kind, under the number indexed
//	an empty one         nil, and the seed of the order it may once have
//
// Price: a collection must not be copied and then changed, for the copy would
// go on with what the other has given up. Put moves one into a Body.
type Body struct {
	p unsafe.Pointer
	n uint64
}

// indexed is the number beside the pointer to a collection's large structure,
// and to a string that is too long for 32 bits.
const indexed = ^uint64(0)

// A run's bytes stand behind its capacity and its seed.
const (
	runHead = 8
	// runMax is the size beyond which nothing is packed, whatever the limits say.
	runMax = 1 << 30
)

// Text is a string's bytes, which may be changed in place; SetText must follow
// if there are more or fewer of them afterwards.
func (b *Body) Text() []byte {
	switch {
	case b.p == nil:
		return nil
	case b.n == indexed:
		return *(*[]byte)(b.p)
	}
	return unsafe.Slice((*byte)(b.p), b.n>>32)[:uint32(b.n)]
}

// TextRoom is the capacity of a string's bytes.
func (b *Body) TextRoom() int {
	if b.n == indexed {
		return cap(b.Text())
	}
	return int(b.n >> 32)
}

// SetText makes the body a string, of these very bytes.
func (b *Body) SetText(text []byte) {
	if n, room := uint64(len(text)), uint64(cap(text)); room < 1<<32-1 {
		*b = Body{unsafe.Pointer(unsafe.SliceData(text)), room<<32 | n}
		return
	}
	huge := text // or each text would be allocated for
	*b = Body{unsafe.Pointer(&huge), indexed}
}

// Int and SetInt make a body a mere number.
func (b *Body) Int() int64     { return int64(b.n) }
func (b *Body) SetInt(n int64) { *b = Body{nil, uint64(n)} }

// The body as the collection that it is.
func (b *Body) Hash() *Hash     { return (*Hash)(b) }
func (b *Body) Set() *Set       { return (*Set)(b) }
func (b *Body) ZSet() *ZSet     { return (*ZSet)(b) }
func (b *Body) List() *List     { return (*List)(b) }
func (b *Body) Stream() *Stream { return (*Stream)(b.p) }
func (b *Body) Array() *Array   { return (*Array)(b.p) }

// Collection is what every kind of value but a string offers.
type Collection interface {
	Encoding() string
	MemoryUsage() int // in constant time: it is asked at every write
	Check() error
}

// Collection is the body as a collection of a kind, nil if a string.
func (b *Body) Collection(kind Kind) Collection {
	switch kind {
	case KindList:
		return b.List()
	case KindSet:
		return b.Set()
	case KindZSet:
		return b.ZSet()
	case KindHash:
		return b.Hash()
	case KindStream:
		return b.Stream()
	case KindArray:
		return b.Array()
	}
	return nil
}

// Put moves a collection into the body: from here on it is to be found there.
func (b *Body) Put(c Collection) {
	switch c := c.(type) {
	case *Hash:
		*b = Body(*c)
	case *Set:
		*b = Body(*c)
	case *ZSet:
		*b = Body(*c)
	case *List:
		*b = Body(*c)
	case *Stream:
		*b = Body{unsafe.Pointer(c), indexed}
	case *Array:
		*b = Body{unsafe.Pointer(c), indexed}
	}
}

// Clone is a copy of a body of a kind that shares nothing which is ever changed
// in place.
func (b *Body) Clone(kind Kind) (c Body) {
	switch kind {
	case KindString:
		if c = *b; b.p != nil {
			c.SetText(append([]byte(nil), b.Text()...))
		}
	case KindList:
		c.Put(b.List().Clone())
	case KindSet:
		c.Put(b.Set().Clone())
	case KindZSet:
		c.Put(b.ZSet().Clone())
	case KindHash:
		c.Put(b.Hash().Clone())
	case KindStream:
		c.Put(b.Stream().Clone())
	case KindArray:
		c.Put(b.Array().Clone())
	}
	return c
}

// newBody is an empty collection.
func newBody(seed uint64) Body { return Body{nil, seed} }

// count is the number of elements of a packed collection.
func (b *Body) count() int {
	if b.p == nil {
		return 0
	}
	return int(b.n >> 32)
}

func (b *Body) setCount(n int) { b.n = uint64(n)<<32 | b.n&(1<<32-1) }

// size is the length of the run.
func (b *Body) size() int {
	if b.p == nil {
		return 0
	}
	return int(uint32(b.n))
}

// run is a packed collection's bytes, valid until splice.
func (b *Body) run() []byte {
	if b.p == nil {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Add(b.p, runHead)), uint32(b.n))
}

func (b *Body) head() []byte { return unsafe.Slice((*byte)(b.p), runHead) }

// seed is the number that the collection was made with, or what is left of it.
func (b *Body) seed() uint64 {
	if b.p == nil {
		return b.n
	}
	return uint64(binary.LittleEndian.Uint32(b.head()[4:]))
}

// room is how long the run may become where it stands.
func (b *Body) room() int {
	if b.p == nil {
		return 0
	}
	return int(binary.LittleEndian.Uint32(b.head()))
}

// fits tells whether the run may take so many more bytes.
func (b *Body) fits(more int) bool { return b.size()+more <= runMax }

// reserve makes room for so many more bytes.
func (b *Body) reserve(more int) {
	if need := b.size() + more; need > b.room() && need <= runMax {
		b.move(need)
	}
}

// move puts the run into a buffer for need bytes.
func (b *Body) move(need int) {
	seed, run, n := b.seed(), b.run(), b.n
	if b.p == nil {
		n = 0
	}
	buf := slices.Grow([]byte(nil), runHead+max(need, 1)) // or an empty run would begin behind its allocation
	buf = buf[:cap(buf)]
	binary.LittleEndian.PutUint32(buf, uint32(len(buf)-runHead))
	binary.LittleEndian.PutUint32(buf[4:], uint32(seed))
	copy(buf[runHead:], run)
	*b = Body{unsafe.Pointer(unsafe.SliceData(buf)), n}
}

// splice puts room bytes, for the caller to write, in the place of cut bytes at
// off. Where they do not fit the run moves: to little more than it needs, since
// most small collections are made at once and then stay.
func (b *Body) splice(off, cut, room int) []byte {
	if b.p == nil && room == 0 {
		return nil
	}
	size := b.size()
	next := size - cut + room
	if next > b.room() {
		b.move(next + next/8&^15)
	}
	run := unsafe.Slice((*byte)(unsafe.Add(b.p, runHead)), max(size, next))
	copy(run[off+room:next], run[off+cut:size])
	b.n = b.n&^(1<<32-1) | uint64(next)
	if b.room() > 4*next+64 {
		b.move(next)
	}
	return b.run()[off : off+room : off+room]
}

// cloneRun is a packed collection's copy.
func (b *Body) cloneRun() Body {
	c := *b
	if b.p != nil {
		c.move(b.size())
	}
	return c
}

// runMemory is what a packed collection takes.
func (b *Body) runMemory() int {
	if b.p == nil {
		return 0
	}
	return runHead + b.room()
}

// Allocated is about what the allocator takes for n bytes.
func Allocated(n int) int { return allocated(n) }

func allocated(n int) int {
	step := 8
	switch {
	case n > 32<<10:
		step = 8 << 10
	case n > 256:
		step = 1 << (bits.Len(uint(n-1)) - 4)
	case n > 32:
		step = 16
	}
	return (n + step - 1) &^ (step - 1)
}

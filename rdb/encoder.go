package rdb

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"minikv/value"
)

// An Encoder writes values in the forms of Redis 7.0. It may be used again and
// again, which saves memory: a quarter of a megabyte, once it has compressed
// something. The zero Encoder is ready, and compresses nothing.
type Encoder struct {
	// Compress is the setting rdbcompression: strings are compressed where that
	// makes them shorter.
	Compress bool

	packer   *packer
	packed   []byte // a string compressed
	blob     []byte // a listpack or an integer set that is being made
	elements int    // those of the listpack
}

const (
	shortestPacked = 21      // shorter strings are not compressed
	longestNumber  = 11      // longer strings are not tried as numbers
	nodeMax        = 8192    // a list's node takes no element that would take it beyond
	nodeOverhead   = 8       // what an element is taken to cost there beside its bytes
	plainMin       = 1 << 30 // larger elements, and larger packed values, stand for themselves
)

// appendLength appends a length.
func appendLength(b []byte, n uint64) []byte {
	switch {
	case n < 1<<6:
		return append(b, byte(n))
	case n < 1<<14:
		return append(b, length14|byte(n>>8), byte(n))
	case n <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(b, length32), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(b, length64), n)
}

// appendText appends a string: as a number if it is a small one, compressed if
// that helps, else as it is.
func (e *Encoder) appendText(b, s []byte) []byte {
	if len(s) <= longestNumber {
		if n, ok := value.ParseInt(s); ok && n == int64(int32(n)) {
			return appendNumber(b, int32(n))
		}
	}
	if e.Compress && len(s) >= shortestPacked {
		if packed, ok := e.pack(s); ok {
			b = appendLength(append(b, encodedPacked), uint64(len(packed)))
			return append(appendLength(b, uint64(len(s))), packed...)
		}
	}
	return append(appendLength(b, uint64(len(s))), s...)
}

func appendNumber(b []byte, n int32) []byte {
	switch {
	case n == int32(int8(n)):
		return append(b, encodedInt8, byte(n))
	case n == int32(int16(n)):
		return append(b, encodedInt16, byte(n), byte(n>>8))
	}
	return binary.LittleEndian.AppendUint32(append(b, encodedInt32), uint32(n))
}

// pack compresses s if that helps. The result is valid until the next call.
func (e *Encoder) pack(s []byte) (packed []byte, ok bool) {
	if e.packer == nil {
		e.packer = new(packer)
	}
	e.packed, ok = e.packer.pack(e.packed[:0], s)
	return e.packed, ok
}

// AppendValue appends a value: its type and what belongs to it.
func (e *Encoder) AppendValue(b []byte, v Value) []byte {
	return e.appendBody(append(b, typeOf(v)), v)
}

// tidy lets go of buffers that have become large.
func (e *Encoder) tidy() {
	if cap(e.packed) > bufferKeep {
		e.packed = nil
	}
	if cap(e.blob) > bufferKeep {
		e.blob = nil
	}
}

// packed tells whether a value is written in one piece. A listpack that would
// be larger than any of Redis is not.
func packed(v Value) bool {
	if v.Data == nil {
		return false
	}
	switch v.Data.Encoding() {
	case "intset":
		return true
	case "listpack", "listpackex":
		return v.Kind != value.KindSet && v.Data.MemoryUsage() < plainMin
	}
	return false
}

// typeOf is the type that a value is written as.
func typeOf(v Value) byte {
	packed := packed(v)
	if _, _, ok := timed(v); ok {
		if packed {
			return typeHashTimedListpack
		}
		return typeHashTimed
	}
	switch {
	case v.Kind == value.KindString:
		return typeString
	case v.Kind == value.KindList:
		return typeListOfListpacks
	case v.Kind == value.KindSet && packed:
		return typeSetIntset
	case v.Kind == value.KindSet:
		return typeSet
	case v.Kind == value.KindZSet && packed:
		return typeZSetListpack
	case v.Kind == value.KindZSet:
		return typeZSet
	case v.Kind == value.KindHash && packed:
		return typeHashListpack
	case v.Kind == value.KindHash:
		return typeHash
	case v.Kind == value.KindStream && nobodys(v.Data.(*value.Stream)):
		return typeStreamOwn
	case v.Kind == value.KindStream:
		return typeStream2
	case v.Kind == value.KindArray:
		return typeArray
	}
	panic("rdb: there are no values of kind " + v.Kind.String())
}

// appendBody appends what follows a value's type.
func (e *Encoder) appendBody(b []byte, v Value) []byte {
	switch typeOf(v) {
	case typeString:
		return e.appendText(b, v.Text)
	case typeListOfListpacks:
		return e.appendList(b, v.Data.(*value.List))
	case typeSetIntset:
		return e.appendIntset(b, v.Data.(*value.Set))
	case typeSet:
		return e.appendSet(b, v.Data.(*value.Set))
	case typeZSetListpack:
		return e.appendPackedZSet(b, v.Data.(*value.ZSet))
	case typeZSet:
		return e.appendZSet(b, v.Data.(*value.ZSet))
	case typeHashListpack:
		return e.appendPackedHash(b, v.Data.(*value.Hash))
	case typeHash:
		return e.appendHash(b, v.Data.(*value.Hash))
	case typeArray:
		return e.appendArray(b, v.Data.(*value.Array))
	case typeHashTimed:
		return e.appendTimedHash(b, v)
	case typeHashTimedListpack:
		return e.appendPackedTimedHash(b, v)
	}
	return e.appendStream(b, v.Data.(*value.Stream))
}

// appendList appends nodes as full as those of a list that has grown at its tail.
func (e *Encoder) appendList(b []byte, l *value.List) []byte {
	start, nodes := len(b), uint64(0)
	e.beginListpack()
	flush := func() {
		if e.elements > 0 {
			b = e.appendListpack(append(b, nodePacked))
			e.beginListpack()
			nodes++
		}
	}
	for _, elem := range l.All() {
		if len(elem) >= plainMin {
			flush()
			b = e.appendText(append(b, nodePlain), elem)
			nodes++
			continue
		}
		if len(e.blob)+1+len(elem)+nodeOverhead > nodeMax {
			flush()
		}
		e.element(elem)
	}
	flush()
	return insertLength(b, start, nodes)
}

// insertLength puts a length, known only now, before what starts at start.
func insertLength(b []byte, start int, n uint64) []byte {
	var head [9]byte
	return slices.Insert(b, start, appendLength(head[:0], n)...)
}

func (e *Encoder) appendIntset(b []byte, s *value.Set) []byte {
	width := 2
	for member := range s.All() {
		n, _ := value.ParseInt(member)
		if n != int64(int32(n)) {
			width = 8
			break
		}
		if n != int64(int16(n)) {
			width = 4
		}
	}
	blob := binary.LittleEndian.AppendUint32(e.blob[:0], uint32(width))
	blob = binary.LittleEndian.AppendUint32(blob, uint32(s.Len()))
	for member := range s.All() {
		n, _ := value.ParseInt(member)
		var full [8]byte
		binary.LittleEndian.PutUint64(full[:], uint64(n))
		blob = append(blob, full[:width]...)
	}
	e.blob = blob
	return e.appendText(b, blob)
}

func (e *Encoder) appendSet(b []byte, s *value.Set) []byte {
	b = appendLength(b, uint64(s.Len()))
	for member := range s.All() {
		b = e.appendText(b, member)
	}
	return b
}

func (e *Encoder) appendPackedZSet(b []byte, z *value.ZSet) []byte {
	e.beginListpack()
	var text [32]byte
	for member, score := range z.All() {
		e.element([]byte(member))
		e.element(appendScore(text[:0], score))
	}
	return e.appendListpack(b)
}

// longestScoreNumber bounds the scores that are written as integers.
const longestScoreNumber = 1 << 62

// appendScore appends a score in 17 digits, or as an integer if it is one.
func appendScore(b []byte, score float64) []byte {
	switch {
	case math.Abs(score) <= longestScoreNumber && score == math.Trunc(score):
		return value.AppendInt(b, int64(score))
	case math.IsInf(score, 1):
		return append(b, "inf"...)
	case math.IsInf(score, -1):
		return append(b, "-inf"...)
	}
	return strconv.AppendFloat(b, score, 'g', 17, 64)
}

// appendZSet appends the highest score first: who reads inserts at the front.
func (e *Encoder) appendZSet(b []byte, z *value.ZSet) []byte {
	b = appendLength(b, uint64(z.Len()))
	for member, score := range z.Backward(0, z.Len()) {
		b = e.appendText(b, []byte(member))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(score))
	}
	return b
}

func (e *Encoder) appendPackedHash(b []byte, h *value.Hash) []byte {
	e.beginListpack()
	for field, text := range h.All() {
		e.element(field)
		e.element(text)
	}
	return e.appendListpack(b)
}

func (e *Encoder) appendHash(b []byte, h *value.Hash) []byte {
	b = appendLength(b, uint64(h.Len()))
	for field, text := range h.All() {
		b = e.appendText(b, field)
		b = e.appendText(b, text)
	}
	return b
}

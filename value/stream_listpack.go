package value

import (
	"encoding/binary"
	"math"
	"strconv"
)

// Listpack elements, the form in which Redis's files and DUMP payloads hold a
// stream's entries. Streams keep it in memory too, so that a block ends where
// one of Redis ends, to the byte, and is written out as it is.
//
//	encoding | bytes | back
//
// A string that spells an integer is kept as one; the first byte tells which
// form follows. Back is the size of the two parts before it, written so that it
// reads from its end.
const (
	packInt13  = 0xc0 // 110xxxxx and one byte
	packInt16  = 0xf1
	packInt24  = 0xf2
	packInt32  = 0xf3
	packInt64  = 0xf4
	packStr6   = 0x80 // 10xxxxxx
	packStr12  = 0xe0 // 1110xxxx and one byte
	packStr32  = 0xf0
	packEnd    = 0xff
	packHeader = 6 // total size and number of elements, before the elements
)

// packedInt is the size of an integer element.
func packedInt(n int64) int {
	switch {
	case n >= 0 && n < 1<<7:
		return 2
	case n >= -1<<12 && n < 1<<12:
		return 3
	case n >= math.MinInt16 && n <= math.MaxInt16:
		return 4
	case n >= -1<<23 && n < 1<<23:
		return 5
	case n >= math.MinInt32 && n <= math.MaxInt32:
		return 6
	}
	return 10
}

// appendPackedInt appends an integer element.
func appendPackedInt(b []byte, n int64) []byte {
	size := packedInt(n)
	u := uint64(n)
	switch size {
	case 2:
		b = append(b, byte(u))
	case 3:
		b = append(b, packInt13|byte(u>>8)&0x1f, byte(u))
	case 4:
		b = append(b, packInt16, byte(u), byte(u>>8))
	case 5:
		b = append(b, packInt24, byte(u), byte(u>>8), byte(u>>16))
	case 6:
		b = binary.LittleEndian.AppendUint32(append(b, packInt32), uint32(u))
	default:
		b = binary.LittleEndian.AppendUint64(append(b, packInt64), u)
	}
	return append(b, byte(size-1))
}

// appendPacked appends s as an element, as an integer if it spells one.
func appendPacked(b, s []byte) []byte {
	if len(s) <= 20 {
		if n, ok := ParseInt(s); ok {
			return appendPackedInt(b, n)
		}
	}
	start := len(b)
	switch n := len(s); {
	case n < 1<<6:
		b = append(b, packStr6|byte(n))
	case n < 1<<12:
		b = append(b, packStr12|byte(n>>8), byte(n))
	default:
		b = binary.LittleEndian.AppendUint32(append(b, packStr32), uint32(n))
	}
	b = append(b, s...)
	return appendBack(b, len(b)-start)
}

// backSize is how many bytes the size of an element takes behind it.
func backSize(n int) int {
	switch {
	case n < 1<<7:
		return 1
	case n < 1<<14-1:
		return 2
	case n < 1<<21-1:
		return 3
	case n < 1<<28-1:
		return 4
	}
	return 5
}

func appendBack(b []byte, n int) []byte {
	k := backSize(n)
	b = append(b, byte(n>>(7*(k-1))))
	for k -= 2; k >= 0; k-- {
		b = append(b, byte(n>>(7*k))|0x80)
	}
	return b
}

// packedElement is an element as it was read: text, or if that is nil the
// integer num.
type packedElement struct {
	text []byte
	num  int64
}

// bytes is the element's string; buf is used for an integer's digits.
func (e packedElement) bytes(buf []byte) []byte {
	if e.text != nil {
		return e.text
	}
	return strconv.AppendInt(buf[:0], e.num, 10)
}

// packedAt reads the element at off and where the next one starts. The bytes
// must be sound: see packedSize.
func packedAt(b []byte, off int) (e packedElement, next int) {
	c := b[off]
	switch {
	case c < 0x80:
		return packedElement{num: int64(c)}, off + 2
	case c < packInt13:
		n := int(c & 0x3f)
		end := off + 1 + n
		return packedElement{text: b[off+1 : end : end]}, end + 1
	case c < packStr12:
		n := int64(c&0x1f)<<8 | int64(b[off+1])
		return packedElement{num: n << 51 >> 51}, off + 3
	case c < packStr32:
		n := int(c&0x0f)<<8 | int(b[off+1])
		end := off + 2 + n
		return packedElement{text: b[off+2 : end : end]}, end + backSize(n+2)
	}
	switch c {
	case packStr32:
		n := int(binary.LittleEndian.Uint32(b[off+1:]))
		end := off + 5 + n
		return packedElement{text: b[off+5 : end : end]}, end + backSize(n+5)
	case packInt16:
		return packedElement{num: int64(int16(binary.LittleEndian.Uint16(b[off+1:])))}, off + 4
	case packInt24:
		n := int32(b[off+1])<<8 | int32(b[off+2])<<16 | int32(b[off+3])<<24
		return packedElement{num: int64(n >> 8)}, off + 5
	case packInt32:
		return packedElement{num: int64(int32(binary.LittleEndian.Uint32(b[off+1:])))}, off + 6
	}
	return packedElement{num: int64(binary.LittleEndian.Uint64(b[off+1:]))}, off + 10
}

// packedInt64 reads an element that is known to be an integer.
func packedInt64(b []byte, off int) (n int64, next int) {
	if c := b[off]; c < 0x80 {
		return int64(c), off + 2
	}
	e, next := packedAt(b, off)
	return e.num, next
}

// packedBefore is where the element that ends at end starts.
func packedBefore(b []byte, end int) int {
	n, k := 0, 0
	for {
		end--
		n |= int(b[end]&0x7f) << (7 * k)
		if b[end] < 0x80 {
			return end - n
		}
		k++
	}
}

// packedSize is the size of the element at off; ok is false if none stands
// there, or not a sound one. The bytes may be anything.
func packedSize(b []byte, off int) (size int, ok bool) {
	if off >= len(b) {
		return 0, false
	}
	c := b[off]
	left := len(b) - off
	switch {
	case c < 0x80:
		size = 1
	case c < packInt13:
		size = 1 + int(c&0x3f)
	case c < packStr12:
		size = 2
	case c < packStr32 && left >= 2:
		size = 2 + (int(c&0x0f)<<8 | int(b[off+1]))
	case c == packStr32 && left >= 5:
		size = 5 + int(binary.LittleEndian.Uint32(b[off+1:]))
	case c >= packInt16 && c <= packInt32:
		size = int(c-packInt16) + 3
	case c == packInt64:
		size = 9
	default:
		return 0, false
	}
	k := backSize(size)
	if size <= 0 || size > left || k > left-size {
		return 0, false
	}
	var back [5]byte
	if string(appendBack(back[:0], size)) != string(b[off+size:off+size+k]) {
		return 0, false
	}
	return size + k, true
}

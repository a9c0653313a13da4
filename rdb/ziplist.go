package rdb

import (
	"encoding/binary"

	"minikv/value"
)

// A ziplist is what listpacks were before Redis 7.
//
//	size of the whole (4) | offset of the last element (4) | number of elements (2) | elements | 0xff
//
// An element is the size of the one before it, in one byte or behind 0xfe in
// four, then an encoding, then what that asks for.
const (
	ziplistHead = 10
	ziplistLong = 0xfe
)

type ziplist struct {
	blob   []byte
	off    int
	before int // size of the element before
	last   int // where it starts
	left   int
	exact  bool
	bad    bool
	digits [2][20]byte
}

func openZiplist(blob []byte) *ziplist {
	z := &ziplist{blob: blob, off: ziplistHead, last: ziplistHead}
	if len(blob) < ziplistHead+1 || binary.LittleEndian.Uint32(blob) != uint32(len(blob)) || blob[len(blob)-1] != listpackEnd {
		z.bad = true
		return z
	}
	z.left = int(binary.LittleEndian.Uint16(blob[8:]))
	z.exact = z.left != listpackUnknown
	return z
}

func (z *ziplist) next() (elem []byte, ok bool) {
	end := len(z.blob) - 1
	if z.bad || z.off == end {
		return nil, false
	}
	b := z.blob[z.off:end]
	elem, size := z.element(b, z.digits[z.left&1][:])
	if size == 0 {
		z.bad = true
		return nil, false
	}
	z.last = z.off
	z.before = size
	z.off += size
	z.left--
	return elem, true
}

// element reads the element that b begins with; its size is 0 if it is not sound.
func (z *ziplist) element(b, buf []byte) (elem []byte, size int) {
	before := int(b[0])
	head := 1
	if b[0] >= ziplistLong {
		if b[0] > ziplistLong || len(b) < 5 {
			return nil, 0
		}
		before, head = int(binary.LittleEndian.Uint32(b[1:])), 5
	}
	if before != z.before || len(b) <= head {
		return nil, 0
	}
	b = b[head:]
	if b[0] < 0xc0 {
		elem, size = ziplistText(b)
	} else {
		var n int64
		if n, size = ziplistNumber(b); size > 0 {
			elem = value.AppendInt(buf[:0], n)
		}
	}
	if size == 0 {
		return nil, 0
	}
	return elem, head + size
}

// ziplistText reads a string from behind the size of the one before.
func ziplistText(b []byte) (elem []byte, size int) {
	head, n := 1, uint64(b[0]&0x3f)
	switch {
	case b[0] < 0x40:
	case b[0] < 0x80 && len(b) >= 2:
		head, n = 2, n<<8|uint64(b[1])
	case b[0] >= 0x80 && len(b) >= 5:
		head, n = 5, uint64(binary.BigEndian.Uint32(b[1:]))
	default:
		return nil, 0
	}
	if n > uint64(len(b)-head) {
		return nil, 0
	}
	size = head + int(n)
	return b[head:size:size], size
}

// ziplistNumber reads an integer from behind the size of the one before.
func ziplistNumber(b []byte) (n int64, size int) {
	var full [8]byte
	copy(full[:], b[1:])
	u := binary.LittleEndian.Uint64(full[:])
	switch b[0] {
	case 0xc0:
		n, size = int64(int16(u)), 3
	case 0xd0:
		n, size = int64(int32(u)), 5
	case 0xe0:
		n, size = int64(u), 9
	case 0xf0:
		n, size = int64(u<<40)>>40, 4
	case 0xfe:
		n, size = int64(int8(u)), 2
	default:
		if b[0] <= 0xf0 || b[0] > 0xfd {
			return 0, 0
		}
		n, size = int64(b[0]&0x0f)-1, 1
	}
	if size > len(b) {
		return 0, 0
	}
	return n, size
}

func (z *ziplist) sound() bool {
	return !z.bad && z.off == len(z.blob)-1 && !(z.exact && z.left != 0) &&
		binary.LittleEndian.Uint32(z.blob[4:]) == uint32(z.last)
}

package rdb

import "encoding/binary"

// A zipmap is how Redis before 2.6 kept small hashes.
//
//	number of fields, 254 if more | field, value, ... | 0xff
//
// Either begins with its length, in one byte or behind 254 in four. A value has
// another byte then: how many unused ones follow it.
type zipmap struct {
	blob  []byte
	off   int
	value bool // a value comes next
	count int
	bad   bool
}

const zipmapLong = 254

func openZipmap(blob []byte) *zipmap {
	return &zipmap{blob: blob, off: 1, bad: len(blob) < 2 || blob[len(blob)-1] != listpackEnd}
}

func (z *zipmap) next() (elem []byte, ok bool) {
	end := len(z.blob) - 1
	if z.bad || z.off == end {
		return nil, false
	}
	b := z.blob[z.off:end]
	head, n, free := 1, uint64(b[0]), 0
	if b[0] >= zipmapLong {
		if b[0] > zipmapLong || len(b) < 5 {
			z.bad = true
			return nil, false
		}
		head, n = 5, uint64(binary.LittleEndian.Uint32(b[1:]))
	}
	if z.value {
		if len(b) == head {
			z.bad = true
			return nil, false
		}
		free = int(b[head])
		head++
	}
	if n > uint64(len(b)-head) || free > len(b)-head-int(n) {
		z.bad = true
		return nil, false
	}
	to := head + int(n)
	z.off += to + free
	z.count++
	z.value = !z.value
	return b[head:to:to], true
}

func (z *zipmap) sound() bool {
	if z.bad || z.value || z.off != len(z.blob)-1 {
		return false
	}
	count := int(z.blob[0])
	return count >= zipmapLong || count == z.count/2
}

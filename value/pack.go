package value

import "math/bits"

// A packed run of byte strings, the compact form under lists and small hashes:
//
//	length | bytes | back
//
// repeated, nothing between. Length is a little-endian base-128 number; back is
// the size of the two parts before it, written so that it reads from its end: the
// last byte comes first. So a run is walked in both directions, and an entry of
// up to 125 bytes costs two bytes more than its contents.

// entrySize is what elem takes in a run.
func entrySize(elem []byte) int {
	size := len(elem) + numberSize(len(elem))
	return size + numberSize(size)
}

func numberSize(n int) int { return (bits.Len(uint(n)|1) + 6) / 7 }

// putEntry writes elem at the start of b, which has room for it, and returns the
// bytes written.
func putEntry(b, elem []byte) int {
	at := 0
	for n := len(elem); ; n >>= 7 {
		if n < 0x80 {
			b[at] = byte(n)
			at++
			break
		}
		b[at] = byte(n) | 0x80
		at++
	}
	size := at + copy(b[at:], elem)
	at = size + numberSize(size)
	end := at
	for n := size; ; n >>= 7 {
		at--
		if n < 0x80 {
			b[at] = byte(n)
			return end
		}
		b[at] = byte(n) | 0x80
	}
}

// entryAt reads the entry that starts at off and where the next one starts.
func entryAt(b []byte, off int) (elem []byte, next int) {
	n := int(b[off])
	off++
	if n < 0x7e { // one byte of back: the whole is below 128
		return b[off : off+n : off+n], off + n + 1
	}
	n &= 0x7f
	for shift := 7; b[off-1] >= 0x80; shift += 7 {
		n |= int(b[off]&0x7f) << shift
		off++
	}
	size := n + numberSize(n)
	return b[off : off+n : off+n], off + n + numberSize(size)
}

// entryBefore reads the entry that ends at end and where it starts.
func entryBefore(b []byte, end int) (elem []byte, start int) {
	end--
	size := int(b[end] & 0x7f)
	for shift := 7; b[end] >= 0x80; shift += 7 {
		end--
		size |= int(b[end]&0x7f) << shift
	}
	start = end - size
	elem, _ = entryAt(b, start)
	return elem, start
}

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
	at := putLength(b, len(elem))
	return putBack(b, at+copy(b[at:], elem))
}

// putLength writes an entry's first part at the start of b, and returns where the
// second one goes.
func putLength(b []byte, n int) (at int) {
	for ; n >= 0x80; n >>= 7 {
		b[at] = byte(n) | 0x80
		at++
	}
	b[at] = byte(n)
	return at + 1
}

// putBack writes an entry's last part, the others having size bytes, and returns
// the size of the whole.
func putBack(b []byte, size int) (end int) {
	at := size + numberSize(size)
	end = at
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

// Where nobody walks backwards an entry has no back part: a plain entry.

func plainSize(elem []byte) int { return numberSize(len(elem)) + len(elem) }

// putPlain writes elem as a plain entry at the start of b, which has room for it,
// and returns the bytes written.
func putPlain(b, elem []byte) int {
	at := putLength(b, len(elem))
	return at + copy(b[at:], elem)
}

// plainAt reads the plain entry that starts at off and where the next one starts.
func plainAt(b []byte, off int) (elem []byte, next int) {
	n := int(b[off])
	if off++; n >= 0x80 {
		n, off = longLength(b, off-1)
	}
	return b[off : off+n : off+n], off + n
}

// longLength reads a length of several bytes at off and where the bytes start.
func longLength(b []byte, off int) (n, at int) {
	for shift := 0; ; shift += 7 {
		c := b[off]
		off++
		n |= int(c&0x7f) << shift
		if c < 0x80 {
			return n, off
		}
	}
}

package rdb

import (
	"bytes"
	"math"
)

// LZF is the compression of strings: runs of literal bytes, and references to
// what stood some bytes back.
//
//	000LLLLL                     L+1 literal bytes follow
//	LLLooooo oooooooo            L+2 bytes from o+1 back (L is 1..6)
//	111ooooo LLLLLLLL oooooooo   L+9 bytes from o+1 back
//
// DIFFERS: RESTORE refuses a compressed string that says it is empty but is not, which Redis takes for empty.
//
// Any choice of runs and references can be read. Ours are those of Redis, so that
// the same value makes the same payload.
const (
	lzfRun     = 32      // longest run
	lzfReach   = 1 << 13 // farthest reference
	lzfLongest = 264     // longest reference
	lzfGrowth  = 88      // no byte stands for more
	lzfBits    = 16      // size of the table of places
)

// packer compresses greedily: it remembers for each hash of three bytes where
// they stood last. The zero packer is ready.
type packer struct {
	// places are positions counted from base. Those of earlier texts are not
	// above base, so the table is cleared only when positions run out.
	places [1 << lzfBits]uint32
	base   uint32
	out    []byte
	run    int // literals behind the last control byte, which is already there
}

// pack appends src compressed to dst if that is worth it; ok is false, and dst
// as it was, if not.
func (z *packer) pack(dst, src []byte) (packed []byte, ok bool) {
	if len(src) > math.MaxInt32 {
		return dst, false
	}
	if uint64(z.base)+uint64(len(src)) > math.MaxUint32 {
		clear(z.places[:])
		z.base = 0
	}
	z.out, z.run = append(dst, 0), 0
	ok = z.compress(src, len(dst)+len(src)-4)
	z.base += uint32(len(src))
	packed, z.out = z.out, nil
	if !ok {
		return packed[:len(dst)], false
	}
	return packed, true
}

// compress stops where the output would reach limit.
func (z *packer) compress(src []byte, limit int) bool {
	i := 0
	for i < len(src)-2 {
		from, found := z.find(src, i)
		if !found {
			if len(z.out) >= limit {
				return false
			}
			z.literal(src[i])
			i++
			continue
		}
		z.closeRun()
		if len(z.out)+4 >= limit {
			return false
		}
		n := matching(src, from, i)
		z.reference(i-from, n)
		if i += n; i < len(src)-2 {
			z.note(src, i-2)
			z.note(src, i-1)
		}
	}
	if len(z.out)+3 > limit {
		return false
	}
	for ; i < len(src); i++ {
		z.literal(src[i])
	}
	z.closeRun()
	return true
}

// note remembers that the three bytes at i stood there, and returns where such
// bytes, or others of the same hash, stood before.
func (z *packer) note(src []byte, i int) (before uint32) {
	h := uint32(src[i])<<16 | uint32(src[i+1])<<8 | uint32(src[i+2])
	h = (h>>(24-lzfBits) - h*5) & (1<<lzfBits - 1)
	before = z.places[h]
	z.places[h] = z.base + uint32(i)
	return before
}

// find looks for the three bytes at i further back. The first byte of the text
// is never referred to.
func (z *packer) find(src []byte, i int) (from int, ok bool) {
	before := z.note(src, i)
	if before <= z.base {
		return 0, false
	}
	from = int(before - z.base)
	return from, i-from <= lzfReach && bytes.Equal(src[from:from+3], src[i:i+3])
}

// matching is how many bytes at from and at i are the same. A match that is not
// short stops two bytes before the end.
func matching(src []byte, from, i int) int {
	most := min(len(src)-i-2, lzfLongest)
	if most > 16 {
		most = max(most, 19)
	}
	n := 3
	for n < most && src[from+n] == src[i+n] {
		n++
	}
	return n
}

func (z *packer) literal(c byte) {
	z.out = append(z.out, c)
	if z.run++; z.run == lzfRun {
		z.closeRun()
		z.out = append(z.out, 0)
	}
}

// closeRun writes the control byte of the run that ends here; of an empty one it
// takes it back.
func (z *packer) closeRun() {
	at := len(z.out) - z.run - 1
	if z.run == 0 {
		z.out = z.out[:at]
	} else {
		z.out[at] = byte(z.run - 1)
	}
	z.run = 0
}

// reference writes n bytes from back, and the control byte of the run to come.
func (z *packer) reference(back, n int) {
	back--
	n -= 2
	if n < 7 {
		z.out = append(z.out, byte(n<<5|back>>8), byte(back), 0)
	} else {
		z.out = append(z.out, byte(7<<5|back>>8), byte(n-7), byte(back), 0)
	}
}

// unpack appends src expanded to dst, which must come out size bytes longer.
func unpack(dst, src []byte, size int) (expanded []byte, ok bool) {
	start := len(dst)
	if size < 0 || size/lzfGrowth > len(src) {
		return dst, false
	}
	out := dst
	for len(src) > 0 {
		n, c := 0, int(src[0])
		if src = src[1:]; c < lzfRun {
			if n = c + 1; n > len(src) {
				return dst, false
			}
			out, src = append(out, src[:n]...), src[n:]
			continue
		}
		if n = c >> 5; n == 7 && len(src) > 0 {
			n += int(src[0])
			src = src[1:]
		}
		if len(src) == 0 {
			return dst, false
		}
		from := len(out) - (c&0x1f<<8 | int(src[0])) - 1
		if src = src[1:]; from < start || len(out)-start+n+2 > size {
			return dst, false
		}
		for range n + 2 {
			out = append(out, out[from])
			from++
		}
	}
	if len(out)-start != size {
		return dst, false
	}
	return out, true
}

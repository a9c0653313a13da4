package value

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// hasher is a keyed 64-bit hash of byte strings: 16 bytes are folded in per
// 64x64->128 multiplication, both halves of the product kept. Both multiplicands
// carry a word that only the seed's owner knows, so nobody can choose a key that
// multiplies by zero, which is how such hashes are otherwise made to collide.
//
// The result depends on the seed and the bytes alone, never on the process or
// the machine.
type hasher struct{ a, b uint64 }

func newHasher(seed uint64) hasher {
	return hasher{a: splitmix(seed), b: splitmix(seed + 0x9e3779b97f4a7c15)}
}

// splitmix spreads a seed over 64 bits.
func splitmix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func fold(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	return hi ^ lo
}

func (h hasher) bytes(p []byte) uint64 {
	n := uint64(len(p))
	state := h.a
	for len(p) > 16 {
		state = fold(binary.LittleEndian.Uint64(p)^h.b, binary.LittleEndian.Uint64(p[8:])^state)
		p = p[16:]
	}
	var x, y uint64
	switch {
	case len(p) >= 8:
		x = binary.LittleEndian.Uint64(p)
		y = binary.LittleEndian.Uint64(p[len(p)-8:])
	case len(p) >= 4:
		x = uint64(binary.LittleEndian.Uint32(p))
		y = uint64(binary.LittleEndian.Uint32(p[len(p)-4:]))
	case len(p) > 0:
		x = uint64(p[0])<<16 | uint64(p[len(p)>>1])<<8 | uint64(p[len(p)-1])
	}
	return fold(fold(x^h.b, y^state)^h.b, n^h.a)
}

func (h hasher) string(s string) uint64 { return h.bytes(bytesOf(s)) }

// bytesOf is s as bytes without a copy; nobody may write to them.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// stringOf is p as a string without a copy, valid while nobody writes to p.
func stringOf(p []byte) string { return unsafe.String(unsafe.SliceData(p), len(p)) }

package value

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// HyperLogLog is a HyperLogLog as Redis keeps it in a string value, byte for
// byte: 16384 registers, each the highest rank of an element that fell to it.
//
//	0  HYLL
//	4  encoding: 0 dense, 1 sparse; three zero bytes follow
//	8  cached cardinality, little endian; the highest bit says that it is stale
//	16 the registers
//
// Dense registers are 6 bits each, the lowest bits first. Sparse ones are runs:
//
//	00nnnnnn           n+1 registers hold 0
//	01nnnnnn nnnnnnnn  n+1 registers hold 0
//	1vvvvvnn           n+1 registers hold v+1
//
// A sparse one turns dense for good when a rank is too high for it or when it
// grows too long. A value that a client made up may have runs that are not
// registers; the methods then say ok false, and nobody trusts a length.
type HyperLogLog []byte

const (
	hllHeader    = 16
	hllRegisters = 1 << hllIndexBits
	hllIndexBits = 14
	hllRankBits  = 64 - hllIndexBits
	hllDenseSize = hllHeader + hllRegisters*6/8
	hllStale     = 0x80
	hllSeed      = 0xadc83b19

	hllDense, hllSparse = 0, 1

	runMaxShort = 64 // zeros in a run of one byte
	runMaxRank  = 32 // ranks in a run
	runMaxLen   = 4  // registers in a run with a rank
)

// NewHyperLogLog returns a sparse one without elements.
func NewHyperLogLog() HyperLogLog {
	h := HyperLogLog("HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	return append(h, zeroRun(hllRegisters)...)
}

// ParseHyperLogLog takes a string for a HyperLogLog, sharing its bytes, if it
// has the header of one.
func ParseHyperLogLog(b []byte) (h HyperLogLog, ok bool) {
	if len(b) < hllHeader || string(b[:4]) != "HYLL" || b[4] > hllSparse || b[4] == hllDense && len(b) != hllDenseSize {
		return nil, false
	}
	return b, true
}

// IsDense tells the encoding.
func (h HyperLogLog) IsDense() bool { return h[4] == hllDense }

// Cached is the cardinality that was counted last, if nothing has changed since.
func (h HyperLogLog) Cached() (n uint64, ok bool) {
	return binary.LittleEndian.Uint64(h[8:]), h[hllHeader-1]&hllStale == 0
}

// Cache notes what was counted.
func (h HyperLogLog) Cache(n uint64) { binary.LittleEndian.PutUint64(h[8:], n) }

// Touch says that the cached cardinality is stale.
func (h HyperLogLog) Touch() { h[hllHeader-1] |= hllStale }

// Add puts an element in, in place or in new bytes, which it returns; changed
// tells that a register has grown. A sparse one longer than sparseMax turns dense.
func (h HyperLogLog) Add(element []byte, sparseMax int) (_ HyperLogLog, changed, ok bool) {
	hash := murmur64(element, hllSeed)
	rank := bits.TrailingZeros64(hash>>hllIndexBits|1<<hllRankBits) + 1
	return h.Raise(int(hash%hllRegisters), uint8(rank), sparseMax)
}

// Raise gives a register a rank, unless it has that or a higher one.
func (h HyperLogLog) Raise(register int, rank uint8, sparseMax int) (_ HyperLogLog, changed, ok bool) {
	if h.IsDense() {
		return h, h.raiseDense(register, rank), true
	}
	return h.raiseSparse(register, rank, sparseMax)
}

func (h HyperLogLog) raiseDense(register int, rank uint8) bool {
	if h.register(register) >= rank {
		return false
	}
	at, shift := hllHeader+register*6/8, register*6%8
	h[at] = h[at]&^(0x3f<<shift) | rank<<shift
	if shift > 2 {
		h[at+1] = h[at+1]&^(0x3f>>(8-shift)) | rank>>(8-shift)
	}
	return true
}

// register reads one of the dense registers.
func (h HyperLogLog) register(register int) uint8 {
	at, shift := hllHeader+register*6/8, register*6%8
	rank := h[at] >> shift
	if shift > 2 {
		rank |= h[at+1] << (8 - shift)
	}
	return rank & 0x3f
}

// A run is some registers one after another that hold the same rank.
type run struct {
	rank uint8
	n    int // registers
	size int // bytes
}

// runAt reads the run at an offset; its size is 0 if it is cut off.
func (h HyperLogLog) runAt(at int) run {
	switch b := h[at]; {
	case b&0x80 != 0:
		return run{rank: b>>2&0x1f + 1, n: int(b&3) + 1, size: 1}
	case b&0x40 == 0:
		return run{n: int(b&0x3f) + 1, size: 1}
	case at+1 < len(h):
		return run{n: int(b&0x3f)<<8 + int(h[at+1]) + 1, size: 2}
	}
	return run{}
}

// zeroRun spells n registers without a rank.
func zeroRun(n int) []byte {
	switch {
	case n == 0:
		return nil
	case n <= runMaxShort:
		return []byte{byte(n - 1)}
	}
	return []byte{byte((n-1)>>8) | 0x40, byte(n - 1)}
}

// rankRun spells n registers of a rank.
func rankRun(rank uint8, n int) []byte {
	if n == 0 {
		return nil
	}
	return []byte{0x80 | (rank-1)<<2 | byte(n-1)}
}

// raiseSparse splits the run in which the register stands: what is before it,
// the register itself, what is behind it.
func (h HyperLogLog) raiseSparse(register int, rank uint8, sparseMax int) (_ HyperLogLog, changed, ok bool) {
	if rank > runMaxRank {
		return h.promote(register, rank)
	}
	at, before, first := hllHeader, hllHeader, 0
	var old run
	for ; at < len(h); before, at, first = at, at+old.size, first+old.n {
		if old = h.runAt(at); old.size == 0 || register < first+old.n {
			break
		}
	}
	switch {
	case at >= len(h) || old.size == 0:
		return h, false, false
	case old.rank >= rank:
		return h, false, true
	}
	var room [5]byte
	seq := room[:0]
	spell := func(n int) []byte { return rankRun(old.rank, n) }
	if old.rank == 0 {
		spell = zeroRun
	}
	seq = append(seq, spell(register-first)...)
	seq = append(seq, rankRun(rank, 1)...)
	seq = append(seq, spell(first+old.n-1-register)...)
	if len(seq) > old.size && len(h)+len(seq)-old.size > sparseMax {
		return h.promote(register, rank)
	}
	h = slices.Replace(h, at, at+old.size, seq...)
	return h.join(before), true, true
}

// join makes one run of adjoining runs of the same rank, as far as a run may
// be long, looking at a few from an offset on: as many as a split may have made.
func (h HyperLogLog) join(at int) HyperLogLog {
	for range 5 {
		if at >= len(h) {
			break
		}
		this := h.runAt(at)
		if this.size == 0 {
			break
		}
		if this.rank > 0 && at+1 < len(h) {
			if next := h.runAt(at + 1); next.rank == this.rank && this.n+next.n <= runMaxLen {
				h[at+1] = rankRun(this.rank, this.n+next.n)[0]
				h = slices.Delete(h, at, at+1)
				continue
			}
		}
		at += this.size
	}
	return h
}

// promote makes a sparse one dense and gives a register its rank.
func (h HyperLogLog) promote(register int, rank uint8) (_ HyperLogLog, changed, ok bool) {
	dense, ok := h.ToDense()
	if !ok {
		return h, false, false
	}
	return dense, dense.raiseDense(register, rank), true
}

// ToDense is the same in the dense encoding; itself if it is dense.
func (h HyperLogLog) ToDense() (_ HyperLogLog, ok bool) {
	if h.IsDense() {
		return h, true
	}
	dense := make(HyperLogLog, hllDenseSize)
	copy(dense, h[:hllHeader])
	dense[4] = hllDense
	ok = h.runs(func(first int, r run) {
		for i := range r.n {
			dense.raiseDense(first+i, r.rank)
		}
	})
	return dense, ok
}

// runs tells of each sparse run that has a rank, and where it begins. It is
// false if they are not as many registers as there must be.
func (h HyperLogLog) runs(fn func(first int, r run)) bool {
	register := 0
	for at := hllHeader; at < len(h); {
		r := h.runAt(at)
		if r.size == 0 || register+r.n > hllRegisters {
			return false
		}
		if r.rank > 0 {
			fn(register, r)
		}
		at, register = at+r.size, register+r.n
	}
	return register == hllRegisters
}

// murmur64 is MurmurHash64A.
func murmur64(b []byte, seed uint64) uint64 {
	const m = 0xc6a4a7935bd1e995
	h := seed ^ uint64(len(b))*m
	for ; len(b) >= 8; b = b[8:] {
		k := binary.LittleEndian.Uint64(b) * m
		h = (h ^ (k^k>>47)*m) * m
	}
	if len(b) > 0 {
		var tail [8]byte
		copy(tail[:], b)
		h = (h ^ binary.LittleEndian.Uint64(tail[:])) * m
	}
	h = (h ^ h>>47) * m
	return h ^ h>>47
}

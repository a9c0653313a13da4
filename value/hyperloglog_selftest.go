package value

import (
	"encoding/binary"
	"fmt"
	"math"
)

// TestHyperLogLog tries HyperLogLogs with elements that follow from a seed:
// dense registers must keep what they are given, the two encodings must agree,
// and the estimates must be as exact as the number of registers promises.
func TestHyperLogLog(seed uint64) error {
	if err := tryRegisters(seed); err != nil {
		return err
	}
	sparse := NewHyperLogLog()
	dense, _ := NewHyperLogLog().ToDense()
	const most = 100_000
	for n, next := uint64(1), uint64(1); n <= most; n++ {
		var element [8]byte
		binary.LittleEndian.PutUint64(element[:], splitmix(seed+n))
		sparse, _, _ = sparse.Add(element[:], sparseInTests)
		dense, _, _ = dense.Add(element[:], 0)
		if n < next {
			continue
		}
		next *= 10
		a, _ := sparse.Count()
		b, _ := dense.Count()
		if a != b {
			return fmt.Errorf("%d elements count as %d sparse and %d dense", n, a, b)
		}
		if off := math.Abs(float64(a) - float64(n)); off > tolerance(n) {
			return fmt.Errorf("%d elements count as %d", n, a)
		}
	}
	return nil
}

const sparseInTests = 3000

// tolerance is how far the estimate of n elements may be from n: six standard
// errors, of which an honest one is beyond once in five hundred million times.
func tolerance(n uint64) float64 {
	return math.Ceil(6 * 1.04 / math.Sqrt(hllRegisters) * float64(n))
}

// tryRegisters gives all dense registers ranks and reads them again.
func tryRegisters(seed uint64) error {
	h, _ := NewHyperLogLog().ToDense()
	var want Registers
	for round := range uint64(20) {
		for i := range want {
			rank := uint8(splitmix(seed+round<<32+uint64(i)) % (hllRankBits + 2))
			want[i] = max(want[i], rank)
			h.raiseDense(i, rank)
		}
		for i := range want {
			if got := h.register(i); got != want[i] {
				return fmt.Errorf("register %d holds %d and not %d", i, got, want[i])
			}
		}
	}
	return nil
}

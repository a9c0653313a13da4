package value

import (
	"fmt"
	"math"
	"strings"
)

// Registers are the registers of a HyperLogLog, or of several together, each
// in a byte.
type Registers [hllRegisters]uint8

// Merge raises the registers to those of h. It is false if h is corrupt.
func (r *Registers) Merge(h HyperLogLog) (ok bool) {
	if !h.IsDense() {
		return h.runs(func(first int, run run) {
			for i := range run.n {
				r[first+i] = max(r[first+i], run.rank)
			}
		})
	}
	packed := h[hllHeader:]
	for i := 0; i < len(r); i, packed = i+4, packed[3:] {
		four := uint32(packed[0]) | uint32(packed[1])<<8 | uint32(packed[2])<<16
		r[i] = max(r[i], uint8(four&0x3f))
		r[i+1] = max(r[i+1], uint8(four>>6&0x3f))
		r[i+2] = max(r[i+2], uint8(four>>12&0x3f))
		r[i+3] = max(r[i+3], uint8(four>>18))
	}
	return true
}

// Count estimates how many elements the registers have seen.
func (r *Registers) Count() uint64 {
	var ranks histogram
	for _, rank := range r {
		ranks[rank&0x3f]++
	}
	return ranks.estimate()
}

// Count estimates how many elements were added. It is false if h is corrupt.
func (h HyperLogLog) Count() (n uint64, ok bool) {
	if h.IsDense() {
		var all Registers
		all.Merge(h)
		return all.Count(), true
	}
	var ranks histogram
	ranks[0] = hllRegisters
	ok = h.runs(func(_ int, r run) {
		ranks[r.rank] += r.n
		ranks[0] -= r.n
	})
	return ranks.estimate(), ok
}

// histogram counts the registers of each rank.
type histogram [64]int

// estimate is Otmar Ertl's improved estimator ("New cardinality estimation
// algorithms for HyperLogLog sketches", 2017), which needs no tables of
// corrections. Its operations are in the order in which Redis has them, and
// products are rounded before they are added, so that every machine answers the
// same number.
func (ranks *histogram) estimate() uint64 {
	const m = float64(hllRegisters)
	const alpha = 0.721347520444481703680 // 1/(2 ln 2)
	z := m * tau((m-float64(ranks[hllRankBits+1]))/m)
	for rank := hllRankBits; rank >= 1; rank-- {
		z += float64(ranks[rank])
		z *= 0.5
	}
	z += float64(m * sigma(float64(ranks[0])/m))
	return uint64(math.Round(alpha * m * m / z))
}

// sigma is the share of the registers that hold nothing in the sum.
func sigma(x float64) float64 {
	if x == 1 {
		return math.Inf(1)
	}
	y, z := 1.0, x
	for {
		x *= x
		last := z
		z += float64(x * y)
		y += y
		if z == last {
			return z
		}
	}
}

// tau is the share of the registers that hold the highest rank.
func tau(x float64) float64 {
	if x == 0 || x == 1 {
		return 0
	}
	y, z := 1.0, 1-x
	for {
		x = math.Sqrt(x)
		last := z
		y *= 0.5
		z -= float64((1 - x) * (1 - x) * y)
		if z == last {
			return z / 3
		}
	}
}

// Decode spells the runs of a sparse one, as PFDEBUG DECODE does: "z:5" for so
// many zeros, "Z:" if in two bytes, "v:3,2" for a rank and so many registers.
func (h HyperLogLog) Decode() string {
	var words []string
	for at := hllHeader; at < len(h); {
		r := h.runAt(at)
		switch {
		case r.size == 0:
			words = append(words, fmt.Sprintf("Z:%d", int(h[at]&0x3f)<<8+1))
			r.size = 1
		case r.rank > 0:
			words = append(words, fmt.Sprintf("v:%d,%d", r.rank, r.n))
		case r.size == 1:
			words = append(words, fmt.Sprintf("z:%d", r.n))
		default:
			words = append(words, fmt.Sprintf("Z:%d", r.n))
		}
		at += r.size
	}
	return strings.Join(words, " ")
}

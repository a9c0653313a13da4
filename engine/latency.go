package engine

import "math/bits"

// histogram counts run times by how long they were, with a precision of two
// decimal digits, as Redis's does: nanoseconds up to 255 one by one, then each
// doubling in 128 equal steps, up to a second. It grows with what it has seen.
type histogram struct {
	counts []uint64
	total  uint64
}

const (
	histogramSteps = 7 // 2^7 steps a doubling
	longestLatency = 1_000_000_000
)

// add counts one run time.
func (h *histogram) add(micros int64) {
	i := latencyIndex(uint64(max(1, min(micros, longestLatency/1000)*1000)))
	for i >= len(h.counts) {
		h.counts = append(h.counts, 0)
	}
	h.counts[i]++
	h.total++
}

func latencyIndex(ns uint64) int {
	shift := max(0, bits.Len64(ns)-histogramSteps-1)
	return shift<<histogramSteps + int(ns>>shift)
}

// latencyBounds are the least and the most nanoseconds counted at an index.
func latencyBounds(i int) (low, high uint64) {
	shift := max(0, i>>histogramSteps-1)
	low = uint64(i-shift<<histogramSteps) << shift
	return low, low + 1<<shift - 1
}

// percentile is the run time in nanoseconds that p percent did not exceed.
func (h *histogram) percentile(p float64) uint64 {
	want := max(1, uint64(p/100*float64(h.total)+0.5))
	var seen uint64
	for i, n := range h.counts {
		if seen += n; seen >= want {
			low, high := latencyBounds(i)
			if p == 0 {
				return low
			}
			return high
		}
	}
	return 0
}

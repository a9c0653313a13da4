package engine

import "testing"

// TestLatencyPercentiles: the numbers are redis-server's.
func TestLatencyPercentiles(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		micros []int64
		p      float64
		want   uint64
	}{
		{[]int64{0}, 50, 1},
		{[]int64{1}, 50, 1003},
		{[]int64{2}, 50, 2007},
		{[]int64{2}, 0, 2000},
		{[]int64{4}, 99, 4015},
		{[]int64{7}, 0, 6976},
		{[]int64{14}, 99, 14015},
		{[]int64{105}, 99.9, 105471},
		{[]int64{100_000, 1_500_000}, 50, 100139007},
		{[]int64{100_000, 1_500_000}, 99, 1002438655},
		{[]int64{1 << 62}, 99, 1002438655},
		{[]int64{-5}, 99, 1},
		{nil, 50, 0},
	} {
		var h histogram
		for _, m := range test.micros {
			h.add(m)
		}
		if got := h.percentile(test.p); got != test.want {
			t.Errorf("%v: p%v is %d, want %d", test.micros, test.p, got, test.want)
		}
	}
}

// TestLatencyBoundsMeet: every run time lies in the bounds of its index, and
// they follow one another without a gap.
func TestLatencyBoundsMeet(t *testing.T) {
	t.Parallel()
	next := uint64(0)
	for i := range latencyIndex(longestLatency) + 1 {
		low, high := latencyBounds(i)
		if low != next || latencyIndex(low) != i || latencyIndex(high) != i {
			t.Fatalf("index %d: %d to %d, want from %d", i, low, high, next)
		}
		next = high + 1
	}
}

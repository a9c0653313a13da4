package main

import "testing"

func TestPercentFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		live uint64
		want int
	}{
		{0, 400}, {1 << 20, 400}, {4 << 20, 400}, {5 << 20, 300}, {8 << 20, 200}, {16 << 20, 100}, {1 << 40, 100},
	} {
		if got := percentFor(c.live); got != c.want {
			t.Errorf("beside %d bytes of data garbage of %d %% is allowed, want %d", c.live, got, c.want)
		}
	}
}

package engine

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestPartialSort: the wanted places hold what a whole sort puts there.
func TestPartialSort(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.IntRange(0, 60), 1, 200).Draw(t, "list")
		from := rapid.IntRange(0, len(list)-1).Draw(t, "from")
		to := rapid.IntRange(from, len(list)-1).Draw(t, "to")
		want := slices.Sorted(slices.Values(list))
		partialSort(list, from, to, cmp.Compare[int])
		if !slices.Equal(list[from:to+1], want[from:to+1]) {
			t.Fatalf("places %d to %d hold %v, want %v", from, to, list[from:to+1], want[from:to+1])
		}
		slices.Sort(list)
		if !slices.Equal(list, want) {
			t.Fatalf("elements were lost: %v, want %v", list, want)
		}
	})
}

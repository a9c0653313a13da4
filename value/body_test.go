package value

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestBodyOfText(t *testing.T) {
	t.Parallel()
	var b Body
	if b.Text() != nil {
		t.Errorf("the zero body has text %q", b.Text())
	}
	for _, text := range []string{"", "a", strings.Repeat("x", 70000)} {
		room := append(make([]byte, 0, len(text)+100), text...)
		b.SetText(room)
		if got := b.Text(); string(got) != text || cap(got) != cap(room) {
			t.Errorf("%d bytes with room for %d came back as %d with room for %d", len(text), cap(room), len(got), cap(got))
		}
		c := b.Clone(KindString)
		copy(room, "changed")
		if string(c.Text()) != text {
			t.Errorf("the copy of %.10q became %.10q", text, c.Text())
		}
	}
	b.SetInt(-5)
	if b.Int() != -5 || b.Clone(KindString) != b {
		t.Errorf("-5 came back as %d", b.Int())
	}
}

// TestPackedMembersOfAnyLength: entries of a packed sorted set, whose parts have
// lengths of one, two and three bytes, are found from both sides.
func TestPackedMembersOfAnyLength(t *testing.T) {
	t.Parallel()
	limits := DefaultLimits()
	limits.ZSetMaxListpackValue = 1 << 20
	var lengths []int
	for _, edge := range []int{0, 1 << 7, 1 << 14} {
		for n := max(edge-14, 0); n < edge+6; n++ {
			lengths = append(lengths, n)
		}
	}
	scores := []float64{0, 1, -1, 127, 128, -128, -129, 1 << 31, -1 << 40, 1<<52 + 1, -1 << 60, 0.5, -1e300}
	for i, n := range lengths {
		z, member := NewZSet(1), []byte(strings.Repeat("m", n))
		for j, score := range scores {
			limits.ZSetMaxListpackEntries = 128
			z.Add(&limits, fmt.Appendf(member[:n:n], "%d", j), score)
		}
		if !z.Packed() || z.Len() != len(scores) {
			t.Fatalf("members of %d bytes: %s of %d", n, z.Encoding(), z.Len())
		}
		if err := z.Check(); err != nil {
			t.Fatalf("members of %d bytes: %v", n, err)
		}
		for j, score := range scores {
			if got, ok := z.Score(fmt.Appendf(member[:n:n], "%d", j)); !ok || got != score {
				t.Fatalf("members of %d bytes: the score of %d is %v, %v", n, j, got, ok)
			}
		}
		var up, down []float64
		for _, score := range z.All() {
			up = append(up, score)
		}
		for _, score := range z.Backward(0, z.Len()) {
			down = append(down, score)
		}
		slices.Reverse(down)
		if !slices.IsSorted(up) || !slices.Equal(up, down) {
			t.Fatalf("members of %d bytes (%d): forward %v, backward %v", n, i, up, down)
		}
	}
}

// TestPackedGivesMemoryBack: what is taken out of a packed collection does not
// stay allocated.
func TestPackedGivesMemoryBack(t *testing.T) {
	t.Parallel()
	limits := DefaultLimits()
	h := NewHash(1)
	for i := range 500 {
		h.Set(&limits, fmt.Append(nil, i), []byte("value"))
	}
	full := h.MemoryUsage()
	for i := range 499 {
		h.Delete(fmt.Append(nil, i))
	}
	if h.Len() != 1 || h.MemoryUsage() > full/20 {
		t.Errorf("%d field of 500 takes %d bytes of %d", h.Len(), h.MemoryUsage(), full)
	}
}

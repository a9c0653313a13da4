package value

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestHyperLogLogTriesItself(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		if err := TestHyperLogLog(seed); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// TestHyperLogLogAgainstRegisters: whatever the encoding, and wherever runs
// are split and joined, the registers are those of a plain array.
func TestHyperLogLogAgainstRegisters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h, want := NewHyperLogLog(), Registers{}
		limit := rapid.SampledFrom([]int{0, 30, 100, 3000, 1 << 20}).Draw(t, "sparse max")
		near := rapid.IntRange(1, hllRegisters).Draw(t, "registers in use")
		for range rapid.IntRange(0, 200).Draw(t, "changes") {
			i := hllRegisters - 1 - rapid.IntRange(0, near-1).Draw(t, "register")
			rank := rapid.Uint8Range(1, 51).Draw(t, "rank")
			if rapid.IntRange(0, 9).Draw(t, "high") > 0 {
				rank = rank%3 + 1
			}
			var changed, ok bool
			h, changed, ok = h.Raise(i, rank, limit)
			if !ok || changed != (want[i] < rank) {
				t.Fatalf("register %d from %d to %d: changed %v, ok %v", i, want[i], rank, changed, ok)
			}
			want[i] = max(want[i], rank)
		}
		var got Registers
		if !got.Merge(h) || got != want {
			t.Fatalf("the registers differ: %s", h.Decode())
		}
		if !h.IsDense() && len(h) > max(limit, hllHeader+2) {
			t.Fatalf("sparse with %d bytes, at most %d", len(h), limit)
		}
		if n, ok := h.Count(); !ok || n != want.Count() {
			t.Fatalf("counts %d, its registers %d", n, want.Count())
		}
		dense, ok := h.ToDense()
		if n, _ := dense.Count(); !ok || n != want.Count() {
			t.Fatalf("dense counts %d, its registers %d", n, want.Count())
		}
	})
}

// TestHyperLogLogIsShort: adjoining registers of one rank share a run.
func TestHyperLogLogIsShort(t *testing.T) {
	t.Parallel()
	h := NewHyperLogLog()
	for i := range 8 {
		h, _, _ = h.Raise(i, 3, 3000)
	}
	if got, want := h.Decode(), "v:3,4 v:3,4 Z:16376"; got != want {
		t.Errorf("runs %q, want %q", got, want)
	}
}

// TestMurmur64 has values that the reference implementation gives.
func TestMurmur64(t *testing.T) {
	t.Parallel()
	h := NewHyperLogLog()
	h, _, _ = h.Add([]byte("a"), 3000)
	if got, want := h.Decode(), "Z:12711 v:2,1 Z:3672"; got != want {
		t.Errorf("an element falls to %q, want %q", got, want)
	}
}

// FuzzHyperLogLog: a string that a client made up may be anything.
func FuzzHyperLogLog(f *testing.F) {
	f.Add([]byte(NewHyperLogLog()), []byte("a"))
	f.Add([]byte("HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x7f"), []byte("b"))
	f.Add([]byte("HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x83\xff\x7f\xff\x7f\xff"), []byte{})
	dense, _ := NewHyperLogLog().ToDense()
	f.Add([]byte(dense), []byte("c"))
	f.Fuzz(func(t *testing.T, b, element []byte) {
		h, ok := ParseHyperLogLog(bytes.Clone(b))
		if !ok {
			return
		}
		_ = h.Decode()
		_, whole := h.Count()
		var all Registers
		if all.Merge(h) != whole {
			t.Fatal("merging and counting do not agree on what is whole")
		}
		h, _, added := h.Add(element, 3000)
		if whole && !added {
			t.Fatal("a whole one takes no element")
		}
		if _, ok := ParseHyperLogLog(h); !ok {
			t.Fatal("not a HyperLogLog any more")
		}
		if _, ok := h.Count(); ok != whole && whole {
			t.Fatal("corrupt after adding an element")
		}
	})
}

func BenchmarkHyperLogLogAdd(b *testing.B) {
	for _, limit := range []int{0, 3000} {
		b.Run(fmt.Sprintf("sparse-max-%d", limit), func(b *testing.B) {
			h, r := NewHyperLogLog(), rand.New(rand.NewPCG(1, 1))
			var element [8]byte
			b.ReportAllocs()
			for b.Loop() {
				n := r.Uint64() % 500
				element[0], element[1] = byte(n), byte(n>>8)
				h, _, _ = h.Add(element[:], limit)
			}
		})
	}
}

func BenchmarkHyperLogLogCount(b *testing.B) {
	h, _ := NewHyperLogLog().ToDense()
	for range b.N {
		h.Count()
	}
}

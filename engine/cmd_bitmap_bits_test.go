package engine

import (
	"bytes"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// bitAt is a bit of b, 0 behind its end.
func bitAt(b []byte, i int64) byte {
	if i>>3 >= int64(len(b)) {
		return 0
	}
	return b[i>>3] >> (7 - i&7) & 1
}

// someBytes are strings with long runs of equal bytes.
func someBytes() *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) (b []byte) {
		for range rapid.IntRange(0, 4).Draw(t, "runs") {
			one := rapid.SampledFrom([]byte{0, 0xff, 0x01, 0x80, 0x5a}).Draw(t, "byte")
			b = append(b, bytes.Repeat([]byte{one}, rapid.IntRange(0, 20).Draw(t, "length"))...)
		}
		return b
	})
}

// TestBitsOneByOne: counting and finding bits by words comes to the same as
// looking at one after the other.
func TestBitsOneByOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := someBytes().Draw(t, "string")
		from := rapid.Int64Range(0, int64(len(b))*8).Draw(t, "from")
		to := rapid.Int64Range(from, int64(len(b))*8).Draw(t, "to")
		first, count := [2]int64{-1, -1}, int64(0)
		for i := to - 1; i >= from; i-- {
			bit := bitAt(b, i)
			first[bit] = i
			count += int64(bit)
		}
		if got := countBits(b, from, to); got != count {
			t.Fatalf("%d bits are set, want %d", got, count)
		}
		for bit, want := range first {
			if got := findBit(b, byte(bit), from, to); got != want {
				t.Fatalf("the first %d is at %d, want %d", bit, got, want)
			}
		}
	})
}

// TestBitOpsOneByOne: what BITOP makes of each bit.
func TestBitOpsOneByOne(t *testing.T) {
	t.Parallel()
	want := map[string]func(first, others, all int) bool{ // of set bits, and of sources
		"AND":   func(first, others, all int) bool { return first+others == all },
		"OR":    func(first, others, _ int) bool { return first+others > 0 },
		"XOR":   func(first, others, _ int) bool { return (first+others)%2 == 1 },
		"NOT":   func(first, _, _ int) bool { return first == 0 },
		"DIFF":  func(first, others, _ int) bool { return first == 1 && others == 0 },
		"DIFF1": func(first, others, _ int) bool { return first == 0 && others > 0 },
		"ANDOR": func(first, others, _ int) bool { return first == 1 && others > 0 },
		"ONE":   func(first, others, _ int) bool { return first+others == 1 },
	}
	rapid.Check(t, func(t *rapid.T) {
		op := rapid.SampledFrom(bitOps).Draw(t, "operation")
		most := op.most
		if most == 0 {
			most = 4
		}
		sources := rapid.SliceOfN(someBytes(), op.least, most).Draw(t, "sources")
		size := 0
		for _, s := range sources {
			size = max(size, len(s))
		}
		got := op.combine(sources, size)
		if len(got) != size {
			t.Fatalf("%s is %d bytes long, want %d", op.word, len(got), size)
		}
		for i := range int64(size) * 8 {
			others := 0
			for _, s := range sources[1:] {
				others += int(bitAt(s, i))
			}
			if set := want[op.word](int(bitAt(sources[0], i)), others, len(sources)); (bitAt(got, i) == 1) != set {
				t.Fatalf("%s: bit %d is %d", op.word, i, bitAt(got, i))
			}
		}
	})
}

// TestIntFieldsAsBigNumbers: a field holds what fits, and wraps or saturates as
// arithmetic without bounds says.
func TestIntFieldsAsBigNumbers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := intField{signed: rapid.Bool().Draw(t, "signed"), offset: rapid.Int64Range(0, 40).Draw(t, "offset")}
		f.width = rapid.IntRange(1, 63).Draw(t, "width")
		b := make([]byte, f.size())
		rest := bytes.Clone(b)
		start := f.narrow(rapid.Uint64().Draw(t, "start"))
		f.set(b, start)
		if got := f.get(b); got != start {
			t.Fatalf("holds %d and not %d", got, start)
		}
		f.set(b, 0)
		if !bytes.Equal(b, rest) {
			t.Fatalf("bits outside the field have changed: %x", b)
		}
		more := rapid.Int64().Draw(t, "increment")
		sum := new(big.Int).Add(big.NewInt(start), big.NewInt(more))
		fits := sum.Cmp(big.NewInt(f.min())) >= 0 && sum.Cmp(big.NewInt(f.max())) <= 0
		want := f.max()
		if sum.Sign() < 0 || sum.Cmp(big.NewInt(f.min())) < 0 {
			want = f.min()
		}
		if fits {
			want = sum.Int64()
		}
		if got, ok := f.fit(start, more, overflowSat); got != want || ok != fits {
			t.Fatalf("%d and %d make %d, %v", start, more, got, ok)
		}
		modulus := new(big.Int).Lsh(big.NewInt(1), uint(f.width))
		got, _ := f.fit(start, more, overflowWrap)
		if diff := new(big.Int).Sub(sum, big.NewInt(got)); diff.Mod(diff, modulus).Sign() != 0 || got < f.min() || got > f.max() {
			t.Fatalf("%d and %d wrap around to %d", start, more, got)
		}
	})
}

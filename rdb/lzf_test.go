package rdb

import (
	"bytes"
	"testing"
)

func TestCompressedTextExpandsToItself(t *testing.T) {
	t.Parallel()
	r, z := newSource(4), new(packer)
	shorter := 0
	for range 2000 {
		text := r.text(1 + 1<<r.IntN(16))
		for len(text) > 3 && r.IntN(3) > 0 {
			text = append(text, text[:r.IntN(len(text))]...)
		}
		packed, ok := z.pack([]byte("before"), text)
		if !bytes.HasPrefix(packed, []byte("before")) {
			t.Fatal("what stood before is changed")
		}
		if !ok {
			continue
		}
		shorter++
		if len(packed)-6 > len(text)-4 {
			t.Fatalf("%d bytes became %d", len(text), len(packed)-6)
		}
		back, ok := unpack(nil, packed[6:], len(text))
		if !ok || !bytes.Equal(back, text) {
			t.Fatalf("%q came back as %q", text, back)
		}
	}
	if shorter < 500 {
		t.Errorf("only %d texts became shorter", shorter)
	}
}

// TestPackerForgets: the places of an earlier text are not taken for those of the
// next, also when the numbers of places begin anew.
func TestPackerForgets(t *testing.T) {
	t.Parallel()
	text := bytes.Repeat([]byte("abcdefgh"), 20)
	want, _ := new(packer).pack(nil, text)
	z := new(packer)
	for _, base := range []uint32{0, 100, 1<<32 - 165, 1<<32 - 160, 1<<32 - 1} {
		z.base = base
		z.pack(nil, []byte("xxabcdefghabcdefghyyyyyyyyyyyyyyyy"))
		if got, ok := z.pack(nil, text); !ok || !bytes.Equal(got, want) {
			t.Errorf("from %d on it packs %x, not %x", base, got, want)
		}
	}
}

func TestDamagedCompressedText(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, packed string
		size         int
	}{
		{"a run that ends early", "\x05abc", 6},
		{"a reference without its distance", "\x00a\x20", 4},
		{"a long reference without its length", "\x00a\xe0", 10},
		{"a reference before the beginning", "\x00a\x20\x01", 4},
		{"more than it says", "\x00a\x20\x00", 3},
		{"less than it says", "\x00a\x20\x00", 5},
		{"a size that no such text can have", "\x00a\xe0\xff\x00", 1 << 40},
		{"nothing", "", 1},
	} {
		if got, ok := unpack([]byte("before"), []byte(tc.packed), tc.size); ok {
			t.Errorf("%s: %q", tc.name, got)
		}
	}
}

package value

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// smallLimits let a model test cross every conversion soon.
func smallLimits() *Limits {
	return &Limits{
		HashMaxListpackEntries: 12, HashMaxListpackValue: 40, SetMaxIntsetEntries: 20,
		ZSetMaxListpackEntries: 12, ZSetMaxListpackValue: 40,
	}
}

// TestHashModel runs random histories against a Go map and the order of
// insertion.
func TestHashModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, hashAgainstModel())
}

func FuzzHash(f *testing.F) { f.Fuzz(rapid.MakeFuzz(hashAgainstModel())) }

func hashAgainstModel() func(*rapid.T) {
	limits := smallLimits()
	text := rapid.OneOf(rapid.StringN(0, 8, 8), rapid.StringMatching(`[a-d]`), rapid.StringMatching(`x{38,41}`))
	return func(t *rapid.T) {
		h, model, order := NewHash(rapid.Uint64().Draw(t, "seed")), map[string]string{}, []string{}
		table := false
		t.Repeat(map[string]func(*rapid.T){
			"set": func(*rapid.T) {
				f, v := text.Draw(t, "field"), text.Draw(t, "value")
				_, had := model[f]
				if added := h.Set(limits, []byte(f), []byte(v)); added == had {
					t.Fatalf("Set(%q) added=%v, had=%v", f, added, had)
				}
				if model[f] = v; !had {
					order = append(order, f)
				}
				table = table || len(model) > 12 || len(f) > 40 || len(v) > 40
			},
			"delete": func(*rapid.T) {
				f := text.Draw(t, "field")
				_, had := model[f]
				if h.Delete([]byte(f)) != had {
					t.Fatalf("Delete(%q), had=%v", f, had)
				}
				delete(model, f)
				order = slices.DeleteFunc(order, func(s string) bool { return s == f })
			},
			"prepare": func(*rapid.T) {
				v := text.Draw(t, "value")
				h.Prepare(limits, []byte("f"), []byte(v))
				table = table || len(v) > 40
			},
			"clone": func(*rapid.T) {
				old := h
				h = old.Clone()
				for f := range model {
					old.Set(limits, []byte(f), []byte("?"))
				}
			},
			"": func(t *rapid.T) {
				if err := h.Check(); err != nil {
					t.Fatal(err)
				}
				if got := h.Encoding() == "hashtable"; got != table || h.Len() != len(model) {
					t.Fatalf("%s of %d fields, model: table %v, %d", h.Encoding(), h.Len(), table, len(model))
				}
				var seen []string
				for f, v := range h.All() {
					seen = append(seen, string(f))
					if model[string(f)] != string(v) {
						t.Fatalf("%q holds %q, model %q", f, v, model[string(f)])
					}
				}
				if table {
					slices.Sort(seen)
					sorted := slices.Sorted(slices.Values(order))
					if !slices.Equal(seen, sorted) {
						t.Fatalf("fields %q, model %q", seen, sorted)
					}
				} else if !slices.Equal(seen, order) {
					t.Fatalf("order %q, model %q", seen, order)
				}
				f := text.Draw(t, "get")
				v, ok := h.Get([]byte(f))
				if want, had := model[f]; ok != had || h.Has([]byte(f)) != had || string(v) != want {
					t.Fatalf("Get(%q) = %q, %v", f, v, ok)
				}
			},
		})
	}
}

// TestHashEncoding: what OBJECT ENCODING of redis-server 7.0.15 answers after the
// same history under its default configuration.
func TestHashEncoding(t *testing.T) {
	t.Parallel()
	limits := DefaultLimits()
	fits, long := []byte(strings.Repeat("a", 64)), []byte(strings.Repeat("a", 65))
	filled := func(n int) *Hash {
		h := NewHash(1)
		for i := range n {
			h.Set(&limits, AppendInt(nil, int64(i)), fits)
		}
		return h
	}
	set := func(field, value []byte) *Hash { h := NewHash(1); h.Set(&limits, field, value); return h }
	shortAgain := set(nil, long)
	shortAgain.Set(&limits, nil, fits)
	refused := filled(1)
	refused.Prepare(&limits, long)
	for _, c := range []struct {
		history string
		h       *Hash
		want    string
	}{
		{"HSET of 512 fields", filled(512), "listpack"},
		{"HSET of 513 fields", filled(513), "hashtable"},
		{"HSET f, 64 bytes", set(fits, fits), "listpack"},
		{"HSET f, 65 bytes", set(fits, long), "hashtable"},
		{"HSET of a field of 65 bytes", set(long, fits), "hashtable"},
		{"HSET f, 65 bytes, then 64", shortAgain, "hashtable"},
		{"arguments of 65 bytes", refused, "hashtable"},
	} {
		if got := c.h.Encoding(); got != c.want {
			t.Errorf("%s: %s, redis answers %s", c.history, got, c.want)
		}
	}
}

// checkSample draws samples and compares how often each of size things came with
// the uniform distribution; a sample must be of different things.
func checkSample(t *testing.T, size, count int, sample func(yield func(string))) {
	t.Helper()
	const rounds = 4000
	seen := map[string]int{}
	for range rounds {
		once := map[string]bool{}
		sample(func(s string) { once[s] = true })
		if len(once) != min(count, size) {
			t.Fatalf("a sample of %d out of %d has %d different ones", count, size, len(once))
		}
		for s := range once {
			seen[s]++
		}
	}
	if want := rounds * min(count, size) / size; want > 0 {
		for s, n := range seen {
			if d := n - want; d*d > 36*want { // six deviations
				t.Errorf("sample of %d out of %d: %s came %d times, expected %d", count, size, s, n, want)
			}
		}
	}
}

func TestHashRandom(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 10, 40} {
		h := NewHash(9)
		for i := range size {
			h.Set(smallLimits(), fmt.Appendf(nil, "f%d", i), fmt.Appendf(nil, "v%d", i))
		}
		rnd := testRand(3)
		for _, count := range []int{0, 1, 5, 30, 100} {
			checkSample(t, size, count, func(yield func(string)) {
				for f, v := range h.Sample(count, rnd) {
					if string(v[1:]) != string(f[1:]) {
						t.Fatalf("%s with %s", f, v)
					}
					yield(string(f))
				}
			})
		}
		checkSample(t, size, 1, func(yield func(string)) {
			f, v := h.Random(rnd)
			if string(v[1:]) != string(f[1:]) {
				t.Fatalf("%s with %s", f, v)
			}
			yield(string(f))
		})
	}
}

func TestHashScan(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 5, 1000} {
		h := NewHash(9)
		for i := range size {
			h.Set(smallLimits(), fmt.Appendf(nil, "f%d", i), fmt.Appendf(nil, "v%d", i))
		}
		seen, cursor := map[string]string{}, uint64(0)
		for {
			if cursor = h.Scan(cursor, func(f, v []byte) { seen[string(f)] = string(v) }); cursor == 0 {
				break
			}
		}
		if len(seen) != size || size > 3 && seen["f3"] != "v3" {
			t.Errorf("%d of %d fields", len(seen), size)
		}
	}
}

// TestHashTableValuesStay: a value of a large hash that has been given out does
// not change with the hash.
func TestHashTableValuesStay(t *testing.T) {
	t.Parallel()
	h := NewHash(1)
	h.Set(smallLimits(), []byte("f"), bytes.Repeat([]byte("x"), 100))
	v, _ := h.Get([]byte("f"))
	h.Set(smallLimits(), []byte("f"), bytes.Repeat([]byte("y"), 100))
	if !bytes.Equal(v, bytes.Repeat([]byte("x"), 100)) {
		t.Errorf("the value is now %q", v)
	}
}

func BenchmarkHash(b *testing.B) {
	limits := DefaultLimits()
	for _, size := range []int{10, 500, 100000} {
		h, fields := NewHash(1), make([][]byte, size)
		for i := range fields {
			fields[i] = fmt.Appendf(nil, "field:%d", i)
			h.Set(&limits, fields[i], []byte("value"))
		}
		b.Run(fmt.Sprintf("get/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				h.Get(fields[i%size])
			}
		})
		b.Run(fmt.Sprintf("set/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				h.Set(&limits, fields[i%size], fields[(i+1)%size])
			}
		})
	}
}

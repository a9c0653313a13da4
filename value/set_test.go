package value

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSetModel runs random histories against a Go map.
func TestSetModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, setAgainstModel())
}

func FuzzSet(f *testing.F) { f.Fuzz(rapid.MakeFuzz(setAgainstModel())) }

func setAgainstModel() func(*rapid.T) {
	limits := smallLimits()
	number := rapid.Map(rapid.OneOf(rapid.Int64Range(-20, 20), rapid.Int64()), func(n int64) string { return string(AppendInt(nil, n)) })
	return func(t *rapid.T) {
		text := number
		if rapid.Bool().Draw(t, "mixed") {
			text = rapid.OneOf(number, number, number, rapid.StringN(0, 3, 3))
		}
		s, model, table := NewSet(rapid.Uint64().Draw(t, "seed")), map[string]bool{}, false
		rnd := testRand(rapid.Uint64().Draw(t, "rnd"))
		taken := func(m []byte) {
			if !model[string(m)] {
				t.Fatalf("%q was not in the set", m)
			}
			delete(model, string(m))
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(*rapid.T) {
				m := text.Draw(t, "member")
				if s.Add(limits, []byte(m)) == model[m] {
					t.Fatalf("Add(%q), had %v", m, model[m])
				}
				model[m] = true
				_, number := ParseInt([]byte(m))
				table = table || !number || len(model) > limits.SetMaxIntsetEntries
			},
			"remove": func(*rapid.T) {
				m := text.Draw(t, "member")
				if s.Remove([]byte(m)) != model[m] {
					t.Fatalf("Remove(%q), had %v", m, model[m])
				}
				delete(model, m)
			},
			"pop": func(*rapid.T) {
				if len(model) > 0 {
					taken(s.Pop(rnd))
				}
			},
			"popMany": func(*rapid.T) {
				n := rapid.IntRange(0, len(model)+1).Draw(t, "n")
				want := max(len(model)-n, 0)
				s.PopMany(limits, n, rnd, taken)
				if len(model) != want {
					t.Fatalf("PopMany(%d) left %d, want %d", n, len(model), want)
				}
				table = s.Encoding() == "hashtable"
			},
			"random": func(*rapid.T) {
				if len(model) > 0 && !model[string(s.Random(rnd))] {
					t.Fatal("Random gave what is not there")
				}
			},
			"clone": func(*rapid.T) {
				old := s
				s = old.Clone()
				for m := range model {
					old.Remove([]byte(m))
				}
			},
			"": func(t *rapid.T) {
				if err := s.Check(); err != nil {
					t.Fatal(err)
				}
				if got := s.Encoding() == "hashtable"; got != table || s.Len() != len(model) {
					t.Fatalf("%s of %d, model: table %v, %d", s.Encoding(), s.Len(), table, len(model))
				}
				var all []string
				last := int64(-1 << 63)
				for m := range s.All() {
					all = append(all, string(m))
					if n, _ := ParseInt(m); !table && n < last {
						t.Fatalf("%d after %d", n, last)
					} else {
						last = n
					}
					if !s.Has(m) {
						t.Fatalf("%q is not there", m)
					}
				}
				slices.Sort(all)
				if want := slices.Sorted(maps.Keys(model)); !slices.Equal(all, want) {
					t.Fatalf("%q, model %q", all, want)
				}
			},
		})
	}
}

// TestSetEncoding: what OBJECT ENCODING of redis-server 7.0.15 answers after the
// same history.
func TestSetEncoding(t *testing.T) {
	t.Parallel()
	limits := DefaultLimits()
	filled := func(n int, more ...string) *Set {
		s := NewSet(1)
		for i := range n {
			s.Add(&limits, AppendInt(nil, int64(i)))
		}
		for _, m := range more {
			s.Add(&limits, []byte(m))
		}
		return s
	}
	popped := func(s *Set, count int) *Set {
		s.PopMany(&limits, count, testRand(1), func([]byte) {})
		return s
	}
	less := filled(513)
	for i := range 500 {
		less.Remove(AppendInt(nil, int64(i)))
	}
	none := &Limits{}
	first := NewSet(1)
	first.Add(none, []byte("1"))
	for _, c := range []struct {
		history string
		s       *Set
		want    string
	}{
		{"SADD 0..511", filled(512), "intset"},
		{"SADD 0..512", filled(513), "hashtable"},
		{"SADD 0..512, SREM 0..499", less, "hashtable"},
		{"SADD 1, then x", filled(1, "x"), "hashtable"},
		{"SADD 01", filled(0, "01"), "hashtable"},
		{"SADD 0..512, SPOP 10", popped(filled(513), 10), "hashtable"},
		{"SADD 0..512, SPOP 400", popped(filled(513), 400), "hashtable"},
		{"SADD 0..512, SPOP 430", popped(filled(513), 430), "intset"},
		{"set-max-intset-entries 0", first, "hashtable"},
	} {
		if got := c.s.Encoding(); got != c.want {
			t.Errorf("%s: %s, redis answers %s", c.history, got, c.want)
		}
	}
}

func TestSetRandom(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 10, 40} {
		s := NewSet(9)
		for i := range size {
			s.Add(smallLimits(), AppendInt(nil, int64(i)))
		}
		rnd := testRand(3)
		for _, count := range []int{0, 1, 5, 30, 100} {
			checkSample(t, size, count, func(yield func(string)) {
				for m := range s.Sample(count, rnd) {
					yield(string(m))
				}
			})
			checkSample(t, size, count, func(yield func(string)) {
				s.Clone().PopMany(smallLimits(), count, rnd, func(m []byte) { yield(string(m)) })
			})
		}
		checkSample(t, size, 1, func(yield func(string)) { yield(string(s.Random(rnd))) })
		checkSample(t, size, 1, func(yield func(string)) { yield(string(s.Clone().Pop(rnd))) })
	}
}

func TestSetScan(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 5, 1000} {
		s := NewSet(9)
		for i := range size {
			s.Add(smallLimits(), AppendInt(nil, int64(i)))
		}
		seen, cursor := map[string]bool{}, uint64(0)
		for {
			if cursor = s.Scan(cursor, func(m []byte) { seen[string(m)] = true }); cursor == 0 {
				break
			}
		}
		if len(seen) != size {
			t.Errorf("%d of %d members", len(seen), size)
		}
	}
}

func BenchmarkSet(b *testing.B) {
	limits := DefaultLimits()
	for _, size := range []int{10, 500, 100000} {
		s, members := NewSet(1), make([][]byte, size)
		for i := range members {
			members[i] = AppendInt(nil, int64(i*i))
			s.Add(&limits, members[i])
		}
		b.Run(fmt.Sprintf("has/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s.Has(members[i%size])
			}
		})
		b.Run(fmt.Sprintf("remove+add/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s.Remove(members[i%size])
				s.Add(&limits, members[i%size])
			}
		})
	}
}

package value

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

type scored struct {
	member string
	score  float64
}

// zsetModel is a sorted slice.
type zsetModel []scored

func (m *zsetModel) sort() {
	slices.SortFunc(*m, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.score, b.score), strings.Compare(a.member, b.member))
	})
}

func (m *zsetModel) find(member string) int {
	return slices.IndexFunc(*m, func(s scored) bool { return s.member == member })
}

// TestZSetModel runs random histories against a sorted slice.
func TestZSetModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, zsetAgainstModel())
}

func FuzzZSet(f *testing.F) { f.Fuzz(rapid.MakeFuzz(zsetAgainstModel())) }

func zsetAgainstModel() func(*rapid.T) {
	limits := smallLimits()
	score := rapid.OneOf(rapid.Map(rapid.IntRange(-5, 5), func(n int) float64 { return float64(n) }),
		rapid.Float64(), rapid.SampledFrom([]float64{math.Inf(1), math.Inf(-1), 0}))
	text := rapid.OneOf(rapid.StringMatching(`[a-z]{0,2}`), rapid.StringMatching(`x{39,41}`))
	return func(t *rapid.T) {
		z, model, large := NewZSet(rapid.Uint64().Draw(t, "seed")), zsetModel{}, false
		add := func(member string, score float64) {
			if score == 0 {
				score = 0
			}
			i := model.find(member)
			added, changed := z.Add(limits, []byte(member), score)
			if added != (i < 0) || changed != (i < 0 || model[i].score != score) {
				t.Fatalf("Add(%q, %v) = %v, %v", member, score, added, changed)
			}
			if i < 0 {
				model = append(model, scored{member, score})
				large = large || len(model) > 12 || len(member) > 40
			} else {
				model[i].score = score
			}
			model.sort()
		}
		ranks := func() (from, to int) {
			from = rapid.IntRange(0, len(model)).Draw(t, "from")
			return from, rapid.IntRange(from, len(model)).Draw(t, "to")
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(*rapid.T) { add(text.Draw(t, "member"), score.Draw(t, "score")) },
			"addMany": func(*rapid.T) {
				step := rapid.IntRange(1, 9).Draw(t, "step")
				for i := range 100 {
					add(fmt.Sprint(i), float64(i*step%37))
				}
			},
			"remove": func(*rapid.T) {
				m := text.Draw(t, "member")
				i := model.find(m)
				if z.Remove([]byte(m)) != (i >= 0) {
					t.Fatalf("Remove(%q)", m)
				}
				if i >= 0 {
					model = slices.Delete(model, i, i+1)
				}
			},
			"popMin": func(*rapid.T) {
				if len(model) > 0 {
					if m, s := z.PopMin(); (scored{m, s}) != model[0] {
						t.Fatalf("PopMin %q %v, model %v", m, s, model[0])
					}
					model = model[1:]
				}
			},
			"popMax": func(*rapid.T) {
				if last := len(model) - 1; last >= 0 {
					if m, s := z.PopMax(); (scored{m, s}) != model[last] {
						t.Fatalf("PopMax %q %v, model %v", m, s, model[last])
					}
					model = model[:last]
				}
			},
			"removeRanks": func(*rapid.T) {
				from, to := ranks()
				z.RemoveRanks(from, to)
				model = slices.Delete(model, from, to)
			},
			"pack": func(*rapid.T) {
				z.Pack(limits)
				large = large && (len(model) > 12 || slices.ContainsFunc(model, func(s scored) bool { return len(s.member) > 40 }))
			},
			"clone": func(*rapid.T) {
				old := z
				z = old.Clone()
				for _, m := range model {
					old.Add(limits, []byte(m.member), 1)
				}
				if err := old.Check(); err != nil {
					t.Fatal(err)
				}
			},
			"": func(t *rapid.T) {
				if got := z.Encoding() == "skiplist"; got != large {
					t.Fatalf("%s of %d, model large %v", z.Encoding(), z.Len(), large)
				}
				checkZSet(t, z, model)
				from, to := ranks()
				checkRanks(t, z, model, from, to)
				checkRanges(t, z, model, score.Draw(t, "min"), score.Draw(t, "max"))
			},
		})
	}
}

func checkZSet(t *rapid.T, z *ZSet, model zsetModel) {
	if err := z.Check(); err != nil {
		t.Fatal(err)
	}
	if z.Len() != len(model) {
		t.Fatalf("%d members, model %d", z.Len(), len(model))
	}
	for i, m := range model {
		rank, score, ok := z.Rank([]byte(m.member))
		if !ok || rank != i || score != m.score {
			t.Fatalf("%q has rank %d and score %v, model %d %v", m.member, rank, score, i, m.score)
		}
		if member, score := z.At(i); (scored{member, score}) != m {
			t.Fatalf("rank %d is %q %v, model %v", i, member, score, m)
		}
	}
	if _, ok := z.Score([]byte("nobody")); ok {
		t.Fatal("nobody has a score")
	}
}

func checkRanks(t *rapid.T, z *ZSet, model zsetModel, from, to int) {
	i := from
	for m, s := range z.Range(from, to) {
		if (scored{m, s}) != model[i] {
			t.Fatalf("Range: rank %d is %q %v, model %v", i, m, s, model[i])
		}
		i++
	}
	if i != to {
		t.Fatalf("Range(%d, %d) ends at %d", from, to, i)
	}
	for m, s := range z.Backward(from, to) {
		if i--; (scored{m, s}) != model[i] {
			t.Fatalf("Backward: rank %d is %q %v, model %v", i, m, s, model[i])
		}
	}
	if i != from {
		t.Fatalf("Backward(%d, %d) ends at %d", from, to, i)
	}
}

func checkRanges(t *rapid.T, z *ZSet, model zsetModel, lo, hi float64) {
	for i := range 4 {
		r := ScoreRange{Min: lo, Max: hi, MinEx: i&1 > 0, MaxEx: i&2 > 0}
		from, to := z.ByScore(r)
		for rank, m := range model {
			in := (m.score > lo || m.score == lo && !r.MinEx) && (m.score < hi || m.score == hi && !r.MaxEx)
			if in != (rank >= from && rank < to) {
				t.Fatalf("%+v: ranks %d to %d, but rank %d has %v", r, from, to, rank, m.score)
			}
		}
	}
}

// TestZSetByLexLikeRedis compares with redis-server 7.0.15: ZRANGEBYLEX and
// ZREVRANGEBYLEX of packed sets, those with different scores included; a large set
// must agree where the scores are equal.
func TestZSetByLexLikeRedis(t *testing.T) {
	t.Parallel()
	packed, indexed := DefaultLimits(), Limits{}
	testLines(t, "lexranges.txt", func(line string) {
		field := strings.Split(line, "\t")
		r, ok := ParseLexRange([]byte(field[1]), []byte(field[2]))
		if ok != (field[3] != "!") {
			t.Fatalf("%s: ends accepted: %v", line, ok)
		}
		if !ok {
			return
		}
		for _, limits := range []*Limits{&packed, &indexed} {
			z, equal := NewZSet(1), true
			for pair := range strings.SplitSeq(field[0], " ") {
				member, text, _ := strings.Cut(pair, "=")
				score, err := strconv.ParseFloat(text, 64)
				if err != nil {
					t.Fatal(err)
				}
				equal = equal && score == 0
				z.Add(limits, []byte(member), score)
			}
			if limits == &indexed && !equal {
				continue
			}
			var forward, reverse []string
			for m := range z.Range(z.ByLex(r, false)) {
				forward = append(forward, m)
			}
			for m := range z.Backward(z.ByLex(r, true)) {
				reverse = append(reverse, m)
			}
			if f, b := strings.Join(forward, ","), strings.Join(reverse, ","); f != field[3] || b != field[4] {
				t.Errorf("%s: %s gives %q and %q", line, z.Encoding(), f, b)
			}
		}
	})
}

// TestZSetByLexStaysInRange: different scores in a large set make the answer
// meaningless, not wrong.
func TestZSetByLexStaysInRange(t *testing.T) {
	t.Parallel()
	rnd, z := testRand(4), NewZSet(1)
	for i := range 500 {
		z.Add(smallLimits(), fmt.Appendf(nil, "%c%d", 'a'+rune(rnd(26)), i), float64(rnd(9)))
	}
	for range 500 {
		r, ok := ParseLexRange(fmt.Appendf(nil, "[%c", 'a'+rune(rnd(26))), fmt.Appendf(nil, "(%c", 'a'+rune(rnd(26))))
		if from, to := z.ByLex(r, false); !ok || from < 0 || to < from || to > z.Len() {
			t.Fatalf("ranks %d to %d of %d", from, to, z.Len())
		}
	}
}

// TestZSetEncoding: what OBJECT ENCODING of redis-server 7.0.15 answers after the
// same history.
func TestZSetEncoding(t *testing.T) {
	t.Parallel()
	limits, none := DefaultLimits(), Limits{}
	fits, long := []byte(strings.Repeat("a", 64)), []byte(strings.Repeat("a", 65))
	add := func(z *ZSet, limits *Limits, member []byte) *ZSet { z.Add(limits, member, 1); return z }
	filled := func(n int) *ZSet {
		z := NewZSet(1)
		for i := range n {
			z.Add(&limits, fmt.Appendf(nil, "m%d", i), float64(i))
		}
		return z
	}
	removed := func(z *ZSet) *ZSet { z.RemoveRanks(0, 101); return z }
	packed := func(z *ZSet) *ZSet { z.Pack(&limits); return z }
	for _, c := range []struct {
		history string
		z       *ZSet
		want    string
	}{
		{"ZADD of 128", filled(128), "listpack"},
		{"ZADD of 129", filled(129), "skiplist"},
		{"ZADD of 128, then of one of them", add(filled(128), &limits, []byte("m3")), "listpack"},
		{"ZADD of 64 bytes", add(NewZSet(1), &limits, fits), "listpack"},
		{"ZADD of 65 bytes", add(NewZSet(1), &limits, long), "skiplist"},
		{"ZADD of 129, ZREMRANGEBYRANK 0 100", removed(filled(129)), "skiplist"},
		{"ZADD of 129, ZREMRANGEBYRANK 0 100, ZUNIONSTORE", packed(removed(filled(129))), "listpack"},
		{"ZADD of 129, ZUNIONSTORE", packed(filled(129)), "skiplist"},
		{"ZADD of 65 bytes, ZUNIONSTORE", packed(add(NewZSet(1), &limits, long)), "skiplist"},
		{"zset-max-listpack-entries 0", add(NewZSet(1), &none, nil), "skiplist"},
	} {
		if got := c.z.Encoding(); got != c.want {
			t.Errorf("%s: %s, redis answers %s", c.history, got, c.want)
		}
	}
}

// TestZSetNegativeZero: a skiplist keeps the sign of -0, a listpack does not.
func TestZSetNegativeZero(t *testing.T) {
	t.Parallel()
	limits, none := DefaultLimits(), Limits{}
	minus := math.Copysign(0, -1)
	for _, c := range []struct {
		limits *Limits
		want   bool
	}{{&limits, false}, {&none, true}} {
		z := NewZSet(1)
		z.Add(c.limits, []byte("m"), minus)
		if _, changed := z.Add(c.limits, []byte("m"), 0); changed {
			t.Errorf("%s: 0 differs from -0", z.Encoding())
		}
		if s, _ := z.Score([]byte("m")); math.Signbit(s) != c.want {
			t.Errorf("%s shows -0 as %v", z.Encoding(), s)
		}
		z.Pack(&limits)
		if s, _ := z.Score([]byte("m")); math.Signbit(s) {
			t.Errorf("packed again, it shows -0 as %v", s)
		}
	}
}

func TestZSetRandom(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 10, 40} {
		z := NewZSet(9)
		for i := range size {
			z.Add(smallLimits(), AppendInt(nil, int64(i)), 1)
		}
		rnd := testRand(3)
		for _, count := range []int{0, 1, 5, 30, 100} {
			checkSample(t, size, count, func(yield func(string)) {
				for m := range z.Sample(count, rnd) {
					yield(m)
				}
			})
		}
		checkSample(t, size, 1, func(yield func(string)) {
			m, _ := z.Random(rnd)
			yield(m)
		})
	}
}

func TestZSetScan(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 5, 1000} {
		z := NewZSet(9)
		for i := range size {
			z.Add(smallLimits(), AppendInt(nil, int64(i)), float64(i))
		}
		seen, cursor := map[string]float64{}, uint64(0)
		for {
			if cursor = z.Scan(cursor, func(m string, s float64) { seen[m] = s }); cursor == 0 {
				break
			}
		}
		if len(seen) != size || size > 3 && seen["3"] != 3 {
			t.Errorf("%d of %d members", len(seen), size)
		}
	}
}

func BenchmarkZSet(b *testing.B) {
	limits := DefaultLimits()
	for _, size := range []int{10, 100, 100000} {
		z, members := NewZSet(1), make([][]byte, size)
		for i := range members {
			members[i] = fmt.Appendf(nil, "member:%d", i)
			z.Add(&limits, members[i], float64(i*7919%size))
		}
		b.Run(fmt.Sprintf("score/%d", size), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				z.Score(members[i%size])
			}
		})
		b.Run(fmt.Sprintf("move/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				z.Add(&limits, members[i%size], float64(i*104729%size))
			}
		})
		b.Run(fmt.Sprintf("rank/%d", size), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				z.Rank(members[i%size])
			}
		})
		b.Run(fmt.Sprintf("byScore/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				lo := float64(i % size)
				for range z.Range(z.ByScore(ScoreRange{Min: lo, Max: lo + 10})) {
				}
			}
		})
		b.Run(fmt.Sprintf("remove+add/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				z.Remove(members[i%size])
				z.Add(&limits, members[i%size], float64(i%size))
			}
		})
	}
}

// TestBuildZSetIsAddingOneByOne: a set built from members in order is the one that
// adding makes, indexed until it is packed.
func TestBuildZSetIsAddingOneByOne(t *testing.T) {
	t.Parallel()
	limits := DefaultLimits()
	for _, size := range []int{0, 1, 5, 128, 129, 3000} {
		added := NewZSet(7)
		for i := range size {
			added.Add(&limits, fmt.Appendf(nil, "m%d", i*7919%size), float64(i%10))
		}
		built := BuildZSet(7, added.All())
		if err := built.Check(); err != nil {
			t.Fatal(err)
		}
		if built.Len() != size || built.Packed() {
			t.Errorf("%d members: %d built, as %s", size, built.Len(), built.Encoding())
		}
		rank := 0
		for member, score := range added.All() {
			if m, s := built.At(rank); m != member || s != score {
				t.Fatalf("rank %d: %q with %v, want %q with %v", rank, m, s, member, score)
			}
			rank++
		}
		if built.Pack(&limits); built.Encoding() != added.Encoding() {
			t.Errorf("%d members: %s, want %s", size, built.Encoding(), added.Encoding())
		}
	}
}

// BenchmarkZSetFill adds members with random scores, as redis-benchmark does.
func BenchmarkZSetFill(b *testing.B) {
	limits := DefaultLimits()
	const size = 500000
	random := rand.New(rand.NewPCG(1, 2))
	members, scores := make([][]byte, size), make([]float64, size)
	for i := range members {
		members[i], scores[i] = fmt.Appendf(nil, "element:%012d", random.IntN(1000000)), float64(random.IntN(1000000))
	}
	for b.Loop() {
		z := NewZSet(1)
		for i, m := range members {
			z.Add(&limits, m, scores[i])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/size, "ns/member")
}

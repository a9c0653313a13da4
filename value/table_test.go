package value

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func testRand(seed uint64) func(uint64) uint64 {
	r := rand.New(rand.NewPCG(seed, seed))
	return r.Uint64N
}

// TestTableModel runs random histories against a Go map.
func TestTableModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		table := NewTable[int](rapid.Uint64().Draw(t, "seed"))
		model := map[string]int{}
		span := rapid.SampledFrom([]int{4, 50, 2000}).Draw(t, "span")
		key := func() []byte { return fmt.Appendf(nil, "k%d", rapid.IntRange(0, span).Draw(t, "key")) }
		steps := 0
		t.Repeat(map[string]func(*rapid.T){
			"put": func(*rapid.T) {
				k := key()
				n, added := table.Put(k)
				if _, had := model[string(k)]; had == added {
					t.Fatalf("Put(%s) added=%v, had=%v", k, added, had)
				}
				if added && n.Val != 0 {
					t.Fatalf("new node holds %d", n.Val)
				}
				steps++
				n.Val, model[string(k)] = steps, steps
				k[0] = 'x'
			},
			"putMany": func(*rapid.T) {
				for range span / 2 {
					steps++
					s := fmt.Sprintf("k%d", steps*7919%(span+1))
					n, _ := table.PutString(s)
					n.Val, model[s] = steps, steps
				}
			},
			"delete": func(*rapid.T) {
				k := key()
				v, had := model[string(k)]
				if n := table.Delete(k); (n != nil) != had || had && (n.Val != v || n.Key != string(k)) {
					t.Fatalf("Delete(%s) = %v, model %v %v", k, n, v, had)
				}
				delete(model, string(k))
			},
			"deleteMany": func(*rapid.T) {
				for range span / 2 {
					steps++
					s := fmt.Sprintf("k%d", steps*7919%(span+1))
					table.DeleteString(s)
					delete(model, s)
				}
			},
			"replace": func(*rapid.T) {
				k := key()
				if n := table.Get(k); n != nil {
					steps++
					table.Replace(n, &Node[int]{Val: steps})
					model[string(k)] = steps
				}
			},
			"filter": func(*rapid.T) {
				mod := rapid.IntRange(1, 5).Draw(t, "mod")
				seen := 0
				for n := range table.All() {
					seen++
					if n.Val%mod != 0 || mod == 1 {
						table.DeleteString(n.Key)
						delete(model, n.Key)
					}
				}
				if seen < table.Len() {
					t.Fatalf("All yielded %d of %d", seen, table.Len())
				}
			},
			"clone": func(*rapid.T) {
				old := table
				table = old.Clone(func(v int) int { return v })
				var a, b []string
				for n := range old.All() {
					a = append(a, n.Key)
					n.Val = -1
				}
				for n := range table.All() {
					b = append(b, n.Key)
				}
				if fmt.Sprint(a) != fmt.Sprint(b) {
					t.Fatalf("the clone's order differs")
				}
			},
			"": func(t *rapid.T) {
				if err := table.Check(); err != nil {
					t.Fatal(err)
				}
				if table.Len() != len(model) {
					t.Fatalf("Len %d, model %d", table.Len(), len(model))
				}
				for k, v := range model {
					if n := table.GetString(k); n == nil || n.Val != v {
						t.Fatalf("Get(%s) = %v, model %d", k, n, v)
					}
				}
				for n := range table.All() {
					if _, ok := model[n.Key]; !ok {
						t.Fatalf("All yields %s, which the model lacks", n.Key)
					}
				}
			},
		})
	})
}

// TestTableScanGuarantee: SCAN returns every element present from start to end,
// while the table grows and shrinks under it.
func TestTableScanGuarantee(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		table := NewTable[int](rapid.Uint64().Draw(t, "seed"))
		stay := rapid.IntRange(1, 300).Draw(t, "stay")
		for i := range stay {
			table.PutString(fmt.Sprintf("stay%d", i))
		}
		churn := rapid.IntRange(0, 3000).Draw(t, "before")
		for i := range churn {
			table.PutString(fmt.Sprintf("churn%d", i))
		}
		seen := map[string]bool{}
		for cursor, calls := uint64(0), 0; ; calls++ {
			if cursor = table.Scan(cursor, func(n *Node[int]) { seen[n.Key] = true }); cursor == 0 {
				break
			}
			if calls > 1<<16 {
				t.Fatal("the scan does not end")
			}
			if calls > 2000 {
				continue
			}
			for range rapid.SampledFrom([]int{0, 0, 1, 5, 200}).Draw(t, "changes") {
				if churn > 0 && rapid.Bool().Draw(t, "shrink") {
					churn--
					table.DeleteString(fmt.Sprintf("churn%d", churn))
				} else {
					table.PutString(fmt.Sprintf("churn%d", churn))
					churn++
				}
			}
		}
		for i := range stay {
			if k := fmt.Sprintf("stay%d", i); !seen[k] {
				t.Fatalf("%s was never returned", k)
			}
		}
	})
}

func TestTableScanCallbackMayDelete(t *testing.T) {
	t.Parallel()
	table := NewTable[int](1)
	for i := range 5000 {
		table.PutString(fmt.Sprint(i))
	}
	for cursor := uint64(0); ; {
		cursor = table.Scan(cursor, func(n *Node[int]) { table.DeleteString(n.Key) })
		if cursor == 0 {
			break
		}
	}
	if table.Len() != 0 {
		t.Fatalf("%d nodes left", table.Len())
	}
	if err := table.Check(); err != nil {
		t.Fatal(err)
	}
}

// TestTableRandomIsFair draws from a table that is moving chains and compares the
// counts with the uniform distribution by chi-square.
func TestTableRandomIsFair(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 2, 9, 130, 1000} {
		table := NewTable[int](7)
		for i := range size {
			n, _ := table.PutString(fmt.Sprint(i))
			n.Val = i
		}
		rnd := testRand(uint64(size))
		counts := make([]int, size)
		draws := size * 200
		for range draws {
			counts[table.Random(rnd).Val]++
		}
		chi := 0.0
		for _, c := range counts {
			d := float64(c - 200)
			chi += d * d / 200
		}
		// Mean size-1, deviation sqrt(2(size-1)): six deviations.
		limit := float64(size-1) + 6*math.Sqrt(2*float64(size))
		if chi > limit {
			t.Errorf("%d nodes: chi-square %.1f over %.1f", size, chi, limit)
		}
	}
}

// TestTableRandomNearlyEmpty: a table emptied inside an iteration, with a source
// that never varies, still answers.
func TestTableRandomNearlyEmpty(t *testing.T) {
	t.Parallel()
	table := NewTable[int](3)
	for i := range 100000 {
		table.PutString(fmt.Sprint(i))
	}
	for n := range table.All() {
		if n.Key != "77" {
			table.DeleteString(n.Key)
		}
	}
	if n := table.Random(func(uint64) uint64 { return 0 }); n == nil || n.Key != "77" {
		t.Fatalf("Random = %v", n)
	}
	if table.Buckets() > 64 {
		t.Errorf("%d slots for one node", table.Buckets())
	}
	table.DeleteString("77")
	if n := table.Random(testRand(1)); n != nil || table.Buckets() != 0 {
		t.Fatalf("Random of nothing = %v, %d slots", n, table.Buckets())
	}
}

// TestTableShrinks: slots follow the nodes down, by single deletions.
func TestTableShrinks(t *testing.T) {
	t.Parallel()
	table := NewTable[int](3)
	for i := range 100000 {
		table.PutString(fmt.Sprint(i))
	}
	for i := range 100000 - 10 {
		table.DeleteString(fmt.Sprint(i))
		if used := table.Len(); table.Buckets() > max(64*used, 64) {
			t.Fatalf("%d slots for %d nodes", table.Buckets(), used)
		}
	}
	if err := table.Check(); err != nil {
		t.Fatal(err)
	}
}

// TestTableOrderFollowsTheSeed: the order is part of what makes a run repeatable.
func TestTableOrderFollowsTheSeed(t *testing.T) {
	t.Parallel()
	order := func(seed uint64) (s string) {
		table := NewTable[int](seed)
		for i := range 20 {
			table.PutString(string(rune('a' + i)))
		}
		for n := range table.All() {
			s += n.Key
		}
		return s
	}
	if a, b := order(1), order(1); a != b {
		t.Errorf("the same seed gave %s and %s", a, b)
	}
	if a, b := order(1), order(2); a == b {
		t.Errorf("two seeds gave %s", a)
	}
	if got, want := order(42), "dilarsnptocjgebqhkmf"; got != want {
		t.Errorf("seed 42 gives %s, on every machine it must give %s", got, want)
	}
}

// TestHashSpreads: each input bit, length included, changes about half of the
// output bits.
func TestHashSpreads(t *testing.T) {
	t.Parallel()
	h := newHasher(99)
	for size := range 40 {
		p := make([]byte, size)
		base := h.bytes(p)
		for bit := range size * 8 {
			p[bit/8] ^= 1 << (bit % 8)
			if n := bits.OnesCount64(h.bytes(p) ^ base); n < 10 || n > 54 {
				t.Errorf("size %d bit %d changes %d bits", size, bit, n)
			}
			p[bit/8] ^= 1 << (bit % 8)
		}
		if n := bits.OnesCount64(h.bytes(append(p, 0)) ^ base); n < 10 || n > 54 {
			t.Errorf("a zero byte after %d changes %d bits", size, n)
		}
	}
}

func TestTableGetDoesNotAllocate(t *testing.T) {
	table := NewTable[int](1)
	table.PutString("key")
	key, other := []byte("key"), []byte("a key that is not there, and longer than sixteen bytes")
	if n := testing.AllocsPerRun(100, func() { table.Get(key); table.Get(other); table.Put(key); table.Delete(other) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkTable(b *testing.B) {
	for _, size := range []int{1000, 1000000} {
		keys := make([][]byte, size)
		for i := range keys {
			keys[i] = fmt.Appendf(nil, "key:%012d", i)
		}
		fill := func() *Table[uint64] {
			table := NewTable[uint64](5)
			for _, k := range keys {
				table.Put(k)
			}
			return table
		}
		b.Run(fmt.Sprintf("get/%d", size), func(b *testing.B) {
			table := fill()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if table.Get(keys[i*7919%size]) == nil {
					b.Fatal("lost")
				}
			}
		})
		b.Run(fmt.Sprintf("put+delete/%d", size), func(b *testing.B) {
			table := fill()
			key := make([]byte, 16)
			b.ReportAllocs()
			for i := uint64(0); b.Loop(); i++ {
				binary.LittleEndian.PutUint64(key, i)
				table.Put(key)
				table.Delete(key)
			}
		})
		b.Run(fmt.Sprintf("random/%d", size), func(b *testing.B) {
			table := fill()
			rnd := testRand(1)
			for b.Loop() {
				table.Random(rnd)
			}
		})
		b.Run(fmt.Sprintf("fill/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				fill()
			}
		})
	}
}

package expiry_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"minikv/expiry"

	"pgregory.net/rapid"
)

// naive is a heap as a list: entries in the order in which they were last set.
type naive []*expiry.Deadline[int]

func (n naive) min() *expiry.Deadline[int] {
	var least *expiry.Deadline[int]
	for _, d := range n {
		if least == nil || d.At() < least.At() {
			least = d
		}
	}
	return least
}

func (n naive) without(d *expiry.Deadline[int]) naive {
	return slices.DeleteFunc(slices.Clone(n), func(e *expiry.Deadline[int]) bool { return e == d })
}

func (n naive) sorted() []*expiry.Deadline[int] {
	return slices.SortedStableFunc(slices.Values(n), func(a, b *expiry.Deadline[int]) int {
		return cmp.Compare(a.At(), b.At())
	})
}

func TestHeapAgainstAList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var heap expiry.Heap[int]
		var list naive
		times := rapid.OneOf(rapid.Int64Range(0, 5), rapid.Int64())
		drawn := func(t *rapid.T) *expiry.Deadline[int] {
			if len(list) == 0 {
				t.Skip("empty")
			}
			return rapid.SampledFrom(list).Draw(t, "deadline")
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				at := times.Draw(t, "at")
				d := heap.Add(at, len(list))
				if d.At() != at || d.Owner != len(list) {
					t.Fatalf("Add gave %+v", d)
				}
				list = append(list, d)
			},
			"move": func(t *rapid.T) {
				d, at := drawn(t), times.Draw(t, "at")
				heap.Move(d, at)
				if d.At() != at {
					t.Fatalf("moved to %d, is at %d", at, d.At())
				}
				list = append(list.without(d), d)
			},
			"remove": func(t *rapid.T) {
				d := drawn(t)
				heap.Remove(d)
				heap.Remove(d)
				list = list.without(d)
			},
			"pop": func(t *rapid.T) {
				if d := heap.Min(); d != nil {
					heap.Remove(d)
					list = list.without(d)
				}
			},
			"": func(t *rapid.T) { compare(t, &heap, list) },
		})
	})
}

func compare(t *rapid.T, heap *expiry.Heap[int], list naive) {
	if err := heap.Check(); err != nil {
		t.Fatal(err)
	}
	if heap.Len() != len(list) {
		t.Fatalf("Len() = %d, want %d", heap.Len(), len(list))
	}
	if got, want := heap.Min(), list.min(); got != want {
		t.Fatalf("Min() = %+v, want %+v", got, want)
	}
	if !slices.Equal(heap.Sorted(), list.sorted()) {
		t.Fatalf("Sorted() differs from the list's order")
	}
	all := slices.Collect(heap.All())
	for _, d := range list {
		if !slices.Contains(all, d) {
			t.Fatalf("All() lacks %+v", d)
		}
	}
	if len(all) != len(list) {
		t.Fatalf("All() yields %d of %d", len(all), len(list))
	}
}

func TestEqualDeadlinesLeaveInTheOrderTheyWereSet(t *testing.T) {
	t.Parallel()
	var heap expiry.Heap[int]
	var set []*expiry.Deadline[int]
	for i := range 1000 {
		set = append(set, heap.Add(7, i))
	}
	for i := 0; i < 1000; i += 3 {
		heap.Move(set[i], 7)
	}
	var want []int
	for i := range 1000 {
		if i%3 != 0 {
			want = append(want, i)
		}
	}
	for i := 0; i < 1000; i += 3 {
		want = append(want, i)
	}
	if got := drain(&heap); !slices.Equal(got, want) {
		t.Errorf("left in the order %v", got)
	}
}

func TestSortedRebuildsTheSameOrder(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	var heap, copied expiry.Heap[int]
	for i := range 5000 {
		heap.Add(random.Int64N(50), i)
	}
	for _, d := range heap.Sorted() {
		copied.Add(d.At(), d.Owner)
	}
	if !slices.Equal(drain(&copied), drain(&heap)) {
		t.Error("the copy leaves in another order")
	}
}

func TestExtremeTimesAreOrdered(t *testing.T) {
	t.Parallel()
	var heap expiry.Heap[int]
	heap.Add(math.MaxInt64, 3)
	heap.Add(0, 2)
	heap.Add(math.MinInt64, 1)
	if got := drain(&heap); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("left in the order %v", got)
	}
}

func TestEmptyHeap(t *testing.T) {
	t.Parallel()
	var heap expiry.Heap[string]
	if heap.Min() != nil || heap.Len() != 0 || len(heap.Sorted()) != 0 || heap.Check() != nil {
		t.Error("the zero value is not an empty heap")
	}
	for range heap.All() {
		t.Error("All yields of an empty heap")
	}
}

func TestMoveOfARemovedDeadlineIsRefused(t *testing.T) {
	t.Parallel()
	var heap expiry.Heap[int]
	d := heap.Add(1, 1)
	heap.Add(2, 2)
	heap.Remove(d)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	heap.Move(d, 3)
}

func TestHeapStaysSoundWhileItGrowsAndEmpties(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	var heap expiry.Heap[int]
	for i := range 20000 {
		heap.Add(random.Int64N(1000), i)
	}
	for n := 0; heap.Len() > 0; n++ {
		if n%500 == 0 {
			if err := heap.Check(); err != nil { // the size of the array among others
				t.Fatal(err)
			}
		}
		heap.Remove(heap.Min())
	}
	if err := heap.Check(); err != nil {
		t.Fatal(err)
	}
}

func TestMoveAllocatesNothing(t *testing.T) {
	var heap expiry.Heap[int]
	var first *expiry.Deadline[int]
	for i := range 1000 {
		first = heap.Add(int64(i), i)
	}
	at := int64(0)
	if n := testing.AllocsPerRun(100, func() { at += 37; heap.Move(first, at%1000) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func drain(heap *expiry.Heap[int]) []int {
	var owners []int
	for d := heap.Min(); d != nil; d = heap.Min() {
		owners = append(owners, d.Owner)
		heap.Remove(d)
	}
	return owners
}

// BenchmarkDueAtOnce removes a million entries that became due together, set
// for one moment or for scattered ones.
func BenchmarkDueAtOnce(b *testing.B) {
	const n = 1_000_000
	for _, spread := range []int64{1, n} {
		b.Run(fmt.Sprintf("moments=%d", spread), func(b *testing.B) {
			random := rand.New(rand.NewPCG(7, 8))
			for b.Loop() {
				b.StopTimer()
				var heap expiry.Heap[int]
				for i := range n {
					heap.Add(random.Int64N(spread), i)
				}
				b.StartTimer()
				for d := heap.Min(); d != nil; d = heap.Min() {
					heap.Remove(d)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/entry")
		})
	}
}

func BenchmarkAddAmongAMillion(b *testing.B) {
	random := rand.New(rand.NewPCG(9, 10))
	var heap expiry.Heap[int]
	for i := range 1_000_000 {
		heap.Add(random.Int64(), i)
	}
	b.ReportAllocs()
	for b.Loop() {
		heap.Remove(heap.Add(random.Int64(), 0))
	}
}

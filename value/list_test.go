package value

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func FuzzPackedEntry(f *testing.F) {
	for _, n := range []int{0, 1, 124, 125, 126, 127, 128, 16381, 16384, 70000} {
		f.Add(bytes.Repeat([]byte{0xff}, n))
	}
	f.Fuzz(func(t *testing.T, elem []byte) {
		run := make([]byte, 2*entrySize(elem)+entrySize(nil))
		at := putEntry(run, elem)
		at += putEntry(run[at:], nil)
		if at += putEntry(run[at:], elem); at != len(run) {
			t.Fatalf("%d bytes written, %d foretold", at, len(run))
		}
		e1, n1 := entryAt(run, 0)
		e2, n2 := entryAt(run, n1)
		e3, n3 := entryAt(run, n2)
		b3, s3 := entryBefore(run, len(run))
		b2, s2 := entryBefore(run, s3)
		b1, s1 := entryBefore(run, s2)
		if n3 != len(run) || s3 != n2 || s2 != n1 || s1 != 0 || len(e2)+len(b2) != 0 {
			t.Fatalf("forward %d %d %d, backward %d %d %d", n1, n2, n3, s1, s2, s3)
		}
		for _, e := range [][]byte{e1, e3, b3, b1} {
			if !bytes.Equal(e, elem) {
				t.Fatalf("%q reads as %q", elem, e)
			}
		}
	})
}

// TestListModel runs random histories against a slice of strings.
func TestListModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, listAgainstModel())
}

func FuzzList(f *testing.F) { f.Fuzz(rapid.MakeFuzz(listAgainstModel())) }

func listAgainstModel() func(*rapid.T) {
	return func(t *rapid.T) {
		size := rapid.SampledFrom([]int{3, 200, 5000, 20000}).Draw(t, "longest")
		serial := 0
		draw := func() []byte {
			if rapid.Bool().Draw(t, "common") {
				return []byte{byte('a' + rapid.IntRange(0, 3).Draw(t, "letter"))}
			}
			serial++
			return fmt.Appendf(make([]byte, rapid.IntRange(0, size).Draw(t, "size")), "%d", serial)
		}
		list, model := NewList(), []string{}
		t.Repeat(map[string]func(*rapid.T){
			"pushFront": func(*rapid.T) {
				e := draw()
				list.PushFront(e)
				model = slices.Insert(model, 0, string(e))
			},
			"pushBack": func(*rapid.T) { e := draw(); list.PushBack(e); model = append(model, string(e)) },
			"pushMany": func(*rapid.T) {
				for i := range rapid.IntRange(0, 300).Draw(t, "n") {
					e := fmt.Appendf(nil, "%d", i%7)
					list.PushBack(e)
					model = append(model, string(e))
				}
			},
			"popFront": func(*rapid.T) {
				e, ok := list.PopFront()
				if ok != (len(model) > 0) || ok && string(e) != model[0] {
					t.Fatalf("PopFront %q %v", e, ok)
				}
				model = model[min(1, len(model)):]
			},
			"popBack": func(*rapid.T) {
				e, ok := list.PopBack()
				if ok != (len(model) > 0) || ok && string(e) != model[len(model)-1] {
					t.Fatalf("PopBack %q %v", e, ok)
				}
				model = model[:max(0, len(model)-1)]
			},
			"insert": func(*rapid.T) {
				i, e := rapid.IntRange(0, len(model)).Draw(t, "i"), draw()
				list.Insert(i, e)
				model = slices.Insert(model, i, string(e))
			},
			"near": func(*rapid.T) {
				pivot, e, after := draw(), draw(), rapid.Bool().Draw(t, "after")
				i, ok := slices.Index(model, string(pivot)), false
				if after {
					ok = list.InsertAfter(pivot, e)
				} else {
					ok = list.InsertBefore(pivot, e)
				}
				if ok != (i >= 0) {
					t.Fatalf("insert near %q: %v", pivot, ok)
				}
				if ok && after {
					i++
				}
				if ok {
					model = slices.Insert(model, i, string(e))
				}
			},
			"set": func(*rapid.T) {
				i, e := rapid.IntRange(-len(model)-1, len(model)).Draw(t, "i"), draw()
				ok := list.Set(i, e)
				if ok != (i >= -len(model) && i < len(model)) {
					t.Fatalf("Set(%d) of %d: %v", i, len(model), ok)
				}
				if ok {
					model[(i+len(model))%len(model)] = string(e)
				}
			},
			"delete": func(*rapid.T) {
				if len(model) > 0 {
					i := rapid.IntRange(0, len(model)-1).Draw(t, "i")
					n := rapid.IntRange(0, len(model)-i).Draw(t, "n")
					list.Delete(i, n)
					model = slices.Delete(model, i, i+n)
				}
			},
			"trim": func(*rapid.T) {
				if len(model) > 0 {
					i := rapid.IntRange(0, len(model)-1).Draw(t, "start")
					j := rapid.IntRange(i, len(model)-1).Draw(t, "stop")
					list.Trim(i, j)
					model = slices.Clone(model[i : j+1])
				}
			},
			"remove": func(*rapid.T) {
				e, count := draw(), rapid.IntRange(-3, 3).Draw(t, "count")
				want := removeModel(&model, string(e), count)
				if got := list.Remove(e, count); got != want {
					t.Fatalf("Remove(%q, %d) = %d, want %d", e, count, got, want)
				}
			},
			"clone": func(*rapid.T) {
				old := list
				list = old.Clone()
				for i := range old.Len() {
					old.Set(i, []byte("?"))
				}
			},
			"": func(t *rapid.T) { checkList(t, list, model) },
		})
	}
}

func removeModel(model *[]string, e string, count int) (removed int) {
	if count < 0 {
		slices.Reverse(*model)
		defer func() { slices.Reverse(*model) }()
	}
	limit := max(count, -count)
	before := len(*model)
	*model = slices.DeleteFunc(*model, func(s string) bool {
		if s != e || limit > 0 && removed == limit {
			return false
		}
		removed++
		return true
	})
	return before - len(*model)
}

func checkList(t *rapid.T, list *List, model []string) {
	if err := list.Check(); err != nil {
		t.Fatal(err)
	}
	if list.Len() != len(model) {
		t.Fatalf("Len %d, model %d", list.Len(), len(model))
	}
	count := 0
	for i, e := range list.All() {
		if i != count || string(e) != model[i] {
			t.Fatalf("All: element %d is %q, model %q", i, e, model[i])
		}
		count++
	}
	for i, e := range list.Backward() {
		if count--; i != count || string(e) != model[i] {
			t.Fatalf("Backward: element %d is %q, model %q", i, e, model[i])
		}
	}
	if len(model) == 0 {
		return
	}
	i := rapid.IntRange(0, len(model)-1).Draw(t, "start")
	j := rapid.IntRange(i, len(model)-1).Draw(t, "stop")
	at := i
	for e := range list.Range(i, j) {
		if string(e) != model[at] {
			t.Fatalf("Range(%d, %d): element %d is %q, model %q", i, j, at, e, model[at])
		}
		at++
	}
	if at != j+1 {
		t.Fatalf("Range(%d, %d) ends before %d", i, j, at)
	}
	if e, ok := list.Index(i - len(model)); !ok || string(e) != model[i] {
		t.Fatalf("Index(%d) = %q", i-len(model), e)
	}
}

// TestListLargeElementsStay: an element that has been given out may still be on
// its way to a client when the list changes.
func TestListLargeElementsStay(t *testing.T) {
	t.Parallel()
	list := NewList()
	large := bytes.Repeat([]byte("x"), blockMax+1)
	list.PushBack([]byte("a"))
	list.PushBack(large)
	list.PushBack([]byte("b"))
	given, _ := list.Index(1)
	list.Set(1, bytes.Repeat([]byte("y"), blockMax+1))
	list.Insert(1, []byte("c"))
	list.Remove([]byte("c"), 0)
	list.Delete(1, 1)
	if !bytes.Equal(given, large) {
		t.Error("the element changed")
	}
}

// TestListQueueKeepsItsSize: a queue of constant length does not grow in memory.
func TestListQueueKeepsItsSize(t *testing.T) {
	t.Parallel()
	for name, turn := range map[string]func(*List, []byte){
		"RPUSH LPOP": func(l *List, e []byte) { l.PushBack(e); l.PopFront() },
		"LPUSH RPOP": func(l *List, e []byte) { l.PushFront(e); l.PopBack() },
	} {
		list := NewList()
		for i := range 100 {
			list.PushBack(fmt.Appendf(nil, "element %d", i))
		}
		for i := range 100000 {
			turn(list, fmt.Appendf(nil, "element %d", i))
		}
		if n := list.MemoryUsage(); n > 40000 || list.Len() != 100 {
			t.Errorf("%s: %d elements in %d bytes", name, list.Len(), n)
		}
		if err := list.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func BenchmarkList(b *testing.B) {
	elem := []byte("element of list")
	long := NewList()
	for range 1000000 {
		long.PushBack(elem)
	}
	b.Run("push+pop", func(b *testing.B) {
		list := NewList()
		list.PushBack(elem)
		b.ReportAllocs()
		for b.Loop() {
			list.PushFront(elem)
			list.PopBack()
		}
	})
	b.Run("push", func(b *testing.B) {
		list := NewList()
		b.ReportAllocs()
		for b.Loop() {
			list.PushBack(elem)
		}
	})
	b.Run("middle/1000000", func(b *testing.B) {
		for b.Loop() {
			long.Index(500000)
		}
	})
	b.Run("range/1000", func(b *testing.B) {
		b.ReportAllocs()
		n := 0
		for b.Loop() {
			for e := range long.Range(1000, 1999) {
				n += len(e)
			}
		}
	})
}

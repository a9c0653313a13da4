package value

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// arrayModel is an array as simple as can be.
type arrayModel struct {
	slots map[uint64]string
	next  uint64
}

func (m *arrayModel) len() uint64 {
	if len(m.slots) == 0 {
		return 0
	}
	return slices.Max(slices.Collect(maps.Keys(m.slots))) + 1
}

// within is the indices lo..hi that are set, in order.
func (m *arrayModel) within(lo, hi uint64) []uint64 {
	var in []uint64
	for index := range m.slots {
		if lo <= index && index <= hi {
			in = append(in, index)
		}
	}
	slices.Sort(in)
	return in
}

func (m *arrayModel) last() uint64 {
	if _, ok := m.slots[m.next-1]; ok && m.next > 0 {
		return m.next - 1
	}
	return m.len() - 1
}

func (m *arrayModel) ring(size uint64, text string) {
	n := m.len()
	if size < n || size > n && m.next > 0 && m.next%size < n {
		var kept []string
		for i := m.last(); uint64(len(kept)) < min(size, n); i-- {
			text, ok := m.slots[i]
			if !ok {
				break
			}
			kept = append([]string{text}, kept...)
			if i == 0 {
				i = n
			}
		}
		m.slots = map[uint64]string{}
		for i, text := range kept {
			m.slots[uint64(i)] = text
		}
		m.next = uint64(len(kept))
	}
	index := m.next % size
	m.slots[index] = text
	m.next = index + 1
}

// drawIndex draws an index: mostly near others, sometimes far off.
func drawIndex(t *rapid.T) uint64 {
	switch rapid.IntRange(0, 3).Draw(t, "where") {
	case 0:
		return rapid.Uint64Range(0, MaxArrayIndex).Draw(t, "index")
	case 1:
		return rapid.Uint64Range(0, 300).Draw(t, "slice")*arraySliceSize + rapid.Uint64Range(0, 3).Draw(t, "offset")
	case 2:
		return MaxArrayIndex - rapid.Uint64Range(0, 5).Draw(t, "index from the end")
	}
	return rapid.Uint64Range(0, 30).Draw(t, "index")
}

// TestArrayModel runs random histories against a map.
func TestArrayModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, m, serial := NewArray(), &arrayModel{slots: map[uint64]string{}}, 0
		text := func() string {
			serial++
			return fmt.Sprint(serial)[:min(serial%7, len(fmt.Sprint(serial)))]
		}
		set := func(index uint64) {
			_, had := m.slots[index]
			s := text()
			if a.Set(index, []byte(s)) == had {
				t.Fatalf("Set(%d): added %v", index, had)
			}
			m.slots[index] = s
		}
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) { set(drawIndex(t)) },
			"set many": func(t *rapid.T) {
				from, step := rapid.Uint64Range(0, 1<<20).Draw(t, "from"), rapid.SampledFrom([]uint64{1, 2, 4096, 5000}).Draw(t, "step")
				for i := range uint64(300) {
					set(from + i*step)
				}
			},
			"delete": func(t *rapid.T) {
				index := drawIndex(t)
				_, had := m.slots[index]
				if a.Delete(index) != had {
					t.Fatalf("Delete(%d): not %v", index, had)
				}
				delete(m.slots, index)
			},
			"delete range": func(t *rapid.T) {
				lo, hi := drawIndex(t), drawIndex(t)
				lo, hi = min(lo, hi), max(lo, hi)
				in := m.within(lo, hi)
				if n := a.DeleteRange(lo, hi); n != len(in) {
					t.Fatalf("DeleteRange(%d, %d) = %d, want %d", lo, hi, n, len(in))
				}
				for _, index := range in {
					delete(m.slots, index)
				}
			},
			"insert": func(t *rapid.T) {
				s := text()
				if ok := a.Inserts(1); ok != (m.next <= MaxArrayIndex) {
					t.Fatalf("at %d Inserts says %v", m.next, ok)
				} else if ok {
					if at := a.Insert([]byte(s)); at != m.next {
						t.Fatalf("Insert at %d, want %d", at, m.next)
					}
					m.slots[m.next] = s
					m.next++
				}
			},
			"ring": func(t *rapid.T) {
				size, s := rapid.SampledFrom([]uint64{1, 3, 10, 100, 1 << 40}).Draw(t, "size"), text()
				a.Ring(size, []byte(s))
				m.ring(size, s)
			},
			"seek": func(t *rapid.T) {
				m.next = rapid.SampledFrom([]uint64{0, drawIndex(t), MaxArrayIndex + 1}).Draw(t, "next")
				a.Seek(m.next)
			},
			"clone": func(t *rapid.T) {
				old := a
				a = a.Clone()
				old.DeleteRange(0, MaxArrayIndex)
				if old.Count() != 0 || old.Len() != 0 || old.Check() != nil {
					t.Fatalf("%d slots are left, %v", old.Count(), old.Check())
				}
			},
			"": func(t *rapid.T) { m.compare(t, a) },
		})
	})
}

// compare fails unless the array is like the model.
func (m *arrayModel) compare(t *rapid.T, a *Array) {
	if err := a.Check(); err != nil {
		t.Fatal(err)
	}
	if a.Count() != len(m.slots) || a.Len() != m.len() || a.Next() != m.next {
		t.Fatalf("%d set, length %d, next %d; want %d, %d, %d", a.Count(), a.Len(), a.Next(), len(m.slots), m.len(), m.next)
	}
	lo, hi := drawIndex(t), drawIndex(t)
	lo, hi = min(lo, hi), max(lo, hi)
	if n, want := a.CountRange(lo, hi), len(m.within(lo, hi)); n != want {
		t.Fatalf("CountRange(%d, %d) = %d, want %d", lo, hi, n, want)
	}
	for _, r := range [][2]uint64{{0, MaxArrayIndex}, {lo, hi}} {
		var up, down []uint64
		for index, text := range a.All(r[0], r[1]) {
			if got, ok := a.Get(index); !ok || string(got) != m.slots[index] || string(text) != m.slots[index] {
				t.Fatalf("%d is %q and %q, want %q", index, text, got, m.slots[index])
			}
			up = append(up, index)
		}
		for index, text := range a.Backward(r[0], r[1]) {
			if string(text) != m.slots[index] {
				t.Fatalf("%d is %q backward, want %q", index, text, m.slots[index])
			}
			down = append(down, index)
		}
		slices.Reverse(down)
		if want := m.within(r[0], r[1]); !slices.Equal(up, want) || !slices.Equal(down, want) {
			t.Fatalf("range %v: %d, backward %d, want %d", r, up, down, want)
		}
	}
	if len(m.slots) > 0 && a.Last() != m.last() {
		t.Fatalf("Last is %d, want %d", a.Last(), m.last())
	}
}

// FuzzArray writes and clears slots at any indices and compares with a map.
func FuzzArray(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x00\x01\xff\xff\xff\xff\xff\xff\xff\xfe\x00"))
	f.Fuzz(func(t *testing.T, program []byte) {
		a, slots := NewArray(), map[uint64]bool{}
		for ; len(program) >= 9; program = program[9:] {
			index := binary.BigEndian.Uint64(program) % (MaxArrayIndex + 1)
			switch op := program[8]; {
			case op < 200:
				if a.Set(index, program[:op%9]) == slots[index] {
					t.Fatalf("Set(%d): added %v", index, slots[index])
				}
				slots[index] = true
			default:
				hi := min(index+1<<(op%64), MaxArrayIndex)
				n := 0
				for i := range slots {
					if index <= i && i <= hi {
						delete(slots, i)
						n++
					}
				}
				if index <= hi && a.DeleteRange(index, hi) != n {
					t.Fatalf("DeleteRange(%d, %d): not %d", index, hi, n)
				}
			}
		}
		if err := a.Check(); err != nil || a.Count() != len(slots) {
			t.Fatalf("%d slots, want %d: %v", a.Count(), len(slots), err)
		}
		for index := range a.All(0, MaxArrayIndex) {
			if !slots[index] {
				t.Fatalf("%d is set", index)
			}
		}
	})
}

// TestArrayFarApart: slots far from each other cost no more than a little each.
func TestArrayFarApart(t *testing.T) {
	t.Parallel()
	a := NewArray()
	const n = 100_000
	for i := range uint64(n) {
		a.Set(i*0x9e3779b97f4a7c15%(MaxArrayIndex+1), []byte("x"))
	}
	if size := a.MemoryUsage(); a.Count() != n || size > 150*n {
		t.Fatalf("%d slots take %d bytes", a.Count(), size)
	}
	if err := a.Check(); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkArrayInsert(b *testing.B) {
	a, text := NewArray(), []byte("value")
	for b.Loop() {
		a.Insert(text)
	}
}

func BenchmarkArraySetFarApart(b *testing.B) {
	a, text, i := NewArray(), []byte("value"), uint64(0)
	for b.Loop() {
		a.Set(i*0x9e3779b97f4a7c15>>1, text)
		i++
	}
}

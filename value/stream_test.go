package value

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// modelEntry is an entry of a stream as a test has it.
type modelEntry struct {
	id    StreamID
	pairs []string
}

// entryOf copies an entry out of a stream.
func entryOf(e *StreamEntry) modelEntry {
	m := modelEntry{id: e.ID}
	for f, v := range e.All {
		m.pairs = append(m.pairs, string(f), string(v))
	}
	return m
}

func sameEntries(a, b []modelEntry) bool {
	return slices.EqualFunc(a, b, func(a, b modelEntry) bool { return a.id == b.id && slices.Equal(a.pairs, b.pairs) })
}

// drawPairs draws fields and values, integers and long ones among them.
func drawPairs(t *rapid.T) (pairs [][]byte) {
	n := rapid.SampledFrom([]int{1, 1, 2, 2, 3, 8}).Draw(t, "fields")
	for range n {
		pairs = append(pairs, []byte(rapid.SampledFrom([]string{"f", "g", "7", ""}).Draw(t, "field")))
		switch rapid.IntRange(0, 3).Draw(t, "kind of value") {
		case 0:
			pairs = append(pairs, strconv.AppendInt(nil, rapid.Int64().Draw(t, "number"), 10))
		case 1:
			pairs = append(pairs, bytes.Repeat([]byte{'x'}, rapid.SampledFrom([]int{63, 64, 127, 4095, 4096, 20000}).Draw(t, "long")))
		default:
			pairs = append(pairs, []byte(rapid.StringN(0, 9, -1).Draw(t, "value")))
		}
	}
	return pairs
}

// streamModel is a stream beside a naive one.
type streamModel struct {
	limits  StreamLimits
	stream  *Stream
	entries []modelEntry
}

func (m *streamModel) add(t *rapid.T) {
	id, _ := m.stream.LastID.Next()
	if rapid.Bool().Draw(t, "later") {
		id.MS += uint64(rapid.IntRange(0, 300).Draw(t, "ms"))
		id.Seq = uint64(rapid.IntRange(0, 300).Draw(t, "seq"))
		if !m.stream.LastID.Less(id) {
			id.MS = m.stream.LastID.MS + 1
		}
	}
	pairs := drawPairs(t)
	m.stream.Add(m.limits, id, pairs)
	e := modelEntry{id: id}
	for _, p := range pairs {
		e.pairs = append(e.pairs, string(p))
	}
	m.entries = append(m.entries, e)
}

// drawID draws the ID of an entry, or one near to it.
func (m *streamModel) drawID(t *rapid.T) StreamID {
	if len(m.entries) == 0 {
		return StreamID{uint64(rapid.IntRange(0, 9).Draw(t, "ms")), 0}
	}
	id := rapid.SampledFrom(m.entries).Draw(t, "entry").id
	id.Seq += uint64(rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "near"))
	return id
}

func (m *streamModel) remove(t *rapid.T) {
	id := m.drawID(t)
	i := slices.IndexFunc(m.entries, func(e modelEntry) bool { return e.id == id })
	if m.stream.Has(id) != (i >= 0) || m.stream.Delete(id) != (i >= 0) {
		t.Fatalf("whether there is an entry %v", id)
	}
	if i >= 0 {
		m.entries = slices.Delete(m.entries, i, i+1)
	}
}

func (m *streamModel) trim(t *rapid.T) {
	trim := StreamTrim{ByID: rapid.Bool().Draw(t, "by id"), Approximate: rapid.Bool().Draw(t, "approximate")}
	trim.MaxLen = int64(rapid.IntRange(0, len(m.entries)+1).Draw(t, "maxlen"))
	trim.MinID = m.drawID(t)
	keep := len(m.entries)
	if trim.ByID {
		keep = 0
		for _, e := range m.entries {
			if !e.id.Less(trim.MinID) {
				keep++
			}
		}
	}
	if !trim.ByID {
		keep = min(keep, int(trim.MaxLen))
	}
	removed := m.stream.Trim(trim)
	if gone := len(m.entries) - keep; int(removed) > gone || !trim.Approximate && int(removed) != gone {
		t.Fatalf("%+v of %d entries removed %d, not %d", trim, len(m.entries), removed, gone)
	}
	m.entries = slices.Delete(m.entries, 0, int(removed))
}

func (m *streamModel) ranges(t *rapid.T) {
	from, to := m.drawID(t), m.drawID(t)
	var want, forward, backward []modelEntry
	for _, e := range m.entries {
		if !e.id.Less(from) && !to.Less(e.id) {
			want = append(want, e)
		}
	}
	for e := range m.stream.Range(from, to) {
		forward = append(forward, entryOf(e))
	}
	for e := range m.stream.Backward(from, to) {
		backward = append(backward, entryOf(e))
	}
	slices.Reverse(backward)
	limit := rapid.IntRange(0, 40).Draw(t, "limit")
	if n := m.stream.Count(from, to, limit); n != min(limit, len(want)) {
		t.Fatalf("%d entries from %v to %v counted, up to %d of %d", n, from, to, limit, len(want))
	}
	for _, e := range want {
		if got := m.stream.Get(e.id); got == nil || !sameEntries([]modelEntry{entryOf(got)}, []modelEntry{e}) {
			t.Fatalf("entry %v is %v", e.id, got)
		}
	}
	if !sameEntries(forward, want) || !sameEntries(backward, want) {
		t.Fatalf("from %v to %v: %d entries, %d backwards, %d wanted", from, to, len(forward), len(backward), len(want))
	}
}

// reload goes on with what the stream's nodes are read as.
func (m *streamModel) reload(t *rapid.T) {
	s := NewStream()
	for id, node := range m.stream.Nodes() {
		if err := s.AddNode(id, node); err != nil {
			t.Fatalf("node %v: %v", id, err)
		}
	}
	s.LastID, s.MaxDeletedID, s.Added = m.stream.LastID, m.stream.MaxDeletedID, m.stream.Added
	if !s.Loaded() {
		t.Fatal("a stream that was written is not one")
	}
	m.stream = s
}

func (m *streamModel) check(t *rapid.T) {
	if err := m.stream.Check(); err != nil {
		t.Fatal(err)
	}
	var all []modelEntry
	for e := range m.stream.Range(StreamID{}, MaxStreamID) {
		all = append(all, entryOf(e))
	}
	if !sameEntries(all, m.entries) || m.stream.Len() != len(m.entries) {
		t.Fatalf("%d entries, %d of length, %d wanted", len(all), m.stream.Len(), len(m.entries))
	}
	if last, ok := m.stream.Last(); ok != (len(all) > 0) || ok && last != all[len(all)-1].id {
		t.Fatalf("the last entry is %v", last)
	}
}

// TestStreamModel runs random histories against a slice of entries.
func TestStreamModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, streamAgainstModel())
}

func FuzzStream(f *testing.F) { f.Fuzz(rapid.MakeFuzz(streamAgainstModel())) }

func streamAgainstModel() func(*rapid.T) {
	return func(t *rapid.T) {
		limits := StreamLimits{
			NodeMaxBytes:   rapid.SampledFrom([]int64{0, 1, 100, 4096}).Draw(t, "node bytes"),
			NodeMaxEntries: rapid.SampledFrom([]int64{0, 1, 3, 100}).Draw(t, "node entries"),
		}
		m := &streamModel{limits: limits, stream: NewStream()}
		t.Repeat(map[string]func(*rapid.T){
			"add": m.add,
			"addMany": func(t *rapid.T) {
				for range rapid.IntRange(0, 30).Draw(t, "n") {
					m.add(t)
				}
			},
			"delete": m.remove,
			"trim":   m.trim,
			"range":  m.ranges,
			"reload": m.reload,
			"clone": func(t *rapid.T) {
				old := m.stream
				m.stream = old.Clone()
				old.Trim(StreamTrim{})
			},
			"": m.check,
		})
	}
}

func TestStreamTrimApproximateKeepsNodes(t *testing.T) {
	t.Parallel()
	fill := func() *Stream {
		s := NewStream()
		for i := range 1000 {
			s.Add(DefaultStreamLimits(), StreamID{uint64(i + 1), 0}, [][]byte{[]byte("f"), []byte("v")})
		}
		return s
	}
	for _, c := range []struct {
		trim StreamTrim
		want int64
	}{
		{StreamTrim{MaxLen: 950, Approximate: true}, 0},
		{StreamTrim{MaxLen: 900, Approximate: true}, 100},
		{StreamTrim{MaxLen: 10, Approximate: true}, 900},
		{StreamTrim{MaxLen: 10, Approximate: true, Limit: 250}, 200},
		{StreamTrim{MaxLen: 10}, 990},
		{StreamTrim{ByID: true, MinID: StreamID{101, 0}, Approximate: true}, 100},
		{StreamTrim{ByID: true, MinID: StreamID{100, 0}, Approximate: true}, 0},
		{StreamTrim{ByID: true, MinID: StreamID{150, 0}}, 149},
	} {
		s := fill()
		if got := s.Trim(c.trim); got != c.want || s.Len() != 1000-int(got) {
			t.Errorf("%+v removed %d of 1000 and left %d, want %d", c.trim, got, s.Len(), c.want)
		}
	}
}

func TestParseStreamID(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"5": "5-9", "5-1": "5-1", "0-0": "0-0", "18446744073709551615-18446744073709551615": "18446744073709551615-18446744073709551615",
		"": "", "-": "", "-5": "", "5-": "", "x": "", "5-x": "", "5-1-1": "", "18446744073709551616": "", "5-*": "", " 5": "5-9", "5- 1": "5-1", "5--1": "", "5--08": "5-18446744073709551608", "5 ": "", "5\x00x": "5-9",
		"007": "7-9", "+5": "5-9",
	} {
		id, ok := ParseStreamID([]byte(text), 9)
		if ok != (want != "") || ok && id.String() != want {
			t.Errorf("%q is %v, %v", text, id, ok)
		}
	}
}

// TestStreamPendingModel runs random deliveries, claims and acknowledgements
// against a map.
func TestStreamPendingModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := NewStream()
		g := s.AddGroup([]byte("g"), StreamID{}, 0)
		model := map[StreamID]string{}
		names := []string{"a", "b", "c"}
		draw := func() StreamID { return StreamID{0, uint64(rapid.IntRange(1, 600).Draw(t, "id"))} }
		assign := func(id StreamID, name string) {
			g.AddConsumer([]byte(name), 0)
			g.Assign(id, g.Consumer([]byte(name)), 5, 1)
			model[id] = name
		}
		t.Repeat(map[string]func(*rapid.T){
			"assign": func(t *rapid.T) { assign(draw(), rapid.SampledFrom(names).Draw(t, "name")) },
			"assignMany": func(t *rapid.T) {
				from, step := draw(), rapid.SampledFrom([]uint64{1, 1, 3}).Draw(t, "step")
				for i := range uint64(rapid.IntRange(0, 400).Draw(t, "n")) {
					assign(StreamID{0, from.Seq + step*i}, names[i%2])
				}
			},
			"acknowledge": func(t *rapid.T) {
				id := draw()
				if _, has := model[id]; g.Acknowledge(id) != has {
					t.Fatalf("whether %v was pending", id)
				}
				delete(model, id)
			},
			"acknowledgeMany": func(t *rapid.T) {
				from := draw()
				for i := range uint64(rapid.IntRange(0, 400).Draw(t, "n")) {
					g.Acknowledge(StreamID{0, from.Seq + i})
					delete(model, StreamID{0, from.Seq + i})
				}
			},
			"removeConsumer": func(t *rapid.T) {
				name := rapid.SampledFrom(names).Draw(t, "name")
				want := 0
				for id, owner := range model {
					if owner == name {
						want++
						delete(model, id)
					}
				}
				if n, _ := g.RemoveConsumer([]byte(name)); n != want {
					t.Fatalf("%d entries were pending for %s, not %d", n, name, want)
				}
			},
			"clone": func(*rapid.T) { s = s.Clone(); g = s.Group([]byte("g")) },
			"": func(t *rapid.T) {
				if err := s.Check(); err != nil {
					t.Fatal(err)
				}
				n := 0
				for p := range g.Pending(StreamID{}) {
					if n++; model[p.ID] != p.Consumer.Name() {
						t.Fatalf("%v is pending for %s, not %q", p.ID, p.Consumer.Name(), model[p.ID])
					}
				}
				if n != len(model) || n != g.PendingLen() {
					t.Fatalf("%d pending, %d of length, %d wanted", n, g.PendingLen(), len(model))
				}
			},
		})
	})
}

// FuzzStreamNode feeds AddNode anything: what it takes must be sound.
func FuzzStreamNode(f *testing.F) {
	s := NewStream()
	for i := range 5 {
		s.Add(StreamLimits{NodeMaxEntries: 3}, StreamID{uint64(i + 1), 1}, [][]byte{[]byte("f"), fmt.Appendf(nil, "%d", i*1000), []byte("g"), []byte("text")})
	}
	s.Add(StreamLimits{}, StreamID{9, 0}, [][]byte{[]byte("other"), bytes.Repeat([]byte{'x'}, 5000)})
	s.Delete(StreamID{2, 1})
	for _, node := range s.Nodes() {
		f.Add(bytes.Clone(node))
	}
	f.Fuzz(func(t *testing.T, node []byte) {
		s := NewStream()
		if s.AddNode(StreamID{1, 1}, node) != nil {
			return
		}
		s.LastID = MaxStreamID
		if !s.Loaded() {
			t.Fatal("an entry behind the greatest ID")
		}
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		entries := 0
		for e := range s.Range(StreamID{}, MaxStreamID) {
			for range e.All {
				entries += 0
			}
			entries++
		}
		if entries != s.Len() {
			t.Fatalf("%d entries of %d", entries, s.Len())
		}
	})
}

func BenchmarkStreamAdd(b *testing.B) {
	pairs := [][]byte{[]byte("field"), []byte("value"), []byte("number"), []byte("12345")}
	s := NewStream()
	for i := range b.N {
		s.Add(DefaultStreamLimits(), StreamID{uint64(i + 1), 0}, pairs)
	}
	b.ReportMetric(float64(s.MemoryUsage())/float64(b.N), "B/entry")
}

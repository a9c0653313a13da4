package value

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// refsModel is a stream of entries 1-0, 2-0 ... with two groups, beside a naive
// one.
type refsModel struct {
	stream  *Stream
	entries []uint64
	read    map[string]uint64          // up to where, by group
	pending map[string]map[uint64]bool // by group
}

func newRefsModel() *refsModel {
	m := &refsModel{stream: NewStream(), read: map[string]uint64{}, pending: map[string]map[uint64]bool{}}
	for _, name := range []string{"g", "h"} {
		m.stream.AddGroup([]byte(name), StreamID{}, 0).AddConsumer([]byte("c"), 0)
		m.pending[name] = map[uint64]bool{}
	}
	return m
}

func (m *refsModel) referenced(n uint64) bool {
	for name := range m.pending {
		if m.read[name] < n || m.pending[name][n] {
			return true
		}
	}
	return false
}

// trim removes the oldest entries up to keep as a policy wants it.
func (m *refsModel) trim(keep int, refs RefPolicy) (removed int) {
	left := m.entries[:0:0]
	for _, n := range m.entries {
		if len(m.entries)-removed <= keep || refs == OnlyAcked && m.referenced(n) {
			left = append(left, n)
			continue
		}
		removed++
		if refs == DeleteRefs {
			delete(m.pending["g"], n)
			delete(m.pending["h"], n)
		}
	}
	m.entries = left
	return removed
}

func (m *refsModel) check(t *rapid.T) {
	if err := m.stream.Check(); err != nil {
		t.Fatal(err)
	}
	var all []uint64
	for e := range m.stream.Range(StreamID{}, MaxStreamID) {
		all = append(all, e.ID.MS)
	}
	if !slices.Equal(all, m.entries) {
		t.Fatalf("entries %v, want %v", all, m.entries)
	}
	for _, g := range m.stream.Groups() {
		if g.PendingLen() != len(m.pending[g.Name()]) {
			t.Fatalf("%d entries are pending in %s, want %d", g.PendingLen(), g.Name(), len(m.pending[g.Name()]))
		}
		for p := range g.Pending(StreamID{}) {
			if !m.pending[g.Name()][p.ID.MS] {
				t.Fatalf("%v is pending in %s", p.ID, g.Name())
			}
		}
	}
}

// TestStreamTrimRefs trims by random policies, exactly, against a naive model.
func TestStreamTrimRefs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := newRefsModel()
		limits := StreamLimits{NodeMaxEntries: rapid.SampledFrom([]int64{1, 3, 100}).Draw(t, "node entries")}
		next := uint64(0)
		t.Repeat(map[string]func(*rapid.T){
			"add": func(*rapid.T) {
				next++
				m.stream.Add(limits, StreamID{next, 0}, [][]byte{[]byte("f"), []byte("v")})
				m.entries = append(m.entries, next)
			},
			"deliver": func(t *rapid.T) {
				name := rapid.SampledFrom([]string{"g", "h"}).Draw(t, "group")
				g := m.stream.Group([]byte(name))
				for e := range m.stream.Range(StreamID{m.read[name] + 1, 0}, MaxStreamID) {
					g.Advance(m.stream, e.ID)
					g.Assign(e.ID, g.Consumer([]byte("c")), 0, 1)
					m.read[name], m.pending[name][e.ID.MS] = e.ID.MS, true
				}
			},
			"acknowledge": func(t *rapid.T) {
				name := rapid.SampledFrom([]string{"g", "h"}).Draw(t, "group")
				for range 3 {
					n := uint64(rapid.IntRange(0, int(next)).Draw(t, "entry"))
					if m.stream.Group([]byte(name)).Acknowledge(StreamID{n, 0}) != m.pending[name][n] {
						t.Fatalf("whether %d was pending in %s", n, name)
					}
					delete(m.pending[name], n)
				}
			},
			"trim": func(t *rapid.T) {
				keep := rapid.IntRange(0, len(m.entries)).Draw(t, "maxlen")
				refs := rapid.SampledFrom([]RefPolicy{KeepRefs, DeleteRefs, OnlyAcked}).Draw(t, "refs")
				want := m.trim(keep, refs)
				if got := m.stream.Trim(StreamTrim{MaxLen: int64(keep), Refs: refs}); int(got) != want {
					t.Fatalf("%d entries went, want %d", got, want)
				}
			},
			"": m.check,
		})
	})
}

// TestStreamReturned: entries that are given back are nobody's, in turn.
func TestStreamReturned(t *testing.T) {
	t.Parallel()
	s := NewStream()
	g := s.AddGroup([]byte("g"), StreamID{}, 0)
	c := g.AddConsumer([]byte("c"), 0)
	g.Assign(StreamID{1, 0}, c, 5, 1)
	g.Assign(StreamID{2, 0}, c, 5, 1)
	g.Return(StreamID{2, 0}, 3)
	g.Return(StreamID{1, 0}, 0)
	s = s.Clone()
	g = s.Group([]byte("g"))
	g.Return(StreamID{9, 0}, 0)
	first, second := g.PendingAt(StreamID{1, 0}), g.PendingAt(StreamID{2, 0})
	third := g.PendingAt(StreamID{9, 0})
	if g.ReturnedLen() != 3 || g.Consumers()[0].PendingLen() != 0 || second.Count != 3 || second.Time != 0 {
		t.Errorf("%d entries are nobody's, %d the consumer's, delivered %d times", g.ReturnedLen(), g.Consumers()[0].PendingLen(), second.Count)
	}
	if second.Turn >= first.Turn || first.Turn >= third.Turn {
		t.Errorf("turns %d, %d, %d", second.Turn, first.Turn, third.Turn)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

// TestStreamIdempotence: a name is remembered for a time, and the youngest of each
// producer.
func TestStreamIdempotence(t *testing.T) {
	t.Parallel()
	s := NewStream()
	limits := IdempotenceLimits{Duration: 100, MaxSize: 2}
	p, q := []byte("p"), []byte("q")
	name := func(n byte) []byte { return []byte{n} }
	s.Remember(limits, 1000, p, name('a'), StreamID{1, 0})
	s.Remember(limits, 1010, p, name('b'), StreamID{2, 0})
	s.Remember(limits, 1010, q, name('a'), StreamID{3, 0})
	old := s
	s = s.Clone()
	s.Remember(limits, 1020, p, name('c'), StreamID{4, 0})
	for _, test := range []struct {
		stream *Stream
		now    int64
		pid    []byte
		name   byte
		want   StreamID
	}{
		{s, 1020, p, 'a', StreamID{}}, // one too many
		{old, 1020, p, 'a', StreamID{1, 0}},
		{s, 1020, p, 'b', StreamID{2, 0}},
		{s, 1020, q, 'a', StreamID{3, 0}},
		{s, 1109, p, 'b', StreamID{2, 0}},
		{s, 1110, p, 'b', StreamID{}}, // too old
		{s, 1110, p, 'c', StreamID{4, 0}},
		{s, 1110, []byte("r"), 'a', StreamID{}},
	} {
		if id, ok := test.stream.Recall(limits, test.now, test.pid, name(test.name)); id != test.want || ok != !test.want.IsZero() {
			t.Errorf("at %d %s %c is %v, want %v", test.now, test.pid, test.name, id, test.want)
		}
	}
	if st := s.IdempotenceStats(limits, 1110); st.Producers != 1 || st.Names != 1 || st.Added != 4 || st.Duplicates != 4 {
		t.Errorf("%+v", st)
	}
	for i := range 1000 {
		s.Remember(limits, 2000+int64(i)*200, []byte{byte(i), byte(i >> 8)}, name('a'), StreamID{5, 0})
	}
	if n := len(s.idmp.producers); n > 40 {
		t.Errorf("%d producers are kept of whom nothing is remembered", n)
	}
}

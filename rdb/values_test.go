package rdb

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"minikv/value"
)

// source makes random values.
type source struct{ *rand.Rand }

func newSource(seed uint64) source { return source{rand.New(rand.NewPCG(seed, 1))} }

// text is up to most bytes: few different ones, any, or a number.
func (r source) text(most int) []byte {
	if r.IntN(3) == 0 {
		return value.AppendInt(nil, int64(r.Uint64())>>r.IntN(64))
	}
	letters := 1 + r.IntN(256)
	b := make([]byte, r.IntN(most))
	for i := range b {
		b[i] = byte('a' + r.IntN(letters))
	}
	return b
}

// value is one of every kind and encoding in turn.
func (r source) value(i int) Value {
	limits := value.DefaultLimits()
	size := 1 + r.IntN(40)
	switch i % 12 {
	case 0:
		return Value{Kind: value.KindString, Text: r.text(2000)}
	case 1:
		l := value.NewList()
		for range size {
			l.PushBack(r.text(1000))
		}
		return Value{Kind: value.KindList, Data: l}
	case 2, 3:
		s := value.NewSet(r.Uint64())
		for range size {
			s.Add(&limits, value.AppendInt(nil, int64(r.Uint64())>>r.IntN(64)))
		}
		if i%12 == 3 {
			s.Add(&limits, []byte("text"))
		}
		return Value{Kind: value.KindSet, Data: s}
	case 4, 5, 9, 10:
		h := value.NewHash(r.Uint64())
		for range size {
			h.Set(&limits, r.text(60), r.text(60))
		}
		if i%12 == 5 || i%12 == 10 {
			h.Set(&limits, []byte("long"), bytes.Repeat([]byte("long"), 30))
		}
		if i%12 == 9 || i%12 == 10 {
			r.deadlines(h)
		}
		return Value{Kind: value.KindHash, Data: h}
	case 6, 7:
		z := value.NewZSet(r.Uint64())
		for range size {
			z.Add(&limits, r.text(60), r.NormFloat64()*math.Pow(10, float64(r.IntN(600)-300)))
		}
		if i%12 == 7 {
			z.Add(&limits, bytes.Repeat([]byte("long"), 30), math.Inf(1))
		}
		return Value{Kind: value.KindZSet, Data: z}
	}
	if i%12 == 11 {
		return Value{Kind: value.KindArray, Data: r.array(size)}
	}
	return Value{Kind: value.KindStream, Data: r.stream(size)}
}

func (r source) array(size int) *value.Array {
	a := value.NewArray()
	for range size {
		a.Set(r.Uint64()>>(1+r.IntN(63)), r.text(50))
	}
	a.Set(value.MaxArrayIndex, []byte("last"))
	a.Seek(uint64(r.IntN(100)))
	return a
}

// deadlines gives half of the fields deadlines, the first of them at least.
func (r source) deadlines(h *value.Hash) {
	i := 0
	for field := range h.All() {
		if i%2 == 0 {
			h.SetDeadline(field, 1+int64(r.Uint64()>>(11+r.IntN(50))))
		}
		i++
	}
}

func (r source) stream(size int) *value.Stream {
	s := value.NewStream()
	for i := range size {
		s.Add(value.DefaultStreamLimits(), value.StreamID{MS: uint64(i), Seq: 1}, [][]byte{[]byte("field"), r.text(50), r.text(10), r.text(10)})
	}
	s.Delete(value.StreamID{MS: uint64(r.IntN(size)), Seq: 1})
	for _, name := range []string{"a", "b"} {
		g := s.AddGroup([]byte(name), value.StreamID{MS: 3}, int64(r.IntN(5)-1))
		c := g.AddConsumer([]byte("x"), 1_700_000_000_000)
		c.Active = c.Seen // which this version of the format takes for granted
		for i := range r.IntN(5) {
			g.Assign(value.StreamID{MS: uint64(i)}, c, 1_700_000_000_001, int64(i))
		}
		if size%2 == 0 {
			g.Assign(value.StreamID{MS: 9}, nil, 0, 1)
			c.Active = -1
		}
	}
	return s
}

// describe is all that a value holds, in an order of its own.
func describe(v Value) string {
	var parts []string
	switch data := v.Data.(type) {
	case nil:
		return fmt.Sprintf("%q", v.Text)
	case *value.List:
		for i, elem := range data.All() {
			parts = append(parts, fmt.Sprintf("%06d %q", i, elem))
		}
	case *value.Set:
		for member := range data.All() {
			parts = append(parts, strconv.Quote(string(member)))
		}
	case *value.Hash:
		for field, text := range data.All() {
			at, _ := data.Deadline(field)
			parts = append(parts, fmt.Sprintf("%q=%q %d", field, text, at))
		}
	case *value.ZSet:
		for member, score := range data.All() {
			parts = append(parts, fmt.Sprintf("%q=%v", member, score))
		}
	case *value.Array:
		parts = append(parts, fmt.Sprint(data.Next()))
		for index, text := range data.All(0, value.MaxArrayIndex) {
			parts = append(parts, fmt.Sprintf("%d=%q", index, text))
		}
	case *value.Stream:
		parts = describeStream(data)
	}
	slices.Sort(parts)
	return fmt.Sprintf("%v %s %q", v.Kind, v.Data.Encoding(), parts)
}

func describeStream(s *value.Stream) []string {
	parts := []string{fmt.Sprint(s.Len(), s.LastID, s.FirstID(), s.MaxDeletedID, s.Added)}
	for e := range s.Range(value.StreamID{}, value.MaxStreamID) {
		text := e.ID.String()
		for field, v := range e.All {
			text += fmt.Sprintf(" %q=%q", field, v)
		}
		parts = append(parts, text)
	}
	for _, g := range s.Groups() {
		parts = append(parts, fmt.Sprint(g.Name(), g.LastID, g.EntriesRead))
		for p := range g.Pending(value.StreamID{}) {
			consumer := "nobody"
			if p.Consumer != nil {
				consumer = p.Consumer.Name()
			}
			parts = append(parts, fmt.Sprint(g.Name(), p.ID, consumer, p.Time, p.Count))
		}
		for _, c := range g.Consumers() {
			parts = append(parts, fmt.Sprint(g.Name(), c.Name(), c.Seen, c.Active))
		}
	}
	return parts
}

// sound fails the test if a value that was read is not valid.
func sound(t *testing.T, v Value) {
	t.Helper()
	if v.Data == nil {
		return
	}
	if err := v.Data.Check(); err != nil {
		t.Fatal(err)
	}
}

// recorded are the payloads in the transcripts of DUMP and RESTORE, which a real
// redis-server has written or judged: those that DUMP answered, and those given
// to RESTORE, good and bad.
func recorded(t testing.TB) (dumped, restored [][]byte) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "engine", "testdata", "generic", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		for i, line := range lines {
			switch {
			case strings.HasPrefix(line, "> DUMP ") && strings.HasPrefix(lines[i+1], `"`):
				dumped = append(dumped, unquoted(t, lines[i+1]))
			case strings.HasPrefix(line, "> RESTORE ") && strings.Contains(line, `"`):
				restored = append(restored, unquoted(t, line[strings.Index(line, `"`):strings.LastIndex(line, `"`)+1]))
			}
		}
	}
	if len(dumped) < 40 || len(restored) < 80 {
		t.Fatalf("the transcripts have %d and %d payloads", len(dumped), len(restored))
	}
	return dumped, restored
}

func unquoted(t testing.TB, text string) []byte {
	s, err := strconv.Unquote(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return []byte(s)
}

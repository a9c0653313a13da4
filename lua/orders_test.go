package lua

import (
	"strings"
	"testing"
)

// TestOrderOfKeys runs recorded scripts that build tables at random: the order
// of keys and the borders are those of Redis.
func TestOrderOfKeys(t *testing.T) {
	t.Parallel()
	m := New("7.0.15")
	for i, row := range lines(t, "orders.tsv") {
		if strings.HasPrefix(row[0], "# ") {
			continue
		}
		got := eval(t, m, newMemoryHost(), 2, row[0], nil, nil)
		if _, text, ok := strings.Cut(got, "\r\n"); !ok || text != row[1]+"\r\n" {
			t.Errorf("orders.tsv:%d: %s\n got %s\nwant %s", i+1, row[0], got, row[1])
		}
	}
}

// FuzzProgram runs random programs; whatever they do, they end with one reply.
func FuzzProgram(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(seed)
	}
	s := newSubject(f)
	f.Fuzz(func(t *testing.T, seed uint64) {
		tryOn(t, s.m, strings.Replace(harness, "%s", "ARGV[1]", 1), newProgram(seed))
	})
}

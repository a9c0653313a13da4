package engine

import (
	"slices"
	"strings"
	"testing"
)

// TestHimportEffects: what HIMPORT does can be said without its fieldsets.
func TestHimportEffects(t *testing.T) {
	t.Parallel()
	var effects []string
	n := newNode(t, Options{Effects: func(f Effect) {
		var words []string
		for _, w := range f.Argv {
			words = append(words, string(w))
		}
		effects = append(effects, strings.Join(words, " "))
	}})
	cl := n.client()
	n.want(cl, "HIMPORT PREPARE u a b", "+OK")
	n.want(cl, "HIMPORT SET h u 1 2", "+OK")
	n.want(cl, "HIMPORT SET h u 3 4", "+OK")
	n.want(cl, "HIMPORT DISCARD u", ":1")
	if want := []string{"HSET h a 1 b 2", "MULTI", "DEL h", "HSET h a 3 b 4", "EXEC"}; !slices.Equal(effects, want) {
		t.Errorf("effects %q, want %q", effects, want)
	}
}

// TestFieldsetsInSnapshots: a connection has the names that it had.
func TestFieldsetsInSnapshots(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	cl := n.client()
	n.want(cl, "HIMPORT PREPARE u a", "+OK")
	s := n.e.Snapshot()
	defer s.Release()
	for range 2 {
		n.want(cl, "HIMPORT SET h u 1", "+OK")
		n.want(cl, "HGETALL h", "*2 $1 a $1 1")
		n.want(cl, "HIMPORT PREPARE u b", "+OK")
		n.want(cl, "HIMPORT PREPARE v c", "+OK")
		n.want(cl, "HIMPORT DISCARDALL", ":2")
		n.e.Restore(s)
	}
}

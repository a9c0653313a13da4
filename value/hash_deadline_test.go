package value

import (
	"fmt"
	"maps"
	"testing"

	"pgregory.net/rapid"
)

// TestHashDeadlineModel compares deadlines with a map.
func TestHashDeadlineModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limits := DefaultLimits()
		limits.HashMaxListpackEntries = 8
		h, model := NewHash(1), map[string]int64{}
		field := func(t *rapid.T) []byte { return fmt.Appendf(nil, "f%d", rapid.IntRange(0, 11).Draw(t, "field")) }
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) { h.Set(&limits, field(t), []byte("v")) },
			"delete": func(t *rapid.T) {
				f := field(t)
				h.Delete(f)
				delete(model, string(f))
			},
			"deadline": func(t *rapid.T) {
				if f, at := field(t), rapid.Int64Range(0, 100).Draw(t, "at"); h.Has(f) {
					h.SetDeadline(f, at)
					model[string(f)] = at
				}
			},
			"persist": func(t *rapid.T) {
				f := field(t)
				_, had := model[string(f)]
				if h.Persist(f) != had {
					t.Fatalf("Persist of %s: not %v", f, had)
				}
				delete(model, string(f))
			},
			"expire": func(t *rapid.T) {
				now, most := rapid.Int64Range(0, 100).Draw(t, "now"), rapid.IntRange(0, 12).Draw(t, "most")
				before := len(model)
				last := int64(-1)
				h.Expire(now, most, func(f string) {
					if at, had := model[f]; !had || at >= now || at < last || h.Has([]byte(f)) {
						t.Fatalf("%s expired at %d, due at %d", f, now, at)
					}
					last = model[f]
					delete(model, f)
				})
				if next, ok := h.NextDeadline(); ok && next < now && before-len(model) < most {
					t.Fatalf("a field due at %d stayed", next)
				}
			},
			"clone": func(*rapid.T) { h = h.Clone() },
			"": func(t *rapid.T) {
				if err := h.Check(); err != nil {
					t.Fatal(err)
				}
				got := map[string]int64{}
				for f := range h.All() {
					if at, ok := h.Deadline(f); ok {
						got[string(f)] = at
					}
				}
				if !maps.Equal(got, model) {
					t.Fatalf("deadlines %v, want %v", got, model)
				}
			},
		})
	})
}

package value

import (
	"fmt"
	"iter"
)

// Fields of a hash may have deadlines, in unix milliseconds. They stand in a
// sorted set, with the deadlines as its scores: whose time comes first is its
// first member, and below 2^53 a score is exact. Nothing here knows the time; a
// field whose deadline is over stays until Expire takes it out.

// Deadline is field's deadline; ok is false if it has none.
func (h *Hash) Deadline(field []byte) (at int64, ok bool) {
	if h.deadlines == nil {
		return 0, false
	}
	score, ok := h.deadlines.Score(field)
	return int64(score), ok
}

// SetDeadline gives field, which must be there, a deadline from 0 to 2^53.
func (h *Hash) SetDeadline(field []byte, at int64) {
	if h.deadlines == nil {
		h.deadlines = NewZSet(uint64(h.seed))
	}
	limits := DefaultLimits()
	h.deadlines.Add(&limits, field, float64(at))
}

// Persist takes field's deadline away and tells whether it had one.
func (h *Hash) Persist(field []byte) bool {
	return h.deadlines != nil && h.deadlines.Remove(field)
}

// NextDeadline is the earliest deadline; ok is false if no field has one.
func (h *Hash) NextDeadline() (at int64, ok bool) {
	if h.deadlines == nil || h.deadlines.Len() == 0 {
		return 0, false
	}
	_, score := h.deadlines.At(0)
	return int64(score), true
}

// Deadlines yields the fields that have deadlines with these, the earliest first.
func (h *Hash) Deadlines() iter.Seq2[string, int64] {
	return func(yield func(field string, at int64) bool) {
		if h.deadlines == nil {
			return
		}
		for field, score := range h.deadlines.All() {
			if !yield(field, int64(score)) {
				return
			}
		}
	}
}

// Expire takes out the fields whose deadlines are before now, the earliest first,
// at most so many, and hands each to fn.
func (h *Hash) Expire(now int64, most int, fn func(field string)) {
	for range most {
		if at, ok := h.NextDeadline(); !ok || at >= now {
			return
		}
		field, _ := h.deadlines.At(0)
		h.Delete([]byte(field))
		fn(field)
	}
}

// checkDeadlines verifies that only fields that are there have deadlines.
func (h *Hash) checkDeadlines() error {
	if h.deadlines == nil {
		return nil
	}
	for field := range h.deadlines.All() {
		if !h.Has([]byte(field)) {
			return fmt.Errorf("hash: a deadline of %q, which is not there", field)
		}
	}
	return h.deadlines.Check()
}

package value

import (
	"fmt"
	"iter"
)

// Fields of a hash may have deadlines, in unix milliseconds. They stand in a
// sorted set, with the deadlines as its scores: whose time comes first is its
// first member, and below 2^53 a score is exact. Nothing here knows the time; a
// field whose deadline is over stays until Expire takes it out.

// deadlines is the sorted set, nil if no field ever had a deadline.
func (h *Hash) deadlines() *ZSet {
	if x := h.index(); x != nil {
		return x.deadlines
	}
	return nil
}

// Deadline is field's deadline; ok is false if it has none.
func (h *Hash) Deadline(field []byte) (at int64, ok bool) {
	z := h.deadlines()
	if z == nil {
		return 0, false
	}
	score, ok := z.Score(field)
	return int64(score), ok
}

// SetDeadline gives field, which must be there, a deadline from 0 to 2^53.
func (h *Hash) SetDeadline(field []byte, at int64) {
	x := h.grown()
	if x.deadlines == nil {
		x.deadlines = NewZSet(x.seed)
	}
	limits := DefaultLimits()
	x.deadlines.Add(&limits, field, float64(at))
}

// Persist takes field's deadline away and tells whether it had one.
func (h *Hash) Persist(field []byte) bool {
	z := h.deadlines()
	return z != nil && z.Remove(field)
}

// NextDeadline is the earliest deadline; ok is false if no field has one.
func (h *Hash) NextDeadline() (at int64, ok bool) {
	z := h.deadlines()
	if z == nil || z.Len() == 0 {
		return 0, false
	}
	_, score := z.At(0)
	return int64(score), true
}

// Deadlines yields the fields that have deadlines with these, the earliest first.
// The fields are valid until the hash changes.
func (h *Hash) Deadlines() iter.Seq2[string, int64] {
	return func(yield func(field string, at int64) bool) {
		z := h.deadlines()
		if z == nil {
			return
		}
		for field, score := range z.All() {
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
		field, _ := h.deadlines().At(0)
		field = h.deadlines().Lasting(field)
		h.Delete(bytesOf(field))
		fn(field)
	}
}

// checkDeadlines verifies that only fields that are there have deadlines.
func (h *Hash) checkDeadlines() error {
	z := h.deadlines()
	if z == nil {
		return nil
	}
	for field := range z.All() {
		if !h.Has([]byte(field)) {
			return fmt.Errorf("hash: a deadline of %q, which is not there", field)
		}
	}
	return z.Check()
}

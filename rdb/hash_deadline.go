package rdb

import (
	"math"

	"minikv/value"
)

// A hash whose fields have deadlines is written in the forms that Redis 7.4
// brought, and its payload says version 12: an older server refuses it, which is
// better than to lose the deadlines.
//
//	table:    earliest deadline (8) | number of fields | deadline, field, value ...
//	listpack: earliest deadline (8) | field, value, deadline ... by deadline
//
// In the table a deadline is counted from the earliest, which is 1; in both 0 is
// none.

const deadlineVersion = 12

// maxDeadline is the latest deadline that a field can have.
const maxDeadline = 1 << 53

// timed is v's hash and its earliest deadline; ok is false if it has none, or is
// something else.
func timed(v Value) (h *value.Hash, earliest int64, ok bool) {
	h, ok = v.Data.(*value.Hash)
	if ok {
		earliest, ok = h.NextDeadline()
	}
	return h, earliest, ok
}

func (e *Encoder) appendTimedHash(b []byte, v Value) []byte {
	h, earliest, _ := timed(v)
	b = appendLength(appendTime(b, earliest), uint64(h.Len()))
	for field, text := range h.All() {
		at, ok := h.Deadline(field)
		if ok {
			at -= earliest - 1
		}
		b = appendLength(b, uint64(at))
		b = e.appendText(e.appendText(b, field), text)
	}
	return b
}

func (e *Encoder) appendPackedTimedHash(b []byte, v Value) []byte {
	h, earliest, _ := timed(v)
	b = appendTime(b, earliest)
	e.beginListpack()
	var digits [20]byte
	for field, at := range h.Deadlines() {
		text, _ := h.Get([]byte(field))
		e.element([]byte(field))
		e.element(text)
		e.element(value.AppendInt(digits[:0], at))
	}
	for field, text := range h.All() {
		if _, ok := h.Deadline(field); !ok {
			e.element(field)
			e.element(text)
			e.element([]byte("0"))
		}
	}
	return e.appendListpack(b)
}

func (d *decoder) timedHash(typ byte) *value.Hash {
	h := value.NewHash(d.seed())
	limits := d.limits
	earliest := d.time()
	set := func(field, text []byte, at int64) {
		switch {
		case at < 0 || at > maxDeadline:
			d.fail(formatError("the deadline of field %.64q is %d", field, at))
		case !h.Set(&limits, field, text):
			d.fail(formatError("field %.64q stands twice", field))
		case at > 0:
			h.SetDeadline(field, at)
		}
	}
	if typ == typeHashTimedListpack {
		limits.HashMaxListpackValue = math.MaxInt
		d.triples(openListpack(d.text()), set)
		return h
	}
	for n := d.length(); n > 0 && d.err == nil; n-- {
		at := d.count(0)
		if at > 0 {
			at += earliest - 1
		}
		d.field = append(d.field[:0], d.text()...)
		if text := d.text(); d.err == nil {
			set(d.field, text, at)
		}
	}
	return h
}

// triples hands the elements of a listpack to fn three by three, the third of
// which is a number.
func (d *decoder) triples(blob *listpack, fn func(field, text []byte, at int64)) {
	var parts [2][]byte
	i := 0
	d.unpacked(blob, func(elem []byte) {
		if i < 2 {
			parts[i] = append(parts[i][:0], elem...)
			i++
			return
		}
		i = 0
		at, ok := value.ParseInt(elem)
		if !ok {
			at = -1
		}
		fn(parts[0], parts[1], at)
	})
	if i != 0 {
		d.fail(formatError("a field without value or deadline"))
	}
}

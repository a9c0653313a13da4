package value

import "slices"

// An array can be written as a log or as a ring: Insert and Ring write at the
// cursor, which then stands behind what was written.

// Inserts tells whether so many more values can be inserted before the indices
// are exhausted.
func (a *Array) Inserts(n int) bool { return uint64(n) <= MaxArrayIndex+1-a.next }

// Insert writes a text at the cursor and moves it on; Inserts has said that it
// can.
func (a *Array) Insert(text []byte) (index uint64) {
	index = a.next
	a.Set(index, text)
	a.next = index + 1
	return index
}

// Ring makes the array a ring of size slots and writes a text at its cursor, over
// the oldest one if the ring is full. Size must not be 0.
//
// A ring that has become smaller, or larger after it had gone round, is laid out
// anew: see renew.
func (a *Array) Ring(size uint64, text []byte) (index uint64) {
	n := a.Len()
	if size < n || size > n && a.next != 0 && a.next%size < n {
		a.renew(min(size, n))
	}
	index = a.next % size
	a.Set(index, text)
	a.next = index + 1
	return index
}

// renew keeps the last texts inserted, up to so many and up to the first slot that
// is not set, and puts them at 0, 1 and so on, the oldest first.
func (a *Array) renew(keep uint64) {
	var texts []string
	for i := a.Last(); uint64(len(texts)) < keep; i = a.Before(i, 1) {
		text, ok := a.Get(i)
		if !ok {
			break
		}
		texts = append(texts, stringOf(text))
	}
	*a = Array{}
	for _, text := range slices.Backward(texts) {
		a.put(a.next, text)
		a.next++
	}
}

// Last is the index that was inserted last: the one before the cursor, or the
// highest that is set if that one is not. The array must not be empty.
func (a *Array) Last() uint64 {
	if a.next > 0 {
		if _, ok := a.Get(a.next - 1); ok {
			return a.next - 1
		}
	}
	return a.Len() - 1
}

// Before is the index n slots before another, round the ring that the array's
// length makes; n is at most that length.
func (a *Array) Before(index, n uint64) uint64 {
	if n <= index {
		return index - n
	}
	return a.Len() - (n - index)
}

package value

import (
	"fmt"
	"slices"
)

// arraySliceSize is how many indices an array's slice spans.
const arraySliceSize = 4096

// arraySlice is what is set in one stretch of an array's indices.
type arraySlice struct {
	number  uint64   // of the stretch: its first index is number*arraySliceSize
	offsets []uint16 // of the slots that are set, rising
	texts   []string
}

func offsetOf(index uint64) uint16 { return uint16(index % arraySliceSize) }

// index is that of the i-th slot which is set.
func (s *arraySlice) index(i int) uint64 {
	return s.number*arraySliceSize + uint64(s.offsets[i])
}

// find is the place of an offset among those that are set, or where it would
// have to be put.
func (s *arraySlice) find(offset uint16) (i int, found bool) {
	n := len(s.offsets)
	if n == 0 || offset > s.offsets[n-1] {
		return n, false
	}
	if i := int(offset) - int(s.offsets[0]); i >= 0 && i < n && s.offsets[i] == offset {
		return i, true // no hole before it
	}
	return slices.BinarySearch(s.offsets, offset)
}

// within is which of the slots that are set have an index in lo..hi.
func (s *arraySlice) within(lo, hi uint64) (from, to int) {
	first := s.number * arraySliceSize
	to = len(s.offsets)
	if lo > first+(arraySliceSize-1) || hi < first {
		return to, to
	}
	if lo > first {
		from, _ = s.find(uint16(lo - first))
	}
	if hi < first+(arraySliceSize-1) {
		var found bool
		if to, found = s.find(uint16(hi - first)); found {
			to++
		}
	}
	return from, max(from, to)
}

// cut takes out the slots from..to-1, but not all of them.
func (s *arraySlice) cut(from, to int) {
	s.offsets = slices.Delete(s.offsets, from, to)
	s.texts = slices.Delete(s.texts, from, to)
	if n := len(s.texts); n < cap(s.texts)/4 {
		s.offsets = append(make([]uint16, 0, 2*n), s.offsets...)
		s.texts = append(make([]string, 0, 2*n), s.texts...)
	}
}

// dense tells whether there is no hole between the first slot and the last.
func (s *arraySlice) dense() bool {
	n := len(s.offsets)
	return int(s.offsets[n-1]-s.offsets[0]) == n-1
}

func (s *arraySlice) check() error {
	if len(s.offsets) == 0 || len(s.offsets) != len(s.texts) {
		return fmt.Errorf("array: slice %d has %d offsets of %d texts", s.number, len(s.offsets), len(s.texts))
	}
	for i, offset := range s.offsets {
		if offset >= arraySliceSize || i > 0 && offset <= s.offsets[i-1] {
			return fmt.Errorf("array: slice %d is out of order at its slot %d", s.number, i)
		}
	}
	return nil
}

// ArrayShape is how an array is made, for ARINFO.
type ArrayShape struct {
	Pages, Slices int
	SliceSize     int // indices in a slice
	Dense         int // slices without a hole between their first slot and their last
	DenseSlots    int // what is set in them
}

// Shape is how the array is made now.
func (a *Array) Shape() ArrayShape {
	shape := ArrayShape{Pages: len(a.pages), SliceSize: arraySliceSize}
	for _, page := range a.pages {
		shape.Slices += len(page)
		for i := range page {
			if page[i].dense() {
				shape.Dense++
				shape.DenseSlots += len(page[i].texts)
			}
		}
	}
	return shape
}

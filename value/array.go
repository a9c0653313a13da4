package value

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"sort"
)

// MaxArrayIndex is the last index of an array.
const MaxArrayIndex = math.MaxUint64 - 1

// Array is a sparse array of byte strings, with a cursor at which values are
// inserted.
//
// Idea: the indices are cut into slices of 4096. The slices that hold anything
// stand in pages, in order, and a slice keeps only the slots that are set, each
// with its offset, in order too.
//
// Invariant: no page and no slice is empty; pages, slices and offsets rise.
//
// Price: a slot that is set costs 18 bytes and its text, wherever it is; a slice
// with a single one about 100. Get and Set find the page, the slice and the slot
// by bisection (a slot among neighbours without holes at once), and Set in the
// middle moves at most the rest of a slice and of a page.
//
// Texts given out are read-only, and stay valid and unchanged for good. Those
// given in are copied.
type Array struct {
	pages  [][]arraySlice
	slices int
	count  int    // slots that are set
	bytes  int    // in their texts
	next   uint64 // where Insert writes; 0: nothing was inserted yet
}

// arrayPageMax is the number of slices at which a page is cut in two.
const arrayPageMax = 128

// NewArray returns an empty array.
func NewArray() *Array { return new(Array) }

// Count is the number of slots that are set.
func (a *Array) Count() int { return a.count }

// Len is the highest index that is set, and one more; 0 if none is.
func (a *Array) Len() uint64 {
	if a.count == 0 {
		return 0
	}
	page := a.pages[len(a.pages)-1]
	s := &page[len(page)-1]
	return s.index(len(s.offsets)-1) + 1
}

// Next is the index at which Insert writes. MaxArrayIndex+1 means that there is
// none left, 0 that nothing was inserted yet, or that Seek said so.
func (a *Array) Next() uint64 { return a.next }

// Seek sets Next.
func (a *Array) Seek(next uint64) { a.next = next }

// Get is the text at an index; ok is false if none was set.
func (a *Array) Get(index uint64) (text []byte, ok bool) {
	p, s, found := a.find(index / arraySliceSize)
	if !found {
		return nil, false
	}
	slice := &a.pages[p][s]
	i, found := slice.find(offsetOf(index))
	if !found {
		return nil, false
	}
	return bytesOf(slice.texts[i]), true
}

// Set gives an index a text; added tells that it had none.
func (a *Array) Set(index uint64, text []byte) (added bool) {
	return a.put(index, string(text))
}

func (a *Array) put(index uint64, text string) (added bool) {
	p, s, found := a.find(index / arraySliceSize)
	if !found {
		p, s = a.addSlice(p, s, index/arraySliceSize)
	}
	slice := &a.pages[p][s]
	offset := offsetOf(index)
	i, found := slice.find(offset)
	a.bytes += len(text)
	if found {
		a.bytes -= len(slice.texts[i])
		slice.texts[i] = text
		return false
	}
	slice.offsets = slices.Insert(slice.offsets, i, offset)
	slice.texts = slices.Insert(slice.texts, i, text)
	a.count++
	return true
}

// Delete clears a slot and tells whether it was set.
func (a *Array) Delete(index uint64) bool { return a.DeleteRange(index, index) > 0 }

// DeleteRange clears the slots lo..hi and answers how many were set.
func (a *Array) DeleteRange(lo, hi uint64) (deleted int) {
	p, s, _ := a.find(lo / arraySliceSize)
	for p < len(a.pages) {
		if s == len(a.pages[p]) {
			p, s = p+1, 0
			continue
		}
		slice := &a.pages[p][s]
		from, to := slice.within(lo, hi)
		for _, text := range slice.texts[from:to] {
			a.bytes -= len(text)
		}
		deleted += to - from
		switch {
		case slice.index(0) > hi:
			a.count -= deleted
			return deleted
		case to-from < len(slice.texts):
			slice.cut(from, to)
			s++
		default:
			p, s = a.dropSlices(p, s, hi, &deleted)
		}
	}
	a.count -= deleted
	return deleted
}

// All yields the slots lo..hi that are set, in order.
func (a *Array) All(lo, hi uint64) iter.Seq2[uint64, []byte] {
	return func(yield func(index uint64, text []byte) bool) {
		p, s, _ := a.find(lo / arraySliceSize)
		for ; p < len(a.pages); p, s = p+1, 0 {
			for ; s < len(a.pages[p]); s++ {
				slice := &a.pages[p][s]
				from, to := slice.within(lo, hi)
				for i := from; i < to; i++ {
					if !yield(slice.index(i), bytesOf(slice.texts[i])) {
						return
					}
				}
				if slice.index(0) > hi {
					return
				}
			}
		}
	}
}

// Backward is All from the highest index down.
func (a *Array) Backward(lo, hi uint64) iter.Seq2[uint64, []byte] {
	return func(yield func(index uint64, text []byte) bool) {
		p, s, found := a.find(hi / arraySliceSize)
		if found {
			s++
		}
		for {
			if s == 0 {
				if p--; p < 0 {
					return
				}
				s = len(a.pages[p])
			}
			s--
			slice := &a.pages[p][s]
			from, to := slice.within(lo, hi)
			for i := to - 1; i >= from; i-- {
				if !yield(slice.index(i), bytesOf(slice.texts[i])) {
					return
				}
			}
			if from > 0 || slice.number < lo/arraySliceSize {
				return
			}
		}
	}
}

// CountRange is the number of slots lo..hi that are set.
func (a *Array) CountRange(lo, hi uint64) (n int) {
	p, s, _ := a.find(lo / arraySliceSize)
	for ; p < len(a.pages); p, s = p+1, 0 {
		for ; s < len(a.pages[p]); s++ {
			slice := &a.pages[p][s]
			if slice.index(0) > hi {
				return n
			}
			from, to := slice.within(lo, hi)
			n += to - from
		}
	}
	return n
}

// find is where a slice is, or where it would have to be put: its page and its
// place there, which may be behind the last.
func (a *Array) find(number uint64) (p, s int, found bool) {
	p = sort.Search(len(a.pages), func(i int) bool { return a.pages[i][0].number > number }) - 1
	if p < 0 {
		return 0, 0, false
	}
	page := a.pages[p]
	s = sort.Search(len(page), func(i int) bool { return page[i].number >= number })
	return p, s, s < len(page) && page[s].number == number
}

// addSlice puts an empty slice where find has said, and answers where it stands.
func (a *Array) addSlice(p, s int, number uint64) (int, int) {
	switch {
	case len(a.pages) == 0:
		a.pages = [][]arraySlice{nil}
	case len(a.pages[p]) < arrayPageMax:
	case s == arrayPageMax:
		p, s = p+1, 0
		a.pages = slices.Insert(a.pages, p, nil)
	default:
		const half = arrayPageMax / 2
		rest := slices.Clone(a.pages[p][half:])
		clear(a.pages[p][half:])
		a.pages[p] = a.pages[p][:half]
		a.pages = slices.Insert(a.pages, p+1, rest)
		if s > half {
			p, s = p+1, s-half
		}
	}
	a.pages[p] = slices.Insert(a.pages[p], s, arraySlice{number: number})
	a.slices++
	return p, s
}

// dropSlices takes out a slice, whose texts were counted, and those behind it in
// its page that lie wholly before hi; whole pages at once. It answers what stands
// in their place.
func (a *Array) dropSlices(p, s int, hi uint64, deleted *int) (int, int) {
	page, end := a.pages[p], s+1
	for ; end < len(page) && page[end].number < hi/arraySliceSize; end++ {
		*deleted += len(page[end].texts)
		for _, text := range page[end].texts {
			a.bytes -= len(text)
		}
	}
	a.slices -= end - s
	if page = slices.Delete(page, s, end); len(page) > 0 {
		if len(page) < cap(page)/4 {
			page = slices.Clone(page)
		}
		a.pages[p] = page
		return p, s
	}
	last := p + 1
	for ; last < len(a.pages) && a.pages[last][len(a.pages[last])-1].number < hi/arraySliceSize; last++ {
		a.slices -= len(a.pages[last])
		for i := range a.pages[last] {
			*deleted += len(a.pages[last][i].texts)
			for _, text := range a.pages[last][i].texts {
				a.bytes -= len(text)
			}
		}
	}
	a.pages = slices.Delete(a.pages, p, last)
	return p, 0
}

// Encoding is OBJECT ENCODING's answer.
func (a *Array) Encoding() string { return "sliced-array" }

// Clone is an independent copy.
func (a *Array) Clone() *Array {
	c := *a
	c.pages = make([][]arraySlice, len(a.pages))
	for p, page := range a.pages {
		c.pages[p] = slices.Clone(page)
		for s := range page {
			c.pages[p][s].offsets = slices.Clone(page[s].offsets)
			c.pages[p][s].texts = slices.Clone(page[s].texts)
		}
	}
	return &c
}

// MemoryUsage is about the bytes in use.
func (a *Array) MemoryUsage() int {
	const header, pageHeader, sliceHeader, slot, lost = 72, 24, 56, 18, 8
	return header + a.bytes + a.count*(slot+lost) + a.slices*sliceHeader + len(a.pages)*pageHeader
}

// Check verifies the array's structure.
func (a *Array) Check() error {
	count, size, least := 0, 0, uint64(0)
	for p, page := range a.pages {
		if len(page) == 0 || len(page) > arrayPageMax {
			return fmt.Errorf("array: page %d has %d slices", p, len(page))
		}
		for i := range page {
			s := &page[i]
			if s.number < least {
				return fmt.Errorf("array: slice %d of page %d is out of order", i, p)
			}
			least = s.number + 1
			if err := s.check(); err != nil {
				return err
			}
			count += len(s.texts)
			for _, text := range s.texts {
				size += len(text)
			}
		}
	}
	if shape := a.Shape(); shape.Slices != a.slices {
		return fmt.Errorf("array: %d slices, %d counted", shape.Slices, a.slices)
	}
	if count != a.count || size != a.bytes {
		return fmt.Errorf("array: %d slots of %d bytes, counted %d of %d", count, size, a.count, a.bytes)
	}
	return nil
}

package engine

// partialSort puts those elements of list that belong at the places from..to into
// them, in order; the others stand somewhere. It is Bentley and McIlroy's
// quicksort ("Engineering a sort function", 1993), which leaves parts alone that
// do not touch these places. It is not stable: which of several equal elements
// comes first follows from its every step, and Redis sorts so.
func partialSort[T any](list []T, from, to int, compare func(x, y T) int) {
	s := partialSorter[T]{list, from, to, compare}
	s.sort(0, len(list))
}

type partialSorter[T any] struct {
	list     []T
	from, to int
	compare  func(x, y T) int
}

func (s *partialSorter[T]) compareAt(i, j int) int { return s.compare(s.list[i], s.list[j]) }

func (s *partialSorter[T]) swap(i, j int) { s.list[i], s.list[j] = s.list[j], s.list[i] }

// swapRuns exchanges n elements from i on with those from j on.
func (s *partialSorter[T]) swapRuns(i, j, n int) {
	for ; n > 0; i, j, n = i+1, j+1, n-1 {
		s.swap(i, j)
	}
}

// sort is for the part lo..hi-1.
func (s *partialSorter[T]) sort(lo, hi int) {
	for hi-lo >= 7 {
		below, above := s.partition(lo, hi)
		if n := below; n > 1 && s.wanted(lo, lo+n) {
			s.sort(lo, lo+n)
		}
		lo = hi - above
		if above <= 1 || !s.wanted(lo, hi) {
			return
		}
	}
	for i := lo + 1; i < hi; i++ {
		for j := i; j > lo && s.compareAt(j-1, j) > 0; j-- {
			s.swap(j, j-1)
		}
	}
}

// wanted tells whether the part lo..hi-1 holds any place that counts.
func (s *partialSorter[T]) wanted(lo, hi int) bool { return s.to >= lo && s.from < hi }

// partition puts what is less than a pivot first, then what equals it, then the
// rest, and answers how many are less and how many are more.
func (s *partialSorter[T]) partition(lo, hi int) (below, above int) {
	s.swap(lo, s.pivot(lo, hi))
	// Equal elements gather at both ends first: lo..a-1 and d+1..hi-1.
	a, b := lo+1, lo+1
	c, d := hi-1, hi-1
	for {
		for ; b <= c; b++ {
			r := s.compareAt(b, lo)
			if r > 0 {
				break
			}
			if r == 0 {
				s.swap(a, b)
				a++
			}
		}
		for ; b <= c; c-- {
			r := s.compareAt(c, lo)
			if r < 0 {
				break
			}
			if r == 0 {
				s.swap(c, d)
				d--
			}
		}
		if b > c {
			break
		}
		s.swap(b, c)
		b, c = b+1, c-1
	}
	n := min(a-lo, b-a)
	s.swapRuns(lo, b-n, n)
	n = min(d-c, hi-d-1)
	s.swapRuns(b, hi-n, n)
	return b - a, d - c
}

// pivot is the middle of three elements, each the middle of three if there are many.
func (s *partialSorter[T]) pivot(lo, hi int) int {
	n := hi - lo
	first, middle, last := lo, lo+n/2, hi-1
	if n <= 7 {
		return middle
	}
	if n > 40 {
		d := n / 8
		first = s.median(first, first+d, first+2*d)
		middle = s.median(middle-d, middle, middle+d)
		last = s.median(last-2*d, last-d, last)
	}
	return s.median(first, middle, last)
}

func (s *partialSorter[T]) median(i, j, k int) int {
	switch {
	case s.compareAt(i, j) < 0 && s.compareAt(j, k) < 0, s.compareAt(i, j) >= 0 && s.compareAt(j, k) > 0:
		return j
	case s.compareAt(i, j) < 0:
		if s.compareAt(i, k) < 0 {
			return k
		}
		return i
	}
	if s.compareAt(i, k) < 0 {
		return i
	}
	return k
}

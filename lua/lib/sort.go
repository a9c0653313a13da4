package lib

// sorter sorts a table in place.
//
// The order of equal elements, and what an inconsistent order function leads
// to, is visible to scripts; so this is the very quicksort of Lua 5.1: the
// median of the first, middle and last element is the pivot, the smaller part
// is sorted first.
type sorter struct {
	c    *Call
	t    Map
	less Value
	pair [2]Value
}

func tableSort(c *Call) {
	t := c.Table(1)
	n := t.Len()
	if !c.Missing(2) {
		c.Func(2)
	}
	s := sorter{c: c, t: c.Writable(1), less: c.Arg(2)}
	s.sort(1, n)
}

func (s *sorter) before(a, b Value) bool {
	s.c.Work(1)
	if s.less.Kind == Closure {
		s.pair = [2]Value{a, b}
		return s.c.First(s.less, s.pair[:]...).Truth()
	}
	if a.Kind == Number && b.Kind == Number {
		return a.Num < b.Num
	}
	return s.c.Less(a, b)
}

// order makes elements i <= j come in order and returns them.
func (s *sorter) order(i, j int) {
	a, b := s.t.Index(i), s.t.Index(j)
	if s.before(b, a) {
		s.t.SetIndex(i, b)
		s.t.SetIndex(j, a)
	}
}

func (s *sorter) swap(i, j int) {
	a, b := s.t.Index(i), s.t.Index(j)
	s.t.SetIndex(i, b)
	s.t.SetIndex(j, a)
}

func (s *sorter) sort(low, high int) {
	for low < high {
		s.order(low, high)
		if high-low == 1 {
			return
		}
		mid := int(uint(low+high) / 2)
		if m, l := s.t.Index(mid), s.t.Index(low); s.before(m, l) {
			s.t.SetIndex(mid, l)
			s.t.SetIndex(low, m)
		} else {
			s.order(mid, high)
		}
		if high-low == 2 {
			return
		}
		mid = s.partition(low, high, mid)
		if mid-low < high-mid {
			s.sort(low, mid-1)
			low = mid + 1
		} else {
			s.sort(mid+1, high)
			high = mid - 1
		}
	}
}

// partition puts the pivot, element mid, in its final place and returns that.
func (s *sorter) partition(low, high, mid int) int {
	pivot := s.t.Index(mid)
	s.swap(mid, high-1)
	i, j := low, high-1
	for {
		for i++; s.before(s.t.Index(i), pivot); i++ {
			if i > high {
				s.invalid()
			}
		}
		for j--; s.before(pivot, s.t.Index(j)); j-- {
			if j < low {
				s.invalid()
			}
		}
		if j < i {
			break
		}
		s.swap(i, j)
	}
	s.swap(high-1, i)
	return i
}

func (s *sorter) invalid() { s.c.Errorf("invalid order function for sorting") }

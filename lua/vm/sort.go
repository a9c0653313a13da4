package vm

import "minikv/lua/lib"

// sorter sorts a table in place.
//
// The order of equal elements, and what an inconsistent order function leads
// to, is visible to scripts; so this is the very quicksort of Lua 5.1: the
// median of the first, middle and last element is the pivot, the smaller part
// is sorted first. While the table's array holds all elements they are read
// from there.
type sorter struct {
	t    *Thread
	h    *Table
	less Value
	at   int // where on the stack the order function is called
}

func tableSort(c Call) int {
	h := c.table(1)
	n := h.Len()
	less := c.Arg(2)
	if less.p != nil && !less.isFunction() {
		c.typeError(2, "function")
	}
	c.writable(1)
	s := sorter{t: c.t, h: h, less: less, at: c.at + c.n + 1}
	s.sort(1, n)
	return 0
}

func (s *sorter) before(a, b Value) bool {
	if s.t.vm.steps--; s.t.vm.steps < 0 {
		s.t.vm.poll()
	}
	if s.less.p == nil {
		if a.isNumber() && b.isNumber() {
			return a.num() < b.num()
		}
		return s.t.less(a, b)
	}
	t, at := s.t, s.at
	t.reach(at + 3)
	t.stack[at], t.stack[at+1], t.stack[at+2] = s.less, a, b
	return t.settle(t.run(at, 2)) > 0 && t.stack[at].Truth()
}

func (s *sorter) get(i int) Value    { return s.h.getInt(i) }
func (s *sorter) set(i int, v Value) { s.h.setInt(i, v) }

// order makes elements i and j come in order.
func (s *sorter) order(i, j int) {
	if a, b := s.get(i), s.get(j); s.before(b, a) {
		s.set(i, b)
		s.set(j, a)
	}
}

func (s *sorter) sort(low, high int) {
	for low < high {
		s.order(low, high)
		if high-low == 1 {
			return
		}
		mid := int(uint(low+high) / 2)
		if m, l := s.get(mid), s.get(low); s.before(m, l) {
			s.set(mid, l)
			s.set(low, m)
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

func (s *sorter) swap(i, j int) {
	a, b := s.get(i), s.get(j)
	s.set(i, b)
	s.set(j, a)
}

// partition puts the pivot, element mid, in its final place and returns that.
func (s *sorter) partition(low, high, mid int) int {
	pivot := s.get(mid)
	s.swap(mid, high-1)
	i, j := low, high-1
	for {
		for i++; s.before(s.get(i), pivot); i++ {
			if i > high {
				s.invalid()
			}
		}
		for j--; s.before(pivot, s.get(j)); j-- {
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

func (s *sorter) invalid() {
	(Call{s.t, s.at, 0}).library(func(l *lib.Call) { l.Errorf("invalid order function for sorting") })
}

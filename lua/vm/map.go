package vm

import "minikv/lua/lib"

// A Table is a lib.Map.
var _ lib.Map = (*Table)(nil)

func (t *Table) Get(key lib.Value) lib.Value { return t.get(fromLib(key)).toLib() }
func (t *Table) Set(key, v lib.Value)        { t.set(fromLib(key), fromLib(v)) }
func (t *Table) Index(i int) lib.Value       { return t.getInt(i).toLib() }

func (t *Table) SetIndex(i int, v lib.Value) { t.setInt(i, fromLib(v)) }

func (t *Table) Next(key lib.Value) (k, v lib.Value, more bool) {
	at := t.place(fromLib(key))
	if at < 0 {
		return k, v, false
	}
	x, y, _ := t.after(at)
	return x.toLib(), y.toLib(), x.p != nil
}

// After returns the first pair from a place on and the place behind it.
func (t *Table) After(place int) (k, v lib.Value, next int) {
	x, y, next := t.after(place)
	return x.toLib(), y.toLib(), next
}

func (t *Table) Insert(i int, v lib.Value) { t.shiftUp(i, t.Len(), fromLib(v)) }

func (t *Table) Remove(i int) { t.shiftDown(i, t.Len()) }

// shiftUp puts v at i, after moving the elements from i to n up by one.
func (t *Table) shiftUp(i, n int, v Value) {
	t.setInt(n+1, t.getInt(n))
	if i >= 1 && n <= len(t.array) && n > i {
		copy(t.array[i:n], t.array[i-1:n-1])
	} else {
		for j := n; j > i; j-- {
			t.setInt(j, t.getInt(j-1))
		}
	}
	t.setInt(i, v)
}

// shiftDown removes element i of n.
func (t *Table) shiftDown(i, n int) {
	if i >= 1 && n <= len(t.array) {
		copy(t.array[i-1:n-1], t.array[i:n])
	} else {
		for ; i < n; i++ {
			t.setInt(i, t.getInt(i+1))
		}
	}
	t.setInt(n, Value{})
}

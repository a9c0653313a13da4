package vm

import (
	"math"
	"math/bits"
	"unsafe"
)

// Table is a Lua table: an array of the keys 1 to n, and nodes for all others.
//
// Idea: scripts see the order of the nodes, in pairs and in everything that is
// written from a table, and they see which border # finds. So the layout is
// that of Redis's Lua: a key belongs at the node that its hash names (its main
// place); if another key is there that does not belong there, that one moves to
// a free node, else the new key takes the free node and is linked behind. Free
// nodes are handed out from the end and never searched for again; when there is
// none left, all keys are counted anew and the array gets the largest size that
// is more than half full.
//
// Invariant: a key is on the list that begins at its main place. Removed keys
// keep their nodes until the next recount.
type Table struct {
	array    []Value
	nodes    []node
	mask     uint32 // len(nodes)-1
	free     int32  // nodes from here on are not free
	readOnly bool
	absent   uint32 // metamethods known to be absent, see event
	id       uint32
	round    uint32 // of the last count of memory
	meta     *Table
}

type node struct {
	key, val Value
	next     int32 // index of the next node of the list plus one
}

// noNodes are the nodes of a table without any; it is never written.
var noNodes = make([]node, 1)

// NewTable makes a table with room for so many elements and pairs.
func NewTable(elements, pairs int) *Table {
	t := &Table{nodes: noNodes}
	if elements > 0 {
		t.array = make([]Value, elements)
	}
	if pairs > 0 {
		t.setNodes(pairs)
	}
	return t
}

const (
	maxArray = 1 << 26
	maxNodes = 1 << 24
)

// setNodes makes new, empty nodes for n keys.
func (t *Table) setNodes(n int) {
	if n == 0 {
		t.nodes, t.mask, t.free = noNodes, 0, 0
		return
	}
	size := 1 << bits.Len(uint(n-1))
	if size > maxNodes {
		panic(outOfMemory)
	}
	t.nodes, t.mask, t.free = make([]node, size), uint32(size-1), int32(size)
}

func (t *Table) hasNodes() bool { return &t.nodes[0] != &noNodes[0] }

// mainPlace returns the node at which a key belongs.
func (t *Table) mainPlace(k Value) uint32 {
	switch {
	case k.isNumber():
		return t.numberPlace(k.n)
	case k.isString():
		return hashString(k.str()) & t.mask
	}
	var id uint32
	switch k.n {
	case tagBool:
		if k.Truth() {
			return 1 & t.mask
		}
		return 0
	case tagTable:
		id = k.table().identity()
	case tagFunction:
		id = k.function().identity()
	case tagThread:
		id = k.thread().identity()
	}
	return id % (t.mask | 1)
}

func (t *Table) numberPlace(n uint64) uint32 {
	if n<<1 == 0 { // 0 and -0
		return 0
	}
	return (uint32(n) + uint32(n>>32)) % (t.mask | 1)
}

// findString returns the value of a string key, or nil if it has no node.
func (t *Table) findString(k Value, hash uint32) *Value {
	for i := hash & t.mask; ; {
		n := &t.nodes[i]
		if n.key.n == k.n && (n.key.p == k.p || n.key.str() == k.str()) {
			return &n.val
		}
		if n.next == 0 {
			return nil
		}
		i = uint32(n.next - 1)
	}
}

// find returns the value of a key in the nodes, or nil if it has no node.
func (t *Table) find(k Value) *Value {
	for i := t.mainPlace(k); ; {
		n := &t.nodes[i]
		if rawEqual(n.key, k) {
			return &n.val
		}
		if n.next == 0 {
			return nil
		}
		i = uint32(n.next - 1)
	}
}

func (t *Table) findNumber(n float64) *Value { return t.findBits(math.Float64bits(n)) }

func (t *Table) findBits(b uint64) *Value {
	for i := t.numberPlace(b); ; {
		n := &t.nodes[i]
		if n.key.isNumber() && (n.key.n == b || n.key.n<<1 == 0 && b<<1 == 0) {
			return &n.val
		}
		if n.next == 0 {
			return nil
		}
		i = uint32(n.next - 1)
	}
}

// get returns t[k], without metamethods.
func (t *Table) get(k Value) Value {
	if p := t.slot(k); p != nil {
		return *p
	}
	return Value{}
}

// slot returns where t[k] is kept, or nil if there is no place for it yet.
func (t *Table) slot(k Value) *Value {
	switch {
	case k.isNumber():
		n := k.num()
		if i := int(n); float64(i) == n && uint(i-1) < uint(len(t.array)) {
			return &t.array[i-1]
		}
		if n != n {
			return nil
		}
		return t.findBits(k.n)
	case k.isString():
		return t.findString(k, hashString(k.str()))
	case k.p == nil:
		return nil
	}
	return t.find(k)
}

func (t *Table) getInt(i int) Value {
	if uint(i-1) < uint(len(t.array)) {
		return t.array[i-1]
	}
	if p := t.findNumber(float64(i)); p != nil {
		return *p
	}
	return Value{}
}

func (t *Table) setInt(i int, v Value) {
	if uint(i-1) < uint(len(t.array)) {
		t.array[i-1] = v
		return
	}
	t.set(number(float64(i)), v)
}

// set stores t[k] = v, without metamethods; k is neither nil nor NaN.
func (t *Table) set(k, v Value) {
	t.absent = 0
	if p := t.slot(k); p != nil {
		*p = v
		return
	}
	*t.insert(k) = v
}

// Get, Set and their kin are raw.

// Field returns t[name].
func (t *Table) Field(name string) Value { return t.get(String(name)) }

// SetField stores t[name] = v.
func (t *Table) SetField(name string, v Value) { t.set(String(name), v) }

// Element returns t[i].
func (t *Table) Element(i int) Value { return t.getInt(i) }

// SetElement stores t[i] = v.
func (t *Table) SetElement(i int, v Value) { t.setInt(i, v) }

// SetPair stores t[k] = v, unless k cannot be a key.
func (t *Table) SetPair(k, v Value) {
	if k.p == nil || k.isNumber() && k.num() != k.num() {
		return
	}
	t.set(k, v)
}

// insert makes room for a key that has none and returns its place.
func (t *Table) insert(k Value) *Value {
	at := t.mainPlace(k)
	n := &t.nodes[at]
	if n.val.p != nil || !t.hasNodes() {
		free := t.takeFree()
		if free < 0 {
			t.recount(k)
			if p := t.slot(k); p != nil {
				return p
			}
			return t.insert(k)
		}
		other := &t.nodes[free]
		if home := t.mainPlace(n.key); home != at {
			before := &t.nodes[home]
			for before.next != int32(at)+1 {
				before = &t.nodes[before.next-1]
			}
			before.next = int32(free) + 1
			*other = *n
			n.next, n.val = 0, Value{}
		} else {
			other.next = n.next
			n.next = int32(free) + 1
			n = other
		}
	}
	n.key = k
	return &n.val
}

// takeFree returns a node that never had a key, or -1.
func (t *Table) takeFree() int {
	if !t.hasNodes() {
		return -1
	}
	for t.free > 0 {
		t.free--
		if t.nodes[t.free].key.p == nil {
			return int(t.free)
		}
	}
	return -1
}

// counts says how many integer keys lie in (2^(i-1), 2^i].
type counts [27]int

func (c *counts) add(k Value) int {
	if !k.isNumber() {
		return 0
	}
	n := k.num()
	if !(n >= 1 && n <= maxArray) || n != math.Floor(n) {
		return 0
	}
	c[bits.Len(uint(n)-1)]++
	return 1
}

// recount finds the best sizes for all keys and one more.
func (t *Table) recount(extra Value) {
	var c counts
	integers, total := 0, 1
	for i, low := 0, 0; low < len(t.array); i++ {
		high := min(1<<i, len(t.array))
		for _, v := range t.array[low:high] {
			if v.p != nil {
				c[i]++
				integers++
			}
		}
		low = high
	}
	total += integers
	for i := range t.nodes {
		if n := &t.nodes[i]; n.val.p != nil {
			integers += c.add(n.key)
			total++
		}
	}
	integers += c.add(extra)
	size, inArray := c.arraySize(integers)
	t.resize(size, total-inArray)
}

// arraySize returns the largest power of two such that more than half of the
// array is in use, and how many keys go there.
func (c *counts) arraySize(integers int) (size, inArray int) {
	sum := 0
	for i, power := 0, 1; i < len(c) && power/2 < integers; i, power = i+1, power*2 {
		if c[i] == 0 {
			continue
		}
		if sum += c[i]; sum > power/2 {
			size, inArray = power, sum
		}
		if sum == integers {
			break
		}
	}
	return size, inArray
}

// resize gives the table an array of a size and nodes for so many pairs.
func (t *Table) resize(elements, pairs int) {
	if elements > maxArray {
		panic(outOfMemory)
	}
	oldNodes, had := t.nodes, t.hasNodes()
	oldArray := t.array
	t.setNodes(pairs)
	if elements > len(oldArray) {
		t.array = make([]Value, elements)
		copy(t.array, oldArray)
	} else if elements < len(oldArray) {
		t.array = oldArray[:elements:elements]
		for i := elements; i < len(oldArray); i++ {
			if v := oldArray[i]; v.p != nil {
				t.setInt(i+1, v)
			}
		}
	}
	if !had {
		return
	}
	for i := len(oldNodes) - 1; i >= 0; i-- {
		if n := &oldNodes[i]; n.val.p != nil {
			if p := t.slot(n.key); p != nil {
				*p = n.val
			} else {
				*t.insert(n.key) = n.val
			}
		}
	}
}

// resizeArray makes the array longer.
func (t *Table) resizeArray(n int) {
	size := 0
	if t.hasNodes() {
		size = len(t.nodes)
	}
	t.resize(n, size)
}

// Len returns a border: n with t[n] ~= nil and t[n+1] == nil.
func (t *Table) Len() int {
	j := len(t.array)
	if j > 0 && t.array[j-1].p == nil {
		i := 0
		for array := t.array; j-i > 1; {
			if m := int(uint(i+j) / 2); array[m-1].p == nil {
				j = m
			} else {
				i = m
			}
		}
		return i
	}
	if !t.hasNodes() {
		return j
	}
	i := j
	for j++; t.getInt(j).p != nil; {
		i = j
		if j *= 2; j > math.MaxInt32 {
			for i = 1; t.getInt(i).p != nil; i++ {
			}
			return i - 1
		}
	}
	for j-i > 1 {
		if m := (i + j) / 2; t.getInt(m).p == nil {
			j = m
		} else {
			i = m
		}
	}
	return i
}

// place returns where in the order of the table a key is, counted from 1; -1 if
// it has no place.
func (t *Table) place(k Value) int {
	if k.p == nil {
		return 0
	}
	if k.isNumber() {
		n := k.num()
		if i := int(n); float64(i) == n && uint(i-1) < uint(len(t.array)) {
			return i
		}
	}
	p := t.slot(k)
	if p == nil {
		return -1
	}
	offset := uintptr(unsafe.Pointer(p)) - uintptr(unsafe.Pointer(&t.nodes[0]))
	return len(t.array) + int(offset/unsafe.Sizeof(node{})) + 1
}

// after returns the first pair from a place on, and the place behind it; k is
// nil behind the last one.
func (t *Table) after(place int) (k, v Value, next int) {
	for array := t.array; place < len(array); place++ {
		if v := array[place]; v.p != nil {
			return number(float64(place + 1)), v, place + 1
		}
	}
	i := place - len(t.array)
	for rest := t.nodes[i:]; len(rest) >= 4; rest = rest[4:] { // over what is deleted, quickly
		if rest[0].val.p != nil || rest[1].val.p != nil || rest[2].val.p != nil || rest[3].val.p != nil {
			break
		}
		i += 4
	}
	for nodes := t.nodes; i < len(nodes); i++ {
		if n := &nodes[i]; n.val.p != nil {
			return n.key, n.val, len(t.array) + i + 1
		}
	}
	return Value{}, Value{}, len(t.array) + len(t.nodes)
}

// Pairs calls f with each pair, in order.
func (t *Table) Pairs(f func(k, v Value)) {
	for k, v, next := t.after(0); k.p != nil; k, v, next = t.after(next) {
		f(k, v)
	}
}

// ReadOnly makes the table one that scripts cannot change.
func (t *Table) ReadOnly() { t.readOnly = true }

// SetMeta gives the table a metatable.
func (t *Table) SetMeta(mt *Table) { t.meta = mt }

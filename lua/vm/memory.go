package vm

import (
	"math"
	"strconv"
	"unsafe"
)

// meter accounts for the memory of a run.
//
// Idea: what a run makes is added up as it is made; of what it lets go nothing
// is known. So when the sum passes the limit, all that can still be reached is
// counted, and only if that is too much the run fails. That is done a sixteenth
// of the limit later than it could be, so that counting costs little even close
// to the limit. What a library function makes cannot be reached before it
// returns, and is added.
//
// What is counted is about what the objects take in Go. A string is counted
// where it is made, once; a part of a string keeps all of it.
type meter struct {
	used  int // found by the last count, and made since
	next  int // when used is more, it is time to count
	held  int // made by library functions that are running
	limit int
	round uint32 // of the last count; what carries it has been counted
	texts map[unsafe.Pointer]struct{}
	queue []Value
}

// What objects take.
const (
	tableSize    = 96
	nodeSize     = int(unsafe.Sizeof(node{}))
	valueSize    = int(unsafe.Sizeof(Value{}))
	functionSize = 80
	upvalueSize  = 32
	threadSize   = 160
	frameSize    = int(unsafe.Sizeof(frame{}))
	stringSize   = 16
)

// limitError is raised when a run has more memory than it may.
type limitError struct{ limit int }

func (e limitError) text() string {
	return "script memory limit exceeded: a script may use about " + strconv.Itoa(e.limit) + " bytes (lua-memory-limit)"
}

// SetMemoryLimit bounds the memory of each run from now on; 0 does not.
func (vm *VM) SetMemoryLimit(bytes int) {
	vm.memory.limit = bytes
	vm.memory.restart()
}

func (m *meter) restart() {
	m.used, m.held, m.next = 0, 0, m.limit+m.limit/16
	if m.limit <= 0 {
		m.next = math.MaxInt
	}
}

// Charge accounts for n bytes that a run has made, or is about to make.
func (vm *VM) Charge(n int) {
	if vm.memory.used += n; vm.memory.used > vm.memory.next {
		vm.measure(n)
	}
}

// hold accounts for n bytes that a library function makes.
func (vm *VM) hold(n int) {
	vm.Charge(n)
	vm.memory.held += n
}

// room refuses n bytes at once that are more than a run may have.
func (vm *VM) room(n int) {
	if m := &vm.memory; m.limit > 0 && n > m.limit {
		panic(limitError{m.limit})
	}
}

// measure counts what is in use and fails if n more is too much.
func (vm *VM) measure(n int) {
	m := &vm.memory
	if m.limit <= 0 {
		m.restart()
		return
	}
	m.used = vm.reachable() + m.held
	if m.used+n > m.limit {
		panic(limitError{m.limit})
	}
	m.used += n
}

// reachable adds up all objects of the run.
func (vm *VM) reachable() int {
	m := &vm.memory
	m.round++
	m.texts = map[unsafe.Pointer]struct{}{}
	m.queue = append(m.queue[:0], threadValue(vm.main), threadValue(vm.running))
	sum := 0
	for len(m.queue) > 0 {
		v := m.queue[len(m.queue)-1]
		m.queue = m.queue[:len(m.queue)-1]
		n := m.object(v)
		vm.work(1 + n>>10)
		sum += n
	}
	m.texts = nil
	if cap(m.queue) > 1<<12 {
		m.queue = nil
	}
	return sum
}

// object counts one object, unless it has been, and queues what it leads to.
func (m *meter) object(v Value) int {
	switch v.n {
	case tagTable:
		t := v.table()
		if t.readOnly || t.round == m.round {
			return 0
		}
		t.round = m.round
		return m.table(t)
	case tagFunction:
		f := v.function()
		if f.round == m.round {
			return 0
		}
		f.round = m.round
		return m.function(f)
	case tagThread:
		t := v.thread()
		if t.round == m.round {
			return 0
		}
		t.round = m.round
		n := threadSize + len(t.stack)*valueSize + len(t.frames)*frameSize
		return n + m.values(t.stack[:min(len(t.stack), t.high+slack)])
	}
	return 0
}

func (m *meter) table(t *Table) int {
	n := tableSize + m.values(t.array)
	n += (cap(t.array)) * valueSize
	if t.hasNodes() {
		n += len(t.nodes) * nodeSize
		for i := range t.nodes {
			if x := &t.nodes[i]; x.val.p != nil {
				n += m.value(x.key) + m.value(x.val)
			}
		}
	}
	if t.meta != nil {
		m.queue = append(m.queue, TableValue(t.meta))
	}
	return n
}

func (m *meter) function(f *Function) int {
	n := functionSize
	for _, u := range f.upvalues {
		n += upvalueSize + m.value(*u.p)
	}
	if p := f.proto; p != nil && p.round != m.round {
		p.round = m.round
		n += p.size() + m.value(String(p.Chunk))
	}
	return n
}

func (m *meter) values(list []Value) (n int) {
	for _, v := range list {
		n += m.value(v)
	}
	return n
}

// value counts a string and queues an object.
func (m *meter) value(v Value) int {
	switch {
	case v.isString():
		n := int(v.n & lengthMask)
		if n > 64 {
			if _, counted := m.texts[v.p]; counted {
				return 0
			}
			m.texts[v.p] = struct{}{}
		}
		return stringSize + n
	case v.n == tagTable, v.n == tagFunction, v.n == tagThread:
		m.queue = append(m.queue, v)
	}
	return 0
}

// size is about what the code of a function takes.
func (p *proto) size() int {
	n := 256 + len(p.Code)*16 + len(p.k)*48
	for _, g := range p.protos {
		n += g.size()
	}
	return n
}

// size is what the parts of a table take.
func (t *Table) size() int {
	n := len(t.array) * valueSize
	if t.hasNodes() {
		n += len(t.nodes) * nodeSize
	}
	return n
}

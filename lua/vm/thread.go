package vm

// VM is a Lua state: what all threads share. It is not for concurrent use.
//
// Idea: everything a run needs lives here, in slices and structs; the Go stack
// holds nothing but nested calls from Go into Lua, of which there are at most
// 200. So a coroutine is just a Thread, and a script cannot exhaust the stack.
type VM struct {
	Globals *Table
	// Busy is asked now and then; a text that is not empty stops the script.
	Busy func() string
	// Stop is that text, once given: nothing can catch it.
	Stop string

	stringMeta  *Table
	stringIndex *Table
	next        *Function
	main        *Thread
	running     *Thread
	nested      int // calls from Go into Lua
	steps       int // until Busy is asked
	ids         uint32
	memory      meter
	scratch     []byte
	calls       []*libCall
	depth       int // of calls
	watch       func(line int)
}

// Thread is a coroutine, or the script itself.
type Thread struct {
	vm     *VM
	stack  []Value
	top    int // behind the last of an open number of values
	frames []frame
	depth  int // the running frame, -1 if there is none
	open   []openUpvalue
	high   int   // the stack has been used up to here
	thrown Value // the error, when a call has failed
	extra  int   // how much deeper an error handler may go

	round  uint32 // of the last count of memory
	status status
	nested int // vm.nested when it was resumed
	given  int // how many values it gave when it yielded
	id     uint32
}

// frame is a running function.
type frame struct {
	fn      *Function
	at      int // where on the stack the function is; its results go there
	base    int // its first register, or argument
	top     int // behind its registers, or arguments
	pc      int
	want    int // how many results the caller wants, -1 for all
	varargs int
	tails   int // functions that ended by calling this one
	entry   bool
}

type status uint8

const (
	suspended status = iota
	running
	normal
	dead
)

const (
	// slack is the room that is always there above the base of a frame, so
	// that its registers can be reached without a check.
	slack = 256 + 16

	// DIFFERS: The calls of one coroutine may have 1048576 variables between them; Redis allows 20000 calls of any size.
	maxFrames = 19999
	maxStack  = 1 << 20
	maxNested = 200
	minStack  = 64

	pollInterval = 100_000
)

// New makes a state without any globals.
func New() *VM {
	vm := &VM{Globals: NewTable(0, 0), stringIndex: NewTable(0, 0), steps: pollInterval}
	vm.memory.restart()
	vm.main = vm.newThread()
	vm.running = vm.main
	return vm
}

func (vm *VM) newThread() *Thread {
	vm.ids++
	return &Thread{vm: vm, stack: make([]Value, minStack+slack), frames: make([]frame, 4), depth: -1, id: vm.ids}
}

func (t *Thread) identity() uint32 { return t.id }

// NewTable makes a table with room for so many elements and pairs.
func (vm *VM) NewTable(elements, pairs int) *Table {
	t := NewTable(elements, pairs)
	vm.Charge(tableSize + t.size())
	vm.ids++
	t.id = vm.ids
	return t
}

// Native makes a function value of f.
func (vm *VM) Native(f Native) Value { return functionValue(vm.native(f)) }

func (vm *VM) native(f Native) *Function {
	vm.ids++
	return &Function{native: f, id: vm.ids}
}

// Numbered gives a function its number anew, and returns it: functions that were
// made in no certain order get a certain one, which shows in the order of keys.
func (vm *VM) Numbered(v Value) Value {
	if v.isFunction() {
		vm.ids++
		v.function().id = vm.ids
	}
	return v
}

// reach makes sure that the stack has room for a frame at base.
func (t *Thread) reach(base int) {
	if base+slack > len(t.stack) {
		t.grow(base + slack)
	}
	if base > t.high {
		t.high = base
	}
}

func (t *Thread) grow(n int) {
	if n > maxStack {
		t.fail("stack overflow")
	}
	n = max(n, 2*len(t.stack))
	t.vm.Charge(n * valueSize)
	stack := make([]Value, n)
	copy(stack, t.stack)
	t.stack = stack
	for _, u := range t.open {
		u.p = &stack[u.index]
	}
}

// push begins a frame.
func (t *Thread) push() *frame {
	if t.depth+1 >= len(t.frames) {
		t.growFrames()
	}
	t.depth++
	return &t.frames[t.depth]
}

func (t *Thread) growFrames() {
	if t.depth+1 >= maxFrames+t.extra {
		t.fail("stack overflow")
	}
	n := min(2*len(t.frames), maxFrames+t.extra)
	t.vm.Charge(n * frameSize)
	frames := make([]frame, n)
	copy(frames, t.frames)
	t.frames = frames
}

// poll is called when vm.steps have been made.
func (vm *VM) poll() {
	if vm.Stop == "" && vm.Busy != nil {
		vm.Stop = vm.Busy()
	}
	if vm.Stop != "" {
		vm.steps = 0
		panic(&Raised{String(vm.Stop)})
	}
	vm.steps = pollInterval
}

// Work accounts for n steps of an operation of the machine around.
func (vm *VM) Work(n int) { vm.work(n) }

// work accounts for n steps.
func (vm *VM) work(n int) {
	if vm.steps -= n; vm.steps < 0 {
		vm.poll()
	}
}

// reset makes the state ready for another run.
func (vm *VM) reset() {
	t := vm.main
	t.closeFrom(0) // what a function left in a variable outlives its failure
	clear(t.stack[:min(t.high+8, len(t.stack))])
	if len(t.stack) > 1<<16 {
		t.stack, t.frames = make([]Value, minStack+slack), make([]frame, 4)
	}
	clear(t.frames[:min(len(t.frames), 64)])
	t.depth, t.top, t.high, t.extra = -1, 0, 0, 0
	vm.running, vm.nested, vm.depth, vm.Stop = t, 0, 0, ""
	vm.memory.restart()
	vm.steps = pollInterval
}

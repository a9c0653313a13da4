package compile

import (
	"errors"
	"fmt"
	"math"

	"github.com/yuin/gopher-lua/ast"

	"minikv/lua/syntax"
)

// Chunk parses and compiles a chunk. The text of the error begins with the
// chunk's name and a line.
func Chunk(text, source string) (*Function, error) {
	return Nested(text, source, "@"+source, 0, func(int) {})
}

// Nested does so within so many nested calls of the machine, for a chunk whose
// name was given as chunk and is source in messages. It accounts for its steps
// with work, which may panic.
func Nested(text, source, chunk string, depth int, work func(steps int)) (f *Function, err error) {
	tree, err := syntax.ParseNested(text, depth, work)
	if err != nil {
		var e *syntax.Error
		if errors.As(err, &e) {
			return nil, fmt.Errorf("%s:%d: %s", source, e.Line, e.Message)
		}
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*limitError)
			if !ok {
				panic(r)
			}
			f, err = nil, fmt.Errorf("%s:%d: %s", source, e.line, e.text)
		}
	}()
	fn := newFunction(nil, source, chunk, 0)
	fn.work = work
	fn.out.Vararg, fn.last = true, 1
	fn.block(tree, false, 1)
	fn.finish(endOfBlock(tree, 1))
	return fn.out, nil
}

// limitError is raised when a function is too large.
type limitError struct {
	line int
	text string
}

// function is a function that is being compiled.
type function struct {
	out       *Function
	outer     *function
	constants map[Constant]int  // the indices of those that are no strings
	strings   map[string]int    // the indices of strings
	chunk     *function         // the outermost function
	texts     map[string]string // of the chunk: the strings of the functions inside
	active    []int             // indices of the locals in scope
	free      int               // the first register not in use
	scope     *scope
	upvalues  map[string]int
	last      int // the last line of code
	labelled  int // the last place that jumps lead to, -1 if there is none
	work      func(steps int)
}

// scope is a block that is being compiled.
type scope struct {
	outer    *scope
	active   int // how many locals are outside
	captured bool
	loop     bool
	breaks   []int
}

func newFunction(outer *function, source, chunk string, line int) *function {
	f := &function{
		out:       &Function{Source: source, Chunk: chunk, Line: line, MaxStack: 2},
		outer:     outer,
		constants: map[Constant]int{},
		strings:   map[string]int{},
		upvalues:  map[string]int{},
		last:      line,
		labelled:  -1,
	}
	if outer != nil {
		f.chunk, f.work = outer.chunk, outer.work
	} else {
		f.chunk, f.texts = f, map[string]string{}
	}
	return f
}

// finish ends the function with a return.
func (f *function) finish(line int) {
	for _, i := range f.active {
		f.out.Locals[i].End = len(f.out.Code)
	}
	f.emit(line, Return, 0, 1, 0, 0)
}

func (f *function) emit(line int, op Op, a, b, c, d int) int {
	f.last = line
	f.work(10)
	f.out.Code = append(f.out.Code, instr(op, a, b, c, d))
	f.out.Lines = append(f.out.Lines, int32(line))
	return len(f.out.Code) - 1
}

func (f *function) here() int { return len(f.out.Code) }

// patch makes jumps lead to a place.
func (f *function) patch(jumps []int, target int) {
	for _, at := range jumps {
		i := f.out.Code[at]
		f.out.Code[at] = i&0xffffffff | Instr(uint32(int32(target-at-1)))<<32
	}
}

func (f *function) patchHere(jumps ...int) { f.patch(jumps, f.label()) }

// label is here, as a place that jumps lead to.
func (f *function) label() int {
	f.labelled = f.here()
	return f.labelled
}

// loadNil sets registers to nil. Lua 5.1 needs no instruction for that at the
// beginning of a function, or if the one before does the same; here there is one
// that debuggers do not see: C is 1.
func (f *function) loadNil(line, first, n int) {
	silent := 0
	if at := f.here(); at > f.labelled {
		silent = bit(at == 0 || f.out.Code[at-1].Op() == LoadNil)
	}
	f.emit(line, LoadNil, first, first+n-1, silent, 0)
}

func (f *function) fail(line int, format string, args ...any) {
	panic(&limitError{line, fmt.Sprintf(format, args...)})
}

const (
	maxRegisters = 250
	maxConstants = 1 << 18
)

// need makes sure that n registers from the first free one exist.
func (f *function) need(n int) {
	if n += f.free; n > f.out.MaxStack {
		if n >= maxRegisters {
			f.fail(f.last, "function or expression too complex")
		}
		f.out.MaxStack = n
	}
}

// reserve takes n registers and returns the first.
func (f *function) reserve(n int) int {
	f.need(n)
	r := f.free
	f.free += n
	return r
}

// constant returns the index of a constant. 0 and -0 are one constant, the one
// that came first: so it is in Lua 5.1, which finds constants in a table.
func (f *function) constant(k Constant) int {
	if k.Kind == String {
		return f.string(k.Str)
	}
	key := k
	if key.Num == 0 {
		key.Num = 0
	}
	if i, ok := f.constants[key]; ok {
		return i
	}
	i := f.add(k)
	f.constants[key] = i
	return i
}

// add adds a constant that the function does not have yet.
func (f *function) add(k Constant) int {
	i := len(f.out.Constants)
	if i >= maxConstants {
		f.fail(f.last, "constant table overflow")
	}
	f.out.Constants = append(f.out.Constants, k)
	return i
}

func (f *function) number(n float64) int { return f.constant(Constant{Kind: Number, Num: n}) }

func (f *function) string(s string) int {
	if i, ok := f.strings[s]; ok {
		return i
	}
	i := f.add(Constant{Kind: String, Str: f.text(s)})
	f.strings[s] = i
	return i
}

// text returns the string that all functions of the chunk use, which then need
// not be compared byte by byte. A chunk's own strings are in its strings only.
func (f *function) text(s string) string {
	c := f.chunk
	if f != c {
		if i, ok := c.strings[s]; ok {
			return c.out.Constants[i].Str
		}
	}
	if known, ok := c.texts[s]; ok {
		return known
	}
	if f != c {
		c.texts[s] = s
	}
	return s
}

// declare brings local variables into scope; they live in the registers from
// first on.
func (f *function) declare(first int, names ...string) {
	for i, name := range names {
		f.active = append(f.active, len(f.out.Locals))
		f.out.Locals = append(f.out.Locals, Local{Name: name, Reg: first + i, Start: f.here(), End: math.MaxInt})
	}
}

// local finds a variable of this function.
func (f *function) local(name string) (reg int, ok bool) {
	for i := len(f.active) - 1; i >= 0; i-- {
		if l := &f.out.Locals[f.active[i]]; l.Name == name {
			return l.Reg, true
		}
	}
	return 0, false
}

// capture notes that a closure keeps the variable in a register.
func (f *function) capture(reg int) {
	for s := f.scope; s != nil; s = s.outer {
		if s.active <= reg {
			s.captured = true
			return
		}
	}
}

// upvalue finds a variable of the functions around this one.
func (f *function) upvalue(name string) (index int, ok bool) {
	if f.outer == nil {
		return 0, false
	}
	u := Upvalue{Name: name}
	if u.Index, u.InStack = f.outer.local(name); u.InStack {
		f.outer.capture(u.Index)
	} else if u.Index, ok = f.outer.upvalue(name); !ok {
		return 0, false
	}
	key := fmt.Sprint(u.InStack, u.Index)
	if i, ok := f.upvalues[key]; ok {
		return i, true
	}
	f.out.Upvalues = append(f.out.Upvalues, u)
	f.upvalues[key] = len(f.out.Upvalues) - 1
	return len(f.out.Upvalues) - 1, true
}

// open begins a block.
func (f *function) open(loop bool) *scope {
	f.scope = &scope{outer: f.scope, active: len(f.active), loop: loop}
	return f.scope
}

// close ends a block: its variables leave their registers.
func (f *function) close(line int) {
	s := f.scope
	if s.captured {
		f.emit(line, Close, s.active, 0, 0, 0)
	}
	f.hide(s.active)
	f.scope = s.outer
}

// hide ends the scope of all variables but the first n.
func (f *function) hide(n int) {
	for _, i := range f.active[n:] {
		f.out.Locals[i].End = f.here()
	}
	f.active = f.active[:n]
	f.free = n
}

// child compiles a function inside of this one and returns its index.
func (f *function) child(e *ast.FunctionExpr, method bool) int {
	c := newFunction(f, f.out.Source, f.out.Chunk, e.Line())
	if method {
		c.declare(c.reserve(1), "self")
	}
	for _, name := range e.ParList.Names {
		c.declare(c.reserve(1), name)
	}
	c.out.Params = c.free
	if e.ParList.HasVargs {
		c.out.Vararg, c.out.NeedsArg = true, true
		c.declare(c.reserve(1), "arg")
	}
	c.statements(e.Stmts)
	c.finish(e.LastLine())
	f.out.Functions = append(f.out.Functions, c.out)
	return len(f.out.Functions) - 1
}

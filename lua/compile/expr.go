package compile

import (
	"strconv"

	"github.com/yuin/gopher-lua/ast"
)

// operand is a register or the index of a constant.
type operand struct {
	constant bool
	index    int
}

// next puts an expression into the next register.
func (f *function) next(e ast.Expr) int {
	r, from := f.free, len(f.out.Code)
	f.need(1)
	f.into(e, r)
	f.fetchAt(0, e, from)
	f.free = r + 1
	return r
}

// any evaluates an expression into some register: a local variable stays where
// it is, any other value goes to the first free register, which stays free.
func (f *function) any(e ast.Expr) int {
	e = reduce(e)
	if id, ok := e.(*ast.IdentExpr); ok {
		if r, ok := f.local(id.Value); ok {
			return r
		}
	}
	f.need(1)
	f.into(e, f.free)
	return f.free
}

// hold is any; the register is no longer free.
func (f *function) hold(e ast.Expr) int {
	r := f.any(e)
	if r == f.free {
		f.reserve(1)
	}
	return r
}

// operandOf is any, but leaves a constant where it is.
func (f *function) operandOf(e ast.Expr) operand {
	if k, ok := f.constantOf(e); ok {
		return operand{true, f.constant(k)}
	}
	return operand{false, f.any(e)}
}

func (f *function) holdOperand(e ast.Expr) operand {
	o := f.operandOf(e)
	if !o.constant && o.index == f.free {
		f.reserve(1)
	}
	return o
}

// constantOf tells which constant an expression is.
func (f *function) constantOf(e ast.Expr) (Constant, bool) {
	e = reduce(e)
	switch e := e.(type) {
	case *ast.StringExpr:
		return Constant{Kind: String, Str: e.Value}, true
	case *ast.NilExpr:
		return Constant{Kind: Nil}, true
	case *ast.TrueExpr:
		return Constant{Kind: True}, true
	case *ast.FalseExpr:
		return Constant{Kind: False}, true
	}
	n, ok := fold(e)
	return Constant{Kind: Number, Num: n}, ok
}

// into evaluates an expression into a register: a local variable, or the first
// free register. The register is written last, when all operands have been read.
func (f *function) into(e ast.Expr, dst int) {
	free := f.free
	switch e := reduce(e).(type) {
	case *ast.NilExpr:
		f.loadNil(e.Line(), dst, 1)
	case *ast.TrueExpr:
		f.emit(e.Line(), LoadBool, dst, 1, 0, 0)
	case *ast.FalseExpr:
		f.emit(e.Line(), LoadBool, dst, 0, 0, 0)
	case *ast.NumberExpr:
		n, _ := fold(e)
		f.emit(e.Line(), LoadK, dst, 0, 0, f.number(n))
	case *ast.StringExpr:
		f.emit(e.Line(), LoadK, dst, 0, 0, f.string(e.Value))
	case *ast.Comma3Expr:
		f.out.NeedsArg = false
		f.emit(e.Line(), Vararg, dst, 2, 0, 0)
	case *ast.IdentExpr:
		f.variable(e, dst)
	case *ast.AttrGetExpr, *ast.FuncCallExpr:
		f.suffix(e, dst)
	case *ast.FunctionExpr:
		f.emit(e.LastLine(), Closure, dst, 0, 0, f.child(e, false))
	case *ast.TableExpr:
		f.table(e, dst)
	case *ast.LogicalOpExpr:
		f.logical(e, dst)
	case *ast.RelationalOpExpr, *ast.UnaryNotOpExpr:
		f.boolean(e, dst)
	case *ast.ArithmeticOpExpr:
		f.arithmetic(e, dst)
	case *ast.UnaryMinusOpExpr:
		if n, ok := fold(e); ok {
			f.emit(e.Line(), LoadK, dst, 0, 0, f.number(n))
		} else {
			f.emit(e.Line(), Unm, dst, f.any(e.Expr), 0, 0)
		}
	case *ast.UnaryLenOpExpr:
		f.emit(e.Line(), Len, dst, f.any(e.Expr), 0, 0)
	case *ast.StringConcatOpExpr:
		f.concat(e, dst)
	}
	f.free = free
}

func (f *function) variable(e *ast.IdentExpr, dst int) {
	if r, ok := f.local(e.Value); ok {
		if r != dst {
			f.emit(e.Line(), Move, dst, r, 0, 0)
		}
		return
	}
	if u, ok := f.upvalue(e.Value); ok {
		f.emit(e.Line(), GetUpval, dst, 0, 0, u)
		return
	}
	f.emit(e.Line(), GetGlobal, dst, 0, 0, f.string(e.Value))
}

// suffix compiles a chain of fields and calls such as a.b[c](d):e(). A chain
// may be long, so it is not compiled by recursion.
func (f *function) suffix(e ast.Expr, dst int) {
	var links []ast.Expr
chain:
	for {
		switch x := e.(type) {
		case *ast.AttrGetExpr:
			links = append(links, e)
			e = x.Object
		case *ast.FuncCallExpr:
			links = append(links, e)
			if e = x.Func; x.Method != "" {
				e = x.Receiver
			}
		default:
			break chain
		}
	}
	from := len(f.out.Code)
	cur := f.any(e)
	f.fetchAt(0, e, from)
	for i := len(links) - 1; i >= 0; i-- {
		top := f.free
		switch link := links[i].(type) {
		case *ast.AttrGetExpr:
			if cur == top {
				f.reserve(1)
			}
			key := f.operandOf(link.Key)
			f.free = top
			f.need(1)
			to := top
			if i == 0 {
				to = dst
			}
			f.getIndex(max(link.Line(), fetchedOn(link)), to, cur, key)
		case *ast.FuncCallExpr:
			f.callLink(link, cur, 2)
			if i == 0 && dst != top {
				f.emit(link.Line(), Move, dst, top, 0, 0)
			}
		}
		cur = top
	}
}

func (f *function) getIndex(line, dst, table int, key operand) {
	switch {
	case !key.constant:
		f.emit(line, GetTable, dst, table, key.index, 0)
	case f.out.Constants[key.index].Kind == String:
		f.emit(line, GetField, dst, table, 0, key.index)
	default:
		f.emit(line, GetIndex, dst, table, 0, key.index)
	}
}

// call compiles a call for c-1 results, all if c is 0, from the first free
// register on. It returns the place of the instruction.
func (f *function) call(e *ast.FuncCallExpr, c int) int {
	callee := e.Func
	if e.Method != "" {
		callee = e.Receiver
	}
	from := len(f.out.Code)
	r := f.any(callee)
	f.fetchAt(0, callee, from)
	return f.callLink(e, r, c)
}

// callLink calls what is in a register.
func (f *function) callLink(e *ast.FuncCallExpr, callee, c int) int {
	base, n := f.free, 1
	if e.Method != "" {
		f.need(2)
		f.emit(e.Line(), Self, base, callee, 0, f.string(e.Method))
		f.free, n = base+2, 2
	} else {
		f.need(1)
		if callee != base {
			f.emit(e.Line(), Move, base, callee, 0, 0)
		}
		f.free = base + 1
	}
	from := len(f.out.Code)
	args := f.list(e.Args)
	if len(e.Args) > 0 {
		f.fetchAt(e.LastLine(), e.Args[len(e.Args)-1], from)
	}
	n += args
	if args < 0 {
		n = 0
	}
	f.free = base
	return f.emit(e.Line(), Call, base, n, c, 0)
}

// batch is how many elements of a constructor are stored at once.
const batch = 50

func (f *function) table(e *ast.TableExpr, dst int) {
	t := f.reserve(1)
	at := f.emit(e.Line(), NewTable, t, 0, 0, 0)
	elements, pairs, pending := 0, 0, 0
	for i, field := range e.Fields {
		if field.Key != nil {
			free := f.free
			key := f.holdOperand(field.Key)
			value := f.any(field.Value)
			f.setIndex(endOf(field.Value), t, key, value)
			f.free = free
			pairs++
			continue
		}
		if i == len(e.Fields)-1 && multiple(field.Value) {
			f.spread(field.Value, -1)
			f.emit(e.LastLine(), SetList, t, 0, 0, elements-pending)
			pending = 0
			break
		}
		from := len(f.out.Code)
		f.next(field.Value)
		f.fetchAt(f.fieldEnd(e, i), field.Value, from)
		elements++
		if pending++; pending == batch {
			f.emit(f.last, SetList, t, pending, 0, elements-pending)
			f.free, pending = t+1, 0
		}
	}
	if pending > 0 {
		f.emit(e.LastLine(), SetList, t, pending, 0, elements-pending)
	}
	f.out.Code[at] = instr(NewTable, t, sizeByte(elements), sizeByte(pairs), 0)
	if dst != t {
		f.emit(e.LastLine(), Move, dst, t, 0, 0)
	}
}

// fieldEnd is the line on which the value of an element is fetched: when the
// next field begins, or the constructor ends.
func (f *function) fieldEnd(e *ast.TableExpr, i int) int {
	if i == len(e.Fields)-1 {
		return e.LastLine()
	}
	return endOf(e.Fields[i].Value)
}

// sizeByte rounds a size up to one of three significant bits, as Lua 5.1 does;
// the size of a new table shows in the order of its keys.
func sizeByte(n int) int {
	e := 0
	for ; n >= 16; e++ {
		n = (n + 1) / 2
	}
	if n < 8 {
		return n
	}
	return (e+1)<<3 | (n - 8)
}

// Size returns the size that an operand of NewTable stands for.
func Size(b int) int {
	if e := b >> 3; e > 0 {
		return (b&7 + 8) << (e - 1)
	}
	return b
}

// fold returns the number that an expression of numbers is.
func fold(e ast.Expr) (float64, bool) {
	switch e := e.(type) {
	case *ast.NumberExpr:
		n, err := strconv.ParseFloat(e.Value, 64)
		return n, err == nil || n != 0
	case *ast.LogicalOpExpr:
		if r := reduce(e); r != ast.Expr(e) {
			return fold(r)
		}
	case *ast.UnaryMinusOpExpr:
		n, ok := fold(e.Expr)
		return -n, ok
	case *ast.ArithmeticOpExpr:
		spine := spineOf(e)
		n, ok := fold(spine[len(spine)-1].Lhs)
		for i := len(spine) - 1; ok && i >= 0; i-- {
			var r float64
			if r, ok = fold(spine[i].Rhs); ok {
				n, ok = operate(spine[i].Operator, n, r)
			}
		}
		return n, ok
	}
	return 0, false
}

// spineOf returns the operators of a chain such as a+b-c, the last one first.
func spineOf(e *ast.ArithmeticOpExpr) []*ast.ArithmeticOpExpr {
	spine := []*ast.ArithmeticOpExpr{e}
	for {
		left, ok := e.Lhs.(*ast.ArithmeticOpExpr)
		if !ok {
			return spine
		}
		spine, e = append(spine, left), left
	}
}

package compile

import (
	"math"
	"slices"

	"github.com/yuin/gopher-lua/ast"

	"minikv/lua/lib"
)

var arithmetic = map[string]Op{"+": Add, "-": Sub, "*": Mul, "/": Div, "%": Mod, "^": Pow}

// operate computes an operation of two numbers, if that is done before the
// script runs.
func operate(op string, a, b float64) (r float64, ok bool) {
	switch op {
	case "+":
		r = a + b
	case "-":
		r = a - b
	case "*":
		r = a * b
	case "/":
		if b == 0 {
			return 0, false
		}
		r = a / b
	case "%":
		if b == 0 {
			return 0, false
		}
		r = a - float64(math.Floor(a/b)*b)
	case "^":
		r = lib.Pow(a, b)
	}
	return r, r == r
}

// leftOperand is a left operand: a number known already, or a register.
type leftOperand struct {
	known bool
	n     float64
	reg   int
}

// arithmetic compiles a chain of operators from its innermost one outwards.
func (f *function) arithmetic(e *ast.ArithmeticOpExpr, dst int) {
	spine := spineOf(e)
	free := f.free
	var acc leftOperand
	first := spine[len(spine)-1].Lhs
	if acc.n, acc.known = fold(first); !acc.known {
		from := len(f.out.Code)
		acc.reg = f.hold(first)
		f.fetchAt(spine[len(spine)-1].LastLine(), first, from)
	}
	for i := len(spine) - 1; i >= 0; i-- {
		x := spine[i]
		right, known := fold(x.Rhs)
		if acc.known && known {
			if r, ok := operate(x.Operator, acc.n, right); ok {
				acc.n = r
				continue
			}
		}
		to := free
		if i == 0 {
			to = dst
		}
		f.operation(x, acc, to)
		f.free = free
		acc = leftOperand{reg: free}
		if i > 0 {
			f.reserve(1)
		}
	}
	f.free = free
	if acc.known {
		f.emit(e.Line(), LoadK, dst, 0, 0, f.number(acc.n))
	}
}

func (f *function) operation(x *ast.ArithmeticOpExpr, acc leftOperand, dst int) {
	op := arithmetic[x.Operator]
	if n, ok := fold(x.Rhs); ok {
		k := f.number(n)
		if acc.known {
			acc.reg = f.reserve(1)
			f.emit(x.Line(), LoadK, acc.reg, 0, 0, f.number(acc.n))
		}
		f.emit(x.Line(), op+1, dst, acc.reg, 0, k)
		return
	}
	right := f.any(x.Rhs)
	if acc.known {
		f.emit(x.Line(), op+2, dst, right, 0, f.number(acc.n))
		return
	}
	f.emit(x.Line(), op, dst, acc.reg, right, 0)
}

// concat compiles a chain of .. as one instruction.
func (f *function) concat(e *ast.StringConcatOpExpr, dst int) {
	first, line := f.free, e.Line()
	for {
		from := len(f.out.Code)
		f.next(e.Lhs)
		f.fetchAt(e.LastLine(), e.Lhs, from)
		right, ok := e.Rhs.(*ast.StringConcatOpExpr)
		if !ok {
			break
		}
		e = right
	}
	last := f.next(e.Rhs)
	f.emit(line, Concat, dst, first, last, 0)
}

// boolean turns a condition into a value.
func (f *function) boolean(e ast.Expr, dst int) {
	if n, ok := e.(*ast.UnaryNotOpExpr); ok {
		switch n.Expr.(type) {
		case *ast.RelationalOpExpr, *ast.LogicalOpExpr, *ast.UnaryNotOpExpr:
		default:
			f.emit(e.Line(), Not, dst, f.any(n.Expr), 0, 0)
			return
		}
	}
	f.booleanFrom(f.condition(e, true), e.Line(), dst)
}

// booleanFrom writes true where jumps lead to, and false where the code goes on.
func (f *function) booleanFrom(jumps []int, line, dst int) {
	f.emit(line, LoadBool, dst, 0, 1, 0)
	f.patchHere(jumps...)
	f.emit(line, LoadBool, dst, 1, 0, 0)
}

// condition compiles jumps that are taken when an expression is as true as when
// says; else the code goes on behind them.
func (f *function) condition(e ast.Expr, when bool) []int {
	free := f.free
	defer func() { f.free = free }()
	switch e := reduce(e).(type) {
	case *ast.TrueExpr, *ast.NumberExpr, *ast.StringExpr:
		if !when {
			return nil
		}
	case *ast.NilExpr, *ast.FalseExpr:
		if when {
			return nil
		}
	case *ast.UnaryNotOpExpr:
		return f.condition(e.Expr, !when)
	case *ast.RelationalOpExpr:
		return f.relation(e, when)
	case *ast.LogicalOpExpr:
		items := logicalItems(e)
		short := e.Operator == "or" // what ends the evaluation
		var jumps, skips []int
		lines := operatorLines(e)
		for i, item := range items[:len(items)-1] {
			from := len(f.out.Code)
			if short == when {
				jumps = append(jumps, f.condition(item, when)...)
			} else {
				skips = append(skips, f.condition(item, short)...)
			}
			f.testAt(lines[i], e.Operator, item, from)
		}
		jumps = append(jumps, f.condition(items[len(items)-1], when)...)
		f.patchHere(skips...)
		return jumps
	case *ast.ArithmeticOpExpr, *ast.UnaryMinusOpExpr:
		if _, ok := fold(e); ok && !when {
			return nil
		}
	}
	return []int{f.emit(endOf(e), Test, f.any(e), bit(when), 0, 0)}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// logicalItems returns the operands of a chain of the same operator.
func logicalItems(e *ast.LogicalOpExpr) []ast.Expr {
	var items []ast.Expr
	op := e.Operator
	for {
		items = append(items, e.Rhs)
		left, ok := e.Lhs.(*ast.LogicalOpExpr)
		if !ok || left.Operator != op {
			items = append(items, e.Lhs)
			break
		}
		e = left
	}
	for i, j := 0, len(items)-1; i < j; i, j = i+1, j-1 {
		items[i], items[j] = items[j], items[i]
	}
	return items
}

// operatorLines returns the lines of the operators between logicalItems.
func operatorLines(e *ast.LogicalOpExpr) []int {
	var lines []int
	op := e.Operator
	for {
		lines = append(lines, e.LastLine())
		left, ok := e.Lhs.(*ast.LogicalOpExpr)
		if !ok || left.Operator != op {
			break
		}
		e = left
	}
	slices.Reverse(lines)
	return lines
}

// choice collects the jumps that end the evaluation of an and or or: those
// behind which the value is in place, and those of comparisons.
type choice struct {
	set, plain []int
}

// logical evaluates and and or into a register.
func (f *function) logical(e *ast.LogicalOpExpr, dst int) {
	var c choice
	items, when := logicalItems(e), e.Operator == "or"
	lines := operatorLines(e)
	for i, item := range items[:len(items)-1] {
		from := len(f.out.Code)
		f.choose(&c, item, dst, when)
		f.testAt(lines[i], e.Operator, item, from)
	}
	f.into(items[len(items)-1], dst)
	if len(c.plain) > 0 {
		over := f.emit(f.last, Jump, 0, 0, 0, 0)
		f.patchHere(c.plain...)
		f.emit(f.last, LoadBool, dst, bit(when), 0, 0)
		f.patchHere(over)
	}
	f.patchHere(c.set...)
}

// choose jumps with the value of an expression if it is as true as when says.
func (f *function) choose(c *choice, e ast.Expr, dst int, when bool) {
	free := f.free
	e = reduce(e)
	if when && idle("or", e) || !when && idle("and", e) {
		return // it never jumps
	}
	switch e := e.(type) {
	case *ast.RelationalOpExpr, *ast.UnaryNotOpExpr:
		c.plain = append(c.plain, f.condition(e, when)...)
	case *ast.LogicalOpExpr:
		items := logicalItems(e)
		short := e.Operator == "or"
		var skips []int
		lines := operatorLines(e)
		for i, item := range items[:len(items)-1] {
			from := len(f.out.Code)
			if short == when {
				f.choose(c, item, dst, when)
			} else {
				skips = append(skips, f.condition(item, short)...)
			}
			f.testAt(lines[i], e.Operator, item, from)
		}
		f.choose(c, items[len(items)-1], dst, when)
		f.patchHere(skips...)
	default:
		if r := f.any(e); r == dst {
			c.set = append(c.set, f.emit(e.Line(), Test, r, bit(when), 0, 0))
		} else {
			c.set = append(c.set, f.emit(e.Line(), TestSet, dst, r, bit(when), 0))
		}
	}
	f.free = free
}

// relation compiles a chain of comparisons such as a == b == c.
func (f *function) relation(e *ast.RelationalOpExpr, when bool) []int {
	spine := []*ast.RelationalOpExpr{e}
	for {
		left, ok := spine[len(spine)-1].Lhs.(*ast.RelationalOpExpr)
		if !ok {
			break
		}
		spine = append(spine, left)
	}
	free := f.free
	from := len(f.out.Code)
	acc := f.holdOperand(spine[len(spine)-1].Lhs)
	f.fetchAt(spine[len(spine)-1].LastLine(), spine[len(spine)-1].Lhs, from)
	for i := len(spine) - 1; i > 0; i-- {
		jumps := f.compare(spine[i], acc, true)
		f.free = free
		acc = operand{false, f.reserve(1)}
		f.booleanFrom(jumps, spine[i].Line(), acc.index)
	}
	return f.compare(e, acc, when)
}

func (f *function) compare(e *ast.RelationalOpExpr, left operand, when bool) []int {
	right := f.operandOf(e.Rhs)
	line, op := e.Line(), e.Operator
	equality := op == "==" || op == "~="
	if op == ">" || op == ">=" {
		left, right = right, left
	}
	if !right.constant && right.index == f.free || !left.constant && left.index == f.free {
		f.reserve(1)
	}
	left, right = f.comparable(left, equality), f.comparable(right, equality)
	if left.constant && (right.constant || equality) {
		if right.constant {
			left = f.load(left)
		} else {
			left, right = right, left
		}
	}
	code, a := Eq, bit(when)
	switch op {
	case "~=":
		a = bit(!when)
	case "<", ">":
		code = Lt
	case "<=", ">=":
		code = Le
	}
	switch {
	case right.constant:
		return []int{f.emit(line, code+1, a, left.index, right.index, 0)}
	case left.constant:
		return []int{f.emit(line, code+2, a, right.index, left.index, 0)}
	}
	return []int{f.emit(line, code, a, left.index, right.index, 0)}
}

// comparable makes an operand one that a comparison can take.
func (f *function) comparable(o operand, equality bool) operand {
	if o.constant && (o.index > 255 || !equality && f.out.Constants[o.index].Kind != Number) {
		return f.load(o)
	}
	return o
}

// load puts a constant into a new register.
func (f *function) load(o operand) operand {
	r := f.reserve(1)
	f.emit(f.last, LoadK, r, 0, 0, o.index)
	return operand{false, r}
}

package compile

// NameOf tells what the value in a register is called where the instruction at
// pc reads it, as in "local 'x'"; both are empty if nothing is known.
//
// Idea: the name is that of the local variable that lives in the register, or
// else of what the last instruction took that wrote the register. That one is
// found by going through the code, following jumps that lead no further than
// the place in question.
func (f *Function) NameOf(pc, reg int) (kind, name string) {
	for depth := 0; depth < maxRegisters; depth++ {
		if n, ok := f.localAt(pc, reg); ok {
			return "local", n
		}
		at := f.writer(pc, reg)
		if at < 0 {
			return "", ""
		}
		i := f.Code[at]
		switch i.Op() {
		case GetGlobal:
			return "global", f.constantName(i.D())
		case Move:
			if i.B() >= i.A() {
				return "", ""
			}
			pc, reg = at, i.B()
			continue
		case GetTable:
			return "field", "?"
		case GetIndex:
			return "field", "?"
		case GetField:
			return "field", f.constantName(i.D())
		case GetUpval:
			return "upvalue", f.Upvalues[i.D()].Name
		case Self:
			if reg == i.A() {
				return "method", f.constantName(i.D())
			}
		}
		return "", ""
	}
	return "", ""
}

func (f *Function) constantName(k int) string {
	if c := f.Constants[k]; c.Kind == String {
		return c.Str
	}
	return "?"
}

func (f *Function) localAt(pc, reg int) (string, bool) {
	for _, l := range f.Locals {
		if l.Reg == reg && l.Start <= pc && pc < l.End {
			return l.Name, true
		}
	}
	return "", false
}

// writer finds the last instruction before pc that wrote a register.
func (f *Function) writer(pc, reg int) int {
	last := -1
	for at := 0; at < pc; at++ {
		i := f.Code[at]
		a := i.A()
		writes := false
		switch i.Op() {
		case SetUpval, SetGlobal, SetTable, SetField, SetIndex, Return, Close, SetList, Line:
		case Jump, Loop, Eq, EqK, Lt, LtK, LtKR, Le, LeK, LeKR:
			at = f.follow(at, pc)
		case Test, TestSet: // Test, too, leaves a value without a name
			if reg == a {
				last = at
			}
			at = f.follow(at, pc)
		case ForLoop, ForPrep:
			if reg == a+3 {
				last = at
			}
			at = f.follow(at, pc)
		case LoadNil:
			writes = reg >= a && reg <= i.B()
		case Self:
			writes = reg == a || reg == a+1
		case Call, TailCall:
			writes = reg >= a
		case TForLoop:
			writes = reg >= a+2
		case Vararg:
			writes = reg >= a && (i.B() == 0 || reg < a+i.B()-1)
		default:
			writes = reg == a
		}
		if writes {
			last = at
		}
	}
	return last
}

// follow takes a jump forwards, unless it leads beyond pc.
func (f *Function) follow(at, pc int) int {
	if d := f.Code[at].D(); d > 0 && at+1+d <= pc {
		return at + d
	}
	return at
}

// Package compile turns a parsed chunk into code for a register machine.
//
// Each function has at most 250 registers. Its local variables live in the
// lowest ones, in the order of their declaration, and the intermediate values
// of expressions above them. What a script can see of that is as in Lua 5.1:
// the order in which operands are read and calls are made, the limits, and the
// names that messages give to values.
package compile

// Instr is one instruction: an operation in the low byte, the operands A, B and
// C in the next three, and D in the upper half.
type Instr uint64

func (i Instr) Op() Op { return Op(i) }
func (i Instr) A() int { return int(uint8(i >> 8)) }
func (i Instr) B() int { return int(uint8(i >> 16)) }
func (i Instr) C() int { return int(uint8(i >> 24)) }
func (i Instr) D() int { return int(int32(i >> 32)) }

func instr(op Op, a, b, c, d int) Instr {
	return Instr(op) | Instr(uint8(a))<<8 | Instr(uint8(b))<<16 | Instr(uint8(c))<<24 | Instr(uint32(int32(d)))<<32
}

// Op is an operation.
type Op uint8

// The operations. R is a register, K a constant, U an upvalue; jumps are
// relative to the next instruction. Of the operators, the second form takes its
// right operand from the constants and the third its left one.
const (
	Move      Op = iota // R[A] = R[B]
	LoadK               // R[A] = K[D]
	LoadBool            // R[A] = B ~= 0; skip the next instruction if C ~= 0
	LoadNil             // R[A] to R[B] = nil
	GetUpval            // R[A] = U[D]
	SetUpval            // U[D] = R[A]
	GetGlobal           // R[A] = global K[D]
	SetGlobal           // global K[D] = R[A]
	GetTable            // R[A] = R[B][R[C]]
	GetField            // R[A] = R[B][K[D]], a string
	GetIndex            // R[A] = R[B][K[D]], no string
	SetTable            // R[A][R[B]] = R[C]
	SetField            // R[A][K[D]] = R[C], a string key
	SetIndex            // R[A][K[D]] = R[C], another key
	NewTable            // R[A] = {}, sized by B and C
	Self                // R[A+1] = R[B]; R[A] = R[B][K[D]]
	Add                 // R[A] = R[B] + R[C]
	AddK                // R[A] = R[B] + K[D]
	AddKR               // R[A] = K[D] + R[B]
	Sub
	SubK
	SubKR
	Mul
	MulK
	MulKR
	Div
	DivK
	DivKR
	Mod
	ModK
	ModKR
	Pow
	PowK
	PowKR
	Unm      // R[A] = -R[B]
	Not      // R[A] = not R[B]
	Len      // R[A] = #R[B]
	Concat   // R[A] = R[B] .. to .. R[C]
	Jump     // jump D
	Loop     // jump D, backwards
	Test     // if R[A] is true as B says, jump D
	TestSet  // if R[B] is true as C says, R[A] = R[B] and jump D
	Eq       // if (R[B] == R[C]) is A, jump D
	EqK      // if (R[B] == K[C]) is A, jump D
	Lt       // if (R[B] < R[C]) is A, jump D
	LtK      // if (R[B] < K[C]) is A, jump D
	LtKR     // if (K[C] < R[B]) is A, jump D
	Le       // as Lt, with <=
	LeK      //
	LeKR     //
	Call     // R[A](R[A+1] to R[A+B-1]), up to the top if B = 0, for C-1 results, all if C = 0
	TailCall // return R[A](R[A+1] to R[A+B-1])
	Return   // return R[A] to R[A+B-2], up to the top if B = 0
	Vararg   // R[A] to R[A+B-2] = ..., all if B = 0
	ForPrep  // R[A] to R[A+2] are numbers; R[A] -= R[A+2]; jump D
	ForLoop  // R[A] += R[A+2]; if it is within R[A+1], R[A+3] = R[A] and jump D
	TForLoop // R[A+3] to R[A+2+C] = R[A](R[A+1], R[A+2]); if R[A+3] ~= nil, R[A+2] = R[A+3] and jump D
	SetList  // R[A][D+i] = R[A+i] for i to B, up to the top if B = 0
	Close    // close the upvalues from R[A] up
	Closure  // R[A] = function D
	Line     // a debugger may stop: line D begins; see WithLines
)

// A Kind tells what a Constant is.
type Kind uint8

// The kinds of constants.
const (
	Nil Kind = iota
	False
	True
	Number
	String
)

// Constant is a constant of a function.
type Constant struct {
	Kind Kind
	Num  float64
	Str  string
}

// Upvalue tells where a new closure finds a variable of the functions around
// it: in a register of the function that makes it, or in one of its upvalues.
type Upvalue struct {
	Name    string
	InStack bool
	Index   int
}

// Local is a local variable and where in the code it lives.
type Local struct {
	Name       string
	Reg        int
	Start, End int
}

// Function is a compiled function. It does not change.
type Function struct {
	Source    string // the chunk's name in messages
	Chunk     string // the chunk's name as it was given: with @ or = in front, or its source
	Line      int    // where it begins, 0 of a chunk
	Params    int
	Vararg    bool
	NeedsArg  bool // the variable arg holds the extra arguments
	MaxStack  int
	Code      []Instr
	Lines     []int32 // of each instruction
	Constants []Constant
	Functions []*Function
	Upvalues  []Upvalue
	Locals    []Local
}

package syntax

import "fmt"

// The limits of Lua 5.1.
const (
	maxLocals   = 200
	maxUpvalues = 60
	maxLevels   = 200
)

// function is a function that is being parsed: its variables in scope, and
// what it takes from the functions around it.
type function struct {
	outer    *function
	line     int // where it begins; 0 of the chunk
	vararg   bool
	loops    int
	locals   []string
	upvalues map[string]bool
}

// limit fails if a function has more than so many of something.
func (p *parser) limit(f *function, n, most int, what string) {
	if n <= most {
		return
	}
	owner := "main function"
	if f.line > 0 {
		owner = fmt.Sprintf("function at line %d", f.line)
	}
	p.x.fail(fmt.Sprintf("%s has more than %d %s", owner, most, what), "")
}

// declare brings a local variable into scope.
func (p *parser) declare(names ...string) {
	p.f.locals = append(p.f.locals, names...)
	p.limit(p.f, len(p.f.locals), maxLocals, "local variables")
}

// reserve checks that there is room for n more local variables, which are not in
// scope yet.
func (p *parser) reserve(n int) {
	p.limit(p.f, len(p.f.locals)+n, maxLocals, "local variables")
}

// refer notes the use of a name: in a function around this one, it is an
// upvalue of all functions in between.
func (p *parser) refer(name string) {
	for f := p.f; f != nil; f = f.outer {
		for i := len(f.locals) - 1; i >= 0; i-- {
			if f.locals[i] != name {
				continue
			}
			key := fmt.Sprint(name, i)
			for g := p.f; g != f; g = g.outer {
				if !g.upvalues[key] {
					if g.upvalues == nil {
						g.upvalues = map[string]bool{}
					}
					g.upvalues[key] = true
					p.limit(g, len(g.upvalues), maxUpvalues, "upvalues")
				}
			}
			return
		}
	}
}

// block runs parse in a scope of its own.
func (p *parser) block(parse func()) {
	n := len(p.f.locals)
	parse()
	p.f.locals = p.f.locals[:n]
}

// descend counts a nested construct.
func (p *parser) descend() {
	if p.levels++; p.levels > maxLevels {
		p.x.fail("chunk has too many syntax levels", "")
	}
}

func (p *parser) ascend() { p.levels-- }

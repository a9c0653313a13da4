package lua

import (
	"errors"
	"fmt"
	"strings"

	gl "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"

	"minikv/lua/rewrite"
	"minikv/lua/syntax"
)

// gopherCode is what Script.code holds on this machine.
type gopherCode struct {
	proto *gl.FunctionProto
	// endless is true when the script may run without bound: it has a loop,
	// a function or code that is made while it runs.
	endless bool
	// dynamic is true when the script may reach globals by other ways than
	// their names in its source.
	dynamic bool
	// keys and args are the places in the code where KEYS and ARGV belong.
	keys, args []*gl.LValue
	templates  map[string]template
	fn         *gl.LFunction
	of         *gl.LState
	// tree parses and rewrites the source again, for names.
	tree  func() ([]ast.Stmt, error)
	names *rewrite.Names
}

// function returns the script's function, made once for a state.
func (c *gopherCode) function(m *gopher) *gl.LFunction {
	if c.of != m.l {
		c.fn, c.of = m.l.NewFunctionFromProto(c.proto), m.l
	}
	return c.fn
}

// Compile parses, rewrites and compiles a script.
func (m *gopher) Compile(source []byte) (*Script, error) {
	flags, body, err := ParseShebang(source)
	if err != nil {
		return nil, err
	}
	c, err := m.compile(body, "user_script")
	if err != nil {
		return nil, errors.New("ERR Error compiling script (new function): " + err.Error())
	}
	return &Script{SHA: SHA1(source), Flags: flags, code: c}, nil
}

// compile turns a chunk into code. A fault inside of gopher-lua's compiler
// becomes an error.
func (m *gopher) compile(source []byte, name string) (c *gopherCode, err error) {
	defer func() {
		if r := recover(); r != nil {
			c, err = nil, fmt.Errorf("%s:1: %v", name, r)
		}
	}()
	text := string(source)
	c = &gopherCode{}
	tree := func() ([]ast.Stmt, rewrite.Traits, error) {
		chunk, err := parseChunk(text, name)
		if err != nil {
			return nil, rewrite.Traits{}, err
		}
		chunk, traits := rewrite.Chunk(chunk, rewrite.Options{
			Known:    m.known,
			Lengths:  strings.Contains(text, "__len"),
			Template: c.template,
		})
		return chunk, traits, nil
	}
	chunk, traits, err := tree()
	if err != nil {
		return nil, err
	}
	if rewrite.Constants(chunk) > maxConstants {
		return nil, fmt.Errorf("%s:1: constant table overflow", name)
	}
	proto, err := gl.Compile(chunk, name)
	if err != nil {
		return nil, compileError(err, name)
	}
	proto.IsVarArg &^= gl.VarArgNeedsArg
	again := func() ([]ast.Stmt, error) { chunk, _, err := tree(); return chunk, err }
	c.proto, c.endless, c.dynamic, c.tree = proto, traits.Endless, traits.Dynamic, again
	m.link(c, proto)
	return c, nil
}

// parseChunk parses a chunk; an error names it and the line.
func parseChunk(source, name string) ([]ast.Stmt, error) {
	chunk, err := syntax.Parse(source)
	var e *syntax.Error
	if errors.As(err, &e) {
		return nil, fmt.Errorf("%s:%d: %s", name, e.Line, e.Message)
	}
	return chunk, err
}

// constant tells whether a path such as "redis.call" names a value that does
// not change while a script runs.
func (m *gopher) constant(path string) bool {
	_, ok := m.lib[path]
	return ok || path == "KEYS" || path == "ARGV"
}

// link puts the library members themselves in place of their names in the
// compiled code, and notes where KEYS and ARGV belong.
func (m *gopher) link(c *gopherCode, p *gl.FunctionProto) {
	for i, k := range p.Constants {
		s, ok := k.(gl.LString)
		if !ok {
			continue
		}
		path, ok := rewrite.Path(string(s))
		switch {
		case !ok:
		case path == "KEYS":
			c.keys = append(c.keys, &p.Constants[i])
		case path == "ARGV":
			c.args = append(c.args, &p.Constants[i])
		case m.lib[path] != nil:
			p.Constants[i] = m.lib[path]
		default:
			if t, ok := c.templates[path]; ok {
				p.Constants[i] = m.l.NewFunction(t.make)
			}
		}
	}
	for _, f := range p.FunctionPrototypes {
		m.link(c, f)
	}
}

// maxConstants bounds the constants of a chunk. The compiler's time grows with
// their square.
//
// DIFFERS: A script may use at most 16384 different strings and numbers, besides those in long tables of constants.
const maxConstants = 1 << 14

// template is a long table of constants.
type template []rewrite.Field

// template keeps a table of constants and returns the path of its maker.
func (c *gopherCode) template(fields []rewrite.Field) string {
	if c.templates == nil {
		c.templates = map[string]template{}
	}
	path := fmt.Sprint("\x00template ", len(c.templates))
	c.templates[path] = fields
	return path
}

// make makes the table: first the pairs, for elements take precedence.
func (t template) make(l *gl.LState) int {
	table, n := l.CreateTable(len(t), 0), 0
	for _, f := range t {
		if f.Key != nil {
			rawSet(table, constantValue(f.Key), constantValue(f.Value))
		}
	}
	for _, f := range t {
		if f.Key == nil {
			n++
			rawSet(table, gl.LNumber(n), constantValue(f.Value))
		}
	}
	l.Push(table)
	return 1
}

func constantValue(v any) gl.LValue {
	switch v := v.(type) {
	case string:
		return gl.LString(v)
	case float64:
		return gl.LNumber(v)
	case bool:
		return gl.LBool(v)
	}
	return gl.LNil
}

// bind puts the tables of a run in place of KEYS and ARGV.
func (c *gopherCode) bind(keys, args gl.LValue) {
	for _, k := range c.keys {
		*k = keys
	}
	for _, k := range c.args {
		*k = args
	}
}

func compileError(err error, name string) error {
	var e *gl.CompileError
	if errors.As(err, &e) {
		return fmt.Errorf("%s:%d: %s", name, e.Line, e.Message)
	}
	return fmt.Errorf("%s:1: %s", name, err)
}

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
	tree := func() ([]ast.Stmt, rewrite.Traits, error) {
		chunk, err := parseChunk(text, name)
		if err != nil {
			return nil, rewrite.Traits{}, err
		}
		chunk, traits := rewrite.Chunk(chunk, rewrite.Options{Known: m.constant, Lengths: strings.Contains(text, "__len")})
		return chunk, traits, nil
	}
	chunk, traits, err := tree()
	if err != nil {
		return nil, err
	}
	proto, err := gl.Compile(chunk, name)
	if err != nil {
		return nil, compileError(err, name)
	}
	proto.IsVarArg &^= gl.VarArgNeedsArg
	again := func() ([]ast.Stmt, error) { chunk, _, err := tree(); return chunk, err }
	c = &gopherCode{proto: proto, endless: traits.Endless, dynamic: traits.Dynamic, tree: again}
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
		}
	}
	for _, f := range p.FunctionPrototypes {
		m.link(c, f)
	}
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

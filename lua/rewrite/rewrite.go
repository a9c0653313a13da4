package rewrite

import (
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

type Traits struct {
	Stmts   []ast.Stmt
	Endless bool
}

const prefix = "\x00minikv\x00"

func Path(s string) (string, bool) { return strings.CutPrefix(s, prefix) }

func Chunk(stmts []ast.Stmt, constant func(path string) bool) Traits {
	return Traits{stmts, true}
}

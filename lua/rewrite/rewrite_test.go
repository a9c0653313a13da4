package rewrite

import (
	"testing"

	"github.com/yuin/gopher-lua/ast"

	"minikv/lua/syntax"
)

func rewritten(t *testing.T, source string) ([]ast.Stmt, Traits) {
	t.Helper()
	chunk, err := syntax.Parse(source)
	if err != nil {
		t.Fatal(err)
	}
	return Chunk(chunk, Options{
		Known:    func(path string) bool { return path == "redis" || path == "redis.call" },
		Template: func([]Field) string { return "\x00template" },
	})
}

// TestTraits checks which scripts need to be interrupted: those that do not
// just run from their first line to their last.
func TestTraits(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]Traits{
		"if redis.call('get',KEYS[1])==1 then return 1 end": {},
		"local load=1 return load":                          {},
		"while a do end":                                    {Endless: true},
		"repeat until a":                                    {Endless: true},
		"for i=1,2 do end":                                  {Endless: true},
		"for k in a do end":                                 {Endless: true},
		"local function f() end":                            {Endless: true},
		"return pcall(function() end)":                      {Endless: true},
		"return {f=loadstring}":                             {Endless: true, Dynamic: true},
		"return _G.KEYS":                                    {Endless: true, Dynamic: true},
	} {
		if _, got := rewritten(t, source); got != want {
			t.Errorf("%s: %+v, want %+v", source, got, want)
		}
	}
}

// TestGlobalsBecomeConstants checks that the value of a global is taken from a
// path, unless a local variable hides it.
func TestGlobalsBecomeConstants(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"return redis.call":                              "redis.call",
		"return redis":                                   "redis",
		"local x=1 return redis.call":                    "redis.call",
		"local redis=1 return redis":                     "",
		"local redis={} return redis.call":               "",
		"do local redis=1 end return redis":              "redis",
		"for redis=1,2 do return redis end return redis": "redis",
		"return redis.nosuch":                            "",
	} {
		chunk, _ := rewritten(t, source)
		got := ""
		if s, ok := chunk[len(chunk)-1].(*ast.ReturnStmt).Exprs[0].(*ast.StringExpr); ok {
			got, _ = Path(s.Value)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}

// Package minikv_test keeps the rules that docs/architecture.md states: which
// package may import which, and what has no place in the pure ones.
package minikv_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "minikv"

// imports says what each part of the tree may import beside the standard
// library and itself. A part is a folder with what lies below it; the most
// precise one counts. Whatever is not named here may not exist.
var imports = map[string][]string{
	"value":             {"github.com/zeebo/xxh3"},
	"expiry":            {},
	"resp":              {},
	"rdb":               {"minikv/value"},
	"lua":               {"minikv/resp", "github.com/yuin/gopher-lua"},
	"engine/config":     {"minikv/resp"},
	"engine/transcript": {"minikv/resp"},
	"engine": {"minikv/engine/config", "minikv/lua", "minikv/rdb", "minikv/value", "minikv/expiry", "minikv/resp",
		"github.com/zeebo/xxh3"},
	"server":     {"minikv/engine", "minikv/resp", "github.com/tidwall/redcon", "golang.org/x/sys"},
	"explore":    {"minikv/server", "minikv/engine", "minikv/lua", "minikv/resp", "github.com/zeebo/xxh3"},
	"lab":        {"minikv/explore", "minikv/server", "minikv/engine"},
	"lockcheck":  {"minikv/minikvtest", "minikv/server", "minikv/engine", "minikv/resp"},
	"minikvtest": {"minikv/server", "minikv/engine/config", "github.com/redis/go-redis/v9"},
	"cmd": {"minikv/server", "minikv/explore", "minikv/lab", "minikv/engine/config", "minikv/resp", "github.com/alecthomas/kong",
		"github.com/reeflective/readline", "github.com/schollz/progressbar/v3", "golang.org/x/sys", "golang.org/x/term"},
	"bench":              {"minikv/resp", "github.com/alecthomas/kong"},
	"bench/instructions": {"minikv/engine", "github.com/alecthomas/kong"},
	"compat_test":        {},
	"docs":               {},
}

// pure are the parts that are state machines or data: no goroutine, no clock,
// no lock, no socket, no randomness but what is handed in.
var pure = []string{"engine", "engine/config", "value", "expiry", "lua", "rdb", "resp"}

// impure are what a pure package must not use: a whole import, or a name of one.
var impure = map[string][]string{
	"net":          {"*"},
	"net/http":     {"*"},
	"os":           {"*"},
	"os/exec":      {"*"},
	"syscall":      {"*"},
	"crypto/rand":  {"*"},
	"math/rand":    {"*"},
	"sync/atomic":  {"*"},
	"sync":         {"*"},
	"log":          {"*"},
	"log/slog":     {"*"},
	"time":         {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"},
	"math/rand/v2": {"Int", "IntN", "Int32", "Int32N", "Int64", "Int64N", "Uint32", "Uint32N", "Uint64", "Uint64N", "Uint", "UintN", "N", "Float32", "Float64", "NormFloat64", "ExpFloat64", "Perm", "Shuffle"},
}

// longest is how many lines a file may have.
const longest = 800

// source is a Go file of the project.
type source struct {
	path   string // from the root, with slashes
	text   []byte
	parsed *ast.File
	fset   *token.FileSet
}

func (s *source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

func (s *source) at(n ast.Node) string {
	return s.path + ":" + strconv.Itoa(s.fset.Position(n.Pos()).Line)
}

// sources reads all Go files of the project.
func sources(t *testing.T) []source {
	t.Helper()
	var list []source
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case filepath.Ext(file) != ".go":
			return nil
		}
		s := source{path: filepath.ToSlash(file), fset: token.NewFileSet()}
		if s.text, err = os.ReadFile(file); err != nil {
			return err
		}
		s.parsed, err = parser.ParseFile(s.fset, file, s.text, parser.SkipObjectResolution)
		list = append(list, s)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// part is the most precise entry of imports that a folder belongs to.
func part(folder string) string {
	for folder != "." {
		if _, known := imports[folder]; known {
			return folder
		}
		folder = path.Dir(folder)
	}
	return ""
}

// within tells whether an import path is one of a list or lies below it.
func within(imported string, allowed []string) bool {
	return slices.ContainsFunc(allowed, func(a string) bool {
		return imported == a || strings.HasPrefix(imported, a+"/")
	})
}

func importPath(spec *ast.ImportSpec) string {
	p, _ := strconv.Unquote(spec.Path.Value)
	return p
}

func TestImportsRunOneWay(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.isTest() {
			continue
		}
		home := part(path.Dir(s.path))
		if home == "" {
			t.Errorf("%s lies in a folder that the architecture does not know", s.path)
			continue
		}
		allowed := append([]string{module + "/" + home}, imports[home]...)
		for _, spec := range s.parsed.Imports {
			imported := importPath(spec)
			standard := !strings.Contains(strings.SplitN(imported, "/", 2)[0], ".") && !strings.HasPrefix(imported, module+"/")
			if !standard && !within(imported, allowed) {
				t.Errorf("%s: %s must not import %s", s.at(spec), home, imported)
			}
		}
	}
}

// TestTestsKeepLibrariesApart: tests may import more, but not every library.
func TestTestsKeepLibrariesApart(t *testing.T) {
	t.Parallel()
	owners := map[string]string{"github.com/tidwall/redcon": "server", "github.com/yuin/gopher-lua": "lua"}
	for _, s := range sources(t) {
		for _, spec := range s.parsed.Imports {
			for library, owner := range owners {
				if within(importPath(spec), []string{library}) && part(path.Dir(s.path)) != owner {
					t.Errorf("%s: only %s may import %s", s.at(spec), owner, library)
				}
			}
		}
	}
}

func TestPurePackagesAreTold(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.isTest() || !slices.Contains(pure, part(path.Dir(s.path))) {
			continue
		}
		names := make(map[string]string) // what an import is called here
		for _, spec := range s.parsed.Imports {
			imported := importPath(spec)
			name := path.Base(strings.TrimSuffix(imported, "/v2"))
			if spec.Name != nil {
				name = spec.Name.Name
			}
			names[name] = imported
			if slices.Equal(impure[imported], []string{"*"}) {
				t.Errorf("%s: imports %s", s.at(spec), imported)
			}
		}
		ast.Inspect(s.parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: a go statement", s.at(n))
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && slices.Contains(impure[names[x.Name]], n.Sel.Name) {
					t.Errorf("%s: uses %s.%s", s.at(n), x.Name, n.Sel.Name)
				}
			}
			return true
		})
	}
}

func TestFilesAreShort(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if n := bytes.Count(s.text, []byte("\n")); n > longest {
			t.Errorf("%s has %d lines, more than %d", s.path, n, longest)
		}
	}
}

// TestPackageNamesSaySomething: no package is named for being shared.
func TestPackageNamesSaySomething(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		switch name := s.parsed.Name.Name; name {
		case "util", "utils", "common", "helper", "helpers", "types", "misc", "shared":
			t.Errorf("%s: a package named %s", s.path, name)
		}
	}
}

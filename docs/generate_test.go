// Package docs_test writes those pages of the documentation that follow from
// the code, and finds them stale otherwise:
//
//	go test ./docs -update
package docs_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"minikv/engine"
	"minikv/engine/config"
)

var update = flag.Bool("update", false, "write the generated pages")

// page compares a generated page with the file, or writes it.
func page(t *testing.T, file string, text []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(have, text) {
		t.Errorf("docs/%s is stale (%v): run go test ./docs -update", file, err)
	}
}

const commandsPreface = `# Commands

%d commands and %d subcommands. This page is generated from the command table: ` + "`go test ./docs -update`" + `.

Each line tells the arguments, the Redis version that brought the command, the words that came with later versions, and what
it does. Under ` + "`--redis-version X`" + ` only what X had is there. [differences.md](differences.md) lists where minikv
differs from Redis.
`

// TestCommandsPage writes commands.md from the command table.
func TestCommandsPage(t *testing.T) {
	all := engine.Commands().Commands()
	groups := make(map[engine.Group][]*engine.Command)
	commands, subcommands := 0, 0
	for _, cmd := range all {
		groups[cmd.Group] = append(groups[cmd.Group], cmd)
		if strings.Contains(cmd.FullName(), "|") {
			subcommands++
		} else {
			commands++
		}
	}
	names := make([]engine.Group, 0, len(groups))
	for name := range groups {
		names = append(names, name)
	}
	slices.Sort(names)
	var b bytes.Buffer
	fmt.Fprintf(&b, commandsPreface, commands, subcommands)
	for _, name := range names {
		fmt.Fprintf(&b, "\n## %s\n\n", name)
		for _, cmd := range groups[name] {
			if len(cmd.Sub) > 0 && cmd.Handler == nil || cmd.Name == "HELP" {
				continue // its subcommands follow; every container has HELP
			}
			b.WriteString(commandLine(t, cmd))
		}
	}
	page(t, "commands.md", b.Bytes())
}

func commandLine(t *testing.T, cmd *engine.Command) string {
	facts := []string{strings.ReplaceAll(cmd.Since, "valkey-", "Valkey ")}
	tree, err := engine.ParseSyntax(cmd.Syntax)
	if err != nil {
		t.Fatal(err)
	}
	tree.Walk(func(a *engine.Arg) {
		if a.Since != "" {
			facts = append(facts, a.Token+" "+strings.ReplaceAll(a.Since, "valkey-", "Valkey "))
		}
	})
	if cmd.Deprecated != "" {
		old := "deprecated since " + cmd.Deprecated
		if cmd.ReplacedBy != "" {
			old += " for " + strings.ReplaceAll(cmd.ReplacedBy, "`", "")
		}
		facts = append(facts, old)
	}
	return fmt.Sprintf("- `%s` (%s): %s\n", cmd.Usage(), strings.Join(facts, ", "), cmd.Summary)
}

const differencesPreface = `# Differences from Redis

minikv is measured against redis-server 7.0.15, and behaves like it unless this page says otherwise. It is generated from
the code, where each difference is explained in place: ` + "`go test ./docs -update`" + `.

A command that [commands.md](commands.md) does not list is unknown to minikv, and answered as Redis answers a command that it does not
know. There are no modules (JSON, search, time series, probabilistic types), no vector sets and no Sentinel.
`

// areas are the parts of the tree in the order of differences.md.
var areas = []struct{ folder, title string }{
	{"engine/config", "Configuration"},
	{"engine", "Commands and data"},
	{"value", "Data types"},
	{"rdb", "Files and payloads"},
	{"lua", "Scripts"},
	{"server", "The network"},
	{"cmd", "The program"},
}

// TestDifferencesPage writes differences.md from the comments that begin with
// DIFFERS and from the directives that have no effect.
func TestDifferencesPage(t *testing.T) {
	byArea := make(map[string][]string)
	for _, d := range differences(t) {
		byArea[d.area] = append(byArea[d.area], d.line())
	}
	var b bytes.Buffer
	b.WriteString(differencesPreface)
	for _, area := range areas {
		if lines := byArea[area.folder]; len(lines) > 0 {
			fmt.Fprintf(&b, "\n## %s\n\n%s", area.title, strings.Join(lines, ""))
		}
	}
	b.WriteString("\n## Directives without effect\n\nThey are checked, kept and given back by CONFIG GET, and nothing more.\n\n")
	var reasons []string
	names := make(map[string][]string)
	for _, d := range config.Directives() {
		if d.NoEffect == "" {
			continue
		}
		if names[d.NoEffect] == nil {
			reasons = append(reasons, d.NoEffect)
		}
		names[d.NoEffect] = append(names[d.NoEffect], "`"+d.Name+"`")
	}
	slices.Sort(reasons)
	for _, reason := range reasons {
		fmt.Fprintf(&b, "- %s: %s\n", strings.TrimSuffix(reason, "."), strings.Join(names[reason], ", "))
	}
	page(t, "differences.md", b.Bytes())
}

// difference is a comment that begins with DIFFERS.
type difference struct {
	area, file, text string
}

func (d *difference) line() string {
	return fmt.Sprintf("- %s ([%s](../%s))\n", d.text, filepath.Base(d.file), d.file)
}

// differences collects the comments, in the order of files and lines.
func differences(t *testing.T) []difference {
	var list []difference
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git"):
			return fs.SkipDir
		case filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(file, ".."+string(filepath.Separator)))
		for _, group := range parsed.Comments {
			for _, text := range marked(group) {
				list = append(list, difference{area(t, name), name, text})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func area(t *testing.T, file string) string {
	for _, a := range areas {
		if strings.HasPrefix(file, a.folder+"/") {
			return a.folder
		}
	}
	t.Errorf("%s has a difference, but its folder has no title in areas", file)
	return ""
}

// marked finds the paragraphs of a comment that begin with DIFFERS.
func marked(group *ast.CommentGroup) []string {
	var texts []string
	for _, paragraph := range strings.Split(group.Text(), "\n\n") {
		text, found := strings.CutPrefix(strings.Join(strings.Fields(paragraph), " "), "DIFFERS: ")
		if found {
			texts = append(texts, text)
		}
	}
	return texts
}

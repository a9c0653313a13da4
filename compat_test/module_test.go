package compat_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// program is what another module writes to embed minikv.
const program = `package main

import (
	"fmt"

	"minikv/server"
)

func main() {
	srv, err := server.Start(server.Options{NoNetwork: true})
	if err != nil {
		panic(err)
	}
	defer srv.Close()
	srv.Do("SET", "k", "v")
	v, err := srv.Do("GET", "k")
	fmt.Print(v.Str, err)
}
`

// Another module embeds minikv by a replace directive or by a workspace, as the
// README says, from what this module's own go.sum vouches for.
func TestAnotherModuleEmbedsMinikv(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, setup := range map[string][][]string{
		"replace":   {{"mod", "init", "example"}, {"mod", "edit", "-require=minikv@v0.0.0", "-replace=minikv=" + root}},
		"workspace": {{"mod", "init", "example"}, {"work", "init", ".", root}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			run := func(env string, args ...string) string {
				t.Helper()
				cmd := exec.Command("go", args...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS="+env, "GOWORK=")
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("go %v: %v\n%s", args, err, out)
				}
				return string(out)
			}
			for file, text := range map[string][]byte{"main.go": []byte(program), "go.sum": sums} {
				if err := os.WriteFile(filepath.Join(dir, file), text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for _, args := range setup {
				run("", args...)
			}
			flags := ""
			if name == "replace" {
				flags = "-mod=mod"
			}
			if got := run(flags, "run", "."); got != "v<nil>" {
				t.Errorf("the program printed %q", got)
			}
		})
	}
}

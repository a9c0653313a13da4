// Package recipes_test runs the recipes whose language is installed.
package recipes_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// minikv builds the program.
func minikv(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "minikv")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", binary, "minikv/cmd/minikv").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// run runs a recipe's suite under minikv exec.
func run(t *testing.T, dir string, program ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // it takes seconds, unless it waits for what never comes
	defer cancel()
	cmd := exec.CommandContext(ctx, minikv(t), append([]string{"exec", "--"}, program...)...)
	cmd.WaitDelay = time.Second // its child may outlive it
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %v\n%s", program, err, out)
	}
}

// missing skips a recipe whose language is not there, unless MINIKV_REQUIRE_REDIS
// says that all must be.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("MINIKV_REQUIRE_REDIS") != "" {
		t.Fatalf("there is no %s, and MINIKV_REQUIRE_REDIS is set", what)
	}
	t.Skipf("there is no %s", what)
}

func TestPython(t *testing.T) {
	t.Parallel()
	for _, python := range []string{"python3", "/usr/bin/python3"} { // Debian's own, whatever stands before it
		if exec.Command(python, "-c", "import redis").Run() == nil {
			run(t, "python", python, "-B", "-m", "unittest", "-v")
			return
		}
	}
	missing(t, "redis-py (Debian: python3-redis)")
}

// TestNode runs where npm install has put ioredis and redis into docs/recipes/node,
// or into the folder that MINIKV_NODE_MODULES names.
func TestNode(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		missing(t, "node")
	}
	modules := os.Getenv("MINIKV_NODE_MODULES")
	if modules == "" {
		modules = filepath.Join("node", "node_modules")
	}
	if _, err := os.Stat(filepath.Join(modules, "ioredis")); err != nil {
		missing(t, "ioredis: npm install in docs/recipes/node")
	}
	dir := t.TempDir()
	for _, name := range []string{"package.json", "lock.test.mjs"} {
		text, err := os.ReadFile(filepath.Join("node", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	modules, err := filepath.Abs(modules)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Skip(err)
	}
	run(t, dir, "node", "--test")
}

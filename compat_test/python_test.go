package compat_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestPythonClientAsOnRedis: a program with redis-py, of whatever version is
// installed, prints on minikv what it prints on redis-server.
func TestPythonClientAsOnRedis(t *testing.T) {
	t.Parallel()
	python := requireRedisPy(t)
	redisPort := freePort(t)
	dialWhenReady(t, startRedis(t, "--port", redisPort, "--bind", "127.0.0.1")).Close()
	_, port, _ := net.SplitHostPort(start(t, listening).Addrs()[0].String())
	compareLines(t, runPython(t, python, port), runPython(t, python, redisPort))
}

// requireRedisPy is the path of a Python that has redis-py.
func requireRedisPy(t *testing.T) string {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} { // Debian's own, whatever stands before it
		if exec.Command(python, "-c", "import redis").Run() == nil {
			return python
		}
	}
	if os.Getenv("MINIKV_REQUIRE_REDIS") != "" {
		t.Fatal("redis-py is not installed, and MINIKV_REQUIRE_REDIS is set")
	}
	t.Skip("redis-py is not installed")
	return ""
}

func runPython(t *testing.T, python, port string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), programTime)
	defer cancel()
	got, err := outputOf(exec.CommandContext(ctx, python, "-B", filepath.Join("testdata", "python", "redispy.py"), port))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

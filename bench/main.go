// Command bench measures minikv beside redis-server on this machine: both are
// started fresh, redis-benchmark runs against them in turns, and the ratios'
// medians are printed as a table. Without redis-server minikv's own figures
// are printed alone.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/alecthomas/kong"
)

// options are the command line.
type options struct {
	Pairs    int      `help:"How many times each measurement is taken on both servers." default:"5"`
	Requests int      `help:"Requests per run at pipeline depth 1; deeper pipelines get more." default:"100000"`
	Clients  int      `help:"Parallel connections." default:"50"`
	Depth    []int    `help:"Pipeline depths." default:"1,16,100"`
	Only     []string `help:"Only these measurements: set, get, incr, lock, evalsha, many, types, lua, memory, idle, start, expiry, slowclients, tail, events, growth." placeholder:"NAME"`
	Backend  string   `help:"minikv's io-backend." default:"auto"`
	Keys     int      `help:"Keys of the memory, expiry and growth measurements; tail has five times as many." default:"1000000"`
	Binary   string   `help:"A minikv binary; by default one is built." type:"existingfile"`
}

func main() {
	var opt options
	kong.Parse(&opt, kong.Name("bench"),
		kong.Description("Measures minikv beside redis-server and prints ratios (above 1: minikv is faster or smaller)."))
	if err := run(opt); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(opt options) error {
	dir, err := os.MkdirTemp("", "minikv-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if _, err := exec.LookPath("redis-benchmark"); err != nil {
		return fmt.Errorf("redis-benchmark is not installed (Debian: apt-get install redis-tools)")
	}
	if opt.Binary == "" {
		opt.Binary = filepath.Join(dir, "minikv")
		build := exec.Command("go", "build", "-o", opt.Binary, "./cmd/minikv")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("building minikv: %w", err)
		}
	}
	launch := []launcher{{name: "minikv", args: []string{opt.Binary, "--io-backend", opt.Backend}}}
	if path, err := exec.LookPath("redis-server"); err == nil {
		launch = append(launch, launcher{name: "redis-server", args: []string{path, "--appendonly", "no"}})
	} else {
		fmt.Println("redis-server is not installed: minikv's figures alone.")
	}
	fmt.Printf("%d CPUs, %s/%s, %d clients, median of %d runs in turns\n\n", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, opt.Clients, opt.Pairs)
	if slices.ContainsFunc(workloads, func(w workload) bool { return opt.wants(w.name) }) {
		if err := throughput(opt, dir, launch); err != nil {
			return err
		}
	}
	for _, m := range []struct {
		name string
		run  func(options, string, []launcher) error
	}{
		{"lua", scripts},
		{"memory", memory},
		{"idle", idle},
		{"start", startUp},
		{"expiry", expiryStall},
		{"slowclients", slowClients},
		{"tail", tail},
		{"events", expiredEvents},
		{"growth", growth},
	} {
		if !opt.wants(m.name) {
			continue
		}
		if err := m.run(opt, dir, launch); err != nil {
			return err
		}
	}
	return nil
}

// wants tells whether a measurement was asked for.
func (o options) wants(name string) bool {
	if len(o.Only) == 0 {
		return true
	}
	for _, only := range o.Only {
		if only == name {
			return true
		}
	}
	return false
}

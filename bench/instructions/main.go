// Command instructions counts the processor instructions that the engine takes
// for a command and compares them with figures.txt. It is what keeps minikv fast
// on machines that are too busy to time anything: the same commands on the same
// engine take the same instructions, whatever else runs.
//
// It is to be run in the project's folder, and runs itself under valgrind's
// callgrind, without garbage collection and with nothing beside the engine: no
// socket, no clock, no other goroutine.
package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// slack is what a figure may be exceeded by. What falls below by as much is told,
// so that the figures follow.
const slack = 0.10

//go:embed figures.txt
var figures string

type options struct {
	Update bool `help:"Write figures.txt anew instead of comparing with it."`
	Run    bool `hidden:""`
}

func main() {
	var opt options
	kong.Parse(&opt, kong.Name("instructions"), kong.Description("Counts the instructions that each command takes."))
	run := measure
	if opt.Run {
		run = runAll
	}
	if err := run(opt); err != nil {
		fmt.Fprintln(os.Stderr, "instructions:", err)
		os.Exit(1)
	}
}

// begin and end stand around what is counted: callgrind writes a part of its
// profile whenever it comes to one of them.
//
//go:noinline
func begin() {}

//go:noinline
func end() {}

// runAll is what runs under callgrind.
func runAll(options) error {
	for i := range workloads {
		n, list, err := workloads[i].prepare()
		if err != nil {
			return err
		}
		begin()
		n.run(list)
		end()
	}
	return nil
}

// measure runs this program under callgrind and compares what it counted.
func measure(opt options) error {
	counts, err := callgrind()
	if err != nil {
		return err
	}
	if opt.Update {
		return os.WriteFile("bench/instructions/figures.txt", format(counts), 0o644)
	}
	known, err := parseFigures(figures)
	if err != nil {
		return err
	}
	return compare(counts, known)
}

// compare prints each count beside its figure.
func compare(counts []int, known map[string]int) error {
	var failed []error
	fmt.Printf("%-22s %8s %8s\n", "instructions", "figure", "now")
	for i, w := range workloads {
		figure, now := known[w.name], counts[i]
		delete(known, w.name)
		note := ""
		switch ratio := float64(now) / float64(max(figure, 1)); {
		case figure == 0:
			failed = append(failed, fmt.Errorf("%s has no figure", w.name))
		case ratio > 1+slack:
			note = fmt.Sprintf("%+.0f %%", 100*(ratio-1))
			failed = append(failed, fmt.Errorf("%s takes %d instructions, %s over its figure of %d", w.name, now, note[1:], figure))
		case ratio < 1-slack:
			note = fmt.Sprintf("%+.0f %%: time for a new figure", 100*(ratio-1))
		}
		fmt.Printf("%-22s %8d %8d %s\n", w.name, figure, now, note)
	}
	for name := range known {
		failed = append(failed, fmt.Errorf("a figure of %q, which is not measured", name))
	}
	return errors.Join(failed...)
}

// callgrind answers the instructions of one round of each workload.
func callgrind() ([]int, error) {
	dir, err := os.MkdirTemp("", "minikv-instructions")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	self, out := filepath.Join(dir, "instructions"), filepath.Join(dir, "out")
	build := exec.Command("go", "build", "-o", self, "./bench/instructions") // go run leaves the names of functions out
	if text, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building: %w\n%s", err, text)
	}
	cmd := exec.Command("valgrind", "--quiet", "--tool=callgrind", "--callgrind-out-file="+out,
		"--dump-before=main.begin", "--dump-before=main.end", self, "--run")
	// callgrind does not survive the signals by which Go interrupts goroutines.
	cmd.Env = append(os.Environ(), "GOGC=off", "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1")
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("valgrind (Debian: apt-get install valgrind): %w\n%s", err, text)
	}
	counts := make([]int, len(workloads))
	for i := range counts {
		// Odd parts are what came before begin, even ones what came before end.
		total, err := totalOf(fmt.Sprintf("%s.%d", out, 2*i+2))
		if err != nil {
			return nil, err
		}
		counts[i] = total / rounds
	}
	return counts, nil
}

// totalOf reads the sum of all instructions from a part of a profile.
func totalOf(file string) (int, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(text) {
		if sum, ok := bytes.CutPrefix(line, []byte("totals: ")); ok {
			return strconv.Atoi(string(bytes.TrimSpace(sum)))
		}
	}
	return 0, fmt.Errorf("%s has no sum", file)
}

// format spells the figures file.
func format(counts []int) []byte {
	b := fmt.Appendf(nil, "# Instructions of one round of each workload, by %s on %s. Written by\n"+
		"# go run ./bench/instructions --update\n", runtime.Version(), runtime.GOARCH)
	for i, w := range workloads {
		b = fmt.Appendf(b, "%-22s %6d\n", w.name, counts[i])
	}
	return b
}

// parseFigures reads it.
func parseFigures(text string) (map[string]int, error) {
	known := make(map[string]int)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		at := strings.LastIndexByte(line, ' ')
		n, err := strconv.Atoi(line[at+1:])
		if err != nil {
			return nil, fmt.Errorf("figures.txt: %w", err)
		}
		known[strings.TrimSpace(line[:max(at, 0)])] = n
	}
	return known, nil
}

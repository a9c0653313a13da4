package main

import (
	_ "embed"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// luaWorkloads are scripts that take long enough to be timed one by one: a name
// and a source a line.
//
//go:embed lua_workloads.tsv
var luaWorkloads string

// scripts times each script by EVALSHA on the servers in turns and prints the
// ratios of the processor time they took.
func scripts(opt options, dir string, launch []launcher) error {
	servers := make([]*server, len(launch))
	for i, l := range launch {
		s, err := l.start(dir)
		if err != nil {
			return err
		}
		defer s.stop()
		servers[i] = s
	}
	fmt.Println("| script       |   minikv | redis-server | times Redis's |")
	fmt.Println("|--------------|---------:|-------------:|--------------:|")
	sum, n := 0.0, 0
	for line := range strings.Lines(luaWorkloads) {
		name, source, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		times, err := timeScript(servers, source, opt.Pairs)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if len(servers) < 2 {
			fmt.Printf("| %-12s | %6.2fms |              |               |\n", name, 1e3*median(times[0]))
			continue
		}
		ratios := make([]float64, opt.Pairs)
		for i := range ratios {
			ratios[i] = times[0][i] / times[1][i]
		}
		ratio := median(ratios)
		sum, n = sum+math.Log(ratio), n+1
		fmt.Printf("| %-12s | %6.2fms | %10.2fms | %13.2f |\n", name, 1e3*median(times[0]), 1e3*median(times[1]), ratio)
	}
	if n > 0 {
		fmt.Printf("\nGeometric mean: %.2f times Redis's time.\n\n", math.Exp(sum/float64(n)))
	}
	return nil
}

// atLeast is for how long a script runs in one measurement, again and again if
// it is short.
const atLeast = 50 * time.Millisecond

// timeScript returns the seconds that a script took on each server in each run,
// after one that is not counted but tells how often a short script is run.
func timeScript(servers []*server, source string, runs int) ([][]float64, error) {
	times, repeat := make([][]float64, len(servers)), make([]int, len(servers))
	for run := range runs + 1 {
		for i, s := range servers {
			took, err := s.timed(source, max(repeat[i], 1))
			if err != nil {
				return nil, err
			}
			if run > 0 {
				times[i] = append(times[i], took.Seconds())
			} else {
				repeat[i] = int(min(atLeast/max(took, time.Microsecond), 1000))
			}
		}
	}
	return times, nil
}

// timed runs a script so many times and returns the processor time it took each
// time, which others on the machine do not change; the time on the clock where
// that is not known.
func (s *server) timed(source string, times int) (time.Duration, error) {
	c, err := s.dial()
	if err != nil {
		return 0, err
	}
	defer c.Close()
	sha, err := c.do("SCRIPT", "LOAD", source)
	if err != nil {
		return 0, err
	}
	before, began := s.onProcessor(), time.Now()
	for range times {
		if _, err := c.do("EVALSHA", sha.Str, "0"); err != nil {
			return 0, err
		}
	}
	took := time.Since(began)
	if after := s.onProcessor(); after > before {
		took = after - before
	}
	return took / time.Duration(times), nil
}

// onProcessor is the processor time of all threads of the server, to the
// nanosecond; 0 where there is no /proc.
func (s *server) onProcessor() (sum time.Duration) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", s.cmd.Process.Pid))
	for _, file := range threads {
		text, _ := os.ReadFile(file)
		first, _, _ := strings.Cut(string(text), " ")
		n, _ := strconv.ParseInt(first, 10, 64)
		sum += time.Duration(n)
	}
	return sum
}

package main

import (
	"encoding/csv"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// release gives a lock back if it is still ours.
const release = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end"

// workload is one row of the table: arguments of redis-benchmark.
type workload struct {
	name  string
	title string
	args  func(sha string) []string
	part  int  // n-th part of the usual requests, for heavy ones; 0 is 1
	depth int  // only this pipeline depth; 0: all
	many  bool // with 1,000 clients
	setup func(s *server) error
}

// builtin is one of redis-benchmark's own tests.
func builtin(name string) func(string) []string {
	return func(string) []string { return []string{"-r", "100000", "-t", name} }
}

// command is any command, with __rand_int__ where random keys are wanted.
func command(words ...string) func(string) []string {
	return func(string) []string { return append([]string{"-r", "100000"}, words...) }
}

// evalsha runs the release script on random locks.
var evalsha = workload{name: "evalsha", title: "EVALSHA release", args: func(sha string) []string {
	return []string{"-r", "100000", "EVALSHA", sha, "1", "lock:__rand_int__", "token"}
}}

var workloads = []workload{
	{name: "set", title: "SET", args: func(string) []string { return []string{"-t", "set"} }},
	{name: "get", title: "GET", args: func(string) []string { return []string{"-t", "get"} }},
	{name: "incr", title: "INCR", args: func(string) []string { return []string{"-t", "incr"} }},
	{name: "lock", title: "SET NX EX", args: func(string) []string {
		return []string{"-r", "100000", "SET", "lock:__rand_int__", "token", "NX", "EX", "30"}
	}},
	evalsha,
	{name: "many", title: "SET, 1000 clients", args: func(string) []string { return []string{"-t", "set"} }, depth: 1, many: true},
	{name: "many", title: "GET, 1000 clients", args: func(string) []string { return []string{"-t", "get"} }, depth: 1, many: true},
	{name: "types", title: "LPUSH", args: builtin("lpush")},
	{name: "types", title: "RPUSH", args: builtin("rpush")},
	{name: "types", title: "LPOP", args: builtin("lpop")},
	{name: "types", title: "RPOP", args: builtin("rpop")},
	{name: "types", title: "SADD", args: builtin("sadd")},
	{name: "types", title: "HSET", args: builtin("hset")},
	{name: "types", title: "SPOP", args: builtin("spop")},
	{name: "types", title: "ZADD", args: builtin("zadd")},
	{name: "types", title: "ZPOPMIN", args: builtin("zpopmin")},
	{name: "types", title: "MSET (10 keys)", args: builtin("mset")},
	{name: "types", title: "LRANGE_100", args: builtin("lrange_100"), part: 5},
	{name: "types", title: "LRANGE_300", args: builtin("lrange_300"), part: 10},
	{name: "types", title: "LRANGE_600", args: builtin("lrange_600"), part: 20},
	{name: "types", title: "XADD", args: command("XADD", "stream", "MAXLEN", "~", "100000", "*", "field", "value")},
	{name: "types", title: "ZRANGE of 1 M", args: command("ZRANGE", "bigzset", "500000", "500009"), setup: bigZSet},
}

// bigZSet makes a sorted set of a million members.
func bigZSet(s *server) error {
	return s.load(1000, func(i int) []string {
		args := []string{"ZADD", "bigzset"}
		for j := range 1000 {
			n := strconv.Itoa(i*1000 + j)
			args = append(args, n, "member:"+n)
		}
		return args
	})
}

// throughput prints requests per second and ratios, a row a workload and depth.
func throughput(opt options, dir string, launch []launcher) error {
	var servers []*server
	for _, l := range launch {
		s, err := l.start(dir)
		if err != nil {
			return err
		}
		defer s.stop()
		servers = append(servers, s)
	}
	printHeader(servers)
	for _, w := range workloads {
		if !opt.wants(w.name) {
			continue
		}
		for _, s := range servers {
			if w.setup != nil {
				if err := w.setup(s); err != nil {
					return err
				}
			}
		}
		for _, depth := range opt.Depth {
			if w.depth != 0 && w.depth != depth {
				continue
			}
			if err := compare(opt, servers, w, depth); err != nil {
				return err
			}
		}
	}
	fmt.Println()
	if opt.wants("evalsha") {
		return scriptCost(opt, servers)
	}
	return nil
}

// scriptCost prints what each server's EVALSHA of the release script makes of
// its own GET rate, on the same random keys at pipeline depth 1.
func scriptCost(opt options, servers []*server) error {
	get := workload{title: "GET of a lock", args: command("GET", "lock:__rand_int__")}
	for _, s := range servers {
		var ratios []float64
		for range opt.Pairs {
			plain, err := s.benchmark(opt, get, 1)
			if err != nil {
				return err
			}
			script, err := s.benchmark(opt, evalsha, 1)
			if err != nil {
				return err
			}
			ratios = append(ratios, script/plain)
		}
		fmt.Printf("EVALSHA of the release script at P=1 on %s: %.2f of its own GET rate (%.2f to %.2f)\n",
			s.name, median(ratios), slices.Min(ratios), slices.Max(ratios))
	}
	fmt.Println()
	return nil
}

// printHeader begins the table; its last columns are microseconds of processor
// time that each server takes for a request, which says more than the rates
// where redis-benchmark is what has no time left.
func printHeader(servers []*server) {
	titles := []string{fmt.Sprintf("%-18s", "requests/s"), fmt.Sprintf("%4s", "P")}
	for _, s := range servers {
		titles = append(titles, fmt.Sprintf("%12s", s.name))
	}
	if len(servers) > 1 {
		titles = append(titles, fmt.Sprintf("%6s", "ratio"), fmt.Sprintf("%-13s", "spread"))
	}
	for range servers {
		titles = append(titles, "CPU µs")
	}
	rule := make([]string, len(titles))
	for i, t := range titles {
		rule[i] = strings.Repeat("-", utf8.RuneCountInString(t)+1) + ":"
	}
	fmt.Printf("| %s |\n|%s|\n", strings.Join(titles, " | "), strings.Join(rule, "|"))
}

// compare measures one workload at one depth on all servers in turns and
// prints its row.
func compare(opt options, servers []*server, w workload, depth int) error {
	rates := make([][]float64, len(servers))
	costs := make([][]float64, len(servers))
	for range opt.Pairs {
		for i, s := range servers {
			before := s.cpu()
			rate, err := s.benchmark(opt, w, depth)
			if err != nil {
				return fmt.Errorf("%s on %s: %w", w.title, s.name, err)
			}
			rates[i] = append(rates[i], rate)
			costs[i] = append(costs[i], float64((s.cpu()-before).Nanoseconds())/1000/float64(w.requests(opt, depth)))
		}
	}
	fmt.Printf("| %-18s | %4d |", w.title, depth)
	for i := range servers {
		fmt.Printf(" %12.0f |", median(rates[i]))
	}
	if len(servers) > 1 {
		var ratios []float64
		for i := range rates[0] {
			ratios = append(ratios, rates[0][i]/rates[1][i])
		}
		fmt.Printf(" %6.2f | %.2f to %.2f  |", median(ratios), slices.Min(ratios), slices.Max(ratios))
	}
	for i := range servers {
		fmt.Printf(" %6.2f |", median(costs[i]))
	}
	fmt.Println()
	return nil
}

// benchmark runs redis-benchmark once and answers its requests per second.
func (s *server) benchmark(opt options, w workload, depth int) (float64, error) {
	v, err := s.do("SCRIPT", "LOAD", release)
	if err != nil {
		return 0, err
	}
	n := w.requests(opt, depth)
	clients := opt.Clients
	if w.many {
		clients = 1000
	}
	args := []string{"-p", strconv.Itoa(s.port), "-c", strconv.Itoa(clients), "-n", strconv.Itoa(n), "-P", strconv.Itoa(depth), "--csv"}
	out, err := exec.Command("redis-benchmark", append(args, w.args(v.Str)...)...).Output()
	if err != nil {
		return 0, err
	}
	rows, err := csv.NewReader(strings.NewReader(string(out))).ReadAll()
	if err != nil || len(rows) < 2 {
		return 0, fmt.Errorf("redis-benchmark printed %q", out)
	}
	return strconv.ParseFloat(rows[len(rows)-1][1], 64) // before it stands what fills the list for LRANGE
}

// requests is how many requests one run makes.
func (w workload) requests(opt options, depth int) int {
	return opt.Requests * min(depth, 20) / max(1, w.part)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

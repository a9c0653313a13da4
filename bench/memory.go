package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"minikv/resp"
)

// filling is one row of the memory table: how to fill a server, and with how
// many things.
type filling struct {
	title string
	per   string
	batch int // things per command
	args  func(i int) []string
}

// fillings are what the memory table measures: keys, and members of one large
// collection.
var fillings = []filling{
	{"strings, 16-byte key, 32-byte value", "key", 1, func(i int) []string { return []string{"SET", keyName(i), value32} }},
	{"the same with a TTL", "key", 1, func(i int) []string { return []string{"SET", keyName(i), value32, "EX", "100000"} }},
	{"one hash", "field", 100, func(i int) []string {
		return members([]string{"HSET", "big"}, i, func(n string) []string { return []string{"field:" + n, "value:" + n} })
	}},
	{"one set", "member", 100, func(i int) []string {
		return members([]string{"SADD", "big"}, i, func(n string) []string { return []string{"member:" + n} })
	}},
	{"one sorted set", "member", 100, func(i int) []string {
		return members([]string{"ZADD", "big"}, i, func(n string) []string { return []string{n, "member:" + n} })
	}},
	{"one list", "element", 100, func(i int) []string {
		return members([]string{"RPUSH", "big"}, i, func(n string) []string { return []string{"element:" + n} })
	}},
	{"hashes of 5 fields", "hash", 1, func(i int) []string {
		return []string{"HSET", keyName(i), "name", "somebody", "age", "41", "city", "somewhere", "score", "3.25", "flag", "1"}
	}},
	{"sets of 5 numbers", "set", 1, func(i int) []string { return []string{"SADD", keyName(i), "1", "22", "333", "4444", "55555"} }},
	{"sets of 5 words", "set", 1, func(i int) []string { return []string{"SADD", keyName(i), "red", "green", "blue", "yellow", "white"} }},
	{"sorted sets of 5 members", "set", 1, func(i int) []string {
		return []string{"ZADD", keyName(i), "1", "anne", "20", "bert", "300", "carl", "4000", "dora", "5.5", "emil"}
	}},
	{"lists of 5 elements", "list", 1, func(i int) []string {
		return []string{"RPUSH", keyName(i), "first", "second", "third", "fourth", "fifth"}
	}},
}

var value32 = strings.Repeat("v", 32)

func keyName(i int) string { return fmt.Sprintf("key:%012d", i) }

// members adds a hundred members to a command, the i-th hundred.
func members(args []string, i int, member func(n string) []string) []string {
	for j := range 100 {
		args = append(args, member(fmt.Sprintf("%09d", i*100+j))...)
	}
	return args
}

// memory prints the resident bytes that each of the opt.Keys things takes: when
// they are there and garbage is collected, and at most while they came.
func memory(opt options, dir string, launch []launcher) error {
	fmt.Printf("Resident bytes, %d of each, after MEMORY PURGE and at their peak:\n\n| %-36s | %-8s |", opt.Keys, "", "per")
	for _, l := range launch {
		fmt.Printf(" %12s | %7s |", l.name, "at peak")
	}
	fmt.Printf(" ratio | at peak |\n|%s|%s|%s-------|---------|\n", strings.Repeat("-", 38), strings.Repeat("-", 10),
		strings.Repeat(strings.Repeat("-", 13)+":|"+strings.Repeat("-", 8)+":|", len(launch)))
	for _, f := range fillings {
		fmt.Printf("| %-36s | %-8s |", f.title, f.per)
		var sizes, peaks []float64
		for _, l := range launch {
			size, peak, err := f.measure(opt, dir, l)
			if err != nil {
				return err
			}
			sizes, peaks = append(sizes, size), append(peaks, peak)
			fmt.Printf(" %12.0f | %7.0f |", size, peak)
		}
		if len(sizes) > 1 {
			fmt.Printf(" %5.2f | %7.2f |", sizes[0]/sizes[1], peaks[0]/peaks[1])
		}
		fmt.Println()
	}
	fmt.Println()
	return nil
}

// measure fills a fresh server and answers the resident bytes per thing.
func (f filling) measure(opt options, dir string, l launcher) (size, peak float64, err error) {
	s, err := l.start(dir)
	if err != nil {
		return 0, 0, err
	}
	defer s.stop()
	before, err := s.resident()
	if err != nil {
		return 0, 0, err
	}
	if err := s.load(opt.Keys/f.batch, f.args); err != nil {
		return 0, 0, err
	}
	most, err := s.status("VmHWM")
	if err != nil {
		return 0, 0, err
	}
	if _, err := s.do("MEMORY", "PURGE"); err != nil {
		return 0, 0, err
	}
	after, err := s.resident()
	return float64(after-before) / float64(opt.Keys), float64(most-before) / float64(opt.Keys), err
}

// load sends n commands in one long pipeline.
func (s *server) load(n int, args func(i int) []string) error {
	c, err := s.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	failed := make(chan error, 1)
	go func() {
		w := bufio.NewWriterSize(c, 1<<16)
		var buf []byte
		for i := range n {
			buf = resp.AppendCommandStrings(buf[:0], args(i)...)
			w.Write(buf)
		}
		failed <- w.Flush()
	}()
	for range n {
		v, err := c.r.Read()
		if err != nil {
			return err
		}
		if v.IsError() {
			return fmt.Errorf("%s: %s", s.name, v.Str)
		}
	}
	return <-failed
}

// resident is the process's resident memory in bytes.
func (s *server) resident() (int64, error) {
	time.Sleep(200 * time.Millisecond) // let it settle
	return s.status("VmRSS")
}

// status is an amount of memory in bytes, of /proc's status.
func (s *server) status(field string) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if kb, ok := strings.CutPrefix(line, field+":"); ok {
			n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(kb), " kB"), 10, 64)
			return n << 10, err
		}
	}
	return 0, fmt.Errorf("no %s for %s", field, s.name)
}

package main

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"minikv/resp"
)

// memory prints the resident bytes per key of string keys with 16-byte names
// and 32-byte values.
func memory(opt options, dir string, launch []launcher) error {
	fmt.Printf("Resident memory of %d keys (16-byte key, 32-byte value):\n\n| server       | bytes per key |\n|--------------|--------------:|\n", opt.Keys)
	for _, l := range launch {
		s, err := l.start(dir)
		if err != nil {
			return err
		}
		before, err := s.resident()
		if err == nil {
			err = s.fill(opt.Keys, nil)
		}
		if err != nil {
			s.stop()
			return err
		}
		after, err := s.resident()
		s.stop()
		if err != nil {
			return err
		}
		fmt.Printf("| %-12s | %13.0f |\n", l.name, float64(after-before)/float64(opt.Keys))
	}
	fmt.Println()
	return nil
}

// fill sets n keys, each with the options given.
func (s *server) fill(n int, options []string) error {
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
			args := append([]string{"SET", fmt.Sprintf("key:%012d", i), strings.Repeat("v", 32)}, options...)
			buf = resp.AppendCommandStrings(buf[:0], args...)
			w.Write(buf)
		}
		failed <- w.Flush()
	}()
	for range n {
		if _, err := c.r.Read(); err != nil {
			return err
		}
	}
	return <-failed
}

// resident is the process's resident memory in bytes.
func (s *server) resident() (int64, error) {
	time.Sleep(200 * time.Millisecond) // let it settle
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if kb, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(kb), " kB"), 10, 64)
			return n << 10, err
		}
	}
	return 0, fmt.Errorf("no VmRSS for %s", s.name)
}

// expiryStall loads keys that are all due in the same millisecond and prints
// how long the slowest PING waited while they went.
func expiryStall(opt options, dir string, launch []launcher) error {
	fmt.Printf("%d keys due in one millisecond, PINGs of one client meanwhile:\n\n", opt.Keys)
	fmt.Printf("| server       | slowest | 99.9 %%  | all gone after |\n|--------------|--------:|--------:|---------------:|\n")
	for _, l := range launch {
		s, err := l.start(dir)
		if err != nil {
			return err
		}
		err = s.stall(opt.Keys)
		s.stop()
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *server) stall(keys int) error {
	due := time.Now().Add(time.Duration(keys)*4*time.Microsecond + time.Second)
	if err := s.fill(keys, []string{"PXAT", strconv.FormatInt(due.UnixMilli(), 10)}); err != nil {
		return err
	}
	c, err := s.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	time.Sleep(time.Until(due.Add(-50 * time.Millisecond)))
	var waits []time.Duration
	gone := time.Duration(0)
	for i := 0; time.Since(due) < 20*time.Second; i++ {
		start := time.Now()
		if _, err := c.do("PING"); err != nil {
			return err
		}
		waits = append(waits, time.Since(start))
		if i%200 == 0 {
			v, err := c.do("DBSIZE")
			if err != nil {
				return err
			}
			if v.Int == 0 && time.Now().After(due) {
				gone = time.Since(due)
				break
			}
		}
	}
	slices.Sort(waits)
	fmt.Printf("| %-12s | %7s | %7s | %14s |\n", s.name, waits[len(waits)-1].Round(10*time.Microsecond),
		waits[len(waits)*999/1000].Round(10*time.Microsecond), gone.Round(time.Millisecond))
	return nil
}

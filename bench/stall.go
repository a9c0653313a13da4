package main

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// expiryStall loads keys that are all due in the same millisecond and prints
// how long the slowest PING waited while they went.
//
// Until they are due the keys are read again and again. On a virtual machine the
// host may take back pages that nobody has touched for a second or two; the
// first thousands of accesses after that cost some 50 µs each, in any process,
// and that would be the figure.
func expiryStall(opt options, dir string, launch []launcher) error {
	fmt.Printf("%d keys due in one millisecond, PINGs of one client meanwhile (median of %d runs each):\n\n", opt.Keys, opt.Pairs)
	fmt.Printf("| server       | slowest | smallest to largest of the runs | 99.9 %%  | all gone after |\n")
	fmt.Printf("|--------------|--------:|--------------------------------:|--------:|---------------:|\n")
	runs := make([][]stall, len(launch))
	for range opt.Pairs {
		for i, l := range launch {
			s, err := l.start(dir)
			if err != nil {
				return err
			}
			run, err := s.stall(opt.Keys)
			s.stop()
			if err != nil {
				return err
			}
			runs[i] = append(runs[i], run)
		}
	}
	for i, l := range launch {
		slowest := sortedBy(runs[i], func(r stall) time.Duration { return r.slowest })
		fmt.Printf("| %-12s | %7s | %31s | %7s | %14s |\n", l.name, inMS(middle(slowest)),
			inMS(slowest[0])+" to "+inMS(slowest[len(slowest)-1]),
			inMS(middle(sortedBy(runs[i], func(r stall) time.Duration { return r.most }))),
			middle(sortedBy(runs[i], func(r stall) time.Duration { return r.gone })).Round(time.Millisecond))
	}
	fmt.Println()
	return nil
}

// stall is what one run showed: the slowest PING, the slowest but one in a
// thousand, and how long after their deadline the last key went.
type stall struct{ slowest, most, gone time.Duration }

// sortedBy is one figure of all runs, sorted.
func sortedBy[R any](runs []R, of func(R) time.Duration) []time.Duration {
	var c []time.Duration
	for _, r := range runs {
		c = append(c, of(r))
	}
	slices.Sort(c)
	return c
}

func middle(sorted []time.Duration) time.Duration { return sorted[len(sorted)/2] }

func inMS(d time.Duration) string { return fmt.Sprintf("%.1fms", d.Seconds()*1000) }

func (s *server) stall(keys int) (stall, error) {
	due := time.Now().Add(time.Duration(keys)*4*time.Microsecond + time.Second)
	at := strconv.FormatInt(due.UnixMilli(), 10)
	if err := s.load(keys, func(i int) []string { return []string{"SET", keyName(i), value32, "PXAT", at} }); err != nil {
		return stall{}, err
	}
	lot := max(keys/50, 1)
	for i := 0; time.Until(due) > 100*time.Millisecond; i += lot {
		if err := s.load(lot, func(j int) []string { return []string{"GET", keyName((i + j) % keys)} }); err != nil {
			return stall{}, err
		}
	}
	c, err := s.dial()
	if err != nil {
		return stall{}, err
	}
	defer c.Close()
	time.Sleep(time.Until(due.Add(-20 * time.Millisecond)))
	var run stall
	var waits []time.Duration
	for i := 0; time.Since(due) < 20*time.Second; i++ {
		start := time.Now()
		if _, err := c.do("PING"); err != nil {
			return stall{}, err
		}
		waits = append(waits, time.Since(start))
		if i%200 == 0 {
			v, err := c.do("DBSIZE")
			if err != nil {
				return stall{}, err
			}
			if v.Int == 0 && time.Now().After(due) {
				run.gone = time.Since(due)
				break
			}
		}
	}
	slices.Sort(waits)
	run.slowest, run.most = waits[len(waits)-1], waits[len(waits)*999/1000]
	return run, nil
}

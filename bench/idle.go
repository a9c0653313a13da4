package main

import (
	"fmt"
	"slices"
	"time"
)

// idleConnections is how many clients connect, say PING once and rest.
const idleConnections = 10000

// idle prints the resident bytes that a resting connection takes.
func idle(opt options, dir string, launch []launcher) error {
	fmt.Printf("Resident bytes of each of %d connections that rest after a PING, median of %d runs:\n\n", idleConnections, opt.Pairs)
	fmt.Printf("| server       | bytes |\n|--------------|------:|\n")
	for _, l := range launch {
		var sizes []float64
		for range opt.Pairs {
			size, err := restingMemory(dir, l)
			if err != nil {
				return err
			}
			sizes = append(sizes, size)
		}
		fmt.Printf("| %-12s | %5.0f |\n", l.name, median(sizes))
	}
	fmt.Println()
	return nil
}

func restingMemory(dir string, l launcher) (float64, error) {
	s, err := l.start(dir)
	if err != nil {
		return 0, err
	}
	defer s.stop()
	if _, err := s.do("CONFIG", "SET", "maxclients", fmt.Sprint(idleConnections+10)); err != nil {
		return 0, err
	}
	before, err := s.resident()
	if err != nil {
		return 0, err
	}
	var conns []*conn
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	for range idleConnections {
		c, err := s.dial()
		if err != nil {
			return 0, err
		}
		conns = append(conns, c)
		if _, err := c.do("PING"); err != nil {
			return 0, err
		}
	}
	time.Sleep(3 * time.Second) // both give buffers back that have not been used for some time
	if _, err := s.do("MEMORY", "PURGE"); err != nil {
		return 0, err
	}
	after, err := s.resident()
	return float64(after-before) / idleConnections, err
}

// startUp prints how long a server takes from its start to its first PONG.
func startUp(opt options, dir string, launch []launcher) error {
	fmt.Printf("Start to first PONG, median of %d runs in turns:\n\n| server       |    time |\n|--------------|--------:|\n", opt.Pairs)
	times := make([][]time.Duration, len(launch))
	for range opt.Pairs {
		for i, l := range launch {
			s, err := l.start(dir)
			if err != nil {
				return err
			}
			times[i] = append(times[i], s.answered)
			s.stop()
		}
	}
	for i, l := range launch {
		slices.Sort(times[i])
		fmt.Printf("| %-12s | %7s |\n", l.name, middle(times[i]).Round(100*time.Microsecond))
	}
	fmt.Println()
	return nil
}

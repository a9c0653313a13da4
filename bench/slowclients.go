package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"minikv/resp"
)

// What slow clients cost the others: twenty clients send GET, one at a time, while
// nothing else goes on, while a client asks for large replies and reads none, and
// while one sends a byte a second.

const (
	readers     = 20
	slowSeconds = 3
	largeValue  = 64 << 10
)

// nuisance is what a slow client does until done is closed.
type nuisance struct {
	title string
	start func(s *server, done <-chan struct{}) error
}

var nuisances = []nuisance{
	{"nothing else", func(*server, <-chan struct{}) error { return nil }},
	{"one that never reads", neverRead},
	{"one that sends a byte a second", trickle},
}

// slowClients prints the 50th, 99th and 99.9th percentile of GET's time.
func slowClients(opt options, dir string, launch []launcher) error {
	fmt.Printf("GET by %d clients for %d s, beside\n\n", readers, slowSeconds)
	fmt.Printf("| %-30s | %-12s | %9s | %9s | %9s | %8s |\n|%s|%s|%s:|\n", "", "server", "50 %", "99 %", "99.9 %", "GETs",
		strings.Repeat("-", 32), strings.Repeat("-", 14), strings.Repeat(strings.Repeat("-", 10)+":|", 3)+strings.Repeat("-", 9))
	for _, n := range nuisances {
		for _, l := range launch {
			waits, err := n.measure(dir, l)
			if err != nil {
				return fmt.Errorf("%s on %s: %w", n.title, l.name, err)
			}
			at := func(share float64) time.Duration {
				return waits[int(float64(len(waits)-1)*share)].Round(time.Microsecond)
			}
			fmt.Printf("| %-30s | %-12s | %9s | %9s | %9s | %8d |\n", n.title, l.name, at(0.5), at(0.99), at(0.999), len(waits))
		}
	}
	fmt.Println()
	return nil
}

// measure answers how long each GET took, in order.
func (n nuisance) measure(dir string, l launcher) ([]time.Duration, error) {
	s, err := l.start(dir)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	for _, args := range [][]string{
		{"SET", "key", value32}, {"SET", "large", strings.Repeat("x", largeValue)},
		{"CONFIG", "SET", "client-output-buffer-limit", "normal 256mb 0 0"}, // both would keep all of it for ever
	} {
		if _, err := s.do(args...); err != nil {
			return nil, err
		}
	}
	done := make(chan struct{})
	defer close(done)
	if err := n.start(s, done); err != nil {
		return nil, err
	}
	var wg sync.WaitGroup
	parts, errs := make([][]time.Duration, readers), make([]error, readers)
	for i := range readers {
		wg.Go(func() { parts[i], errs[i] = s.gets(slowSeconds * time.Second) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	waits := slices.Concat(parts...)
	slices.Sort(waits)
	return waits, nil
}

// gets sends GET again and again and answers how long each took.
func (s *server) gets(during time.Duration) (waits []time.Duration, err error) {
	c, err := s.dial()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	for end := time.Now().Add(during); time.Now().Before(end); {
		start := time.Now()
		if _, err := c.do("GET", "key"); err != nil {
			return nil, err
		}
		waits = append(waits, time.Since(start))
	}
	return waits, nil
}

// neverRead asks for a hundred megabytes a second in small pipelines and reads
// nothing; the server closes the connection at its limit, and it comes again.
func neverRead(s *server, done <-chan struct{}) error {
	get := resp.AppendCommandStrings(nil, "GET", "large")
	pipeline := slices.Repeat(get, 16)
	go func() {
		for {
			c, err := s.dial()
			if err != nil {
				return
			}
			for err == nil {
				select {
				case <-done:
					c.Close()
					return
				case <-time.After(10 * time.Millisecond):
					c.SetWriteDeadline(time.Now().Add(time.Second))
					_, err = c.Write(pipeline)
				}
			}
			c.Close()
		}
	}()
	return nil
}

// trickle sends a command a byte a second.
func trickle(s *server, done <-chan struct{}) error {
	c, err := s.dial()
	if err != nil {
		return err
	}
	go func() {
		defer c.Close()
		for _, b := range resp.AppendCommandStrings(nil, "GET", "key") {
			if _, err := c.Write([]byte{b}); err != nil {
				return
			}
			select {
			case <-done:
				return
			case <-time.After(time.Second):
			}
		}
	}()
	return nil
}

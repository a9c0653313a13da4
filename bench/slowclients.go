package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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
	outputLimit = 64 << 20 // both would keep all of it for ever without one
)

// nuisance is what a slow client does until done is closed.
type nuisance struct {
	title string
	start func(s *server, done <-chan struct{}, seen *cuts) error
}

// cuts is what became of the client that never reads.
type cuts struct {
	times atomic.Int64 // that the server closed its connection
	most  atomic.Int64 // bytes of output that the server was seen to keep for any client
}

var nuisances = []nuisance{
	{"nothing else", func(*server, <-chan struct{}, *cuts) error { return nil }},
	{"one that never reads", neverRead},
	{"one that sends a byte a second", trickle},
}

// slowClients prints the 50th, 99th and 99.9th percentile of GET's time, and
// that who never reads is cut at the limit.
func slowClients(opt options, dir string, launch []launcher) error {
	fmt.Printf("GET by %d clients for %d s, beside\n\n", readers, slowSeconds)
	fmt.Printf("| %-30s | %-12s | %9s | %9s | %9s | %8s |\n|%s|%s|%s:|\n", "", "server", "50 %", "99 %", "99.9 %", "GETs",
		strings.Repeat("-", 32), strings.Repeat("-", 14), strings.Repeat(strings.Repeat("-", 10)+":|", 3)+strings.Repeat("-", 9))
	told := ""
	for _, n := range nuisances {
		for _, l := range launch {
			var seen cuts
			waits, err := n.measure(dir, l, &seen)
			if err != nil {
				return fmt.Errorf("%s on %s: %w", n.title, l.name, err)
			}
			at := func(share float64) time.Duration {
				return waits[int(float64(len(waits)-1)*share)].Round(time.Microsecond)
			}
			fmt.Printf("| %-30s | %-12s | %9s | %9s | %9s | %8d |\n", n.title, l.name, at(0.5), at(0.99), at(0.999), len(waits))
			if most := seen.most.Load(); most > 0 {
				told += fmt.Sprintf("%s cut the client that never reads %d times; the most output it was seen to keep was %d of at most %d MB.\n",
					l.name, seen.times.Load(), most>>20, outputLimit>>20)
			}
		}
	}
	fmt.Println("\n" + told)
	return nil
}

// measure answers how long each GET took, in order.
func (n nuisance) measure(dir string, l launcher, seen *cuts) ([]time.Duration, error) {
	s, err := l.start(dir)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	for _, args := range [][]string{
		{"SET", "key", value32}, {"SET", "large", strings.Repeat("x", largeValue)},
		{"CONFIG", "SET", "client-output-buffer-limit", fmt.Sprintf("normal %d 0 0", outputLimit)},
	} {
		if _, err := s.do(args...); err != nil {
			return nil, err
		}
	}
	done := make(chan struct{})
	defer close(done)
	if err := n.start(s, done, seen); err != nil {
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
func neverRead(s *server, done <-chan struct{}, seen *cuts) error {
	watch, err := s.dial()
	if err != nil {
		return err
	}
	get := resp.AppendCommandStrings(nil, "GET", "large")
	pipeline := slices.Repeat(get, 16)
	go func() {
		defer watch.Close()
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
					seen.look(watch)
				}
			}
			c.Close()
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				seen.times.Add(1)
			}
		}
	}()
	return nil
}

// look notes the most output that is kept for a client now.
func (seen *cuts) look(c *conn) {
	list, err := c.do("CLIENT", "LIST")
	if err != nil {
		return
	}
	for word := range strings.FieldsSeq(list.Str) {
		if text, ok := strings.CutPrefix(word, "omem="); ok {
			n, _ := strconv.ParseInt(text, 10, 64)
			seen.most.Store(max(seen.most.Load(), n))
		}
	}
}

// trickle sends a command a byte a second.
func trickle(s *server, done <-chan struct{}, _ *cuts) error {
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

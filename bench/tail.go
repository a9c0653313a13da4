package main

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"minikv/resp"
)

// What the slowest requests wait with much data in memory, while the collector is
// at work: half GET, half SET of 5 million keys are sent at 70 % of the rate that
// the server reached under redis-benchmark just before. A client does not wait for
// replies before it goes on, so that a server which stops for a while has all the
// requests before it that come meanwhile, and each of them counts.
//
// Beside them MEMORY PURGE is sent every collectEvery, which in minikv is a whole
// collection.

const (
	tailClients  = 20
	tailSeconds  = 5
	tailShare    = 0.7
	tailKeys     = 5 // times options.Keys
	collectEvery = 2 * time.Second
	sendEvery    = time.Millisecond // what is due by then
)

// waits are those of one run, in order.
type waits struct{ get, set []time.Duration }

func tail(opt options, dir string, launch []launcher) error {
	keys := tailKeys * opt.Keys
	fmt.Printf("GET and SET of %d keys by %d clients at %.0f %% of redis-benchmark's rate at P=1, MEMORY PURGE every %s, %d s, median of %d runs in turns:\n\n",
		keys, tailClients, 100*tailShare, collectEvery, tailSeconds, opt.Pairs)
	get := workload{title: "GET", args: func(string) []string { return []string{"-r", fmt.Sprint(keys), "GET", "key:__rand_int__"} }}
	servers, err := startAll(dir, launch)
	defer stopAll(servers)
	if err != nil {
		return err
	}
	runs := make([][]waits, len(servers))
	rates := make([][]float64, len(servers))
	for _, s := range servers {
		if err := s.load(keys, func(i int) []string { return []string{"SET", keyName(i), value32} }); err != nil {
			return err
		}
	}
	for range opt.Pairs {
		for i, s := range servers {
			peak, err := s.benchmark(opt, get, 1)
			if err != nil {
				return err
			}
			purged := make(chan error)
			done := make(chan struct{})
			go func() { purged <- s.purge(done) }()
			w, err := s.ask(keys, tailShare*peak)
			close(done)
			if err := <-purged; err != nil {
				return err
			}
			if err != nil {
				return err
			}
			runs[i] = append(runs[i], w)
			rates[i] = append(rates[i], float64(len(w.get)+len(w.set))/tailSeconds)
		}
	}
	fmt.Printf("| %-7s | %-12s | %10s | %9s | %9s | %9s | %-22s |\n", "", "server", "requests/s", "50 %", "99 %", "99.9 %", "99.9 %, least to most")
	fmt.Printf("|---------|--------------|-----------:|----------:|----------:|----------:|------------------------|\n")
	for _, kind := range []struct {
		name string
		of   func(waits) []time.Duration
	}{{"GET", func(w waits) []time.Duration { return w.get }}, {"SET", func(w waits) []time.Duration { return w.set }}} {
		for i, s := range servers {
			at := func(share float64) []time.Duration {
				return sortedBy(runs[i], func(w waits) time.Duration { return percentile(kind.of(w), share) })
			}
			most := at(0.999)
			fmt.Printf("| %-7s | %-12s | %10.0f | %9s | %9s | %9s | %-22s |\n", kind.name, s.name, median(rates[i]),
				middle(at(0.5)), middle(at(0.99)), middle(most), fmt.Sprintf("%s to %s", most[0], most[len(most)-1]))
		}
	}
	fmt.Println()
	return nil
}

// startAll starts one server of each kind.
func startAll(dir string, launch []launcher) (servers []*server, err error) {
	for _, l := range launch {
		s, err := l.start(dir)
		if err != nil {
			return servers, err
		}
		servers = append(servers, s)
	}
	return servers, nil
}

func stopAll(servers []*server) {
	for _, s := range servers {
		s.stop()
	}
}

// percentile is the wait that a share of all did not exceed.
func percentile(sorted []time.Duration, share float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(float64(len(sorted)-1)*share)].Round(time.Microsecond)
}

// purge sends MEMORY PURGE until done is closed.
func (s *server) purge(done <-chan struct{}) error {
	c, err := s.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	for {
		if _, err := c.do("MEMORY", "PURGE"); err != nil {
			return err
		}
		select {
		case <-done:
			return nil
		case <-time.After(collectEvery):
		}
	}
}

// ask has the clients send at a rate and answers how long each request took, in
// order.
func (s *server) ask(keys int, rate float64) (all waits, err error) {
	var wg sync.WaitGroup
	parts, errs := make([]waits, tailClients), make([]error, tailClients)
	for i := range tailClients {
		wg.Go(func() { parts[i], errs[i] = s.askAlone(uint64(i), keys, rate/tailClients) })
	}
	wg.Wait()
	for i := range parts {
		if errs[i] != nil {
			return all, errs[i]
		}
		all.get, all.set = append(all.get, parts[i].get...), append(all.set, parts[i].set...)
	}
	slices.Sort(all.get)
	slices.Sort(all.set)
	return all, nil
}

// askAlone is one client: it sends what is due every sendEvery, GET and SET in
// turns, while another goroutine reads the replies.
func (s *server) askAlone(number uint64, keys int, rate float64) (w waits, err error) {
	c, err := s.dial()
	if err != nil {
		return w, err
	}
	defer c.Close()
	sent := make(chan time.Time, 2*int(rate*tailSeconds)) // when; never full
	failed := make(chan error, 1)
	go func() {
		defer close(sent)
		failed <- c.sendAtRate(number, keys, rate, sent)
	}()
	for at := range sent {
		if _, err := c.r.Read(); err != nil {
			return w, err
		}
		if took := time.Since(at); len(w.get) == len(w.set) {
			w.get = append(w.get, took)
		} else {
			w.set = append(w.set, took)
		}
	}
	return w, <-failed
}

func (c *conn) sendAtRate(place uint64, keys int, rate float64, sent chan<- time.Time) error {
	var buf []byte
	begun := time.Now()
	for n, passed := 0, time.Duration(0); passed < tailSeconds*time.Second; passed = time.Since(begun) {
		buf = buf[:0]
		now := time.Now()
		for due := int(rate * passed.Seconds()); n < due; n++ {
			place = place*6364136223846793005 + 1442695040888963407
			if key := keyName(int(place >> 33 % uint64(keys))); n%2 == 0 {
				buf = resp.AppendCommandStrings(buf, "GET", key)
			} else {
				buf = resp.AppendCommandStrings(buf, "SET", key, value32)
			}
			sent <- now
		}
		if _, err := c.Write(buf); err != nil {
			return err
		}
		time.Sleep(sendEvery)
	}
	return nil
}

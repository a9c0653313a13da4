package main

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// How late the event of an expired key comes: keys with deadlines spread over
// some seconds, and a client that listens for __keyevent@0__:expired and notes how
// long after its deadline it hears of each.

const (
	eventKeys   = 100_000
	eventSpread = 10 * time.Second
	eventAhead  = 2 * time.Second  // of the first deadline, to set them all
	eventLimit  = 60 * time.Second // after the last deadline nothing is waited for any more
)

func expiredEvents(opt options, dir string, launch []launcher) error {
	fmt.Printf("Events of %d expired keys with deadlines spread over %s, each after its deadline, median of %d runs in turns:\n\n", eventKeys, eventSpread, opt.Pairs)
	fmt.Printf("| %-12s | %9s | %9s | %9s | %-26s | %8s |\n", "server", "50 %", "99 %", "most", "99 %, least to most", "missing")
	fmt.Printf("|--------------|----------:|----------:|----------:|----------------------------|---------:|\n")
	runs := make([][][]time.Duration, len(launch))
	for range opt.Pairs {
		for i, l := range launch {
			s, err := l.start(dir)
			if err != nil {
				return err
			}
			lags, err := s.eventLags()
			s.stop()
			if err != nil {
				return err
			}
			runs[i] = append(runs[i], lags)
		}
	}
	for i, l := range launch {
		at := func(share float64) []time.Duration {
			return sortedBy(runs[i], func(lags []time.Duration) time.Duration { return percentile(lags, share) })
		}
		late, missing := at(0.99), 0
		for _, lags := range runs[i] {
			missing = max(missing, eventKeys-len(lags))
		}
		fmt.Printf("| %-12s | %9s | %9s | %9s | %-26s | %8d |\n", l.name, inMS(middle(at(0.5))), inMS(middle(late)), inMS(middle(at(1))),
			inMS(late[0])+" to "+inMS(late[len(late)-1]), missing)
	}
	fmt.Println()
	return nil
}

// eventLags answers how late each event came, in order.
func (s *server) eventLags() ([]time.Duration, error) {
	if _, err := s.do("CONFIG", "SET", "notify-keyspace-events", "Ex"); err != nil {
		return nil, err
	}
	c, err := s.dial()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if _, err := c.do("SUBSCRIBE", "__keyevent@0__:expired"); err != nil {
		return nil, err
	}
	first := time.Now().Add(eventAhead).Truncate(time.Millisecond)
	deadline := func(i int) time.Time { // neighbours by number are not neighbours in time
		return first.Add(time.Duration(i*7919%eventKeys) * (eventSpread / eventKeys)).Truncate(time.Millisecond)
	}
	if err := s.load(eventKeys, func(i int) []string {
		return []string{"SET", keyName(i), value32, "PXAT", strconv.FormatInt(deadline(i).UnixMilli(), 10)}
	}); err != nil {
		return nil, err
	}
	if time.Now().After(first) {
		return nil, fmt.Errorf("%s was not loaded before the first deadline", s.name)
	}
	c.SetReadDeadline(first.Add(eventSpread + eventLimit))
	lags := make([]time.Duration, 0, eventKeys)
	for len(lags) < eventKeys {
		v, err := c.r.Read()
		if err != nil {
			break // the rest is missing
		}
		if len(v.Elems) != 3 || len(v.Elems[2].Str) != len(keyName(0)) {
			return nil, fmt.Errorf("%s sends %s", s.name, v)
		}
		i, err := strconv.Atoi(v.Elems[2].Str[len("key:"):])
		if err != nil {
			return nil, err
		}
		lags = append(lags, time.Since(deadline(i)))
	}
	slices.Sort(lags)
	return lags, nil
}

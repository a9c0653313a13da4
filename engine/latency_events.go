package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The latency monitor keeps, under the name of an event, the last times at which
// it took latency-monitor-threshold milliseconds or longer: one sample a second,
// the worst of it.

// The events there are.
const (
	latencyCommand     = "command"
	latencyFastCommand = "fast-command" // of commands with the flag fast
)

// latencySamples is how many samples an event keeps.
const latencySamples = 160

type latencySample struct {
	at int64 // unix seconds
	ms int64
}

// latencyEvent is what is known of one event: at least one sample, the oldest
// first.
type latencyEvent struct {
	samples []latencySample
	worst   int64 // also of samples that are no longer kept
}

type latencyMonitor struct {
	events map[string]*latencyEvent
}

// note takes down a finished execution.
func (m *latencyMonitor) note(c *Ctx, micros int64) {
	name := latencyCommand
	if c.cmd.Flags&Fast != 0 {
		name = latencyFastCommand
	}
	if ms := micros / 1000; ms >= c.e.conf.LatencyMonitorThreshold {
		m.add(name, latencySample{at: c.e.now / 1_000_000, ms: ms})
	}
}

func (m *latencyMonitor) add(name string, s latencySample) {
	ev := m.events[name]
	if ev == nil {
		if m.events == nil {
			m.events = make(map[string]*latencyEvent)
		}
		ev = new(latencyEvent)
		m.events[name] = ev
	}
	ev.worst = max(ev.worst, s.ms)
	if n := len(ev.samples); n > 0 && ev.samples[n-1].at == s.at {
		ev.samples[n-1].ms = max(ev.samples[n-1].ms, s.ms)
		return
	}
	if len(ev.samples) == latencySamples {
		ev.samples = append(ev.samples[:0], ev.samples[1:]...)
	}
	ev.samples = append(ev.samples, s)
}

// reset forgets the named events, or all, and answers how many there were.
func (m *latencyMonitor) reset(names [][]byte) int {
	if len(names) == 0 {
		n := len(m.events)
		m.events = nil
		return n
	}
	before := len(m.events)
	for _, name := range names {
		delete(m.events, string(name))
	}
	return before - len(m.events)
}

func (m *latencyMonitor) names() []string { return slices.Sorted(maps.Keys(m.events)) }

func (ev *latencyEvent) last() latencySample { return ev.samples[len(ev.samples)-1] }

// spread is the least and the most of the kept samples.
func (ev *latencyEvent) spread() (low, high int64) {
	low, high = ev.samples[0].ms, ev.samples[0].ms
	for _, s := range ev.samples {
		low, high = min(low, s.ms), max(high, s.ms)
	}
	return low, high
}

// average is the mean of the kept samples, and by how much they are off it.
func (ev *latencyEvent) average() (mean, deviation int64) {
	n := int64(len(ev.samples))
	for _, s := range ev.samples {
		mean += s.ms
	}
	mean /= n
	for _, s := range ev.samples {
		deviation += max(s.ms-mean, mean-s.ms)
	}
	return mean, deviation / n
}

// What a graph is made of: columns, rows, and what stands at the top of a bar
// that fills a third, two thirds and all of its row.
const (
	graphColumns = 80
	graphRows    = 4
	graphTops    = "_o#"
)

// graph draws the last samples as bars, with their ages written downwards.
func (ev *latencyEvent) graph(name string, now int64) string {
	samples := ev.samples[max(0, len(ev.samples)-graphColumns):]
	low, high := ev.spread()
	var b strings.Builder
	fmt.Fprintf(&b, "%s - high %d ms, low %d ms (all time high %d ms)\n%s\n", name, high, low, ev.worst, strings.Repeat("-", graphColumns))
	const steps = graphRows * len(graphTops)
	for row := range graphRows {
		floor := (graphRows - 1 - row) * len(graphTops) // steps below this row
		for _, s := range samples {
			step := 0
			if high > low {
				step = int(min((s.ms-low)*int64(steps)/(high-low), int64(steps)-1))
			}
			b.WriteByte(barAt(step - floor))
		}
		b.WriteByte('\n')
	}
	b.WriteString(strings.Repeat(" ", len(samples)) + "\n")
	writeDownwards(&b, samples, now)
	return b.String()
}

// barAt is a bar's part of a row in which its top is so many steps up.
func barAt(step int) byte {
	switch {
	case step < 0:
		return ' '
	case step >= len(graphTops):
		return '|'
	}
	return graphTops[step]
}

// writeDownwards writes the ages of samples below each other's columns.
func writeDownwards(b *strings.Builder, samples []latencySample, now int64) {
	ages, longest := make([]string, len(samples)), 0
	for i, s := range samples {
		ages[i] = shortAge(now - s.at)
		longest = max(longest, len(ages[i]))
	}
	for row := range longest {
		for _, age := range ages {
			if row < len(age) {
				b.WriteByte(age[row])
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteByte('\n')
	}
}

// shortAge is a number of seconds in its largest unit.
func shortAge(sec int64) string {
	switch {
	case sec < 60:
		return fmt.Sprintf("%ds", sec)
	case sec < 3600:
		return fmt.Sprintf("%dm", sec/60)
	case sec < 24*3600:
		return fmt.Sprintf("%dh", sec/3600)
	}
	return fmt.Sprintf("%dd", sec/(24*3600))
}

package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// collector sets how much garbage there may be before it is collected: as much
// as there is data, as Go does, but room bytes in any case, up to four times the
// data. Go alone begins at 4 MB, so that a server with little data would
// collect every few hundred scripts.
//
// Its settings apply to the whole process, so they are the program's and not the
// packages' that another program embeds.
type collector struct {
	percent int
}

const room = 16 << 20

// tuneCollector sets the collector now and after each collection, unless the
// environment's GOGC has said how.
func tuneCollector() {
	if os.Getenv("GOGC") != "" {
		return
	}
	c := &collector{percent: 100}
	c.collected()
}

// collected is called after a collection.
func (c *collector) collected() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if percent := percentFor(live[0].Value.Uint64()); percent != c.percent {
		c.percent = percent
		debug.SetGCPercent(percent)
	}
	mark := new(*collector) // the next collection finds it unused
	runtime.AddCleanup(mark, (*collector).collected, c)
}

// percentFor is the garbage allowed beside so many bytes of data, in percent of
// them and in few steps, since a new setting stops the program for a moment.
func percentFor(live uint64) int {
	const step = 50
	percent := 100 * room / max(live, 1)
	return int(min(max(percent/step*step, 100), 400))
}

package engine

import (
	"fmt"
	"testing"

	"minikv/engine/config"
)

// TestLatencyHistogramSteps: the numbers are redis-server's.
func TestLatencyHistogramSteps(t *testing.T) {
	t.Parallel()
	var h histogram
	for _, micros := range []int64{0, 1, 2, 3, 3, 9, 30, 200, 500, 1000, 8000, 4100, 16000, 33000, 66000, 250_000, 530_000, 700_000, 5_000_000} {
		h.add(micros)
	}
	want := "[{1 2} {2 3} {4 5} {16 6} {33 7} {264 8} {528 9} {1056 10} {4227 11} {8454 12} {16908 13} {33816 14} {67633 15} {270532 16} {541065 17} {1073741 19}]"
	if got := fmt.Sprint(h.doublings()); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if got := (&histogram{}).doublings(); got != nil {
		t.Errorf("of nothing: %v", got)
	}
}

// TestLatencyGraph: bars and ages are redis-server's.
func TestLatencyGraph(t *testing.T) {
	t.Parallel()
	var ev latencyEvent
	for i, ms := range []int64{10, 20, 30, 41, 50, 61, 70, 88, 90, 100, 110, 120, 131} {
		ago := []int64{40, 38, 36, 33, 29, 25, 21, 19, 16, 11, 8, 5, 1}[i]
		ev.samples = append(ev.samples, latencySample{at: 1000 - ago, ms: ms})
		ev.worst = ms
	}
	const want = `command - high 131 ms, low 10 ms (all time high 131 ms)
--------------------------------------------------------------------------------
          _o#
       oo#|||
   __##||||||
__o||||||||||
             ` + `
4333222111851
0863951961sss
ssssssssss   
`
	if got := ev.graph("command", 1000); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestLatencySamples: one a second, the worst, and not too many.
func TestLatencySamples(t *testing.T) {
	t.Parallel()
	var m latencyMonitor
	for sec := range int64(latencySamples + 5) {
		for _, ms := range []int64{5, 7 + sec, 6} {
			m.add("e", latencySample{at: sec, ms: ms})
		}
	}
	ev := m.events["e"]
	if low, high := ev.spread(); len(ev.samples) != latencySamples || low != 12 || high != 171 || ev.worst != 171 {
		t.Errorf("%d samples from %d to %d, the worst %d", len(ev.samples), low, high, ev.worst)
	}
	if n := m.reset([][]byte{[]byte("none")}); n != 0 || m.events["e"] == nil {
		t.Errorf("%d events were forgotten", n)
	}
	if n := m.reset(nil); n != 1 || len(m.events) != 0 {
		t.Errorf("%d events were forgotten", n)
	}
}

// TestSlowCommandIsNoted: once it has taken as long as the threshold.
func TestSlowCommandIsNoted(t *testing.T) {
	t.Parallel()
	conf := config.New()
	conf.LatencyMonitorThreshold = 200
	conf.EnableDebugCommand = config.Always
	n := newNode(t, Options{Config: conf})
	cl := n.client()
	for _, ms := range []int64{300, 199, 200} {
		n.send(cl, "DEBUG SLEEP 1")
		n.now += ms * 1000
		n.e.Complete(cl, n.now, nil)
		n.now += 1_000_000
	}
	n.want(cl, "LATENCY LATEST", "*1 *4 $7 command :1767225602 :200 :300")
	n.want(cl, "LATENCY HISTORY command", "*2 *2 :1767225600 :300 *2 :1767225602 :200")
}

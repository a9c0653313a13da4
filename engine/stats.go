package engine

import "strings"

// Stats counts what INFO, CONFIG RESETSTAT and the commandstats show.
type Stats struct {
	commands       int64 // run: for clients, by EXEC, by scripts
	connections    int64
	rejected       int64 // connections refused for maxclients
	hits           int64
	misses         int64
	expired        int64
	evicted        int64
	evictedClients int64
	evictedScripts int64
	errors         int64
	errorCodes     map[string]int64
	perCommand     []commandStat // by Command.id

	expiredFields          int64 // of hashes
	outputLimitDisconnects int64
	netIn, netOut          int64

	rate, netInRate, netOutRate rateMeter

	// dirty counts changes of the data. It is not reset: who compares two
	// readings knows whether something changed in between.
	dirty int64
}

// commandStat is one line of INFO commandstats.
type commandStat struct {
	calls, micros, rejected, failed int64

	latency histogram // while latency-tracking is on
}

func (s *Stats) init(t *Table) {
	s.errorCodes = make(map[string]int64)
	s.perCommand = make([]commandStat, t.size)
}

// reset is CONFIG RESETSTAT.
func (s *Stats) reset() {
	*s = Stats{perCommand: make([]commandStat, len(s.perCommand)), errorCodes: make(map[string]int64), dirty: s.dirty}
}

func (s *Stats) of(cmd *Command) *commandStat { return &s.perCommand[cmd.id] }

// count notes a finished execution.
func (s *Stats) count(c *Ctx, micros int64) {
	st := s.of(c.cmd)
	st.calls++
	st.micros += micros
	if c.e.conf.LatencyTracking {
		st.latency.add(micros)
	}
	if c.failed {
		st.failed++
	}
	s.rate.add(c.e.now, 1)
}

// maxErrorCodes bounds the kinds of errors that are told apart, since scripts
// can make up any.
const maxErrorCodes = 128

// countError notes an error reply under its first word.
func (s *Stats) countError(text string) {
	s.errors++
	code, _, _ := strings.Cut(text, " ")
	if _, known := s.errorCodes[code]; known || len(s.errorCodes) < maxErrorCodes {
		s.errorCodes[code]++
	}
}

// CountNet adds the transport's bytes, read and written, for INFO.
func (e *Engine) CountNet(in, out int64) {
	e.stats.netIn += in
	e.stats.netOut += out
	e.stats.netInRate.add(e.now, in)
	e.stats.netOutRate.add(e.now, out)
}

// CountRejected notes a connection that was refused for maxclients.
func (e *Engine) CountRejected() { e.stats.rejected++ }

// Clients is how many clients are connected.
func (e *Engine) Clients() int { return len(e.clients) }

// rateMeter tells how many (commands, bytes) came per second of late: the sum
// of the last whole period of a second or more in which any came.
type rateMeter struct {
	since, n int64
	last     int64
}

func (r *rateMeter) add(now, n int64) {
	if passed := now - r.since; passed >= 1_000_000 || passed < 0 {
		r.last = 0
		if passed > 0 && passed < 2_000_000 {
			r.last = r.n * 1_000_000 / passed
		}
		r.since, r.n = now, 0
	}
	r.n += n
}

// perSecond is the rate as of now.
func (r *rateMeter) perSecond(now int64) int64 {
	if now-r.since >= 2_000_000 {
		return 0
	}
	return r.last
}

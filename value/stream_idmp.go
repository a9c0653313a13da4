package value

import (
	"fmt"
	"maps"
)

// Idempotent additions. A producer gives each of its entries a name of its own;
// while a stream remembers the name it takes the same entry only once. It
// remembers for a time, and a number of names for each producer, the youngest.

// IdempotenceLimits says for how long and how many names are remembered.
type IdempotenceLimits struct {
	Duration int64 // milliseconds
	MaxSize  int64 // for each producer
}

// idempotence is what a stream remembers of its producers.
type idempotence struct {
	own        IdempotenceLimits // the stream's; zero: not set
	producers  map[string]*producer
	swept      int // producers that were left when it was last tidied up
	names      int // remembered of all producers
	pids       int // bytes in the producers' names
	added      uint64
	duplicates uint64
}

// producer is the names of a producer's entries, in the order in which they came.
type producer struct {
	entries map[string]StreamID
	order   []remembered
}

type remembered struct {
	name string
	at   int64 // unix milliseconds
}

// forget drops the names that are too old or too many.
func (m *idempotence) forget(p *producer, limits IdempotenceLimits, now int64) {
	for len(p.order) > 0 && (int64(len(p.order)) > limits.MaxSize || p.order[0].at <= now-limits.Duration) {
		delete(p.entries, p.order[0].name)
		p.order[0] = remembered{}
		p.order = p.order[1:]
		m.names--
	}
}

func (s *Stream) idempotence() *idempotence {
	if s.idmp == nil {
		s.idmp = &idempotence{producers: make(map[string]*producer)}
	}
	return s.idmp
}

// IdempotenceLimits is the stream's limits, where it has none the given ones.
func (s *Stream) IdempotenceLimits(limits IdempotenceLimits) IdempotenceLimits {
	if s.idmp != nil && s.idmp.own.Duration > 0 {
		limits.Duration = s.idmp.own.Duration
	}
	if s.idmp != nil && s.idmp.own.MaxSize > 0 {
		limits.MaxSize = s.idmp.own.MaxSize
	}
	return limits
}

// SetIdempotenceLimits gives the stream limits of its own. If that changes those
// it had, everything is forgotten.
func (s *Stream) SetIdempotenceLimits(limits, had IdempotenceLimits) {
	m := s.idempotence()
	m.own = limits
	if limits != had {
		clear(m.producers)
		m.swept, m.names, m.pids = 0, 0, 0
	}
}

// Recall finds the entry that a producer added under a name, and counts the
// attempt to add it again.
func (s *Stream) Recall(limits IdempotenceLimits, now int64, pid, name []byte) (id StreamID, ok bool) {
	if s.idmp == nil {
		return id, false
	}
	p := s.idmp.producers[string(pid)]
	if p == nil {
		return id, false
	}
	s.idmp.forget(p, limits, now)
	if id, ok = p.entries[string(name)]; ok {
		s.idmp.duplicates++
	}
	return id, ok
}

// Remember notes the entry that a producer added under a name, which is not known.
func (s *Stream) Remember(limits IdempotenceLimits, now int64, pid, name []byte, id StreamID) {
	m := s.idempotence()
	p := m.producers[string(pid)]
	if p == nil {
		p = &producer{entries: make(map[string]StreamID)}
		m.producers[string(pid)] = p
		m.pids += len(pid)
	}
	p.entries[string(name)] = id
	p.order = append(p.order, remembered{string(name), now})
	m.names++
	m.forget(p, limits, now)
	m.added++
	if len(m.producers) > 2*m.swept+16 {
		m.tidy(limits, now)
	}
}

// tidy drops producers of whom nothing is remembered any more.
func (m *idempotence) tidy(limits IdempotenceLimits, now int64) {
	maps.DeleteFunc(m.producers, func(pid string, p *producer) bool {
		if m.forget(p, limits, now); len(p.order) > 0 {
			return false
		}
		m.pids -= len(pid)
		return true
	})
	m.swept = len(m.producers)
}

// IdempotenceStats is what a stream tells of its producers.
type IdempotenceStats struct {
	Producers, Names  int
	Added, Duplicates uint64
}

// IdempotenceStats counts what is remembered now.
func (s *Stream) IdempotenceStats(limits IdempotenceLimits, now int64) (st IdempotenceStats) {
	if s.idmp == nil {
		return st
	}
	for _, p := range s.idmp.producers {
		names := 0
		for i, r := range p.order {
			if r.at > now-limits.Duration {
				names = len(p.order) - i
				break
			}
		}
		if names > 0 {
			st.Producers++
			st.Names += names
		}
	}
	st.Added, st.Duplicates = s.idmp.added, s.idmp.duplicates
	return st
}

func (m *idempotence) clone() *idempotence {
	if m == nil {
		return nil
	}
	c := *m
	c.producers = make(map[string]*producer, len(m.producers))
	for pid, p := range m.producers {
		c.producers[pid] = &producer{entries: maps.Clone(p.entries), order: append([]remembered(nil), p.order...)}
	}
	return &c
}

func (m *idempotence) check() error {
	if m == nil {
		return nil
	}
	names, pids := 0, 0
	for pid, p := range m.producers {
		names += len(p.order)
		pids += len(pid)
	}
	if names != m.names || pids != m.pids {
		return fmt.Errorf("stream: %d names of producers of %d bytes, counted %d of %d", names, pids, m.names, m.pids)
	}
	return nil
}

func (m *idempotence) memoryUsage() int {
	if m == nil {
		return 0
	}
	const header, each = 80, 80
	return m.pids + header*len(m.producers) + each*m.names
}

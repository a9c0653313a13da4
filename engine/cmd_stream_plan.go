package engine

import (
	"cmp"
	"math"
	"slices"

	"minikv/resp"
	"minikv/value"
)

// A read is planned before anything is answered or delivered: how many streams
// have something to read is said first, and a limit may be shared between them.

// source is a stream that has something to read.
type source struct {
	key     []byte
	stream  *value.Stream
	from    value.StreamID
	limit   int  // entries to answer at most, without those claimed
	history bool // what the consumer got and has not acknowledged
	claimed []value.StreamID
	gone    []value.StreamID // to be claimed, but not in the stream any more
}

// readCaps limit a whole reply, over all streams.
type readCaps struct {
	given       bool
	count, size int // what is left
	some        bool
}

// begin judges the limits; count is that for each stream.
func (l *readCaps) begin(count int) error {
	if l.count == 0 {
		l.count = math.MaxInt
	} else if count != math.MaxInt && l.count < count {
		return errMaxCount
	}
	if l.size == 0 {
		l.size = math.MaxInt
	}
	return nil
}

// take tells whether an entry (nil: one that is gone) may be answered too, and
// counts it. The first one always may.
func (l *readCaps) take(e *value.StreamEntry) bool {
	if l.count == 0 {
		return false
	}
	size := 0
	if e != nil {
		for field, val := range e.All {
			size += len(field) + len(val)
		}
	}
	if l.some && size > l.size {
		return false
	}
	l.some = true
	l.count--
	l.size = max(0, l.size-size)
	return true
}

// plan adds the i-th stream to the sources if it has something to read.
func (c *Ctx) plan(r *streamRead, i int, after value.StreamID, sources []source) ([]source, error) {
	s, err := c.readStream(r.keys[i])
	if err != nil || s == nil {
		return sources, err
	}
	src := source{key: r.keys[i], stream: s, limit: r.count}
	src.history = r.grouped && after != value.MaxStreamID
	if string(r.ids[i]) == "+" {
		src.limit = 1
	}
	if r.grouped && !src.history {
		if r.claim >= 0 {
			c.planClaims(r, &src, sources)
		}
		after = r.delivered(s, sources)
	}
	if !src.history && !c.mayRead(s, after) {
		src.limit = 0
	}
	src.from, _ = after.Next()
	if r.caps.given {
		r.capSource(&src)
	}
	if len(src.claimed) == 0 && src.limit == 0 && (!src.history || r.caps.given) {
		return sources, nil
	}
	return append(sources, src), nil
}

// mayRead tells whether there are entries behind an ID. For a client that waited
// for the key it is enough that there were.
func (c *Ctx) mayRead(s *value.Stream, after value.StreamID) bool {
	if c.awaited != nil {
		return after.Less(s.LastID)
	}
	last, ok := s.Last()
	return ok && after.Less(last)
}

// capSource limits a source to what the caps still allow.
func (r *streamRead) capSource(src *source) {
	n := 0
	switch {
	case src.history:
		if consumer := src.stream.Group(r.group).Consumer(r.consumer); consumer != nil {
			for p := range consumer.Pending(src.from) {
				if n == src.limit || !r.caps.take(src.stream.Get(p.ID)) {
					break
				}
				n++
			}
		}
	case src.limit > 0:
		for e := range src.stream.Range(src.from, value.MaxStreamID) {
			if n == src.limit || !r.caps.take(e) {
				break
			}
			n++
		}
	}
	src.limit = n
}

// delivered is the ID up to which the group has read a stream, when the sources
// before have been read: one may be the same stream.
func (r *streamRead) delivered(s *value.Stream, sources []source) value.StreamID {
	id := s.Group(r.group).LastID
	for _, src := range sources {
		if src.stream != s || src.history {
			continue
		}
		n := 0
		for e := range s.Range(src.from, value.MaxStreamID) {
			if n == src.limit {
				break
			}
			id = e.ID
			n++
		}
	}
	return id
}

// planClaims finds the pending entries that CLAIM takes from a stream: those
// that were given back, then the others that are idle for long enough, the longest
// first. Named twice, a stream is looked through once.
func (c *Ctx) planClaims(r *streamRead, src *source, sources []source) {
	for _, other := range sources {
		if other.stream == src.stream {
			return
		}
	}
	var found []*value.StreamPending
	for p := range src.stream.Group(r.group).Pending(value.StreamID{}) {
		if p.Consumer != nil && c.idle(p) < r.claim {
			continue
		}
		if src.stream.Has(p.ID) {
			found = append(found, p)
		} else {
			src.gone = append(src.gone, p.ID)
		}
	}
	slices.SortFunc(found, claimOrder)
	for _, p := range found {
		if src.limit == 0 || r.caps.given && !r.caps.take(src.stream.Get(p.ID)) {
			break
		}
		if src.limit != math.MaxInt {
			src.limit--
		}
		src.claimed = append(src.claimed, p.ID)
	}
}

// claimOrder is the order in which pending entries are claimed.
func claimOrder(a, b *value.StreamPending) int {
	switch {
	case a.Consumer == nil && b.Consumer != nil:
		return -1
	case a.Consumer != nil && b.Consumer == nil:
		return 1
	}
	return cmp.Or(cmp.Compare(a.Turn, b.Turn), cmp.Compare(a.Time, b.Time), a.ID.Compare(b.ID))
}

// readLater is what a read waits for. Run again, it must not take "$" for another
// ID than the first time.
func (c *Ctx) readLater(r *streamRead, afters []value.StreamID) Block {
	argv := append([][]byte(nil), c.argv...)
	for i, id := range r.ids {
		if text := string(id); text == "$" || text == "+" {
			argv[r.idsAt+i] = afters[i].Append(nil)
		}
	}
	b := Block{Keys: r.keys, Kind: value.KindStream, Timeout: r.deadline,
		OnTimeout: (*resp.Writer).NullArray, OnDelete: r.grouped, Argv: argv}
	if r.claim >= 0 {
		b.Again = c.nextClaim(r)
	}
	return b
}

// nextClaim is when a pending entry may be idle for long enough: when one is that
// is pending now, or at the earliest one that will be.
func (c *Ctx) nextClaim(r *streamRead) int64 {
	const soonest = 10 // milliseconds from now
	at := c.nowMS() + min(max(r.claim, soonest), math.MaxInt64/2)
	for _, key := range r.keys {
		en := c.db.live(key)
		if en == nil || en.Val.kind() != value.KindStream {
			continue
		}
		s := en.Val.stream()
		if g := s.Group(r.group); g != nil {
			for p := range g.Pending(value.StreamID{}) {
				if p.Consumer != nil && p.Time < at-r.claim && s.Has(p.ID) {
					at = p.Time + r.claim
				}
			}
		}
	}
	return max(at, c.nowMS()+1)
}

// answerSources answers what there is to read, by stream.
func (c *Ctx) answerSources(r *streamRead, sources []source) {
	if r.grouped {
		c.noEffect()
	}
	if c.resp3() {
		c.out.Map(len(sources))
	} else {
		c.out.Array(len(sources))
	}
	for i := range sources {
		src := &sources[i]
		if !c.resp3() {
			c.out.Array(2)
		}
		c.out.Bulk(src.key)
		switch {
		case !r.grouped:
			c.entriesBetween(src.stream, src.from, value.MaxStreamID, int64(src.limit), false)
		case src.history:
			c.answerHistory(r, src)
		default:
			c.answerNew(r, src)
		}
	}
}

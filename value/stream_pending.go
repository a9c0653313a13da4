package value

import (
	"fmt"
	"iter"
	"slices"
	"sort"
)

// StreamPending is an entry that was delivered to a consumer of a group and not
// acknowledged yet. The entry itself may be gone.
type StreamPending struct {
	ID       StreamID
	Consumer *StreamConsumer // nil: nobody's, it was given back
	Time     int64           // of the last delivery, unix milliseconds
	Count    int64           // deliveries
	// Turn orders those that are nobody's as they were given back.
	Turn uint64
}

// pendingList is pending entries ordered by ID: runs of up to pendingRun of them.
// Adding at the end, as deliveries do, fills the runs; one in the middle moves a
// run's worth of pointers. Small neighbours are joined, so that there are never
// many more runs than needed.
type pendingList struct {
	runs [][]*StreamPending
	size int
}

const pendingRun = 128

// place is where id stands or would stand: a run and a place in it, which may be
// behind its end.
func (l *pendingList) place(id StreamID) (run, at int) {
	run = sort.Search(len(l.runs), func(i int) bool { return id.Less(l.runs[i][0].ID) }) - 1
	if run < 0 {
		return 0, 0
	}
	r := l.runs[run]
	return run, sort.Search(len(r), func(i int) bool { return !r[i].ID.Less(id) })
}

// get is the pending entry with an ID, or nil.
func (l *pendingList) get(id StreamID) *StreamPending {
	run, at := l.place(id)
	if run < len(l.runs) && at < len(l.runs[run]) && l.runs[run][at].ID == id {
		return l.runs[run][at]
	}
	return nil
}

// insert adds p, whose ID is not in the list.
func (l *pendingList) insert(p *StreamPending) {
	l.size++
	if len(l.runs) == 0 {
		l.runs = [][]*StreamPending{{p}}
		return
	}
	run, at := l.place(p.ID)
	r := l.runs[run]
	if len(r) < pendingRun {
		l.runs[run] = slices.Insert(r, at, p)
		return
	}
	var rest []*StreamPending
	switch {
	case at < pendingRun || run < len(l.runs)-1:
		rest = slices.Clone(r[pendingRun/2:])
		clear(r[pendingRun/2:])
		l.runs[run] = r[:pendingRun/2]
		if at > pendingRun/2 {
			rest = slices.Insert(rest, at-pendingRun/2, p)
		} else {
			l.runs[run] = slices.Insert(l.runs[run], at, p)
		}
	default:
		rest = []*StreamPending{p}
	}
	l.runs = slices.Insert(l.runs, run+1, rest)
}

// remove takes out the pending entry with an ID, if it is there.
func (l *pendingList) remove(id StreamID) *StreamPending {
	run, at := l.place(id)
	if run >= len(l.runs) || at >= len(l.runs[run]) || l.runs[run][at].ID != id {
		return nil
	}
	p := l.runs[run][at]
	l.size--
	if at == 0 {
		l.runs[run][0] = nil
		l.runs[run] = l.runs[run][1:]
	} else {
		l.runs[run] = slices.Delete(l.runs[run], at, at+1)
	}
	l.tidy(run)
	return p
}

// tidy drops a run that is empty, or joins it with its neighbour if both are
// small.
func (l *pendingList) tidy(run int) {
	switch n := len(l.runs[run]); {
	case n == 0 && run == 0:
		l.runs[0] = nil
		l.runs = l.runs[1:]
	case n == 0:
		l.runs = slices.Delete(l.runs, run, run+1)
	case run+1 < len(l.runs) && n+len(l.runs[run+1]) <= pendingRun/2:
		l.runs[run] = append(l.runs[run], l.runs[run+1]...)
		l.runs = slices.Delete(l.runs, run+1, run+2)
	}
}

// from yields the pending entries from id on, in order. The list must not be
// changed meanwhile.
func (l *pendingList) from(id StreamID) iter.Seq[*StreamPending] {
	return func(yield func(*StreamPending) bool) {
		run, at := l.place(id)
		for ; run < len(l.runs); run, at = run+1, 0 {
			for _, p := range l.runs[run][at:] {
				if !yield(p) {
					return
				}
			}
		}
	}
}

// last is the pending entry with the greatest ID, or nil.
func (l *pendingList) last() *StreamPending {
	if l.size == 0 {
		return nil
	}
	r := l.runs[len(l.runs)-1]
	return r[len(r)-1]
}

func (l *pendingList) check() error {
	n := 0
	var before StreamID
	for i, r := range l.runs {
		if len(r) == 0 || len(r) > pendingRun {
			return fmt.Errorf("a run of %d pending entries", len(r))
		}
		for j, p := range r {
			if i+j > 0 && !before.Less(p.ID) {
				return fmt.Errorf("pending entry %v follows %v", p.ID, before)
			}
			before = p.ID
		}
		n += len(r)
	}
	if n != l.size {
		return fmt.Errorf("%d pending entries, %d counted", n, l.size)
	}
	return nil
}

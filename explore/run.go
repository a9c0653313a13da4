package explore

import (
	"container/heap"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zeebo/xxh3"
)

// Run tries the schedules of programs in Go and fails the test with the story
// of one that breaks a property. setup declares who takes part; it is called
// for each schedule anew, in a bubble of testing/synctest, and so are the
// clients' programs: ordinary Go, with any client library over Client.Dial,
// whose time is the bubble's.
//
// Every schedule within the bounds is tried, each in a new run that makes the
// moves of another up to a point and goes on in another way. So programs must
// do the same again after the same replies at the same times: no random
// delays, no choice of select or of a map's order. Random tokens are all right.
// A program that does not do the same again fails the test, too.
//
// Without bounds one client may be paused, and all may begin late.
func Run(t *testing.T, conf Config, setup func(x *Sim)) *Result {
	t.Helper()
	r := Try(t, conf, setup)
	t.Log(r.Summary())
	if r.Broken != nil {
		t.Errorf("\n%s\n%s", r.Story.Text(), r.again())
	}
	if r.Diverged != "" {
		t.Errorf("the programs are not deterministic: %s", r.Diverged)
	}
	return r
}

// again says how to play what was found again.
func (r *Result) again() string {
	text := fmt.Sprintf("To play it again: Schedule: %q", r.Schedule)
	if r.Seed != 0 {
		text += fmt.Sprintf(", or Random: 1, Seed: %d", r.Seed)
	}
	return text
}

// Try is Run without failing the test.
func Try(t *testing.T, conf Config, setup func(x *Sim)) *Result {
	t.Helper()
	d := &driver{t: t, conf: conf, setup: setup, bounds: Bounds{Pauses: 1, Late: maxClients}, met: map[[16]byte]struct{}{}, nodes: map[xxh3.Uint128]struct{}{}, begin: time.Now()}
	if conf.Bounds != nil {
		d.bounds = *conf.Bounds
	}
	if conf.States == 0 {
		d.conf.States = DefaultGoStates
	}
	d.result = &Result{Bounds: d.bounds, Form: &Form{Expect: Holds, Bounds: d.bounds}}
	if d.bounds.Failovers > 0 {
		t.Fatal("explore: programs in Go have no replica that could take over")
	}
	d.rehearse()
	switch {
	case conf.Schedule != "":
		d.only()
	case conf.Random > 0:
		d.chance()
	default:
		d.all()
	}
	if d.err != nil {
		t.Fatal(d.err)
	}
	r := d.result
	r.States, r.NodeStates, r.Elapsed = len(d.met), len(d.nodes), time.Since(d.begin)
	return r
}

// rehearse finds out which texts look random and are the same in two runs.
func (d *driver) rehearse() {
	var random [2]map[string]string
	for i := range random {
		random[i] = d.play(nothing, func(p *play, moves []move) (move, bool) {
			return moves[p.cheapest(moves)], len(p.made) < d.depth()
		}).names.of
	}
	d.constant = map[string]bool{}
	for text := range random[0] {
		if _, again := random[1][text]; again {
			d.constant[text] = true
		}
	}
}

// cheapest is the move to make if nothing else is said.
func (p *play) cheapest(moves []move) (first int) {
	rank := func(m move) int { // who moved last goes on
		if m.kind == moveStep && m.who == p.last {
			return 2 * p.cost(m)
		}
		return 2*p.cost(m) + 1
	}
	for i, m := range moves {
		if rank(m) < rank(moves[first]) {
			first = i
		}
	}
	return first
}

// DefaultGoStates is how many states a search of programs in Go visits before
// it gives up. Each costs about a run of them.
const DefaultGoStates = 100_000

// defaultDepth is how many moves a schedule of programs in Go may have.
const defaultDepth = 1000

// driver tries schedules of programs in Go.
//
// Idea: nothing of a Go program can be copied or rolled back, so another
// schedule is another run. What is left to try is a tree of points, each a move
// after its parent; the cheapest goes first, where a context switch costs one
// and a failure three (see play.cost). A run makes the moves up to its point
// and from there on always the cheapest one, leaving the others for later, until
// it comes to a state that was met before. Each state on the way is compared
// with what it was when its moves were made first.
type driver struct {
	t      *testing.T
	conf   Config
	setup  func(x *Sim)
	bounds Bounds
	begin  time.Time
	result *Result
	err    error

	met      map[[16]byte]struct{}
	nodes    map[xxh3.Uint128]struct{} // states that a node has been in
	constant map[string]bool           // texts that look random and are not
	points   []livePoint
	todo     todo
	cut      bool // schedules were cut off
}

// livePoint is a point of a schedule: the move that led to it, and what is so
// then.
type livePoint struct {
	parent int32
	move   move
	hash   [16]byte
	look   string
}

// untried is a move that was not made yet at a point.
type untried struct {
	at   int32
	move move
	cost int
}

// todo is a heap of what is untried; what costs the same goes in order.
type todo []untried

func (q todo) Len() int      { return len(q) }
func (q todo) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q todo) Less(i, j int) bool {
	if q[i].cost != q[j].cost {
		return q[i].cost < q[j].cost
	}
	return q[i].at < q[j].at
}
func (q *todo) Push(v any) { *q = append(*q, v.(untried)) }
func (q *todo) Pop() any {
	v := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return v
}

// play runs the programs once, in a bubble.
func (d *driver) play(prepare func(p *play), choose func(p *play, moves []move) (move, bool)) (p *play) {
	defer func() {
		if r := recover(); r != nil {
			d.t.Fatalf("explore: %v\nA program must end once its context has ended or its commands fail, and must close its clients. The schedule: %s",
				r, scheduleText(p.s, p.made))
		}
	}()
	synctest.Test(d.t, func(t *testing.T) {
		p = newPlay(t.Name(), d.bounds, d.setup)
		p.plain, p.known, p.names.constant = d.conf.Plain, d.nodes, d.constant
		prepare(p)
		p.run(func(moves []move) (move, bool) { return choose(p, moves) })
	})
	r := d.result
	r.Scenario, r.Form.Checks = p.s, p.form.Checks
	r.Moves += len(p.made)
	r.Computed += p.ran
	if d.err == nil {
		d.err = p.err
	}
	return p
}

func nothing(*play) {}

// all tries all schedules.
func (d *driver) all() {
	r := d.result
	d.points = []livePoint{{parent: -1}}
	broken := d.follow(untried{at: -1})
	if broken == nil && r.Diverged == "" { // what is never tried twice is not known to be the same again
		made := d.path(int32(len(d.points) - 1))
		d.compare(made)
	}
	for broken == nil && r.Diverged == "" && d.err == nil && len(d.todo) > 0 && !d.enough() {
		broken = d.follow(heap.Pop(&d.todo).(untried))
	}
	r.Exhaustive = broken == nil && r.Diverged == "" && d.err == nil && len(d.todo) == 0 && !d.cut
	if broken != nil {
		d.found(broken)
	}
}

// enough looks at the limits.
func (d *driver) enough() bool {
	if d.conf.Progress != nil {
		d.conf.Progress(float64(len(d.points)-len(d.todo)) / float64(len(d.points)))
	}
	return len(d.met) >= d.conf.States || d.conf.Time > 0 && time.Since(d.begin) > d.conf.Time
}

// path lists the points on the way to one, without the root.
func (d *driver) path(at int32) (list []int32) {
	for ; at > 0; at = d.points[at].parent {
		list = append(list, at)
	}
	slices.Reverse(list)
	return list
}

// same compares what a schedule has come to with what it came to before.
func (d *driver) same(p *play, at int32) bool {
	point := &d.points[at]
	if p.hash() == point.hash {
		return true
	}
	now := p.look()
	d.result.Diverged = fmt.Sprintf("after %q\n  at first: %s\n  now:      %s", scheduleText(p.s, p.made), point.look, now)
	if now == point.look {
		d.result.Diverged += "\n  (what they had seen until then, or what the nodes hold, is not the same)"
	}
	return false
}

// compare plays a schedule again.
func (d *driver) compare(path []int32) {
	at := int32(0)
	d.play(nothing, func(p *play, moves []move) (move, bool) {
		if !d.same(p, at) || len(path) == 0 {
			return move{}, false
		}
		at, path = path[0], path[1:]
		return d.points[at].move, contains(moves, d.points[at].move)
	})
}

// follow plays up to a point, makes the move that is untried there and goes on.
// It answers with the play if that has broken something.
func (d *driver) follow(u untried) *play {
	d.result.Schedules++
	path := d.path(u.at)
	at, replay := int32(0), u.at >= 0
	cost := u.cost
	p := d.play(nothing, func(p *play, moves []move) (move, bool) {
		if replay {
			if !d.same(p, at) {
				return move{}, false
			}
			if len(path) == 0 {
				replay = false
				at = d.point(at, u.move)
				return u.move, true
			}
			at, path = path[0], path[1:]
			return d.points[at].move, true
		}
		hash := p.hash()
		if _, met := d.met[hash]; met && !d.conf.Plain {
			return move{}, false
		}
		d.met[hash] = struct{}{}
		d.points[at].hash, d.points[at].look = hash, p.look()
		d.cut = d.cut || p.cut
		if len(p.made) >= d.depth() {
			d.cut = true
			return move{}, false
		}
		first := p.cheapest(moves)
		for i, m := range moves {
			if i != first {
				heap.Push(&d.todo, untried{at, m, cost + p.cost(m)})
			}
		}
		cost += p.cost(moves[first])
		at = d.point(at, moves[first])
		return moves[first], true
	})
	switch {
	case p.broken != nil:
		return p
	case replay && d.result.Diverged == "" && d.err == nil: // it ended before its time
		d.result.Diverged = fmt.Sprintf("after %q nothing more could happen, which was not so at first", scheduleText(p.s, p.made))
	}
	return nil
}

func (d *driver) depth() int {
	if d.conf.Depth > 0 {
		return d.conf.Depth
	}
	return defaultDepth
}

func (d *driver) point(parent int32, m move) int32 {
	d.points = append(d.points, livePoint{parent: parent, move: m})
	return int32(len(d.points) - 1)
}

// lenient lets clients begin late and change places as they like.
func lenient(p *play) { p.left[late], p.left[switches] = maxClients, anyNumber }

// found shortens a schedule that breaks, and tells its story.
func (d *driver) found(p *play) {
	r := d.result
	moves, broken := p.made, p.broken
	if !d.conf.Verdict {
		moves = d.shorter(moves, broken)
	}
	again, err := d.replay(moves)
	if err != nil || again.broken == nil || again.broken.Property != broken.Property {
		r.Diverged = fmt.Sprintf("%q broke something (%s) and did not when it was played again", scheduleText(p.s, moves), broken.Text)
		again = p
	}
	r.Broken, r.Schedule, r.Story = again.broken, scheduleText(p.s, moves), again.story(r)
}

// shorter leaves out moves as long as the same property is broken: all of a
// client, or one.
func (d *driver) shorter(moves []move, broken *Violation) []move {
	breaks := func(without func(i int, m move) bool) bool {
		var fewer []move
		for i, m := range moves {
			if !without(i, m) {
				fewer = append(fewer, m)
			}
		}
		if len(fewer) == len(moves) {
			return false
		}
		p, err := d.replay(fewer)
		if err != nil || p.broken == nil || p.broken.Property != broken.Property {
			return false
		}
		moves = p.made
		return true
	}
	isClients := func(m move) bool { return m.kind <= moveKill }
	for who := range int8(maxClients) {
		breaks(func(_ int, m move) bool { return isClients(m) && m.who == who })
	}
	for i := 0; i < len(moves); i++ {
		if breaks(func(j int, _ move) bool { return i == j }) {
			i = -1
		}
	}
	if first, renamed := d.firstNames(moves); renamed {
		if p, err := d.replay(first); err == nil && p.broken != nil && p.broken.Property == broken.Property {
			return p.made
		}
	}
	return moves
}

// firstNames lets the first clients of each program make the moves.
func (d *driver) firstNames(moves []move) (list []move, renamed bool) {
	clients := d.result.Scenario.clients
	taken := map[int]bool{}
	instead := map[int8]int8{}
	for _, m := range moves {
		if m.kind <= moveKill {
			as, known := instead[m.who]
			if !known {
				as = int8(slices.IndexFunc(clients, func(c clientDecl) bool { return c.group == clients[m.who].group && !taken[c.acts] }))
				instead[m.who], taken[int(as)] = as, true
			}
			renamed = renamed || as != m.who
			m.who = as
		}
		list = append(list, m)
	}
	return list, renamed
}

// replay plays a schedule. It stops early if something is broken.
func (d *driver) replay(moves []move) (p *play, err error) {
	next := 0
	p = d.play(func(p *play) { p.telling = true; lenient(p); p.plain = true }, func(p *play, possible []move) (move, bool) {
		if next == len(moves) {
			return move{}, false
		}
		m := moves[next]
		next++
		if !contains(possible, m) {
			err = fmt.Errorf("move %d of the schedule, %s, %w", next, m.text(p.s), errNotPossible)
			return move{}, false
		}
		return m, true
	})
	if err == nil && next < len(moves) && p.broken == nil {
		err = fmt.Errorf("after move %d of the schedule nothing more can happen", next)
	}
	return p, errors.Join(err, d.err)
}

// only plays the schedule of the configuration.
func (d *driver) only() {
	r := d.result
	blank := d.play(nothing, func(*play, []move) (move, bool) { return move{}, false })
	moves, err := parseSchedule(blank.s, d.conf.Schedule)
	if err != nil {
		d.err = err
		return
	}
	p, err := d.replay(moves)
	if err != nil {
		d.err = err
		return
	}
	r.Schedules, r.Schedule = 1, d.conf.Schedule
	r.Broken, r.Story = p.broken, p.story(r)
}

// story tells a schedule that was played.
func (p *play) story(r *Result) *Story {
	st := &Story{ID: p.s.ID, Title: p.s.Title, Schedule: scheduleText(p.s, p.made), Bounds: r.Bounds, Broken: p.broken,
		Clients: p.s.Clients(), Rows: p.rows}
	if st.Broken != nil {
		st.Broken = &Violation{st.Broken.Property, p.names.in(st.Broken.Text)}
	}
	for i := range p.s.nodes {
		st.Nodes = append(st.Nodes, p.s.nodeName(i))
	}
	return st
}

package explore

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Config says how to search.
type Config struct {
	Bounds  *Bounds       // nil: the form's own
	Depth   int           // moves per schedule, 0: as many as there are
	States  int           // give up after so many, 0: DefaultStates
	Time    time.Duration // give up after so long, 0: never
	Plain   bool          // no reduction: each order is tried, each client is its own
	Mutant  *Mutant       // a mistake to put in
	Verdict bool          // do not look for the shortest schedule

	// Of programs in Go: see Run.
	Random   int    // try so many schedules by chance instead of all
	Changes  int    // by chance: priorities that change so often (PCT), 0: every move is drawn
	Seed     uint64 // by chance: of the first schedule; each has the next
	Schedule string // play this one and no other

	// Progress, if set, hears now and then how much has been tried: a guess
	// between 0 and 1.
	Progress func(done float64)
}

// DefaultStates is how many states a search visits before it gives up. One
// takes about 60 bytes.
const DefaultStates = 20_000_000

// Result is what a search has found.
type Result struct {
	Scenario   *Scenario     `json:"-"`
	Form       *Form         `json:"form"`
	Bounds     Bounds        `json:"bounds"`
	Broken     *Violation    `json:"broken"`          // nil: nothing was broken
	Shown      *Violation    `json:"shown,omitempty"` // what a form that shows has shown
	Exhaustive bool          `json:"exhaustive"`      // all schedules within the bounds were tried
	Schedules  float64       `json:"schedules"`       // how many; above 2^53 rounded
	States     int           `json:"states"`
	Moves      int           `json:"moves"`       // that were made
	NodeStates int           `json:"node_states"` // of any node
	Computed   int           `json:"commands"`    // that the engine ran
	Elapsed    time.Duration `json:"nanoseconds"`
	Seed       uint64        `json:"seed,omitempty"`     // of the schedule by chance that breaks
	Diverged   string        `json:"diverged,omitempty"` // programs in Go did something else when a schedule was tried again: how
	Schedule   string        `json:"schedule,omitempty"` // that breaks, or shows: the shortest,
	Long       bool          `json:"long,omitempty"`     // unless it was too long to look for
	Story      *Story        `json:"story,omitempty"`    // of it
	Narrow     *Result       `json:"narrow,omitempty"`   // the second search of a form that narrows
}

// Meets tells whether a result is what its form declares. A form that narrows
// needs a second search, within its smaller bounds: see Judge.
func (r *Result) Meets() bool {
	switch r.Form.Expect {
	case Breaks, Narrows:
		return r.Broken != nil
	case Shows:
		return r.Broken == nil && r.Exhaustive && r.Shown != nil
	}
	return r.Broken == nil && r.Exhaustive
}

// errNotAlike ends a search in which clients of one group were taken to be
// alike, and are not.
var errNotAlike = errors.New("explore: clients of one group differ")

// reduced says by what a search is made shorter.
type reduced struct {
	merged bool // points from which programs do the same are one
	alike  bool // clients of one group are alike, see symmetry
}

// errStop ends a search early: something is broken, or it takes too long.
var errStop = errors.New("explore: the search ends")

// Search tries the schedules of one form.
func Search(ctx context.Context, s *Scenario, form int, conf Config) (*Result, error) {
	bounds := s.Forms[form].Bounds
	if conf.Bounds != nil {
		bounds = *conf.Bounds
	}
	if conf.States == 0 {
		conf.States = DefaultStates
	}
	begin := time.Now()
	r, err := search(ctx, s, form, bounds, conf, reduced{merged: !conf.Plain, alike: !conf.Plain})
	if err == errNotAlike {
		r, err = search(ctx, s, form, bounds, conf, reduced{merged: true})
	}
	if err != nil {
		return nil, err
	}
	r.Elapsed = time.Since(begin)
	return r, nil
}

// search is one search, with the reductions that are given.
func search(ctx context.Context, s *Scenario, form int, bounds Bounds, conf Config, how reduced) (*Result, error) {
	x, w, err := newSim(s, form, bounds, conf.Mutant, how)
	if err != nil {
		return nil, err
	}
	d := &dfs{x: x, conf: conf, ctx: ctx, visited: make(map[[16]byte]visit), begin: time.Now()}
	schedules, err := d.visit(&w, &sleepers{}, 0, 0, 1)
	if err != nil && err != errStop {
		return nil, err
	}
	if x.notAlike() {
		return nil, errNotAlike
	}
	r := &Result{Scenario: s, Form: &s.Forms[form], Bounds: bounds, Broken: d.broken, Shown: d.shown, Exhaustive: err == nil && !d.cut,
		Schedules: schedules + d.partial, States: len(d.visited), Moves: d.moves}
	d.visited = nil
	if !conf.Verdict && (r.Broken != nil || r.Shown != nil) {
		if err := r.shortest(ctx, x, w, d.found); err != nil {
			return nil, err
		}
	}
	r.NodeStates, r.Computed = len(x.store.states), x.store.computed
	return r, nil
}

// dfs tries all schedules, depth first.
//
// Three things keep it short. States that were met before are not gone into
// again. Clients that run the same program are alike until one of them has
// moved (see alike). And of two moves that commute only one order is tried, by
// sleep sets: once all schedules that begin with X's move were tried, a
// schedule that begins with Y's and makes X's later, with nothing in between
// that X's move does not commute with, is one that was tried already; so X
// sleeps until such a move comes. Whether moves commute is judged by the keys
// that the engine really touched. A state met again is gone into only for the
// moves that slept each time before.
type dfs struct {
	x       *sim
	conf    Config
	ctx     context.Context
	visited map[[16]byte]visit
	moves   int
	broken  *Violation
	shown   *Violation
	cut     bool    // schedules were cut off at the depth
	partial float64 // schedules that were tried before the search ended early
	begin   time.Time
	free    [][]move
	path    []move // so far
	found   []move // the path to what was found first
}

// visit is what is known of a state that was met.
type visit struct {
	slept     uint8 // clients that slept whenever it was met
	schedules float64
}

// sleepers are the clients whose next step need not be tried.
type sleepers struct {
	mask uint8
	feet [maxClients]footprint
}

func (d *dfs) visit(w *world, sleep *sleepers, depth int, from, share float64) (schedules float64, err error) {
	key, who := d.x.key(w)
	old, met := d.visited[key]
	todo, asleep := uint8(0xff), exchange(sleep.mask, who)
	if met {
		if todo = exchangeBack(old.slept&^asleep, who); todo == 0 {
			return old.schedules, nil
		}
		old.slept &= asleep
	} else {
		old = visit{slept: asleep}
		if err := d.account(from); err != nil {
			return 0, err
		}
	}
	d.visited[key] = old
	moves := d.x.moves(w, d.take())
	defer d.give(moves)
	switch {
	case len(moves) == 0:
		d.path = d.path[:depth]
		schedules, err = 1, d.judge(d.x.end(w))
	case d.conf.Depth > 0 && depth >= d.conf.Depth:
		d.cut = true
		schedules = 1
	default:
		schedules, err = d.all(w, moves, sleep, todo, met, depth, from, share)
	}
	if err == nil {
		err = d.x.failed()
	}
	if err != nil {
		d.partial += schedules
		return 0, err
	}
	old.schedules += schedules
	d.visited[key] = old
	return old.schedules, nil
}

// all makes each move and goes on from there.
func (d *dfs) all(w *world, moves []move, sleep *sleepers, todo uint8, met bool, depth int, from, share float64) (schedules float64, err error) {
	asleep := *sleep
	share /= float64(len(moves))
	for i, m := range moves {
		sleeps := m.kind == moveStep && m.arg == 0
		if sleeps && (asleep.mask|^todo)>>m.who&1 == 1 || !sleeps && met {
			continue
		}
		next := *w
		foot, broken := d.x.apply(&next, m)
		d.moves++
		d.path = append(d.path[:depth], m)
		if err := d.judge(broken); err != nil {
			return schedules + 1, err
		}
		n, err := d.visit(&next, d.woken(&asleep, m, &foot), depth+1, from+float64(i)*share, share)
		if schedules += n; err != nil {
			return schedules, err
		}
		if sleeps && !d.conf.Plain && w.left[switches] == anyNumber {
			asleep.mask |= 1 << m.who
			asleep.feet[m.who] = foot
		}
	}
	return schedules, nil
}

// woken are those who still sleep after a move.
func (d *dfs) woken(sleep *sleepers, m move, foot *footprint) *sleepers {
	var still sleepers
	if m.kind != moveStep || foot.all || sleep.mask == 0 {
		return &still
	}
	for i := range sleep.feet {
		if sleep.mask>>i&1 == 1 && int8(i) != m.who && sleep.feet[i].commutes(foot) {
			still.mask |= 1 << i
			still.feet[i] = sleep.feet[i]
		}
	}
	return &still
}

// judge ends the search if something is broken.
func (d *dfs) judge(v *Violation) error {
	switch {
	case v == nil:
		return nil
	case v.Property == shown:
		if d.shown == nil {
			d.shown, d.found = v, slices.Clone(d.path)
		}
		return nil
	}
	d.broken, d.found = v, slices.Clone(d.path)
	return errStop
}

// account looks at the limits, now and then.
func (d *dfs) account(done float64) error {
	n := len(d.visited)
	if n >= d.conf.States {
		return errStop
	}
	if n&1023 != 0 {
		return nil
	}
	if d.conf.Progress != nil {
		d.conf.Progress(done)
	}
	if d.x.notAlike() {
		return errNotAlike
	}
	if d.conf.Time > 0 && time.Since(d.begin) > d.conf.Time {
		return errStop
	}
	return d.ctx.Err()
}

// take and give keep the lists of moves.
func (d *dfs) take() []move {
	if n := len(d.free); n > 0 {
		list := d.free[n-1]
		d.free = d.free[:n-1]
		return list
	}
	return make([]move, 0, 16)
}

func (d *dfs) give(list []move) { d.free = append(d.free, list) }

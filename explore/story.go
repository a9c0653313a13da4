package explore

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"minikv/resp"
)

// Story is one schedule, told move by move.
type Story struct {
	ID       string     `json:"id"`
	Title    string     `json:"title"`
	File     string     `json:"file"`
	Form     string     `json:"form"`
	Why      string     `json:"why,omitempty"`
	Schedule string     `json:"schedule"`
	Bounds   Bounds     `json:"bounds"`
	Broken   *Violation `json:"broken"`
	Clients  []string   `json:"clients"`
	Nodes    []string   `json:"nodes"`
	Rows     []Row      `json:"rows"`
}

// Row is one move and what is true after it.
type Row struct {
	Move    string   `json:"move"`
	Time    int64    `json:"ms"`
	Who     string   `json:"who"` // a client, a node, "clock" or "link"
	Node    string   `json:"node,omitempty"`
	Command []string `json:"command,omitempty"`
	What    string   `json:"what"`            // the command, or what happened
	Reply   string   `json:"reply,omitempty"` // as the client sees it
	Fate    string   `json:"fate,omitempty"`  // of the reply: "held" or "lost"
	Notes   []string `json:"notes,omitempty"`
	Known   []Known  `json:"known"`   // by the nodes
	Beliefs []string `json:"beliefs"` // of the clients
}

// Known is what a node knows of a lock.
type Known struct {
	Node  string `json:"node"`
	Key   string `json:"key"`
	Value string `json:"value,omitempty"`
	Owner string `json:"owner,omitempty"`
	TTL   int64  `json:"pttl"` // as PTTL answers
	Down  bool   `json:"down,omitempty"`
}

// Breaks tells whether the story ends with something broken.
func (st *Story) Breaks() bool { return st.Broken != nil && st.Broken.Property != shown }

// errNotPossible is the error of a schedule with a move that cannot be made.
var errNotPossible = errors.New("cannot be made then")

// Replay plays a schedule of a form again. The story's Broken is nil if the
// schedule breaks nothing.
func Replay(s *Scenario, form int, schedule string, bounds *Bounds) (*Story, error) {
	b := s.Forms[form].Bounds
	if bounds != nil {
		b = *bounds
	}
	moves, err := parseSchedule(s, schedule)
	if err != nil {
		return nil, err
	}
	x, w, err := newSim(s, form, b, nil, reduced{merged: true})
	if err != nil {
		return nil, err
	}
	return x.story(w, moves)
}

// story plays moves and tells them.
func (x *sim) story(w world, moves []move) (*Story, error) {
	s := x.scenario
	st := &Story{ID: s.ID, Title: s.Title, File: s.File, Form: x.form.Name, Why: x.form.why, Schedule: scheduleText(s, moves),
		Bounds: x.bounds, Clients: s.Clients()}
	for i := range s.nodes {
		st.Nodes = append(st.Nodes, x.scenario.nodeName(i))
	}
	symmetry, reduce := x.symmetry, x.reduce
	x.symmetry, x.reduce = false, false
	w.left[late], w.left[switches] = maxClients, anyNumber
	defer func() { x.symmetry, x.reduce, x.trace = symmetry, reduce, nil }()
	for i, m := range moves {
		if !contains(x.moves(&w, nil), m) {
			return nil, fmt.Errorf("move %d of the schedule, %s, %w", i+1, m.text(s), errNotPossible)
		}
		before := w
		x.trace = &trace{node: -1}
		_, broken := x.apply(&w, m)
		if err := x.failed(); err != nil {
			return nil, err
		}
		st.Rows = append(st.Rows, x.row(&before, &w, m))
		if st.Broken == nil {
			st.Broken = broken
		}
	}
	x.trace = nil
	if st.Broken == nil && x.over(&w) {
		st.Broken = x.end(&w)
	}
	return st, x.failed()
}

func contains(moves []move, m move) bool {
	for _, other := range moves {
		if other == m {
			return true
		}
	}
	return false
}

func (s *Scenario) nodeName(i int) string {
	switch {
	case s.replica:
		return [...]string{"P", "Q"}[i]
	case s.nodes == 1:
		return "server"
	}
	return "node " + strconv.Itoa(i+1)
}

// row tells one move.
func (x *sim) row(before, after *world, m move) Row {
	r := Row{Move: m.text(x.scenario), Time: after.now}
	switch m.kind {
	case moveStep, moveHold, moveLose:
		x.tellStep(&r, before, m)
	case moveKill:
		r.Who, r.What = x.name(m.who), "dies"
	case moveClock:
		r.Who, r.What = "clock", "+"+seconds(after.now-before.now)
		x.tellClock(&r, before, after)
	case moveArrive:
		r.Who, r.What = "link", "Q gets "+x.unitText(before.link.units[0].unit)
	case movePromote:
		r.Who, r.What = "Q", "takes over from P"
	case moveCrash:
		r.Who, r.What = x.scenario.nodeName(int(m.who)), "dies"
	case moveRestart:
		r.Who, r.What = x.scenario.nodeName(int(m.who)), "starts anew, with its data"
		if x.form.lost {
			r.What = "starts anew, with nothing"
		}
	case moveCut:
		r.Who, r.What = x.scenario.nodeName(int(m.who)), "is cut off"
		if x.scenario.replica {
			r.Who, r.What = "link", "is cut"
		}
	case moveJump:
		r.Who, r.What = x.scenario.nodeName(int(m.who)), "its clock jumps by "+seconds(x.scenario.jump)
	}
	x.tellState(&r, after)
	return r
}

// tellStep tells a client's step.
func (x *sim) tellStep(r *Row, before *world, m move) {
	r.Who = x.name(m.who)
	c := &before.clients[m.who]
	if c.paused != running && c.at != x.begins[m.who] {
		r.Notes = append(r.Notes, "goes on after its pause")
	}
	act := &x.programs.points[c.at].act
	t := x.trace
	switch {
	case c.phase == waiting && (act.kind == actSleep || act.kind == actWork):
		r.What = [...]string{"wakes", "has done its work"}[act.kind-actSleep]
	case c.phase != ready:
		r.What, r.Reply = "gets the reply of "+act.argv[0], replyText(t.got)
	case act.kind == actCall:
		r.Command, r.What = act.argv, act.command()
		r.Node = x.scenario.nodeName(int(x.target(before, c, act)))
		switch {
		case m.kind == moveLose:
			r.Reply, r.Fate = replyText(t.step.reply), "lost"
		case m.kind == moveHold:
			r.Reply, r.Fate = replyText(t.step.reply), "held"
		case t.gotIt:
			r.Reply = replyText(t.got)
		default:
			r.Notes = append(r.Notes, "waits")
		}
	case act.kind == actWrite:
		r.What, r.Reply = markText(act), "accepted"
		if t.got == "0" {
			r.Reply = "refused"
		}
	default:
		r.What = "chooses " + t.got
	}
	for i := range t.marks {
		r.Notes = append(r.Notes, markText(&t.marks[i]))
	}
}

func markText(act *action) string {
	switch act.kind {
	case actEnter:
		return "enters"
	case actLeave:
		return "leaves"
	case actBelieve:
		if act.n == 0 {
			return "believes no more"
		}
		return "believes until " + seconds(act.n)
	case actWrite:
		return "writes with number " + strconv.FormatInt(act.n, 10)
	}
	return act.text
}

// tellClock tells what the clock brought with it.
func (x *sim) tellClock(r *Row, before, after *world) {
	for i := range x.scenario.clients {
		if before.clients[i].paused != stopped && after.clients[i].paused == stopped && after.clients[i].at != x.begins[i] {
			r.Notes = append(r.Notes, x.name(int8(i))+" is paused")
		}
	}
	for i := range x.scenario.nodes {
		old, new := &before.nodes[i], &after.nodes[i]
		for j, key := range x.scenario.locks {
			if x.store.states[old.state].locks[j].there && !x.store.states[new.state].locks[j].there {
				r.Notes = append(r.Notes, key+" runs out"+x.where(i))
			}
		}
		if old.down && !new.down {
			r.Notes = append(r.Notes, x.scenario.nodeName(i)+" is up again")
		}
	}
}

func (x *sim) where(node int) string {
	if x.scenario.nodes == 1 {
		return ""
	}
	return " at " + x.scenario.nodeName(node)
}

func (x *sim) unitText(unit int32) string {
	var parts []string
	for _, argv := range x.store.units[unit] {
		a := action{}
		for _, w := range argv {
			a.argv = append(a.argv, string(w))
		}
		parts = append(parts, a.command())
	}
	return strings.Join(parts, "; ")
}

// tellState tells what the nodes know and what the clients believe.
func (x *sim) tellState(r *Row, w *world) {
	for i := range x.scenario.nodes {
		n := &w.nodes[i]
		for j, key := range x.scenario.locks {
			k := x.store.states[n.state].locks[j].known(w.now + n.skew)
			k.Node, k.Key, k.Down = x.scenario.nodeName(i), key, n.down
			if k.TTL != -2 && n.owners[j] >= 0 {
				k.Owner = x.name(n.owners[j])
			}
			r.Known = append(r.Known, k)
		}
	}
	for i := range x.scenario.clients {
		if c := &w.clients[i]; !c.gone() {
			held, need, _ := x.held(w, int8(i))
			r.Beliefs = append(r.Beliefs, belief(x.name(int8(i)), c.inside, c.belief, w.now, held >= need)...)
		}
	}
}

// known is what a node knows of a lock at a time, in its own milliseconds.
func (v *lockValue) known(now int64) Known {
	switch {
	case !v.there:
		return Known{TTL: -2}
	case v.at < 0:
		return Known{Value: v.value, TTL: -1}
	}
	return Known{Value: v.value, TTL: max(v.at-now, 0)}
}

// belief tells what a client believes, and whether it is so; nothing if it
// believes nothing.
func belief(name string, inside bool, until, now int64, holds bool) []string {
	if !inside && until <= now {
		return nil
	}
	text := name + " holds it"
	if inside {
		text = name + " is inside"
	}
	if until > now {
		text += " until " + seconds(until)
	}
	if !holds {
		text += " (not so)"
	}
	return []string{text}
}

// replyText is a reply as the story shows it.
func replyText(seen string) string {
	if text, failed := strings.CutPrefix(seen, "!"); failed {
		return text
	}
	v, _, err := resp.Decode([]byte(seen))
	if err != nil {
		return seen
	}
	return valueText(v)
}

func valueText(v resp.Value) string {
	switch {
	case v.IsNull():
		return "nil"
	case v.Type == resp.TypeInt:
		return strconv.FormatInt(v.Int, 10)
	case v.Type == resp.TypeArray:
		parts := make([]string, len(v.Elems))
		for i, el := range v.Elems {
			parts[i] = valueText(el)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return v.Str
}

// seconds writes milliseconds as seconds.
func seconds(ms int64) string { return strconv.FormatFloat(float64(ms)/1000, 'f', 3, 64) + " s" }

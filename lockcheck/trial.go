package lockcheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"minikv/engine"
	"minikv/minikvtest"
	"minikv/resp"
	"minikv/server"
)

// check is one property, and how to see that it does not hold.
type check struct {
	name string
	rule string
	min  int // servers that it takes
	run  func(tr *trial) error
}

// errNotOffered is what a check returns that asks for what is not there.
var errNotOffered = errors.New("not offered")

// Run runs all checks and answers what they found. A check that fails, and is
// not known to, fails the test, as does one that is known to fail and passes.
func Run(t *testing.T, a Adapter) []Result {
	t.Helper()
	counts := a.Nodes
	if len(counts) == 0 {
		counts = []int{1}
	}
	var results []Result
	for name := range a.Known {
		if !slices.ContainsFunc(checks, func(c check) bool { return c.name == name }) {
			t.Errorf("there is no check %s", name)
		}
	}
	failed := make(map[string]bool)
	for _, n := range counts {
		for _, c := range checks {
			if n < c.min {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d/%s", a.Name, n, c.name), func(t *testing.T) {
				r := runCheck(t, a, n, c)
				results = append(results, r)
				if r.Outcome != Fail {
					return
				}
				failed[c.name] = true
				if a.Known[c.name] == "" {
					t.Errorf("%s: %s\n%s", c.rule, r.Detail, r.Schedule)
				}
			})
		}
	}
	for name, why := range a.Known {
		if !failed[name] {
			t.Errorf("%s: known to fail (%s), and does not", name, why)
		}
	}
	return results
}

// runCheck runs one check in a bubble of its own.
func runCheck(t *testing.T, a Adapter, n int, c check) Result {
	r := Result{Check: c.name, Rule: c.rule, Nodes: n, Outcome: Pass}
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, a, n)
		err := c.run(tr)
		for _, client := range tr.clients {
			client.Close()
		}
		switch {
		case errors.Is(err, errNotOffered):
			r.Outcome = NotOffered
		case err != nil:
			r.Outcome, r.Detail = Fail, err.Error()
		}
		r.Schedule = tr.schedule()
	})
	return r
}

// What the checks take a lock of.
const (
	key = "lock"
	ttl = time.Second
	// over is when a key's time is over: it lives through its last millisecond.
	over = ttl + 2*time.Millisecond
	// patience is how long a call of the library may take, in the bubble's time.
	patience = 10 * time.Minute
)

// trial is one check as it runs.
type trial struct {
	adapter Adapter
	ctx     context.Context
	began   time.Time
	nodes   []*node
	clients []Client

	mu    sync.Mutex
	steps []Step
}

// node is one of its servers.
type node struct {
	trial *trial
	n     int
	kv    *minikvtest.KV

	mu    sync.Mutex
	conns map[int64]int // the library's, by the server's client ID
	hold  time.Duration // for how long replies do not reach the client
	cut   bool          // nobody can connect
}

func newTrial(t *testing.T, a Adapter, n int) *trial {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	tr := &trial{adapter: a, ctx: ctx, began: time.Now()}
	for i := range n {
		nd := &node{trial: tr, n: i + 1, conns: make(map[int64]int)}
		nd.kv = minikvtest.Run(t, nd.listen)
		tr.nodes = append(tr.nodes, nd)
	}
	return tr
}

// listen is the option by which the server tells what it runs.
func (nd *node) listen(opt *server.Options) error {
	opt.Tap = func(ev *engine.TapEvent) {
		switch {
		case !ev.After || ev.Source != engine.FromClient:
		case ev.Command.FullName() == "hello", ev.Command.FullName() == "select":
			nd.note(ev.Client, ev.Argv, Step{}) // on which the replies depend
		case ev.Command.Group != engine.Connection:
			reply := noReply
			if v, _, err := resp.Decode(ev.Reply); err == nil {
				reply = replyText(v)
			}
			nd.note(ev.Client, ev.Argv, Step{Reply: reply})
		}
	}
	opt.Noted = func(cl *engine.Client, argv [][]byte, what string) {
		nd.note(cl, argv, Step{Reply: "(" + what + ")", NotRun: true})
	}
	return nil
}

// noReply is in place of one that comes later, if at all.
const noReply = "(nothing)"

func replyText(v resp.Value) string {
	return strings.ReplaceAll(strings.TrimPrefix(v.String(), "(integer) "), "\n", " ")
}

// note writes down a command that the library has sent, or that changes what it
// sees.
func (nd *node) note(cl *engine.Client, argv [][]byte, s Step) {
	nd.mu.Lock()
	conn, ours := nd.conns[cl.ID()]
	nd.mu.Unlock()
	s.Node, s.Conn = nd.n, conn
	for _, a := range argv {
		s.Words = append(s.Words, string(a))
	}
	if ours || isWrite(s.Words) {
		nd.trial.step(s)
	}
}

func (tr *trial) step(s Step) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	s.At = time.Since(tr.began)
	tr.steps = append(tr.steps, s)
}

// schedule is what has happened so far. Servers do not wait for each other:
// what they do at the same time is in their order.
func (tr *trial) schedule() Schedule {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	list := slices.Clone(tr.steps)
	slices.SortStableFunc(list, func(a, b Step) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Node, b.Node)) })
	return list
}

// sent are the commands on the key that the library has sent since a number of
// steps.
func (tr *trial) sent(since int) (list []Step) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	for _, s := range tr.steps[since:] {
		if s.Conn > 0 && slices.Contains(s.Words, key) {
			list = append(list, s)
		}
	}
	return list
}

func (tr *trial) now() int {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return len(tr.steps)
}

// isWrite tells whether a command may change something.
func isWrite(words []string) bool {
	cmd := engine.Commands().Lookup(words[0])
	return cmd != nil && cmd.Flags&engine.ReadOnly == 0
}

// client is a new client of the library.
func (tr *trial) client() Client {
	var list []Node
	for _, nd := range tr.nodes {
		list = append(list, Node{Addr: fmt.Sprintf("node%d:6379", nd.n), Dial: nd.dial})
	}
	c := tr.adapter.New(list)
	tr.clients = append(tr.clients, c)
	return c
}

var errCut = errors.New("lockcheck: the node cannot be reached")

// dial connects, and learns as whom.
func (nd *node) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	nd.mu.Lock()
	cut := nd.cut
	nd.mu.Unlock()
	if cut {
		return nil, errCut
	}
	conn, err := nd.kv.Dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	var v resp.Value
	if _, err = conn.Write(resp.AppendCommandStrings(nil, "CLIENT", "ID")); err == nil {
		v, err = resp.NewReader(conn).Read()
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	nd.mu.Lock()
	defer nd.mu.Unlock()
	nd.conns[v.Int] = len(nd.conns) + 1
	return &heldConn{conn, nd}, nil
}

// heldConn is a client's connection whose replies may come late, as they do to a
// client that is paused: whatever time-out it has set.
type heldConn struct {
	net.Conn
	node *node
}

func (c *heldConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.node.mu.Lock()
	hold := c.node.hold
	c.node.mu.Unlock()
	if n > 0 && hold > 0 {
		time.Sleep(hold)
	}
	return n, err
}

// hold keeps replies back from now on; 0: no more.
func (tr *trial) hold(d time.Duration) {
	for _, nd := range tr.nodes {
		nd.mu.Lock()
		nd.hold = d
		nd.mu.Unlock()
		if d == 0 {
			nd.remark("from here on replies come at once")
		} else {
			nd.remark(fmt.Sprintf("from here on replies reach the client %d ms late", d.Milliseconds()))
		}
	}
}

// cut lets nobody connect any more: a client whose connection is lost, too, is
// as if it had died.
func (tr *trial) cut() {
	for _, nd := range tr.nodes {
		nd.mu.Lock()
		nd.cut = true
		nd.mu.Unlock()
		nd.remark("from here on nobody can connect")
	}
}

// remark writes down what no command does.
func (nd *node) remark(text string) { nd.trial.step(Step{Node: nd.n, Reply: "(" + text + ")"}) }

// do runs a command of the check itself.
func (nd *node) do(words ...string) resp.Value {
	args := make([]any, len(words))
	for i, w := range words {
		args[i] = w
	}
	return nd.kv.Do(args...)
}

// holder is whose the lock is on a node, or empty.
func (nd *node) holder() string { return nd.do("GET", key).Str }

// fault makes a node's commands go wrong, and answers how to end that.
func (nd *node) fault(f minikvtest.Fault, action ...string) (end func()) {
	words := []string{"MINIKV.FAULT", "ADD"}
	if f.Command != "" {
		words = append(words, "COMMAND", f.Command)
	}
	words = append(words, "KEY", f.Key, "NTH", fmt.Sprint(f.Nth))
	id := nd.kv.AddFault(f)
	nd.trial.step(Step{Node: nd.n, Words: append(words, action...)})
	return func() { nd.kv.RemoveFault(id) }
}

// foreign is the token of somebody else.
const foreign = "somebody-else"

// take gives a node's lock to somebody else, for good; false: it is taken.
func (nd *node) take() bool { return nd.do("SET", key, foreign, "NX", "PX", "3600000").Str == "OK" }

func (tr *trial) takeAll() error {
	for _, nd := range tr.nodes {
		if !nd.take() {
			return fmt.Errorf("on node %d the lock is not free, it is %q's", nd.n, nd.holder())
		}
	}
	return nil
}

// allForeign tells of a node where the lock is no longer somebody else's.
func (tr *trial) allForeign(what string) error {
	for _, nd := range tr.nodes {
		if holder := nd.holder(); holder != foreign {
			return fmt.Errorf("%s on node %d, where somebody else held it: its value is %q", what, nd.n, holder)
		}
	}
	return nil
}

// held tells a node where a lock is still there.
func (tr *trial) held(what string) error {
	for _, nd := range tr.nodes {
		if nd.do("EXISTS", key).Int != 0 {
			return fmt.Errorf("%s the lock is still there on node %d", what, nd.n)
		}
	}
	return nil
}

// lock takes the lock for a new client.
func (tr *trial) lock() (Client, Lock, error) {
	c := tr.client()
	l, err := c.Acquire(tr.ctx, key, ttl)
	if err != nil {
		err = fmt.Errorf("a free lock is not to be had: %w", err)
	}
	return c, l, err
}

// extendable takes a lock that the library can extend.
func (tr *trial) extendable() (Lock, error) {
	_, l, err := tr.lock()
	if err == nil && l.Extend == nil {
		err = errNotOffered
	}
	return l, err
}

// acquiring is the command by which a client takes locks: it has done so before,
// and the server knows its scripts.
func (tr *trial) acquiring(c Client) (name string, err error) {
	for range 2 {
		since := tr.now()
		l, err := c.Acquire(tr.ctx, key, ttl)
		if err != nil {
			return "", fmt.Errorf("a free lock is not to be had: %w", err)
		}
		for _, s := range slices.Backward(tr.sent(since)) {
			if isWrite(s.Words) {
				name = strings.ToLower(s.Words[0])
			}
		}
		if err := l.Release(tr.ctx); err != nil {
			return "", fmt.Errorf("a release fails: %w", err)
		}
	}
	return name, nil
}

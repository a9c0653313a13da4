package lockcheck

import (
	"context"
	"crypto/rand"
	"errors"
	mathrand "math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"minikv/resp"
)

// lib is a lock library that does everything right, but for one mistake.
type lib struct {
	mistake string
	nodes   []Node
	mu      sync.Mutex
	conns   []net.Conn
	closed  chan struct{}
	renewal sync.WaitGroup
}

var errNotHeld = errors.New("not held")

func (l *lib) makes(mistake string) bool { return l.mistake == mistake }

func (l *lib) try(i int, args []string) (v resp.Value, err error) {
	if l.conns[i] == nil {
		if l.conns[i], err = l.nodes[i].Dial(context.Background(), "tcp", l.nodes[i].Addr); err != nil {
			return v, err
		}
	}
	if _, err = l.conns[i].Write(resp.AppendCommandStrings(nil, args...)); err == nil {
		v, err = resp.NewReader(l.conns[i]).Read()
	}
	if err != nil {
		l.conns[i].Close()
		l.conns[i] = nil
	}
	return v, err
}

// do tries a command a second time if the connection was lost.
func (l *lib) do(i int, args ...string) (resp.Value, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	v, err := l.try(i, args)
	if err != nil {
		v, err = l.try(i, args)
	}
	return v, err
}

// all counts the nodes that say yes.
func (l *lib) all(f func(i int) bool) (yes int) {
	for i := range l.nodes {
		if f(i) {
			yes++
		}
	}
	return yes
}

func (l *lib) quorum(yes int) bool { return yes > len(l.nodes)/2 }

// script runs a script by its digest first.
func (l *lib) script(i int, source string, args ...string) int64 {
	digest := map[string]string{releaseScript: releaseDigest, extendScript: extendDigest}[source]
	v, err := l.do(i, append([]string{"EVALSHA", digest, "1"}, args...)...)
	if err == nil && v.IsError() && strings.HasPrefix(v.Str, "NOSCRIPT") && !l.makes("no EVAL") {
		v, _ = l.do(i, append([]string{"EVAL", source, "1"}, args...)...)
	}
	return v.Int
}

const (
	releaseScript = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end"
	extendScript  = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) else return 0 end"
	releaseDigest = "d02e481a9c91ceec59c5822a58a49d5d5d7ac80b"
	extendDigest  = "3c47f94dc28d90f47ce03eabe2ebe59e85e54bf1"
)

func (l *lib) take(i int, key, token, ms string) bool {
	var v resp.Value
	var err error
	switch l.mistake {
	case "no NX":
		v, err = l.do(i, "SET", key, token, "PX", ms)
	case "two commands":
		if v, _ := l.do(i, "SETNX", key, token); v.Int == 1 {
			l.do(i, "PEXPIRE", key, ms)
			return true
		}
		return false
	case "no TTL":
		v, err = l.do(i, "SET", key, token, "NX")
	default:
		v, err = l.do(i, "SET", key, token, "NX", "PX", ms)
	}
	if v.Str == "OK" || err != nil || l.makes("no look") || l.makes("no TTL") || l.makes("cleans what it knows") {
		return v.Str == "OK"
	}
	v, _ = l.do(i, "GET", key)
	return v.Str == token
}

func (l *lib) release(i int, key, token string) bool {
	switch l.mistake {
	case "DEL":
		v, _ := l.do(i, "DEL", key)
		return v.Int == 1
	case "GET, then DEL":
		if v, _ := l.do(i, "GET", key); v.Str != token {
			return false
		}
		v, _ := l.do(i, "DEL", key)
		return v.Int == 1
	case "releases a majority":
		if i == 0 {
			return false
		}
	}
	return l.script(i, releaseScript, key, token) == 1
}

func (l *lib) extend(i int, key, token, ms string) bool {
	switch l.mistake {
	case "extends by nothing":
		return true
	case "extends by SET":
		v, _ := l.do(i, "SET", key, token, "PX", ms)
		return v.Str == "OK"
	case "extends anybody's":
		v, _ := l.do(i, "PEXPIRE", key, ms)
		return v.Int == 1
	case "GET, then PEXPIRE":
		if v, _ := l.do(i, "GET", key); v.Str != token {
			return false
		}
		v, _ := l.do(i, "PEXPIRE", key, ms)
		return v.Int == 1
	}
	return l.script(i, extendScript, key, token, ms) == 1
}

func (l *lib) acquire(_ context.Context, key string, ttl time.Duration) (Lock, error) {
	token, ms := rand.Text(), strconv.FormatInt(ttl.Milliseconds(), 10)
	if l.makes("same token") {
		token = "the same token"
	}
	began := time.Now()
	got := make(map[int]bool)
	yes := l.all(func(i int) bool { got[i] = l.take(i, key, token, ms); return got[i] })
	until := began.Add(ttl)
	if l.makes("late clock") {
		until = time.Now().Add(ttl)
	}
	enough := l.quorum(yes)
	switch l.mistake {
	case "needs all":
		enough = yes == len(l.nodes)
	case "one is enough":
		enough = yes > 0
	}
	if !enough || !until.After(time.Now()) && !l.makes("no validity") {
		l.all(func(i int) bool {
			switch {
			case l.makes("no cleaning"), l.makes("no look"), l.makes("no TTL"), l.makes("cleans what it knows") && !got[i]:
				return false
			}
			return l.release(i, key, token)
		})
		return Lock{}, errors.New("taken")
	}
	if l.makes("renews for ever") {
		l.renewal.Go(func() { l.renew(key, token, ms, ttl/3) })
	}
	return Lock{
		Release: func(context.Context) error {
			if yes := l.all(func(i int) bool { return l.release(i, key, token) }); !l.quorum(yes) && !l.makes("tells nothing") {
				return errNotHeld
			}
			return nil
		},
		Extend: func(_ context.Context, ttl time.Duration) error {
			yes := l.all(func(i int) bool { return l.extend(i, key, token, ms) })
			if !l.quorum(yes) && !(l.makes("extends one") && yes > 0) {
				return errNotHeld
			}
			return nil
		},
		Until: func() time.Time { return until },
	}, nil
}

func (l *lib) renew(key, token, ms string, every time.Duration) {
	for {
		select {
		case <-l.closed:
			return
		case <-time.After(every):
			l.all(func(i int) bool { return l.extend(i, key, token, ms) })
		}
	}
}

func (l *lib) wait(ctx context.Context, key string, ttl time.Duration) (Lock, error) {
	for began := time.Now(); ; {
		lock, err := l.acquire(ctx, key, ttl)
		if err == nil || ctx.Err() != nil && (!l.makes("waits on") || time.Since(began) > 10*ttl) {
			return lock, err
		}
		delay := 50*time.Millisecond + mathrand.N(200*time.Millisecond)
		if l.makes("fixed delay") {
			delay = 100 * time.Millisecond
		}
		time.Sleep(delay)
	}
}

func adapterWith(mistake string) Adapter {
	return Adapter{Name: "lib", New: func(nodes []Node) Client {
		l := &lib{mistake: mistake, nodes: nodes, conns: make([]net.Conn, len(nodes)), closed: make(chan struct{})}
		return Client{Acquire: l.acquire, Wait: l.wait, Close: func() {
			close(l.closed)
			l.renewal.Wait()
			for _, c := range l.conns {
				if c != nil {
					c.Close()
				}
			}
		}}
	}}
}

// mistakes are what a library may do wrong, and the checks that find it.
var mistakes = map[string][]string{
	"no NX":                {"exclusive"},
	"two commands":         {"ttl"},
	"same token":           {"token"},
	"no validity":          {"validity"},
	"late clock":           {"until", "validity"},
	"no TTL":               {"lost reply", "ttl"},
	"no look":              {"lost reply, own", "partial, clean"},
	"DEL":                  {"release, foreign"},
	"tells nothing":        {"release, told"},
	"GET, then DEL":        {"release, atomic"},
	"no EVAL":              {"release, NOSCRIPT", "extend, NOSCRIPT"},
	"releases a majority":  {"release, everywhere"},
	"renews for ever":      {"release, quiet"},
	"extends by nothing":   {"extend", "extend, over", "extend, majority"},
	"extends by SET":       {"extend, over", "extend, foreign"},
	"extends anybody's":    {"extend, foreign"},
	"GET, then PEXPIRE":    {"extend, atomic"},
	"fixed delay":          {"jitter"},
	"waits on":             {"wait ends"},
	"needs all":            {"minority lost"},
	"one is enough":        {"majority taken"},
	"no cleaning":          {"partial, clean"},
	"cleans what it knows": {"partial, lost reply"},
	"extends one":          {"extend, majority"},
}

// Every mistake is found by the check that is there for it, and every check
// finds one.
func TestMistakesAreFound(t *testing.T) {
	t.Parallel()
	found := make(map[string]bool)
	for mistake, want := range mistakes {
		for _, name := range want {
			for _, c := range checks {
				if c.name != name {
					continue
				}
				found[name] = true
				r := runCheck(t, adapterWith(mistake), 3, c)
				if r.Outcome != Fail || r.Detail == "" || len(r.Schedule) == 0 {
					t.Errorf("%s: %s: %s %s\n%s", mistake, name, r.Outcome, r.Detail, r.Schedule)
				}
				if err := r.Schedule.Replay(); err != nil {
					t.Errorf("%s: %s: %v\n%s", mistake, name, err, r.Schedule)
				}
			}
		}
	}
	for _, c := range checks {
		if !found[c.name] {
			t.Errorf("no mistake is found by %s", c.name)
		}
	}
}

// A library without mistakes passes, on one node and on several.
func TestNoMistake(t *testing.T) {
	a := adapterWith("")
	a.Nodes = []int{1, 3, 5}
	for _, r := range Run(t, a) {
		if r.Outcome != Pass {
			t.Errorf("%s on %s: %s", r.Check, nodes(r.Nodes), r.Outcome)
		}
	}
}

// A replay tells what is answered otherwise.
func TestReplayTellsADifference(t *testing.T) {
	t.Parallel()
	s := Schedule{
		{Node: 1, Conn: 1, Words: []string{"SET", "lock", "a", "NX", "PX", "1000"}, Reply: "OK"},
		{Node: 1, Words: []string{"MINIKV.FAULT", "ADD", "KEY", "lock", "NTH", "1", "CLOSE", "BEFORE"}},
		{Node: 1, Conn: 1, Words: []string{"DEL", "lock"}, Reply: "(fault 1: not run)", NotRun: true},
		{At: time.Second, Node: 1, Conn: 2, Words: []string{"GET", "lock"}, Reply: `"a"`},
		{At: time.Second + time.Millisecond, Node: 1, Conn: 2, Words: []string{"GET", "lock"}, Reply: "(nil)"},
	}
	if err := s.Replay(); err != nil {
		t.Error(err)
	}
	s[4].Reply = `"a"`
	if err := s.Replay(); err == nil || err.Error() != `step 5: [GET lock]: the reply is (nil), not "a"` {
		t.Errorf("%v", err)
	}
}

// What a library does not offer is not held against it.
func TestNotOffered(t *testing.T) {
	t.Parallel()
	a := adapterWith("")
	offers := a.New
	a.New = func(nodes []Node) Client {
		c := offers(nodes)
		acquire := c.Acquire
		c.Wait = nil
		c.Acquire = func(ctx context.Context, key string, ttl time.Duration) (Lock, error) {
			l, err := acquire(ctx, key, ttl)
			l.Extend, l.Until = nil, nil
			return l, err
		}
		return c
	}
	for _, c := range checks {
		want := Pass
		if c.name == "until" || c.name == "jitter" || c.name == "wait ends" || strings.HasPrefix(c.name, "extend") {
			want = NotOffered
		}
		if r := runCheck(t, a, 3, c); r.Outcome != want {
			t.Errorf("%s: %s, want %s: %s\n%s", c.name, r.Outcome, want, r.Detail, r.Schedule)
		}
	}
}

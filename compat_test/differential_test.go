package compat_test

import (
	"flag"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"minikv/resp"
	"minikv/server"
)

var (
	differentialCommands = flag.Int("commands", 50_000, "how many commands the differential run sends; a million is the long run")
	differentialSeed     = flag.Uint64("seed", 1, "seed of the differential run")
)

// TestDifferential sends the same random commands to minikv, as Redis 7.0, and
// to a real redis-server, on two connections, alone and in pipelines, inside and outside
// MULTI, in RESP2 and RESP3, with deadlines that pass, and compares every
// reply; now and then it compares all data. -v prints the coverage.
//
//	go test ./compat_test -run TestDifferential -commands 1000000 -seed 7 -v -timeout 2h
func TestDifferential(t *testing.T) {
	t.Parallel()
	d := newDifferential(t, *differentialSeed)
	last := time.Now()
	for d.sent < *differentialCommands && len(d.found) < 15 {
		d.step()
		if testing.Verbose() && time.Since(last) > 10*time.Second {
			last = time.Now()
			fmt.Printf("differential run: %d of %d commands, %d differences\n", d.sent, *differentialCommands, len(d.found))
		}
	}
	d.compareData()
	d.report()
}

// side is one server's end of a connection.
type side struct {
	net.Conn
	r *resp.Reader
}

func (s *side) read(d *differential) resp.Value {
	s.SetReadDeadline(time.Now().Add(20 * time.Second))
	v, err := s.r.Read()
	if err != nil {
		d.report()
		d.t.Fatalf("no reply: %v; the last commands were\n%s", err, d.recent())
	}
	return v
}

// pair is the same connection to both servers.
type pair struct {
	name         string
	ours, theirs side
	proto        int
	multi        bool
	queued       [][]string
	short        bool // a queued command sets a short deadline
}

type differential struct {
	t     *testing.T
	g     *generator
	dial  func() (ours, theirs net.Conn)
	pairs []*pair
	log   []string // recent commands

	sent, errors int
	found        []string
}

func newDifferential(t *testing.T, seed uint64) *differential {
	socket := startRedis(t, "--enable-debug-command", "yes")
	srv := start(t, func(o *server.Options) {
		listening(o)
		for directive, value := range map[string]string{"redis-version": "7.0", "enable-debug-command": "yes"} {
			if err := o.Config.Apply(directive, []string{value}, "test"); err != nil {
				t.Fatal(err)
			}
		}
	})
	d := &differential{t: t, g: newGenerator(seed)}
	d.dial = func() (net.Conn, net.Conn) {
		a, err := net.Dial("tcp", srv.Addrs()[0].String())
		if err != nil {
			t.Fatal(err)
		}
		return a, dialWhenReady(t, socket)
	}
	for _, name := range []string{"A", "B"} {
		d.pairs = append(d.pairs, d.connect(name))
	}
	return d
}

// startRedis starts a redis-server for this test, with settings in args if there
// are any, and answers its socket.
func startRedis(t testing.TB, args ...string) string {
	path := requireRedis(t)
	socket := filepath.Join(t.TempDir(), "redis.sock")
	// hz 500: waiting clients time out, and keys expire, within milliseconds.
	args = append([]string{"--port", "0", "--unixsocket", socket, "--save", "", "--hz", "500", "--dir", filepath.Dir(socket)}, args...)
	cmd := exec.Command(path, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return socket
}

func (d *differential) connect(name string) *pair {
	a, b := d.dial()
	d.t.Cleanup(func() { a.Close(); b.Close() })
	return &pair{name: name, ours: side{a, resp.NewReader(a)}, theirs: side{b, resp.NewReader(b)}, proto: 2}
}

// step does one thing: mostly a command, sometimes a pipeline, a transaction's
// begin or end, a change of protocol, a message, somebody who waits.
func (d *differential) step() {
	p := d.pairs[0]
	if d.g.IntN(5) == 0 {
		p = d.pairs[1]
	}
	switch n := d.g.IntN(1000); {
	case n < 8 && !p.multi:
		proto := 2 + (d.g.IntN(5)+2)/4 // 3 more often than 2, since RESET goes back to 2
		d.hello(p, proto)
	case n < 10:
		d.send(p, []string{"RESET"})
		p.proto, p.multi, p.queued, p.short = 2, false, nil, false
	case n < 40 && !p.short:
		d.pipeline(p, 2+d.g.IntN(7))
	case n < 60 && !p.multi:
		d.send(p, []string{"MULTI"})
	case n < 300 && p.multi:
		d.send(p, []string{"EXEC"})
	case n < 310 && p.multi:
		d.send(p, []string{"DISCARD"})
	case n < 63 && !p.multi:
		d.wait(p)
	case n < 70 && !p.multi:
		d.message(p)
	case n < 71:
		d.compareData()
	default:
		d.one(p)
	}
}

func (d *differential) hello(p *pair, proto int) {
	ours, theirs := d.ask(p, []string{"HELLO", strconv.Itoa(proto)})
	if ours.IsError() == theirs.IsError() && !ours.IsError() && ours.Type != '+' {
		p.proto = proto
	}
}

// one sends a random command. If it set a deadline within milliseconds, these
// pass before anything else happens.
func (d *differential) one(p *pair) {
	args, short := d.g.command()
	if p.multi && len(args) > 0 && strings.Contains(args[0], "SCAN") {
		return // a whole iteration cannot be queued
	}
	if strings.HasSuffix(strings.ToUpper(args[0]), "SCAN") {
		d.scan(p, args)
	} else {
		d.send(p, args)
	}
	if short && p.multi {
		p.short = true // judge lets it pass after EXEC
	} else if short {
		d.pass()
	}
}

// pass lets short deadlines pass.
func (d *differential) pass() { time.Sleep(8 * time.Millisecond) }

// send sends one command on both sides and compares the replies.
func (d *differential) send(p *pair, args []string) {
	ours, theirs := d.ask(p, args)
	d.judge(p, args, ours, theirs)
}

func (d *differential) ask(p *pair, args []string) (ours, theirs resp.Value) {
	d.write(p, args)
	return p.ours.read(d), p.theirs.read(d)
}

func (d *differential) write(p *pair, args []string) {
	d.sent++
	d.log = append(d.log, p.name+"> "+quoted(args))
	if len(d.log) > 200 {
		d.log = d.log[100:]
	}
	command := resp.AppendCommandStrings(nil, args...)
	for _, s := range []*side{&p.ours, &p.theirs} {
		if _, err := s.Write(command); err != nil {
			d.t.Fatalf("%s: %v", quoted(args), err)
		}
	}
	d.g.cover[fmt.Sprintf("%s in RESP%d", strings.ToUpper(args[0]), p.proto)]++
}

// judge compares the replies, and keeps track of what MULTI has queued.
func (d *differential) judge(p *pair, args []string, ours, theirs resp.Value) {
	if theirs.IsError() {
		d.errors++
	}
	equal := same(args, ours, theirs)
	switch name := strings.ToUpper(args[0]); {
	case name == "MULTI" && !theirs.IsError():
		p.multi, p.queued = true, nil
	case name == "EXEC":
		if len(theirs.Elems) == len(ours.Elems) && len(theirs.Elems) == len(p.queued) {
			equal = true
			for i, q := range p.queued {
				if !same(q, ours.Elems[i], theirs.Elems[i]) {
					d.differ(append([]string{"(in EXEC)"}, q...), ours.Elems[i], theirs.Elems[i])
				}
			}
		}
		if p.short {
			d.pass()
		}
		p.multi, p.queued, p.short = false, nil, false
	case name == "DISCARD":
		p.multi, p.queued, p.short = false, nil, false
	case theirs.Type == '+' && theirs.Str == "QUEUED":
		p.queued = append(p.queued, args)
	}
	if !equal {
		d.differ(args, ours, theirs)
	}
}

// differ notes a difference and makes both sides equal again.
func (d *differential) differ(args []string, ours, theirs resp.Value) {
	d.found = append(d.found, fmt.Sprintf("%s\n  minikv: %s\n  redis:  %s\n  after\n%s", quoted(args), ours, theirs, d.recent()))
	for _, p := range d.pairs {
		if p.multi {
			d.ask(p, []string{"DISCARD"})
			p.multi, p.queued = false, nil
		}
	}
	d.ask(d.pairs[0], []string{"FLUSHALL"})
}

func (d *differential) recent() string {
	return strings.Join(d.log[max(0, len(d.log)-12):], "\n")
}

// pipeline sends several commands before it reads any reply.
func (d *differential) pipeline(p *pair, n int) {
	var sent [][]string
	for range n {
		args, short := d.g.command()
		if strings.HasSuffix(strings.ToUpper(args[0]), "SCAN") || short {
			continue
		}
		d.write(p, args)
		sent = append(sent, args)
	}
	ours, theirs := make([]resp.Value, len(sent)), make([]resp.Value, len(sent))
	for i := range sent {
		ours[i], theirs[i] = p.ours.read(d), p.theirs.read(d)
	}
	for i, args := range sent {
		d.judge(p, args, ours[i], theirs[i])
	}
}

// scan iterates to the end on both sides and compares what came as a set.
func (d *differential) scan(p *pair, args []string) {
	cursor := slices.Index(args, "0")
	if cursor < 0 {
		d.send(p, args)
		return
	}
	d.write(p, args)
	all := func(s *side) (v resp.Value) {
		page := s.read(d)
		seen := make(map[string]bool)
		for {
			if len(page.Elems) != 2 {
				return page
			}
			v.Type = page.Elems[1].Type
			for _, e := range d.entries(args[0], page.Elems[1].Elems) {
				if !seen[e.String()] {
					seen[e.String()] = true
					v.Elems = append(v.Elems, e)
				}
			}
			if page.Elems[0].Str == "0" {
				return v
			}
			args[cursor] = page.Elems[0].Str
			s.Write(resp.AppendCommandStrings(nil, args...))
			page = s.read(d)
		}
	}
	again := slices.Clone(args)
	ours := all(&p.ours)
	copy(args, again)
	theirs := all(&p.theirs)
	d.judge(p, args, ours, theirs)
}

// entries makes one value of each pair of HSCAN and ZSCAN.
func (d *differential) entries(name string, elems []resp.Value) []resp.Value {
	if name = strings.ToUpper(name); name != "HSCAN" && name != "ZSCAN" {
		return elems
	}
	var list []resp.Value
	for pair := range slices.Chunk(elems, 2) {
		list = append(list, resp.Value{Type: '*', Elems: pair})
	}
	return list
}

// wait lets one client block and the other give it something, or let it wait
// in vain.
func (d *differential) wait(p *pair) {
	other := d.pairs[0]
	if p == other {
		other = d.pairs[1]
	}
	if other.multi {
		return
	}
	for _, q := range d.pairs { // a fresh list in the same database
		d.send(q, []string{"SELECT", "0"})
	}
	d.send(p, []string{"DEL", "l0", "l1"})
	d.write(p, [][]string{
		{"BLPOP", "l0", "l1", "0.2"}, {"BRPOP", "l1", "l0", "0.2"}, {"BLMOVE", "l0", "l2", "LEFT", "RIGHT", "0.2"},
		{"BLMPOP", "0.2", "2", "l0", "l1", "LEFT", "COUNT", "2"},
	}[d.g.IntN(4)])
	args := strings.Fields(d.log[len(d.log)-1])[1:]
	time.Sleep(3 * time.Millisecond) // both are waiting now
	if d.g.IntN(4) > 0 {
		d.send(other, []string{"RPUSH", "l0", "a", "b", "c"})
	}
	d.judge(p, args, p.ours.read(d), p.theirs.read(d))
}

// message lets a third client listen while p publishes, and compares all that
// the listener got.
func (d *differential) message(p *pair) {
	l := d.connect("C")
	defer l.ours.Close()
	defer l.theirs.Close()
	if d.g.IntN(2) == 0 {
		d.hello(l, 3)
	}
	replies := 0
	for _, sub := range [][]string{{"SUBSCRIBE", "news", "sport"}, {"PSUBSCRIBE", "ne*", "?port"}, {"SSUBSCRIBE", "news"}, {"UNSUBSCRIBE", "sport"}, {"PUNSUBSCRIBE"}} {
		if d.g.IntN(2) == 0 {
			d.write(l, sub)
			replies++
		}
	}
	d.write(l, []string{"PING", "listening"}) // its reply comes after all of theirs
	d.compareUntil(l, "listening")
	for range 1 + d.g.IntN(3) {
		d.send(p, []string{d.g.pick("PUBLISH", "PUBLISH", "SPUBLISH"), d.g.pick("news", "sport", "others"), d.g.text()})
	}
	d.write(l, []string{"PING", "done"})
	d.compareUntil(l, "done")
}

// compareUntil compares a connection's replies and pushes up to the answer of
// PING word.
func (d *differential) compareUntil(p *pair, word string) {
	for {
		ours, theirs := p.ours.read(d), p.theirs.read(d)
		if !ours.Equal(theirs) {
			d.differ([]string{"(messages)"}, ours, theirs)
			return
		}
		last := theirs
		if len(last.Elems) > 0 {
			last = last.Elems[len(last.Elems)-1]
		}
		if last.Str == word {
			return
		}
	}
}

// compareData compares every key of three databases: type, encoding, value,
// deadline.
func (d *differential) compareData() {
	p := d.pairs[0]
	if p.multi {
		return
	}
	for _, db := range []string{"1", "2", "0"} {
		d.send(p, []string{"SELECT", db})
		d.send(p, []string{"DBSIZE"})
		for _, key := range allKeys {
			kind, _ := d.ask(p, []string{"TYPE", key})
			if kind.Str != "none" {
				d.carry(p, key)
			}
			read := map[string][]string{
				"string": {"GET", key}, "list": {"LRANGE", key, "0", "-1"}, "set": {"SMEMBERS", key}, "hash": {"HGETALL", key},
				"zset": {"ZRANGE", key, "0", "-1", "WITHSCORES"},
			}[kind.Str]
			if read != nil {
				d.send(p, read)
				d.send(p, []string{"OBJECT", "ENCODING", key})
				d.send(p, []string{"PTTL", key})
				d.send(p, []string{"DEBUG", "DIGEST-VALUE", key})
			}
		}
	}
}

// carry restores each side's dump of a key on the other side, and compares.
func (d *differential) carry(p *pair, key string) {
	ours, theirs := d.ask(p, []string{"DUMP", key})
	restore := []string{"RESTORE", "carried", "0", "", "REPLACE"}
	for s, payload := range map[*side]string{&p.ours: theirs.Str, &p.theirs: ours.Str} {
		restore[3] = payload
		if _, err := s.Write(resp.AppendCommandStrings(nil, restore...)); err != nil {
			d.t.Fatalf("RESTORE: %v", err)
		}
	}
	d.sent++
	d.judge(p, restore, p.ours.read(d), p.theirs.read(d))
	d.send(p, []string{"DEBUG", "DIGEST-VALUE", "carried"})
	d.send(p, []string{"OBJECT", "ENCODING", "carried"})
	d.send(p, []string{"DEL", "carried"})
}

// report fails the test on differences, or if the run was not worth its name,
// and prints what it covered.
func (d *differential) report() {
	for _, f := range d.found {
		d.t.Errorf("%s", f)
	}
	if ok := 100 - 100*d.errors/max(1, d.sent); ok < 60 {
		d.t.Errorf("only %d %% of the replies were no errors", ok)
	}
	names := make([]string, 0, len(d.g.cover))
	for name := range d.g.cover {
		names = append(names, name)
	}
	slices.Sort(names)
	var table strings.Builder
	fewest := *differentialCommands
	for _, name := range names {
		fmt.Fprintf(&table, "%8d  %s\n", d.g.cover[name], name)
		fewest = min(fewest, d.g.cover[name])
	}
	d.t.Logf("%d commands, %d errors, %d commands and options, the rarest came up %d times:\n%s", d.sent, d.errors, len(names), fewest, table.String())
	for _, gen := range d.g.pool {
		if d.g.cover[gen.name[0]+" in RESP2"] == 0 || d.g.cover[gen.name[0]+" in RESP3"] == 0 {
			d.t.Errorf("%s never came up in both protocols", gen.name[0])
		}
	}
}

func quoted(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a
		if a == "" || strings.ContainsFunc(a, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' }) {
			words[i] = strconv.Quote(a)
		}
	}
	return strings.Join(words, " ")
}

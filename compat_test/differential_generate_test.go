package compat_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"minikv/engine"
)

// The generator makes random commands that are mostly valid, from the syntax
// in the command table. Sixteen keys are in play, named after the type that
// they mostly hold, so that commands meet each other's data; values come from
// a few texts and numbers. Deadlines are either far away or within a few
// milliseconds, which the driver lets pass at once: nothing depends on the
// moment at which a server looks at its clock.

// leftOut are the commands that the differential run does not send, with the
// reason. Everything else in the table is sent.
var leftOut = map[string]string{
	"shutdown": "ends the server", "debug": "differs by design, and holds the loop", "config": "compared by a test of its own",
	"client": "names connections, which differ", "command": "compared by a test of its own", "info": "compared by a test of its own",
	"lolwut": "draws a picture", "slowlog": "tells times", "hello": "sent by the driver", "auth": "no passwords are set",
	"quit": "ends the connection", "reset": "sent by the driver", "subscribe": "sent by the driver", "psubscribe": "sent by the driver",
	"ssubscribe": "sent by the driver", "unsubscribe": "sent by the driver", "punsubscribe": "sent by the driver",
	"sunsubscribe": "sent by the driver", "monitor": "tells times and addresses", "role": "tells offsets", "lastsave": "tells a time", "wait": "waits for replicas",
	"memory": "tells sizes", "latency": "tells times", "dump": "compared by a test of its own", "restore": "compared by a test of its own",
	"replicaof": "would make a replica", "slaveof": "would make a replica", "module": "needs leave", "cluster": "compared by a test of its own",
	"bgrewriteaof": "compared by a test of its own", "save": "compared by a test of its own", "bgsave": "compared by a test of its own", "migrate": "compared by a test of its own",
	"acl": "compared by a test of its own", "function": "compared by a test of its own", "fcall": "compared by a test of its own",
	"fcall_ro": "compared by a test of its own", "script|debug": "turns the next script into a session",
	"restore-asking": "compared by a test of its own", "pfdebug": "tells how a sketch is kept", "pfselftest": "takes seconds",
}

var playKeys = map[engine.Group][]string{
	engine.String: {"s0", "s1", "s2"}, engine.Hash: {"h0", "h1"}, engine.List: {"l0", "l1", "l2"}, engine.Set: {"e0", "e1"},
	engine.SortedSet: {"z0", "y0"}, engine.Stream: {"x0", "x1"}, engine.HyperLogLog: {"p0"}, engine.Geo: {"g0"},
	engine.Bitmap: {"s0", "s1", "s2"},
}

// allKeys are the sixteen keys in play.
var allKeys = func() (all []string) {
	for _, group := range []engine.Group{engine.String, engine.Hash, engine.List, engine.Set, engine.SortedSet,
		engine.Stream, engine.HyperLogLog, engine.Geo} {
		all = append(all, playKeys[group]...)
	}
	return all
}()

// scripts are what EVAL and its kin run: numkeys, then the source.
var scripts = []struct {
	keys   int
	source string
}{
	{1, "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end"},
	{1, "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'EX', 1000)"},
	{1, "return {redis.call('TYPE', KEYS[1]), redis.call('EXISTS', KEYS[1]), KEYS[1], ARGV}"},
	{2, "redis.call('SET', KEYS[1], ARGV[1]) return redis.call('LPUSH', KEYS[2], ARGV[1])"},
	{1, "return redis.pcall('INCR', KEYS[1])"},
	{1, "return redis.call('INCR', KEYS[1])"},
	{0, "return {1, 2.7, 'three', true, false, {4, {5}}, nil, 6}"},
	{0, "return redis.error_reply('MY ' .. ARGV[1])"},
	{0, "return redis.status_reply(ARGV[1])"},
	{1, "local n = 0 for i = 1, #ARGV[1] do n = n + redis.call('INCRBY', KEYS[1], i) end return n"},
	{0, "redis.setresp(3) return {double=3.25}"},
	{0, "return tonumber(ARGV[1])"},
	{0, "return #ARGV"},
	{0, "return nosuch"},
	{0, "syntax error here"},
	{1, "redis.call('EXPIRE', KEYS[1], 1000) return redis.call('TTL', KEYS[1]) > 900"},
}

// lexable are the commands that may be about members alone, or fill y0.
var lexable = map[string]bool{"ZRANGE": true, "ZRANGESTORE": true, "ZADD": true, "ZREM": true}

// generated is a command of the table, ready to be made up.
type generated struct {
	cmd    *engine.Command
	name   []string // as sent: one word, or two for a subcommand
	tree   engine.ArgTree
	weight int
	made   int
}

// generator makes commands from one seed.
type generator struct {
	*rand.Rand
	pool  []*generated
	total int
	made  int
	cover map[string]int // "name" and "name WORD", each by protocol

	cmd     *generated
	numkeys int // how many keys the command being made must name; 0: as many as it likes
	short   bool
	lastID  int // of the streams
	// lex: the command is about ranges of members. These are defined where all
	// scores are equal, so they have a key of their own, y0.
	lex bool
}

func newGenerator(seed uint64) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1)), cover: make(map[string]int)}
	for _, cmd := range engine.Commands().Commands() {
		container, _, _ := strings.Cut(cmd.FullName(), "|")
		if cmd.Handler == nil || cmd.Group == engine.Minikv || leftOut[container] != "" || leftOut[cmd.FullName()] != "" || strings.HasSuffix(cmd.FullName(), "|help") || !oldEnough(cmd.Since) {
			continue
		}
		tree, err := engine.ParseSyntax(cmd.Syntax)
		if err != nil {
			panic(err)
		}
		tree = tree.ForVersion("7.0")
		words := 0
		tree.Walk(func(a *engine.Arg) {
			if a.Token != "" {
				words++
			}
		})
		weight := 4 + 2*words
		if cmd.Flags&engine.Blocking != 0 {
			weight = 4 + words // each may wait
		}
		gen := &generated{cmd: cmd, name: strings.Split(strings.ToUpper(cmd.FullName()), "|"), tree: tree, weight: weight}
		g.pool = append(g.pool, gen)
		g.total += gen.weight
	}
	return g
}

// oldEnough tells whether Redis 7.0 has what came with a version.
func oldEnough(since string) bool {
	major, _, _ := strings.Cut(since, ".")
	n, err := strconv.Atoi(major)
	return err == nil && (n < 7 || strings.HasPrefix(since, "7.0."))
}

// command makes one up. short tells that it may set a deadline of a few
// milliseconds, which must pass before anything else is sent.
func (g *generator) command() (args []string, short bool) {
	g.made++
	g.cmd = g.draw()
	if other := g.draw(); other.made*g.cmd.weight < g.cmd.made*other.weight {
		g.cmd = other // of two the one that came up less, for its weight
	}
	g.cmd.made++
	g.numkeys, g.short = 0, false
	if strings.HasPrefix(g.cmd.name[0], "XREAD") {
		g.numkeys = 1 + g.IntN(2) // as many ids as keys
	}
	g.lex = strings.Contains(g.cmd.name[0], "LEX") || lexable[g.cmd.name[0]] && g.IntN(3) == 0
	args = slices.Clone(g.cmd.name)
	if g.cmd.cmd.Group == engine.Scripting && strings.HasPrefix(g.cmd.name[0], "EVAL") {
		return append(args, g.script()...), false
	}
	args = g.sequence(args, g.cmd.tree)
	if g.cmd.name[0] == "SPOP" && len(args) == 2 {
		args = append(args, "1000") // all there are: which one would differ
	}
	if g.IntN(100) == 0 && g.cmd.name[0] != "SPOP" && g.cmd.cmd.Flags&engine.Blocking == 0 { // a spoilt time-out may never end
		args = g.spoil(args)
	}
	return args, g.short
}

// draw picks a command by its weight.
func (g *generator) draw() *generated {
	at := g.IntN(g.total)
	for _, gen := range g.pool {
		if at -= gen.weight; at < 0 {
			return gen
		}
	}
	panic("unreachable")
}

// rare tells whether an argument has a keyword that came up less often than the
// run is meant to show each.
func (g *generator) rare(a *engine.Arg) bool {
	found := false
	engine.ArgTree{*a}.Walk(func(a *engine.Arg) {
		found = found || a.Token != "" && g.cover[strings.Join(g.cmd.name, " ")+" "+a.Token] < g.made/700
	})
	return found
}

// spoil makes a command wrong: a word too many, too few, or another.
func (g *generator) spoil(args []string) []string {
	switch at := g.IntN(len(args)); {
	case at == 0:
		return append(args, g.text())
	case g.IntN(2) == 0:
		return slices.Delete(args, at, at+1)
	default:
		args[at] = g.pick("", "abc", "-1", "99999999999999999999", "nan", "1.5", " 1", "NX", "\x00")
		return args
	}
}

func (g *generator) sequence(args []string, tree engine.ArgTree) []string {
	for i := range tree {
		if a := &tree[i]; !a.Optional || g.IntN(100) < 35 || g.rare(a) && g.IntN(100) < 70 {
			args = g.arg(args, a)
		}
	}
	return args
}

func (g *generator) arg(args []string, a *engine.Arg) []string {
	n := 1
	if a.Multiple {
		n = 1 + g.IntN(3)
		if g.numkeys > 0 && (a.Kind == engine.ArgKey || strings.Contains(a.Name, "weight") || strings.HasPrefix(g.cmd.name[0], "XREAD")) {
			n = g.numkeys
		}
	}
	for i := range n {
		if a.Token != "" && (i == 0 || a.MultipleToken) {
			args = append(args, a.Token)
			g.note(a.Token)
		}
		switch a.Kind {
		case engine.ArgOneOf:
			choice := &a.Args[g.IntN(len(a.Args))]
			if !g.rare(choice) {
				choice = &a.Args[g.IntN(len(a.Args))]
			}
			for choice.Token == "*" || choice.Token == "BYLEX" && !g.lex || choice.Token == "BYSCORE" && g.lex { // "*" is an id by the clock
				choice = &a.Args[g.IntN(len(a.Args))]
			}
			args = g.arg(args, choice)
		case engine.ArgBlock:
			args = g.sequence(args, a.Args)
		case engine.ArgPureToken:
		default:
			args = append(args, g.value(a))
		}
	}
	return args
}

// note counts an option of the command being made.
func (g *generator) note(word string) { g.cover[strings.Join(g.cmd.name, " ")+" "+word]++ }

func (g *generator) pick(from ...string) string { return from[g.IntN(len(from))] }

func (g *generator) text() string {
	return g.pick("a", "b", "c", "d", "1", "2", "10", "-3", "3.5", "0", "hello world", "", "\x00\xff\r\n", "Hello", strings.Repeat("x", 70))
}

func (g *generator) number(lo, hi int) string { return strconv.Itoa(lo + g.IntN(hi-lo+1)) }

// key is one of the sixteen, mostly of the command's own type.
func (g *generator) key() string {
	switch {
	case g.lex:
		return "y0"
	case g.cmd.cmd.Group == engine.SortedSet && g.IntN(100) < 96:
		return "z0"
	case strings.HasPrefix(g.cmd.name[0], "SORT"): // of a set, ties stand in the table's order
		return g.pick(playKeys[engine.List]...)
	}
	if keys := playKeys[g.cmd.cmd.Group]; keys != nil && g.IntN(100) < 96 {
		return keys[g.IntN(len(keys))]
	}
	if strings.HasPrefix(g.cmd.name[0], "RENAME") || g.cmd.name[0] == "COPY" {
		return g.pick(playKeys[engine.String]...) // types stay where they are
	}
	return allKeys[g.IntN(len(allKeys))]
}

// value makes up one argument by its kind and its name.
func (g *generator) value(a *engine.Arg) string {
	switch {
	case a.Kind == engine.ArgKey:
		return g.key()
	case a.Name == "numkeys":
		g.numkeys = 1 + g.IntN(3)
		return strconv.Itoa(g.numkeys)
	case a.Name == "cursor":
		return "0"
	case g.cmd.cmd.Group == engine.Stream:
		return g.streamValue(a)
	case g.cmd.cmd.Group == engine.Geo && (a.Name == "longitude" || a.Name == "latitude"):
		return g.pick("13.361389", "15.087269", "2.35", "38.115556", "-12.25", "80.5")
	case a.Name == "radius" || a.Name == "width" || a.Name == "height":
		return g.pick("100", "1000", "200000", "20000000")
	case strings.Contains(a.Name, "encoding"):
		return g.pick("u8", "i5", "u63", "i64", "u1", "i8")
	case a.Kind == engine.ArgPattern && strings.HasPrefix(g.cmd.name[0], "SORT"):
		return g.pick("s*", "h*->a", "x*", "#")
	case a.Kind == engine.ArgPattern:
		return g.pick("*", "s*", "?0", "[slz]1", "h[^0]", "nothing", "*[a")
	case a.Name == "timeout":
		return "0.01"
	case a.Name == "min" || a.Name == "max" || a.Name == "start" && g.cmd.name[0] == "ZRANGE":
		if g.lex {
			return g.pick("-", "+", "[a", "(b", "[c", "(Hello")
		}
		return g.pick("-inf", "+inf", "0", "1", "(1", "2.5", "(10", "-3")
	case strings.Contains(a.Name, "milliseconds") && a.Kind != engine.ArgUnixTime:
		if g.IntN(3) == 0 {
			g.short = true
			return g.number(1, 3)
		}
		return g.pick("100000", "900000", "100000000")
	case strings.Contains(a.Name, "seconds") && a.Kind != engine.ArgUnixTime:
		return g.pick("100", "1000", "100000", "0", "-1")
	case a.Kind == engine.ArgUnixTime:
		return g.unixTime(strings.Contains(a.Name, "milli"))
	case a.Name == "index" && g.cmd.name[0] == "SELECT" || strings.HasSuffix(a.Name, "db") || strings.HasPrefix(a.Name, "index") && g.cmd.name[0] == "SWAPDB":
		return g.number(0, 2)
	case strings.Contains(a.Name, "increment") || strings.Contains(a.Name, "decrement"):
		if a.Kind == engine.ArgDouble || strings.Contains(g.cmd.name[0], "FLOAT") {
			return g.pick("0.5", "-1.25", "3", "1e3", "0.1")
		}
		return g.pick("1", "-1", "7", "1000", "9223372036854775807")
	case a.Name == "bit" || a.Name == "value" && a.Kind == engine.ArgInteger && g.cmd.name[0] == "SETBIT":
		return g.number(0, 1)
	case a.Name == "offset" && g.cmd.cmd.Group == engine.Bitmap:
		return g.number(0, 300)
	case a.Kind == engine.ArgDouble && g.lex:
		return "0"
	case a.Kind == engine.ArgDouble:
		return g.pick("0", "1", "2", "-3", "2.5", "1e3", "inf", "-inf", "10")
	case a.Name == "count" && g.cmd.name[0] == "SPOP":
		return "1000"
	case a.Name == "offset" && g.cmd.cmd.Group == engine.String:
		return g.number(0, 100)
	case a.Kind == engine.ArgInteger:
		return g.number(-4, 8)
	case a.Name == "sha1":
		return strings.Repeat(g.pick("0", "a"), 40)
	case g.cmd.cmd.Group == engine.String && g.IntN(2) == 0:
		return g.number(-5, 100)
	}
	return g.text()
}

// streamValue makes up one argument of a stream command. Most entries get ids
// that grow, so that most are taken.
func (g *generator) streamValue(a *engine.Arg) string {
	switch {
	case a.Token == "BLOCK":
		return "10"
	case a.Name == "group":
		return g.pick("g1", "g2")
	case a.Name == "consumer":
		return g.pick("c1", "c2")
	case strings.Contains(a.Name, "idle") || a.Name == "ms":
		return g.pick("0", "0", "1000000")
	case a.Kind == engine.ArgUnixTime:
		return g.unixTime(true)
	case g.cmd.name[0] == "XADD" && a.Name == "id":
		if g.IntN(8) > 0 {
			g.lastID++
			return strconv.Itoa(g.lastID/3) + "-" + strconv.Itoa(g.lastID%3)
		}
		return g.pick("0-0", "1", "1-1", "abc", "1-*", "5-")
	case strings.HasPrefix(g.cmd.name[0], "XREAD") && a.Name == "id":
		return g.pick("0", ">", "$", "1", strconv.Itoa(g.lastID/6))
	case a.Name == "start" || a.Name == "end":
		return g.pick("-", "+", "0", "(1-1", strconv.Itoa(g.lastID/4), "(2")
	case strings.Contains(a.Name, "id"):
		return g.pick("0", "1-1", strconv.Itoa(g.lastID/3), strconv.Itoa(g.lastID/3)+"-1", "2-1", strconv.Itoa(g.lastID/3-1)+"-2")
	case a.Name == "threshold":
		return g.pick("0", "2", "5", strconv.Itoa(g.lastID/3-2)+"-1")
	case a.Kind == engine.ArgInteger || strings.Contains(a.Name, "count") || strings.Contains(a.Name, "entries"):
		return g.number(-1, 8)
	}
	return g.text()
}

// unixTime is a moment that is over, or one far ahead.
func (g *generator) unixTime(milli bool) string {
	at := int64(1)
	if g.IntN(4) > 0 {
		at = time.Now().Unix() + 1000 + int64(g.IntN(3))*1000
	}
	if milli {
		at *= 1000
	}
	return strconv.FormatInt(at, 10)
}

// script is the rest of EVAL or EVALSHA.
func (g *generator) script() []string {
	s := scripts[g.IntN(len(scripts))]
	source := s.source
	if strings.HasPrefix(g.cmd.name[0], "EVALSHA") {
		source = scriptSHA(source)
	}
	args := []string{source, strconv.Itoa(s.keys)}
	for range s.keys {
		args = append(args, g.key())
	}
	return append(args, g.text())
}

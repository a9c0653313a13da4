package compat_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// functionPair is a minikv and a redis-server that are sent the same.
type functionPair struct {
	t            *testing.T
	ctx          context.Context
	ours, theirs *redis.Client
	*rand.Rand
	fine, failed int // replies, and error replies, that were the same
}

func newFunctionPair(t *testing.T, proto int) *functionPair {
	socket := startRedis(t)
	redisClient(t, socket)
	theirs := redis.NewClient(&redis.Options{Protocol: proto, Dialer: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", socket) }})
	t.Cleanup(func() { theirs.Close() })
	return &functionPair{
		t: t, ctx: context.Background(), Rand: rand.New(rand.NewPCG(*differentialSeed, uint64(proto))),
		ours: client(t, start(t), func(o *redis.Options) { o.Protocol = proto }), theirs: theirs,
	}
}

// same runs a command on both servers and compares what they answer.
func (p *functionPair) same(args ...any) any {
	p.t.Helper()
	got, ourErr := p.ours.Do(p.ctx, args...).Result()
	want, theirErr := p.theirs.Do(p.ctx, args...).Result()
	if args[0] == "FUNCTION" {
		got, want = inSomeOrder(got), inSomeOrder(want)
	}
	if g, w := someName.ReplaceAllString(fmt.Sprint(got, ourErr), "$1 x"), someName.ReplaceAllString(fmt.Sprint(want, theirErr), "$1 x"); g != w {
		p.t.Errorf("%.600q\n minikv: %.600s\n redis:  %.600s", args, g, w)
	}
	if theirErr != nil && !errors.Is(theirErr, redis.Nil) {
		p.failed++
	} else {
		p.fine++
	}
	return want
}

// someName is in errors the first of several names, in the order of Redis's hash
// tables.
var someName = regexp.MustCompile(`\b(Function|Library) \w+ already exists`)

// inSomeOrder sorts lists of libraries and functions, whose order is that of Redis's
// hash tables.
func inSomeOrder(v any) any {
	switch v := v.(type) {
	case map[any]any:
		for key, elem := range v {
			v[key] = inSomeOrder(elem)
		}
	case []any:
		described := true
		for i, elem := range v {
			v[i] = inSomeOrder(elem)
			described = described && composed(elem)
		}
		if described {
			slices.SortFunc(v, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
	}
	return v
}

// composed tells whether a reply has others in it.
func composed(v any) bool {
	switch v.(type) {
	case []any, map[any]any:
		return true
	}
	return false
}

// Fragments of libraries: heads, what stands in front of the functions, how a
// function is registered, and what it does.
var (
	functionHeads = []string{
		"#!lua name=%s\n", "#!lua name=%s\n", "#!lua name=%s\n", "#!LUA NAME=\"%s\"\n", "#!lua  name='%s'  \r\n\n", "#!lua name=%s flags=no-writes\n", "#!js name=%s\n", "#!lua name=%s", "#!lua %s\n", "name=%s\n", "#!lua name=%s- \n", "#!lua name='%s\n",
	}
	functionPreludes = []string{
		"", "", "", "local count, kept = 0, {}\n", "local r = redis\n", "redis.log(redis.LOG_DEBUG, 'loading')\n", "local s = ('x'):rep(3) .. 1.5\n",
		"local x = pairs\n", "x = 1\n", "local call = redis.call\n", "nonsense here\n", "for i = 1, 3 do redis.register_function('loop' .. i, function(keys, args) return i end) end\n", "do return end\n",
		"local function g() return 1 + g() end\n", "local n n.x = 1\n", "-- " + strings.Repeat("a long comment ", 12) + "\n",
	}
	functionForms = []string{
		"redis.register_function('%s', %s)\n", "redis.register_function('%s', %s)\n", "redis.register_function{function_name='%s', callback=%s}\n",
		"redis.register_function{function_name='%s', callback=%s, flags={'no-writes'}}\n", "redis.register_function{function_name='%s', callback=%s, description='It does.', flags={'allow-oom', 'allow-stale'}}\n",
		"redis.register_function{FUNCTION_NAME='%s', Callback=%s, flags={'no-cluster', 'NO-WRITES', 'allow-cross-slot-keys'}}\n",
		"redis.register_function('%s', %s, 1)\n", "redis.register_function{function_name='%s', callback=%s, flags={'bad'}}\n", "redis.register_function{function_name='%s', callback=%s, more=1}\n",
		"redis.register_function('%s', {}, %s)\n",
	}
	functionBodies = []string{
		"return 1", "return redis.call('INCR', 'counter')", "return redis.call('SET', keys[1], args[1])", "return redis.call('GET', keys[1])", "return {keys, args}",
		"return redis.pcall('LPUSH', 'counter', 1)", "return redis.call('LPUSH', 'counter', 1)", "return {pcall(redis.call, 'GET', keys[1])}", "error('boom')", "error({err='MY error'})", "return redis.error_reply('NO way')",
		"count = count + 1 return count", "kept[#kept + 1] = args[1] return kept", "return r.call('PING')", "return r.register_function('x', print)", "return s", "return KEYS", "x = 1", "local t = {} for k in pairs(_G) do t[#t + 1] = k end table.sort(t) return t",
		"redis.setresp(3) return redis.call('HGETALL', 'h')", "return cjson.encode({a=keys, b=1.5})", "return {double=3.5}", "return {map={a=1}}", "return true", "return false", "return nil", "return 3.99", "return call('PING')", "return g()", "return (nil)()",
		"return redis.status_reply('FINE')", "return type(redis.register_function)", "return redis.call('NOSUCH')", "return redis.call()", "return redis.sha1hex(args[1] or '')", "return select('#', keys, args)", "return redis.call('FUNCTION', 'LIST')",
	}
	// No two differ in case only: redis-server fails an assertion when it deletes
	// a library with such functions.
	functionNames = []string{"f", "g", "h", "get_it", "x1", "loop1", "bad-name", ""}
	libraryNames  = []string{"lib", "LIB", "other", "a1"}
)

func pickOf[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// library composes the code of a library.
func (p *functionPair) library() string {
	var b strings.Builder
	head := functionHeads[0]
	if p.IntN(4) == 0 {
		head = pickOf(p.Rand, functionHeads)
	}
	fmt.Fprintf(&b, head, pickOf(p.Rand, libraryNames))
	b.WriteString(pickOf(p.Rand, functionPreludes))
	for range 1 + p.IntN(3) {
		form, name := pickOf(p.Rand, functionForms[:6]), pickOf(p.Rand, functionNames[:6])
		if p.IntN(8) == 0 {
			form, name = pickOf(p.Rand, functionForms), pickOf(p.Rand, functionNames)
		}
		fmt.Fprintf(&b, form, name, "function(keys, args) "+pickOf(p.Rand, functionBodies)+" end")
	}
	return b.String()
}

// step does one thing on both servers.
func (p *functionPair) step() {
	switch p.IntN(16) {
	case 0, 1, 2:
		p.same("FUNCTION", "LOAD", "REPLACE", p.library())
	case 3:
		p.same("FUNCTION", "LOAD", p.library())
	case 4:
		p.same("FUNCTION", "DELETE", pickOf(p.Rand, libraryNames))
	case 5:
		p.same("FUNCTION", "LIST", "WITHCODE")
	case 6:
		p.same("FUNCTION", "STATS")
	case 7:
		p.restore(pickOf(p.Rand, []string{"APPEND", "REPLACE", "FLUSH", "replace", "NEW"}))
	case 8:
		p.same("FUNCTION", "LIST", "LIBRARYNAME", pickOf(p.Rand, []string{"*", "l?b", "L*", "[ao]*", "no"}))
	case 9:
		p.same("HSET", "h", "field", p.IntN(9))
	default:
		p.call()
	}
}

// call calls a function, by its name in any case.
func (p *functionPair) call() {
	name := pickOf(p.Rand, functionNames)
	if p.IntN(4) == 0 {
		name = strings.ToUpper(name)
	}
	command := pickOf(p.Rand, []string{"FCALL", "FCALL", "FCALL_RO"})
	args := []any{command, name, pickOf(p.Rand, []any{0, 1, 2, 1, 1, -1, "x", 9})}
	for range p.IntN(4) {
		args = append(args, pickOf(p.Rand, []string{"k", "counter", "some text", "5"}))
	}
	p.same(args...)
}

// restore takes a payload of one server to both.
func (p *functionPair) restore(policy string) {
	from := pickOf(p.Rand, []*redis.Client{p.ours, p.theirs})
	payload, err := from.FunctionDump(p.ctx).Result()
	if err != nil {
		p.t.Fatal(err)
	}
	if p.IntN(2) == 0 {
		p.same("FUNCTION", "DELETE", pickOf(p.Rand, libraryNames))
	}
	if p.IntN(6) == 0 {
		payload = payload[:p.IntN(len(payload))]
	}
	p.same("FUNCTION", "RESTORE", payload, policy)
}

// TestFunctionsBesideRedis composes libraries of fragments, loads them into minikv
// and redis-server, calls their functions, and takes payloads from one to the
// other; both must answer the same.
func TestFunctionsBesideRedis(t *testing.T) {
	t.Parallel()
	for _, proto := range []int{2, 3} {
		t.Run(fmt.Sprintf("RESP%d", proto), func(t *testing.T) {
			t.Parallel()
			p := newFunctionPair(t, proto)
			steps := *differentialCommands / 20
			for range steps {
				if p.step(); t.Failed() {
					return
				}
			}
			p.same("FUNCTION", "LIST", "WITHCODE")
			t.Logf("%d replies and %d errors were the same", p.fine, p.failed)
			if p.fine < steps/4 || p.failed < steps/9 {
				t.Error("too few of one kind to tell anything")
			}
		})
	}
}

// TestFunctionPayloadsAreTheSame: of one library both dump the same bytes.
func TestFunctionPayloadsAreTheSame(t *testing.T) {
	t.Parallel()
	p := newFunctionPair(t, 2)
	for _, filler := range []string{"", "--x\n", "-- " + strings.Repeat("again and ", 30) + "\n", "--[[" + strings.Repeat("0123456789", 2000) + "]]\n"} {
		code := "#!lua name=lib\n" + filler + "redis.register_function('f', function() return 1 end)"
		p.same("FUNCTION", "LOAD", "REPLACE", code)
		p.same("FUNCTION", "DUMP")
	}
}

// TestGoRedisFunctions uses functions as programs do.
func TestGoRedisFunctions(t *testing.T) {
	eachClient(t, func(t *testing.T, rdb *redis.Client) {
		ctx := context.Background()
		check := func(what string, got, want any, err error) {
			t.Helper()
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: got %v (%v), want %v", what, got, err, want)
			}
		}
		const code = `#!lua name=locks
redis.register_function('release', function(keys, args)
	if redis.call('GET', keys[1]) == args[1] then return redis.call('DEL', keys[1]) end
	return 0
end)
redis.register_function{function_name='holder', callback=function(keys) return redis.call('GET', keys[1]) end, flags={'no-writes'}, description='Who holds a lock.'}`
		name, err := rdb.FunctionLoad(ctx, code).Result()
		check("FUNCTION LOAD", name, "locks", err)
		if err := rdb.FunctionLoad(ctx, code).Err(); err == nil || err.Error() != "ERR Library 'locks' already exists" {
			t.Errorf("FUNCTION LOAD again: %v", err)
		}
		name, err = rdb.FunctionLoadReplace(ctx, code).Result()
		check("FUNCTION LOAD REPLACE", name, "locks", err)
		check("SET", rdb.Set(ctx, "lock", "token", 0).Val(), "OK", nil)
		holder, err := rdb.FCallRO(ctx, "holder", []string{"lock"}).Text()
		check("FCALL_RO", holder, "token", err)
		for _, step := range []struct {
			token string
			freed int64
		}{{"other", 0}, {"token", 1}, {"token", 0}} {
			freed, err := rdb.FCall(ctx, "release", []string{"lock"}, step.token).Int64()
			check("FCALL with "+step.token, freed, step.freed, err)
		}
		if err := rdb.FCallRO(ctx, "release", []string{"lock"}, "x").Err(); err == nil || err.Error() != "ERR Can not execute a script with write flag using *_ro command." {
			t.Errorf("FCALL_RO of a function that may write: %v", err)
		}
		libraries, err := rdb.FunctionList(ctx, redis.FunctionListQuery{LibraryNamePattern: "lock*", WithCode: true}).Result()
		check("FUNCTION LIST", libraries, []redis.Library{{Name: "locks", Engine: "LUA", Code: code, Functions: []redis.Function{
			{Name: "release", Flags: []string{}}, {Name: "holder", Description: "Who holds a lock.", Flags: []string{"no-writes"}},
		}}}, err)
		stats, err := rdb.FunctionStats(ctx).Result()
		check("FUNCTION STATS", stats.Engines, []redis.Engine{{Language: "LUA", LibrariesCount: 1, FunctionsCount: 2}}, err)
		payload, err := rdb.FunctionDump(ctx).Result()
		check("FUNCTION DUMP", err, nil, nil)
		check("FUNCTION DELETE", rdb.FunctionDelete(ctx, "locks").Val(), "OK", nil)
		check("FUNCTION RESTORE", rdb.FunctionRestore(ctx, payload).Val(), "OK", nil)
		holder, err = rdb.FCallRO(ctx, "holder", []string{"nobody"}).Text()
		if !errors.Is(err, redis.Nil) {
			t.Errorf("a lock that nobody holds: %q, %v", holder, err)
		}
		check("FUNCTION FLUSH", rdb.FunctionFlush(ctx).Val(), "OK", nil)
		if err := rdb.FunctionKill(ctx).Err(); err == nil || !strings.HasPrefix(err.Error(), "NOTBUSY ") {
			t.Errorf("FUNCTION KILL: %v", err)
		}
	})
}

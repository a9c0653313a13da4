package lua

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"testing"

	"minikv/resp"
)

// memoryHost is a Host with a few commands on maps, enough to try a machine.
type memoryHost struct {
	strings  map[string]string
	lists    map[string][]string
	hashes   map[string]map[string]string
	sets     map[string]map[string]bool
	scores   map[string]map[string]float64
	logged   []string
	flags    int
	readOnly bool
	busy     func() string
}

func newMemoryHost() *memoryHost {
	return &memoryHost{
		strings: map[string]string{}, lists: map[string][]string{},
		hashes: map[string]map[string]string{}, sets: map[string]map[string]bool{},
		scores: map[string]map[string]float64{}, flags: ReplicateAll,
	}
}

func (h *memoryHost) Log(level int, message string) {
	h.logged = append(h.logged, fmt.Sprint(level, " ", message))
}

func (h *memoryHost) SetReplication(flags int) { h.flags = flags }

func (h *memoryHost) CheckACL(argv [][]byte) (allowed, known bool) {
	_, known = memoryCommands[strings.ToLower(string(argv[0]))]
	return true, known
}

func (h *memoryHost) Busy() string {
	if h.busy == nil {
		return ""
	}
	return h.busy()
}

type memoryCommand struct {
	arity int // negative: at least
	write bool
	run   func(h *memoryHost, a []string, out *resp.Writer)
}

func (h *memoryHost) Call(argv [][]byte, out *resp.Writer) {
	name := strings.ToLower(string(argv[0]))
	c, ok := memoryCommands[name]
	var a []string
	for _, b := range argv[1:] {
		a = append(a, string(b))
	}
	switch {
	case name == "eval" || name == "multi" || name == "blpop":
		out.Error("ERR This Redis command is not allowed from script")
	case !ok:
		out.Error("ERR Unknown Redis command called from script")
	case c.arity > 0 && len(argv) != c.arity, len(argv) < -c.arity:
		out.Error("ERR Wrong number of args calling Redis command from script")
	case c.write && h.readOnly:
		out.Error("ERR Write commands are not allowed from read-only scripts.")
	default:
		c.run(h, a, out)
	}
}

const wrongType = "WRONGTYPE Operation against a key holding the wrong kind of value"

var memoryCommands = map[string]memoryCommand{
	"ping": {-1, false, func(h *memoryHost, a []string, out *resp.Writer) { out.Status("PONG") }},
	"echo": {2, false, func(h *memoryHost, a []string, out *resp.Writer) { out.BulkString(a[0]) }},
	"get": {2, false, func(h *memoryHost, a []string, out *resp.Writer) {
		v, ok := h.strings[a[0]]
		if !ok {
			out.Null()
			return
		}
		out.BulkString(v)
	}},
	"set": {-3, true, func(h *memoryHost, a []string, out *resp.Writer) {
		h.strings[a[0]] = a[1]
		out.Status("OK")
	}},
	"del": {-2, true, func(h *memoryHost, a []string, out *resp.Writer) {
		n := 0
		for _, k := range a {
			if _, ok := h.strings[k]; ok {
				n++
			}
			delete(h.strings, k)
		}
		out.Int(int64(n))
	}},
	"incr": {2, true, func(h *memoryHost, a []string, out *resp.Writer) {
		n, err := strconv.ParseInt("0"+h.strings[a[0]], 10, 64)
		if err != nil {
			out.Error("ERR value is not an integer or out of range")
			return
		}
		h.strings[a[0]] = strconv.FormatInt(n+1, 10)
		out.Int(n + 1)
	}},
	"lpush": {-3, true, func(h *memoryHost, a []string, out *resp.Writer) {
		if _, ok := h.strings[a[0]]; ok {
			out.Error(wrongType)
			return
		}
		h.lists[a[0]] = append(append([]string{}, a[1:]...), h.lists[a[0]]...)
		out.Int(int64(len(h.lists[a[0]])))
	}},
	"rpush": {-3, true, func(h *memoryHost, a []string, out *resp.Writer) {
		h.lists[a[0]] = append(h.lists[a[0]], a[1:]...)
		out.Int(int64(len(h.lists[a[0]])))
	}},
	"lrange": {4, false, func(h *memoryHost, a []string, out *resp.Writer) {
		out.Array(len(h.lists[a[0]]))
		for _, s := range h.lists[a[0]] {
			out.BulkString(s)
		}
	}},
	"hset": {-4, true, func(h *memoryHost, a []string, out *resp.Writer) {
		h.hashes[a[0]] = map[string]string{a[1]: a[2]}
		out.Int(1)
	}},
	"hgetall": {2, false, func(h *memoryHost, a []string, out *resp.Writer) {
		out.Map(len(h.hashes[a[0]]))
		for k, v := range h.hashes[a[0]] {
			out.BulkString(k)
			out.BulkString(v)
		}
	}},
	"sadd": {-3, true, func(h *memoryHost, a []string, out *resp.Writer) {
		h.sets[a[0]] = map[string]bool{a[1]: true}
		out.Int(1)
	}},
	"smembers": {2, false, func(h *memoryHost, a []string, out *resp.Writer) {
		out.Set(len(h.sets[a[0]]))
		for k := range h.sets[a[0]] {
			out.BulkString(k)
		}
	}},
	"zadd": {-4, true, func(h *memoryHost, a []string, out *resp.Writer) {
		f, _ := strconv.ParseFloat(a[1], 64)
		h.scores[a[0]] = map[string]float64{a[2]: f}
		out.Int(1)
	}},
	"zscore": {3, false, func(h *memoryHost, a []string, out *resp.Writer) { out.Double(h.scores[a[0]][a[1]]) }},
	"zrange": {-4, false, func(h *memoryHost, a []string, out *resp.Writer) {
		var members []string
		for k := range h.scores[a[0]] {
			members = append(members, k)
		}
		sort.Strings(members)
		out.Array(len(members))
		for _, k := range members {
			out.Array(2)
			out.BulkString(k)
			out.Double(h.scores[a[0]][k])
		}
	}},
}

// eval compiles and runs a script and returns its reply.
func eval(t testing.TB, m Machine, h *memoryHost, proto int, source string, keys, args []string) string {
	t.Helper()
	s, err := m.Compile([]byte(source))
	if err != nil {
		var out resp.Writer
		mark := out.Mark()
		out.Error(err.Error())
		return string(out.Since(mark))
	}
	return evalScript(m, h, proto, s, keys, args)
}

// evalScript runs a script and returns its reply.
func evalScript(m Machine, h *memoryHost, proto int, s *Script, keys, args []string) string {
	var out resp.Writer
	out.SetProto(proto)
	h.readOnly = s.Flags.NoWrites
	mark := out.Mark()
	m.Run(s, h, bytesOf(keys), bytesOf(args), &out)
	return string(out.Since(mark))
}

func bytesOf(list []string) [][]byte {
	var out [][]byte
	for _, s := range list {
		out = append(out, []byte(s))
	}
	return out
}

package lua

import (
	"strings"
	"testing"

	"minikv/resp"
)

// memoryHost is a Host with a few commands on a map, enough to try a machine.
type memoryHost struct {
	strings map[string]string
	logged  []string
	flags   int
	busy    func() string
}

func newMemoryHost() *memoryHost {
	return &memoryHost{strings: map[string]string{}, flags: ReplicateAll}
}

func (h *memoryHost) Log(level int, message string) { h.logged = append(h.logged, message) }
func (h *memoryHost) SetReplication(flags int)      { h.flags = flags }
func (h *memoryHost) CheckACL(argv [][]byte) (a, known bool) {
	return true, strings.ToLower(string(argv[0])) == "get"
}

func (h *memoryHost) Busy() string {
	if h.busy == nil {
		return ""
	}
	return h.busy()
}

func (h *memoryHost) Call(argv [][]byte, out *resp.Writer) {
	switch name := strings.ToLower(string(argv[0])); {
	case name == "get" && len(argv) == 2:
		v, ok := h.strings[string(argv[1])]
		if !ok {
			out.Null()
			return
		}
		out.BulkString(v)
	case name == "set" && len(argv) == 3:
		h.strings[string(argv[1])] = string(argv[2])
		out.Status("OK")
	case name == "del" && len(argv) == 2:
		_, ok := h.strings[string(argv[1])]
		delete(h.strings, string(argv[1]))
		if ok {
			out.Int(1)
		} else {
			out.Int(0)
		}
	default:
		out.Error("ERR Unknown Redis command called from script")
	}
}

func eval(t testing.TB, m Machine, h Host, source string, keys, args []string) string {
	t.Helper()
	var out resp.Writer
	s, err := m.Compile([]byte(source))
	if err != nil {
		return "-" + err.Error() + "\r\n"
	}
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

func TestRelease(t *testing.T) {
	t.Parallel()
	const release = "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end"
	m, h := NewGopher("7.0.15"), newMemoryHost()
	h.strings["lock"] = "token"
	if got := eval(t, m, h, release, []string{"lock"}, []string{"other"}); got != ":0\r\n" {
		t.Fatalf("with another token: %q", got)
	}
	if got := eval(t, m, h, release, []string{"lock"}, []string{"token"}); got != ":1\r\n" {
		t.Fatalf("with the token: %q", got)
	}
	if len(h.strings) != 0 {
		t.Fatal("the lock is still held")
	}
}

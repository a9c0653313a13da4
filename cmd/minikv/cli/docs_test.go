package cli

import (
	"slices"
	"strings"
	"testing"

	"minikv/resp"
	"minikv/server"
)

func ownDocs(t *testing.T, protocol string) []doc {
	t.Helper()
	s, err := server.Start(server.Options{NoNetwork: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	nc, err := s.DialMemory()
	if err != nil {
		t.Fatal(err)
	}
	c := &conn{nc, resp.NewReader(nc)}
	if _, err := c.do(bytesOf([]string{"HELLO", protocol})); err != nil {
		t.Fatal(err)
	}
	v, err := c.do(bytesOf([]string{"COMMAND", "DOCS"}))
	if err != nil {
		t.Fatal(err)
	}
	return docsOf(v)
}

func TestHints(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"2", "3"} {
		docs := ownDocs(t, protocol)
		for line, want := range map[string]string{
			"get":                 "key",
			"GET ":                "key",
			"get k":               "",
			"nosuch":              "",
			"config":              "",
			"config set":          "parameter value [parameter value ...]",
			"lpush":               "key element [element ...]",
			"lpush l":             "element [element ...]",
			"lpush l a":           "[element ...]",
			"expire k 5":          "[NX|XX|GT|LT]",
			"zadd z nx":           "[GT|LT] [CH] [INCR] score member [score member ...]",
			"getex k":             "[EX seconds|PX milliseconds|EXAT unix-time-seconds|PXAT unix-time-milliseconds|PERSIST]",
			"getex k ex 5":        "",
			"zrange z 0 1 REV":    "[BYSCORE|BYLEX] [LIMIT offset count] [WITHSCORES]",
			"set k \"open":        "[NX|XX|IFEQ ifeq-value|IFNE ifne-value|IFDEQ ifdeq-digest|IFDNE ifdne-digest] [GET] [EX seconds|PX milliseconds|EXAT unix-time-seconds|PXAT unix-time-milliseconds|KEEPTTL]",
			"eval 'return 1' 0 k": "[key [key ...]] [arg [arg ...]]",
		} {
			before, last := typed(line)
			if last != "" {
				before = append(before, last)
			}
			if got := hint(docs, before); got != want {
				t.Errorf("RESP%s: %q hints %q, want %q", protocol, line, got, want)
			}
		}
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	docs := ownDocs(t, "3")
	for line, want := range map[string][]string{
		"get":            {"get", "getbit", "getdel", "getex", "getrange", "getset"},
		"GETR":           {"GETRANGE"},
		"getb":           {"getbit"},
		"help zrandm":    {"zrandmember"},
		"hel":            {"hello", "help"},
		"object f":       {"freq"},
		"OBJECT ":        {"ENCODING", "FREQ", "HELP", "IDLETIME", "REFCOUNT"},
		"getex k P":      {"PX", "PXAT", "PERSIST"},
		"getex k ":       nil,
		"nosuch a":       nil,
		"get \"open ":    nil,
		"xinfo consumer": {"consumers"},
	} {
		before, last := typed(line)
		offered := complete(docs, before, last)
		var got []string
		for i := 0; i < len(offered); i += 2 {
			got = append(got, offered[i])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q completes to %q, want %q", line, got, want)
		}
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	docs := ownDocs(t, "2")
	if got, want := help(docs, []string{"getdel"}), `
  GETDEL key
  summary: Returns the string of a key and deletes the key.
  since: 6.2.0
  group: string

`; got != want {
		t.Errorf("help getdel: %q, want %q", got, want)
	}
	for _, name := range []string{"LPUSH", "BLPOP", "LMOVE"} {
		if got := help(docs, []string{"@list"}); !strings.Contains(got, "\n  "+name+" ") {
			t.Errorf("help @list knows no %s:\n%s", name, got)
		}
	}
	if got := help(docs, []string{"nosuch"}); got != "\n" {
		t.Errorf("help nosuch: %q", got)
	}
}

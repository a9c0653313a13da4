package compat_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"minikv/resp"
)

// TestCommandDocsAreRedis7 compares COMMAND DOCS with a real redis-server 7.0:
// facts, and the syntax that follows from the arguments. Summaries are in
// minikv's own words, and names of arguments may differ.
func TestCommandDocsAreRedis7(t *testing.T) {
	t.Parallel()
	theirs, ours := documented(redis7(t)("COMMAND", "DOCS")), documented(engine7(t)("COMMAND", "DOCS"))
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		want, known := theirs[name]
		if !known {
			continue // TestCommandInfoIsRedis7 finds these
		}
		got := ours[name]
		for _, field := range []string{"since", "group", "deprecated_since"} {
			if g, w := entry(got, field).Str, entry(want, field).Str; g != w {
				t.Errorf("%s: %s is %q, want %q", name, field, g, w)
			}
		}
		for _, field := range []string{"summary", "complexity"} {
			if entry(got, field).Str == "" {
				t.Errorf("%s: no %s", name, field)
			}
		}
		if _, better := ownUsage[name]; better {
			continue
		}
		if g, w := usage(entry(got, "arguments")), usage(entry(want, "arguments")); g != w {
			t.Errorf("%s:\n  ours   %s\n  theirs %s", name, g, w)
		}
	}
}

// ownUsage are commands whose arguments are told otherwise, and why.
var ownUsage = map[string]string{
	"bitop":                   "the operations are told",
	"client|kill":             "SKIPME's YES and NO are told; each filter is optional once",
	"command|getkeys":         "Redis tells nothing",
	"command|getkeysandflags": "Redis tells nothing",
	"debug":                   "Redis tells nothing",
	"geohash":                 "members may be left out, as later versions tell",
	"geopos":                  "members may be left out, as later versions tell",
	"migrate":                 "what stands in place of the key is told, and that one of the ways to authenticate is enough",
	"pfmerge":                 "sources may be left out, as later versions tell",
	"zinter":                  "weights are doubles, not integers",
	"zinterstore":             "weights are doubles, not integers",
	"zunion":                  "weights are doubles, not integers",
	"zunionstore":             "weights are doubles, not integers",
}

// TestArgumentNamesDiffer: arguments side by side in COMMAND DOCS have names of
// their own.
func TestArgumentNamesDiffer(t *testing.T) {
	t.Parallel()
	for name, docs := range documented(engine7(t)("COMMAND", "DOCS")) {
		differ(t, name, entry(docs, "arguments"))
	}
}

func differ(t *testing.T, command string, args resp.Value) {
	seen := make(map[string]bool)
	for _, arg := range args.Elems {
		name := entry(arg, "name").Str
		if name == "" || seen[name] {
			t.Errorf("%s has two arguments named %q", command, name)
		}
		seen[name] = true
		differ(t, command, entry(arg, "arguments"))
	}
}

// documented maps names of commands and subcommands to their documentation.
func documented(docs resp.Value) map[string]resp.Value {
	all := make(map[string]resp.Value)
	for i := 0; i+1 < len(docs.Elems); i += 2 {
		all[docs.Elems[i].Str] = docs.Elems[i+1]
		maps.Copy(all, documented(entry(docs.Elems[i+1], "subcommands")))
	}
	return all
}

// usage writes arguments as types and keywords: "key:0 [EX integer | PX integer]".
func usage(args resp.Value) string {
	var parts []string
	for _, arg := range args.Elems {
		parts = append(parts, usageOf(arg))
	}
	return strings.Join(parts, " ")
}

func usageOf(arg resp.Value) string {
	typ, token := entry(arg, "type").Str, entry(arg, "token").Str
	text := typ
	switch typ {
	case "pure-token":
		text = ""
	case "key":
		text = fmt.Sprintf("key:%d", entry(arg, "key_spec_index").Int)
	case "block":
		text = usage(entry(arg, "arguments"))
	case "oneof":
		var choices []string
		for _, choice := range entry(arg, "arguments").Elems {
			choices = append(choices, usageOf(choice))
		}
		text = "<" + strings.Join(choices, " | ") + ">"
	}
	once := strings.TrimSpace(token + " " + text)
	flags := setText(entry(arg, "flags"))
	switch {
	case strings.Contains(flags, "multiple_token"):
		once += " [" + once + " ...]"
	case strings.Contains(flags, "multiple"):
		once += " [" + text + " ...]"
	}
	if strings.Contains(flags, "optional") {
		once = "[" + once + "]"
	}
	return once
}

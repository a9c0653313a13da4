package engine_test

import (
	"testing"

	"minikv/engine"
)

// TestDescriptions: two histories that end alike are described alike, and what
// decides on later replies makes a difference.
func TestDescriptions(t *testing.T) {
	t.Parallel()
	describe := func(commands ...[]string) string {
		e := engine.New(engine.Options{Seed: 1})
		cl := e.Connect(1, engine.ConnInfo{})
		for _, words := range commands {
			argv := make([][]byte, len(words))
			for i, w := range words {
				argv[i] = []byte(w)
			}
			e.Do(cl, 1_000_000, argv)
		}
		return string(e.AppendState(nil, []*engine.Client{cl}))
	}
	set := []string{"SET", "k", "v", "PX", "5000"}
	if describe(set, []string{"SET", "k", "w"}, set) != describe(set) || describe(set, []string{"DEL", "k"}) != describe() {
		t.Error("histories that end alike are described differently")
	}
	seen := map[string][]string{describe(): nil}
	for _, words := range [][]string{
		set, {"SET", "k", "v"}, {"SET", "k", "w"}, {"SET", "k", "v", "PX", "5001"}, {"LPUSH", "k", "v"}, {"SADD", "k", "v"},
		{"WATCH", "k"}, {"WATCH", "j"}, {"MULTI"}, {"SELECT", "1"}, {"BLPOP", "k", "0"}, {"BLPOP", "k", "1"}, {"HELLO", "3"},
		{"SCRIPT", "LOAD", "return 1"}, {"CLIENT", "PAUSE", "1000"}, {"CLIENT", "REPLY", "OFF"}, {"HSET", "k", "f", "v"},
		{"FUNCTION", "LOAD", "#!lua name=x\nredis.register_function('f', function() return 1 end)"},
	} {
		text := describe(words)
		if other, met := seen[text]; met {
			t.Errorf("%q is described like %q", words, other)
		}
		seen[text] = words
	}
}

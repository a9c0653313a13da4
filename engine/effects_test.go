package engine_test

import (
	"bytes"
	"strings"
	"testing"

	"minikv/engine"
)

// effectTest says what effect a command has after another.
type effectTest struct{ setup, command, effect string }

func testEffects(t *testing.T, tests []effectTest) {
	t.Helper()
	for _, test := range tests {
		var got []string
		e := engine.New(engine.Options{Effects: func(f engine.Effect) {
			got = append(got, string(bytes.Join(f.Argv, []byte(" "))))
		}})
		if test.setup != "" {
			replies(e, test.setup)
		}
		got = nil
		replies(e, test.command)
		if text := strings.Join(got, "; "); text != test.effect {
			t.Errorf("%s, then %s: %q, want %q", test.setup, test.command, text, test.effect)
		}
	}
}

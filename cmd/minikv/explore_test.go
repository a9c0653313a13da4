package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"minikv/explore"
)

// explores runs the subcommand.
func explores(args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = run(append([]string{"explore"}, args...), stdio{strings.NewReader(""), &o, &e})
	return code, o.String(), e.String()
}

func TestExplore(t *testing.T) {
	t.Parallel()
	own := filepath.Join(t.TempDir(), "own.lua")
	source := `scenario("X1", "Ours") checks "ownership" clients(2, function(form) redis("SET", "lock", token()) end) form("plain", breaks)`
	if err := os.WriteFile(own, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"s04 --form WATCH", exitOK, "schedules hold"},
		{"s01", exitFailure, "lock stays locked for ever"},
		{"s01 --transcript", exitFailure, "A> SET lock A1 NX\nOK\n"},
		{"s01 --mermaid", exitFailure, "sequenceDiagram"},
		{"s01 --test", exitFailure, "func TestS1_SET_NX(t *testing.T)"},
		{"s04 --form WATCH --depth 5", exitOK, "not exhaustive"},
		{"s04 --form WATCH --states 100", exitOK, "not exhaustive"},
		{own, exitFailure, "B's SET changed lock, which A held."},
		{own + " --test", exitFailure, "explore.Parse("},
		{own + " --replay A.B", exitFailure, "Broken (ownership)"},
		{own + " --replay A", exitOK, "Nothing is broken."},
		{"--list", exitOK, "s25-lost-update"},
		{"--help", exitOK, "--lost-replies"},
	} {
		code, out, errs := explores(strings.Split(test.args, " ")...)
		if args := strings.TrimPrefix(test.args, own); code != test.code || !strings.Contains(out, test.want) {
			t.Errorf("explore %s: exit code %d, %q\n%s%s", args, code, test.want, out, errs)
		}
	}
}

func TestExploreForms(t *testing.T) {
	t.Parallel()
	code, out, _ := explores("s04", "--form", "two commands", "--json")
	var results []explore.Result
	if err := json.Unmarshal([]byte(out), &results); err != nil || code != exitFailure || results[0].Schedule != "A.t.A.A.t.B.A" {
		t.Errorf("exit code %d, %v\n%s", code, err, out)
	}
	code, out, _ = explores("s04", "--form", "two commands", "--replay", "A.t.A.A.t.B.A", "--json")
	var story explore.Story
	if err := json.Unmarshal([]byte(out), &story); err != nil || code != exitFailure || len(story.Rows) != 7 {
		t.Errorf("exit code %d, %v\n%s", code, err, out)
	}
}

func TestExploreRefuses(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"":                              "which scenario",
		"nosuch":                        "no single scenario",
		"nosuch.lua":                    "no such file",
		"s04 --form nosuch":             "has no form",
		"s04 --replay A":                "of which form",
		"s04 --form WATCH --replay A.Q": `a move "Q"`,
		"s04 --pauses many":             "expected a valid",
		"s04 --pauses=-1":               "--pauses must not be negative",
		"s04 --depth=-1":                "--depth must not be negative",
	} {
		if code, _, errs := explores(strings.Fields(args)...); code != exitFailure || !strings.Contains(errs, want) {
			t.Errorf("explore %s: exit code %d, %q, want %q", args, code, errs, want)
		}
	}
}

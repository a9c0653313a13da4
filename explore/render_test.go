package explore

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// TestRenderings: each form of a story says what happened.
func TestRenderings(t *testing.T) {
	t.Parallel()
	s, err := Load("s04")
	if err != nil {
		t.Fatal(err)
	}
	story, err := Replay(s, 0, "A.t.A.A.t.B.A", nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := story.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var back Story
	if err := json.Unmarshal(text, &back); err != nil || len(back.Rows) != 7 {
		t.Errorf("%v, %d rows", err, len(back.Rows))
	}
	code := story.GoTest(nil)
	if _, err := parser.ParseFile(token.NewFileSet(), "x_test.go", "package x\n"+code, 0); err != nil {
		t.Errorf("%v in\n%s", err, code)
	}
	for _, test := range []struct{ text, want string }{
		{story.Text(), "Broken (ownership): A's DEL removed lock, which B held."},
		{story.Text(), "B is inside (not so)"},
		{story.Text(), "(is paused)"},
		{story.Transcript(), "B> SET lock B1 NX PX 5000\nOK\n"},
		{story.Mermaid(), "  A->>Nserver: DEL lock\n  Nserver-->>A: 1\n"},
		{code, `explore.Replay(s, form, "A.t.A.A.t.B.A"`},
	} {
		if !strings.Contains(test.text, test.want) {
			t.Errorf("%q is missing in\n%s", test.want, test.text)
		}
	}
}

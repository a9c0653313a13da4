package explore

import (
	"context"
	"strings"
	"testing"
)

// TestReductionKeepsVerdicts: what is found is the same when every order is
// tried, every client is its own and no move sleeps.
func TestReductionKeepsVerdicts(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Forms {
			t.Run(name+"/"+s.Forms[i].Name, func(t *testing.T) {
				t.Parallel()
				testReduction(t, s, i)
			})
		}
	}
}

// testReduction compares within small bounds, so that all orders can be tried.
func testReduction(t *testing.T, s *Scenario, form int) {
	const limit = 60_000
	bounds := s.Forms[form].Bounds
	search := func(plain bool) *Result {
		r, err := Search(context.Background(), s, form, Config{Bounds: &bounds, Plain: plain, Verdict: true, States: limit})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	plain := search(true)
	if !plain.Exhaustive && plain.Broken == nil {
		bounds.Pauses, bounds.Lost, bounds.Kills = 0, 0, 0
		if plain = search(true); !plain.Exhaustive && plain.Broken == nil {
			t.Skip("too many orders to try them all")
		}
	}
	reduced := search(false)
	if (reduced.Broken == nil) != (plain.Broken == nil) || (reduced.Shown == nil) != (plain.Shown == nil) && plain.Exhaustive {
		t.Errorf("reduced %v and %v, plain %v and %v", reduced.Broken, reduced.Shown, plain.Broken, plain.Shown)
	}
	if plain.Exhaustive && reduced.Moves > plain.Moves {
		t.Errorf("%d moves with reduction, %d without", reduced.Moves, plain.Moves)
	}
}

// TestGetThenDel: the smallest window there is, and its shortest schedule.
func TestGetThenDel(t *testing.T) {
	t.Parallel()
	s, err := Load("s04")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Search(context.Background(), s, 0, Config{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "A.t.A.A.t.B.A"; r.Schedule != want {
		t.Errorf("the schedule is %s, want %s", r.Schedule, want)
	}
}

// TestReplay: a schedule that was found breaks the same property again.
func TestReplay(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"s01", "s04", "s09", "s10", "s17", "s18", "s19"} {
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Search(context.Background(), s, 0, Config{})
		if err != nil {
			t.Fatal(err)
		}
		story, err := Replay(s, 0, r.Schedule, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !story.Breaks() || story.Broken.Property != r.Broken.Property {
			t.Errorf("%s: %s broke %v, and again %v", name, r.Schedule, r.Broken, story.Broken)
		}
		if _, err := Replay(s, 0, r.Schedule+".A.A.A.A.A.A.A.A.A.A.A.A.A.A.A.A.A", nil); err == nil {
			t.Errorf("%s: a schedule with moves that cannot be made was played", name)
		}
	}
}

func TestSchedulesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s, err := Load("s04")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Q", "A.", "A..A", "A+", "A+0", "2x", "1z", "A-~", "tt", "é"} {
		if _, err := Replay(s, 0, text, nil); err == nil {
			t.Errorf("%q was played", text)
		}
	}
}

func TestBrokenFiles(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"":                              "declares no client",
		"client('A', function() end)":   "declares no form",
		"x = 1":                         "readonly",
		"print(1)":                      "no global variable print",
		"while true do end":             "on and on",
		"redis('GET', 'k')":             "only a client's program",
		"checks 'nothing'":              `no property is named "nothing"`,
		"bounds{pauses = 1000}":         "from 0 to 200",
		"nodes(9)":                      "from 1 to 5 nodes",
		"client('a', function() end)":   "capital letter",
		"form('x', 'explodes')":         "breaks, holds, narrows or shows",
		"form('x', narrows, {})":        "says within which bounds",
		"clients(9, function() end)":    "at most 6 clients",
		"scenario('S', 'no end":         "unfinished string",
		"error({err = 'of our own'})":   "of our own",
		"client('A', 5)":                "must be a function",
		"locks('a', 'b', 'c')":          "at most 2 locks",
		"restart{data = 'somewhere'}":   "must be \"kept\" or \"lost\"",
		"client('A', coroutine.create)": "no global variable coroutine",
	} {
		if _, err := Parse("test", []byte(source)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", source, err, want)
		}
	}
}

// TestProgramsThatGoWrong: an error in a client's program is one of the file.
func TestProgramsThatGoWrong(t *testing.T) {
	t.Parallel()
	for program, want := range map[string]string{
		"while true do end":      "on and on",
		"nothing()":              "no global variable nothing",
		"local t = nil; t.x = 1": "attempt to index",
		"redis()":                "a command is missing",
		"sleep(-1)":              "not negative",
		"redis('SHUTDOWN')":      "cannot be explored",
		"redis('GET', 'k'); attempts(2, function() end)": "attempts must come first",
		"choose(20)": "from 1 to 9",
	} {
		s, err := Parse("test", []byte("client('A', function() "+program+" end) form('x', holds)"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Search(context.Background(), s, 0, Config{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", program, err, want)
		}
	}
}

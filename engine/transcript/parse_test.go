package transcript

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

const sample = `# GETDEL answers the value
# and deletes the key.
# config maxmemory-policy "allkeys-lru"
# since 6.2
> GETDEL k
(nil)

# resp3
# sorted
A> HGETALL h
1# "a" => "1"
# approx 100
# after 1.5s
A: (nil array)
: "late"
> EVAL '
  return 1' 0
(integer) 1
# matches O.
# since valkey-8.1
Bob> SET k "v\x00"
OK
| # a\\b\r
| > no command
|
A: | x\x00
A:
# let id
A> CLIENT ID
(integer) 7
# The end.
`

func TestParseReadsWhatFormatWrites(t *testing.T) {
	t.Parallel()
	f := parse(t, sample)
	if got := f.Format(); got != sample {
		t.Errorf("Format gives\n%s", got)
	}
	if want := (Version{Major: 6, Minor: 2}); f.Since != want || f.RESP3 {
		t.Errorf("since %v, resp3 %v", f.Since, f.RESP3)
	}
	if want := []Setting{{"maxmemory-policy", "allkeys-lru"}}; !reflect.DeepEqual(f.Config, want) {
		t.Errorf("config %q", f.Config)
	}
	if len(f.Steps) != 6 || len(f.Tail) != 1 {
		t.Fatalf("%d steps, tail %q", len(f.Steps), f.Tail)
	}
}

func TestParseSteps(t *testing.T) {
	t.Parallel()
	steps := parse(t, sample).Steps
	hgetall, pause, eval, set, id := steps[1], steps[2], steps[3], steps[4], steps[5]
	if hgetall.Client != "A" || !hgetall.RESP3 || hgetall.Compare.Sorted != SortedTop || hgetall.Line != 10 {
		t.Errorf("HGETALL: %+v", hgetall)
	}
	others := []Block{{"A", []string{"(nil array)"}}, {"", []string{`"late"`}}}
	if !pause.IsPause() || pause.After != 1500*time.Millisecond || !reflect.DeepEqual(pause.Want.Others, others) {
		t.Errorf("pause: %+v", pause)
	}
	if eval.Compare.Approx != 100 || string(eval.Args[1]) != "\n  return 1" || eval.Line != 16 {
		t.Errorf("EVAL: %+v", eval)
	}
	want := Output{Own: []string{"OK", "# a\\b\r", "> no command", ""}, Others: []Block{{"A", []string{"x\x00", ""}}}}
	if !set.Since.Valkey || set.Client != "Bob" || string(set.Args[2]) != "v\x00" || !reflect.DeepEqual(set.Want, want) {
		t.Errorf("SET: %+v", set)
	}
	if id.Let != "id" || !id.Compare.Any {
		t.Errorf("CLIENT ID: %+v", id)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, complaint string }{
		{"OK", "f:1: a reply without a command"},
		{"> SET k \"v", "f:1: a quotation is not closed"},
		{"> SET k \"v\"x", "f:1: a quotation is not closed, or more"},
		{"> ", "f:1: a command without words"},
		{"> GET k\n\"v\"\n\n\"w\"", "f:4: a reply without a command"},
		{"> GET k\nA: x\n\"w\"", "f:3: the sender's own reply must stand before"},
		{"> GET k\nA: x\nB: y\nA: z", "f:4: client \"A\" is told things in two places"},
		{"A> GET k\nA: x", "f:2: the sender's own reply needs no name"},
		{"# after 1s\nOK", "f:2: the sender's own reply must stand before"},
		{"> GET k\n|x", "f:2: a blank must follow the bar"},
		{"# after a while", "f:1: # after: \"a while\" is no duration"},
		{"# sorted by score\n> PING", "f:1: # sorted: only pairs or all"},
		{"# approx x\n> PING", "f:1: # approx: needs a positive number"},
		{"# approx NaN\n> PING", "f:1: # approx: needs a positive number"},
		{"# matches (\n> PING", "f:1: # matches: error parsing regexp"},
		{"# since 7.x\n> PING", "f:1: # since: \"7.x\" is not a version"},
		{"# since 7.0.1.2\n> PING", "f:1: # since: \"7.0.1.2\" is not a version"},
		{"# since valkey8\n> PING", "f:1: # since: \"valkey8\" is not a version"},
		{"# valkey 8\n> PING", "f:1: # valkey: nothing may follow"},
		{"# any value\n> PING", "f:1: # any: nothing may follow"},
		{"# let a b\n> PING", "f:1: # let: needs one name"},
		{"# config a\n> PING", "f:1: # config: needs a name and a value"},
		{"> PING\n# config a b", "f:2: # config: must stand before the first command"},
		{"> PING\n# sorted", "f:2: no command follows # sorted"},
	} {
		_, err := Parse("f", tt.text)
		if err == nil || !strings.HasPrefix(err.Error(), tt.complaint) {
			t.Errorf("Parse(%q) = %v, want %s...", tt.text, err, tt.complaint)
		}
	}
}

func TestFreeComments(t *testing.T) {
	t.Parallel()
	const text = "#sorted\n#  any\n# Since 7.2 it is so.\n# sort\n> PING\nPONG\n"
	f := parse(t, text)
	if s := f.Steps[0]; s.Compare != (Comparison{}) || len(s.Before) != 4 || f.Since != (Version{}) {
		t.Errorf("comments were obeyed: %+v", s)
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		server, since string
		has           bool
	}{
		{"7.0.15", "7.0", true}, {"7.0.15", "7.2", false}, {"7.0.15", "6.2.7", true}, {"8.0", "7.4.2", true},
		{"7.0.15", "7.0.16", false}, {"7.0.15", "valkey", false}, {"9.0", "valkey-8.1", false},
		{"valkey-8.0", "7.2.4", true}, {"valkey-8.0", "7.4", false}, {"valkey-8.0", "valkey-8.1", false},
		{"valkey-8.1.2", "valkey-8.1", true}, {"valkey-8.0", "valkey", true},
	} {
		server, err := ParseVersion(tt.server)
		if err != nil {
			t.Fatal(err)
		}
		since, err := ParseVersion(tt.since)
		if err != nil {
			t.Fatal(err)
		}
		if server.Has(since) != tt.has {
			t.Errorf("%s has %s: %v", tt.server, tt.since, !tt.has)
		}
		if !(Version{All: true}).Has(since) || !server.Has(Version{}) {
			t.Errorf("%s: not all of it is in All, or nothing is not in %s", tt.since, tt.server)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Add("> SET k v\nOK\r\n")
	f.Add("# after 1s\nA: | \\x00\n> '\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse("f", text)
		if err != nil {
			return
		}
		written := file.Format()
		again, err := Parse("f", written)
		if err != nil {
			t.Fatalf("Format gives what Parse refuses: %v\n%q", err, written)
		}
		if twice := again.Format(); twice != written {
			t.Fatalf("Format changes what it gave:\n%q\n%q", written, twice)
		}
		for i, s := range file.Steps {
			if u := again.Steps[i]; !reflect.DeepEqual(s.Args, u.Args) || !reflect.DeepEqual(s.Want, u.Want) {
				t.Fatalf("step %d: %+v became %+v", i, s, u)
			}
		}
	})
}

func parse(t *testing.T, text string) *File {
	t.Helper()
	f, err := Parse("f", text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

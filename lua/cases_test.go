package lua

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the lists of differences in testdata anew")

// A recording is a script and what Redis 7.0.15 replied to it.
type recording struct {
	file   string
	line   int
	script string
	keys   []string
	args   []string
	proto  int
	reply  string
}

var escaped = regexp.MustCompile(`\\(n|r|t|\\|x[0-9a-f]{2})`)

func unescape(s string) string {
	return escaped.ReplaceAllStringFunc(s, func(e string) string {
		switch e[1] {
		case 'n':
			return "\n"
		case 'r':
			return "\r"
		case 't':
			return "\t"
		case 'x':
			n, _ := strconv.ParseUint(e[2:], 16, 8)
			return string([]byte{byte(n)})
		}
		return `\`
	})
}

func escape(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\\':
			b.WriteString(`\\`)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func lines(t testing.TB, name string) [][]string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		rows = append(rows, strings.Split(line, "\t"))
	}
	return rows
}

// recordings reads both files. The replies in diffs.tsv lack the position at
// the end of an error.
func recordings(t testing.TB) []recording {
	t.Helper()
	var out []recording
	for i, row := range lines(t, "cases.tsv") {
		if len(row) < 5 || strings.HasPrefix(row[0], "# ") {
			continue
		}
		r := recording{file: "cases.tsv", line: i + 1, script: unescape(row[0]), reply: unescape(row[3])}
		r.proto, _ = strconv.Atoi(row[4])
		for j, list := range []*[]string{&r.keys, &r.args} {
			if err := json.Unmarshal([]byte(row[1+j]), list); err != nil {
				t.Fatalf("cases.tsv:%d: %v", i+1, err)
			}
		}
		out = append(out, r)
	}
	for i, row := range lines(t, "diffs.tsv") {
		if len(row) < 3 || strings.HasPrefix(row[0], "# ") || row[2] == "CONN EOF" {
			continue
		}
		out = append(out, recording{file: "diffs.tsv", line: i + 1, script: unescape(row[1]), proto: 2, reply: unescape(row[2])})
	}
	return out
}

var place = regexp.MustCompile(` script: [0-9a-f]{40}, on [^\r\n]*\.(\r\n)?$`)

// same compares replies; the address of a table or function is not compared.
func (r recording) same(got string) bool {
	want := r.reply
	if r.file == "diffs.tsv" && strings.HasPrefix(got, "-") {
		got = strings.TrimSuffix(place.ReplaceAllString(got, ""), "\r\n")
		want = strings.TrimSuffix(want, "\r\n")
	}
	return address.ReplaceAllString(got, "0x") == address.ReplaceAllString(want, "0x")
}

var address = regexp.MustCompile(`0x[0-9a-f]{8,}`)

// TestRecordedReplies runs every recorded script on each machine. Those whose
// reply is not Redis's are listed in a file; a row that joins or leaves the list
// unnoticed fails.
func TestRecordedReplies(t *testing.T) {
	for _, machine := range machines {
		t.Run(machine.name, func(t *testing.T) {
			t.Parallel()
			compareRecordings(t, machine.make(), "testdata/"+machine.name+"-differences.txt")
		})
	}
}

func compareRecordings(t *testing.T, m Machine, list string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("# Recorded scripts to which this machine does not yet reply as Redis does: file:line, script, want, got.\n")
	b.WriteString("# Written by: go test ./lua -run TestRecordedReplies -update\n")
	total, differ := 0, 0
	initial := m.State()
	for _, r := range recordings(t) {
		total++
		m.SetState(initial)
		got := eval(t, m, newMemoryHost(), r.proto, r.script, r.keys, r.args)
		if !r.same(got) {
			differ++
			fmt.Fprintf(&b, "%s:%d\t%s\t%s\t%s\n", r.file, r.line, escape(r.script), escape(r.reply), escape(address.ReplaceAllString(got, "0x")))
		}
	}
	t.Logf("%d of %d recorded replies differ", differ, total)
	if *update {
		if err := os.WriteFile(list, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	known, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	compareLists(t, string(known), b.String())
}

func compareLists(t *testing.T, known, now string) {
	t.Helper()
	was := map[string]bool{}
	for _, line := range strings.Split(known, "\n") {
		was[line] = true
	}
	for _, line := range strings.Split(now, "\n") {
		if !was[line] {
			t.Errorf("newly differs, or differs in another way: %s", line)
		}
		delete(was, line)
	}
	for line := range was {
		t.Errorf("no longer differs in this way; run with -update: %s", line)
	}
}

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

var update = flag.Bool("update", false, "write docs/gopher-lua.md anew")

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

// TestRecordedReplies runs every recorded script on our machine.
func TestRecordedReplies(t *testing.T) {
	t.Parallel()
	differ, total := differences(t, New("7.0.15"))
	for _, d := range differ {
		t.Errorf("%s:%d: %s\n got %.1000q\nwant %.1000q", d.file, d.line, d.script, d.got, d.reply)
	}
	t.Logf("%d recorded replies", total)
}

// A difference is a recording on which a machine answers unlike Redis.
type difference struct {
	recording
	got string
}

func differences(t *testing.T, m Machine) (out []difference, total int) {
	t.Helper()
	initial := m.State()
	for _, r := range recordings(t) {
		total++
		m.SetState(initial)
		if got := eval(t, m, newMemoryHost(), r.proto, r.script, r.keys, r.args); !r.same(got) {
			out = append(out, difference{r, got})
		}
	}
	return out, total
}

// gopherPage lists what gopher-lua answers unlike Redis.
const gopherPage = "../docs/gopher-lua.md"

// TestGopherPage checks that the page tells of every recorded script on which
// gopher-lua answers unlike Redis, and of nothing else.
func TestGopherPage(t *testing.T) {
	t.Parallel()
	differ, total := differences(t, NewGopher("7.0.15"))
	var b strings.Builder
	b.WriteString("<!-- Written by: go test ./lua -run TestGopherPage -update -->\n# gopher-lua beside Redis\n\n")
	b.WriteString("Scripts run on our own machine by default ([why](decisions/0005-lua-machine.md)): it answers every recorded script as\n" +
		"redis-server 7.0.15 does, takes about a quarter of the time, and keeps to `lua-memory-limit`. `--lua-machine gopher-lua` runs them\n" +
		"on [gopher-lua](https://github.com/yuin/gopher-lua) instead, unmodified, behind a rewrite of what it compiles wrongly.\n\n")
	fmt.Fprintf(&b, "Of %d scripts whose replies were recorded from redis-server, gopher-lua answers these %d in another way. In replies, `\\r\\n`\n"+
		"is a line end; long ones are cut.\n", total, len(differ))
	for _, d := range differ {
		fmt.Fprintf(&b, "\n```lua\n%s\n```\n\n- redis-server: %s\n- gopher-lua: %s\n", cut(d.script, 600), code(d.reply), code(d.got))
	}
	if *update {
		if err := os.WriteFile(gopherPage, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(gopherPage)
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != b.String() {
		t.Errorf("%s is stale: run go test ./lua -run TestGopherPage -update", gopherPage)
	}
}

// code writes a reply as code.
func code(reply string) string {
	text := cut(escape(address.ReplaceAllString(reply, "0x")), 240)
	if strings.Contains(text, "`") {
		return "`` " + text + " ``"
	}
	return "`" + text + "`"
}

func cut(text string, size int) string {
	if len(text) > size {
		return text[:size] + "..."
	}
	return text
}

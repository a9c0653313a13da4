package lua

import (
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// harness runs a program on both sides: what it returns, or its error.
const harness = `local f,e=loadstring(%s,'=p') if not f then return 'C:'..e end local ok,r=pcall(f,1,nil,'z') return (ok and 'R:' or 'E:')..tostring(r)`

// reference runs programs with Debian's lua5.1, whose language is that of Redis
// but for the sandbox.
func reference(t *testing.T, programs []string) []string {
	t.Helper()
	lua, err := exec.LookPath("lua5.1")
	if err != nil {
		t.Skip("lua5.1 is not installed")
	}
	var b strings.Builder
	b.WriteString("local function run(hex) local src=hex:gsub('..',function(h) return string.char(tonumber(h,16)) end)\n")
	b.WriteString(strings.Replace(harness, "%s", "src", 1) + " end\n")
	b.WriteString("for hex in io.lines(arg[1]) do print((run(hex):gsub('.',function(c) return string.format('%02x',c:byte()) end))) end\n")
	dir := t.TempDir()
	script, input := filepath.Join(dir, "run.lua"), filepath.Join(dir, "programs")
	var in strings.Builder
	for _, p := range programs {
		in.WriteString(hex.EncodeToString([]byte(p)) + "\n")
	}
	for name, text := range map[string]string{script: b.String(), input: in.String()} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(lua, script, input).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	for i, l := range lines {
		b, err := hex.DecodeString(l)
		if err != nil {
			t.Fatalf("%v: %s", err, l)
		}
		lines[i] = string(b)
	}
	return lines
}

// TestProgramsAgainstLua compares random programs with the reference.
func TestProgramsAgainstLua(t *testing.T) {
	t.Parallel()
	n, first := 300, 0
	if s := os.Getenv("MINIKV_LUA_PROGRAMS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	if s := os.Getenv("MINIKV_LUA_SEED"); s != "" {
		first, _ = strconv.Atoi(s)
	}
	var programs []string
	for i := range n {
		programs = append(programs, newProgram(uint64(first+i)))
	}
	want := reference(t, programs)
	m := New("7.0.15")
	failures := 0
	for i, p := range programs {
		source := strings.Replace(harness, "%s", "ARGV[1]", 1)
		got := eval(t, m, newMemoryHost(), 2, source, nil, []string{p})
		if _, text, ok := strings.Cut(got, "\r\n"); ok && got[0] == '$' {
			got = strings.TrimSuffix(text, "\r\n")
		}
		if got != want[i] && !strings.Contains(got, "nonexistent global variable") {
			t.Errorf("seed %d\n%s\n got %.600q\nwant %.600q", first+i, strings.TrimPrefix(p, prelude), got, want[i])
			if failures++; failures > 5 {
				return
			}
		}
	}
}

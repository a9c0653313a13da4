package config

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"minikv/resp"
)

// The files in testdata are what redis-server 7.0.15 answers. With
// -update they are written anew by the redis-server that is installed.
var update = flag.Bool("update", false, "ask redis-server for testdata/*.txt")

// transcript runs lines such as `CONFIG SET timeout abc` against ask.
func transcript(lines []string, ask func(args []string) string) string {
	var out strings.Builder
	for _, line := range lines {
		words, ok := resp.SplitWords(nil, []byte(line))
		if !ok {
			panic("bad probe " + line)
		}
		args := make([]string, len(words))
		for i, word := range words {
			args[i] = string(word)
		}
		fmt.Fprintf(&out, "> %s\n%s", line, ask(args))
	}
	return out.String()
}

// commands picks the command lines out of a transcript.
func commands(text []byte) []string {
	var lines []string
	for line := range strings.Lines(string(text)) {
		if after, ok := strings.CutPrefix(line, "> "); ok {
			lines = append(lines, strings.TrimSuffix(after, "\n"))
		}
	}
	return lines
}

func printPairs(pairs []Pair) string {
	slices.SortFunc(pairs, func(a, b Pair) int { return strings.Compare(a.Name, b.Name) })
	var out strings.Builder
	for _, p := range pairs {
		fmt.Fprintf(&out, "%s %q\n", p.Name, p.Value)
	}
	if len(pairs) == 0 {
		return "(empty)\n"
	}
	return out.String()
}

// ours answers CONFIG GET and SET from a Config.
func ours(c *Config) func([]string) string {
	return func(args []string) string {
		if args[1] == "GET" {
			return printPairs(c.Get(args[2:]...))
		}
		var pairs [][2]string
		for pair := range slices.Chunk(args[2:], 2) {
			pairs = append(pairs, [2]string{pair[0], pair[1]})
		}
		if _, err := c.Set(pairs, false); err != nil {
			return "-" + err.Error() + "\n"
		}
		return "+OK\n"
	}
}

func TestConfigAnswersAsRedisDoes(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"defaults.txt", "get.txt", "set.txt", "directives.txt"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata", file)
			text, err := os.ReadFile(path)
			if err != nil && !*update {
				t.Fatal(err)
			}
			if *update {
				probes := commands(text)
				if file == "directives.txt" {
					probes = directiveProbes()
				}
				text = []byte(transcript(probes, oracle(t)))
				if err := os.WriteFile(path, text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			c := New()
			// What differs by design, or depends on the machine.
			for _, set := range [][2]string{{"bind", "* -::*"}, {"save", "3600 1 300 100 60 10000"}, {"port", "0"}} {
				if _, err := c.Set([][2]string{set}, false); err != nil {
					t.Fatal(err)
				}
			}
			c.UnixSocket, c.Dir = "s", "d"
			got := transcript(commands(text), ours(c))
			compare(t, string(text), got)
		})
	}
}

// compare names the first lines that differ.
func compare(t *testing.T, want, got string) {
	t.Helper()
	wants, gots := strings.Split(want, "\n"), strings.Split(got, "\n")
	command, bad := "", 0
	for i := range min(len(wants), len(gots)) {
		if strings.HasPrefix(wants[i], "> ") {
			command = wants[i]
		}
		if wants[i] != gots[i] {
			t.Errorf("%s\n  redis:  %s\n  minikv: %s", command, wants[i], gots[i])
			if bad++; bad == 20 {
				break
			}
		}
	}
	if bad == 0 && len(wants) != len(gots) {
		t.Errorf("%d lines, redis has %d", len(gots), len(wants))
	}
}

// elsewhere are directives whose CONFIG SET meets the machine.
var elsewhere = map[string]bool{
	"port": true, "bind": true, "dir": true, "activedefrag": true, "jemalloc-bg-thread": true, "watchdog-period": true,
	"maxclients": true, "client-output-buffer-limit": true, "oom-score-adj": true, "save": true, "unixsocket": true,
}

// directiveProbes tries some values on every directive of 7.0.
func directiveProbes() []string {
	var probes []string
	for _, n := range names {
		if n.d.is(FileOnly) || n.d.Since != "" || n.d.Own != "" || elsewhere[n.text] || strings.HasPrefix(n.text, "tls-") {
			continue
		}
		values := []string{"abc", "-1", "1", "99999999999", "1mb", "YES"}
		if n.d.is(Immutable | Protected) {
			values = values[:1]
		}
		for _, v := range values {
			probes = append(probes, fmt.Sprintf("CONFIG SET %s %q", n.text, v), "CONFIG GET "+n.text)
		}
		if !n.d.is(Immutable | Protected) {
			probes = append(probes, fmt.Sprintf("CONFIG SET %s %q", n.text, n.d.Default))
		}
	}
	return probes
}

// oracle starts a redis-server for this test.
func oracle(t *testing.T) func([]string) string {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	cmd := exec.Command("redis-server", "--port", "0", "--unixsocket", socket, "--dir", filepath.Dir(socket))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	var conn net.Conn
	for deadline := time.Now().Add(10 * time.Second); conn == nil; {
		var err error
		if conn, err = net.Dial("unix", socket); err != nil && time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { conn.Close() })
	in := bufio.NewReader(conn)
	return func(args []string) string {
		var out bytes.Buffer
		fmt.Fprintf(&out, "*%d\r\n", len(args))
		for _, arg := range args {
			fmt.Fprintf(&out, "$%d\r\n%s\r\n", len(arg), arg)
		}
		conn.Write(out.Bytes())
		return answer(t, in, socket)
	}
}

// answer reads a status, an error or an array of strings.
func answer(t *testing.T, in *bufio.Reader, socket string) string {
	header, err := in.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	header = strings.TrimSpace(header)
	if header[0] != '*' {
		return header + "\n"
	}
	n, _ := strconv.Atoi(header[1:])
	texts := make([]string, n)
	for i := range texts {
		size, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		length, _ := strconv.Atoi(strings.TrimSpace(size[1:]))
		text := make([]byte, length+2)
		if _, err := io.ReadFull(in, text); err != nil {
			t.Fatal(err)
		}
		texts[i] = strings.NewReplacer(filepath.Dir(socket)+"/s", "s", filepath.Dir(socket), "d").Replace(string(text[:length]))
	}
	var pairs []Pair
	for pair := range slices.Chunk(texts, 2) {
		pairs = append(pairs, Pair{pair[0], pair[1]})
	}
	return printPairs(pairs)
}

package compat_test

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// both are the ports of a minikv and a redis-server with the same settings.
func both(t *testing.T, settings ...string) (ours, theirs string) {
	theirs = freePort(t)
	redisClient(t, startRedis(t, append([]string{"--port", theirs, "--bind", "127.0.0.1"}, settings...)...)) // waits for it
	addr := start(t, listening).Addrs()[0].String()
	_, ours, _ = strings.Cut(addr, ":")
	for i := 0; i < len(settings); i += 2 {
		dialRESP(t, addr).do("CONFIG", "SET", strings.TrimPrefix(settings[i], "--"), settings[i+1])
	}
	return ours, theirs
}

// cli runs redis-cli, for some seconds if it does not end by itself, and answers
// what it printed.
func cli(t *testing.T, tool, port, input string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	cmd := exec.CommandContext(ctx, "stdbuf", append([]string{"-oL", tool, "-p", port}, args...)...) // lest a mode without end shows nothing
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil && ctx.Err() == nil {
		t.Errorf("redis-cli %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestRedisCLILooksAround runs the modes in which redis-cli looks at a server as
// a whole. Where what they print does not depend on the time or on addresses
// in memory, it is what they print beside redis-server.
func TestRedisCLILooksAround(t *testing.T) {
	t.Parallel()
	tool := redisCLI(t)
	ours, theirs := both(t, "--maxmemory-policy", "allkeys-lfu", "--lfu-log-factor", "0")
	var fill strings.Builder
	for i := range 300 {
		fmt.Fprintf(&fill, "SET key:%d %s\r\n", i, strings.Repeat("x", i+1))
	}
	fill.WriteString("RPUSH list a b c\r\nHSET hash f v g w\r\nSADD set a b\r\nZADD zset 1 a\r\nXADD stream 1-1 f v\r\n")
	shown := make(map[string]map[string]string)
	for _, port := range []string{ours, theirs} {
		modes := map[string]string{"--pipe": cli(t, tool, port, fill.String(), "--pipe")}
		for range 20 {
			cli(t, tool, port, "", "GET", "key:7")
		}
		for _, mode := range [][]string{{"--bigkeys"}, {"--memkeys"}, {"--hotkeys"}, {"--scan", "--pattern", "key:*9"}, {"--stat", "-i", "0.1"}, {"--latency", "--raw", "-i", "1"}} {
			modes[mode[0]] = cli(t, tool, port, "", mode...)
		}
		shown[port] = modes
	}
	for mode, mask := range map[string]string{
		"--pipe":    `$^`,
		"--bigkeys": `(?m)^\[.*\n`, // found so far: in the order of SCAN
		"--scan":    `$^`,
	} {
		lines := func(port string) string {
			return sortedLines(regexp.MustCompile(mask).ReplaceAllString(shown[port][mode], ""))
		}
		if got, want := lines(ours), lines(theirs); got != want {
			t.Errorf("%s shows\n%s\nbeside redis-server\n%s", mode, got, want)
		}
	}
	for mode, want := range map[string]string{
		"--bigkeys": `Biggest string found '"key:299"' has 300 bytes`,
		"--memkeys": `Biggest string found '"key:2\d\d"' has \d+ bytes`,
		"--hotkeys": `hot key found with counter: \d+\s+keyname: "key:7"`,
		"--stat":    `(?s)keys +mem +clients +blocked +requests +connections.*305 +\S+ +\d+ +0 +\d+ \(\+\d+\) +\d+`,
		"--latency": `^\d+ \d+ \d+\.\d+ \d+`,
	} {
		for _, port := range []string{ours, theirs} {
			if !regexp.MustCompile(want).MatchString(shown[port][mode]) {
				t.Errorf("%s does not show %s:\n%s", mode, want, shown[port][mode])
			}
		}
	}
}

func sortedLines(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

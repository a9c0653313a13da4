package main

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestCommandLineGrammar(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args string // words, separated by |
		want commandLine
	}{
		{"", commandLine{}},
		{"redis.conf", commandLine{file: "redis.conf"}},
		{"-", commandLine{stdin: true}},
		{"redis.conf|--loglevel|verbose|-", commandLine{file: "redis.conf", stdin: true, options: []option{{"loglevel", []string{"verbose"}}}}},
		{"-|--hz|5", commandLine{stdin: true, options: []option{{"hz", []string{"5"}}}}},
		{"--save|900|1|--port|7000", commandLine{options: []option{{"save", []string{"900", "1"}}, {"port", []string{"7000"}}}}},
		{"--bind|a|b|--bind|c", commandLine{options: []option{{"bind", []string{"a", "b"}}, {"bind", []string{"c"}}}}},
		{"--masteruser|--port", commandLine{options: []option{{"masteruser", []string{"--port"}}}}},
		{"--masteruser|--port|7000", commandLine{options: []option{{"masteruser", []string{"--port", "7000"}}}}},
		{"--save|--port|7000", commandLine{options: []option{{"save", nil}, {"port", []string{"7000"}}}}},
		{"--save||--port|7000", commandLine{options: []option{{"save", []string{""}}, {"port", []string{"7000"}}}}},
		{"--masteruser foo|--PORT|1", commandLine{options: []option{{"masteruser", []string{"foo"}}, {"port", []string{"1"}}}}},
		{`--masteruser "a b"`, commandLine{options: []option{{"masteruser", []string{"a b"}}}}},
		{`--masteruser|'x'|--hz|-1`, commandLine{options: []option{{"masteruser", []string{"'x'"}}, {"hz", []string{"-1"}}}}},
	} {
		got, err := parseCommandLine(words(tc.args))
		if err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s:\n got %+v %v\nwant %+v", tc.args, got, err, tc.want)
		}
	}
}

func words(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "|")
}

func TestCommandLineErrors(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "bad.conf")
	if err := os.WriteFile(bad, []byte("# x\nport abc\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ args, want string }{
		{"-port|7000", "-port: options begin with two dashes"},
		{"--|x", "--: no option follows the dashes"},
		{`--masteruser "a`, `--masteruser "a: unbalanced quotes`},
		{"--port|abc", "--port abc: argument couldn't be parsed into an integer"},
		{"--port|1|2", "--port 1 2: wrong number of arguments"},
		{"--port", "--port: wrong number of arguments"},
		{"--port=7000", "--port=7000: a blank stands before the value: --port 7000"},
		{"--foo|bar", "--foo bar: there is no such directive (see minikv help directives)"},
		{"--requirepass|my|secret", "--requirepass ...: wrong number of arguments"},
		{"--loglevel|loud", "--loglevel loud: argument(s) must be one of the following: debug, verbose, notice, warning"},
		{bad, bad + ":2: 'port abc': argument couldn't be parsed into an integer"},
		{"--include|" + bad, "--include " + bad + ": " + bad + ":2: 'port abc': argument couldn't be parsed into an integer"},
		{"-", "standard input:1: 'hz x': argument couldn't be parsed into an integer"},
	} {
		line, err := parseCommandLine(words(tc.args))
		if err == nil {
			_, _, err = line.load(strings.NewReader("hz x"))
		}
		if err == nil || err.Error() != tc.want {
			t.Errorf("%s:\n got %v\nwant %s", tc.args, err, tc.want)
		}
	}
	for _, args := range []string{"/nosuch/redis.conf", "--include|/nosuch/redis.conf"} {
		line, err := parseCommandLine(words(args))
		if err == nil {
			_, _, err = line.load(nil)
		}
		if err == nil || !strings.Contains(err.Error(), "can't open config file: open /nosuch/redis.conf: ") {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestOptionsWinOverStandardInputAndThatOverTheFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"redis.conf": "include " + dir + "/d/*.conf\ntimeout 1\nhz 1\nsave 1 1\n", "d/b.conf": "tcp-keepalive 2", "d/a.conf": "tcp-keepalive 1\ndatabases 3",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	line, err := parseCommandLine([]string{filepath.Join(dir, "redis.conf"), "-", "--timeout", "3", "--save", "3", "3"})
	if err != nil {
		t.Fatal(err)
	}
	c, given, err := line.load(strings.NewReader("timeout 2\nhz 2"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Timeout != 3 || c.Hz != 2 || c.TCPKeepAlive != 2 || c.Databases != 3 || c.Value("save") != "1 1 3 3" {
		t.Errorf("timeout %d, hz %d, tcp-keepalive %d, databases %d, save %s", c.Timeout, c.Hz, c.TCPKeepAlive, c.Databases, c.Value("save"))
	}
	slices.Sort(given)
	if got, want := slices.Compact(given), []string{"databases", "hz", "save", "tcp-keepalive", "timeout"}; !slices.Equal(got, want) {
		t.Errorf("given %v, want %v", got, want)
	}
}

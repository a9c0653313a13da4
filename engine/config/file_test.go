package config

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestParseFileSetsWhatRedisSets(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ file, name, want string }{
		{"save 900 1\nsave 300 10\n", "save", "900 1 300 10"},
		{"save 900 1 300 10\n", "save", "900 1 300 10"},
		{"save 900 1\nsave \"\"\n", "save", ""},
		{"save 900 1\nsave \"\"\nsave 5 5", "save", "5 5"},
		{"save \"900 1\"", "save", "900 1"},
		{"save", "save", ""},
		{"bind 127.0.0.1\nbind ::1", "bind", "::1"},
		{"bind 10.0.0.1 -::1", "bind", "10.0.0.1 -::1"},
		{"  MasterUser \"a b\\x41\\t\"  \r\n", "masteruser", "a bA\t"},
		{`masteruser 'a\'b\x41'`, "masteruser", `a'b\x41`},
		{`masteruser a"b c"`, "masteruser", "ab c"},
		{`masteruser foo#`, "masteruser", "foo#"},
		{`"masteruser" "foo"`, "masteruser", "foo"},
		{`masteruser a\x41\n`, "masteruser", `a\x41\n`},
		{`masteruser "\x4g\q"`, "masteruser", "x4gq"},
		{"\t# port x\n\n \r\n  timeout 7\r\n", "timeout", "7"},
		{"client-output-buffer-limit normal 1 2 3\nclient-output-buffer-limit pubsub 1mb 2 3", "client-output-buffer-limit", "normal 1 2 3 slave 268435456 67108864 60 pubsub 1048576 2 3"},
		{"client-output-buffer-limit", "client-output-buffer-limit", "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60"},
		{"unixsocketperm 700", "unixsocketperm", "700"},
		{"shutdown-on-sigint now force", "shutdown-on-sigint", "now force"},
		{"replicaof 127.0.0.1 7000", "slaveof", "127.0.0.1 7000"},
		{"slaveof no one", "replicaof", ""},
		{"set-max-listpack-entries 64", "set-max-listpack-entries", "64"},
		{"loglevel nothing", "loglevel", "nothing"},
	} {
		c := New()
		if _, err := c.ParseFile("redis.conf", []byte(tc.file), nil); err != nil {
			t.Errorf("%q: %v", tc.file, err)
		} else if got := c.Value(tc.name); got != tc.want {
			t.Errorf("%q: %s is %q, want %q", tc.file, tc.name, got, tc.want)
		}
	}
}

func TestParseFileNamesTheBadLine(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ file, want string }{
		{"port 1\n\nport abc  \n", "redis.conf:3: 'port abc': argument couldn't be parsed into an integer"},
		{"foo bar", "redis.conf:1: 'foo bar': Bad directive or wrong number of arguments"},
		{"masteruser foo # comment", "redis.conf:1: 'masteruser foo # comment': wrong number of arguments"},
		{"maxmemory-policy", "redis.conf:1: 'maxmemory-policy': wrong number of arguments"},
		{`masteruser "a"b`, `redis.conf:1: 'masteruser "a"b': Unbalanced quotes in configuration line`},
		{`masteruser "a`, `redis.conf:1: 'masteruser "a': Unbalanced quotes in configuration line`},
		{`masteruser ""a`, `redis.conf:1: 'masteruser ""a': Unbalanced quotes in configuration line`},
		{"notify-keyspace-events K E A", "redis.conf:1: 'notify-keyspace-events K E A': wrong number of arguments"},
		{"unixsocketperm 778", "redis.conf:1: 'unixsocketperm 778': argument couldn't be parsed as an octal number"},
		{"unixsocketperm 1000", "redis.conf:1: 'unixsocketperm 1000': argument must be between 0 and 777 inclusive"},
		{"databases 0", "redis.conf:1: 'databases 0': argument must be between 1 and 2147483647 inclusive"},
		{"io-threads 129", "redis.conf:1: 'io-threads 129': argument must be between 1 and 128 inclusive"},
		{"enable-debug-command x", "redis.conf:1: 'enable-debug-command x': argument(s) must be one of the following: no, yes, local"},
		{"supervised x", "redis.conf:1: 'supervised x': argument(s) must be one of the following: upstart, systemd, auto, no"},
		{"appendfilename a/b", "redis.conf:1: 'appendfilename a/b': appendfilename can't be a path, just a filename"},
		{`appenddirname ""`, `redis.conf:1: 'appenddirname ""': appenddirname can't be empty`},
		{"replicaof a", "redis.conf:1: 'replicaof a': wrong number of arguments"},
		{"replicaof a 99999", "redis.conf:1: 'replicaof a 99999': Invalid master port"},
		{"requirepass my secret", "redis.conf:1: 'requirepass ...': wrong number of arguments"},
		{"save 900", "redis.conf:1: 'save 900': Invalid save parameters"},
		{"rename-command x", "redis.conf:1: 'rename-command x': Bad directive or wrong number of arguments"},
		{"user", "redis.conf:1: 'user': Bad directive or wrong number of arguments"},
		{"include", "redis.conf:1: 'include': Bad directive or wrong number of arguments"},
		{"loadmodule /m.so", "redis.conf:1: 'loadmodule /m.so': minikv cannot load modules"},
		{"redis-version 1.0", "redis.conf:1: 'redis-version 1.0': argument must be a version of Redis from 5.0 on"},
		{"redis-version valkey-7", "redis.conf:1: 'redis-version valkey-7': argument must be a version of Valkey from 7.2 on"},
		{"redis-version seven", "redis.conf:1: 'redis-version seven': argument must be a version such as 7.0, 7.2.4 or valkey-8.0"},
		{"redis-version 7.0\nset-max-listpack-value 1", "redis.conf:2: 'set-max-listpack-value 1': Bad directive or wrong number of arguments"},
	} {
		_, err := New().ParseFile("redis.conf", []byte(tc.file), nil)
		if line := new(FileError); !errors.As(err, &line) || err.Error() != tc.want {
			t.Errorf("%q:\n got %v\nwant %s", tc.file, err, tc.want)
		}
	}
}

func TestParseFileIncludes(t *testing.T) {
	t.Parallel()
	files := map[string][]File{
		"conf.d/*.conf": {{"conf.d/a.conf", []byte("timeout 1\nport 7000")}, {"conf.d/b.conf", []byte("timeout 2")}},
		"none*":         nil,
		"self":          {{"self", []byte("include self")}},
		"wide":          {{"wide", []byte(strings.Repeat("include leaf\n", 2000))}},
		"leaf":          {{"leaf", []byte("hz 9")}},
		"bad":           {{"bad.conf", []byte("\nhz x")}},
	}
	include := func(pattern string) ([]File, error) {
		if f, ok := files[pattern]; ok {
			return f, nil
		}
		return nil, errors.New("no such file")
	}
	c := New()
	applied, err := c.ParseFile("top", []byte("include conf.d/*.conf\ninclude none*\nport 7001"), include)
	if err != nil || c.Timeout != 2 || c.Port != 7001 || !slices.Equal(applied, []string{"timeout", "port"}) {
		t.Errorf("timeout %d, port %d, applied %v, %v", c.Timeout, c.Port, applied, err)
	}
	for file, want := range map[string]string{
		"include self":    "self:1: 'include self': files include each other too deeply",
		"include wide":    "wide:1000: 'include leaf': too many files are included",
		"include bad":     "bad.conf:2: 'hz x': argument couldn't be parsed into an integer",
		"hz 1\ninclude x": "top:2: 'include x': no such file",
	} {
		if _, err := New().ParseFile("top", []byte(file), include); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", file, err, want)
		}
	}
}

func TestUserAndRenameCommandLinesAreData(t *testing.T) {
	t.Parallel()
	c := New()
	before := c.Clone()
	_, err := c.ParseFile("f", []byte("user bob on >pw ~* +@all\nrename-command FLUSHALL \"\"\nuser eve off\nrename-command get fetch"), nil)
	if err != nil {
		t.Fatal(err)
	}
	users := []FileLine{{[]string{"bob", "on", ">pw", "~*", "+@all"}, "f:1"}, {[]string{"eve", "off"}, "f:3"}}
	renames := []FileLine{{[]string{"FLUSHALL", ""}, "f:2"}, {[]string{"get", "fetch"}, "f:4"}}
	if !reflect.DeepEqual(c.Users, users) || !reflect.DeepEqual(c.RenameCommands, renames) {
		t.Errorf("users %v, renames %v", c.Users, c.RenameCommands)
	}
	if len(before.Users) != 0 {
		t.Error("a clone sees the lines")
	}
	if c.Value("user") != "" || len(c.Get("user", "rename-command")) != 0 {
		t.Error("CONFIG GET knows what only files have")
	}
}

// A file with every directive at its default loads and changes nothing.
func TestEveryDirectiveLoadsFromAFile(t *testing.T) {
	t.Parallel()
	var file strings.Builder
	for _, n := range names {
		switch {
		case n.d.is(FileOnly):
		case n.d.value.many:
			fmt.Fprintf(&file, "%s %s\n", n.text, n.d.Default)
		default:
			fmt.Fprintf(&file, "%s %q\n", n.text, n.d.Default)
		}
	}
	c := New()
	if _, err := c.ParseFile("all", []byte(file.String()), nil); err != nil {
		t.Fatal(err)
	}
	if got, want := c.Get("*"), New().Get("*"); !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

func TestTheFileThatDebianInstallsLoads(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("/etc/redis/redis.conf")
	if err != nil {
		t.Skip(err)
	}
	c := New()
	applied, err := c.ParseFile("redis.conf", text, nil)
	if err != nil || len(applied) < 50 {
		t.Errorf("%d directives, %v", len(applied), err)
	}
}

func FuzzParseFile(f *testing.F) {
	for _, seed := range []string{"port 1", "save 900 1\nsave \"\"", "user a on", "include x", "maxmemory 1gb\nhz \"1\\x30\"", "bind a -b\n# x", "rename-command a b"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		include := func(string) ([]File, error) { return []File{{"again", text}}, nil }
		c := New()
		if _, err := c.ParseFile("f", text, include); err != nil && !strings.Contains(err.Error(), ":") {
			t.Errorf("an error without a place: %v", err)
		}
		for _, p := range c.Get("*") {
			if n, _ := lookup(p.Name); n.d.Name == "bind" || n.d.Name == "proc-title-template" || n.d.Name == "replicaof" {
				continue
			}
			if err := mustTake(c, p); err != nil {
				t.Errorf("CONFIG GET prints %q for %s, which a file may not have: %v", p.Value, p.Name, err)
			}
		}
	})
}

func mustTake(c *Config, p Pair) error { return c.Clone().Apply(p.Name, []string{p.Value}, "") }

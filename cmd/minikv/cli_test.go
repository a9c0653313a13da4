package main

import (
	"bytes"
	"net"
	"strings"
	"testing"

	"minikv/cmd/minikv/cli"
	"minikv/engine/config"
	"minikv/server"
)

func TestClient(t *testing.T) {
	t.Parallel()
	conf := config.New()
	conf.RequirePass = "word"
	s, err := server.Start(server.Options{Addr: "127.0.0.1:0", Config: conf})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	_, port, _ := net.SplitHostPort(s.Addrs()[0].String())
	for _, tc := range []struct {
		args, in string // args are words, separated by |
		out, err string
		code     int
	}{
		{"ping", "", "PONG\n", "", 0}, // raw: this is no terminal
		{"set|k|-5", "", "OK\n", "", 0},
		{"get|k", "", "-5\n", "", 0},
		{"--no-raw|get|k", "", "\"-5\"\n", "", 0},
		{"--no-raw|lrange|none|0|-1", "", "(empty array)\n", "", 0},
		{"--json|config|get|databases", "", "{\"databases\":\"16\"}\n", "", 0},
		{"--json|-2|config|get|databases", "", "[\"databases\",\"16\"]\n", "", 0},
		{"-3|--no-raw|config|get|databases", "", "1# \"databases\" => \"16\"\n", "", 0},
		{"-x|set|k", "a\nb", "OK\n", "", 0},
		{"-r|3|-i|0.001|incr|n", "", "1\n2\n3\n", "", 0},
		{"-n|1|exists|k", "", "0\n", "", 0},
		{"get", "", "ERR wrong number of arguments for 'get' command\n\n", "", 0},
		{"-e|get", "", "ERR wrong number of arguments for 'get' command\n\n", "", 1},
		{"-a|wrong|ping", "", "NOAUTH Authentication required.\n\n", "AUTH failed: WRONGPASS invalid username-password pair or user is disabled.\n", 0},
		{"-u|redis://:word@127.0.0.1:" + port + "/2|client|no-evict|on", "", "OK\n", "", 0},
		{"-u|redis://default:word@127.0.0.1:" + port + "/2|ping", "", "PONG\n", "", 0},
		{"-u|http://h|ping", "", "", "minikv: --url: must begin with redis:// or rediss://\n", 1},
		{"--nonsense|ping", "", "", "minikv: unknown flag --nonsense\n", 1},
		{"--no-raw", "set a \"b\nget n\n\nmulti\nincr n\nexec\n2 incr n\nquit\nping\n",
			"Invalid argument(s)\n\"3\"\nOK\nQUEUED\n1) (integer) 4\n(integer) 5\n(integer) 6\n", "", 0},
		{"--no-raw", "subscribe\nunsubscribe a b\nping\nhello 3\npunsubscribe a*\nping\n",
			"(error) ERR wrong number of arguments for 'subscribe' command\n" +
				"1) \"unsubscribe\"\n2) \"a\"\n3) (integer) 0\n1) \"unsubscribe\"\n2) \"b\"\n3) (integer) 0\nPONG\n" +
				"..." + "1> \"punsubscribe\"\n2> \"a*\"\n3> (integer) 0\nPONG\n", "", 0},
		{"", "help getdel", "\n  GETDEL key\n  summary: Returns the string of a key and deletes the key.\n  since: 6.2.0\n  group: string\n\n", "", 0},
	} {
		args := []string{"-p", port, "-a", "word"}
		if tc.args != "" {
			args = append(args, strings.Split(tc.args, "|")...)
		}
		var out, errs bytes.Buffer
		code := runCLI(args, stdio{strings.NewReader(tc.in), &out, &errs})
		if code != tc.code || !like(out.String(), tc.out) || errs.String() != tc.err {
			t.Errorf("%s %q: %d, %q, %q, want %d, %q, %q", tc.args, tc.in, code, out.String(), errs.String(), tc.code, tc.out, tc.err)
		}
	}
}

// like compares texts; three dots in want stand for anything.
func like(got, want string) bool {
	before, after, dots := strings.Cut(want, "...")
	if !dots {
		return got == want
	}
	return strings.HasPrefix(got, before) && strings.HasSuffix(got, after)
}

func TestClientWithoutServer(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(addr)
	var out, errs bytes.Buffer
	if code := runCLI([]string{"-p", port, "ping"}, stdio{strings.NewReader(""), &out, &errs}); code != exitFailure || out.Len() > 0 ||
		!strings.HasPrefix(errs.String(), "Could not connect to Redis at "+addr+": ") {
		t.Errorf("%d, %q, %q", code, out.String(), errs.String())
	}
}

func TestClientTargets(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]cli.Target{
		"redis://":                       {Host: "h", Port: 1, Pass: "p"},
		"redis://other":                  {Host: "other", Port: 1, Pass: "p"},
		"redis://other:7/3":              {Host: "other", Port: 7, Pass: "p", DB: 3},
		"redis://word@other":             {Host: "other", Port: 1, Pass: "word"},
		"redis://u:w%40@[::1]:7":         {Host: "::1", Port: 7, User: "u", Pass: "w@"},
		"redis://:only@other:65535/":     {Host: "other", Port: 65535, Pass: "only"},
		"redis://u:w@h:7/x is no number": {},
		"redis://h:port":                 {},
	} {
		got, err := (&cliCommand{Host: "h", Port: 1, Pass: "p", URL: url}).target()
		if bad := want == (cli.Target{}); bad != (err != nil) || !bad && got != want {
			t.Errorf("%s: %+v, %v, want %+v", url, got, err, want)
		}
	}
	secure, err := (&cliCommand{Host: "h", URL: "rediss://other"}).target()
	if err != nil || secure.TLS == nil || secure.TLS.ServerName != "other" || secure.TLS.InsecureSkipVerify {
		t.Errorf("rediss: %+v, %v", secure, err)
	}
}

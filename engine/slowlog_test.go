package engine_test

import (
	"bytes"
	"strings"
	"testing"

	"minikv/engine"
	"minikv/engine/config"
	"minikv/resp"
)

// slowLines runs commands, all of which are slow, and answers the arguments of
// what SLOWLOG GET lists, the newest first, with the client in brackets.
func slowLines(t *testing.T, limit string, commands ...string) []string {
	t.Helper()
	e := engine.New(engine.Options{})
	cl := e.Connect(virtualStart, engine.ConnInfo{Addr: "1.2.3.4:5"})
	do := func(line string) []byte {
		e.Do(cl, virtualStart, words(line))
		return bytes.Join(cl.Output(nil), nil)
	}
	do("CONFIG SET slowlog-max-len " + limit + " slowlog-log-slower-than 0")
	do("SLOWLOG RESET")
	for _, line := range commands {
		do(line)
	}
	v, _, err := resp.Decode(do("SLOWLOG GET -1"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, en := range v.Elems {
		var args []string
		for _, arg := range en.Elems[3].Elems {
			args = append(args, arg.Str)
		}
		lines = append(lines, strings.Join(args, " ")+" ["+en.Elems[4].Str+" "+en.Elems[5].Str+"]")
	}
	return lines[:len(lines)-1] // the oldest is SLOWLOG RESET
}

func TestSlowlogKeepsCommands(t *testing.T) {
	t.Parallel()
	const me = " [1.2.3.4:5 ]"
	many := "DEL" + strings.Repeat(" k", 30)
	long := "ECHO " + strings.Repeat("x", 128)
	for _, test := range []struct {
		name     string
		commands []string
		want     []string
	}{
		{"newest first", []string{"PING", "ECHO a"}, []string{"ECHO a" + me, "PING" + me}},
		{"the client's name", []string{"CLIENT SETNAME me"}, []string{"CLIENT SETNAME me [1.2.3.4:5 me]"}},
		{"AUTH without its password", []string{"AUTH secret"}, []string{"AUTH (redacted)" + me}},
		{"AUTH without user and password", []string{"AUTH user secret"}, []string{"AUTH (redacted) (redacted)" + me}},
		{"HELLO without user and password", []string{"HELLO 2 AUTH user secret"}, []string{"HELLO 2 AUTH (redacted) (redacted)" + me}},
		{"CONFIG SET without secrets", []string{"CONFIG SET maxmemory 0 masterauth secret"},
			[]string{"CONFIG SET maxmemory 0 masterauth (redacted)" + me}},
		{"32 arguments whole", []string{many + " k"}, []string{many + " k" + me}},
		{"of more, the first 31", []string{many + " k l"}, []string{many + " ... (2 more arguments)" + me}},
		{"128 bytes whole", []string{long}, []string{long + me}},
		{"of more, the first 128", []string{long + "yy"}, []string{long + "... (2 more bytes)" + me}},
		{"a transaction's commands but not EXEC", []string{"MULTI", "PING", "EXEC"}, []string{"PING" + me, "MULTI" + me}},
		{"a script's commands without client", []string{"EVAL redis.call('ping') 0"},
			[]string{"EVAL redis.call('ping') 0" + me, "ping [?:0 ]"}},
		{"no unknown command", []string{"NOPE", "GET", "EXEC"}, nil},
	} {
		got := slowLines(t, "100", test.commands...)
		if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, strings.Join(got, "\n"), strings.Join(test.want, "\n"))
		}
	}
}

func TestSlowlogForgetsTheOldest(t *testing.T) {
	t.Parallel()
	got := slowLines(t, "3", "ECHO 1", "ECHO 2", "ECHO 3", "ECHO 4")
	if len(got) != 2 || !strings.HasPrefix(got[0], "ECHO 4 ") || !strings.HasPrefix(got[1], "ECHO 3 ") {
		t.Errorf("kept %q", got)
	}
}

// TestSlowlogHasRequests: a command that the loop finishes took until then.
func TestSlowlogHasRequests(t *testing.T) {
	t.Parallel()
	conf := config.New()
	if err := conf.Apply("enable-debug-command", []string{"yes"}, "test"); err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Options{Config: conf})
	cl := e.Connect(virtualStart, engine.ConnInfo{})
	if e.Do(cl, virtualStart, words("DEBUG SLEEP 0.5")) != engine.Requested {
		t.Fatal("DEBUG SLEEP did not ask for anything")
	}
	e.Complete(cl, virtualStart+500_000, func(out *resp.Writer) { out.OK() })
	cl.Output(nil)
	e.Do(cl, virtualStart+500_000, words("SLOWLOG GET"))
	v, _, err := resp.Decode(bytes.Join(cl.Output(nil), nil))
	if err != nil || len(v.Elems) != 1 || v.Elems[0].Elems[2].Int != 500_000 {
		t.Errorf("SLOWLOG GET answers %v, %v", v, err)
	}
}

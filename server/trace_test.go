package server_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"minikv/engine/config"
	"minikv/resp"
	"minikv/server"
)

// traced runs a server, has use use it, and returns its trace.
func traced(t *testing.T, use func(s *server.Server)) []byte {
	t.Helper()
	var trace bytes.Buffer
	conf := config.New()
	if err := conf.Apply("databases", []string{"4"}, ""); err != nil {
		t.Fatal(err)
	}
	s, err := server.Start(server.Options{NoNetwork: true, Seed: 42, Record: &trace, Config: conf})
	if err != nil {
		t.Fatal(err)
	}
	use(s)
	s.Close()
	return trace.Bytes()
}

// talk sends commands by a connection of its own, each with its reply.
func talk(t *testing.T, s *server.Server, lines ...string) {
	t.Helper()
	conn, err := s.DialMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	in := resp.NewReader(conn)
	for _, line := range lines {
		fmt.Fprintf(conn, "%s\r\n", line)
		if _, err := in.Read(); err != nil {
			t.Errorf("%s: %v", line, err)
			return
		}
	}
}

// randomTalk is a session full of what chance decides: random members, keys,
// cursors, ids, scripts.
func randomTalk(t *testing.T, s *server.Server, n int) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(1, 2))
	lines := []string{"HELLO 3", "CONFIG SET set-max-intset-entries 4"}
	templates := []string{
		"SADD s%d m%d", "SPOP s%d", "SRANDMEMBER s%d -5", "RANDOMKEY", "SCAN 0 COUNT %d", "SSCAN s%d 0", "HSET h%d f%d v", "HRANDFIELD h%d 3",
		"XADD x%d * f v%d", "SET k%d v%d PX 2", "GET k%d", "ZADD z%d %d m", "ZRANDMEMBER z%d 2", "EVAL \"return math.random(1000000)\" 0",
		"MULTI", "EXEC", "KEYS *", "TIME", "NOSUCH %d", "BLPOP nothing 0.001", "CLIENT LIST", "INFO", "DEBUG SLEEP 0",
	}
	for range n {
		template := templates[rnd.IntN(len(templates))]
		args := make([]any, strings.Count(template, "%d"))
		for i := range args {
			args[i] = rnd.IntN(6)
		}
		lines = append(lines, fmt.Sprintf(template, args...))
	}
	talk(t, s, lines...)
}

// The same seed and the same commands in the same order give the same bytes.
func TestReplayAnswersTheSameBytes(t *testing.T) {
	t.Parallel()
	text := traced(t, func(s *server.Server) {
		randomTalk(t, s, 2000)
		talk(t, s, "MINIKV.CLOCK FREEZE", "SET k v PX 5000", "MINIKV.CLOCK ADVANCE 6000", "GET k", "MINIKV.FAULT ADD COMMAND incr PROBABILITY 0.5 LOADING",
			"INCR n", "INCR n", "INCR n", "INCR n")
	})
	trace, err := server.ReadTrace(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if n := trace.Commands(); n != 2011 {
		t.Errorf("the trace has %d commands", n)
	}
	for range 2 {
		d, err := trace.Replay()
		if err != nil {
			t.Fatal(err)
		}
		if d != nil {
			t.Fatalf("the replay differs: %s", d)
		}
	}
}

// A trace whose reply was another shows where.
func TestReplayFindsTheFirstDifference(t *testing.T) {
	t.Parallel()
	text := traced(t, func(s *server.Server) { talk(t, s, "SET k v", "GET k", "INCR n") })
	changed := bytes.Replace(text, []byte(`"$1\r\nv\r\n"`), []byte(`"$1\r\nw\r\n"`), 1)
	trace, err := server.ReadTrace(bytes.NewReader(changed))
	if err != nil {
		t.Fatal(err)
	}
	d, err := trace.Replay()
	if err != nil {
		t.Fatal(err)
	}
	if d == nil || d.Command != "GET k" || d.Want != `"w"` || d.Got != `"v"` {
		t.Errorf("%+v", d)
	}
	if want := "client 1: GET k\n- \"w\"\n+ \"v\"\n"; d != nil && !strings.HasSuffix(d.String(), want) {
		t.Errorf("%s, want %s", d, want)
	}
	if lines := strings.Split(string(changed), "\n"); d != nil && !strings.HasSuffix(lines[d.Line-1], `out 1 "$1\r\nw\r\n"`) {
		t.Errorf("line %d is %s, want that of the reply to GET", d.Line, lines[d.Line-1])
	}
}

// A trace is replayed on another server, too.
func TestReplayOnAnotherServer(t *testing.T) {
	t.Parallel()
	text := traced(t, func(s *server.Server) {
		talk(t, s, "SET k v", "SADD s a b c", "SMEMBERS s", "RANDOMKEY", "MINIKV.CLOCK GET", "LRANGE nothing 0 -1", "TIME", "SUBSCRIBE c")
	})
	trace, err := server.ReadTrace(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	other, err := server.Start(server.Options{Addr: "127.0.0.1:0", Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	url, err := other.URL()
	if err != nil {
		t.Fatal(err)
	}
	if d, err := trace.ReplayOn(t.Context(), url, false); d != nil || err != nil {
		t.Fatalf("%v, %v", d, err)
	}
	if err := other.Reset(); err != nil {
		t.Fatal(err)
	}
	other.Do("RPUSH", "nothing", "something")
	d, err := trace.ReplayOn(t.Context(), url, true)
	if err != nil || d == nil || d.Command != "LRANGE nothing 0 -1" {
		t.Errorf("%+v, %v", d, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := trace.ReplayOn(ended, url, false); err == nil {
		t.Error("a context that has ended does not end a replay")
	}
	if _, err := trace.ReplayOn(t.Context(), "http://x", false); err == nil {
		t.Error("http://x is taken for a Redis")
	}
}

func FuzzReadTrace(f *testing.F) {
	f.Add([]byte("minikv trace 1\nseed 42\nconfig databases 4\n1 connect 1 a b 8 local\n2 do 1 SET k v\n2 out 1 \"+OK\\r\\n\"\n3 tick\n4 bad 1 x\n5 complete 1 \"+OK\\r\\n\"\n6 release 1\n7 close 1\n"))
	f.Add([]byte("minikv trace 1\n2 do 1 SET"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if bytes.Contains(text, []byte("EVAL")) || bytes.Contains(text, []byte("databases")) && len(text) > 200 {
			return // a script may run for ever, and databases may be many
		}
		trace, err := server.ReadTrace(bytes.NewReader(text))
		if err != nil {
			return
		}
		trace.Replay()
	})
}

package foreign

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"minikv/engine/config"
	"minikv/resp"
	"minikv/server"
)

// counters are clients that each run some commands and quit.
func counters(t *testing.T, conf Config, programs ...[]string) Trace {
	t.Helper()
	conf.Server = server.Options{Config: config.New()}
	conf.Clients, conf.Patience = len(programs), 30*time.Second
	g, err := Start(conf)
	if err != nil {
		t.Fatal(err)
	}
	var clients sync.WaitGroup
	for _, program := range programs {
		clients.Go(func() {
			conn, err := net.Dial("tcp", g.Addr().String())
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			in := resp.NewReader(conn)
			for _, line := range append(program, "QUIT") {
				conn.Write(resp.AppendCommandStrings(nil, strings.Fields(line)...))
				if _, err := in.Read(); err != nil {
					t.Errorf("%s: %v", line, err)
				}
			}
		})
	}
	clients.Wait()
	return g.Close()
}

// The seed says the order, whatever the order of arrival; different seeds say
// different ones.
func TestTheSeedSaysTheOrder(t *testing.T) {
	t.Parallel()
	programs := [][]string{
		{"CLIENT SETNAME x", "APPEND k 1", "APPEND k 2"}, {"APPEND k 3", "APPEND k 4"}, {"APPEND k 5", "MULTI", "APPEND k 6", "EXEC"},
	}
	orders := make(map[string]bool)
	for seed := range uint64(10) {
		for _, depth := range []int{0, 2} {
			conf := Config{Seed: seed, Depth: depth, Steps: 6}
			first := counters(t, conf, programs...).String()
			if second := counters(t, conf, programs...).String(); second != first {
				t.Errorf("seed %d, depth %d:\n%s%s", seed, depth, first, second)
			}
			if strings.Count(first, " | x ") != 2 || !strings.Contains(first, "| MULTI; APPEND k 6; EXEC -> [") || strings.Count(first, "\n") != 8 {
				t.Errorf("seed %d, depth %d:\n%s", seed, depth, first)
			}
			orders[first] = true
		}
	}
	if len(orders) < 10 {
		t.Errorf("20 runs had %d orders", len(orders))
	}
}

// A pause happens once something has a deadline, and not more often than said.
func TestPauses(t *testing.T) {
	t.Parallel()
	paused := 0
	for seed := range uint64(10) {
		trace := counters(t, Config{Seed: seed, Pauses: 2}, []string{"SET a 1 PX 3600000", "GET a", "GET a", "SET a 1 PX 3600000", "GET a", "GET a"})
		gone := 0
		for i, s := range trace {
			if s.Client == "" {
				paused++
				gone++
				if next := trace[min(i+1, len(trace)-1)]; next.Command == "GET a" && next.Reply != "(nil)" {
					t.Errorf("seed %d:\n%s", seed, trace)
				}
			}
		}
		if gone > 2 {
			t.Errorf("seed %d:\n%s", seed, trace)
		}
	}
	if paused == 0 {
		t.Error("no pause in 10 runs")
	}
}

// PCT lets one go on and on only for so long.
func TestPrioritiesDoNotStarve(t *testing.T) {
	t.Parallel()
	p := newPicker(1, 2, 10)
	var picked []int
	for range 4 * longestStreak {
		picked = append(picked, p.pick([]int{1, 2}))
		if n := len(picked); n > longestStreak && !slices.Contains(picked[n-longestStreak-1:], 1-picked[n-1]) {
			t.Fatalf("%v", picked)
		}
	}
}

func TestReadCommand(t *testing.T) {
	t.Parallel()
	for wire, want := range map[string]string{
		"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n": "GET k",
		"GET  k\r\n":                     "GET k",
		"*1\r\n$0\r\n\r\n":               `""`,
		"*0\r\n":                         "",
		"\r\n":                           "",
	} {
		cmd, err := readCommand(bufio.NewReader(strings.NewReader(wire)))
		if err != nil || words(cmd.argv) != want || string(cmd.wire) != wire {
			t.Errorf("%q: %q, %q, %v", wire, words(cmd.argv), cmd.wire, err)
		}
	}
	for _, wire := range []string{"*1\r\n+3\r\n", "*x\r\n", "*-1\r\n", "*1\r\n$-1\r\n", "*1\r\n\n", "*99999999\r\n", "*1\r\n$99999999999\r\n"} {
		if cmd, err := readCommand(bufio.NewReader(strings.NewReader(wire))); err == nil {
			t.Errorf("%q: %q", wire, words(cmd.argv))
		}
	}
}

// Whatever comes is a command that stands there as it was sent, or an error.
func FuzzReadCommand(f *testing.F) {
	f.Add([]byte("*2\r\n$3\r\nGET\r\n$1\r\nk\r\nPING\r\n*1"))
	f.Fuzz(func(t *testing.T, wire []byte) {
		in := bufio.NewReader(bytes.NewReader(wire))
		var all []byte
		for {
			cmd, err := readCommand(in)
			if err != nil {
				break
			}
			all = append(all, cmd.wire...)
		}
		if rest, _ := io.ReadAll(in); !bytes.HasPrefix(wire, all) || len(all)+len(rest) > len(wire) {
			t.Errorf("%q: read %q", wire, all)
		}
	})
}

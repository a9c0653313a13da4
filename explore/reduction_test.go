package explore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// randomScenario writes a scenario of random steps, many of which are wrong.
func randomScenario(r *rand.Rand) string {
	nodes, clients := 1+r.IntN(3), 2+r.IntN(2)
	steps := []string{
		`got = redis("SET", "lock", mine, "NX", "PX", 500)`,
		`got = node(2, "SET", "lock", mine, "NX", "PX", 500)`,
		`got = each("SET", "lock", mine, "NX", "PX", 500) >= 2`,
		`redis("SET", "lock", mine, "PX", 300)`,
		`each("EVAL", release, 1, "lock", mine)`,
		`eval(release, {"lock"}, {mine})`,
		`if got then enter() work(300) leave() end`,
		`if got then enter() work(600) leave() end`,
		`if redis("GET", "lock") == mine then redis("DEL", "lock") end`,
		`if got then believe(now() + 400) work(300) believe(0) end`,
		`sleep(400)`,
		`node(1, "SET", "other", "1")`,
	}
	var body strings.Builder
	for range 2 + r.IntN(3) {
		fmt.Fprintf(&body, "    %s\n", steps[r.IntN(len(steps))])
	}
	checks := []string{"exclusion", "ownership", "agreement", "exclusion, ownership, progress", "belief"}[r.IntN(5)]
	restart := []string{`data = "kept"`, `data = "lost"`, `data = "lost", down = 500`, `data = "kept", down = 200`}[r.IntN(4)]
	return fmt.Sprintf(`nodes(%d) checks "%s" restart{%s}
bounds{pauses = %d, lost = %d, restarts = %d, kills = %d}
local release = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end"
clients(%d, function()
  attempts(%d, function()
    local mine, got = token()
%s  end)
end)
form("random", holds)
`, nodes, checks, restart, r.IntN(2), r.IntN(2), r.IntN(2), r.IntN(2), clients, 1+r.IntN(2), body.String())
}

// TestReductionOfRandomScenarios: whatever the programs do, something is found
// exactly if it is found when every order is tried.
func TestReductionOfRandomScenarios(t *testing.T) {
	t.Parallel()
	broken, held := 0, 0
	for seed := range uint64(250) {
		source := randomScenario(rand.New(rand.NewPCG(seed, 1)))
		s, err := Parse("random", []byte(source))
		if err != nil {
			t.Fatal(err)
		}
		search := func(plain bool) *Result {
			r, err := Search(context.Background(), s, 0, Config{Plain: plain, Verdict: true, States: 6_000})
			if err != nil {
				t.Fatalf("%v in\n%s", err, source)
			}
			return r
		}
		plain := search(true)
		switch reduced := search(false); {
		case plain.Broken == nil && !plain.Exhaustive: // too many orders to try them all
		case (plain.Broken == nil) != (reduced.Broken == nil):
			t.Errorf("seed %d: reduced %v, plain %v in\n%s", seed, reduced.Broken, plain.Broken, source)
		case plain.Broken != nil:
			broken++
		default:
			held++
		}
	}
	if broken < 20 || held < 20 {
		t.Errorf("%d were broken and %d held: that tells little", broken, held)
	}
}

// TestClientsThatDiffer: clients of one group are not taken to be alike if one
// looks into its token, itself or by a script, or if the file names one.
func TestClientsThatDiffer(t *testing.T) {
	t.Parallel()
	for _, program := range []string{
		`if string.byte(token()) == 67 then redis("GET", "k") fail("it is C") end`,
		`local mine = token() redis("SET", "k", mine) if redis("GET", "k") == "C1" then fail("it is C") end`,
		`if eval("return string.byte(ARGV[1])", {}, {token()}) == 67 then fail("it is C") end`,
		`if redis("STRLEN", string.rep("x", string.byte(token()))) == 67 then fail("never") end redis("SET", "k", token()) if redis("GETRANGE", "k", 0, 0) == "C" then fail("it is C") end`,
	} {
		s, err := Parse("test", []byte("clients(3, function() redis('GET', 'x') "+program+" end) form('x', breaks)"))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := Search(context.Background(), s, 0, Config{Plain: true, Verdict: true})
		if err != nil {
			t.Fatal(err)
		}
		reduced, err := Search(context.Background(), s, 0, Config{Verdict: true})
		if err != nil {
			t.Fatal(err)
		}
		if plain.Broken == nil || reduced.Broken == nil {
			t.Errorf("%s: plain %v, reduced %v", program, plain.Broken, reduced.Broken)
		}
	}
}

// TestMergedPoints: what a program never looks at does not tell two of its
// points apart, and what it looks at does.
func TestMergedPoints(t *testing.T) {
	t.Parallel()
	for program, want := range map[string]bool{
		`redis("GET", "k")`:                            true,
		`each("GET", "k")`:                             true,
		`eval("return 1", {"k"}, {})`:                  true,
		`each("GET", "k") sleep(5)`:                    true,
		`local v = redis("GET", "k")`:                  true, // nothing comes of it
		`if redis("GET", "k") then sleep(5) end`:       false,
		`local n = each("GET", "k") sleep(5) sleep(5)`: true,
		`sleep(5 + each("GET", "k"))`:                  false,
	} {
		s, err := Parse("test", []byte("client('A', function() "+program+" redis('PING') end) form('x', holds)"))
		if err != nil {
			t.Fatal(err)
		}
		x, w, err := newSim(s, 0, Bounds{}, nil, reduced{merged: true})
		if err != nil {
			t.Fatal(err)
		}
		var ends [2]int32
		for i, reply := range [...]string{"$1\r\n1\r\n", "$-1\r\n"} {
			next := w
			if broken := x.deliver(&next, 0, reply, &footprint{}); broken != nil {
				t.Fatal(broken)
			}
			ends[i] = next.clients[0].at
		}
		if got := ends[0] == ends[1]; got != want {
			t.Errorf("%s: merged is %t, want %t", program, got, want)
		}
	}
}

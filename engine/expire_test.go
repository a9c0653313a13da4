package engine

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"minikv/engine/config"
)

// listen makes a configuration under which all keyspace events are published.
func listen(t testing.TB) *config.Config {
	conf := config.New()
	if err := conf.Apply("notify-keyspace-events", []string{"KEA"}, "test"); err != nil {
		t.Fatal(err)
	}
	return conf
}

// deletions records the DEL effects of an engine.
func deletions(into *[]string) func(Effect) {
	return func(f Effect) {
		switch name := string(f.Argv[0]); name {
		case "MULTI", "EXEC":
		default:
			*into = append(*into, fmt.Sprintf("%d %s", f.DB, bytes.Join(f.Argv, []byte(" "))))
		}
	}
}

func TestTickExpiresKeysInTheOrderOfTheirDeadlines(t *testing.T) {
	t.Parallel()
	var effects []string
	n := newNode(t, Options{Effects: deletions(&effects)})
	cl := n.client()
	random := rand.New(rand.NewPCG(1, 2))
	type key struct {
		db int
		at int64
	}
	var keys []key
	for i := range 300 {
		k := key{random.IntN(3), random.Int64N(40)}
		keys = append(keys, k)
		n.send(cl, "SELECT "+strconv.Itoa(k.db))
		n.send(cl, fmt.Sprintf("SET k%03d v PXAT %s", i, at(10+k.at)))
	}
	effects = nil
	n.sleep(100)
	if len(effects) != len(keys) {
		t.Fatalf("%d keys expired, want %d", len(effects), len(keys))
	}
	last := int64(0)
	seen := make(map[int]map[int64]int) // database -> deadline -> the last key
	for _, effect := range effects {
		var db, i int
		if _, err := fmt.Sscanf(effect, "%d DEL k%d", &db, &i); err != nil || keys[i].db != db {
			t.Fatalf("effect %q", effect)
		}
		if keys[i].at < last {
			t.Fatalf("k%d, due at %d, expired after one that was due at %d", i, keys[i].at, last)
		}
		last = keys[i].at
		if seen[db] == nil {
			seen[db] = make(map[int64]int)
		}
		if before, has := seen[db][last]; has && before > i {
			t.Fatalf("k%d expired after k%d, which got the same deadline later", i, before)
		}
		seen[db][last] = i
	}
}

func TestTickDoesNoMoreThanItsBudget(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	n.e.opt.Verify = nil // as slow as many keys
	cl := n.client()
	const keys = 3*tickBudget + 7
	for i := range keys {
		n.send(cl, fmt.Sprintf("SET k%d v PXAT %s", i, at(10)))
	}
	n.now += 11_000
	for left := keys; left > 0; {
		next := n.e.Tick(n.now)
		gone := left - n.e.dbs[0].keys.Len()
		if left -= gone; gone > tickBudget {
			t.Fatalf("one Tick expired %d keys", gone)
		}
		if gone == 0 || left > 0 && next != n.now {
			t.Fatalf("%d keys left, and Tick comes back at %+d", left, next-n.now)
		}
	}
	if next := n.e.Tick(n.now); next != never {
		t.Errorf("nothing is due any more, and Tick comes back at %d", next)
	}
}

func TestAKeyLivesThroughTheMillisecondOfItsDeadline(t *testing.T) {
	t.Parallel()
	for _, active := range []bool{false, true} {
		n := newNode(t, Options{})
		cl := n.client()
		n.want(cl, "SET k v PX 10", "+OK")
		due := n.e.Tick(n.now)
		if want := n.now + 11_000; due != want {
			t.Errorf("Tick comes back %d later, want 11000", due-n.now)
		}
		n.now = due - 1
		if active {
			n.e.Tick(n.now)
		}
		n.want(cl, "GET k", "$1 v")
		n.want(cl, "PTTL k", ":0")
		n.now = due
		if active {
			n.e.Tick(n.now)
		}
		n.want(cl, "GET k", "$-1")
		n.want(cl, "DBSIZE", ":0")
	}
}

func TestEventsFireWhenAKeyIsDueNotWhenSomebodyLooks(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{Config: listen(t)})
	cl, listener := n.client(), n.client()
	n.send(listener, "SUBSCRIBE __keyevent@0__:expired")
	n.send(cl, "SET a v PX 10")
	n.send(cl, "SET b v PX 20")
	n.sleep(11)
	n.wantRead(listener, "*3 $7 message $22 __keyevent@0__:expired $1 a")
	if got := ids(n.e.Ready()); !slices.Equal(got, []int64{listener.id}) {
		t.Errorf("clients %v are ready, want the listener", got)
	}
	n.now += 10_000
	n.wantRead(listener, "")
	n.want(cl, "EXISTS b", ":0") // here somebody was first
	n.wantRead(listener, "*3 $7 message $22 __keyevent@0__:expired $1 b")
	n.sleep(100)
	n.wantRead(listener, "")
}

func TestOnlyExpiryIsTheEffectOfReadingAnExpiredKey(t *testing.T) {
	t.Parallel()
	var effects []string
	n := newNode(t, Options{Effects: deletions(&effects)})
	cl := n.client()
	for _, command := range []string{"GET k", "EXISTS k", "TTL k", "TYPE k", "OBJECT ENCODING k", "SCAN 0", "RANDOMKEY", "EXPIRE k 5", "DEL k"} {
		n.send(cl, "SET k v PX 10")
		effects = nil
		n.now += 11_000
		n.send(cl, command)
		if !slices.Equal(effects, []string{"0 DEL k"}) {
			t.Errorf("the effects of %s are %q", command, effects)
		}
	}
}

func TestRelativeDeadlinesHaveAbsoluteEffects(t *testing.T) {
	t.Parallel()
	var effects []string
	n := newNode(t, Options{Effects: deletions(&effects)})
	cl := n.client()
	n.send(cl, "SET k v")
	for _, step := range []struct{ command, effect string }{
		{"PEXPIRE k 500", "PEXPIREAT k " + at(500)},
		{"EXPIRE k 2 XX", "PEXPIREAT k " + at(2000)},
		{"PEXPIREAT k " + at(700), "PEXPIREAT k " + at(700)},
		{"EXPIRE k 5 NX", ""},
		{"RENAME k k", ""},
		{"PERSIST k", "PERSIST k"},
		{"PERSIST k", ""},
		{"EXPIRE k -1", "DEL k"},
	} {
		effects = nil
		n.send(cl, step.command)
		if got := strings.Join(effects, ";"); got != strings.TrimSuffix("0 "+step.effect, "0 ") {
			t.Errorf("the effect of %s is %q, want %q", step.command, got, step.effect)
		}
	}
}

func TestTheClockMayStepBackwards(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	cl := n.client()
	n.send(cl, "SET gone v PX 10")
	n.send(cl, "SET k v PX 1000")
	n.sleep(500)
	n.now -= 400_000
	n.want(cl, "PTTL k", ":900")
	n.want(cl, "EXISTS gone", ":0")
	if next := n.e.Tick(n.now); next != n.now+901_000 {
		t.Errorf("Tick comes back %d later, want 901000", next-n.now)
	}
	n.sleep(900)
	n.want(cl, "GET k", "$1 v")
	n.sleep(1)
	n.want(cl, "GET k", "$-1")
}

func TestTimeIsFrozenDuringATransaction(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	cl, other := n.client(), n.client()
	n.send(other, "SET early v PX 10")
	n.send(other, "SET late v PX 100")
	n.send(cl, "MULTI")
	for _, command := range []string{"EXISTS early", "PTTL late", "PEXPIRE late 50", "PTTL late", "SET new v PX 1", "PTTL new"} {
		n.want(cl, command, "+QUEUED")
		n.now += 7_000 // queueing takes time, running does not
	}
	n.want(cl, "EXEC", "*6 :0 :58 :1 :50 +OK :1")
}

func TestWatchAndExpiry(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		lookFirst  bool // somebody deletes the expired key before EXEC
		watchLate  bool // the key has expired before WATCH already
		then, exec string
	}{
		{"expires after WATCH", false, false, "PING", "*-1"},
		{"expires after WATCH and is deleted", true, false, "PING", "*-1"},
		{"had expired", false, true, "PING", "*1 +PONG"},
		{"had expired and is deleted", true, true, "PING", "*1 +PONG"},
		{"had expired and is made again", false, true, "SET k w", "*-1"},
		{"had expired, is deleted and is made again", true, true, "SET k w", "*-1"},
		{"had expired and is flushed", false, true, "FLUSHALL", "*1 +PONG"},
	} {
		n := newNode(t, Options{})
		cl, other := n.client(), n.client()
		n.send(other, "SET k v PX 10")
		if test.watchLate {
			n.now += 20_000
		}
		n.send(cl, "WATCH k")
		n.now += 20_000
		if test.lookFirst {
			n.send(other, "GET k")
		}
		n.send(other, test.then)
		n.send(cl, "MULTI")
		n.send(cl, "PING")
		if got := n.send(cl, "EXEC"); got != test.exec {
			t.Errorf("%s: EXEC answered %q, want %q", test.name, got, test.exec)
		}
	}
}

func TestNoKeyExpiresWhileClientsArePaused(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	cl := n.client()
	n.send(cl, "SET k v PX 10")
	n.e.setPause(pauseWrites, n.now/1000+100)
	n.sleep(50)
	n.want(cl, "GET k", "$-1")
	n.want(cl, "DBSIZE", ":1")
	n.want(cl, "RANDOMKEY", "$-1")
	n.sleep(50)
	n.want(cl, "DBSIZE", ":0")
}

func TestRandomKeyIsFairAndNeverOneThatHasExpired(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{Seed: 3})
	n.e.opt.Verify = nil
	cl := n.client()
	const live, draws = 5, 5000
	for i := range live {
		n.send(cl, fmt.Sprintf("SET live%d v", i))
	}
	for i := range 2000 {
		n.send(cl, fmt.Sprintf("SET k%d v PX 10", i))
	}
	n.now += 11_000
	drawn := make(map[string]int)
	for range draws {
		drawn[n.send(cl, "RANDOMKEY")]++
	}
	for reply, count := range drawn {
		if !strings.HasPrefix(reply, "$5 live") {
			t.Errorf("RANDOMKEY answered %q", reply)
		}
		if count < draws/live*8/10 || count > draws/live*12/10 {
			t.Errorf("RANDOMKEY answered %q %d times of %d", reply, count, draws)
		}
	}
	if len(drawn) != live {
		t.Errorf("RANDOMKEY drew %d keys of %d", len(drawn), live)
	}
}

// TestScanSeesEveryKeyThatStays runs a whole SCAN while the table grows,
// shrinks and loses keys to time.
func TestScanSeesEveryKeyThatStays(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		n := newNode(t, Options{Seed: seed})
		n.e.opt.Verify = nil
		cl := n.client()
		random := rand.New(rand.NewPCG(seed, 1))
		const stay = 300
		for i := range stay {
			n.send(cl, fmt.Sprintf("SET stay%d v", i))
			n.send(cl, fmt.Sprintf("SET soon%d v PX %d", i, 1+random.IntN(200)))
		}
		seen := make(map[string]bool)
		cursor := "0"
		for calls := 0; ; calls++ {
			reply := strings.Fields(n.send(cl, "SCAN "+cursor+" COUNT 7"))
			cursor = reply[2]
			for i := 5; i < len(reply); i += 2 {
				seen[reply[i]] = true
			}
			if cursor == "0" {
				break
			}
			n.now += 1000
			for range random.IntN(40) {
				if name := fmt.Sprintf("more%d", random.IntN(3000)); calls%60 < 30 {
					n.send(cl, "SET "+name+" v")
				} else {
					n.send(cl, "DEL "+name)
				}
			}
		}
		for i := range stay {
			if !seen[fmt.Sprintf("stay%d", i)] {
				t.Fatalf("seed %d: SCAN missed stay%d", seed, i)
			}
		}
	}
}

// BenchmarkTickWithAMillionKeysDue expires a million keys of one millisecond
// and reports the longest time for which one Tick kept the loop.
func BenchmarkTickWithAMillionKeysDue(b *testing.B) {
	const keys = 1_000_000
	for b.Loop() {
		b.StopTimer()
		n := newNode(b, Options{})
		n.e.opt.Verify = nil
		cl := n.client()
		argv := argvOf("SET k v PXAT " + at(10))
		for i := range keys {
			argv[1] = strconv.AppendInt(argv[1][:0], int64(i), 10)
			n.e.Do(cl, n.now, argv)
			if i%1000 == 0 {
				n.read(cl)
			}
		}
		n.now += 11_000
		runtime.GC() // of what the preparation left
		var longest time.Duration
		b.StartTimer()
		for next := n.now; next == n.now; {
			began := time.Now()
			next = n.e.Tick(n.now)
			longest = max(longest, time.Since(began))
		}
		b.ReportMetric(float64(longest.Microseconds()), "µs/longest-Tick")
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/keys, "ns/key")
	}
}

package explore_test

import (
	"context"
	"errors"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"minikv/explore"
)

// connect is a go-redis client that sends nothing but what it is told, once.
func connect(c *explore.Client, node int) *redis.Client {
	return redis.NewClient(&redis.Options{Addr: "explore", Dialer: c.DialNode(node), MaxRetries: -1, DisableIdentity: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}})
}

// worker takes the lock of 5 s for work of 4 s, and gives it back in some way.
func worker(release func(ctx context.Context, rdb *redis.Client, mine string)) func(c *explore.Client) {
	return func(c *explore.Client) {
		ctx, rdb := c.Context(), connect(c, 1)
		defer rdb.Close()
		mine := c.Name() + "1"
		if taken, err := rdb.SetNX(ctx, "lock", mine, 5*time.Second).Result(); err != nil || !taken {
			return
		}
		c.Enter()
		time.Sleep(4 * time.Second)
		c.Leave()
		release(ctx, rdb, mine)
	}
}

func getThenDel(ctx context.Context, rdb *redis.Client, mine string) {
	if rdb.Get(ctx, "lock").Val() == mine {
		rdb.Del(ctx, "lock")
	}
}

var compareAndDelete = redis.NewScript(`if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`)

func oneScript(ctx context.Context, rdb *redis.Client, mine string) {
	compareAndDelete.Run(ctx, rdb, []string{"lock"}, mine)
}

// three workers go for the lock. One that is paused in the critical section
// stays there too long, which no way of releasing can help.
func three(release func(ctx context.Context, rdb *redis.Client, mine string)) func(x *explore.Sim) {
	return func(x *explore.Sim) {
		x.Checks(explore.Ownership | explore.Progress)
		x.Clients(3, worker(release))
	}
}

// TestGetThenDelInGo: the same window and the same story as in the scenario.
func TestGetThenDelInGo(t *testing.T) {
	t.Parallel()
	r := explore.Try(t, explore.Config{}, three(getThenDel))
	if want := "A.t.A.A.t.B.A"; r.Broken == nil || r.Broken.Property != "ownership" || r.Schedule != want {
		t.Fatalf("%s; want %s", r.Summary(), want)
	}
	code := r.Story.GoTest(nil)
	if _, err := parser.ParseFile(token.NewFileSet(), "x_test.go", "package x\n"+code, 0); err != nil {
		t.Errorf("%v in\n%s", err, code)
	}
	for _, test := range []struct{ text, want string }{
		{r.Story.Text(), "Broken (ownership): A's DEL removed lock, which B held."},
		{r.Story.Text(), "B is inside (not so)"},
		{r.Story.Transcript(), "B> set lock B1 ex 5 nx\nOK\n"},
		{r.Story.Mermaid(), "  A->>Nserver: del lock\n  Nserver-->>A: 1\n"},
		{code, `explore.Config{Schedule: "A.t.A.A.t.B.A"`},
	} {
		if !strings.Contains(test.text, test.want) {
			t.Errorf("%q is missing in\n%s", test.want, test.text)
		}
	}
	again := explore.Try(t, explore.Config{Schedule: r.Schedule}, three(getThenDel))
	if again.Story.Text() != r.Story.Text() {
		t.Errorf("played again it is another story:\n%s", again.Story.Text())
	}
}

// TestScriptInGo: every schedule holds, also if a reply is lost and a client
// dies; and the same without reduction.
func TestScriptInGo(t *testing.T) {
	t.Parallel()
	bounds := &explore.Bounds{Pauses: 1, Late: 2, Lost: 1, Kills: 1}
	r := explore.Run(t, explore.Config{Bounds: bounds}, func(x *explore.Sim) {
		x.Checks(explore.Ownership | explore.Progress)
		x.Clients(2, worker(oneScript))
	})
	if !r.Exhaustive || r.Schedules < 100 {
		t.Error(r.Summary())
	}
}

// TestMistakesInGo: what the properties are there for.
func TestMistakesInGo(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, property string
		bounds         explore.Bounds
		setup          func(x *explore.Sim)
	}{
		{"a pause in the critical section", "exclusion", explore.Bounds{Pauses: 1, Late: 1}, func(x *explore.Sim) { x.Clients(2, worker(oneScript)) }},
		{"no time to live", "progress", explore.Bounds{Kills: 1}, func(x *explore.Sim) {
			x.Client("A", func(c *explore.Client) {
				rdb := connect(c, 1)
				defer rdb.Close()
				rdb.SetNX(c.Context(), "lock", "A", 0)
				rdb.Del(c.Context(), "lock")
			})
		}},
		{"a write behind a pause", "fencing", explore.Bounds{Pauses: 1, Late: 1}, func(x *explore.Sim) {
			x.Checks(explore.Fencing)
			x.Clients(2, numbered)
		}},
		{"a belief that is not checked", "belief", explore.Bounds{Restarts: 1}, func(x *explore.Sim) {
			x.Checks(explore.Belief)
			x.Client("A", func(c *explore.Client) {
				rdb := connect(c, 1)
				defer rdb.Close()
				if rdb.SetNX(c.Context(), "lock", "A", 5*time.Second).Val() {
					c.Believe(time.Now().Add(4 * time.Second))
					time.Sleep(4 * time.Second)
				}
			})
		}},
		{"read, then write", "assertion", explore.Bounds{}, func(x *explore.Sim) {
			x.Do("SET", "stock", 10)
			x.Clients(2, func(c *explore.Client) {
				rdb := connect(c, 1)
				defer rdb.Close()
				n, _ := rdb.Get(c.Context(), "stock").Int()
				rdb.Set(c.Context(), "stock", n-1, 0)
			})
			x.Finally(func() {
				if v := x.Do("GET", "stock"); v.Str != "8" {
					x.Fail("two were taken of 10, and " + v.Str + " are left")
				}
			})
		}},
		{"a reply that is not there", "panic", explore.Bounds{Lost: 1}, func(x *explore.Sim) {
			x.Client("A", func(c *explore.Client) {
				rdb := connect(c, 1)
				defer rdb.Close()
				if err := rdb.Set(c.Context(), "k", "v", 0).Err(); err != nil {
					panic("no reply")
				}
			})
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := explore.Try(t, explore.Config{Bounds: &test.bounds}, test.setup)
			if r.Broken == nil || r.Broken.Property != test.property || r.Story == nil {
				t.Error(r.Summary())
			}
		})
	}
}

// TestReductionKeepsVerdictsInGo: without merging and with each client its own
// the same is found, in more schedules.
func TestReductionKeepsVerdictsInGo(t *testing.T) {
	t.Parallel()
	for name, release := range map[string]func(ctx context.Context, rdb *redis.Client, mine string){"two commands": getThenDel, "one script": oneScript} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conf := explore.Config{Bounds: &explore.Bounds{Pauses: 1, Late: 1}, Verdict: true}
			setup := func(x *explore.Sim) {
				x.Checks(explore.Ownership | explore.Progress)
				x.Clients(2, worker(release))
			}
			reduced := explore.Try(t, conf, setup)
			conf.Plain = true
			plain := explore.Try(t, conf, setup)
			if (reduced.Broken == nil) != (plain.Broken == nil) || reduced.Exhaustive != plain.Exhaustive || plain.Schedules < reduced.Schedules {
				t.Errorf("reduced: %s\nplain: %s", reduced.Summary(), plain.Summary())
			}
		})
	}
}

// TestMovesInGo: what each move does to a client that sets a key and looks at it
// a second later.
func TestMovesInGo(t *testing.T) {
	t.Parallel()
	setup := func(x *explore.Sim) {
		x.Jump(10 * time.Second)
		x.Client("A", func(c *explore.Client) {
			rdb := connect(c, 1)
			defer rdb.Close()
			if err := rdb.Set(c.Context(), "lock", "A1", 5*time.Second).Err(); err != nil {
				c.Note("failed: " + err.Error())
			}
			time.Sleep(time.Second)
			if v, err := rdb.Get(c.Context(), "lock").Result(); err != nil {
				c.Note("failed: " + err.Error())
			} else {
				c.Note("read " + v)
			}
		})
	}
	bounds := &explore.Bounds{Pauses: 1, Lost: 1, Kills: 1, Crashes: 1, Restarts: 1, Cuts: 1, Steps: 1}
	for schedule, want := range map[string][]string{
		"A.t.A":          {"-> A1", "(read A1)"},
		"A-.t.A":         {"-> OK (lost on its way)", "failed: read explore"},
		"A~.t.A.t.A":     {"-> OK (on its way; paused)", "(goes on after its pause)", "nil"},
		"A.Ax":           {"dies"},
		"A.1x.t.A":       {"server dies", "is down", "failed: read explore"},
		"A.1r.t.A":       {"starts anew, with nothing", "lock is free"},
		"A.1c.t.A.t.t.A": {"server is cut off", "(is not heard)", "i/o timeout"},
		"A.1j.t.A":       {"its clock jumps by 10.000 s", "nil"},
		"A.t.t.A":        {"(is paused)"},
	} {
		t.Run(schedule, func(t *testing.T) {
			t.Parallel()
			r := explore.Try(t, explore.Config{Bounds: bounds, Schedule: schedule}, setup)
			for _, text := range want {
				if !strings.Contains(r.Story.Text(), text) {
					t.Errorf("%q is missing in\n%s", text, r.Story.Text())
				}
			}
		})
	}
}

// numbered writes with a fencing number.
func numbered(c *explore.Client) {
	rdb := connect(c, 1)
	defer rdb.Close()
	if rdb.SetNX(c.Context(), "lock", c.Name(), 5*time.Second).Val() {
		n := rdb.Incr(c.Context(), "fence").Val()
		rdb.Ping(c.Context()) // here it may be paused
		c.Write(n)
	}
}

// TestFencedInGo: with a resource that looks at the number the same holds.
func TestFencedInGo(t *testing.T) {
	t.Parallel()
	r := explore.Run(t, explore.Config{}, func(x *explore.Sim) {
		x.Checks(explore.Fencing)
		x.Fenced()
		x.Clients(2, numbered)
	})
	if !r.Exhaustive {
		t.Error(r.Summary())
	}
}

// TestRedislock: a lock of that library, whose tokens are random.
func TestRedislock(t *testing.T) {
	t.Parallel()
	r := explore.Run(t, explore.Config{}, func(x *explore.Sim) {
		x.Checks(explore.Ownership | explore.Progress)
		x.Clients(2, func(c *explore.Client) {
			rdb := connect(c, 1)
			defer rdb.Close()
			lock, err := redislock.Obtain(c.Context(), rdb, "lock", 5*time.Second, &redislock.Options{
				RetryStrategy: redislock.LimitRetry(redislock.LinearBackoff(3*time.Second), 1)})
			if err != nil {
				return
			}
			c.Enter()
			time.Sleep(4 * time.Second)
			c.Leave()
			if err := lock.Release(c.Context()); err != nil && !errors.Is(err, redislock.ErrLockNotHeld) {
				c.Fail(err.Error())
			}
		})
	})
	if !r.Exhaustive {
		t.Error(r.Summary())
	}
}

// TestRedsync: on one node with a pause, and Redlock on three nodes that are
// asked at the same time.
func TestRedsync(t *testing.T) {
	t.Parallel()
	for nodes, bounds := range map[int]*explore.Bounds{1: {Pauses: 1, Late: 1}, 3: {Late: 1, Switches: 1}} {
		t.Run(strconv.Itoa(nodes), func(t *testing.T) {
			t.Parallel()
			r := explore.Run(t, explore.Config{Bounds: bounds}, func(x *explore.Sim) {
				x.Nodes(nodes)
				x.AnyOrder()
				if bounds.Pauses > 0 { // who is paused in the critical section stays there too long
					x.Checks(explore.Ownership | explore.Progress)
				}
				x.Clients(2, func(c *explore.Client) { redlock(c, nodes) })
			})
			if !r.Exhaustive {
				t.Error(r.Summary())
			}
		})
	}
}

func redlock(c *explore.Client, nodes int) {
	var pools []redsyncredis.Pool
	for i := range nodes {
		rdb := connect(c, i+1)
		defer rdb.Close()
		pools = append(pools, goredis.NewPool(rdb))
	}
	m := redsync.New(pools...).NewMutex("lock", redsync.WithExpiry(5*time.Second), redsync.WithTries(1))
	if err := m.LockContext(c.Context()); err != nil {
		return
	}
	c.Enter()
	time.Sleep(4 * time.Second)
	c.Leave()
	m.UnlockContext(c.Context())
}

// TestNondeterministic: a program that does something else each time is told,
// and nothing is called exhaustive.
func TestNondeterministic(t *testing.T) {
	t.Parallel()
	programs := map[string]func(c *explore.Client){
		"key": func(c *explore.Client) {
			rdb := connect(c, 1)
			defer rdb.Close()
			rdb.Get(c.Context(), string(rune('a'+rand.IntN(26)))+string(rune('a'+rand.IntN(26)))+string(rune('a'+rand.IntN(26))))
		},
		"time": func(c *explore.Client) {
			rdb := connect(c, 1)
			defer rdb.Close()
			time.Sleep(time.Duration(rand.IntN(1_000_000)) * time.Millisecond)
			rdb.Get(c.Context(), "k")
		},
	}
	for name, program := range programs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := explore.Try(t, explore.Config{}, func(x *explore.Sim) { x.Clients(2, program) })
			if r.Diverged == "" || r.Exhaustive {
				t.Error(r.Summary())
			}
			t.Log(r.Diverged)
		})
	}
}

// TestSeeds: a schedule by chance that breaks is found again by its seed.
func TestSeeds(t *testing.T) {
	t.Parallel()
	for _, changes := range []int{0, 2} {
		conf := explore.Config{Random: 3000, Seed: 1, Changes: changes, Depth: 12}
		r := explore.Try(t, conf, three(getThenDel))
		if r.Broken == nil {
			t.Fatal(r.Summary())
		}
		conf.Random, conf.Seed = 1, r.Seed
		again := explore.Try(t, conf, three(getThenDel))
		if again.Broken == nil || again.Schedule != r.Schedule || again.Story.Text() != r.Story.Text() {
			t.Errorf("with changes %d, seed %d broke %s, and again %s", changes, r.Seed, r.Schedule, again.Schedule)
		}
		t.Logf("changes %d: seed %d", changes, r.Seed)
	}
}

// TestStubbornPrograms: a client that goes on after its death, and one that
// waits for ever, end with their schedule.
func TestStubbornPrograms(t *testing.T) {
	before := runtime.NumGoroutine()
	r := explore.Run(t, explore.Config{Bounds: &explore.Bounds{Kills: 1}, Depth: 12}, func(x *explore.Sim) {
		x.Checks(explore.Exclusion)
		x.Client("A", func(c *explore.Client) {
			rdb := connect(c, 1)
			defer rdb.Close()
			for {
				rdb.Incr(context.Background(), "k")
				time.Sleep(time.Second)
			}
		})
		x.Client("B", func(c *explore.Client) {
			rdb := connect(c, 1)
			defer rdb.Close()
			rdb.BLPop(c.Context(), 0, "nothing")
		})
	})
	if r.Exhaustive {
		t.Errorf("a program without an end was tried to the end: %s", r.Summary())
	}
	for wait := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(wait) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

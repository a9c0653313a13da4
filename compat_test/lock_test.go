package compat_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// This file is the lesson of docs/locks.md, played step by step on a server
// whose time moves by hand: first the lock that is right, then each of the
// usual ways to get it wrong, then what no lock on one server can do.

const lockKey = "lock:report"

// release gives the lock back if it is still ours, as one step.
var release = redis.NewScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
	return redis.call('DEL', KEYS[1])
else
	return 0
end`)

// extend gives a lock that is still ours more time.
var extend = redis.NewScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then
	return redis.call('PEXPIRE', KEYS[1], ARGV[2])
else
	return 0
end`)

// play is a server, its time, and a client of each person in the story.
type play struct {
	*testing.T
	ctx     context.Context
	clock   *handClock
	a, b, c *redis.Client
}

func newPlay(t *testing.T) *play {
	t.Parallel()
	srv, clock := startAt(t)
	return &play{T: t, ctx: context.Background(), clock: clock, a: client(t, srv), b: client(t, srv), c: client(t, srv)}
}

// acquire is SET lock token NX PX ttl (ttl 0: without PX).
func (p *play) acquire(who *redis.Client, token string, ttl time.Duration) bool {
	p.Helper()
	ok, err := who.SetNX(p.ctx, lockKey, token, ttl).Result()
	if err != nil {
		p.Fatal(err)
	}
	return ok
}

func (p *play) release(who *redis.Client, token string) int64 {
	p.Helper()
	n, err := release.Run(p.ctx, who, []string{lockKey}, token).Int64()
	if err != nil {
		p.Fatal(err)
	}
	return n
}

// holder is whose token the lock holds, or "" if nobody's.
func (p *play) holder() string {
	p.Helper()
	token, err := p.c.Get(p.ctx, lockKey).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		p.Fatal(err)
	}
	return token
}

func (p *play) want(what string, got, want any) {
	p.Helper()
	if got != want {
		p.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestLockIsTakenOnceAndGivenBackByItsOwnerAlone(t *testing.T) {
	p := newPlay(t)
	p.want("A takes the free lock", p.acquire(p.a, "a", 30*time.Second), true)
	p.want("B asks for the held lock", p.acquire(p.b, "b", 30*time.Second), false)
	p.want("B's release with its own token", p.release(p.b, "b"), int64(0))
	p.want("the holder", p.holder(), "a")
	p.want("A's release", p.release(p.a, "a"), int64(1))
	p.want("B takes the freed lock", p.acquire(p.b, "b", 30*time.Second), true)
}

func TestLockOfADeadOwnerExpiresByItself(t *testing.T) {
	p := newPlay(t)
	p.acquire(p.a, "a", 30*time.Second)
	p.clock.advance(t, 30*time.Second)
	p.want("the holder at the deadline", p.holder(), "a")
	p.clock.advance(t, time.Millisecond)
	n, err := p.b.DBSize(p.ctx).Result()
	p.want("keys after the deadline, unasked for", n, int64(0))
	p.want("error", err, nil)
	p.want("B takes it", p.acquire(p.b, "b", 30*time.Second), true)
	p.want("A's late release", p.release(p.a, "a"), int64(0))
	p.want("the holder", p.holder(), "b")
}

func TestLockReleaseOfLaterServersInOneCommand(t *testing.T) {
	for _, form := range [][]any{{"DELEX", lockKey, "IFEQ"}, {"DELIFEQ", lockKey}} {
		t.Run(form[0].(string), func(t *testing.T) {
			p := newPlay(t)
			p.acquire(p.a, "a", time.Minute)
			wrong, err := p.b.Do(p.ctx, append(form, "b")...).Int64()
			p.want("with another token", wrong, int64(0))
			p.want("error", err, nil)
			right, err := p.a.Do(p.ctx, append(form, "a")...).Int64()
			p.want("with the owner's", right, int64(1))
			p.want("error", err, nil)
		})
	}
}

func TestLockExtendComparesTheToken(t *testing.T) {
	p := newPlay(t)
	p.acquire(p.a, "a", 5*time.Second)
	p.clock.advance(t, 4*time.Second)
	n, _ := extend.Run(p.ctx, p.a, []string{lockKey}, "a", 5000).Int64()
	p.want("extend of a held lock", n, int64(1))
	p.clock.advance(t, 4*time.Second)
	p.want("the holder after the first deadline", p.holder(), "a")
	p.clock.advance(t, 2*time.Second)
	p.acquire(p.b, "b", 5*time.Second)
	n, _ = extend.Run(p.ctx, p.a, []string{lockKey}, "a", 5000).Int64()
	p.want("extend of a lost lock", n, int64(0))
	p.want("the holder", p.holder(), "b")
}

func TestLockWithoutTTLIsNeverFreed(t *testing.T) {
	p := newPlay(t)
	p.acquire(p.a, "a", 0) // and A dies
	p.clock.advance(t, 365*24*time.Hour)
	p.want("B asks a year later", p.acquire(p.b, "b", time.Minute), false)
	ttl, _ := p.b.PTTL(p.ctx, lockKey).Result()
	p.want("PTTL", ttl, time.Duration(-1))
}

func TestLockDelWithoutTokenFreesAnothersLock(t *testing.T) {
	p := newPlay(t)
	p.acquire(p.a, "1", 5*time.Second)
	p.clock.advance(t, 6*time.Second) // A works on
	p.want("B takes the expired lock", p.acquire(p.b, "1", 5*time.Second), true)
	p.a.Del(p.ctx, lockKey) // A is done and deletes, as it thinks, its own lock
	p.want("C gets in while B works", p.acquire(p.c, "1", 5*time.Second), true)
}

func TestLockGetThenDelInTwoCommandsFreesAnothersLock(t *testing.T) {
	p := newPlay(t)
	p.acquire(p.a, "a", 5*time.Second)
	p.clock.advance(t, 5*time.Second)
	p.want("A looks: still its own", p.holder(), "a")
	p.clock.advance(t, time.Millisecond) // between A's two commands
	p.want("B takes the expired lock", p.acquire(p.b, "b", 5*time.Second), true)
	n, _ := p.a.Del(p.ctx, lockKey).Result()
	p.want("A deletes B's lock", n, int64(1))
	p.want("C gets in while B works", p.acquire(p.c, "c", 5*time.Second), true)
}

func TestLockGetThenDelInOneScriptHolds(t *testing.T) {
	p := newPlay(t)
	p.acquire(p.a, "a", 5*time.Second)
	p.clock.advance(t, 5*time.Second+time.Millisecond)
	p.acquire(p.b, "b", 5*time.Second)
	p.want("A's release, as one step", p.release(p.a, "a"), int64(0))
	p.want("C asks while B works", p.acquire(p.c, "c", 5*time.Second), false)
}

func TestLockReleaseInMultiCannotBranch(t *testing.T) {
	p := newPlay(t)
	p.acquire(p.b, "b", 5*time.Second)
	var seen *redis.StringCmd
	_, err := p.a.TxPipelined(p.ctx, func(tx redis.Pipeliner) error {
		seen = tx.Get(p.ctx, lockKey) // queued: its value is not known yet
		tx.Del(p.ctx, lockKey)
		return nil
	})
	p.want("error", err, nil)
	p.want("what A learns, too late", seen.Val(), "b")
	p.want("the holder", p.holder(), "")
}

func TestLockReleaseWithWatchHolds(t *testing.T) {
	p := newPlay(t)
	compareAndDelete := func(between func()) error {
		return p.a.Watch(p.ctx, func(tx *redis.Tx) error {
			token, err := tx.Get(p.ctx, lockKey).Result()
			if err != nil || token != "a" {
				return errors.Join(err, errors.New("not ours"))
			}
			between()
			_, err = tx.TxPipelined(p.ctx, func(pipe redis.Pipeliner) error {
				pipe.Del(p.ctx, lockKey)
				return nil
			})
			return err
		}, lockKey)
	}
	p.acquire(p.a, "a", 5*time.Second)
	err := compareAndDelete(func() {
		p.clock.advance(t, 5*time.Second+time.Millisecond)
		p.acquire(p.b, "b", 5*time.Second)
	})
	p.want("EXEC after B took the lock", err, redis.TxFailedErr)
	p.want("the holder", p.holder(), "b")

	p.release(p.b, "b")
	p.acquire(p.a, "a", 5*time.Second)
	err = compareAndDelete(func() { p.clock.advance(t, 5*time.Second+time.Millisecond) })
	p.want("EXEC after the lock expired", err, redis.TxFailedErr)

	p.acquire(p.a, "a", 5*time.Second)
	p.want("EXEC when nothing happened", compareAndDelete(func() {}), nil)
	p.want("the holder", p.holder(), "")
}

func TestLockTTLShorterThanTheWorkLetsTwoIn(t *testing.T) {
	p := newPlay(t)
	p.acquire(p.a, "a", 5*time.Second) // A works for eight seconds
	p.clock.advance(t, 5*time.Second+time.Millisecond)
	p.want("B gets in while A works", p.acquire(p.b, "b", 5*time.Second), true)
	p.clock.advance(t, 3*time.Second)
	p.want("A's release tells it: the work may have overlapped", p.release(p.a, "a"), int64(0))
}

func TestLockExtendBySetOverwritesTheNextOwner(t *testing.T) {
	p := newPlay(t)
	p.acquire(p.a, "a", 5*time.Second)
	p.clock.advance(t, 6*time.Second)
	p.acquire(p.b, "b", 5*time.Second)
	p.a.SetXX(p.ctx, lockKey, "a", 5*time.Second) // "extend" without looking
	p.want("the holder while B works", p.holder(), "a")
}

func TestLockFencingTokenRefusesTheLateWrite(t *testing.T) {
	p := newPlay(t)
	acquire := redis.NewScript(`
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
	return redis.call('INCR', KEYS[2])
end
return 0`)
	// The resource remembers the highest number it has seen.
	write := redis.NewScript(`
if tonumber(ARGV[1]) < tonumber(redis.call('GET', KEYS[1]) or '0') then return 0 end
redis.call('SET', KEYS[1], ARGV[1])
return 1`)
	keys := []string{lockKey, "fence:report"}
	a, _ := acquire.Run(p.ctx, p.a, keys, "a", 5000).Int64()
	p.clock.advance(t, 6*time.Second) // A checks its time, then is paused
	b, _ := acquire.Run(p.ctx, p.b, keys, "b", 5000).Int64()
	p.want("numbers grow", b > a && a > 0, true)
	n, _ := write.Run(p.ctx, p.b, []string{"resource"}, b).Int64()
	p.want("B's write", n, int64(1))
	n, _ = write.Run(p.ctx, p.a, []string{"resource"}, a).Int64()
	p.want("A's late write", n, int64(0))
}

func TestLockLostReplyBlocksItsOwnSender(t *testing.T) {
	p := newPlay(t)
	p.acquire(p.a, "a", 5*time.Second) // done, but the reply is lost on the way
	p.want("the retry with the same token", p.acquire(p.a, "a", 5*time.Second), false)
	// Acquire that takes "it is mine already" for success.
	again := redis.NewScript(`
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0`)
	n, _ := again.Run(p.ctx, p.a, []string{lockKey}, "a", 5000).Int64()
	p.want("the retry by script", n, int64(1))
	n, _ = again.Run(p.ctx, p.b, []string{lockKey}, "b", 5000).Int64()
	p.want("another's", n, int64(0))
}

func TestLockReleaseSurvivesAFlushedScriptCache(t *testing.T) {
	p := newPlay(t)
	release.Load(p.ctx, p.a)
	p.acquire(p.a, "a", time.Minute)
	p.b.ScriptFlush(p.ctx)
	err := p.a.EvalSha(p.ctx, release.Hash(), []string{lockKey}, "a").Err()
	p.want("EVALSHA", err != nil && redis.HasErrorPrefix(err, "NOSCRIPT"), true)
	p.want("Script.Run falls back to EVAL", p.release(p.a, "a"), int64(1))
}

func TestScriptIsIsolatedNotRolledBack(t *testing.T) {
	p := newPlay(t)
	p.acquire(p.a, "a", time.Minute)
	p.a.Set(p.ctx, "sig", "a string", 0)
	err := p.a.Eval(p.ctx, `redis.call('DEL', KEYS[1]) redis.call('LPUSH', KEYS[2], '1')`, []string{lockKey, "sig"}).Err()
	p.want("the script's error", err != nil && redis.HasErrorPrefix(err, "WRONGTYPE"), true)
	p.want("the holder: DEL was done and stays done", p.holder(), "")
}

func TestOldPatternOfTimestampsLetsTwoIn(t *testing.T) {
	p := newPlay(t)
	p.c.Set(p.ctx, lockKey, "expired stamp", 0) // its owner died
	// A and B both see that the stamp is over; each deletes it and takes the lock.
	takeOver := func(who *redis.Client, token string) bool {
		who.Del(p.ctx, lockKey)
		return p.acquire(who, token, 0)
	}
	p.want("A", takeOver(p.a, "a"), true)
	p.want("B, a moment later", takeOver(p.b, "b"), true)
}

func TestReadModifyWriteLosesAnUpdate(t *testing.T) {
	p := newPlay(t)
	p.a.Set(p.ctx, "n", 10, 0)
	a, _ := p.a.Get(p.ctx, "n").Int()
	b, _ := p.b.Get(p.ctx, "n").Int()
	p.a.Set(p.ctx, "n", a+1, 0)
	p.b.Set(p.ctx, "n", b+1, 0)
	p.want("after two increments by hand", p.c.Get(p.ctx, "n").Val(), "11")
	p.a.Incr(p.ctx, "n")
	p.b.Eval(p.ctx, `return redis.call('SET', KEYS[1], redis.call('GET', KEYS[1]) + 1)`, []string{"n"})
	p.want("by INCR and by a script", p.c.Get(p.ctx, "n").Val(), "13")
}

func TestReleasedLockWakesTheLongestWaiterFirst(t *testing.T) {
	p := newPlay(t)
	p.acquire(p.a, "a", time.Minute)
	waits := func(who *redis.Client) <-chan string {
		got := make(chan string, 1)
		go func() {
			v, err := who.BLPop(p.ctx, 0, "sig").Result()
			if err != nil {
				v = []string{"", err.Error()}
			}
			got <- v[1]
		}()
		return got
	}
	blocked := func(n string) {
		for range 2000 {
			if info, _ := p.a.Info(p.ctx, "clients").Result(); infoField(info, "blocked_clients") == n {
				return
			}
			time.Sleep(time.Millisecond)
		}
		t.Fatalf("no %s clients are blocked", n)
	}
	b := waits(p.b)
	blocked("1")
	c := waits(p.c)
	blocked("2")
	p.a.Eval(p.ctx, `redis.call('DEL', KEYS[1]) redis.call('LPUSH', KEYS[2], 'first')`, []string{lockKey, "sig"})
	p.want("B, who waited longest", <-b, "first")
	p.a.LPush(p.ctx, "sig", "second")
	p.want("C", <-c, "second")
}

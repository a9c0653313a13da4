package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"minikv/value"
)

// dump is the keyspace as text: keys in the table's order, values, deadlines.
func (n *node) dump() string {
	var b strings.Builder
	for _, db := range n.e.dbs {
		for en := range db.keys.All() {
			fmt.Fprintf(&b, "%d %s=%s at %d, used %d\n", db.id, en.Key, shown(&en.Val), en.Val.expireAt(), en.Val.lru())
		}
	}
	return b.String()
}

func shown(o *Object) string {
	if o.kind() == value.KindString {
		return string(o.text(nil))
	}
	if o.kind() == value.KindList {
		var elems []string
		for _, elem := range o.list().All() {
			elems = append(elems, string(elem))
		}
		return strings.Join(elems, ",")
	}
	return o.kind().String()
}

func (n *node) wantDump(when, want string) {
	n.t.Helper()
	if got := n.dump(); got != want {
		n.t.Errorf("%s the keyspace is\n%swant\n%s", when, got, want)
	}
}

func TestRestorePutsBackTheKeyspace(t *testing.T) {
	t.Parallel()
	for _, change := range []string{
		"SET k w", "SET k w KEEPTTL", "SET k w EX 7", "APPEND k w", "SETRANGE k 0 x", "DEL k", "RENAME k other", "RENAME other k",
		"MOVE k 2", "COPY other k REPLACE", "EXPIRE k 5", "PERSIST k", "INCR num", "FLUSHALL", "FLUSHDB", "GETDEL k", "UNLINK k num",
		"SWAPDB 0 1", "SET new v", "GET k", "TOUCH k", "EXPIRE k -1",
	} {
		n := newNode(t, Options{})
		cl := n.client()
		for _, command := range []string{"SET k value EX 100", "SET num 41", "SET other v", "SELECT 1", "SET there v PX 500", "SELECT 0"} {
			n.send(cl, command)
		}
		before := n.dump()
		s := n.e.Snapshot()
		for round := range 3 {
			n.now += 3_000_000
			if reply := n.send(cl, change); strings.HasPrefix(reply, "-") {
				t.Fatalf("%s answered %s", change, reply)
			}
			n.send(cl, "SET num 1")
			n.e.Restore(s)
			n.wantDump(fmt.Sprintf("round %d of %s:", round, change), before)
		}
	}
}

// TestSnapshotKeepsWhatIsChangedInPlace: collections are copied before their
// first change, and only then.
func TestSnapshotKeepsWhatIsChangedInPlace(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	db := n.e.dbs[0]
	push := func(key, elem string) *Entry {
		en := db.live([]byte(key))
		if en == nil {
			en = db.add([]byte(key), collectionObject(value.KindList, value.NewList()))
		}
		en = db.write(en)
		en.Val.list().PushBack([]byte(elem))
		return en
	}
	push("l", "a")
	push("moved", "m")
	before := n.dump()
	s := n.e.Snapshot()
	original := db.live([]byte("l"))
	copied := push("l", "b")
	if copied == original {
		t.Error("the entry was not copied before its first change")
	}
	if again := push("l", "c"); again != copied {
		t.Error("the entry was copied again at its second change")
	}
	n.send(n.client(), "RENAME moved m2")
	push("m2", "n") // the value is still the snapshot's until now
	n.e.Restore(s)
	n.wantDump("after Restore", before)
	push("l", "d") // a restored value is the snapshot's too
	n.e.Restore(s)
	n.wantDump("after the second Restore", before)
	s.Release()
	kept := db.live([]byte("l"))
	if push("l", "e") != kept {
		t.Error("after Release the entry was copied before a change")
	}
}

func TestSnapshotListsWhatWasThere(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	cl := n.client()
	n.send(cl, "SET a 1")
	n.send(cl, "SET b 2 PXAT "+at(9000))
	n.send(cl, "SELECT 3")
	n.send(cl, "SET c 3")
	s := n.e.Snapshot()
	defer s.Release()
	for _, command := range []string{"DEL c", "SELECT 0", "APPEND a x", "PERSIST b", "RENAME b d", "SET e 5"} {
		n.send(cl, command)
	}
	var listed []string
	s.All(func(db int, key string, o *Object, expireAt int64) bool {
		listed = append(listed, fmt.Sprint(db, " ", key, "=", shown(o), " ", expireAt))
		return true
	})
	slices.Sort(listed)
	want := []string{"0 a=1 -1", "0 b=2 " + at(9000), "3 c=3 -1"}
	if !slices.Equal(listed, want) {
		t.Errorf("the snapshot lists %q, want %q", listed, want)
	}
}

// TestRestoreGoesOnAsTheFirstTime: the same commands after a snapshot and after
// a Restore have the same replies, effects and order of everything.
func TestRestoreGoesOnAsTheFirstTime(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		var effects []string
		n := newNode(t, Options{Seed: seed, Effects: deletions(&effects)})
		n.e.opt.Verify = nil
		cl := n.client()
		random := rand.New(rand.NewPCG(seed, 2))
		for i := range 200 + random.IntN(3000) {
			n.send(cl, fmt.Sprintf("SET k%d v PX %d", i, 1+random.IntN(20)))
		}
		s := n.e.Snapshot()
		start := n.now
		run := func() (log []string) {
			n.now = start
			effects = nil
			for i := range 30 {
				n.sleep(1)
				log = append(log, n.send(cl, "RANDOMKEY"), n.send(cl, "SCAN 0"), n.send(cl, fmt.Sprintf("SET new%d v PX 5", i)))
			}
			return append(log, effects...)
		}
		first := run()
		for range 2 {
			n.e.Restore(s)
			if again := run(); !slices.Equal(again, first) {
				t.Fatalf("seed %d: it went on in another way", seed)
			}
		}
	}
}

func TestRestorePutsBackClients(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	inMulti, watcher, other := n.client(), n.client(), n.client()
	for _, command := range []string{"SELECT 2", "HELLO 3 SETNAME me", "MULTI", "SET a 1", "INCR a"} {
		n.send(inMulti, command)
	}
	n.send(watcher, "SET w 1")
	n.send(watcher, "WATCH w")
	s := n.e.Snapshot()
	for range 2 {
		n.want(inMulti, "EXEC", "*2 +OK :2")
		n.want(inMulti, "RESET", "+RESET")
		n.send(other, "SET w 2")
		late := n.client()
		n.send(late, "SELECT 5")
		n.send(late, "MULTI")
		n.e.Restore(s)
		if inMulti.name != "me" || inMulti.db.id != 2 || inMulti.out.Proto() != 3 || late.db.id != 0 || late.multi.open {
			t.Error("clients are not what they were")
		}
		n.e.Disconnect(late, n.now)
	}
	n.want(inMulti, "GET a", "+QUEUED")
	n.want(inMulti, "EXEC", "*3 +OK :2 $1 2")
	n.want(watcher, "MULTI", "+OK")
	n.want(watcher, "PING", "+QUEUED")
	n.want(watcher, "EXEC", "*1 +PONG")
	n.e.Restore(s)
	n.send(other, "SET w 2")
	n.send(watcher, "MULTI")
	n.want(watcher, "EXEC", "*-1")
}

func TestRestorePutsBackSubscriptionsInTheirOrder(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	a, b, sender := n.client(), n.client(), n.client()
	n.send(b, "SUBSCRIBE c d")
	n.send(b, "PSUBSCRIBE z* c*")
	n.send(a, "SUBSCRIBE c")
	n.send(a, "PSUBSCRIBE c*")
	n.send(a, "SSUBSCRIBE s")
	s := n.e.Snapshot()
	var order []string
	publish := func() []string {
		order = nil
		n.send(sender, "PUBLISH c m")
		for _, cl := range n.e.Ready() {
			order = append(order, fmt.Sprint(cl.id, " ", n.read(cl)))
		}
		return order
	}
	first := publish()
	for range 2 {
		n.send(a, "UNSUBSCRIBE")
		n.send(b, "PUNSUBSCRIBE z*")
		n.send(b, "PSUBSCRIBE z*")
		n.send(b, "UNSUBSCRIBE c")
		n.send(b, "SUBSCRIBE c")
		n.e.Restore(s)
		if again := publish(); !slices.Equal(again, first) {
			t.Errorf("PUBLISH reaches %q, want %q", again, first)
		}
		n.want(sender, "SPUBLISH s m", ":1")
		n.read(a)
		n.e.Ready()
	}
	if !strings.HasPrefix(first[0], "2 ") {
		t.Errorf("the first to subscribe is not the first to hear: %q", first)
	}
}

func TestRestorePutsBackWaitingClients(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	first, second, forever, admin := n.client(), n.client(), n.client(), n.client()
	n.send(first, "WAIT 1 50")
	n.send(second, "WAIT 1 50")
	n.send(forever, "WAIT 1 0")
	s := n.e.Snapshot()
	for range 2 {
		n.now = testStart
		n.sleep(60)
		if got, want := ids(n.e.Ready()), ids([]*Client{first, second}); !slices.Equal(got, want) {
			t.Errorf("clients %v have waited long enough, want %v", got, want)
		}
		n.wantRead(first, ":0")
		n.wantRead(second, ":0")
		n.want(admin, fmt.Sprintf("CLIENT UNBLOCK %d", forever.id), ":1")
		n.e.Ready()
		n.e.Restore(s)
		if !first.Waiting() || !second.Waiting() || !forever.Waiting() || n.e.nblocked != 3 {
			t.Error("clients do not wait as they did")
		}
	}
}

// TestRestoreTellsTheLoopWhoMayGoOn: a client that waited, or had output to be
// taken, is on the Ready list, for the loop may hold commands of it.
func TestRestoreTellsTheLoopWhoMayGoOn(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	waits, served, idle := n.client(), n.client(), n.client()
	s := n.e.Snapshot()
	n.send(served, "WAIT 1 10")
	n.sleep(20)
	n.send(waits, "WAIT 1 0")
	n.e.Restore(s)
	if got, want := ids(n.e.Ready()), ids([]*Client{waits, served}); !slices.Equal(got, want) {
		t.Errorf("clients %v may go on, want %v", got, want)
	}
	n.wantRead(served, "")
	for _, cl := range []*Client{waits, served, idle} {
		n.want(cl, "PING", "+PONG")
	}
}

func TestAClientThatHasGoneIsNotRestored(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	gone, stays := n.client(), n.client()
	n.send(gone, "WATCH k")
	n.send(stays, "SUBSCRIBE c")
	n.send(gone, "SUBSCRIBE c")
	waits := n.client()
	n.send(waits, "WAIT 1 50")
	s := n.e.Snapshot()
	n.e.Disconnect(gone, n.now)
	n.e.Disconnect(waits, n.now)
	n.e.Restore(s)
	sender := n.client()
	n.want(sender, "PUBLISH c m", ":1")
	n.sleep(100)
	n.e.Ready()
	if n.e.nblocked != 0 || n.e.Clients() != 2 {
		t.Errorf("%d clients wait and %d are connected", n.e.nblocked, n.e.Clients())
	}
}

func TestRestorePutsBackScripts(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	cl := n.client()
	sha := strings.TrimPrefix(n.send(cl, "SCRIPT LOAD return(1)"), "$40 ")
	s := n.e.Snapshot()
	n.want(cl, "SCRIPT FLUSH", "+OK")
	n.want(cl, "EVALSHA "+sha+" 0", "-NOSCRIPT No matching script. Please use EVAL.")
	n.e.Restore(s)
	n.want(cl, "EVALSHA "+sha+" 0", ":1")
	fork := newNode(t, Options{})
	fork.e.Restore(s)
	fork.want(fork.client(), "EVALSHA "+sha+" 0", ":1")
}

// TestForkIsIndependent restores a snapshot into another engine, whose own
// clients begin anew.
func TestForkIsIndependent(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{Seed: 1})
	cl := n.client()
	n.send(cl, "SET k v PX 50")
	n.send(cl, "SET n 1")
	n.send(n.client(), "WAIT 1 0")
	s := n.e.Snapshot()

	fork := newNode(t, Options{Seed: 2})
	waits, own := fork.client(), fork.client()
	fork.send(waits, "WAIT 1 10")
	fork.send(own, "SELECT 1")
	fork.send(own, "SET gone v")
	fork.send(own, "WATCH gone")
	fork.send(own, "SUBSCRIBE c")
	fork.e.Restore(s)
	s.Release()
	fork.wantDump("after the fork", n.dump())
	if got, want := ids(fork.e.Ready()), []int64{waits.id}; !slices.Equal(got, want) {
		t.Errorf("clients %v may go on, want %v", got, want)
	}
	before := n.dump()
	for i := range 20 {
		command := []string{"RANDOMKEY", "INCR n", "APPEND n 0", "SET m 1", "DEL m", "EXPIRE n 100"}[i%6]
		fork.send(own, command)
	}
	n.wantDump("after changes in the fork", before)
	fork.sleep(51)
	n.want(cl, "EXISTS k", ":1")
	fork.want(own, "EXISTS k", ":0")
}

func TestForksOfOneSnapshotAgree(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{Seed: 1})
	cl := n.client()
	for i := range 500 {
		n.send(cl, fmt.Sprintf("SET k%d v", i))
	}
	s := n.e.Snapshot()
	run := func(n *node) (log []string) {
		cl := n.client()
		for range 40 {
			log = append(log, n.send(cl, "RANDOMKEY"))
		}
		return log
	}
	want := run(n)
	for seed := range uint64(3) {
		fork := newNode(t, Options{Seed: seed})
		fork.e.Restore(s)
		if got := run(fork); !slices.Equal(got, want) {
			t.Errorf("a fork draws %q, the original %q", got, want)
		}
	}
}

func TestSnapshotsOfDifferentAgesLiveTogether(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	cl := n.client()
	var snapshots []*Snapshot
	var dumps []string
	for i := range 5 {
		n.send(cl, fmt.Sprintf("APPEND k %d", i))
		n.send(cl, fmt.Sprintf("SET only%d v", i))
		dumps = append(dumps, n.dump())
		snapshots = append(snapshots, n.e.Snapshot())
	}
	for _, i := range []int{2, 0, 4, 0, 3, 1} {
		n.e.Restore(snapshots[i])
		n.wantDump(fmt.Sprintf("in snapshot %d", i), dumps[i])
		n.send(cl, "APPEND k changed")
		n.send(cl, "RENAME only0 other")
	}
	snapshots[4].Release()
	snapshots[4].Release() // twice is once
	n.e.Restore(snapshots[1])
	n.wantDump("with one snapshot released", dumps[1])
	for _, s := range snapshots {
		s.Release()
	}
	if n.e.snapshot.live != 0 {
		t.Errorf("%d snapshots are kept after all were released", n.e.snapshot.live)
	}
}

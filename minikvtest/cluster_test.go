package minikvtest_test

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	"minikv/minikvtest"
)

// clusterClient is go-redis's client of a cluster.
func clusterClient(t *testing.T, kc *minikvtest.Cluster) *redis.ClusterClient {
	t.Helper()
	client := redis.NewClusterClient(kc.Options())
	t.Cleanup(func() { client.Close() })
	return client
}

// TestClusterClientSpreadsKeys: go-redis finds the nodes by CLUSTER SLOTS and sends
// each key to its own.
func TestClusterClientSpreadsKeys(t *testing.T) {
	t.Parallel()
	kc := minikvtest.RunCluster(t, 3)
	client, ctx := clusterClient(t, kc), context.Background()
	for i := range 300 {
		if err := client.Set(ctx, fmt.Sprint("key:", i), i, time.Minute).Err(); err != nil {
			t.Fatal(err)
		}
	}
	total := int64(0)
	for node := 1; node <= 3; node++ {
		n := kc.Do(node, "DBSIZE").Int
		if n < 50 {
			t.Errorf("node %d has %d of 300 keys", node, n)
		}
		total += n
	}
	if total != 300 {
		t.Errorf("the nodes have %d keys together", total)
	}
	if v, err := client.Get(ctx, "key:7").Int(); v != 7 || err != nil {
		t.Errorf("GET key:7 answers %d, %v", v, err)
	}
}

// TestClusterSlotMoves: while a slot moves, key by key, a client that follows MOVED
// and ASK reads and writes all of them.
func TestClusterSlotMoves(t *testing.T) {
	t.Parallel()
	kc := minikvtest.RunCluster(t, 3)
	client, ctx := clusterClient(t, kc), context.Background()
	key := func(i int) string { return fmt.Sprintf("{b}%d", i) }
	set := func(when string) {
		t.Helper()
		for i := range 10 {
			if err := client.Incr(ctx, key(i)).Err(); err != nil {
				t.Fatalf("%s: INCR %s: %v", when, key(i), err)
			}
		}
	}
	set("at first")
	const slot = 3300 // of {b}
	from, to := kc.Do(1, "CLUSTER", "MYID").Str, kc.Do(2, "CLUSTER", "MYID").Str
	if got := kc.Do(2, "GET", key(0)).Str; got != "MOVED 3300 "+kc.Addrs()[0] {
		t.Fatalf("GET at another node answers %q", got)
	}
	kc.Do(2, "CLUSTER", "SETSLOT", slot, "IMPORTING", from)
	kc.Do(1, "CLUSTER", "SETSLOT", slot, "MIGRATING", to)
	set("as it begins")
	migrate := func(i int) {
		t.Helper()
		host, port, _ := net.SplitHostPort(kc.Addrs()[1])
		if got := kc.Do(1, "MIGRATE", host, port, key(i), 0, 5000).Str; got != "OK" {
			t.Fatalf("MIGRATE answers %q", got)
		}
	}
	for i := range 5 {
		migrate(i)
	}
	if got := kc.Do(1, "GET", key(0)).Str; got != "ASK 3300 "+kc.Addrs()[1] {
		t.Errorf("GET of a key that has moved answers %q", got)
	}
	if got := kc.Do(1, "MGET", key(0), key(9)).Str; !strings.HasPrefix(got, "TRYAGAIN") {
		t.Errorf("MGET of keys at both ends answers %q", got)
	}
	set("half way")
	for i := 5; i < 10; i++ {
		migrate(i)
	}
	kc.Do(2, "CLUSTER", "SETSLOT", slot, "NODE", to)
	kc.Do(1, "CLUSTER", "SETSLOT", slot, "NODE", to)
	set("at the end")
	for i := range 10 {
		if got := kc.Do(2, "GET", key(i)).Str; got != "4" {
			t.Errorf("%s is %s after four INCR", key(i), got)
		}
	}
	for node := 1; node <= 3; node++ { // the third was told by nobody but the new owner
		if got := kc.Do(node, "CLUSTER", "NODES").Str; !strings.Contains(got, to+" "+kc.Addrs()[1]) || !strings.Contains(got, " 3300 ") {
			t.Errorf("node %d knows\n%s", node, got)
		}
	}
}

// TestClusterNodeStops: a node that is stopped is missed, and is there again when it
// is started.
func TestClusterNodeStops(t *testing.T) {
	t.Parallel()
	kc := minikvtest.RunCluster(t, 3)
	kc.Do(1, "SET", "b", "1")
	kc.Stop(1)
	for _, c := range []struct{ want, command, key string }{
		{"CLUSTERDOWN The cluster is down", "GET", "b"},
		{"CLUSTERDOWN The cluster is down", "GET", "a"},
	} {
		if got := kc.Do(3, c.command, c.key).Str; got != c.want {
			t.Errorf("%s %s without node 1 answers %q", c.command, c.key, got)
		}
	}
	if got := kc.Do(2, "CLUSTER", "NODES").Str; !strings.Contains(got, "master,fail") {
		t.Errorf("node 2 knows\n%s", got)
	}
	if _, err := kc.Dial(context.Background(), "tcp", kc.Addrs()[0]); err == nil {
		t.Error("a stopped node accepts a connection")
	}
	kc.Do(3, "CONFIG", "SET", "cluster-require-full-coverage", "no")
	if got := kc.Do(3, "GET", "a"); !got.Nil {
		t.Errorf("without full coverage GET a answers %v", got)
	}
	kc.Start(1)
	if got := kc.Do(3, "GET", "b").Str; got != "MOVED 3300 "+kc.Addrs()[0] {
		t.Errorf("with node 1 again GET b answers %q", got)
	}
	if got := kc.Do(1, "GET", "b").Str; got != "1" {
		t.Errorf("node 1 has %q", got)
	}
}

// TestStoppedNodeLearns: a slot that was given away while its owner was stopped is
// not the owner's any more when it comes back.
func TestStoppedNodeLearns(t *testing.T) {
	t.Parallel()
	kc := minikvtest.RunCluster(t, 3)
	kc.Do(1, "SET", "b", "old")
	from, to := kc.Do(1, "CLUSTER", "MYID").Str, kc.Do(2, "CLUSTER", "MYID").Str
	kc.Stop(1)
	kc.Do(2, "CLUSTER", "SETSLOT", "3300", "IMPORTING", from)
	kc.Do(2, "CLUSTER", "SETSLOT", "3300", "NODE", to)
	kc.Start(1)
	if got := kc.Do(1, "GET", "b").Str; got != "MOVED 3300 "+kc.Addrs()[1] {
		t.Errorf("the old owner answers %q", got)
	}
	if got := kc.Do(1, "CLUSTER", "COUNTKEYSINSLOT", "3300").Int; got != 0 {
		t.Errorf("the old owner has %d keys left", got)
	}
}

// TestClusterNodeShutsDown: a node that ends by SHUTDOWN is missed like one that is
// stopped, but does not come back.
func TestClusterNodeShutsDown(t *testing.T) {
	t.Parallel()
	kc := minikvtest.RunCluster(t, 3)
	if _, err := kc.Cluster.Nodes()[1].Do("SHUTDOWN", "NOSAVE"); err == nil {
		t.Error("SHUTDOWN is answered")
	}
	for !strings.Contains(kc.Do(1, "CLUSTER", "INFO").Str, "cluster_state:fail") {
		runtime.Gosched()
	}
	if got := kc.Do(1, "MINIKV.NODE", "LIST").Elems[1].Elems[3].Str; got != "down" {
		t.Errorf("MINIKV.NODE LIST calls it %s", got)
	}
	if got := kc.Do(1, "MINIKV.NODE", "STOP", 2).Str; got != "OK" {
		t.Errorf("MINIKV.NODE STOP answers %q", got)
	}
	if got := kc.Do(1, "MINIKV.NODE", "START", 2).Str; !strings.HasPrefix(got, "ERR the node has ended by SHUTDOWN") {
		t.Errorf("MINIKV.NODE START answers %q", got)
	}
	if got := kc.Do(1, "MINIKV.NODE", "START", 4).Str; got != "ERR there is no such node" {
		t.Errorf("MINIKV.NODE START of a node that is not there answers %q", got)
	}
}

// TestClusterWaiters: a client that waits for a key is sent after its slot; so are
// the listeners of shard channels.
func TestClusterWaiters(t *testing.T) {
	t.Parallel()
	kc := minikvtest.RunCluster(t, 3)
	ctx := context.Background()
	node := redis.NewClient(&redis.Options{Addr: kc.Addrs()[0], Dialer: kc.Dial, DisableIdentity: true, MaintNotificationsConfig: kc.Options().MaintNotificationsConfig})
	defer node.Close()
	popped := make(chan error, 1)
	go func() { popped <- node.BLPop(ctx, 0, "{b}list").Err() }()
	shard := node.SSubscribe(ctx, "{b}news")
	defer shard.Close()
	if _, err := shard.Receive(ctx); err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(kc.Do(1, "INFO", "clients").Str, "blocked_clients:1\r\n") {
		runtime.Gosched()
	}
	from, to := kc.Do(1, "CLUSTER", "MYID").Str, kc.Do(2, "CLUSTER", "MYID").Str
	kc.Do(2, "CLUSTER", "SETSLOT", "3300", "IMPORTING", from)
	kc.Do(2, "CLUSTER", "SETSLOT", "3300", "NODE", to)
	if err := <-popped; err == nil || err.Error() != "MOVED 3300 "+kc.Addrs()[1] {
		t.Errorf("BLPOP of a key whose slot has moved answers %v", err)
	}
	if msg, err := shard.Receive(ctx); err != nil || fmt.Sprint(msg) != "sunsubscribe: {b}news" {
		t.Errorf("the listener hears %v, %v", msg, err)
	}
}

// TestClusterPublish: a message reaches listeners at every node.
func TestClusterPublish(t *testing.T) {
	t.Parallel()
	kc := minikvtest.RunCluster(t, 3)
	client, ctx := clusterClient(t, kc), context.Background()
	sub := client.Subscribe(ctx, "news")
	defer sub.Close()
	if _, err := sub.Receive(ctx); err != nil {
		t.Fatal(err)
	}
	for node := 1; node <= 3; node++ {
		kc.Do(node, "PUBLISH", "news", node)
		msg, err := sub.ReceiveMessage(ctx)
		if err != nil || msg.Payload != fmt.Sprint(node) {
			t.Errorf("of node %d came %v, %v", node, msg, err)
		}
	}
}

// TestClusterInABubble: with synctest a cluster needs no network and no time.
func TestClusterInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kc := minikvtest.RunCluster(t, 3)
		client := redis.NewClusterClient(kc.Options())
		defer client.Close()
		ctx := context.Background()
		if ok, err := client.SetNX(ctx, "lock", "me", 30*time.Second).Result(); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if ok, _ := client.SetNX(ctx, "lock", "you", 30*time.Second).Result(); ok {
			t.Error("a lock was taken twice")
		}
		time.Sleep(31 * time.Second)
		if ok, err := client.SetNX(ctx, "lock", "you", 30*time.Second).Result(); !ok || err != nil {
			t.Error("the lock has not run out", err)
		}
	})
}

// TestClusterAdvance: the time of all nodes moves, by Advance and by MINIKV.CLOCK.
func TestClusterAdvance(t *testing.T) {
	t.Parallel()
	kc := minikvtest.RunCluster(t, 3, minikvtest.VirtualClock)
	client, ctx := clusterClient(t, kc), context.Background()
	for _, advance := range []func(){
		func() { kc.Advance(30 * time.Second) },
		func() { kc.Do(2, "MINIKV.CLOCK", "ADVANCE", 30_000) },
	} {
		for _, key := range []string{"a", "b", "c"} {
			client.Set(ctx, key, "v", 30*time.Second)
		}
		advance()
		for _, key := range []string{"a", "b", "c"} {
			if _, err := client.Get(ctx, key).Result(); err != redis.Nil {
				t.Errorf("GET %s after its time: %v", key, err)
			}
		}
	}
}

package compat_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"minikv/resp"
	"minikv/server"
)

// clusterLines is a conversation with the two nodes of a cluster, in which a slot
// moves from one to the other. Each line names a client, which begins with the
// number of its node, and a command; A and B are the nodes' ids. A line that ends
// in & is answered later, by a line with the client alone. Slot 3300 is that of b.
const clusterLines = `
1 GET a
1 SET b 1
2 SET b 1
2 MGET a b
1 CLUSTER SETSLOT 3300 MIGRATING B
1 CLUSTER SETSLOT 3300 MIGRATING A
1 GET {b}2
1 MGET b {b}2
1 CLUSTER SETSLOT 3300 MIGRATING B
2 CLUSTER SETSLOT 3300 IMPORTING A
1 CLUSTER SETSLOT 3300 IMPORTING B
2 CLUSTER SETSLOT 3300 MIGRATING A
1 GET b
1 GET {b}2
1 SET {b}2 1
1 MGET b {b}2
1 MGET {b}2 {b}3
1 MGET {b}2 {b}2
1 MGET b b
1 EXISTS b {b}2
1 EVAL "return redis.call('GET', 'b')" 1 b
1 EVAL "return redis.pcall('GET', '{b}2')" 1 b
1 EVAL "return redis.pcall('MGET', 'b', '{b}2')" 1 b
1 EVAL "return 1" 1 {b}2
1 EVAL "return 1" 2 b {b}2
1 MULTI
1 GET b
1 GET {b}2
1 EXEC
1 MULTI
1 GET b
1 GET b
1 EXEC
1 MULTI
1 GET b
1 SPUBLISH b m
1 EXEC
1 SPUBLISH {b}2 m
1 SSUBSCRIBE {b}2
1 SUNSUBSCRIBE {b}2
1 WATCH {b}2
1 WATCH b
1 UNWATCH
2 GET b
2 ASKING
2 GET b
2 GET b
2 ASKING
2 SET {b}2 2
2 ASKING
2 PING
2 GET {b}2
2 ASKING
2 MGET b {b}2
2 ASKING
2 MGET {b}2 {b}2
2 ASKING
2 GET a
2 ASKING
2 GET c
2 ASKING
2 MULTI
2 GET {b}2
2 SET {b}3 3
2 EXEC
2 GET {b}2
2 MULTI
2 ASKING
2 GET {b}2
2 EXEC
2 ASKING
2 EVAL "return redis.call('GET', KEYS[1])" 1 {b}2
2 ASKING
2 EVAL "return redis.pcall('GET', '{b}9')" 1 {b}2
2 ASKING
2 EVAL "return redis.pcall('MGET', '{b}8', '{b}9')" 1 {b}2
2 ASKING
2 ASKING
2 GET {b}2
2 RESTORE-ASKING {b}4 0 x
2 ASKING
2 RESET
2 GET {b}2
2 CLUSTER COUNTKEYSINSLOT 3300
1 CLUSTER COUNTKEYSINSLOT 3300
1 CLUSTER SETSLOT 3300 NODE B
1wait BLPOP {b}2 0
1 DEL b
1 GET b
1wait BLPOP {b}list 0
1 CLUSTER SETSLOT 3300 STABLE
1wait BLPOP {b}list 0 &
1shard SSUBSCRIBE {b}news
1multi MULTI
1multi SET b 1
1multi GET b
2 CLUSTER SETSLOT 3300 NODE B
1 CLUSTER SETSLOT 3300 NODE B
1wait
1shard
1multi EXEC
1multi GET b
1 GET b
1 GET {b}2
2 GET {b}2
2 GET b
1 CLUSTER COUNTKEYSINSLOT 3300
2 CLUSTER COUNTKEYSINSLOT 3300
2 CLUSTER SETSLOT 3300 IMPORTING A
2 CLUSTER SETSLOT 3300 STABLE
1 CLUSTER SLOTS
2 CLUSTER SLOTS
2 CLUSTER GETKEYSINSLOT 3300 10
1 CLUSTER ADDSLOTS 3300
1 CLUSTER DELSLOTS 3300
1 GET b
2 SET c 1
1 EVAL "return 1" 2 a b
1 CLUSTER KEYSLOT {b}9
1 CLUSTER REPLICAS B
1 CLUSTER COUNT-FAILURE-REPORTS B
1 CLUSTER SET-CONFIG-EPOCH 9
2 READONLY
2 GET b
2 READWRITE
2 FLUSHALL
2 CLUSTER FLUSHSLOTS
2 GET {b}2
`

// clusterSide is one of the two clusters.
type clusterSide struct {
	t       *testing.T
	addrs   []string
	names   *strings.Replacer // of what differs by nature
	ids     []string
	clients map[string]*clusterConn
}

type clusterConn struct {
	net.Conn
	in *resp.Reader
}

func newClusterSide(t *testing.T, addrs []string) *clusterSide {
	s := &clusterSide{t: t, addrs: addrs, clients: map[string]*clusterConn{}}
	var pairs []string
	for i, addr := range addrs {
		s.say(fmt.Sprint(i+1), "CLUSTER", "MYID")
		s.ids = append(s.ids, s.hear(fmt.Sprint(i+1)).Str)
		_, port, _ := net.SplitHostPort(addr)
		name := string(rune('A' + i))
		pairs = append(pairs, s.ids[i], name, addr, "address of "+name, "(integer) "+port, "(integer) port of "+name)
	}
	s.names = strings.NewReplacer(pairs...)
	return s
}

func (s *clusterSide) say(client string, words ...string) {
	s.t.Helper()
	c := s.clients[client]
	if c == nil {
		conn, err := net.Dial("tcp", s.addrs[client[0]-'1'])
		if err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(func() { conn.Close() })
		c = &clusterConn{conn, resp.NewReader(bufio.NewReader(conn))}
		s.clients[client] = c
	}
	for i, w := range words {
		if len(w) == 1 && w >= "A" && w <= "B" {
			words[i] = s.ids[w[0]-'A']
		}
	}
	c.Write(resp.AppendCommandStrings(nil, words...))
}

func (s *clusterSide) hear(client string) resp.Value {
	s.t.Helper()
	c := s.clients[client]
	c.SetReadDeadline(time.Now().Add(20 * time.Second))
	v, err := c.in.Read()
	if err != nil {
		s.t.Fatalf("client %s: %v", client, err)
	}
	return v
}

// startRedisCluster starts two redis-servers that are a cluster, and answers their
// addresses.
func startRedisCluster(t *testing.T) []string {
	addrs, clients, ports, buses := make([]string, 2), make([]asker, 2), make([]string, 2), make([]string, 2)
	for i := range addrs {
		ports[i], buses[i] = freePort(t), freePort(t)
		socket := startRedis(t, "--port", ports[i], "--cluster-port", buses[i], "--bind", "127.0.0.1", "--cluster-enabled", "yes")
		clients[i] = askOver(t, dialWhenReady(t, socket))
		addrs[i] = "127.0.0.1:" + ports[i]
		clients[i]("CLUSTER", "ADDSLOTSRANGE", fmt.Sprint(8192*i), fmt.Sprint(8192*i+8191))
		clients[i]("CLUSTER", "SET-CONFIG-EPOCH", fmt.Sprint(i+1))
	}
	if v := clients[0]("CLUSTER", "MEET", "127.0.0.1", ports[1], buses[1]); v.IsError() {
		t.Fatal(v)
	}
	waitUntil(t, func() bool {
		for _, ask := range clients {
			info := ask("CLUSTER", "INFO").Str
			if !strings.Contains(info, "cluster_state:ok") || !strings.Contains(info, "cluster_size:2") {
				return false
			}
		}
		return true
	})
	return addrs
}

// waitUntil waits for what another process is to do, within reason.
func waitUntil(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(40 * time.Second); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited in vain")
		}
	}
}

// startCluster starts a cluster of minikv.
func startCluster(t *testing.T, n int) *server.Cluster {
	t.Helper()
	opt := server.Options{Config: testConfig()}
	listening(&opt)
	c, err := server.NewCluster(n, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Listen(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestClusterAsRedis holds a conversation with both clusters and compares the
// replies.
func TestClusterAsRedis(t *testing.T) {
	t.Parallel()
	requireRedis(t)
	ours := newClusterSide(t, startCluster(t, 2).Addresses())
	theirs := newClusterSide(t, startRedisCluster(t))
	for _, line := range strings.Split(strings.TrimSpace(clusterLines), "\n") {
		client, command, speaks := strings.Cut(line, " ")
		command, later := strings.CutSuffix(command, " &")
		if speaks {
			ours.say(client, splitLine(command)...)
			theirs.say(client, splitLine(command)...)
		}
		if later {
			continue
		}
		got, want := ours.names.Replace(ours.hear(client).String()), theirs.names.Replace(theirs.hear(client).String())
		if got != want {
			t.Errorf("%s\nminikv %s\nredis  %s", line, got, want)
		}
	}
}

// splitLine cuts a command into words, of which some are quoted.
func splitLine(line string) (words []string) {
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}

// TestClusterClientWhileASlotMoves: over TCP, with MIGRATE, go-redis's client sees
// nothing of a slot that moves, nor of a node that was away.
func TestClusterClientWhileASlotMoves(t *testing.T) {
	t.Parallel()
	cluster := startCluster(t, 3)
	addrs, ctx := cluster.Addresses(), context.Background()
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: addrs[:1]})
	defer client.Close()
	node := make([]*redis.Client, 3)
	for i := range node {
		node[i] = redis.NewClient(&redis.Options{Addr: addrs[i]})
		defer node[i].Close()
	}
	do := func(i int, args ...any) any {
		t.Helper()
		v, err := node[i].Do(ctx, args...).Result()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return v
	}
	const keys = 100
	incr := func() {
		t.Helper()
		for i := range keys {
			if err := client.Incr(ctx, fmt.Sprintf("{b}%d", i)).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	incr()
	from, to := do(0, "CLUSTER", "MYID"), do(1, "CLUSTER", "MYID")
	_, port, _ := net.SplitHostPort(addrs[1])
	do(1, "CLUSTER", "SETSLOT", 3300, "IMPORTING", from)
	do(0, "CLUSTER", "SETSLOT", 3300, "MIGRATING", to)
	for do(0, "CLUSTER", "COUNTKEYSINSLOT", 3300) != int64(0) {
		some := do(0, "CLUSTER", "GETKEYSINSLOT", 3300, 30).([]any)
		do(0, append([]any{"MIGRATE", "127.0.0.1", port, "", 0, 5000, "KEYS"}, some...)...)
		incr()
	}
	do(1, "CLUSTER", "SETSLOT", 3300, "NODE", to)
	do(0, "CLUSTER", "SETSLOT", 3300, "NODE", to)
	incr()
	for i := range keys {
		if v, err := client.Get(ctx, fmt.Sprintf("{b}%d", i)).Int(); err != nil || v != 6 {
			t.Fatalf("{b}%d is %d, %v", i, v, err)
		}
	}
	do(0, "MINIKV.NODE", "STOP", 2)
	if err := client.Get(ctx, "{b}1").Err(); err == nil {
		t.Error("a key of a stopped node was read")
	}
	do(0, "MINIKV.NODE", "START", 2)
	if v, err := client.Get(ctx, "{b}1").Int(); err != nil || v != 6 {
		t.Errorf("after the node's return {b}1 is %d, %v", v, err)
	}
}

package engine

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"minikv/engine/config"
)

// evicting is a node with a limit under a policy.
func evicting(t *testing.T, policy string, room int64) (*node, *Client) {
	t.Helper()
	n := newNode(t, Options{Seed: 7})
	n.e.opt.Verify = nil // it walks over all keys
	cl := n.client()
	n.want(cl, "CONFIG SET maxmemory-policy "+policy, "+OK")
	n.want(cl, fmt.Sprintf("CONFIG SET maxmemory %d", idleMemory+room), "+OK")
	return n, cl
}

func (n *node) keys(prefix string) (count int) {
	for en := range n.e.dbs[0].keys.All() {
		if strings.HasPrefix(en.Key, prefix) {
			count++
		}
	}
	return count
}

// TestPoliciesKeepTheRightKeys: volatile policies never touch persistent keys,
// the others any; LRU and LFU keep what is used.
func TestPoliciesKeepTheRightKeys(t *testing.T) {
	t.Parallel()
	const hot = 100
	value := strings.Repeat("v", 100)
	for _, policy := range []string{"allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl"} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			n, cl := evicting(t, policy, 400<<10)
			volatile := strings.HasPrefix(policy, "volatile")
			for i := range hot {
				n.want(cl, fmt.Sprintf("SET persistent:%d %s", i, value), "+OK")
				n.want(cl, fmt.Sprintf("SET hot:%d %s EX 100000", i, value), "+OK")
			}
			for i := range 5000 {
				n.now += 1_000_000
				n.want(cl, fmt.Sprintf("SET cold:%d %s EX %d", i, value, 90000-i), "+OK")
				for j := range 4 {
					n.send(cl, fmt.Sprintf("GET hot:%d", (i*4+j)%hot))
				}
			}
			if n.e.stats.evicted == 0 || n.e.overMemory() {
				t.Errorf("%d keys were evicted, %d bytes are used of %d", n.e.stats.evicted, idleMemory+n.e.dataMemory(), n.e.conf.MaxMemory)
			}
			if kept := n.keys("persistent:"); volatile && kept != hot {
				t.Errorf("%d of %d persistent keys are left", kept, hot)
			} else if !volatile && kept == hot {
				t.Errorf("all %d persistent keys are left, which nobody uses", hot)
			}
			if kept := n.keys("hot:"); !strings.HasSuffix(policy, "random") && kept < hot*9/10 {
				t.Errorf("%d of %d keys in use are left", kept, hot)
			}
			if err := n.e.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestEvictionAnnouncesItself: as DEL, as an event, to those who cache the key.
func TestEvictionAnnouncesItself(t *testing.T) {
	t.Parallel()
	var effects []string
	n := newNode(t, Options{Effects: func(f Effect) {
		if string(f.Argv[0]) == "DEL" {
			effects = append(effects, string(f.Argv[1]))
		}
	}})
	cl, reader, listener := n.client(), n.client(), n.client()
	n.send(reader, "HELLO 3")
	n.send(cl, "SET k v")
	n.want(reader, "CLIENT TRACKING on", "+OK")
	n.want(reader, "GET k", "$1 v")
	n.send(cl, "CONFIG SET notify-keyspace-events Ee")
	n.send(listener, "SUBSCRIBE __keyevent@0__:evicted")
	n.send(cl, "CONFIG SET maxmemory-policy allkeys-lru")
	n.send(cl, "CONFIG SET maxmemory 1")
	n.wantRead(listener, "*3 $7 message $22 __keyevent@0__:evicted $1 k")
	n.wantRead(reader, ">2 $10 invalidate *1 $1 k")
	if len(effects) != 1 || effects[0] != "k" {
		t.Errorf("the effects are DEL of %q", effects)
	}
	n.want(cl, "SET k v", "-OOM command not allowed when used memory > 'maxmemory'.")
	n.want(cl, "GET k", "$-1")
}

// TestEvictionIsBounded: one command evicts a part, Tick the rest.
func TestEvictionIsBounded(t *testing.T) {
	t.Parallel()
	n, cl := evicting(t, "allkeys-random", 16<<20)
	for i := range 3000 {
		n.send(cl, fmt.Sprintf("SET key:%d value", i))
	}
	n.send(cl, "CONFIG SET maxmemory 1")
	if left := n.e.dbs[0].keys.Len(); left != 3000-n.e.evictionBudget() {
		t.Errorf("after CONFIG SET %d keys of 3000 are left", left)
	}
	if next := n.e.Tick(n.now); next != n.now {
		t.Errorf("with keys to evict Tick wants to come back at %d", next-n.now)
	}
	n.sleep(1)
	if left := n.e.dbs[0].keys.Len(); left != 0 || n.e.eviction.running {
		t.Errorf("in the end %d keys are left", left)
	}
}

// TestScriptsWithoutMemory: whether a script may write is judged when it begins.
func TestScriptsWithoutMemory(t *testing.T) {
	t.Parallel()
	n, cl := evicting(t, "volatile-lru", 16<<20)
	n.send(cl, "SET persistent v")
	n.send(cl, "CONFIG SET maxmemory 1")
	oom := "-OOM command not allowed when used memory > 'maxmemory'."
	n.want(cl, "SETRANGE k 0 v", oom)
	n.want(cl, "MULTI", "+OK")
	n.want(cl, "GET persistent", oom)
	n.want(cl, "EXEC", "-EXECABORT Transaction discarded because of previous errors.")
	if got := n.send(cl, "EVAL return(redis.call('set','k','v')) 0"); !strings.HasPrefix(got, "-OOM") {
		t.Errorf("EVAL answered %q", got)
	}
	n.want(cl, "EVAL redis.call('del','persistent')return(redis.call('set','k','v')) 0", "+OK")
}

// TestEntryIsHalfACacheLine: the header of a key is what most keys cost most by.
func TestEntryIsHalfACacheLine(t *testing.T) {
	t.Parallel()
	if object, entry := unsafe.Sizeof(Object{}), unsafe.Sizeof(Entry{}); object != 32 || entry != 64 {
		t.Errorf("an object takes %d bytes, a key with it %d", object, entry)
	}
}

// TestUsedMemoryFollowsTheHeap compares what is counted with what the heap holds.
// It does not run beside others, which use the same heap.
func TestUsedMemoryFollowsTheHeap(t *testing.T) {
	const keys = 20000
	text := strings.Repeat("v", 100)
	for _, test := range []struct{ name, command string }{
		{"strings", "SET key:%[1]d " + text},
		{"numbers", "SET key:%[1]d 12345"},
		{"strings with a TTL", "SET key:%[1]d " + text + " EX 1000"},
		{"small hashes", "HSET key:%[1]d name somebody age 41 city somewhere score 3.25"},
		{"a large hash", "HSET key field:%[1]d value:%[1]d"},
		{"small sets of numbers", "SADD key:%[1]d 1 2 3 100000"},
		{"small sets of words", "SADD key:%[1]d alpha beta gamma"},
		{"a large set", "SADD key member:%[1]d"},
		{"small sorted sets", "ZADD key:%[1]d 1 alpha 2 beta 3.5 gamma"},
		{"a large sorted set", "ZADD key %[1]d member:%[1]d"},
		{"small lists", "RPUSH key:%[1]d alpha beta gamma"},
		{"a large list", "RPUSH key element:%[1]d"},
		{"a stream", "XADD key * field value:%[1]d"},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := newNode(t, Options{Config: config.New()})
			n.e.opt.Verify = nil
			cl := n.client()
			before, used := heapInUse(), n.e.usedMemory()
			for i := range keys {
				n.send(cl, fmt.Sprintf(test.command, i))
			}
			grown, counted := heapInUse()-before, n.e.usedMemory()-used
			if ratio := float64(counted) / float64(grown); ratio < 0.8 || ratio > 1.25 {
				t.Errorf("the heap grew by %d bytes, and %d are counted: %.2f", grown, counted, ratio)
			}
			n.send(cl, "FLUSHALL")
			if left := n.e.usedMemory() - used; left > 4<<10 {
				t.Errorf("%d bytes are counted when all is deleted", left)
			}
			runtime.KeepAlive(n)
		})
	}
}

func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

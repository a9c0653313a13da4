package server

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"minikv/engine"
	"minikv/resp"
)

// go test -race ./server -run TestSoak -soak 1m
var soakTime = flag.Duration("soak", 2*time.Second, "how long TestSoak lasts")

// soakScripts are run by EVAL: a lock taken and given back, a list moved, a key
// per call, and one that fails halfway.
var soakScripts = []string{
	"if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', 20) then return 1 end return 0",
	"if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0",
	"for i = 1, 20 do redis.call('RPUSH', KEYS[2], i) end return redis.call('LRANGE', KEYS[2], 0, -1)",
	"redis.call('SET', KEYS[1], ARGV[1], 'PX', 5) return redis.call('LPUSH', KEYS[1], 'x')",
	"local t = {} for i = 1, 300 do t[i] = cjson.encode({i, ARGV[1]}) end return #t",
}

// soakCommand is something that a client of the soak says; some are errors.
func soakCommand(r *rand.Rand) []string {
	n := func(most int) string { return fmt.Sprint(r.IntN(most)) }
	key := "key:" + n(3000)
	switch r.IntN(22) {
	case 0, 1:
		return []string{"SET", key, strings.Repeat("v", r.IntN(3000)), "PX", fmt.Sprint(1 + r.IntN(300))}
	case 2:
		return []string{"SET", key, strings.Repeat("v", r.IntN(20000))}
	case 3:
		return []string{"GET", key}
	case 4:
		return []string{"INCR", "count:" + n(50)}
	case 5:
		return []string{"HSET", "hash:" + n(100), n(500), n(1 << 30), "x", n(10)}
	case 6:
		return []string{"ZADD", "zset:" + n(100), n(1000), n(1000)}
	case 7:
		return []string{"ZPOPMIN", "zset:" + n(100)}
	case 8:
		return []string{"SADD", "set:" + n(100), n(2000), "member:" + n(100)}
	case 9:
		return []string{"XADD", "stream:" + n(20), "MAXLEN", "~", "200", "*", "f", n(1000)}
	case 10:
		return []string{"LPUSH", "list:" + n(20), n(1000)}
	case 11, 12:
		return []string{"BRPOP", "list:" + n(20), "list:" + n(20), fmt.Sprintf("0.0%d", 1+r.IntN(9))}
	case 13, 14:
		return []string{"PUBLISH", "channel:" + n(10), strings.Repeat("m", r.IntN(300))}
	case 15, 16:
		return []string{"EVAL", soakScripts[r.IntN(len(soakScripts))], "2", key, "list:" + n(20), n(100)}
	case 17:
		return []string{"EXPIRE", "hash:" + n(100), n(2)}
	case 18:
		return []string{"SCAN", n(1000), "COUNT", "50"}
	case 19:
		return []string{"DEL", key, "list:" + n(20)}
	case 20:
		return []string{"LRANGE", "list:" + n(20), "0", "-1"}
	}
	return []string{"OBJECT", "ENCODING", key}
}

// soak is one client: it talks until the end, and comes again when it is cut.
func (s *Server) soak(transport string, r *rand.Rand, over *atomic.Bool, said *atomic.Int64) error {
	for !over.Load() {
		conn, err := s.dial(transport)
		if err != nil {
			return err
		}
		switch r.IntN(12) {
		case 0:
			s.listen(conn, r, over)
		case 1: // asks for much, and never reads
			for range 1 + r.IntN(300) {
				conn.SetDeadline(time.Now().Add(200 * time.Millisecond))
				if _, err := conn.Write(resp.AppendCommandStrings(nil, "EVAL", "return string.rep('x', 200000)", "0")); err != nil {
					break
				}
			}
			for n := 0; n < 20 && !over.Load(); n++ {
				time.Sleep(100 * time.Millisecond)
			}
		default:
			s.talk(conn, r, over, said)
		}
		conn.Close()
	}
	return nil
}

// talk sends commands, alone, in pipelines and in transactions, and reads the
// replies.
func (s *Server) talk(conn net.Conn, r *rand.Rand, over *atomic.Bool, said *atomic.Int64) {
	in := resp.NewReader(conn)
	for n := r.IntN(2000); n > 0 && !over.Load(); n-- {
		conn.SetDeadline(time.Now().Add(patience))
		var b []byte
		lines := 1 + r.IntN(4)*r.IntN(5)
		for range lines {
			b = resp.AppendCommandStrings(b, soakCommand(r)...)
		}
		if r.IntN(8) == 0 {
			b = append(resp.AppendCommandStrings(nil, "MULTI"), b...)
			b = resp.AppendCommandStrings(b, "EXEC")
			lines += 2
		}
		if _, err := conn.Write(b); err != nil {
			return
		}
		for range lines {
			if _, err := in.Read(); err != nil {
				return
			}
		}
		said.Add(int64(lines))
	}
}

// listen subscribes and reads for a while.
func (s *Server) listen(conn net.Conn, r *rand.Rand, over *atomic.Bool) {
	in := resp.NewReader(conn)
	conn.SetDeadline(time.Now().Add(patience))
	conn.Write(resp.AppendCommandStrings(nil, "SUBSCRIBE", fmt.Sprint("channel:", r.IntN(10)), fmt.Sprint("channel:", r.IntN(10))))
	conn.Write(resp.AppendCommandStrings(nil, "PSUBSCRIBE", "channel:*"))
	for n := r.IntN(3000); n > 0 && !over.Load(); n-- {
		conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		if _, err := in.Read(); err != nil {
			return
		}
	}
}

// TestSoak lets 200 connections do everything at once in a server short of
// memory: types, expiry, eviction of keys and of clients, waiting, messages,
// scripts, transactions. The engine's invariants hold all the time, and when
// the server is closed no goroutine, descriptor or memory is left.
func TestSoak(t *testing.T) { // not parallel: it counts goroutines and descriptors
	const clients = 200
	for _, transport := range transports {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		goroutines, descriptors := runtime.NumGoroutine(), openDescriptors()
		t.Run(transport, func(t *testing.T) {
			s := newServer(t, transport, "maxmemory", "2mb", "maxmemory-policy", "allkeys-lru", "maxmemory-clients", "6mb", "notify-keyspace-events", "KEA")
			var over atomic.Bool
			var said atomic.Int64
			var all sync.WaitGroup
			for i := range clients {
				all.Go(func() {
					if err := s.soak(transport, rand.New(rand.NewPCG(7, uint64(i))), &over, &said); err != nil {
						t.Error(err)
					}
				})
			}
			for start := time.Now(); !t.Failed(); time.Sleep(50 * time.Millisecond) {
				s.check(t)
				missing := s.notYet(t, "evicted_keys", "expired_keys", "evicted_clients")
				if took := time.Since(start); took > *soakTime && len(missing) == 0 {
					break
				} else if took > *soakTime+patience {
					t.Errorf("there are no %q", missing)
				}
			}
			over.Store(true)
			all.Wait()
			s.await(t, func(e *engine.Engine) bool { return e.Clients() == 0 })
			s.check(t)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			t.Logf("%d replies", said.Load())
		})
		for start := time.Now(); runtime.NumGoroutine() > goroutines && time.Since(start) < patience; time.Sleep(time.Millisecond) {
		}
		runtime.GC()
		runtime.GC() // what a pool held goes with the second
		runtime.ReadMemStats(&after)
		t.Logf("%s: %d goroutines before and %d after, %d and %d descriptors, %d and %d kB of heap",
			transport, goroutines, runtime.NumGoroutine(), descriptors, openDescriptors(), before.HeapAlloc>>10, after.HeapAlloc>>10)
		if runtime.NumGoroutine() > goroutines || openDescriptors() > descriptors+2 || after.HeapAlloc > before.HeapAlloc+4<<20 {
			t.Error("something is left")
		}
	}
}

// notYet are those of the fields of INFO stats that are 0.
func (s *Server) notYet(t *testing.T, fields ...string) (zero []string) {
	t.Helper()
	v, err := s.Do("INFO", "stats")
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range fields {
		if strings.Contains(v.Str, field+":0\r\n") {
			zero = append(zero, field)
		}
	}
	return zero
}

// check asks the engine whether its invariants hold.
func (s *Server) check(t *testing.T) {
	t.Helper()
	if err := s.Run(func(e *engine.Engine, _ int64) {
		if err := e.Check(); err != nil {
			t.Error(err)
		}
	}); err != nil {
		t.Fatal(err)
	}
}

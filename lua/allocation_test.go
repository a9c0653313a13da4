package lua

import (
	"runtime"
	"testing"

	"minikv/resp"
)

// TestReleaseAllocates pins what the script that gives back a lock allocates
// besides its reply.
func TestReleaseAllocates(t *testing.T) {
	m, h := New("7.0.15"), &replyHost{}
	s, err := m.Compile([]byte(release))
	if err != nil {
		t.Fatal(err)
	}
	keys, args := [][]byte{[]byte("lock")}, [][]byte{token}
	var out resp.Writer
	run := func() {
		out.Reset()
		m.Run(s, h, keys, args, &out)
	}
	run()
	if n := testing.AllocsPerRun(1000, run); n > 2 {
		t.Errorf("%.1f allocations a run", n)
	}
}

// TestRunsLeaveNothing checks that scripts which make tables, strings, closures
// and coroutines leave no memory in use.
func TestRunsLeaveNothing(t *testing.T) {
	m, h := New("7.0.15"), newMemoryHost()
	const source = `local t={} for i=1,50 do t[i]={i,tostring(i),function() return t end} end
		local co=coroutine.wrap(function() coroutine.yield(t) end) co()
		redis.call('set','k',ARGV[1]) return #cjson.encode({#t,redis.call('get','k')})`
	run := func(n int) uint64 {
		for range n {
			if got := eval(t, m, h, 2, source, nil, []string{"some value"}); got != ":17\r\n" {
				t.Fatalf("got %q", got)
			}
		}
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	before := run(100)
	if after := run(3000); after > before+1<<20 {
		t.Errorf("%d bytes in use after 100 runs, %d after 3100", before, after)
	}
}

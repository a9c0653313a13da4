package engine_test

import (
	"strings"
	"testing"

	"minikv/engine"
)

// TestBitEffects: bitmaps, HyperLogLogs, places and SORT tell replicas and
// traces of changes, and of nothing else.
func TestBitEffects(t *testing.T) {
	t.Parallel()
	testEffects(t, []effectTest{
		{"", "SETBIT k 3 1", "SETBIT k 3 1"},
		{"SETBIT k 3 1", "SETBIT k 3 1", ""},
		{"SET k 1", "BITCOUNT k", ""},
		{"SET k 1", "BITOP NOT d k", "BITOP NOT d k"},
		{"SET d 1", "BITOP AND d nokey", "BITOP AND d nokey"},
		{"", "BITOP AND d nokey", ""},
		{"", "BITFIELD k SET u8 0 1", "BITFIELD k SET u8 0 1"},
		{"SET k 1", "BITFIELD k GET u8 0", ""},
		{"SET k 1", "BITFIELD k OVERFLOW FAIL SET u8 0 256", ""},
		{"", "PFADD h a", "PFADD h a"},
		{"PFADD h a", "PFADD h a", ""},
		{"PFADD h a", "PFCOUNT h", "PFCOUNT h"},
		{"PFADD h a", "PFCOUNT h nokey", ""},
		{"PFADD h a", "PFMERGE d h", "PFMERGE d h"},
		{"", "GEOADD g 1 1 a", "GEOADD g 1 1 a"},
		{"GEOADD g 1 1 a", "GEOADD g 1 1 a", ""},
		{"GEOADD g 1 1 a", "GEORADIUS g 1 1 1 km", ""},
		{"GEOADD g 1 1 a", "GEORADIUS g 1 1 1 km STORE d", "GEORADIUS g 1 1 1 km STORE d"},
		{"RPUSH l 2 1", "SORT l", ""},
		{"RPUSH l 2 1", "SORT l STORE d", "SORT l STORE d"},
	})
}

// TestSnapshotKeepsBits: what a snapshot holds stays, whatever is changed in
// place after it.
func TestSnapshotKeepsBits(t *testing.T) {
	t.Parallel()
	for _, change := range []string{
		"SETBIT k 0 1", "SETBIT k 1000 1", "SETBIT n 0 0", "BITFIELD k SET u8 0 255", "BITOP NOT k k", "BITFIELD k OVERFLOW FAIL SET u8 800 256",
		"PFADD h b", "PFCOUNT h", "PFMERGE h dense", "PFADD dense b", "PFDEBUG TODENSE h", "PFDEBUG GETREG h",
		"GEOADD g 2 2 a", "GEOSEARCHSTORE g g FROMLONLAT 9 9 BYRADIUS 1 m", "SORT g BY nosort", "SORT l STORE l",
	} {
		e := engine.New(engine.Options{})
		replies(e, "SET k abc", "SET n 12", "PFADD h a", "PFADD dense a", "PFDEBUG TODENSE dense", "GEOADD g 1 1 a", "RPUSH l 2 1")
		look := []string{"GET k", "OBJECT ENCODING n", "GET h", "GET dense", "ZRANGE g 0 -1 WITHSCORES", "OBJECT ENCODING g", "LRANGE l 0 -1"}
		before := replies(e, look...)
		s := e.Snapshot()
		replies(e, change)
		if after := replies(e, look...); after == before {
			t.Errorf("%s changes nothing", change)
		}
		e.Restore(s)
		s.Release()
		if got := replies(e, look...); got != before {
			t.Errorf("restored after %s: %q, was %q", change, got, before)
		}
	}
}

// TestSharedBits: a long reply that is still to be written does not change with
// the string.
func TestSharedBits(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100_000)
	for _, change := range []string{"SETBIT k 0 1", "BITFIELD k SET u8 0 255", "SETBIT k 900000 1"} {
		e := engine.New(engine.Options{})
		if got := replies(e, "SET k "+long, "GET k", change); !strings.Contains(got, long) {
			t.Errorf("%s changes what GET had answered", change)
		}
	}
}

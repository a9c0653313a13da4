package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"minikv/engine/config"
)

const invalidK = ">2 $10 invalidate *1 $1 k"

// tracker is a client in RESP3 that tracks.
func (n *node) tracker(options string) *Client {
	cl := n.client()
	n.send(cl, "HELLO 3")
	n.want(cl, "CLIENT TRACKING ON "+options, "+OK")
	return cl
}

// TestTrackingTableStaysBelowItsLimit: keys that are too many are forgotten,
// each with a message, a bounded number at a time.
func TestTrackingTableStaysBelowItsLimit(t *testing.T) {
	t.Parallel()
	conf := config.New()
	conf.TrackingTableMaxKeys = 10
	n := newNode(t, Options{Config: conf})
	cl := n.tracker("")
	var read strings.Builder
	for i := range 400 {
		fmt.Fprintf(&read, " k%d", i)
	}
	reply := n.send(cl, "MGET"+read.String())
	if got := strings.Count(reply, "invalidate"); got != forgetAtOnce {
		t.Errorf("%d keys were forgotten at once, want %d", got, forgetAtOnce)
	}
	total := forgetAtOnce
	for i := 2; n.e.tracking.readers.Len() > 10; i++ {
		got := strings.Count(n.send(cl, "PING"), "invalidate")
		if total += got; got != min(i*forgetAtOnce, 390-total+got) {
			t.Fatalf("%d more keys were forgotten", got)
		}
	}
	if total != 390 || n.e.tracking.readers.Len() != 10 {
		t.Errorf("%d keys were forgotten, %d remembered", total, n.e.tracking.readers.Len())
	}
	n.want(cl, "PING", "+PONG")
}

// TestOverlappingPrefixesAreFoundQuickly: the first that overlaps is named, also
// among very many.
func TestOverlappingPrefixesAreFoundQuickly(t *testing.T) {
	t.Parallel()
	many := make([]string, 200_000)
	for i := range many {
		many[i] = fmt.Sprintf("%06d", i)
	}
	if _, err := addPrefixes(nil, many); err != nil {
		t.Fatal(err)
	}
	_, err := addPrefixes(many, []string{"x", "y", "199999:", "1"})
	if want := errPrefixOverlap("199999:", "an existing prefix", "199999"); err != want {
		t.Errorf("%v, want %v", err, want)
	}
	_, err = addPrefixes([]string{"z"}, append(slices.Clone(many), "0000070"))
	if want := errPrefixOverlap("000007", "another provided prefix", "0000070"); err != want {
		t.Errorf("%v, want %v", err, want)
	}
}

// TestOverlapsAreThoseOfPairs: all pairs, looked at one by one, say the same.
func TestOverlapsAreThoseOfPairs(t *testing.T) {
	t.Parallel()
	words := []string{"", "a", "aa", "ab", "aba", "b", "ba", "c"}
	for mask := range 1 << len(words) {
		var some []string
		for i, word := range words {
			if mask>>i&1 == 1 {
				some = append(some, word)
			}
		}
		want := make(map[string]bool)
		for _, a := range some {
			for _, b := range some {
				if a != b && overlap(a, b) {
					want[a] = true
				}
			}
		}
		if got := overlapping(slices.Clone(some)); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("of %q overlap %v, want %v", some, got, want)
		}
	}
}

// TestScriptsReadsAreTracked: the declared keys, and from 7.2 on those that the
// script's commands name.
func TestScriptsReadsAreTracked(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ version, told string }{{"", ">2 $10 invalidate *1 $1 d"}, {"7.0", ">2 $10 invalidate *1 $1 d"}, {"7.2", invalidK}} {
		conf := config.New()
		conf.RedisVersion = test.version
		n := newNode(t, Options{Config: conf})
		cl, writer := n.tracker(""), n.client()
		n.want(cl, "EVAL return(redis.call('GET',ARGV[1])) 1 d k", "_")
		n.want(writer, "MSET k 1 d 1", "+OK")
		n.wantRead(cl, test.told)
	}
}

// TestSnapshotKeepsWhoTracksWhat: after Restore the same clients are told of the
// same changes.
func TestSnapshotKeepsWhoTracksWhat(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	reader, all, writer := n.tracker("OPTIN"), n.tracker("BCAST PREFIX k"), n.client()
	n.send(reader, "CLIENT CACHING YES")
	n.send(reader, "GET k")
	n.send(reader, "CLIENT CACHING YES")
	s := n.e.Snapshot()
	for range 2 {
		n.send(writer, "SET k 1")
		n.wantRead(reader, invalidK)
		n.wantRead(all, invalidK)
		n.send(writer, "SET k 2")
		n.wantRead(reader, "")
		n.wantRead(all, invalidK)
		n.send(reader, "GET k")
		n.send(writer, "SET k 2")
		n.wantRead(reader, invalidK) // CACHING YES was part of the snapshot
		n.send(all, "CLIENT TRACKING OFF")
		n.send(reader, "RESET")
		n.tracker("BCAST")
		n.e.Restore(s)
	}
	other := newNode(t, Options{})
	other.e.Restore(s)
	other.want(other.client(), "SET k 3", "+OK")
}

// TestTrackingOffCostsNothing: who does not track makes nobody remember.
func TestTrackingOffCostsNothing(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	cl := n.client()
	n.send(cl, "GET k")
	n.send(cl, "SET k v")
	n.send(cl, "FLUSHALL")
	if n.e.tracking.readers != nil {
		t.Error("a table was made though nobody tracks")
	}
}

// TestTrackedReadsDoNotAllocate: reading again what is remembered already.
func TestTrackedReadsDoNotAllocate(t *testing.T) {
	n := &node{t: t, now: testStart, e: New(Options{})}
	cl := n.tracker("")
	argv := argvOf("GET k")
	var chunks [][]byte
	allocs := testing.AllocsPerRun(100, func() {
		n.e.Do(cl, n.now, argv)
		chunks = cl.Output(chunks[:0])
		for _, chunk := range chunks {
			cl.Recycle(chunk)
		}
	})
	if allocs > 1 { // the list of the command's keys
		t.Errorf("%v allocations", allocs)
	}
}

// TestExpiredFieldsAreTold: a key whose field's time is over has changed.
func TestExpiredFieldsAreTold(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	cl, writer := n.tracker(""), n.client()
	n.send(writer, "HSET k f 1 g 2")
	n.send(writer, "HPEXPIRE k 50 FIELDS 1 f")
	n.send(cl, "HGETALL k")
	n.sleep(100)
	n.wantRead(cl, invalidK)
	n.want(cl, "HKEYS k", "*1 $1 g")
}

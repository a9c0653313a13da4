package engine

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"minikv/engine/config"
	"minikv/value"
)

// saved is the file of all that a node holds.
func (n *node) saved() []byte {
	n.t.Helper()
	var file bytes.Buffer
	s := n.e.Save(n.now, &file, SaveNow)
	n.finish(s, 1000)
	return file.Bytes()
}

// finish goes on with a saving to its end, some keys at a time.
func (n *node) finish(s *Saver, keys int) {
	n.t.Helper()
	for done, err := false, error(nil); !done; {
		if done, err = s.Step(keys); err != nil {
			n.t.Fatal(err)
		}
	}
	s.End(n.now, nil)
}

// contents is all that a node holds, as the payloads of its keys, in order.
func (n *node) contents() string {
	var lines []string
	for _, db := range n.e.dbs {
		for en := range db.keys.All() {
			lines = append(lines, fmt.Sprintf("%d %q %d %s", db.id, en.Key, en.Val.expireAt(), n.content(&en.Val)))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// content is a value's payload, or its elements in order where they have none.
func (n *node) content(o *Object) string {
	var parts []string
	switch o.kind() {
	case value.KindSet:
		for member := range o.set().All() {
			parts = append(parts, fmt.Sprintf("%q", member))
		}
	case value.KindHash:
		for field, text := range o.hash().All() {
			at, _ := o.hash().Deadline(field)
			parts = append(parts, fmt.Sprintf("%q=%q %d", field, text, at))
		}
	default:
		return fmt.Sprintf("%q", n.e.serials.AppendDump(nil, o.serial()))
	}
	slices.Sort(parts)
	return o.encoding() + " " + strings.Join(parts, " ")
}

// fill makes keys of every type in two databases.
func (n *node) fill(cl *Client) {
	for db := range 2 {
		n.want(cl, fmt.Sprintf("SELECT %d", db), "+OK")
		for i := range 10 {
			for _, command := range []string{
				"SET text:%d some-text", "SET number:%d 12345", "RPUSH list:%d a b c 4", "SADD ints:%d 1 2 3", "SADD set:%d a b c",
				"ZADD zset:%d 1 a 2.5 b inf c", "HSET hash:%d f v g w", "XADD stream:%d 1-1 f v", "XGROUP CREATE stream:%d group 0",
				"XREADGROUP GROUP group me STREAMS stream:%d >", "SET timed:%d v PX 100000", "PFADD hll:%d a b c",
			} {
				if reply := n.send(cl, fmt.Sprintf(command, i)); reply[0] == '-' {
					n.t.Fatalf("%s: %s", command, reply)
				}
			}
		}
	}
}

// TestASaverWritesWhatWasThere: whatever happens between its steps, the file
// holds what the node held when it began.
func TestASaverWritesWhatWasThere(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		n := newNode(t, Options{})
		cl := n.client()
		n.fill(cl)
		want := n.contents()
		var file bytes.Buffer
		s := n.e.Save(n.now, &file, SaveInBackground)
		for done, err := false, error(nil); !done; {
			if done, err = s.Step(1 + r.IntN(5)); err != nil {
				t.Fatal(err)
			}
			key, other := r.IntN(10), r.IntN(10)
			for _, command := range []string{
				"SELECT 0", "APPEND text:%d x", "INCR number:%d", "LPOP list:%d", "SADD ints:%d 77777777777", "SREM set:%d a", "ZINCRBY zset:%d 5 a",
				"HDEL hash:%d f", "XADD stream:%d * n 1", "XACK stream:%d group 1-1", "PERSIST timed:%d", "PFADD hll:%d z", "DEL text:%d", "EXPIRE set:%d 1",
				"SELECT 1", "RENAME hash:%d list:%d", "FLUSHDB", "SWAPDB 0 1",
			} {
				if r.IntN(3) == 0 && (command != "FLUSHDB" || r.IntN(20) == 0) {
					n.send(cl, fmt.Sprintf(strings.Replace(command, "list:%d", "list:"+fmt.Sprint(other), 1)+"%.0s", key, key))
				}
			}
			n.now += 20_000
			n.e.Tick(n.now)
		}
		s.End(n.now, nil)
		if n.e.snapshot.live != 0 {
			t.Fatal("the snapshot is still kept")
		}
		back := newNode(t, Options{})
		if err := back.e.Load(testStart, bytes.NewReader(file.Bytes()), LoadOptions{}); err != nil {
			t.Fatal(err)
		}
		if got := back.contents(); got != want {
			t.Fatalf("the file has\n%.3000s, not\n%.3000s", got, want)
		}
	}
}

// TestVersionOfTheFile: a file is as old as its values allow.
func TestVersionOfTheFile(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ commands, head string }{
		{"SET k v", "REDIS0010"},
		{"HSET h f v", "REDIS0010"},
		{"HSET h f v;HEXPIRE h 100 FIELDS 1 f", "REDIS0012"},
		{"ARSET a 5 v", "REDIS0012"},
	} {
		n := newNode(t, Options{})
		cl := n.client()
		for _, command := range strings.Split(tc.commands, ";") {
			if reply := n.send(cl, command); reply[0] == '-' {
				t.Fatal(reply)
			}
		}
		file := n.saved()
		if !bytes.HasPrefix(file, []byte(tc.head)) {
			t.Errorf("%s: %.9s", tc.commands, file)
		}
		want := n.contents()
		if err := n.e.Load(n.now, bytes.NewReader(file), LoadOptions{}); err != nil || n.contents() != want {
			t.Errorf("%s: %v", tc.commands, err)
		}
	}
}

// TestTornFiles: wherever a file ends too early, that is an error, it says where,
// and the node stays as it was.
func TestTornFiles(t *testing.T) {
	t.Parallel()
	from, to := newNode(t, Options{}), newNode(t, Options{})
	from.fill(from.client())
	file := from.saved()
	to.want(to.client(), "SET here v", "+OK")
	want := to.contents()
	for n := range len(file) {
		err := to.e.Load(to.now, bytes.NewReader(file[:n]), LoadOptions{})
		if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(err.Error(), "at byte ") {
			t.Fatalf("%d of %d bytes: %v", n, len(file), err)
		}
	}
	if got := to.contents(); got != want {
		t.Errorf("the node holds\n%s, not\n%s", got, want)
	}
}

// TestSpoiltFiles: a byte that is not as it was is found, at the latest by the
// checksum.
func TestSpoiltFiles(t *testing.T) {
	t.Parallel()
	from, to := newNode(t, Options{}), newNode(t, Options{})
	from.want(from.client(), "RPUSH list a b c", ":3")
	from.want(from.client(), "SET text some-text PX 100000", "+OK")
	file := from.saved()
	for i := range len(file) {
		for _, change := range []byte{1, 0x80, 0xff} {
			spoilt := bytes.Clone(file)
			spoilt[i] ^= change
			if err := to.e.Load(to.now, bytes.NewReader(spoilt), LoadOptions{}); err == nil {
				t.Fatalf("byte %d of %d is spoilt by %#x, and nobody says so", i, len(file), change)
			}
		}
	}
	to.want(to.client(), "DBSIZE", ":0")
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, file, reason string }{
		{"a database that is not there", "REDIS0010\xfe\x10\x00\x01k\x01v\xff", "at byte 16: the file has a database 16, of 16: see the directive databases"},
		{"a key that stands twice", "REDIS0010\x00\x01k\x01v\x00\x01k\x01w\xff", `at byte 19: key "k" of database 0 stands twice`},
		{"data of a module", "REDIS0010\xf7\x01", "at byte 10: bad data format: there is data of a module"},
		{"a later version", "REDIS0013\xff", `at byte 9: can't handle this RDB format version: "0013"`},
	} {
		n := newNode(t, Options{})
		if err := n.e.Load(n.now, strings.NewReader(tc.file), LoadOptions{}); err == nil || err.Error() != tc.reason {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

// TestLoadLeavesOutWhatIsOver: keys whose time has passed are counted, not kept.
func TestLoadLeavesOutWhatIsOver(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	cl := n.client()
	n.want(cl, "SET short v PX 10", "+OK")
	n.want(cl, "SET long v PX 1000000", "+OK")
	file := n.saved()
	n.now += 50_000
	if err := n.e.Load(n.now, bytes.NewReader(file), LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	n.want(cl, "DBSIZE", ":1")
	n.want(cl, "PTTL long", ":999950")
	if n.e.persist.loaded != 1 || n.e.persist.loadedLate != 1 {
		t.Errorf("%d keys were loaded and %d were not", n.e.persist.loaded, n.e.persist.loadedLate)
	}
}

// TestFilesTellOfUse: when, or how often, keys were used comes back.
func TestFilesTellOfUse(t *testing.T) {
	t.Parallel()
	for policy, command := range map[string]string{"allkeys-lru": "OBJECT IDLETIME k", "volatile-lfu": "OBJECT FREQ k"} {
		conf := config.New()
		if err := conf.Apply("maxmemory-policy", []string{policy}, ""); err != nil {
			t.Fatal(err)
		}
		n := newNode(t, Options{Config: conf})
		cl := n.client()
		n.want(cl, "SET k v", "+OK")
		n.now += 30_000_000
		want := n.send(cl, command)
		if err := n.e.Load(n.now, bytes.NewReader(n.saved()), LoadOptions{}); err != nil {
			t.Fatal(err)
		}
		n.want(cl, command, want)
	}
}

// TestLoadAwakens: who waits for a key that a file has gets it.
func TestLoadAwakens(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	cl := n.client()
	n.want(cl, "RPUSH l a b", ":2")
	file := n.saved()
	n.want(cl, "DEL l", ":1")
	n.want(cl, "BLPOP l 0", "")
	if err := n.e.Load(n.now, bytes.NewReader(file), LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := n.read(cl); got != "*2 $1 l $1 a" {
		t.Errorf("%q", got)
	}
}

// FuzzLoad: whatever stands in a file, the node is sound afterwards.
func FuzzLoad(f *testing.F) {
	n := newNode(f, Options{})
	n.fill(n.client())
	f.Add(n.saved())
	f.Add([]byte("REDIS0010\xfe\x03\xfb\x01\x01\xfc\x00\x00\x00\x00\x00\x00\x00\x7f\x00\x01k\x01v\xff\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("REDIS0012\xfa\x03ver\x017\xf5\x05#!lua\xf4\x01\x02\x03\xf8\x05\xf9\x07\x00\x01k\xc3\x02\x02\x01ab\xff\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n := newNode(t, Options{})
		if err := n.e.Load(n.now, bytes.NewReader(data), LoadOptions{}); err != nil {
			return
		}
		if err := n.e.Check(); err != nil {
			t.Fatal(err)
		}
		want := n.contents()
		if err := n.e.Load(n.now, bytes.NewReader(n.saved()), LoadOptions{}); err != nil {
			t.Fatal(err)
		}
		if got := n.contents(); got != want {
			t.Fatalf("it came back as\n%s, not\n%s", got, want)
		}
	})
}

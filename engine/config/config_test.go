package config

import (
	"slices"
	"strings"
	"testing"
)

func set(t *testing.T, c *Config, pairs ...string) []string {
	t.Helper()
	var list [][2]string
	for p := range slices.Chunk(pairs, 2) {
		list = append(list, [2]string{p[0], p[1]})
	}
	changed, err := c.Set(list, false)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

func TestSetReportsWhatChanged(t *testing.T) {
	t.Parallel()
	c := New()
	got := set(t, c, "timeout", "0", "lua-time-limit", "10", "busy-reply-threshold", "20", "MAXMEMORY", "1mb")
	if want := []string{"busy-reply-threshold", "maxmemory"}; !slices.Equal(got, want) {
		t.Errorf("changed %v, want %v", got, want)
	}
	if c.BusyReplyThreshold != 20 || c.MaxMemory != 1<<20 {
		t.Errorf("busy-reply-threshold %d, maxmemory %d", c.BusyReplyThreshold, c.MaxMemory)
	}
}

func TestSetIsAllOrNothing(t *testing.T) {
	t.Parallel()
	c := New()
	before := c.Get("*")
	if _, err := c.Set([][2]string{{"timeout", "9"}, {"masteruser", "me"}, {"notify-keyspace-events", "KEA"}, {"hz", "x"}}, false); err == nil {
		t.Fatal("no error")
	}
	if !slices.Equal(c.Get("*"), before) {
		t.Error("something changed")
	}
}

func TestProtectedDirectives(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		allow string
		local bool
		ok    bool
	}{{"no", true, false}, {"local", false, false}, {"local", true, true}, {"yes", false, true}} {
		c := New()
		if err := c.Apply("enable-protected-configs", []string{tc.allow}, ""); err != nil {
			t.Fatal(err)
		}
		_, err := c.Set([][2]string{{"dbfilename", "x.rdb"}}, tc.local)
		if (err == nil) != tc.ok || tc.ok != (c.DBFilename == "x.rdb") {
			t.Errorf("%s, local %v: %v", tc.allow, tc.local, err)
		}
	}
}

func TestCloneIsASnapshot(t *testing.T) {
	t.Parallel()
	c := New()
	set(t, c, "masteruser", "a", "bind", "1.1.1.1", "save", "1 1")
	snapshot := c.Clone()
	want := snapshot.Get("*")
	set(t, c, "masteruser", "b", "bind", "2.2.2.2 3.3.3.3", "save", "2 2 3 3", "hz", "77", "client-output-buffer-limit", "pubsub 1 1 1")
	if err := c.Apply("save", []string{"4", "4"}, ""); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(snapshot.Get("*"), want) {
		t.Error("the clone changed with the original")
	}
	if fresh := New(); fresh.Hz != 10 || fresh.Value("masteruser") != "" {
		t.Error("the defaults changed")
	}
}

func TestIneffectiveNamesWhatWasAskedForInVain(t *testing.T) {
	t.Parallel()
	c := New()
	applied, err := c.ParseFile("f", []byte("appendonly yes\ntimeout 5\nio-threads 1\nsave \"\"\nslave-priority 5\ndaemonize yes\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.Ineffective(applied), []string{"appendonly", "replica-priority", "daemonize"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestRedisVersionDecidesWhatIsKnown(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		version            string
		settable, listed   bool // set-max-listpack-entries, of 7.2
		overwrittenAllowed bool // the class o, of 8.2
	}{
		{"", true, false, true}, {"7.0", false, false, false}, {"7.0.15", false, false, false}, {"6", false, false, false},
		{"7.2.4", true, true, false}, {"8.0", true, true, false}, {"8.2.1", true, true, true}, {"8.10", true, true, true},
		{"10.0", true, true, true}, {"valkey-9.0", true, true, false},
	} {
		c := New()
		if err := c.Apply("redis-version", []string{tc.version}, ""); err != nil {
			t.Fatal(err)
		}
		_, err := c.Set([][2]string{{"set-max-listpack-entries", "5"}}, false)
		listed := slices.ContainsFunc(c.Get("*"), func(p Pair) bool { return p.Name == "set-max-listpack-entries" })
		_, errO := c.Set([][2]string{{"notify-keyspace-events", "Koc"}}, false)
		if (err == nil) != tc.settable || listed != tc.listed || (errO == nil) != tc.overwrittenAllowed {
			t.Errorf("%q: settable %v, listed %v, class o %v", tc.version, err, listed, errO)
		}
	}
}

func TestNotifyFlagsPrintTheNewerClasses(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"ocKg": "gocK", "KEAoc": "AKE", "co": "oc", "Ka": "aK", "KEAa": "AKE", "": ""} {
		flags, err := ParseNotify(in)
		if err != nil || flags.String() != want {
			t.Errorf("%q: %q, %v; want %q", in, flags, err, want)
		}
	}
}

func TestParseMemorySaturates(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int64{
		"9223372036854775807": maxInt64, "9223372036854775808": maxInt64, "18446744073709551616": maxInt64,
		"20000000000000gb": maxInt64, "8589934591gb": 8589934591 << 30, "12": 12,
	} {
		if got, ok := ParseMemory(in); !ok || got != want {
			t.Errorf("%s: %d %v, want %d", in, got, ok, want)
		}
	}
}

func TestTableRowsAreSound(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, n := range names {
		if n.text != lower(n.text) || strings.ContainsAny(n.text, "*?[] /\\") {
			t.Errorf("%q cannot be a name", n.text)
		}
		if seen[n.text] {
			t.Errorf("%s stands twice in the table", n.text)
		}
		seen[n.text] = true
	}
	for _, d := range Directives() {
		if strings.HasSuffix(d.NoEffect, ".") || strings.HasSuffix(d.Own, ".") {
			t.Errorf("%s: a reason is a phrase", d.Name)
		}
	}
}

func TestPoliciesAndPermissions(t *testing.T) {
	t.Parallel()
	c := New()
	set(t, c, "maxmemory-policy", "volatile-lfu")
	if p := c.MaxMemoryPolicy; !p.LFU() || p.LRU() || p.AllKeys() || p.String() != "volatile-lfu" {
		t.Errorf("%v", p)
	}
	set(t, c, "maxmemory-policy", "allkeys-random")
	if p := c.MaxMemoryPolicy; p.LFU() || p.LRU() || !p.AllKeys() {
		t.Errorf("%v", p)
	}
	if NoEviction.AllKeys() {
		t.Error("noeviction evicts")
	}
	if Never.Allows(true) || !Always.Allows(false) || LocalOnly.Allows(false) || !LocalOnly.Allows(true) {
		t.Error("permissions")
	}
}

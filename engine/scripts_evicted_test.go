package engine

import (
	"fmt"
	"strings"
	"testing"

	"minikv/lua"
)

// TestScriptsOfEvalAreEvicted: since Redis 7.4 the cache keeps 500 of the scripts
// that came by EVAL alone.
func TestScriptsOfEvalAreEvicted(t *testing.T) {
	t.Parallel()
	for version, evicted := range map[string]bool{"": false, "7.0": false, "7.2": false, "7.4": true, "8.0": true, "valkey-8.0": true} {
		n, cl := aclNode(t, version)
		source := func(i int) string { return fmt.Sprint("return--", i) } // a word
		kept := func(text string) bool {
			return n.send(cl, "SCRIPT EXISTS "+lua.SHA1([]byte(text))) == "*1 :1"
		}
		eval := func(from, to int) {
			for i := from; i < to; i++ {
				n.send(cl, "EVAL "+source(i)+" 0")
			}
		}
		n.send(cl, "SCRIPT LOAD "+source(0))
		eval(0, 502) // 0 is loaded
		n.send(cl, "SCRIPT LOAD "+source(2))
		n.send(cl, "EVALSHA "+lua.SHA1([]byte(source(3)))+" 0")
		eval(502, 505)
		snapshot := n.e.Snapshot()
		n.send(cl, "SCRIPT FLUSH")
		n.e.Restore(snapshot)
		for _, c := range []struct {
			number int
			kept   bool // if scripts are evicted
			why    string
		}{
			{0, true, "loaded first"}, {1, false, "the oldest"}, {2, true, "loaded later"}, {3, true, "run again"}, {4, false, "the oldest then"}, {5, false, "the oldest then"}, {6, true, "within 500"}, {504, true, "the last"},
		} {
			if got := kept(source(c.number)); got != (c.kept || !evicted) {
				t.Errorf("version %q: script %d, %s: kept %v", version, c.number, c.why, got)
			}
		}
		if got := strings.Contains(n.send(cl, "INFO stats"), "evicted_scripts:3 "); got != evicted {
			t.Errorf("version %q: INFO tells of evicted scripts: %v", version, got)
		}
	}
}

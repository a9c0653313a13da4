package engine

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// TestArrayIndicesBeyondSignedIntegers: an index may be larger than any signed
// 64-bit integer, and is answered as it is.
func TestArrayIndicesBeyondSignedIntegers(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	cl := n.client()
	const last = "18446744073709551614"
	n.want(cl, "ARSET a "+last+" v", ":1")
	n.want(cl, "ARLEN a", ":18446744073709551615")
	n.want(cl, "ARSCAN a 0 "+last, "*1 *2 :"+last+" $1 v")
	n.want(cl, "ARGREP a - + EXACT v", "*1 :"+last)
	n.want(cl, "ARLASTITEMS a 1", "*1 $1 v")
	n.want(cl, "ARSEEK a "+last, ":1")
	n.want(cl, "ARNEXT a", ":"+last)
	n.want(cl, "ARINSERT a w", ":"+last)
	n.want(cl, "ARNEXT a", "$-1")
	n.want(cl, "ARRING a 9223372036854775807 x", ":1")
	n.want(cl, "ARSCAN a 0 9", "*2 *2 :0 $1 w *2 :1 $1 x")
}

// TestArraysInSnapshots: an array goes on as it was, cursor and all.
func TestArraysInSnapshots(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	cl := n.client()
	n.want(cl, "ARRING a 3 p q r s", ":0")
	s := n.e.Snapshot()
	defer s.Release()
	n.want(cl, "ARDEL a 1", ":1")
	n.want(cl, "ARINSERT a x y z", ":3")
	n.e.Restore(s)
	n.want(cl, "ARLASTITEMS a 9", "*3 $1 q $1 r $1 s")
	n.want(cl, "ARRING a 3 t", ":1")
	n.want(cl, "ARLASTITEMS a 9", "*3 $1 r $1 s $1 t")
}

// TestArraysAreNewIn88: an older version does not know them.
func TestArraysAreNewIn88(t *testing.T) {
	t.Parallel()
	for _, cmd := range arrayCommands() {
		for ver, known := range map[string]bool{"8.8": true, "8.6": false, "7.0": false, "valkey-9.1": false} {
			if (tableFor(ver).Lookup(cmd.Name) != nil) != known {
				t.Errorf("%s in %s: not %v", cmd.Name, ver, known)
			}
		}
	}
}

// TestArgrepLimits: so many tests, and expressions of such a length, are refused.
func TestArgrepLimits(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	cl := n.client()
	n.want(cl, "ARSET a 0 v", ":1")
	tests := func(n int) string { return strings.Repeat(" EXACT v", n) }
	n.want(cl, "ARGREP a - +"+tests(maxArrayTests), "*1 :0")
	n.want(cl, "ARGREP a - +"+tests(maxArrayTests+1), "-ERR too many predicates, maximum is 250")
	n.want(cl, "ARGREP a - + RE "+strings.Repeat("v?", maxRegexp/2), "*1 :0")
	n.want(cl, "ARGREP a - + RE v"+strings.Repeat("v?", maxRegexp/2), "-ERR regular expression is too long, maximum is 2048 bytes")
	n.want(cl, "ARGREP a - + RE (v{30}){30}", "*0")
	n.want(cl, "ARGREP a - + RE (vwxyvwxyvwxy){999}", "-ERR invalid regular expression")
}

// TestArrayRangesAreBounded: no range is walked index by index.
func TestArrayRangesAreBounded(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	cl := n.client()
	const last = "18446744073709551614"
	n.want(cl, "ARMSET a 5 1 9223372036854775808 2", ":2")
	n.want(cl, "AROP a 0 "+last+" SUM", "$1 3")
	n.want(cl, "AROP a "+last+" 0 USED", ":2")
	n.want(cl, "ARSCAN a "+last+" 0 LIMIT 1", "*1 *2 :9223372036854775808 $1 2")
	n.want(cl, "ARDELRANGE a 6 "+last, ":1")
	n.want(cl, "ARLEN a", ":6")
}

// FuzzArgrepRegexp: whatever the expression, it is refused or searches as Go's
// does.
func FuzzArgrepRegexp(f *testing.F) {
	for _, seed := range []string{"^a.*b$", "(a|b){2,3}", "[[:alpha:]]+", `\1`, `\d\b`, "(?i)x", "a{1000}", "\xff", "((a{9}){9}){9}", `\pL`, `\Qa*\E`} {
		f.Add([]byte(seed), []byte("aab\nX1"), true)
	}
	f.Fuzz(func(t *testing.T, pattern, text []byte, noCase bool) {
		test, err := regexpTest(pattern, noCase)
		if err != nil {
			return
		}
		flags := "s"
		if noCase {
			flags = "si"
		}
		re, err := regexp.Compile(fmt.Sprintf("(?%s:%s)", flags, pattern))
		if err != nil {
			return
		}
		if got := test(text, nil); got != re.Match(text) {
			t.Fatalf("%q finds %q: %v", pattern, text, got)
		}
	})
}

// TestParseIndex: only the one spelling of a number is an index.
func TestParseIndex(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]uint64{"0": 0, "7": 7, "18446744073709551615": 1<<64 - 1} {
		if n, ok := parseIndex([]byte(text)); !ok || n != want {
			t.Errorf("%q is %d, %v", text, n, ok)
		}
	}
	for _, text := range []string{"", "00", "01", "+1", "-1", " 1", "1 ", "1e3", "1_0", "0x1", "18446744073709551616", "100000000000000000000"} {
		if n, ok := parseIndex([]byte(text)); ok {
			t.Errorf("%q is %d", text, n)
		}
	}
}

// BenchmarkArgrep searches a thousand values.
func BenchmarkArgrep(b *testing.B) {
	n := newNode(b, Options{})
	n.e.opt.Verify = nil
	cl := n.client()
	for i := range 1000 {
		n.send(cl, fmt.Sprintf("ARSET a %d value-%d", i, i))
	}
	for _, test := range []string{"MATCH 99", "GLOB *99*", "RE 9{2}"} {
		b.Run(strings.Fields(test)[0], func(b *testing.B) {
			argv := argvOf("ARGREP a - + " + test)
			for b.Loop() {
				n.e.Do(cl, n.now, argv)
				if !bytes.HasPrefix(cl.Output(nil)[0], []byte("*19\r\n")) {
					b.Fatal("another answer")
				}
			}
		})
	}
}

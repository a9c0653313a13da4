package engine

import (
	"math/big"
	"regexp"
	"strings"
	"testing"

	"minikv/engine/config"
)

// TestGenericOptionsOfOtherVersions: what a version does not have yet is
// unknown to it, and what it refuses is refused.
func TestGenericOptionsOfOtherVersions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ version, command, reply string }{
		{"", "SCAN 0 TYPE bogus", "*2 $1 0 *0"},
		{"7.0", "SCAN 0 TYPE bogus", "*2 $1 0 *0"},
		{"7.2", "SCAN 0 TYPE bogus", "*2 $1 0 *0"},
		{"8.0", "SCAN 0 TYPE bogus", "-ERR unknown type name 'bogus'"},
		{"valkey-8.0", "SCAN 0 TYPE bogus", "-ERR unknown type name 'bogus'"},
		{"7.0", "EXPIRE k 10 NX", ":0"},
		{"6.2", "EXPIRE k 10 NX", "-ERR wrong number of arguments for 'expire' command"},
		{"6.2", "EXPIRETIME k", "-ERR unknown command `EXPIRETIME`, with args beginning with: `k`,"},
		{"6.2", "COPY k j", ":0"},
		{"6.0", "COPY k j", "-ERR unknown command `COPY`, with args beginning with: `k`, `j`,"},
		{"7.0", "WAITAOF 0 0 0", "-ERR unknown command 'WAITAOF', with args beginning with: '0' '0' '0'"},
		{"7.2", "WAITAOF 0 0 0", "*2 :0 :0"},
	} {
		conf := config.New()
		conf.RedisVersion = test.version
		n := newNode(t, Options{Config: conf})
		n.want(n.client(), test.command, test.reply)
	}
}

var cursorText = regexp.MustCompile(`^([+-]?)([0-9]*)$`)

// FuzzCursor compares the cursors of SCAN with a plain reading of strtoul: up to
// a NUL, an optional sign, digits that fit 64 bits, of which a sign takes the
// complement; the empty text is 0.
func FuzzCursor(f *testing.F) {
	for _, seed := range []string{"", "0", "17", "-1", "+5", "-", "18446744073709551615", "18446744073709551616", "1x", " 1", "0\x00x", "1_0"} {
		f.Add(seed)
	}
	most := new(big.Int).SetUint64(1<<64 - 1)
	f.Fuzz(func(t *testing.T, text string) {
		a := Scanner{c: &Ctx{argv: [][]byte{[]byte(text)}}}
		got, failed := a.cursor(), a.Err() != nil
		seen, _, _ := strings.Cut(text, "\x00")
		m := cursorText.FindStringSubmatch(seen)
		if m == nil || m[1] != "" && m[2] == "" {
			if !failed {
				t.Fatalf("cursor %q was taken as %d", text, got)
			}
			return
		}
		n := new(big.Int)
		n.SetString("0"+m[2], 10)
		if fits := n.Cmp(most) <= 0; fits == failed {
			t.Fatalf("cursor %q: refused is %v", text, failed)
		}
		want := n.Uint64()
		if m[1] == "-" {
			want = -want
		}
		if !failed && got != want {
			t.Fatalf("cursor %q was taken as %d, want %d", text, got, want)
		}
	})
}

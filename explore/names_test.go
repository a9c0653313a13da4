package explore

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

// TestTokens: what looks random is found, words are not.
func TestTokens(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"lock", "lock:report", "my-long-lock-name-v2", "customer-00001234567", "SOME_UPPER_CASE_NAME", "1735689600000", "is somebody here at all?"} {
		if list := tokens(word); list != nil {
			t.Errorf("%q: %q", word, list)
		}
	}
	raw := make([]byte, 16)
	for range 1000 {
		rand.Read(raw)
		for _, token := range []string{base64.StdEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw), hex.EncodeToString(raw)} {
			if list := tokens("lock:" + token + ":x"); !slices.Equal(list, []string{token}) {
				t.Errorf("%s: %q", token, list)
			}
		}
	}
	if id := "0190163d-8694-739b-aea5-966c26f8ad91"; !slices.Equal(tokens("task {"+id+"}"), []string{id}) {
		t.Errorf("%s is not seen", id)
	}
}

// TestNames: each client's tokens are counted by themselves.
func TestNames(t *testing.T) {
	t.Parallel()
	n := names{of: map[string]string{}, constant: map[string]bool{"0123456789abcdef": true}}
	a, b := &Client{name: "A"}, &Client{name: "B"}
	first, second := strings.Repeat("1aZ", 8), strings.Repeat("2bY", 8)
	n.learn(b, first)
	n.learn(a, "lock:"+second+":0123456789abcdef")
	n.learn(a, first)
	if got, want := n.in(first+" "+second+" 0123456789abcdef"), "B1 A1 0123456789abcdef"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

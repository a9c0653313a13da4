package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHistoryKeepsNoSecrets(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "history")
	h := openHistory(path)
	for _, line := range []string{
		"set k v", "auth secret", "AUTH user secret", `"auth" secret`, "3 auth secret", "hello 3 auth u secret", "acl setuser u >secret",
		"config set requirepass secret", "CONFIG SET masterauth secret", "migrate h 1 k 0 9 AUTH secret", "migrate h 1 k 0 9 auth2 u secret",
		`auth "secret`, "  ", "set k v", "config set maxmemory 1", "acl whoami", "get auth",
	} {
		if _, err := h.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	const want = "set k v\nconfig set maxmemory 1\nacl whoami\nget auth\n"
	text, err := os.ReadFile(path)
	if err != nil || string(text) != want {
		t.Errorf("the file holds %q, %v, want %q", text, err, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
	if got := strings.Join(h.lines, "\n") + "\n"; got != want {
		t.Errorf("kept %q, want %q", got, want)
	}
	if again := openHistory(path); again.Len() != 4 {
		t.Errorf("%d lines read again, want 4", again.Len())
	}
}

// A long history loses its oldest lines when it is opened.
func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "history")
	if err := os.WriteFile(path, []byte(strings.Repeat("a\nb\n", maxHistory)), 0o600); err != nil {
		t.Fatal(err)
	}
	if h := openHistory(path); h.Len() != maxHistory {
		t.Errorf("%d lines, want %d", h.Len(), maxHistory)
	}
	if text, err := os.ReadFile(path); err != nil || len(text) != 2*maxHistory {
		t.Errorf("%d bytes are left, %v, want %d", len(text), err, 2*maxHistory)
	}
}

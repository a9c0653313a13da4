package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// CONFIG REWRITE changes the file that the configuration came from, and leaves
// what it did not need to change.
func TestConfigRewrite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "redis.conf")
	if err := os.WriteFile(path, []byte("# ours\nmaxclients 10000\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	srv, err := Start(Options{NoNetwork: true, ConfigFile: path})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	for _, command := range [][]string{{"CONFIG", "SET", "maxclients", "77"}, {"CONFIG", "REWRITE"}} {
		if v, err := srv.Do(command...); err != nil || v.Str != "OK" {
			t.Fatalf("%v: %v, %v", command, v, err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(text), "# ours\nmaxclients 77\n") {
		t.Errorf("the file holds %q, %v", text, err)
	}
	if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestConfigRewriteWithoutAFileOrWithoutLeave(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"": "ERR The server is running without a config file",
		filepath.Join(t.TempDir(), "nosuch", "redis.conf"): "ERR Rewriting config file: ",
	} {
		srv, err := Start(Options{NoNetwork: true, ConfigFile: path})
		if err != nil {
			t.Fatal(err)
		}
		defer srv.Close()
		if v, err := srv.Do("CONFIG", "REWRITE"); err != nil || !strings.HasPrefix(v.Str, want) {
			t.Errorf("%q: %v, %v", path, v, err)
		}
	}
}

// MEMORY PURGE answers when it is done, on a connection and in a transaction.
func TestMemoryPurge(t *testing.T) {
	t.Parallel()
	srv, err := Start(Options{NoNetwork: true})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	if v, err := srv.Do("MEMORY", "PURGE"); err != nil || v.Str != "OK" {
		t.Errorf("%v, %v", v, err)
	}
}

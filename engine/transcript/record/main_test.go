package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"minikv/engine/transcript/oracle"
)

func TestRecordFillsInReplies(t *testing.T) {
	t.Parallel()
	server, version, err := oracle.Installed()
	switch {
	case err == nil:
	case os.Getenv("MINIKV_REQUIRE_REDIS") == "1":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
	const (
		before = "# Comment.\n> SET k v\n> GET k\n\"old\"\n\n# any\n> DBSIZE\n(integer) 7\n# since 99.0\n> NEW\n(integer) 1\n"
		after  = "# Comment.\n> SET k v\nOK\n> GET k\n\"v\"\n\n# any\n> DBSIZE\n(integer) 7\n# since 99.0\n> NEW\n(integer) 1\n"
		newer  = "# since 99.0\n> PING\nPANG\n"
	)
	dir := t.TempDir()
	old, young := filepath.Join(dir, "old.txt"), filepath.Join(dir, "young.txt")
	write(t, old, before)
	write(t, young, newer)
	files := []string{old, young}
	if recordAll(io.Discard, files, true, server, version) {
		t.Error("record -n finds no difference")
	}
	expect(t, old, before)
	if !recordAll(io.Discard, files, false, server, version) {
		t.Error("record failed")
	}
	expect(t, old, after)
	expect(t, young, newer)
	if !recordAll(io.Discard, files, true, server, version) {
		t.Error("record -n finds a difference to what was recorded")
	}
	if recordAll(io.Discard, []string{filepath.Join(dir, "none.txt")}, false, server, version) {
		t.Error("a file that is not there was recorded")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func expect(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s holds\n%s", filepath.Base(path), got)
	}
}

package server

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"minikv/engine/config"
)

// keeping is a server that keeps its data in a directory.
func keeping(t *testing.T, dir string, directives ...string) *Server {
	t.Helper()
	srv, err := Start(keepingOptions(t, dir, directives...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	return srv
}

func keepingOptions(t *testing.T, dir string, directives ...string) Options {
	t.Helper()
	c := config.New()
	c.EnableDebugCommand = config.LocalOnly
	c.EnableProtectedConfigs = config.LocalOnly
	directives = append([]string{"dir", dir}, directives...)
	for i := 0; i < len(directives); i += 2 {
		if err := c.Apply(directives[i], strings.Fields(directives[i+1]), "test"); err != nil {
			t.Fatal(err)
		}
	}
	return Options{NoNetwork: true, Config: c}
}

// filesIn are the names of the files in a directory.
func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	if got := filesIn(t, dir); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the directory holds %q, not %q", got, want)
	}
}

// info is a field of INFO.
func info(t *testing.T, srv *Server, field string) string {
	t.Helper()
	v, err := srv.Do("INFO", "everything")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(v.Str, "\r\n"+field+":")
	value, _, _ := strings.Cut(after, "\r\n")
	return value
}

// awaitInfo waits for a field of INFO to have a value.
func awaitInfo(t *testing.T, srv *Server, field, want string) {
	t.Helper()
	for end := time.Now().Add(patience); info(t, srv, field) != want; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%s is %s, not %s", field, info(t, srv, field), want)
		}
	}
}

func TestSavedDataIsThereAgain(t *testing.T) {
	t.Parallel()
	for _, save := range [][]string{{"SAVE"}, {"BGSAVE"}, {"SHUTDOWN", "SAVE"}} {
		dir := t.TempDir()
		srv := keeping(t, dir, "dbfilename", "data.rdb")
		says(t, srv, `OK`, "SET", "k", "v", "PX", "1000000")
		says(t, srv, `(integer) 3`, "RPUSH", "l", "a", "b", "c")
		says(t, srv, `OK`, "SET", "gone", "v", "PX", "1")
		says(t, srv, `(integer) 2`, "HSET", "h", "f", "v", "g", "w")
		says(t, srv, "1) (integer) 1", "HPEXPIRE", "h", "1000000", "FIELDS", "1", "f")
		if _, err := srv.Do(save...); err != nil && save[0] != "SHUTDOWN" {
			t.Fatal(err)
		}
		if save[0] == "BGSAVE" {
			awaitInfo(t, srv, "rdb_saves", "1")
		}
		srv.Close()
		wantFiles(t, dir, "data.rdb")
		time.Sleep(2 * time.Millisecond) // the time of a key is over
		srv = keeping(t, dir, "dbfilename", "data.rdb")
		says(t, srv, `"v"`, "GET", "k")
		says(t, srv, `(integer) 3`, "LLEN", "l")
		says(t, srv, `(integer) 0`, "EXISTS", "gone")
		if v, _ := srv.Do("PTTL", "k"); v.Int <= 0 || v.Int > 1000000 {
			t.Errorf("%v: the key lives for %v", save, v)
		}
		if v, _ := srv.Do("HPTTL", "h", "FIELDS", "1", "f"); len(v.Elems) != 1 || v.Elems[0].Int <= 0 {
			t.Errorf("%v: the field lives for %v", save, v)
		}
		if got := info(t, srv, "rdb_changes_since_last_save"); got != "0" {
			t.Errorf("%v: %s changes are not saved", save, got)
		}
		srv.Close()
	}
}

// Without being told to, a server neither writes a file nor reads one that
// happens to be there.
func TestNoFileWithoutBeingTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other := keeping(t, dir)
	says(t, other, `OK`, "SET", "stray", "v")
	says(t, other, `OK`, "SAVE")
	c := config.New()
	c.Dir = dir // as if it were where the process stands
	srv := startServer(t, Options{NoNetwork: true, Config: c})
	says(t, srv, `(integer) 0`, "DBSIZE")
	if err := os.Remove(filepath.Join(dir, "dump.rdb")); err != nil {
		t.Fatal(err)
	}
	says(t, srv, `OK`, "SET", "k", "v")
	srv.Do("SHUTDOWN")
	srv.Close()
	wantFiles(t, dir)
}

// A BGSAVE that is under way: others are served, there is one at a time, and
// what is changed meanwhile is not in the file.
func TestBackgroundSave(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv := keeping(t, dir, "rdb-key-save-delay", "100")
	for i := range 50 {
		says(t, srv, `OK`, "SET", fmt.Sprintf("k%02d", i), "before")
	}
	says(t, srv, "Background saving started", "BGSAVE")
	if info(t, srv, "rdb_bgsave_in_progress") == "1" { // it may be over on a machine that is slow
		says(t, srv, "(error) ERR Background save already in progress", "BGSAVE")
	}
	for i := range 50 {
		says(t, srv, `OK`, "SET", fmt.Sprintf("k%02d", i), "after")
		says(t, srv, `(integer) 1`, "RPUSH", fmt.Sprintf("l%02d", i), "new")
	}
	awaitInfo(t, srv, "rdb_bgsave_in_progress", "0")
	for field, want := range map[string]string{"rdb_last_bgsave_status": "ok", "rdb_saves": "1", "rdb_changes_since_last_save": "100"} {
		if got := info(t, srv, field); got != want {
			t.Errorf("%s is %s, not %s", field, got, want)
		}
	}
	srv.Close()
	srv = keeping(t, dir)
	says(t, srv, `(integer) 50`, "DBSIZE")
	for i := range 50 {
		says(t, srv, `"before"`, "GET", fmt.Sprintf("k%02d", i))
	}
}

// While a BGSAVE is under way SAVE and another BGSAVE are refused; whoever
// closes the server leaves no half of a file.
func TestBackgroundSaveIsGivenUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv := keeping(t, dir, "rdb-key-save-delay", "1000000000")
	says(t, srv, `OK`, "MSET", "a", "1", "b", "2")
	says(t, srv, "Background saving started", "BGSAVE")
	const refusal = "(error) ERR Background save already in progress"
	for _, command := range [][]string{{"SAVE"}, {"BGSAVE"}, {"BGSAVE", "SCHEDULE"}} {
		says(t, srv, refusal, command...)
	}
	for field, want := range map[string]string{"rdb_bgsave_in_progress": "1", "current_save_keys_total": "2", "rdb_saves": "0"} {
		if got := info(t, srv, field); got != want {
			t.Errorf("%s is %s, not %s", field, got, want)
		}
	}
	srv.Close()
	wantFiles(t, dir)
}

// A save point that is reached saves, once its time is over and not before.
func TestSavePoints(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	opt := keepingOptions(t, dir, "save", "60 3")
	clock := new(handClock)
	clock.now.Store(1_700_000_000_000_000)
	opt.Clock = clock
	srv := startServer(t, opt)
	advance := func(seconds int64) {
		clock.now.Add(seconds * 1_000_000)
		if err := srv.Wake(); err != nil {
			t.Fatal(err)
		}
	}
	says(t, srv, `OK`, "MSET", "a", "1", "b", "2")
	advance(100)
	if got := info(t, srv, "rdb_saves"); got != "0" {
		t.Errorf("it has saved two changes of three")
	}
	says(t, srv, `OK`, "SET", "c", "3")
	awaitInfo(t, srv, "rdb_saves", "1")
	says(t, srv, `OK`, "MSET", "a", "1", "b", "2", "c", "4")
	advance(60)
	if got := info(t, srv, "rdb_saves"); got != "1" {
		t.Errorf("it has saved again too early")
	}
	advance(1)
	awaitInfo(t, srv, "rdb_saves", "2")
	says(t, srv, `OK`, "FLUSHALL")
	awaitInfo(t, srv, "rdb_saves", "3")
	srv.Close()
	wantFiles(t, dir, "dump.rdb")
}

// While data cannot be saved, though it is to be, changes are refused.
func TestStopWritesOnBgsaveError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv := keeping(t, dir, "save", "3600 1")
	if err := os.Mkdir(filepath.Join(dir, "taken"), 0o755); err != nil {
		t.Fatal(err)
	}
	says(t, srv, `OK`, "SET", "k", "v")
	says(t, srv, `OK`, "CONFIG", "SET", "dbfilename", "taken")
	says(t, srv, `(error) ERR`, "SAVE")
	says(t, srv, `OK`, "SET", "k", "v")
	says(t, srv, "Background saving started", "BGSAVE")
	awaitInfo(t, srv, "rdb_last_bgsave_status", "err")
	const refusal = "(error) MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. Commands that may modify the data set are disabled, because this instance is configured to report errors during writes if RDB snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for details about the RDB error."
	says(t, srv, refusal, "SET", "k", "w")
	says(t, srv, refusal, "PING")
	says(t, srv, `"v"`, "GET", "k")
	says(t, srv, `"PONG"`, "EVAL", "return redis.call('PING').ok", "0")
	if v, _ := srv.Do("EVAL", "return redis.call('SET', 'k', 'w')", "0"); !strings.HasPrefix(v.String(), refusal) {
		t.Errorf("a script is answered %s", v)
	}
	if v, _ := srv.Do("EVAL", "#!lua\nreturn 1", "0"); v.String() != refusal {
		t.Errorf("a script that may write is answered %s", v)
	}
	says(t, srv, `(integer) 1`, "EVAL", "#!lua flags=no-writes\nreturn 1", "0")
	says(t, srv, `(error) ERR Errors trying to SHUTDOWN. Check logs.`, "SHUTDOWN")
	if err := srv.Terminate(true); err == nil {
		t.Error("a signal ended it")
	}
	says(t, srv, `OK`, "CONFIG", "SET", "stop-writes-on-bgsave-error", "no")
	says(t, srv, `OK`, "SET", "k", "w")
	says(t, srv, `OK`, "CONFIG", "SET", "stop-writes-on-bgsave-error", "yes")
	says(t, srv, refusal, "SET", "k", "w")
	says(t, srv, `OK`, "CONFIG", "SET", "save", "")
	says(t, srv, `OK`, "SET", "k", "w")
	says(t, srv, `OK`, "CONFIG", "SET", "save", "3600 1", "dbfilename", "dump.rdb")
	says(t, srv, `OK`, "SAVE")
	says(t, srv, `OK`, "SET", "k", "w")
	wantFiles(t, dir, "dump.rdb", "taken")
	says(t, srv, `OK`, "CONFIG", "SET", "dbfilename", "taken")
	srv.Do("SHUTDOWN", "FORCE")
	<-srv.done
	wantFiles(t, dir, "dump.rdb", "taken")
}

// A server that is to end saves when there are save points.
func TestTerminateSaves(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		directives []string
		files      []string
	}{
		{[]string{"save", "3600 1"}, []string{"dump.rdb"}},
		{nil, nil},
		{[]string{"shutdown-on-sigterm", "save"}, []string{"dump.rdb"}},
		{[]string{"save", "3600 1", "shutdown-on-sigterm", "nosave"}, nil},
		{[]string{"shutdown-on-sigint", "save"}, nil},
	} {
		dir := t.TempDir()
		srv := keeping(t, dir, tc.directives...)
		says(t, srv, `OK`, "SET", "k", "v")
		if err := srv.Terminate(false); err != nil {
			t.Fatal(err)
		}
		<-srv.done
		wantFiles(t, dir, tc.files...)
	}
}

// A file that is torn or spoilt keeps the server from starting, with the place
// and the reason, and is left as it is.
func TestDamagedDataStopsTheStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv := keeping(t, dir)
	says(t, srv, `OK`, "MSET", "a", "1", "b", strings.Repeat("b", 100))
	says(t, srv, `OK`, "SAVE")
	srv.Close()
	path := filepath.Join(dir, "dump.rdb")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	spoilt := bytes.Clone(whole)
	spoilt[len(spoilt)-1] ^= 1
	for what, data := range map[string][]byte{
		"nothing": {}, "half": whole[:len(whole)/2], "all but the last byte": whole[:len(whole)-1], "another checksum": spoilt, "a text": []byte("hello world"),
		"a later version": []byte("REDIS0099\xff"),
	} {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		srv, err := Start(keepingOptions(t, dir))
		if err == nil {
			srv.Close()
			t.Fatalf("%s: the server has started", what)
		}
		if text := err.Error(); !strings.HasPrefix(text, "the data in "+path+" cannot be loaded: at byte ") {
			t.Errorf("%s: %s", what, text)
		}
		if left, err := os.ReadFile(path); err != nil || !bytes.Equal(left, data) {
			t.Errorf("%s: the file is another one now", what)
		}
	}
	wantFiles(t, dir, "dump.rdb")
}

// DEBUG RELOAD of a file that is not good changes nothing.
func TestReloadOfDamagedData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv := keeping(t, dir)
	says(t, srv, `OK`, "SET", "k", "v")
	says(t, srv, `(error) ERR Error trying to load the RDB dump`, "DEBUG", "RELOAD", "NOSAVE")
	says(t, srv, `OK`, "DEBUG", "RELOAD")
	says(t, srv, `(error) ERR Error trying to load the RDB dump`, "DEBUG", "RELOAD", "NOSAVE", "NOFLUSH")
	if err := os.Truncate(filepath.Join(dir, "dump.rdb"), 50); err != nil {
		t.Fatal(err)
	}
	says(t, srv, `(error) ERR Error trying to load the RDB dump`, "DEBUG", "RELOAD", "NOSAVE")
	says(t, srv, `"v"`, "GET", "k")
}

func TestConfigSetDir(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	srv := keeping(t, dir)
	const failed = "(error) ERR CONFIG SET failed (possibly related to argument 'dir') - "
	says(t, srv, failed+"No such file or directory", "CONFIG", "SET", "dir", filepath.Join(dir, "absent"))
	says(t, srv, failed+"Not a directory", "CONFIG", "SET", "dir", filepath.Join(dir, "file"))
	if v, _ := srv.Do("CONFIG", "GET", "dir"); len(v.Elems) != 2 || v.Elems[1].Str != dir {
		t.Errorf("%v", v)
	}
	if _, err := Start(keepingOptions(t, filepath.Join(dir, "absent"))); err == nil {
		t.Error("a server has started in a directory that is not there")
	}
}

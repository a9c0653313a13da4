package server

import (
	"bufio"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"minikv/engine/config"
	"minikv/resp"
)

// aclClient is a connection that sends a line and reads its reply.
type aclClient struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

func dialTest(t *testing.T, s *Server) *aclClient {
	conn, err := s.DialMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &aclClient{t, conn, bufio.NewReader(conn)}
}

func (c *aclClient) ask(line string) string {
	c.t.Helper()
	if _, err := io.WriteString(c.conn, line+"\r\n"); err != nil {
		c.t.Fatalf("%s: %v", line, err)
	}
	v, err := resp.NewReader(c.in).Read()
	if err != nil {
		c.t.Fatalf("%s: %v", line, err)
	}
	return v.String()
}

func (c *aclClient) want(line, reply string) {
	c.t.Helper()
	if got := c.ask(line); got != reply {
		c.t.Errorf("%s answers\n%s\nwant\n%s", line, got, reply)
	}
}

// wantEnd waits until the server has closed the connection.
func (c *aclClient) wantEnd() {
	c.t.Helper()
	if rest, err := io.ReadAll(c.in); err != nil || len(rest) > 0 {
		c.t.Errorf("before the end came %q, %v", rest, err)
	}
}

// TestACLFile loads, changes and saves the users of a file.
func TestACLFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "users.acl")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("user alice on >pw +@all ~*\n")
	opt := Options{Config: config.New(), NoNetwork: true}
	opt.Config.ACLFile = path
	s, err := Start(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	admin, alice := dialTest(t, s), dialTest(t, s)
	alice.want("AUTH alice pw", "OK")
	admin.want("ACL SETUSER bob on", "OK")
	admin.want("ACL SAVE", "OK")
	const saved = "user alice on #30c952fab122c3f9759f02a6d95c3758b246b4fee239957b2d4fee46e26170c4 ~* resetchannels +@all\n" +
		"user bob on resetchannels -@all\nuser default on nopass ~* &* +@all\n"
	if text, err := os.ReadFile(path); err != nil || string(text) != saved {
		t.Errorf("the file holds %q, %v", text, err)
	}
	admin.want("ACL SETUSER carol on", "OK")
	alice.want("ACL LOAD", "OK") // its user is made anew: it is the last answer
	alice.wantEnd()
	admin.want("ACL USERS", "1) \"alice\"\n2) \"bob\"\n3) \"default\"")
	write("user alice foo\nusr\n")
	admin.want("ACL LOAD", "(error) ERR "+path+":1: Syntax error. "+path+":2 should start with user keyword followed by the username. "+
		"WARNING: ACL errors detected, no change to the previously active ACL rules was performed")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	admin.want("ACL LOAD", "(error) ERR Error loading ACLs, opening file '"+path+"': No such file or directory")
	admin.want("MULTI", "OK")
	admin.want("ACL SAVE", "QUEUED")
	admin.want("EXEC", "1) (error) ERR Command not allowed inside a transaction")
}

// TestACLFileFailures: a server whose users are faulty does not start, and what
// cannot be written is said.
func TestACLFileFailures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "users.acl")
	opt := Options{Config: config.New(), NoNetwork: true}
	opt.Config.ACLFile = path
	if _, err := New(opt); err == nil || !strings.Contains(err.Error(), "opening file '"+path+"': No such file or directory") {
		t.Errorf("without the file: %v", err)
	}
	if err := os.WriteFile(path, []byte("user a +nosuch\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(opt); err == nil || !strings.Contains(err.Error(), "Error in applying operation '+nosuch'") {
		t.Errorf("with a faulty file: %v", err)
	}
	opt.Config.Users = []config.FileLine{{Args: []string{"a", "on"}}}
	if _, err := New(opt); err == nil || !strings.Contains(err.Error(), "not both") {
		t.Errorf("with users in two places: %v", err)
	}
}

// TestRewriteWithUsers: CONFIG REWRITE writes the users as they are.
func TestRewriteWithUsers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "redis.conf")
	const old = "port 0\n# who\nuser alice on >pw\nuser bob on\n"
	if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	opt := Options{Config: config.New(), ConfigFile: path, NoNetwork: true}
	if _, err := opt.Config.ParseFile(path, []byte(old), nil); err != nil {
		t.Fatal(err)
	}
	s, err := Start(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	cl := dialTest(t, s)
	cl.want("ACL SETUSER carol on ~c +get", "OK")
	cl.want("ACL DELUSER bob", "(integer) 1")
	cl.want("CONFIG REWRITE", "OK")
	text, err := os.ReadFile(path)
	const want = "port 0\n# who\nuser alice on #30c952fab122c3f9759f02a6d95c3758b246b4fee239957b2d4fee46e26170c4 resetchannels -@all\n" +
		"user carol on ~c resetchannels -@all +get\n"
	if err != nil || !strings.HasPrefix(string(text), want) || !strings.Contains(string(text), "\nuser default on nopass ~* &* +@all\n") || strings.Contains(string(text), "bob") {
		t.Errorf("the file holds\n%s%v", text, err)
	}
}

// TestProtectedModeAsksTheDefaultUser: who is not on this machine is let in
// only if the default user needs a password, however it came by it.
func TestProtectedModeAsksTheDefaultUser(t *testing.T) {
	t.Parallel()
	s, err := Start(Options{Config: config.New(), NoNetwork: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	cl := dialTest(t, s)
	for _, step := range []struct {
		command string
		open    bool
	}{
		{"PING", true}, {"ACL SETUSER default >pw", false}, {"ACL SETUSER default nopass", true}, {"CONFIG SET requirepass pw", false},
		{"CONFIG SET requirepass \"\"", true}, {"CONFIG SET protected-mode no", false},
	} {
		cl.ask(step.command)
		cl.ask("PING") // the loop has come round
		if got := s.loop.rules.protected.Load(); got != step.open {
			t.Errorf("after %s strangers are turned away: %v", step.command, got)
		}
	}
}

package compat_test

import (
	"bufio"
	"bytes"
	"net"
	"strings"
	"testing"

	"minikv/engine"
	"minikv/engine/config"
	"minikv/resp"
)

// Access control compared with a real redis-server 7.0, in three ways: every
// rule by what it makes of a user (acl_rules_test.go), every command by ACL
// DRYRUN (acl_dryrun_test.go), and a matrix of rules, commands and places, where
// commands really run (acl_matrix_test.go).

// aclSide is one of the two servers that are compared.
type aclSide struct {
	name   string
	admin  asker
	client asker // is the user whose rules are tried
}

// aclSides are minikv's engine, which emulates 7.0, and a redis-server.
func aclSides(t *testing.T) (ours, theirs aclSide) {
	connect := aclRedis(t)
	theirs = aclSide{"redis", connect(), connect()}
	connect = aclEngine(t)
	return aclSide{"minikv", connect(), connect()}, theirs
}

// aclEngine makes an engine, and connects to it.
func aclEngine(t *testing.T) func() asker {
	conf := config.New()
	if err := conf.Apply("redis-version", []string{"7.0"}, "test"); err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Options{Config: conf, Verify: func(err error) { t.Error(err) }})
	return func() asker {
		cl := e.Connect(1_000_000, engine.ConnInfo{Local: true})
		return func(args ...string) resp.Value {
			argv := make([][]byte, len(args))
			for i, arg := range args {
				argv[i] = []byte(arg)
			}
			e.Do(cl, 1_000_000, argv)
			v, _, err := resp.Decode(bytes.Join(cl.Output(nil), nil))
			if err != nil {
				t.Fatalf("%q: %v", args, err)
			}
			return v
		}
	}
}

// aclRedis starts a redis-server, and connects to it.
func aclRedis(t *testing.T) func() asker {
	socket := startRedis(t, "--slowlog-log-slower-than", "-1") // on a busy machine a command may be slow
	return func() asker { return askOver(t, dialWhenReady(t, socket)) }
}

// askOver sends commands over a connection.
func askOver(t *testing.T, conn net.Conn) asker {
	reader := resp.NewReader(bufio.NewReader(conn))
	return func(args ...string) resp.Value {
		if _, err := conn.Write(resp.AppendCommandStrings(nil, args...)); err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		v, err := reader.Read()
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		return v
	}
}

// asUser makes a user anew by rules, and the side's client that user.
func (s *aclSide) asUser(name string, rules ...string) resp.Value {
	s.admin("ACL", "SETUSER", name, "reset")
	reply := s.admin(append([]string{"ACL", "SETUSER", name, "on", "nopass"}, rules...)...)
	s.client("AUTH", name, "any")
	return reply
}

// cells counts comparisons, and tells of those that failed, up to a number.
type cells struct {
	t          *testing.T
	n, refused int
	wrong      int
}

// compare compares one reply of both sides.
func (c *cells) compare(what string, ours, theirs resp.Value) {
	c.n++
	if strings.Contains(theirs.String(), "perm") || strings.Contains(theirs.String(), "NOPERM") {
		c.refused++
	}
	if got, want := ours.String(), theirs.String(); got != want {
		if c.wrong++; c.wrong <= 30 {
			c.t.Errorf("%s\nminikv %s\nredis  %s", what, got, want)
		}
	}
}

// enough checks that so many comparisons were made, and a part of each kind.
func (c *cells) enough(least int) {
	c.t.Logf("%d cells, %d of them refusals, %d differ", c.n, c.refused, c.wrong)
	if c.n < least || c.refused < c.n/20 || c.refused > c.n*19/20 {
		c.t.Errorf("%d cells, %d of them refusals, show too little", c.n, c.refused)
	}
}

package engine

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"
)

// VerifyByEnv makes an engine check itself after each unit if MINIKV_VERIFY=1
// asks for it: see Options.Verify.
func VerifyByEnv() func(error) {
	if os.Getenv("MINIKV_VERIFY") != "1" {
		return nil
	}
	return func(err error) { panic(err) }
}

// node is an engine under test with a scripted clock. It checks itself after
// every unit.
type node struct {
	t   testing.TB
	e   *Engine
	now int64 // microseconds
}

const testStart = 1_767_225_600_000_000

func newNode(t testing.TB, opt Options) *node {
	n := &node{t: t, now: testStart}
	opt.Verify = func(err error) {
		t.Helper()
		t.Error(err)
	}
	n.e = New(opt)
	return n
}

// client connects a client.
func (n *node) client() *Client {
	return n.e.Connect(n.now, ConnInfo{Addr: "127.0.0.1:1", Local: true})
}

// send runs a command and answers what the client has to read now, in which
// line ends are blanks: "$1 v". A client that waits has nothing to read.
func (n *node) send(cl *Client, command string) string {
	n.e.Do(cl, n.now, argvOf(command))
	return n.read(cl)
}

// read takes a client's output.
func (n *node) read(cl *Client) string {
	text := string(bytes.Join(cl.Output(nil), nil))
	return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", " "))
}

// want runs a command and compares what the client reads.
func (n *node) want(cl *Client, command, reply string) {
	n.t.Helper()
	if got := n.send(cl, command); got != reply {
		n.t.Errorf("%s answered %q, want %q", command, got, reply)
	}
}

// wantRead compares what a client has to read.
func (n *node) wantRead(cl *Client, reply string) {
	n.t.Helper()
	if got := n.read(cl); got != reply {
		n.t.Errorf("client %d reads %q, want %q", cl.id, got, reply)
	}
}

// sleep moves the clock and lets everything happen that is due.
func (n *node) sleep(ms int64) {
	for end := n.now + ms*1000; ; {
		next := n.e.Tick(n.now)
		if next > end {
			n.now = end
			n.e.Tick(n.now)
			return
		}
		n.now = max(n.now, next)
	}
}

// at is a time so many milliseconds after the start, in unix milliseconds.
func at(ms int64) string { return strconv.FormatInt(testStart/1000+ms, 10) }

func argvOf(command string) [][]byte {
	words := strings.Fields(command)
	argv := make([][]byte, len(words))
	for i, w := range words {
		argv[i] = []byte(w)
	}
	return argv
}

// ids are clients by number.
func ids(clients []*Client) (ids []int64) {
	for _, cl := range clients {
		ids = append(ids, cl.id)
	}
	return ids
}

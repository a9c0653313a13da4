package engine

import "testing"

// TestClientReplyInsideMulti: each command of a transaction is judged by itself;
// what EXEC has answered before it goes out. The replies are redis-server's.
func TestClientReplyInsideMulti(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		commands []string
		replies  string
	}{
		{"OFF and ON", []string{"MULTI", "PING", "CLIENT REPLY OFF", "GET k", "CLIENT REPLY ON", "ECHO a", "EXEC", "ECHO b"},
			"+OK +QUEUED +QUEUED +QUEUED +QUEUED +QUEUED *5 +PONG +OK $1 a $1 b"},
		{"ON, with replies off before", []string{"CLIENT REPLY OFF", "MULTI", "GET k", "CLIENT REPLY ON", "ECHO a", "EXEC", "ECHO b"},
			"+OK $1 a $1 b"},
		{"SKIP holds for the command after EXEC", []string{"MULTI", "CLIENT REPLY SKIP", "PING", "PING", "EXEC", "ECHO a", "ECHO b"},
			"+OK +QUEUED +QUEUED +QUEUED *3 +PONG +PONG $1 b"},
		{"SKIP for EXEC", []string{"MULTI", "PING", "CLIENT REPLY ON", "PING", "DISCARD", "CLIENT REPLY SKIP", "EXEC", "PING"},
			"+OK +QUEUED +QUEUED +QUEUED +OK +PONG"},
		{"SUBSCRIBE is heard", []string{"MULTI", "CLIENT REPLY OFF", "SUBSCRIBE c", "UNSUBSCRIBE c", "EXEC", "PING"},
			"+OK +QUEUED +QUEUED +QUEUED *3 *3 $9 subscribe $1 c :1 *3 $11 unsubscribe $1 c :0"},
	} {
		n := newNode(t, Options{})
		cl := n.client()
		for _, command := range test.commands {
			n.e.Do(cl, n.now, argvOf(command))
		}
		if got := n.read(cl); got != test.replies {
			t.Errorf("%s: the client reads %q, want %q", test.name, got, test.replies)
		}
	}
}

// TestQuitUnderClientReply: the connection is closed, with no word.
func TestQuitUnderClientReply(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"OFF", "SKIP"} {
		n := newNode(t, Options{})
		cl := n.client()
		n.send(cl, "CLIENT REPLY "+mode)
		if outcome := n.e.Do(cl, n.now, argvOf("QUIT")); outcome != Close || n.read(cl) != "" {
			t.Errorf("after CLIENT REPLY %s QUIT does not just close", mode)
		}
	}
}

// TestPausedCommandKeepsItsSkip: CLIENT REPLY SKIP holds for the command that
// CLIENT PAUSE holds back.
func TestPausedCommandKeepsItsSkip(t *testing.T) {
	t.Parallel()
	n := newNode(t, Options{})
	cl, other := n.client(), n.client()
	n.send(cl, "CLIENT REPLY SKIP")
	n.send(other, "CLIENT PAUSE 100 WRITE")
	if outcome := n.e.Do(cl, n.now, argvOf("SET k v")); outcome != Paused {
		t.Fatalf("SET during a pause: outcome %d", outcome)
	}
	n.send(other, "CLIENT UNPAUSE")
	n.want(cl, "SET k v", "")
	n.want(cl, "GET k", "$1 v")
}

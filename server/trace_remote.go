package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"minikv/engine"
	"minikv/resp"
)

// ReplayOn sends a trace to another server, a real one among them, and returns
// where that first answers otherwise; nil: nowhere. Each client of the trace is
// a connection of its own, and a command is sent where the trace has it, once
// the replies before it are there. With pace the time between commands is that
// of the trace. Not compared are commands that may answer another thing each
// time (RANDOMKEY, TIME ...), and MINIKV commands are left out.
func (t *Trace) ReplayOn(ctx context.Context, address string, pace bool) (*Difference, error) {
	target, err := parseReplayTarget(address)
	if err != nil {
		return nil, err
	}
	r := &remote{target: target, links: make(map[int64]*remoteLink)}
	defer r.close()
	var previous int64
	for i := range t.entries {
		e := &t.entries[i]
		if gap := e.Now - previous; pace && previous != 0 && gap > 0 {
			select {
			case <-time.After(time.Duration(gap) * time.Microsecond):
			case <-ctx.Done():
			}
		}
		previous = e.Now
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if d, err := r.play(ctx, e); d != nil || err != nil {
			return d, err
		}
	}
	return nil, nil
}

// replayTarget is a redis:// URL's server.
type replayTarget struct {
	addr string
	auth [][]byte // the AUTH command, or nil
}

func parseReplayTarget(address string) (t replayTarget, err error) {
	if !strings.Contains(address, "://") {
		address = "redis://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "redis" || u.Host == "" {
		return t, fmt.Errorf("%q is no redis://host:port", address)
	}
	t.addr = u.Host
	if u.Port() == "" {
		t.addr = net.JoinHostPort(u.Hostname(), "6379")
	}
	if password, has := u.User.Password(); has {
		t.auth = [][]byte{[]byte("AUTH")}
		if name := u.User.Username(); name != "" {
			t.auth = append(t.auth, []byte(name))
		}
		t.auth = append(t.auth, []byte(password))
	}
	return t, nil
}

// remote is a replay on another server.
type remote struct {
	target replayTarget
	links  map[int64]*remoteLink
}

type remoteLink struct {
	conn    net.Conn
	in      *resp.Reader
	last    [][]byte
	skipped bool   // the last command was not sent
	want    []byte // output of the trace that is not whole yet
}

// replyWait is how long a reply may take.
const replyWait = 10 * time.Second

func (r *remote) close() {
	for _, l := range r.links {
		l.conn.Close()
	}
}

func (r *remote) play(ctx context.Context, e *traceEntry) (*Difference, error) {
	l := r.links[e.Client]
	switch {
	case e.Kind == engine.JournalConnect:
		return nil, r.connect(ctx, e.Client)
	case e.Kind == engine.JournalTick:
		return nil, nil
	case l == nil:
		return nil, fmt.Errorf("line %d: client %d has not connected", e.line, e.Client)
	}
	switch e.Kind {
	case engine.JournalDo:
		l.last = e.Argv
		row := rowOf(e.Argv)
		if l.skipped = row != nil && row.Group == engine.Minikv; l.skipped {
			return nil, nil
		}
		_, err := l.conn.Write(resp.AppendCommand(nil, e.Argv...))
		return nil, err
	case engine.JournalDisconnect:
		l.conn.Close()
		delete(r.links, e.Client)
	case engine.JournalOutput:
		if !l.skipped {
			return l.compare(e)
		}
	}
	return nil, nil
}

func (r *remote) connect(ctx context.Context, id int64) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", r.target.addr)
	if err != nil {
		return err
	}
	l := &remoteLink{conn: conn, in: resp.NewReader(conn)}
	r.links[id] = l
	if r.target.auth == nil {
		return nil
	}
	if _, err := conn.Write(resp.AppendCommand(nil, r.target.auth...)); err != nil {
		return err
	}
	v, err := l.in.Read()
	if err == nil && v.IsError() {
		err = errors.New(v.Str)
	}
	return err
}

// compare reads as many replies as the trace has.
func (l *remoteLink) compare(e *traceEntry) (*Difference, error) {
	l.want = append(l.want, e.Bytes...)
	for len(l.want) > 0 {
		want, n, err := resp.Decode(l.want)
		if err != nil {
			return nil, nil // the rest of it comes with the next entry
		}
		l.want = l.want[n:]
		l.conn.SetReadDeadline(time.Now().Add(replyWait))
		got, err := l.in.Read()
		if err != nil {
			return &Difference{Line: e.line, Client: e.Client, Command: commandText(l.last), Want: want.String(), Got: "(" + err.Error() + ")"}, nil
		}
		if !l.same(want, got) {
			return &Difference{Line: e.line, Client: e.Client, Command: commandText(l.last), Want: want.String(), Got: got.String()}, nil
		}
	}
	return nil, nil
}

// same tells whether a reply is as good as the trace's.
func (l *remoteLink) same(want, got Value) bool {
	row := rowOf(l.last)
	switch {
	case row != nil && uncertain(row), row != nil && row.Group == engine.Connection && len(want.Elems) > 0:
		return want.IsError() == got.IsError()
	case row != nil && slices.Contains(row.Tips, "nondeterministic_output_order"):
		return want.Type == got.Type && slices.Equal(sortedTexts(want), sortedTexts(got))
	}
	return want.Equal(got)
}

func sortedTexts(v Value) []string {
	texts := make([]string, len(v.Elems))
	for i, elem := range v.Elems {
		texts[i] = elem.String()
	}
	slices.Sort(texts)
	return texts
}

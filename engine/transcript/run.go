package transcript

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"minikv/resp"
)

// A Target is a fresh server with empty databases that a transcript runs on.
// It was made with the file's Config.
type Target interface {
	// Open makes a new connection.
	Open() (Conn, error)
	// Advance lets a little more than d pass.
	Advance(d time.Duration) error
	// Close ends the server and all connections.
	Close() error
}

// A Conn is one connection to a Target.
type Conn interface {
	// Send sends a command. It does not wait for the reply.
	Send(args [][]byte) error
	// Receive returns what came since the last call, and io.EOF with it once
	// the server has closed the connection. A target that can tell when the
	// server is at rest waits for that. One that cannot waits until enough says
	// yes or the connection is closed, and gives up after a while.
	Receive(enough Enough) ([]resp.Value, error)
	// Waiting tells whether the command sent last is blocked. It is asked only
	// when no reply came. A target that cannot tell when the server is at rest
	// lets it come to that for a while, if it is expected.
	Waiting(expected bool) (bool, error)
}

// Enough tells whether these replies are all that is expected.
type Enough func(replies []resp.Value) bool

// Result is what the steps of a file gave, in their order; nil for a step that
// the server is too old for.
type Result []*Output

// Run runs a transcript on a fresh target of the given version. The error is
// about the run itself; what the server said is for Compare to judge.
func Run(f *File, t Target, server Version) (Result, error) {
	r := runner{file: f, target: t, vars: make(map[string]string)}
	result := make(Result, len(f.Steps))
	for i, s := range f.Steps {
		if !server.Has(f.Since) || !server.Has(s.Since) {
			continue
		}
		out, err := r.step(s)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", f.Path, s.Line, err)
		}
		result[i] = out
	}
	return result, nil
}

type runner struct {
	file    *File
	target  Target
	clients []*client
	vars    map[string]string
}

type client struct {
	name  string
	conn  Conn
	resp3 bool
}

func (r *runner) step(s *Step) (*Output, error) {
	out := new(Output)
	var sender *client
	if s.IsPause() {
		if err := r.target.Advance(s.After); err != nil {
			return nil, err
		}
	} else {
		var err error
		if sender, err = r.client(s.Client, s.RESP3 || r.file.RESP3); err != nil {
			return nil, err
		}
		if err := sender.conn.Send(r.expand(s.Args)); err != nil {
			return nil, err
		}
		if out.Own, err = r.own(sender, s); err != nil {
			return nil, err
		}
	}
	for _, cl := range slices.Clone(r.clients) {
		if cl == sender {
			continue
		}
		_, lines, err := r.receive(cl, s, s.Want.block(cl.name))
		if err != nil {
			return nil, err
		}
		if len(lines) > 0 {
			out.Others = append(out.Others, Block{cl.name, lines})
		}
	}
	return out, nil
}

// own receives the sender's reply.
func (r *runner) own(sender *client, s *Step) ([]string, error) {
	replies, lines, err := r.receive(sender, s, s.Want.Own)
	if err != nil {
		return nil, err
	}
	if s.Let != "" && len(replies) > 0 {
		r.vars[s.Let] = plain(replies[0])
	}
	if len(lines) == 0 {
		waiting, err := sender.conn.Waiting(slices.Contains(s.Want.Own, waitingLine))
		if err != nil {
			return nil, err
		}
		if waiting {
			lines = []string{waitingLine}
		}
	}
	return lines, nil
}

// receive gives what a client is told, as values and as lines.
func (r *runner) receive(cl *client, s *Step, want []string) ([]resp.Value, []string, error) {
	enough := func(replies []resp.Value) bool {
		got := showReplies(replies)
		switch {
		case len(want) == 0 || len(want) == 1 && want[0] == waitingLine:
			return true
		case s.Compare.Any || s.Compare.Matches != nil:
			return len(got) > 0
		}
		return len(got) >= len(want) || isError(got) // right or wrong
	}
	replies, err := cl.conn.Receive(enough)
	lines := showReplies(replies)
	if err == io.EOF {
		err = nil
		lines = append(lines, closedLine)
		r.clients = slices.DeleteFunc(r.clients, func(c *client) bool { return c == cl })
	}
	return replies, lines, err
}

// client finds or connects a client.
func (r *runner) client(name string, resp3 bool) (*client, error) {
	i := slices.IndexFunc(r.clients, func(c *client) bool { return c.name == name })
	if i < 0 {
		conn, err := r.target.Open()
		if err != nil {
			return nil, err
		}
		i = len(r.clients)
		r.clients = append(r.clients, &client{name: name, conn: conn})
	}
	cl := r.clients[i]
	if !resp3 || cl.resp3 {
		return cl, nil
	}
	cl.resp3 = true
	if err := cl.conn.Send([][]byte{[]byte("HELLO"), []byte("3")}); err != nil {
		return nil, err
	}
	_, err := cl.conn.Receive(func(replies []resp.Value) bool { return len(replies) > 0 })
	return cl, err
}

// expand puts kept replies where ${name} stands.
func (r *runner) expand(args [][]byte) [][]byte {
	if len(r.vars) == 0 {
		return args
	}
	pairs := make([]string, 0, 2*len(r.vars))
	for name, value := range r.vars {
		pairs = append(pairs, "${"+name+"}", value)
	}
	replacer := strings.NewReplacer(pairs...)
	out := make([][]byte, len(args))
	for i, arg := range args {
		out[i] = []byte(replacer.Replace(string(arg)))
	}
	return out
}

// plain is a reply as an argument would have it; of an array, its first element.
func plain(v resp.Value) string {
	switch {
	case v.Type == resp.TypeInt:
		return strconv.FormatInt(v.Int, 10)
	case len(v.Elems) > 0:
		return plain(v.Elems[0])
	}
	return v.Str
}

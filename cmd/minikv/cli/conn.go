package cli

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strconv"
	"time"

	"minikv/resp"
)

// dialTimeout bounds how long a server may take to accept and to greet.
const dialTimeout = 10 * time.Second

// A Target is the server and what to say to it first.
type Target struct {
	Host       string
	Port       int
	Socket     string // a unix socket; wins over Host and Port
	TLS        *tls.Config
	User, Pass string
	DB         int
	RESP3      bool
}

// String is the server as the prompt shows it.
func (t Target) String() string {
	if t.Socket != "" {
		return "redis " + t.Socket
	}
	return net.JoinHostPort(t.Host, strconv.Itoa(t.Port))
}

func (t Target) dial(ctx context.Context) (net.Conn, error) {
	if t.Socket != "" {
		return new(net.Dialer).DialContext(ctx, "unix", t.Socket)
	}
	if t.TLS != nil {
		return (&tls.Dialer{Config: t.TLS}).DialContext(ctx, "tcp", t.String())
	}
	return new(net.Dialer).DialContext(ctx, "tcp", t.String())
}

// conn is a connection to a server. Close may be called from anywhere, to end
// a read.
type conn struct {
	net.Conn
	in *resp.Reader
}

// connect dials, authenticates, selects the database and the protocol. The
// complaints are what the server refused, which leaves the connection usable.
func connect(ctx context.Context, t Target) (c *conn, complaints []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	nc, err := t.dial(ctx)
	if err != nil {
		//lint:ignore ST1005 redis-cli's text
		return nil, nil, fmt.Errorf("Could not connect to Redis at %s: %w", t, reason(err))
	}
	c = &conn{nc, resp.NewReader(nc)}
	_ = nc.SetDeadline(time.Now().Add(dialTimeout))
	ask := func(complaint string, words ...string) {
		var v resp.Value
		if err != nil {
			return
		}
		if v, err = c.do(bytesOf(words)); err == nil && v.IsError() {
			complaints = append(complaints, complaint+v.Str)
		}
	}
	switch {
	case t.Pass != "" && t.User != "":
		ask("AUTH failed: ", "AUTH", t.User, t.Pass)
	case t.Pass != "":
		ask("AUTH failed: ", "AUTH", t.Pass)
	}
	if t.DB != 0 {
		ask(fmt.Sprintf("SELECT %d failed: ", t.DB), "SELECT", strconv.Itoa(t.DB))
	}
	if t.RESP3 {
		ask("HELLO 3 failed: ", "HELLO", "3")
	}
	if err != nil {
		nc.Close()
		return nil, nil, err
	}
	_ = nc.SetDeadline(time.Time{})
	return c, complaints, nil
}

// reason is the last part of a dialling error, without Go's words before it.
func reason(err error) error {
	for {
		inner, ok := err.(interface{ Unwrap() error })
		if !ok || inner.Unwrap() == nil {
			return err
		}
		err = inner.Unwrap()
	}
}

func (c *conn) send(words [][]byte) error {
	_, err := c.Write(resp.AppendCommand(nil, words...))
	return err
}

// do is for the time before pushes can come.
func (c *conn) do(words [][]byte) (resp.Value, error) {
	if err := c.send(words); err != nil {
		return resp.Value{}, err
	}
	return c.in.Read()
}

func bytesOf(words []string) [][]byte {
	list := make([][]byte, len(words))
	for i, w := range words {
		list[i] = []byte(w)
	}
	return list
}

// is compares a word with a command's name, which is in upper case.
func is(word []byte, names ...string) bool {
	upper := bytes.ToUpper(word)
	for _, name := range names {
		if string(upper) == name {
			return true
		}
	}
	return false
}

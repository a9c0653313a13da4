package compat_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"minikv/engine/transcript"
	"minikv/resp"
	"minikv/server"
)

// go-redis hands its user less than came over the wire: statuses, bulk and
// verbatim strings are all strings, every null is one null, sets are lists, a
// map has no order, and attributes are dropped. So the transcripts look at the
// wire, behind go-redis's back, and each reply is then compared with what
// go-redis made of it, as far as that goes.

// TestTranscriptsThroughGoRedis runs the transcripts on a server by go-redis's
// Do, in RESP2 and, where the file says so, RESP3.
func TestTranscriptsThroughGoRedis(t *testing.T) {
	t.Parallel()
	eachTranscript(t, func(t *testing.T, f *transcript.File) {
		if why := notForDo(f); why != "" {
			t.Skip("go-redis's Do takes one reply a command: not " + why)
		}
		srv, clock := startFor(t, f, listening)
		target := &goRedisTarget{srv: srv, f: f, advance: clock.inSteps(t), patience: patience}
		runTranscript(t, f, target)
	})
}

// notForDo finds a command that does not get one reply, or ends the
// connection, which go-redis would open again.
func notForDo(f *transcript.File) string {
	others := []string{
		"subscribe", "unsubscribe", "psubscribe", "punsubscribe", "ssubscribe", "sunsubscribe",
		"monitor", "quit", "shutdown", "reset", "hello", "sync", "psync", "replconf",
		"client|reply", "client|tracking", "client|kill", "debug|protocol",
		"minikv.fault|add",
	}
	for _, s := range f.Steps {
		name := ""
		for _, word := range s.Args[:min(len(s.Args), 2)] {
			name = strings.TrimPrefix(name+"|"+strings.ToLower(string(word)), "|")
			if slices.Contains(others, name) {
				return name
			}
		}
	}
	if f.Setting("requirepass") != "" {
		return "requirepass"
	}
	return ""
}

type goRedisTarget struct {
	srv      *server.Server
	f        *transcript.File
	advance  func(time.Duration) error
	patience time.Duration
	conns    []*goRedisConn
	working  sync.WaitGroup
}

func (t *goRedisTarget) Open() (transcript.Conn, error) {
	c := &goRedisConn{t: t, wire: new(tee), sent: make(chan []any, 100), news: make(chan struct{}, 1)}
	opt := &redis.Options{
		Protocol:                 2,
		DisableIdentity:          true,
		MaxRetries:               -1,
		ReadTimeout:              -1,
		PoolSize:                 1,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		Dialer: func(context.Context, string, string) (net.Conn, error) {
			var err error
			c.wire.Conn, err = net.Dial("tcp", t.srv.Addrs()[0].String())
			return c.wire, err
		},
	}
	if t.f.RESP3 {
		opt.Protocol = 3
	}
	c.rdb = redis.NewClient(opt)
	c.conn = c.rdb.Conn()
	t.conns = append(t.conns, c)
	var answered redis.Error // NOAUTH, say
	if err := c.conn.Ping(context.Background()).Err(); err != nil && !errors.As(err, &answered) {
		return nil, err
	}
	c.wire.take() // the handshake's
	t.working.Go(c.work)
	return c, nil
}

func (t *goRedisTarget) Advance(d time.Duration) error { return t.advance(d) }

func (t *goRedisTarget) Close() error {
	err := t.srv.Close() // nobody waits for a reply any more
	for _, c := range t.conns {
		close(c.sent)
	}
	t.working.Wait() // a connection must not be closed while it is in use
	for _, c := range t.conns {
		_ = c.conn.Close() // the connection went with the server
		_ = c.rdb.Close()
	}
	return err
}

// goRedisConn is one client's connection, and what is under way on it.
type goRedisConn struct {
	t    *goRedisTarget
	rdb  *redis.Client
	conn *redis.Conn
	wire *tee
	sent chan []any
	news chan struct{} // something was answered

	mu      sync.Mutex
	answers []answer
	owed    int
}

type answer struct {
	value any
	err   error
}

func (c *goRedisConn) Send(args [][]byte) error {
	words := make([]any, len(args))
	for i, arg := range args {
		words[i] = arg
	}
	c.mu.Lock()
	c.owed++
	c.mu.Unlock()
	c.sent <- words
	return nil
}

// work runs commands one after the other: Do returns when the reply is there.
func (c *goRedisConn) work() {
	for words := range c.sent {
		value, err := c.conn.Do(context.Background(), words...).Result()
		c.mu.Lock()
		c.owed--
		c.answers = append(c.answers, answer{value, err})
		c.mu.Unlock()
		select {
		case c.news <- struct{}{}:
		default:
		}
	}
}

func (c *goRedisConn) Receive(enough transcript.Enough) ([]resp.Value, error) {
	var replies []resp.Value
	over := time.After(c.t.patience)
	for {
		c.mu.Lock()
		answers := c.answers
		c.answers = nil
		c.mu.Unlock()
		for _, a := range answers {
			v, err := c.wire.next()
			if err != nil {
				return replies, errors.Join(err, a.err)
			}
			if !handedOn(v, a) {
				return replies, fmt.Errorf("of the reply\n%v\ngo-redis makes %#v, %v", v, a.value, a.err)
			}
			replies = append(replies, v)
		}
		if enough(replies) {
			return replies, nil
		}
		select {
		case <-c.news:
		case <-over:
			c.t.patience = 20 * time.Millisecond // it fails in any case
			return replies, nil
		}
	}
}

// Waiting waits until the server has taken what was sent and has not answered:
// until as many clients are blocked as are owed a reply.
func (c *goRedisConn) Waiting(expected bool) (bool, error) {
	if !expected {
		return false, nil
	}
	over := time.Now().Add(c.t.patience)
	for time.Now().Before(over) {
		list, err := c.t.srv.Do("CLIENT", "LIST")
		if err != nil {
			return false, err
		}
		if list.IsError() || strings.Count(list.Str, " flags=b ") >= c.t.owed() {
			return true, nil
		}
		time.Sleep(time.Millisecond)
	}
	return false, nil
}

// owed is how many connections wait for a reply.
func (t *goRedisTarget) owed() (n int) {
	for _, c := range t.conns {
		c.mu.Lock()
		if c.owed > 0 {
			n++
		}
		c.mu.Unlock()
	}
	return n
}

// tee keeps a copy of all that is read from a connection.
type tee struct {
	net.Conn
	mu  sync.Mutex
	got []byte
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.Conn.Read(p)
	t.mu.Lock()
	t.got = append(t.got, p[:n]...)
	t.mu.Unlock()
	return n, err
}

func (t *tee) take() {
	t.mu.Lock()
	t.got = nil
	t.mu.Unlock()
}

func (t *tee) next() (resp.Value, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, n, err := resp.Decode(t.got)
	t.got = t.got[n:]
	return v, err
}

// handedOn tells whether a is what go-redis should make of the reply v.
func handedOn(v resp.Value, a answer) bool {
	switch {
	case v.IsNull():
		return a.err == redis.Nil
	case v.IsError():
		return a.err != nil && a.err.Error() == v.Str
	}
	return a.err == nil && sameValue(v, a.value)
}

func sameValue(v resp.Value, got any) bool {
	switch got := got.(type) {
	case nil:
		return v.IsNull()
	case error:
		return v.IsError() && got.Error() == v.Str
	case string:
		return (v.Type == resp.TypeStatus || v.Type == resp.TypeBulk || v.Type == resp.TypeVerbatim) && !v.Nil && v.Str == got
	case int64:
		return v.Type == resp.TypeInt && v.Int == got
	case float64:
		return v.Type == resp.TypeDouble && (v.Float == got || math.IsNaN(v.Float) && math.IsNaN(got))
	case bool:
		return v.Type == resp.TypeBool && v.Bool == got
	case *big.Int:
		return v.Type == resp.TypeBigNumber && v.Str == got.String()
	case []any:
		return v.Type != resp.TypeMap && slices.EqualFunc(v.Elems, got, sameValue)
	case map[any]any:
		return v.Type == resp.TypeMap && sameMap(v, got)
	}
	return false
}

// sameMap holds the last of equal keys to be the value, as go-redis does.
func sameMap(v resp.Value, got map[any]any) bool {
	seen := make(map[any]bool)
	for i := len(v.Elems) - 2; i >= 0; i -= 2 {
		key, value := v.Elems[i], v.Elems[i+1]
		found := false
		for k, x := range got {
			if sameValue(key, k) {
				if !seen[k] && !sameValue(value, x) {
					return false
				}
				seen[k], found = true, true
			}
		}
		if !found {
			return false
		}
	}
	return len(seen) == len(got)
}

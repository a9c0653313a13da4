package server

import (
	"bufio"
	"context"
	"errors"
	"net"
	"strconv"
	"time"

	"minikv/engine"
	"minikv/resp"
)

// MIGRATE. The loop hands a migration to a goroutine of its own and serves on;
// the engine sees to it that the keys stay as they are until the answer comes.
// As in Redis the connection is kept for a while, since keys seldom move alone.

// target is a connection to a server that keys are taken to.
type target struct {
	addr   string
	peer   *clusterNode // of the same cluster, if it is one
	conn   net.Conn
	reader *bufio.Reader
	db     int64 // that is selected there, -1: not known
	kept   *time.Timer
}

// targets are the connections that nobody uses at the moment, by address. The
// loop's own.
type targets map[string]*target

const (
	targetKept  = 10 * time.Second // how long a connection is kept
	targetsMost = 64
)

// migrate carries keys to another server.
func (l *loop) migrate(cl *engine.Client, m *engine.Migration) {
	t := l.targets.take(net.JoinHostPort(m.Host, port(m.Port)))
	if l.node != nil {
		t.peer = l.node.cluster.at(t.addr)
	}
	l.helpers.Go(func() {
		result, whole := t.carry(m, l.ending)
		finish := func() {
			if whole {
				l.keepTarget(t)
			}
			l.eng.Migrated(cl, l.now(), m, result)
		}
		if !l.inbox.call(func() { l.between(finish) }) && whole {
			t.conn.Close()
		}
	})
}

// port reads a port as C's atoi does.
func port(text string) string {
	n := 0
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return text[:n]
}

// take is a kept connection, or one to be made.
func (ts targets) take(addr string) *target {
	t := ts[addr]
	if t == nil {
		return &target{addr: addr, db: -1}
	}
	delete(ts, addr)
	t.kept.Stop()
	return t
}

// keepTarget keeps a connection for the next migration.
func (l *loop) keepTarget(t *target) {
	if l.targets == nil {
		l.targets = make(targets)
	}
	if l.closing.Load() || len(l.targets) >= targetsMost || l.targets[t.addr] != nil {
		t.conn.Close()
		return
	}
	l.targets[t.addr] = t
	t.kept = time.AfterFunc(targetKept, func() { l.inbox.call(func() { l.dropTarget(t) }) })
}

func (l *loop) dropTarget(t *target) {
	if l.targets[t.addr] == t {
		delete(l.targets, t.addr)
		t.conn.Close()
	}
}

// dropTargets closes the connections that are kept.
func (l *loop) dropTargets() {
	for _, t := range l.targets {
		t.kept.Stop()
		t.conn.Close()
	}
	clear(l.targets)
}

// carry sends the keys. A connection that was kept may be dead: then it is tried
// once more on another, unless the other server has taken anything. whole: the
// connection is good for another time.
func (t *target) carry(m *engine.Migration, ending <-chan struct{}) (r engine.MigrationResult, whole bool) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-ending:
			cancel()
		case <-ctx.Done():
		}
	}()
	again := t.conn != nil
	for {
		r, err := t.attempt(ctx, m)
		if err == nil {
			return r, true
		}
		if t.conn != nil {
			t.conn.Close()
			t.conn, t.db = nil, -1
		}
		var slow net.Error
		if !again || len(r.Taken) > 0 || r.Refusal != "" || errors.As(err, &slow) && slow.Timeout() {
			return r, false
		}
		again = false
	}
}

// attempt sends the keys once. With an error the connection is of no more use.
func (t *target) attempt(ctx context.Context, m *engine.Migration) (r engine.MigrationResult, err error) {
	patience := time.Duration(m.TimeoutMS) * time.Millisecond
	if m.TimeoutMS > int64(longestPatience/time.Millisecond) {
		patience = longestPatience
	}
	if r.Failure, err = t.connect(ctx, patience); err != nil {
		return r, err
	}
	conn := t.conn
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if err := t.enter(m, patience, &r); err != nil || r.Refusal != "" {
		return r, err
	}
	err = t.restore(m, patience, &r)
	return r, err
}

// longestPatience bounds time-outs.
const longestPatience = 24 * time.Hour

// connect makes the connection if there is none.
func (t *target) connect(ctx context.Context, patience time.Duration) (failure string, err error) {
	if t.conn != nil {
		return "", nil
	}
	if t.peer != nil && t.peer.opt.NoNetwork {
		t.conn, err = t.peer.DialMemoryContext(ctx)
	} else {
		dialer := net.Dialer{Timeout: patience}
		t.conn, err = dialer.DialContext(ctx, "tcp", t.addr)
	}
	var unknown *net.DNSError
	var slow net.Error
	switch {
	case err == nil:
		t.reader = bufio.NewReader(t.conn)
		return "", nil
	case errors.As(err, &unknown), errors.As(err, &slow) && slow.Timeout():
		failure = engine.MigrationNotConnected
	default: // Redis finds out when it writes
		failure = engine.MigrationNotWritten
	}
	t.conn = nil
	return failure, err
}

// enter authenticates and selects the database. Unlike Redis, which sends the
// keys along, it waits for the answers: no key comes into a wrong database.
func (t *target) enter(m *engine.Migration, patience time.Duration, r *engine.MigrationResult) error {
	var commands []byte
	replies := 0
	if m.Auth != nil {
		commands = resp.AppendCommand(commands, append([][]byte{[]byte("AUTH")}, m.Auth...)...)
		replies++
	}
	if t.db != m.DB {
		commands = resp.AppendCommandStrings(commands, "SELECT", strconv.FormatInt(m.DB, 10))
		replies++
	}
	if replies == 0 {
		return nil
	}
	t.db = -1
	if err := t.write(commands, patience, r); err != nil {
		return err
	}
	for range replies {
		if _, err := t.reply(patience, r); err != nil {
			return err
		}
	}
	if r.Refusal == "" {
		t.db = m.DB
	}
	return nil
}

// restore sends the keys and notes which of them were taken.
func (t *target) restore(m *engine.Migration, patience time.Duration, r *engine.MigrationResult) error {
	var commands []byte
	command := "RESTORE"
	if m.Asking {
		command = "RESTORE-ASKING"
	}
	for _, k := range m.Keys {
		args := [][]byte{[]byte(command), k.Key, strconv.AppendInt(nil, k.TTL, 10), k.Payload}
		if m.Replace {
			args = append(args, []byte("REPLACE"))
		}
		commands = resp.AppendCommand(commands, args...)
		if len(commands) >= migrateChunk {
			if err := t.write(commands, patience, r); err != nil {
				return err
			}
			commands = commands[:0]
		}
	}
	if err := t.write(commands, patience, r); err != nil {
		return err
	}
	for i := range m.Keys {
		taken, err := t.reply(patience, r)
		if err != nil {
			return err
		}
		if taken {
			r.Taken = append(r.Taken, i)
		}
	}
	return nil
}

// migrateChunk is how much is written at a time.
const migrateChunk = 64 << 10

func (t *target) write(p []byte, patience time.Duration, r *engine.MigrationResult) error {
	t.conn.SetWriteDeadline(time.Now().Add(patience))
	_, err := t.conn.Write(p)
	if err != nil {
		r.Failure = engine.MigrationNotWritten
	}
	return err
}

// reply reads a reply of one line; the first error is noted.
func (t *target) reply(patience time.Duration, r *engine.MigrationResult) (ok bool, err error) {
	t.conn.SetReadDeadline(time.Now().Add(patience))
	line, err := t.reader.ReadSlice('\n')
	switch {
	case err == nil && len(line) >= 2:
	default:
		if err == nil {
			err = errors.New("an empty reply")
		}
		r.Failure = engine.MigrationNotRead
		return false, err
	}
	if line[0] != '-' {
		return true, nil
	}
	if r.Refusal == "" {
		r.Refusal = string(trimLineEnd(line[1:]))
	}
	return false, nil
}

func trimLineEnd(line []byte) []byte {
	line = line[:len(line)-1]
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}

package lockcheck

import (
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"minikv/resp"
	"minikv/server"
)

// Replay sends the commands of a schedule to new servers, each when it ran, and
// tells of the first that is answered otherwise. Faults are not put again: what
// they did, which commands ran and when, is in the schedule. Replies that came
// later than their commands, and those to HELLO, are not compared.
func (s Schedule) Replay() error {
	r := &replay{nodes: make(map[int]*replayed)}
	defer r.close()
	for i, step := range s {
		if step.NotRun || len(step.Words) == 0 || step.Words[0] == "MINIKV.FAULT" {
			continue
		}
		got, err := r.step(step)
		switch {
		case err != nil:
			return fmt.Errorf("step %d: %v: %w", i+1, step.Words, err)
		case step.Reply != "" && got != step.Reply:
			return fmt.Errorf("step %d: %v: the reply is %s, not %s", i+1, step.Words, got, step.Reply)
		}
	}
	return nil
}

// replay are the servers of a replay.
type replay struct {
	nodes map[int]*replayed
}

// replayed is one of them.
type replayed struct {
	srv   *server.Server
	clock replayClock
	conns map[int]*replayedConn
}

type replayedConn struct {
	net.Conn
	in   *resp.Reader
	late bool // replies do not belong to the last command any more
}

// replayClock shows what the schedule says.
type replayClock struct{ micros atomic.Int64 }

func (c *replayClock) Now() int64                { return c.micros.Load() }
func (c *replayClock) Until(int64) time.Duration { return -1 }

// replayStart is when replays begin.
var replayStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

// step runs one command and answers its reply as a schedule has it.
func (r *replay) step(step Step) (string, error) {
	node := r.nodes[step.Node]
	if node == nil {
		node = &replayed{conns: make(map[int]*replayedConn)}
		node.clock.micros.Store(replayStart)
		var err error
		if node.srv, err = server.Start(server.Options{NoNetwork: true, Seed: 1, Clock: &node.clock}); err != nil {
			return "", err
		}
		r.nodes[step.Node] = node
	}
	node.clock.micros.Store(replayStart + step.At.Microseconds())
	if err := node.srv.Wake(); err != nil {
		return "", err
	}
	conn := node.conns[step.Conn]
	if conn == nil {
		c, err := node.srv.DialMemory()
		if err != nil {
			return "", err
		}
		conn = &replayedConn{Conn: c, in: resp.NewReader(c)}
		node.conns[step.Conn] = conn
	}
	if _, err := conn.Write(resp.AppendCommandStrings(nil, step.Words...)); err != nil {
		return "", err
	}
	if conn.late = conn.late || step.Reply == noReply; conn.late {
		return step.Reply, nil
	}
	v, err := conn.in.Read()
	return replyText(v), err
}

func (r *replay) close() {
	for _, node := range r.nodes {
		for _, c := range node.conns {
			c.Close()
		}
		node.srv.Close()
	}
}

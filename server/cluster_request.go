package server

import (
	"errors"
	"strconv"

	"minikv/engine"
	"minikv/resp"
)

// performNode is MINIKV.NODE. Stopping and starting waits for all nodes' loops, so
// a goroutine does it.
func (l *loop) performNode(cl *engine.Client, request engine.Request) {
	c, name := l.node.cluster, request.Node
	switch request.Kind {
	case engine.RequestNodeList:
		l.eng.Complete(cl, l.now(), c.list)
		return
	}
	l.helpers.Go(func() {
		err := c.setUp(c.numberOf(name), request.Kind == engine.RequestNodeStart)
		l.inbox.call(func() {
			if err != nil {
				l.eng.Refuse(cl, l.now(), "ERR "+err.Error())
				return
			}
			l.eng.Complete(cl, l.now(), func(out *resp.Writer) { out.Status("OK") })
		})
	})
}

// numberOf finds a node by its number, address or id; 0: there is none.
func (c *Cluster) numberOf(name string) int {
	if n := c.at(name); n != nil {
		return n.number
	}
	for _, n := range c.nodes {
		if name == strconv.Itoa(n.number) || name == n.id {
			return n.number
		}
	}
	return 0
}

func (c *Cluster) list(out *resp.Writer) {
	out.Array(len(c.nodes))
	for _, n := range c.nodes {
		state := "up"
		if n.down.Load() {
			state = "down"
		}
		out.Array(4)
		out.Int(int64(n.number))
		out.BulkString(n.address())
		out.BulkString(n.id)
		out.BulkString(state)
	}
}

// moveClocks has the other nodes follow a move of this one's time, which is now at.
func (n *clusterNode) moveClocks(move engine.ClockMove, at int64) error {
	var errs []error
	for _, other := range n.cluster.nodes {
		if other == n {
			continue
		}
		switch move {
		case engine.ClockGet:
		case engine.ClockRun:
			errs = append(errs, other.Resume())
		case engine.ClockFreeze:
			errs = append(errs, other.Freeze())
			fallthrough
		default:
			_, _, err := other.moveClock(engine.ClockSet, at)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

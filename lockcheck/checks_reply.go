package lockcheck

import (
	"context"
	"errors"
	"fmt"
	"time"

	"minikv/minikvtest"
)

// loseReplies loses the reply to the next acquiring command on some nodes.
func loseReplies(list []*node, command string) {
	for _, nd := range list {
		nd.fault(minikvtest.Fault{Command: command, Key: key, Nth: 1, Action: minikvtest.LoseReply}, "CLOSE", "AFTER")
	}
}

func hasTTL(tr *trial) error {
	c := tr.client()
	command, err := tr.acquiring(c)
	if err != nil {
		return err
	}
	loseReplies(tr.nodes, command)
	tr.cut()
	ctx, cancel := context.WithTimeout(tr.ctx, ttl/100)
	defer cancel()
	_, _ = c.Acquire(ctx, key, ttl) // whatever it says: what is left counts
	for _, nd := range tr.nodes {
		if nd.do("PTTL", key).Int == -1 {
			return fmt.Errorf("on node %d the lock has no time to live", nd.n)
		}
	}
	return nil
}

func validity(tr *trial) error {
	c := tr.client()
	if _, err := tr.acquiring(c); err != nil {
		return err
	}
	tr.hold(ttl + ttl/5)
	began := time.Now()
	l, err := c.Acquire(tr.ctx, key, ttl)
	tr.hold(0)
	switch {
	case err != nil:
		return nil
	case l.Until != nil && !l.Until().After(time.Now()):
		return errors.New("the lock is given out, with a time that is over")
	}
	for _, nd := range tr.nodes {
		if nd.do("EXISTS", key).Int == 0 {
			return fmt.Errorf("the lock is given out %d ms after it was asked for, and has run out on node %d meanwhile",
				time.Since(began).Milliseconds(), nd.n)
		}
	}
	return nil
}

func until(tr *trial) error {
	c := tr.client()
	if _, err := tr.acquiring(c); err != nil {
		return err
	}
	late := ttl / 5 / time.Duration(len(tr.nodes)) // the library may ask them one by one
	tr.hold(late)
	began := time.Now()
	l, err := c.Acquire(tr.ctx, key, ttl)
	tr.hold(0)
	switch {
	case err != nil:
		return fmt.Errorf("with a reply that is %d ms late the lock is not to be had: %w", late.Milliseconds(), err)
	case l.Until == nil:
		return errNotOffered
	}
	if claims := l.Until().Sub(began); claims > ttl {
		return fmt.Errorf("the library claims the lock until %v after it was asked for, and its TTL is %v", claims, ttl)
	}
	return nil
}

// afterLostReply is when a client gets the lock that loses its first reply, and
// tries again and again.
func (tr *trial) afterLostReply() (time.Duration, error) {
	c := tr.client()
	command, err := tr.acquiring(c)
	if err != nil {
		return 0, err
	}
	loseReplies(tr.nodes, command)
	began := time.Now()
	for time.Since(began) < 3*ttl {
		if _, err := c.Acquire(tr.ctx, key, ttl); err == nil {
			return time.Since(began), nil
		}
		time.Sleep(ttl / 10)
	}
	return 0, fmt.Errorf("the lock was not to be had within %v", 3*ttl)
}

func lostReply(tr *trial) error {
	_, err := tr.afterLostReply()
	return err
}

func lostReplyOwn(tr *trial) error {
	after, err := tr.afterLostReply()
	if err == nil && after > ttl/2 {
		err = fmt.Errorf("the client stands in its own way: it gets the lock after %v, when its first attempt runs out", after.Round(ttl/10))
	}
	return err
}

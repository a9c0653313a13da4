package lockcheck

import (
	"errors"
	"fmt"
)

// minority are as many nodes as may fail, majority the others.
func (tr *trial) minority() []*node { return tr.nodes[:(len(tr.nodes)-1)/2] }
func (tr *trial) majority() []*node { return tr.nodes[len(tr.minority()):] }

func minorityLost(tr *trial) error {
	for _, nd := range tr.minority() {
		nd.kv.Close()
		nd.remark("the server is gone")
	}
	_, l, err := tr.lock()
	if err != nil {
		return err
	}
	if err := l.Release(tr.ctx); err != nil {
		return fmt.Errorf("the release fails: %w", err)
	}
	return nil
}

// takeMajority leaves a minority of the nodes free.
func (tr *trial) takeMajority() {
	for _, nd := range tr.majority() {
		nd.take()
	}
}

func majorityTaken(tr *trial) error {
	tr.takeMajority()
	if _, err := tr.client().Acquire(tr.ctx, key, ttl); err == nil {
		return errors.New("a minority was enough")
	}
	return nil
}

// left tells of a node, of those that nobody else has, where a lock was left.
func left(list []*node) error {
	for _, nd := range list {
		if holder := nd.holder(); holder != "" && holder != foreign {
			return fmt.Errorf("the lock was left on node %d", nd.n)
		}
	}
	return nil
}

func partialClean(tr *trial) error {
	tr.takeMajority()
	_, _ = tr.client().Acquire(tr.ctx, key, ttl) // whatever it says: see majorityTaken
	return left(tr.nodes)
}

func partialLostReply(tr *trial) error {
	c := tr.client()
	command, err := tr.acquiring(c)
	if err != nil {
		return err
	}
	for _, nd := range tr.minority() {
		nd.take()
	}
	lost := tr.majority()[0]
	loseReplies([]*node{lost}, command)
	l, err := c.Acquire(tr.ctx, key, ttl)
	if err == nil { // it knew its own token
		err = l.Release(tr.ctx)
		if err != nil {
			return fmt.Errorf("the release fails: %w", err)
		}
	}
	return left(tr.nodes)
}

func extendMajority(tr *trial) error {
	l, err := tr.extendable()
	if err != nil {
		return err
	}
	for _, nd := range tr.majority() {
		nd.do("DEL", key)
	}
	if l.Extend(tr.ctx, ttl) == nil {
		return errors.New("the extension says that the lock is held")
	}
	return nil
}

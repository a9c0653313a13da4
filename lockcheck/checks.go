package lockcheck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"minikv/minikvtest"
)

// checks are all of them, in the order of the page.
var checks = []check{
	{"exclusive", "a lock that is held is refused to others, until it is released", 1, exclusive},
	{"ttl", "a client that dies right after it took the lock leaves one that runs out", 1, hasTTL},
	{"token", "each lock has a value of its own, of 8 bytes or more", 1, ownToken},
	{"validity", "a lock whose time is over when the reply arrives is not given out", 1, validity},
	{"until", "the library counts a lock's time from before it asked for it", 1, until},
	{"lost reply", "a client whose reply was lost gets the lock, at the latest when its own attempt runs out", 1, lostReply},
	{"lost reply, own", "a client whose reply was lost knows or removes what it has taken, before that runs out", 1, lostReplyOwn},
	{"release, foreign", "a release never removes somebody else's lock", 1, releaseForeign},
	{"release, told", "a release tells when the lock was not held any more", 1, releaseTold},
	{"release, atomic", "a release removes nobody else's lock even if the lock changes hands between two of its commands", 1, releaseAtomic},
	{"release, NOSCRIPT", "a release works although the server has forgotten all scripts", 1, releaseNoscript},
	{"release, everywhere", "after a release no server has the lock", 1, releaseEverywhere},
	{"release, quiet", "after a release nothing is sent any more, and nothing renews", 1, releaseQuiet},
	{"extend", "an extension gives the lock more time", 1, extend},
	{"extend, over", "an extension of a lock whose time is over fails, and does not make it anew", 1, extendOver},
	{"extend, foreign", "an extension never changes somebody else's lock", 1, extendForeign},
	{"extend, atomic", "an extension changes nobody else's lock even if the lock changes hands between two of its commands", 1, extendAtomic},
	{"extend, NOSCRIPT", "an extension works although the server has forgotten all scripts", 1, extendNoscript},
	{"jitter", "two clients that begin to wait at the same time do not go on trying at the same times", 1, jitter},
	{"wait ends", "a client stops waiting when its context ends", 1, waitEnds},
	{"minority lost", "a lock is to be had while a majority of the servers is up", 3, minorityLost},
	{"majority taken", "a lock is refused if a majority of the servers refuses", 3, majorityTaken},
	{"partial, clean", "a client that got too few servers leaves the lock on none", 3, partialClean},
	{"partial, lost reply", "a client that got too few servers leaves the lock on none, even where its reply was lost", 3, partialLostReply},
	{"extend, majority", "an extension fails if a majority of the servers has lost the lock", 3, extendMajority},
}

func exclusive(tr *trial) error {
	_, l, err := tr.lock()
	if err != nil {
		return err
	}
	other := tr.client()
	if _, err := other.Acquire(tr.ctx, key, ttl); err == nil {
		return errors.New("two clients have the lock")
	}
	if err := l.Release(tr.ctx); err != nil {
		return fmt.Errorf("a release fails: %w", err)
	}
	if _, err := other.Acquire(tr.ctx, key, ttl); err != nil {
		return fmt.Errorf("after the release the lock is not to be had: %w", err)
	}
	return nil
}

func ownToken(tr *trial) error {
	var values []string
	c := tr.client()
	for range 3 {
		l, err := c.Acquire(tr.ctx, key, ttl)
		if err != nil {
			return fmt.Errorf("a free lock is not to be had: %w", err)
		}
		if tr.nodes[0].do("TYPE", key).Str != "string" {
			return errNotOffered
		}
		value := tr.nodes[0].holder()
		switch {
		case len(value) < 8:
			return fmt.Errorf("its value has %d bytes", len(value))
		case slices.Contains(values, value):
			return errors.New("two locks have the same value")
		}
		values = append(values, value)
		if err := l.Release(tr.ctx); err != nil {
			return fmt.Errorf("a release fails: %w", err)
		}
	}
	return nil
}

// lostToOthers is a lock whose time is over and that somebody else has taken.
func (tr *trial) lostToOthers() (Lock, error) {
	_, l, err := tr.lock()
	if err != nil {
		return l, err
	}
	time.Sleep(over)
	return l, tr.takeAll()
}

func releaseForeign(tr *trial) error {
	l, err := tr.lostToOthers()
	if err != nil {
		return err
	}
	_ = l.Release(tr.ctx) // whatever it says: see releaseTold
	return tr.allForeign("the release has removed the lock")
}

func releaseTold(tr *trial) error {
	l, err := tr.lostToOthers()
	if err != nil {
		return err
	}
	if l.Release(tr.ctx) == nil {
		return errors.New("the release says that all is well")
	}
	return nil
}

func releaseAtomic(tr *trial) error {
	return tr.between("the release has removed the lock", func(l Lock) error { return l.Release(tr.ctx) })
}

// between lets the lock change hands before the second command of a call.
func (tr *trial) between(what string, call func(Lock) error) error {
	_, l, err := tr.lock()
	if err != nil {
		return err
	}
	late := over + ttl/10
	var ends []func()
	for _, nd := range tr.nodes {
		ends = append(ends, nd.fault(minikvtest.Fault{Key: key, Nth: 2, Action: minikvtest.Delay, Delay: late}, "DELAY", fmt.Sprint(late.Milliseconds())))
	}
	done := make(chan error, 1)
	go func() { done <- call(l) }()
	time.Sleep(over)
	for _, end := range ends {
		end()
	}
	for _, nd := range tr.nodes {
		nd.do("DEL", key) // an extension of one command was in time
		nd.take()
	}
	<-done
	return tr.allForeign(what)
}

// forget makes all servers forget their scripts.
func (tr *trial) forget() {
	for _, nd := range tr.nodes {
		nd.do("SCRIPT", "FLUSH")
	}
}

// released releases a lock, which then is on no server.
func (tr *trial) released(l Lock) error {
	if err := l.Release(tr.ctx); err != nil {
		return fmt.Errorf("the release fails: %w", err)
	}
	return tr.held("after the release")
}

func releaseNoscript(tr *trial) error {
	_, l, err := tr.lock()
	if err != nil {
		return err
	}
	tr.forget()
	return tr.released(l)
}

func releaseEverywhere(tr *trial) error {
	_, l, err := tr.lock()
	if err != nil {
		return err
	}
	return tr.released(l)
}

func releaseQuiet(tr *trial) error {
	_, l, err := tr.lock()
	if err != nil {
		return err
	}
	if l.Extend != nil {
		if err := l.Extend(tr.ctx, ttl); err != nil {
			return fmt.Errorf("an extension fails: %w", err)
		}
	}
	if err := l.Release(tr.ctx); err != nil {
		return fmt.Errorf("the release fails: %w", err)
	}
	since := tr.now()
	if err := tr.takeAll(); err != nil {
		return err
	}
	time.Sleep(5 * ttl)
	if sent := tr.sent(since); len(sent) > 0 {
		return fmt.Errorf("%d ms after the check began the library has sent %v", sent[0].At.Milliseconds(), sent[0].Words)
	}
	return nil
}

func extend(tr *trial) error {
	l, err := tr.extendable()
	if err != nil {
		return err
	}
	time.Sleep(ttl / 2)
	if err := l.Extend(tr.ctx, ttl); err != nil {
		return fmt.Errorf("the extension fails: %w", err)
	}
	time.Sleep(ttl * 3 / 4)
	for _, nd := range tr.nodes {
		if nd.do("EXISTS", key).Int == 0 {
			return fmt.Errorf("the lock ran out on node %d", nd.n)
		}
	}
	return nil
}

func extendOver(tr *trial) error {
	l, err := tr.extendable()
	if err != nil {
		return err
	}
	time.Sleep(over)
	if l.Extend(tr.ctx, ttl) == nil {
		return errors.New("the extension says that the lock is held")
	}
	return tr.held("after the extension")
}

func extendForeign(tr *trial) error {
	l, err := tr.lostToOthers()
	switch {
	case err != nil:
		return err
	case l.Extend == nil:
		return errNotOffered
	case l.Extend(tr.ctx, ttl) == nil:
		return errors.New("the extension says that the lock is held")
	}
	return tr.foreignTime()
}

// foreignTime tells of a node where somebody else's lock was changed.
func (tr *trial) foreignTime() error {
	for _, nd := range tr.nodes {
		if left := nd.do("PTTL", key).Int; left < time.Minute.Milliseconds() {
			return fmt.Errorf("somebody else's lock has only %d ms left on node %d", left, nd.n)
		}
	}
	return tr.allForeign("the extension has changed the lock")
}

func extendAtomic(tr *trial) error {
	offered := true
	err := tr.between("the extension has changed the lock", func(l Lock) error {
		if offered = l.Extend != nil; !offered {
			return nil
		}
		return l.Extend(tr.ctx, ttl)
	})
	switch {
	case !offered:
		return errNotOffered
	case err != nil:
		return err
	}
	return tr.foreignTime()
}

func extendNoscript(tr *trial) error {
	l, err := tr.extendable()
	if err != nil {
		return err
	}
	tr.forget()
	if err := l.Extend(tr.ctx, ttl); err != nil {
		return fmt.Errorf("the extension fails: %w", err)
	}
	return nil
}

// attempts are the times at which a new client tries, after it began to wait for
// a lock that it never gets.
func (tr *trial) attempts(wait time.Duration) (list []time.Duration, err error) {
	c := tr.client()
	if c.Wait == nil {
		return nil, errNotOffered
	}
	ctx, cancel := context.WithTimeout(tr.ctx, wait)
	defer cancel()
	since, began := tr.now(), time.Since(tr.began)
	if _, err := c.Wait(ctx, key, ttl); err == nil {
		return nil, errors.New("the client has got a lock that somebody else holds")
	}
	for _, s := range tr.sent(since) {
		// What is tried at the very end races with the end of the wait.
		if at := s.At - began; s.Node == 1 && at < wait && !slices.Contains(list, at) {
			list = append(list, at)
		}
	}
	return list, nil
}

func jitter(tr *trial) error {
	if err := tr.takeAll(); err != nil {
		return err
	}
	first, err := tr.attempts(3 * ttl)
	if err != nil {
		return err
	}
	second, err := tr.attempts(3 * ttl)
	switch {
	case err != nil:
		return err
	case len(first) < 3:
		return fmt.Errorf("in %d ms it has tried %d times", (3 * ttl).Milliseconds(), len(first))
	case slices.Equal(first, second):
		return fmt.Errorf("both have tried at the same times, %d of them, the first three at %v", len(first), first[:3])
	}
	return nil
}

func waitEnds(tr *trial) error {
	if err := tr.takeAll(); err != nil {
		return err
	}
	began := time.Now()
	if _, err := tr.attempts(ttl); err != nil {
		return err
	}
	if waited := time.Since(began); waited > 2*ttl {
		return fmt.Errorf("it waits %v after its context ended", waited-ttl)
	}
	return nil
}

package engine

import (
	"container/list"
	"math"

	"minikv/expiry"
	"minikv/resp"
	"minikv/value"
)

// Waiting for a key. A handler that finds nothing calls Ctx.Block and returns
// what that returns. When a change touches one of the keys, and once the whole
// unit that made the change is over, the command runs again from its start for
// the client that has waited longest: it either answers now or goes on
// waiting, in its old place and with its old deadline. So a push that is
// popped again inside the same MULTI or script wakes nobody, and nobody is
// served in the middle of anything.
//
// Per changed key at most those are served who waited when the pass began; a
// client that is served and blocks again at once stands at the end.

// Block says what a command waits for.
type Block struct {
	Keys [][]byte
	// Kind is the type the keys must hold to wake the client.
	Kind value.Kind
	// Timeout is the deadline in unix milliseconds; 0 means for ever.
	Timeout int64
	// OnTimeout writes the reply of a client that waited in vain.
	OnTimeout func(out *resp.Writer)
	// OnDelete wakes the client also when a key goes, or comes to hold
	// another type (XREADGROUP).
	OnDelete bool
	// Again is when the command runs again though no key has changed, in unix
	// milliseconds; 0 means never.
	Again int64
	// Argv, if set, is what runs again instead of the command as it came.
	Argv [][]byte
}

// wait is a client's blocked command.
type wait struct {
	Block
	cmd    *Command
	argv   [][]byte
	db     *DB
	places []place
	timer  *expiry.Deadline[*Client]
}

// place is where a waiting client stands in a key's queue.
type place struct {
	key string
	el  *list.Element
}

// waitQueue holds the clients that wait for one key, the longest first.
type waitQueue struct {
	clients list.List // of *Client
	awaited bool      // the key is on the engine's awaited list
}

type awaitedKey struct {
	db  *DB
	key string
}

// Block makes the client wait. Inside EXEC or a script nothing may wait: the
// time-out's answer is given at once.
func (c *Ctx) Block(b Block) error {
	switch {
	case c.source == FromBlocked:
		c.inVain = true
		c.cl.wait.Again = b.Again
		c.e.setTimer(c.cl)
		return errWait
	case !c.mayWait():
		b.OnTimeout(c.out)
		return nil
	}
	argv := b.Argv
	if argv == nil {
		argv = c.argv
	}
	w := &wait{Block: b, cmd: c.cmd, argv: copyArgv(argv), db: c.db}
	for _, key := range b.Keys {
		c.db.enqueue(c.cl, w, string(key))
	}
	w.Keys = nil
	c.cl.wait = w
	c.e.setTimer(c.cl)
	c.e.nblocked++
	return errWait
}

// due is when something is to be done for a client though no key has changed: its
// time-out or another try, whichever is earlier; 0 means never.
func (w *wait) due() int64 {
	if w.Again > 0 && (w.Timeout == 0 || w.Again < w.Timeout) {
		return w.Again
	}
	return w.Timeout
}

// setTimer sets a waiting client's timer to when it is due.
func (e *Engine) setTimer(cl *Client) {
	w := cl.wait
	switch due := w.due(); {
	case w.timer == nil && due > 0:
		w.timer = e.waiting.Add(due, cl)
	case w.timer != nil && due == 0:
		e.waiting.Remove(w.timer)
		w.timer = nil
	case w.timer != nil && due != w.timer.At():
		e.waiting.Move(w.timer, due)
	}
}

// enqueue puts a client at the end of a key's queue, once.
func (db *DB) enqueue(cl *Client, w *wait, key string) {
	q := db.waits[key]
	if q == nil {
		q = new(waitQueue)
		db.waits[key] = q
	}
	if last := q.clients.Back(); last != nil && last.Value == cl {
		return // the key was given twice
	}
	w.places = append(w.places, place{key, q.clients.PushBack(cl)})
}

// unblock ends a client's wait, if it has one, without an answer.
func (e *Engine) unblock(cl *Client) {
	w := cl.wait
	if w == nil {
		return
	}
	for _, p := range w.places {
		q := w.db.waits[p.key]
		q.clients.Remove(p.el)
		if q.clients.Len() == 0 {
			delete(w.db.waits, p.key)
		}
	}
	if w.timer != nil {
		e.waiting.Remove(w.timer)
	}
	cl.wait = nil
	if cl.spoiled.by != nil && !cl.closed {
		e.spoil(cl)
	}
	e.nblocked--
	e.awake(cl)
}

// awaken notes that a key with waiting clients changed.
func (db *DB) awaken(key []byte) {
	q := db.waits[string(key)]
	if q == nil || q.awaited {
		return
	}
	q.awaited = true
	db.e.awaited = append(db.e.awaited, awaitedKey{db, string(key)})
}

// serveAwaited gives each changed key's waiting clients their turn.
func (e *Engine) serveAwaited() {
	keys := e.awaited
	e.awaited = nil
	for _, k := range keys {
		if q := k.db.waits[k.key]; q != nil {
			q.awaited = false
			e.serveKey(k, q)
		}
	}
}

func (e *Engine) serveKey(k awaitedKey, q *waitQueue) {
	var next *list.Element
	key := []byte(k.key)
	n := q.clients.Len()
	for el := q.clients.Front(); el != nil && n > 0; el, n = next, n-1 {
		next = el.Next()
		cl := el.Value.(*Client)
		if cl.Closing() {
			continue // what it took would be lost
		}
		en := k.db.live(key)
		holds := en != nil && en.Val.kind() == cl.wait.Kind
		if holds || cl.wait.OnDelete {
			e.rerun(cl, key)
		}
	}
}

// rerun runs a waiting client's command again, since key changed.
func (e *Engine) rerun(cl *Client, key []byte) {
	w := cl.wait
	c := e.pushCtx(cl, w.argv, FromBlocked)
	c.cmd, c.db, c.awaited, c.heard = w.cmd, w.db, key, cl.out.Mark()
	current := e.current
	e.current = cl
	if err := c.recheckBlocked(); err != nil {
		e.fail(c, err)
	} else {
		e.call(c)
	}
	c.mute()
	e.current = current
	e.popCtx()
	e.flushPushes(cl)
	if c.inVain {
		return // it goes on waiting, in its place
	}
	e.unblock(cl)
	e.checkOutput(cl)
	e.awake(cl)
}

// expireWaits ends up to budget waits whose time is over, or tries again, and
// answers how many.
func (e *Engine) expireWaits(budget int) int {
	n := 0
	for ; n < budget; n++ {
		d := e.waiting.Min()
		if d == nil || d.At() > e.nowMS() {
			break
		}
		cl := d.Owner
		switch w := cl.wait; {
		case w.due() == w.Timeout:
			cl.answer(w.OnTimeout)
			e.unblock(cl)
		case e.pausing() != pauseNone:
			w.Again = max(e.pause.until, e.nowMS()) + 1
			e.setTimer(cl)
		default:
			e.rerun(cl, nil)
		}
	}
	return n
}

// unblockByCommand is CLIENT UNBLOCK: as on time-out, or with an error. False
// if the client does not wait for a key.
func (e *Engine) unblockByCommand(cl *Client, withError bool) bool {
	if cl.wait == nil {
		return false
	}
	if withError {
		cl.answer(func(out *resp.Writer) { out.Error("UNBLOCKED client unblocked via CLIENT UNBLOCK") })
	} else {
		cl.answer(cl.wait.OnTimeout)
	}
	e.unblock(cl)
	return true
}

// firstOf is where a command looks that takes from the first of several keys:
// at all of them or, run again, at the one that changed. Redis 7.2 looks at all
// again.
func (c *Ctx) firstOf(keys [][]byte) [][]byte {
	if c.awaited == nil || c.e.table.ver.from(version{major: 7, minor: 2}) {
		return keys
	}
	return [][]byte{c.awaited}
}

// timeout reads a blocking command's time-out in seconds, fractions allowed,
// and makes it a deadline in milliseconds; 0 stays 0, for ever. One that is
// too large for milliseconds is called negative before 7.2.
func (a *Scanner) timeout() int64 {
	arg := a.Next()
	if a.err != nil {
		return 0
	}
	sec, ok := parseSeconds(arg)
	if !ok {
		a.Fail(errTimeoutFloat)
		return 0
	}
	ms := math.Ceil(sec * 1000)
	switch {
	case ms > math.MaxInt64/2 && a.c.e.table.ver.from(version{major: 7, minor: 2}):
		a.Fail(errTimeoutRange)
		return 0
	case ms < 0 || ms >= math.MaxInt64:
		a.Fail(errTimeoutNeg)
		return 0
	case ms == 0:
		return 0
	}
	return a.c.nowMS() + int64(min(ms, math.MaxInt64/2))
}

// parseSeconds reads a number of seconds. Redis reads a long double, so what is
// beyond a double's range passes: as infinite, or as almost nothing.
func parseSeconds(arg []byte) (sec float64, ok bool) {
	if sec, ok = value.ParseFloat(arg); ok {
		return sec, true
	}
	x, ok := value.ParseLongDouble(arg)
	one := value.IntLongDouble(1)
	switch {
	case x.Cmp(one) > 0:
		sec = math.Inf(1)
	case x.Cmp(one.Neg()) < 0:
		sec = math.Inf(-1)
	case x.Cmp(value.LongDouble{}) > 0:
		sec = math.SmallestNonzeroFloat64
	}
	return sec, ok
}

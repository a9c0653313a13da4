package engine

import (
	"errors"

	"minikv/resp"
	"minikv/value"
)

// Ctx is one execution of one command: who asked, when, with what arguments,
// and where the reply goes. It is valid until the handler returns.
type Ctx struct {
	e    *Engine
	cl   *Client
	db   *DB
	cmd  *Command
	argv [][]byte
	out  *resp.Writer

	source Source
	// readOnly refuses writes (EVAL_RO, scripts with no-writes).
	readOnly bool
	// crossSlot: the script that runs may use keys of several slots.
	crossSlot bool
	// ownEffect: the handler said what its effect is.
	ownEffect bool
	// inVain: a command that was run again found nothing again.
	inVain bool
	// awaited is the key whose change made the command run again: see Block.
	awaited []byte
	// secrets are the arguments that are passwords.
	secrets []int
	// hidden is from where on all of them are; 0: they are not.
	hidden int
	// failed: the handler answered with an error.
	failed bool
	// heard is where the part of the output begins that CLIENT REPLY keeps
	// back: see mute.
	heard resp.Mark
}

// errWait is what a handler returns when its client now waits.
var errWait = errors.New("client waits")

// pushCtx makes the context of an execution, reusing one of its depth.
func (e *Engine) pushCtx(cl *Client, argv [][]byte, source Source) *Ctx {
	if e.depth == len(e.ctxs) {
		e.ctxs = append(e.ctxs, new(Ctx))
	}
	c := e.ctxs[e.depth]
	e.depth++
	*c = Ctx{} // in place: a value that is made elsewhere and copied costs twice as much
	c.e, c.cl, c.db, c.argv, c.out, c.source = e, cl, cl.db, argv, &cl.out, source
	return c
}

func (e *Engine) popCtx() { e.depth-- }

// nowMS is the time of the execution in milliseconds, frozen for a whole
// script or EXEC.
func (c *Ctx) nowMS() int64 { return c.e.now / 1000 }

// flags are the command's, or those that its arguments declare.
func (c *Ctx) flags() Flag {
	if c.cmd.FlagsOf != nil {
		return c.cmd.FlagsOf(c)
	}
	return c.cmd.Flags
}

// resp3 tells whether the reply is to be RESP3.
func (c *Ctx) resp3() bool { return c.out.Proto() >= 3 }

// mayWait tells whether the command may block its client: not inside EXEC or
// a script, which are one step.
func (c *Ctx) mayWait() bool {
	return c.source == FromClient || c.source == FromBlocked
}

// Lookup finds a key for reading: keyspace hits and misses are counted and the
// key counts as used.
func (c *Ctx) Lookup(key []byte) *Entry {
	en := c.Peek(key)
	if en != nil {
		c.used(en)
	}
	return en
}

// Peek is Lookup that does not count as a use of the key.
func (c *Ctx) Peek(key []byte) *Entry {
	en := c.inspect(key)
	if en == nil {
		c.db.notify(ClassMiss, "keymiss", key)
	}
	return en
}

// inspect is Peek without the event of a missing key (OBJECT).
func (c *Ctx) inspect(key []byte) *Entry {
	en := c.db.live(key)
	if c.e.opt.Tap != nil {
		c.e.touch(c.db, string(key), false)
	}
	if en == nil {
		c.e.stats.misses++
	} else {
		c.e.stats.hits++
	}
	return en
}

// LookupWrite finds a key that the command means to change.
func (c *Ctx) LookupWrite(key []byte) *Entry {
	en := c.db.live(key)
	if c.e.opt.Tap != nil {
		c.e.touch(c.db, string(key), false)
	}
	if en != nil {
		c.used(en)
	}
	return en
}

// Read is Lookup for a value of one kind; WRONGTYPE for another.
func (c *Ctx) Read(key []byte, kind value.Kind) (*Entry, error) {
	en := c.Lookup(key)
	if en != nil && en.Val.kind() != kind {
		return nil, errWrongType
	}
	return en, nil
}

// Write is LookupWrite for a value of one kind; WRONGTYPE for another. Before
// the value is changed db.write must be called.
func (c *Ctx) Write(key []byte, kind value.Kind) (*Entry, error) {
	en := c.LookupWrite(key)
	if en != nil && en.Val.kind() != kind {
		return nil, errWrongType
	}
	return en, nil
}

// used notes an access for OBJECT IDLETIME and FREQ, unless the client said
// CLIENT NO-TOUCH.
func (c *Ctx) used(en *Entry) {
	if !c.cl.noTouch {
		en.Val.used(c.e)
	}
}

// ok answers OK.
func (c *Ctx) ok() error {
	c.out.OK()
	return nil
}

// int answers an integer.
func (c *Ctx) int(n int64) error {
	c.out.Int(n)
	return nil
}

// intOr is err, or answers an integer if there is none.
func (c *Ctx) intOr(n int64, err error) error {
	if err != nil {
		return err
	}
	return c.int(n)
}

// bool answers 1 or 0.
func (c *Ctx) bool(b bool) error {
	if b {
		return c.int(1)
	}
	return c.int(0)
}

// selectDB is SELECT: for the client, or inside a script for the script alone.
func (c *Ctx) selectDB(db *DB) {
	c.db = db
	if c.source != FromScript {
		c.cl.db = db
	}
}

// dbIndex reads a database number; a bad one is refused with bad, one that
// does not exist with "out of range".
func (c *Ctx) dbIndex(arg []byte, bad error) (*DB, error) {
	n, err := dbNumber(arg, bad)
	if err != nil {
		return nil, err
	}
	return c.numbered(n)
}

// dbNumber reads a database number, whether there is such a database or not.
func dbNumber(arg []byte, bad error) (int32, error) {
	n, ok := value.ParseInt(arg)
	switch {
	case !ok:
		return 0, bad
	case n != int64(int32(n)) && bad == errNotInteger:
		return 0, errIntRange
	case n != int64(int32(n)):
		return 0, bad
	}
	return int32(n), nil
}

// numbered is the database of a number.
func (c *Ctx) numbered(n int32) (*DB, error) {
	if n < 0 || int(n) >= len(c.e.dbs) {
		return nil, errDBIndex
	}
	return c.e.dbs[n], nil
}

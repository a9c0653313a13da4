package engine

// An effect is what a unit (a command, a script, an EXEC, a tick) did to the
// data, said in commands that do the same again whenever and wherever they are
// run: SPOP becomes SREM, a relative TTL an absolute one, a key that expired
// DEL, a script the commands it ran. By default a command is its own effect if
// it changed anything; a handler for which that is not so calls Ctx.effect or
// Ctx.noEffect. Replication, traces and replay read effects; without a
// listener none is collected.

// Effect is one command of a unit. A unit of several commands stands between
// MULTI and EXEC. Argv is valid during the call only.
type Effect struct {
	DB   int
	Argv [][]byte
}

type effectBuffer struct {
	list   []Effect
	silent bool // a script has said redis.set_repl(redis.REPL_NONE)
}

// effect says that the running command did what argv would do, instead of
// being its own effect. Several calls make several effects.
func (c *Ctx) effect(argv ...[]byte) {
	c.ownEffect = true
	if c.tellsEffects() {
		c.e.effects.list = append(c.e.effects.list, Effect{DB: c.db.id, Argv: copyArgv(argv)})
	}
}

// tellsEffects tells whether anybody hears what the running command says by
// effect: what costs something to say is not said otherwise.
func (c *Ctx) tellsEffects() bool { return c.e.opt.Effects != nil && !c.e.effects.silent }

// noEffect says that the running command is not its own effect.
func (c *Ctx) noEffect() { c.ownEffect = true }

// addEffect notes a change that no command stands for, as a key's expiry.
func (e *Engine) addEffect(db *DB, argv ...[]byte) {
	if e.opt.Effects != nil {
		e.effects.list = append(e.effects.list, Effect{DB: db.id, Argv: copyArgv(argv)})
	}
}

// flushEffects hands the unit's effects to the listener.
func (e *Engine) flushEffects() {
	list := e.effects.list
	if len(list) == 0 {
		return
	}
	e.effects.list = nil
	if len(list) > 1 {
		e.opt.Effects(Effect{DB: list[0].DB, Argv: [][]byte{[]byte("MULTI")}})
	}
	for _, f := range list {
		e.opt.Effects(f)
	}
	if len(list) > 1 {
		e.opt.Effects(Effect{DB: list[len(list)-1].DB, Argv: [][]byte{[]byte("EXEC")}})
	}
}

// copyArgv makes a copy of argv that outlives the command, in one block.
func copyArgv(argv [][]byte) [][]byte {
	n := 0
	for _, a := range argv {
		n += len(a)
	}
	block := make([]byte, 0, n)
	out := make([][]byte, len(argv))
	for i, a := range argv {
		at := len(block)
		block = append(block, a...)
		out[i] = block[at:len(block):len(block)]
	}
	return out
}

package engine

import "minikv/expiry"

// MINIKV.CLOCK. The engine has no clock: what a command asks of it is a request
// to the loop, which owns it and lets everything happen that becomes due.

func clockRows() []*Command {
	sub := func(name string, arity int, syntax, summary string, handler func(*Ctx) error) *Command {
		return &Command{Name: name, Arity: arity, Flags: testFlags, Since: ownSince, Syntax: syntax, Summary: summary,
			Complexity: "O(N), N what becomes due", Handler: handler}
	}
	return []*Command{
		{Name: "MINIKV.CLOCK", Arity: -2, Group: Minikv, Since: ownSince, Complexity: "Depends on subcommand.",
			Summary: "Moves the server's time.", Sub: []*Command{
				sub("ADVANCE", 3, "milliseconds", "Moves the time on, through all that is due, each at its own instant.", cmdClockAdvance),
				sub("FREEZE", 2, "", "Lets time stand still.", clockMove(ClockFreeze)),
				sub("GET", 2, "", "Answers the time in milliseconds.", clockMove(ClockGet)),
				sub("NEXT", 2, "", "Moves the time on to the next deadline; answers null if there is none.", clockMove(ClockNext)),
				sub("RUN", 2, "", "Lets time run, from where it stands.", clockMove(ClockRun)),
				sub("SET", 3, "unix-time-milliseconds", "Sets the time: forward as ADVANCE does, or back.", cmdClockSet),
			}},
	}
}

// ownSince is the minikv version that brought its own commands.
const ownSince = "0.1.0"

// ClockMove is what MINIKV.CLOCK does with the time.
type ClockMove uint8

// The moves. Each answers the time that it then is, in unix milliseconds.
const (
	ClockGet     ClockMove = iota
	ClockFreeze            // time stands still
	ClockRun               // it runs, from where it stands
	ClockSet               // it is Request.Micros, in microseconds since 1970
	ClockAdvance           // it moves on by Request.Micros
	ClockNext              // it moves on to the next deadline
)

// lastMS is the last millisecond of the year 9999, at which time stops.
const lastMS = 253_402_300_799_999

// LastTime is how far a time can be moved, in microseconds since 1970.
const LastTime = int64(lastMS) * 1000

func clockMove(move ClockMove) func(*Ctx) error {
	return func(c *Ctx) error { return c.ask(Request{Kind: RequestClock, Move: move}) }
}

func cmdClockAdvance(c *Ctx) error { return c.moveClock(ClockAdvance) }

func cmdClockSet(c *Ctx) error { return c.moveClock(ClockSet) }

// moveClock asks for a move by, or to, the milliseconds that the command names.
func (c *Ctx) moveClock(move ClockMove) error {
	a := c.Scan()
	ms := a.Int()
	if err := a.Done(); err != nil {
		return err
	}
	if ms < 0 || ms > lastMS {
		return errOutOfRange
	}
	return c.ask(Request{Kind: RequestClock, Move: move, Micros: ms * 1000})
}

// NextDue is the earliest time at which Tick has something to do, in
// microseconds; planned is false if nothing is.
func (e *Engine) NextDue() (at int64, planned bool) {
	at = e.nextDue()
	return at, at < never
}

// Expiring tells whether the deadline of a key, or of a hash's field, is this
// very millisecond. Redis lets it live to the end of that.
func (e *Engine) Expiring(now int64) bool {
	if !e.mayExpireActively() {
		return false
	}
	for _, db := range e.dbs {
		for _, d := range []*expiry.Deadline[*Entry]{db.expires.Min(), db.fields.Min()} {
			if d != nil && d.At() == now/1000 {
				return true
			}
		}
	}
	return false
}

package engine

import (
	"fmt"
	"math/rand/v2"
	"time"

	"minikv/expiry"
	"minikv/resp"
	"minikv/value"
)

// Faults. A test says which commands are to go wrong, and how: refused with an
// error, delayed, cut off from their client before or after they ran. A fault
// looks at what a client sends, once every gate has let it pass; commands that
// scripts and EXEC run are part of what was sent. Faults are asked in the order
// in which they were added. The first that fires acts, and those behind it do
// not see the command.
//
// Price: one bit of the gates while there are none.

// FaultAction is what a fault does.
type FaultAction uint8

// The actions. A command that is refused, or whose connection is closed before
// it, does not run.
const (
	FaultError       FaultAction = iota + 1 // refused with Text
	FaultMoved                              // refused with MOVED, the key's slot and Text, an address
	FaultAsk                                // the same with ASK
	FaultDelay                              // it runs after Delay of the server's time, or of real time if Real
	FaultNoReply                            // it runs; the client hears nothing any more
	FaultCloseBefore                        // the connection closes instead
	FaultCloseAfter                         // it runs, and the connection closes without its reply
	FaultTruncate                           // it runs, and the connection closes after the first Bytes of its reply
)

// Fault says which commands go wrong and how.
type Fault struct {
	// Command is a name, "set" or "client|list", in any case; a container
	// stands for all of its subcommands. Empty: every command but those of the
	// connection group (HELLO, CLIENT, PING ...), which have to be named.
	Command string
	// Key is a glob pattern that one of the command's keys matches; empty: any
	// command, with keys or without.
	Key string
	// Client is a glob pattern for the name of CLIENT SETNAME; empty: any.
	Client string

	// Which of the commands that match: the Nth alone, each Every-th, or by
	// chance with a Probability, drawn with Seed (0: derived from the server's).
	// None of them: all.
	Nth, Every  int64
	Probability float64
	Seed        uint64
	Times       int64 // how often at most; 0: no limit

	Action FaultAction
	Text   string
	Delay  time.Duration
	Real   bool
	Bytes  int
}

// FaultStatus is a fault that was added and what became of it.
type FaultStatus struct {
	Fault
	ID             int64
	Matched, Fired int64 // commands that matched, and those that went wrong
}

// faultState is the engine's faults.
type faultState struct {
	list   []*fault
	nextID int64
	delays expiry.Heap[*Client] // clients whose command is delayed, by millisecond
}

type fault struct {
	FaultStatus
	command *Command // nil: any
	rand    *rand.Rand
}

// AddFault adds a fault and answers its id.
func (e *Engine) AddFault(f Fault) (id int64, err error) {
	added := &fault{FaultStatus: FaultStatus{Fault: f}}
	if f.Command != "" {
		if added.command = e.table.Lookup(f.Command); added.command == nil {
			return 0, errorf("ERR there is no command '%s'", plainLine(f.Command))
		}
	}
	if err := f.check(); err != nil {
		return 0, err
	}
	e.faults.nextID++
	added.ID = e.faults.nextID
	if f.Probability > 0 {
		seed := f.Seed
		if seed == 0 {
			seed = e.opt.Seed
		}
		added.rand = rand.New(rand.NewPCG(seed, uint64(added.ID)))
	}
	e.faults.list = append(e.faults.list, added)
	e.closedGates |= gateFault
	return added.ID, nil
}

// check finds what cannot be meant.
func (f *Fault) check() error {
	switch {
	case f.Action < FaultError || f.Action > FaultTruncate:
		return errFaultAction
	case f.Nth < 0 || f.Every < 0 || f.Times < 0 || f.Bytes < 0 || f.Delay < 0:
		return errPositive
	case !(f.Probability >= 0 && f.Probability <= 1):
		return errFaultProbability
	case f.Action <= FaultAsk && f.Text == "":
		return errFaultText
	case f.Action == FaultDelay && f.Delay.Milliseconds() > lastMS:
		return errOutOfRange
	}
	chosen := 0
	for _, by := range []bool{f.Nth > 0, f.Every > 0, f.Probability > 0} {
		if by {
			chosen++
		}
	}
	if chosen > 1 {
		return errFaultChoice
	}
	return nil
}

// Faults lists the faults, the oldest first.
func (e *Engine) Faults() []FaultStatus {
	list := make([]FaultStatus, len(e.faults.list))
	for i, f := range e.faults.list {
		list[i] = f.FaultStatus
	}
	return list
}

// RemoveFault removes a fault; false: there is none with this id. What it
// delays stays delayed.
func (e *Engine) RemoveFault(id int64) bool {
	for i, f := range e.faults.list {
		if f.ID == id {
			e.faults.list = append(e.faults.list[:i:i], e.faults.list[i+1:]...)
			return true
		}
	}
	return false
}

// RemoveFaults removes all faults and answers how many there were.
func (e *Engine) RemoveFaults() int {
	n := len(e.faults.list)
	e.faults.list = nil
	return n
}

// matches tells whether a fault concerns a command.
func (f *fault) matches(c *Ctx) bool {
	switch {
	case f.command != nil && f.command.lower != c.cmd.lower && (c.cmd.parent == nil || f.command.lower != c.cmd.parent.lower):
		return false
	case f.command == nil && c.cmd.Group == Connection:
		return false
	case f.Client != "" && !value.Glob([]byte(f.Client), []byte(c.cl.name)):
		return false
	case f.Key == "":
		return true
	}
	return f.key(c) != nil
}

// key is the first key of a command that the pattern matches, or nil.
func (f *fault) key(c *Ctx) []byte {
	var buf [8]KeyRef
	refs, _ := c.cmd.keysOf(c.argv, buf[:0])
	for _, ref := range refs {
		if f.Key == "" || value.Glob([]byte(f.Key), c.argv[ref.Pos]) {
			return c.argv[ref.Pos]
		}
	}
	return nil
}

// fires counts a command that matches and decides on it.
func (f *fault) fires() bool {
	f.Matched++
	switch {
	case f.Times > 0 && f.Fired >= f.Times,
		f.Nth > 0 && f.Matched != f.Nth,
		f.Every > 0 && f.Matched%f.Every != 0,
		f.rand != nil && f.rand.Float64() >= f.Probability:
		return false
	}
	f.Fired++
	return true
}

// faultGate is the last gate: whatever else refuses a command does so first. Once
// there has been a fault it stays on the way of all commands: one that was
// delayed may still have to come through.
func faultGate(c *Ctx) error {
	switch {
	case c.cmd.Group == Minikv:
		return nil
	case c.cl.spoiled.delayed: // its time has come
		c.cl.spoiled.delayed = false
		return nil
	}
	for _, f := range c.e.faults.list {
		if f.matches(c) && f.fires() {
			return f.act(c)
		}
	}
	return nil
}

// plainLine is a text that fits into one line of the protocol.
func plainLine(s string) string {
	b := []byte(s)
	for i, ch := range b {
		if ch == '\r' || ch == '\n' {
			b[i] = ' '
		}
	}
	return string(b)
}

// redirection is MOVED or ASK for a command's key, or for slot 0.
func (f *fault) redirection(c *Ctx, word string) error {
	slot := 0
	if key := f.key(c); key != nil {
		slot = keySlot(key)
	}
	return errorf("%s %d %s", word, slot, plainLine(f.Text))
}

// noted tells who wants to know that a command was not run, or not answered.
func (e *Engine) noted(c *Ctx, format string, args ...any) {
	if e.opt.Noted != nil {
		e.opt.Noted(c.cl, c.argv, fmt.Sprintf(format, args...))
	}
}

// spoiling is what a fault has in store for a client.
type spoiling struct {
	by      *fault // spoils the reply of the command that runs, or nil
	from    resp.Mark
	silent  bool // nothing is heard any more
	delayed bool // the command was held back and is now to run
	real    time.Duration
	delay   *expiry.Deadline[*Client]
}

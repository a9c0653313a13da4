package engine

import (
	"strconv"
	"strings"
	"time"

	"minikv/value"
)

// MINIKV.FAULT: see fault.go.

func faultRows() []*Command {
	return []*Command{
		{Name: "MINIKV.FAULT", Arity: -2, Group: Minikv, Since: ownSince, Complexity: "Depends on subcommand.",
			Summary: "Makes commands go wrong.", Sub: []*Command{
				{Name: "ADD", Arity: -3, Flags: testFlags, Since: ownSince, Complexity: "O(1)",
					Syntax: "[COMMAND name] [KEY pattern] [CLIENT pattern] [NTH n:integer | EVERY n:integer | PROBABILITY p:double] [SEED seed:integer] [TIMES n:integer] " +
						"<ERROR message | MOVED address | ASK address | LOADING | READONLY | BUSY | DELAY milliseconds [REAL] | NOREPLY | CLOSE <BEFORE | AFTER> | TRUNCATE bytes:integer>",
					Summary: "Adds a fault and answers its id.", Handler: cmdFaultAdd},
				{Name: "LIST", Arity: 2, Flags: testFlags, Since: ownSince, Complexity: "O(N), N the faults",
					Summary: "Lists the faults: which commands matched, and which went wrong.", Handler: cmdFaultList},
				{Name: "REMOVE", Arity: 3, Flags: testFlags, Since: ownSince, Syntax: "id:integer", Complexity: "O(N), N the faults",
					Summary: "Removes a fault; answers 1 if it was there.", Handler: cmdFaultRemove},
				{Name: "RESET", Arity: 2, Flags: testFlags, Since: ownSince, Complexity: "O(N), N the faults",
					Summary: "Removes all faults; answers how many there were.", Handler: cmdFaultReset},
			}},
	}
}

func cmdFaultAdd(c *Ctx) error {
	a := c.Scan()
	f := scanFault(&a)
	if err := a.Done(); err != nil {
		return err
	}
	id, err := c.e.AddFault(f)
	if err != nil {
		return err
	}
	return c.int(id)
}

// scanFault reads a fault as ADD has it: what it concerns, then its action.
func scanFault(a *Scanner) (f Fault) {
	for a.More() {
		switch {
		case a.Word("COMMAND"):
			f.Command = string(a.Next())
		case a.Word("KEY"):
			f.Key = string(a.Next())
		case a.Word("CLIENT"):
			f.Client = string(a.Next())
		case a.Word("NTH"):
			f.Nth = a.IntIn(1, maxInt64, errPositive)
		case a.Word("EVERY"):
			f.Every = a.IntIn(1, maxInt64, errPositive)
		case a.Word("PROBABILITY"):
			if f.Probability = a.Float(); !(f.Probability > 0) {
				a.Fail(errFaultProbability)
			}
		case a.Word("SEED"):
			f.Seed = uint64(a.Int())
		case a.Word("TIMES"):
			f.Times = a.IntIn(1, maxInt64, errPositive)
		default:
			scanFaultAction(a, &f)
			return f
		}
	}
	a.Fail(errFaultAction)
	return f
}

const maxInt64 = int64(^uint64(0) >> 1)

func scanFaultAction(a *Scanner, f *Fault) {
	for _, e := range faultErrors {
		if a.Word(e.word) {
			f.Action, f.Text = FaultError, e.text.Error()
			return
		}
	}
	switch {
	case a.Word("ERROR"):
		f.Action, f.Text = FaultError, string(a.Next())
	case a.Word("MOVED"):
		f.Action, f.Text = FaultMoved, string(a.Next())
	case a.Word("ASK"):
		f.Action, f.Text = FaultAsk, string(a.Next())
	case a.Word("DELAY"):
		f.Action = FaultDelay
		f.Delay = time.Duration(a.IntIn(0, int64(1<<63-1)/1e6, errOutOfRange)) * time.Millisecond
		f.Real = a.Word("REAL")
	case a.Word("NOREPLY"):
		f.Action = FaultNoReply
	case a.WordWith("CLOSE", 1):
		switch {
		case a.Word("BEFORE"):
			f.Action = FaultCloseBefore
		case a.Word("AFTER"):
			f.Action = FaultCloseAfter
		default:
			a.Syntax()
		}
	case a.Word("TRUNCATE"):
		f.Action = FaultTruncate
		f.Bytes = int(a.IntIn(0, 1<<30, errOutOfRange))
	default:
		a.Fail(errFaultAction)
	}
}

// faultErrors are errors that have a word of their own.
var faultErrors = []struct {
	word string
	text error
}{
	{"LOADING", errLoading}, {"READONLY", errReadOnly}, {"BUSY", errBusy},
}

// String is the fault as ADD takes it.
func (f Fault) String() string {
	var words []string
	add := func(word, arg string) { words = append(words, word, arg) }
	number := func(word string, n int64) {
		if n > 0 {
			add(word, strconv.FormatInt(n, 10))
		}
	}
	for _, w := range [][2]string{{"COMMAND", f.Command}, {"KEY", f.Key}, {"CLIENT", f.Client}} {
		if w[1] != "" {
			add(w[0], word(w[1]))
		}
	}
	number("NTH", f.Nth)
	number("EVERY", f.Every)
	if f.Probability > 0 {
		add("PROBABILITY", strconv.FormatFloat(f.Probability, 'g', -1, 64))
	}
	if f.Seed != 0 {
		add("SEED", strconv.FormatInt(int64(f.Seed), 10))
	}
	number("TIMES", f.Times)
	return strings.Join(append(words, f.action()...), " ")
}

// word quotes an argument that is not one plain word.
func word(s string) string {
	for _, ch := range []byte(s) {
		if ch <= ' ' || ch > '~' || ch == '"' || ch == '\'' || ch == '\\' {
			return quoted(s)
		}
	}
	return s
}

func (f Fault) action() []string {
	switch f.Action {
	case FaultError:
		for _, e := range faultErrors {
			if f.Text == e.text.Error() {
				return []string{e.word}
			}
		}
		return []string{"ERROR", word(f.Text)}
	case FaultMoved:
		return []string{"MOVED", word(f.Text)}
	case FaultAsk:
		return []string{"ASK", word(f.Text)}
	case FaultDelay:
		words := []string{"DELAY", strconv.FormatInt(f.Delay.Milliseconds(), 10)}
		if f.Real {
			words = append(words, "REAL")
		}
		return words
	case FaultNoReply:
		return []string{"NOREPLY"}
	case FaultCloseBefore:
		return []string{"CLOSE", "BEFORE"}
	case FaultCloseAfter:
		return []string{"CLOSE", "AFTER"}
	case FaultTruncate:
		return []string{"TRUNCATE", strconv.Itoa(f.Bytes)}
	}
	return nil
}

func cmdFaultList(c *Ctx) error {
	list := c.e.Faults()
	c.out.Array(len(list))
	for _, f := range list {
		c.out.Map(4)
		c.out.BulkString("id")
		c.out.Int(f.ID)
		c.out.BulkString("fault")
		c.out.BulkString(f.String())
		c.out.BulkString("matched")
		c.out.Int(f.Matched)
		c.out.BulkString("fired")
		c.out.Int(f.Fired)
	}
	return nil
}

func cmdFaultRemove(c *Ctx) error {
	id, ok := value.ParseInt(c.argv[2])
	if !ok {
		return errNotInteger
	}
	return c.bool(c.e.RemoveFault(id))
}

func cmdFaultReset(c *Ctx) error { return c.int(int64(c.e.RemoveFaults())) }

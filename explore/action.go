package explore

import (
	"strconv"
	"strings"
)

// actionKind says what a program does next.
type actionKind uint8

const (
	// These wait for their turn: a schedule says when.
	actCall   actionKind = iota // a command
	actSleep                    // time goes by
	actWork                     // the same, and the story calls it work
	actWrite                    // a write to the resource that the lock protects
	actChoose                   // one of n ways

	// These happen at once.
	actNow     // the clock is read
	actEnter   // the critical section begins
	actLeave   // and ends
	actBelieve // until when the client believes to hold the lock, 0: it does not
	actFail    // the scenario says that something is wrong
	actShow    // the scenario has shown what it wanted to show
	actNote    // a word for the story
	actAttempt // attempt n begins: what was before is forgotten
	actCount   // the finished clients are counted

	// These end the program.
	actDone
	actDied // of an error
)

// action is one step of a program.
type action struct {
	kind actionKind
	node int // of a call: 0 is the node that serves writes, others count from 1, everyNode is each in turn
	argv []string
	op   int32 // argv's number in the store
	n    int64
	text string

	blind bool // of a call: the program does not look at the reply
}

// everyNode is a call that goes to each node in turn; the program sees only how
// many said yes.
const everyNode = -1

// yes tells whether a reply counts as a yes: OK, a text, or a positive number.
func yes(seen string) bool {
	switch {
	case seen == "" || seen[0] == '!' || seen[0] == '-':
		return false
	case seen[0] == ':':
		return seen[1] != '0' && seen[1] != '-'
	case seen[0] == '$' || seen[0] == '*':
		return seen[1] != '-'
	}
	return true
}

// immediate tells whether an action needs no turn.
func (a *action) immediate() bool { return a.kind >= actNow && a.kind < actDone }

// command is a call as one would type it; scripts are cut short.
func (a *action) command() string {
	words := make([]string, len(a.argv))
	for i, w := range a.argv {
		if i == 1 && isEval(a.argv[0]) {
			w = "(script)"
		}
		words[i] = quoteWord(w)
	}
	return strings.Join(words, " ")
}

func isEval(name string) bool {
	return strings.EqualFold(name, "EVAL") || strings.EqualFold(name, "EVAL_RO")
}

// quoteWord quotes a word for redis-cli if that needs it.
func quoteWord(w string) string {
	plain := w != ""
	for _, r := range w {
		plain = plain && r > ' ' && r < 0x7f && r != '"' && r != '\'' && r != '\\'
	}
	if plain {
		return w
	}
	return strconv.Quote(w)
}

// What a program sees of a call that got no reply.
const (
	seenTimeout = "!timeout"
	seenRefused = "!connection refused"
	seenReset   = "!connection reset"
)

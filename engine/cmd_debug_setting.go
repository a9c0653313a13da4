package engine

import (
	"slices"
	"strings"

	"minikv/engine/config"
)

// debugSettings are what DEBUG has changed, until it changes it again.
type debugSettings struct {
	scriptsMay bool // scripts may call more: see scriptMay
	plainFrom  int  // bytes of a list's element that has a node of its own; 0: defaultPlain
	identities int  // that the data had before: see replicationID
}

const (
	defaultPlain = 1 << 30
	mostPlain    = 4<<30 - 1<<20
)

// plain is from how many bytes on an element of a list has a node of its own.
func (s *debugSettings) plain() int {
	if s.plainFrom == 0 {
		return defaultPlain
	}
	return s.plainFrom
}

// debugPackedThreshold sets it.
//
// DIFFERS: DEBUG QUICKLIST-PACKED-THRESHOLD changes the nodes that DEBUG OBJECT tells of, but not the payload of DUMP, in which Redis marks such nodes.
func debugPackedThreshold(c *Ctx, args [][]byte) error {
	n, ok := config.ParseMemory(string(args[0]))
	if len(args[0]) == 0 {
		n, ok = 0, true
	}
	if !ok || n < 0 || n > mostPlain {
		return errPackedThreshold
	}
	c.e.settings.plainFrom = int(n)
	return c.ok()
}

// debugChangeReplID gives the data another identity.
func debugChangeReplID(c *Ctx, _ [][]byte) error {
	c.e.settings.identities++
	return c.ok()
}

// debugDenyScripts lets scripts call more, or no longer.
//
// DIFFERS: DEBUG SET-DISABLE-DENY-SCRIPTS 1 allows scripts commands that block, which answer at once, WAIT and DEBUG, but nothing else that is denied to them, as MULTI, SUBSCRIBE, EVAL and CONFIG; Redis allows all, and ends at EVAL.
func debugDenyScripts(c *Ctx, args [][]byte) error {
	c.e.settings.scriptsMay = !isZero(args[0])
	return c.ok()
}

// scriptMay tells whether a script may call a command: once DEBUG has said so
// also those that newer versions allow it, and DEBUG.
func (e *Engine) scriptMay(cmd *Command) bool {
	newer := func(v Variant) bool { return v.Without&NoScript != 0 }
	return cmd.Flags&NoScript == 0 || e.settings.scriptsMay && (cmd.Flags&Protected != 0 || slices.ContainsFunc(cmd.Variants, newer))
}

// isZero tells whether C's atoi makes 0 of a text.
func isZero(arg []byte) bool {
	digits := strings.TrimLeft(strings.TrimLeft(string(arg), "+-"), "0")
	return digits == "" || digits[0] < '0' || digits[0] > '9'
}

package engine

import (
	"fmt"
	"strings"

	"minikv/engine/config"
	"minikv/value"
)

// Strict mode finds what works on one server and breaks elsewhere: in a cluster,
// on a large data set, in a later version. Each rule is off by default; on, it
// refuses the command or, as a warning, lets it run. Either way MINIKV.WARNINGS
// and the log tell of it.
//
// Price: one bit of the gates while all rules are off.

// strictState is what the rules say and have found.
type strictState struct {
	rules    [config.StrictRules]config.Strictness
	warnings []strictWarning
}

// strictWarning is a finding, however often it was made.
type strictWarning struct {
	rule  config.StrictRule
	text  string
	count int64
}

// maxWarnings bounds the findings that are kept apart.
const maxWarnings = 1000

// followStrict takes the rules from the configuration.
func (e *Engine) followStrict() {
	e.strict.rules = e.conf.Strict
	e.closedGates &^= gateStrict
	if e.strict.rules != [config.StrictRules]config.Strictness{} {
		e.closedGates |= gateStrict
	}
}

// finds notes that a rule was broken, and answers the error if the rule is one.
func (e *Engine) finds(rule config.StrictRule, err error) error {
	text := err.Error()
	e.log(LogWarning, "strict: "+rule.String()+": "+text)
	known := false
	for i := range e.strict.warnings {
		w := &e.strict.warnings[i]
		if w.rule == rule && w.text == text {
			w.count++
			known = true
		}
	}
	if !known && len(e.strict.warnings) < maxWarnings {
		e.strict.warnings = append(e.strict.warnings, strictWarning{rule, text, 1})
	}
	if e.strict.rules[rule] == config.StrictError {
		return err
	}
	return nil
}

// strictGate judges what a client sends.
func strictGate(c *Ctx) error {
	if c.cmd.Group == Minikv || c.e.closedGates&gateStrict == 0 {
		return nil
	}
	rules := &c.e.strict.rules
	name := strings.ToUpper(strings.ReplaceAll(c.cmd.FullName(), "|", " "))
	if rules[config.StrictDeprecated] != config.StrictOff && c.cmd.Deprecated != "" {
		instead := strings.NewReplacer("`", "", "!", "").Replace(c.cmd.ReplacedBy)
		err := errorf("ERR %s is deprecated since %s, for %s", name, c.cmd.Deprecated, instead)
		if err := c.e.finds(config.StrictDeprecated, err); err != nil {
			return err
		}
	}
	refs, _ := c.cmd.keysOf(c.argv, nil)
	if rules[config.StrictCrossSlot] != config.StrictOff && c.crossesSlots(refs) {
		if err := c.e.finds(config.StrictCrossSlot, errCrossSlots); err != nil {
			return err
		}
	}
	if rules[config.StrictLargeKeys] == config.StrictOff || !strings.HasPrefix(c.cmd.Complexity, "O(N") {
		return nil
	}
	for _, ref := range refs {
		en := c.db.keys.Get(c.argv[ref.Pos])
		if en == nil || elements(&en.Val) <= c.e.conf.StrictLargeKey {
			continue
		}
		err := errorf("ERR %s is %s and '%s' has %d elements", name, c.cmd.Complexity, clip(c.argv[ref.Pos], 128), elements(&en.Val))
		if err := c.e.finds(config.StrictLargeKeys, err); err != nil {
			return err
		}
	}
	return nil
}

func (c *Ctx) crossesSlots(refs []KeyRef) bool {
	for _, ref := range refs[min(len(refs), 1):] {
		if keySlot(c.argv[ref.Pos]) != keySlot(c.argv[refs[0].Pos]) {
			return true
		}
	}
	return false
}

// elements is how many elements a value has; a string is one.
func elements(o *Object) int64 {
	switch o.kind() {
	case value.KindList:
		return int64(o.list().Len())
	case value.KindSet:
		return int64(o.set().Len())
	case value.KindZSet:
		return int64(o.zset().Len())
	case value.KindHash:
		return int64(o.hash().Len())
	case value.KindStream:
		return int64(o.stream().Len())
	case value.KindArray:
		return int64(o.array().Count())
	}
	return 1
}

// strictScript judges a command of a script: its keys are to be among those that
// the script was given.
func (r *scriptRun) strictScript(c *Ctx) error {
	if r.e.strict.rules[config.StrictUndeclaredKeys] == config.StrictOff {
		return nil
	}
	declared, _ := r.c.cmd.keysOf(r.c.argv, nil)
	refs, _ := c.cmd.keysOf(c.argv, nil)
	for _, ref := range refs {
		key, found := string(c.argv[ref.Pos]), false
		for _, d := range declared {
			found = found || string(r.c.argv[d.Pos]) == key
		}
		if !found {
			err := fmt.Errorf("ERR script uses the key '%s', which KEYS does not name", clip([]byte(plainLine(key)), 128))
			if err := r.e.finds(config.StrictUndeclaredKeys, wireError(err.Error())); err != nil {
				return err
			}
		}
	}
	return nil
}

// strictTTL looks, after a command that writes, for keys that match
// strict-ttl-keys and would live for ever. The command has run: it is a warning
// in any case.
func (c *Ctx) strictTTL() {
	if c.failed || c.cmd.Flags&Write == 0 {
		return
	}
	refs, _ := c.cmd.keysOf(c.argv, nil)
	for _, ref := range refs {
		key := c.argv[ref.Pos]
		if !value.Glob([]byte(c.e.conf.StrictTTLKeys), key) {
			continue
		}
		if en := c.db.keys.Get(key); en != nil && en.Val.expireAt() < 0 {
			c.e.finds(config.StrictTTL, errorf("ERR %s leaves '%s' without a TTL", strings.ToUpper(c.cmd.FullName()), clip([]byte(plainLine(string(key))), 128)))
		}
	}
}

func warningRows() []*Command {
	return []*Command{
		{Name: "MINIKV.WARNINGS", Arity: -1, Flags: testFlags, Group: Minikv, Since: ownSince, Syntax: "[RESET]", Complexity: "O(N), N the warnings",
			Summary: "Lists what strict mode has found: rule, how often, text. RESET forgets it.", Handler: cmdWarnings},
	}
}

func cmdWarnings(c *Ctx) error {
	a := c.Scan()
	reset := a.Word("RESET")
	if err := a.Done(); err != nil {
		return err
	}
	if reset {
		c.e.strict.warnings = nil
		return c.ok()
	}
	c.out.Array(len(c.e.strict.warnings))
	for _, w := range c.e.strict.warnings {
		c.out.Array(3)
		c.out.BulkString(w.rule.String())
		c.out.Int(w.count)
		c.out.BulkString(w.text)
	}
	return nil
}

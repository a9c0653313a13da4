package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"minikv/engine/config"
)

// Rules. A user is described by words, each of which changes it a little:
// those on the user itself (on, off, passwords), and those on what it may do,
// which belong to the root selector or, in parentheses, make a selector of
// their own. The same words come from ACL SETUSER, from user lines of the
// configuration file and from the ACL file.
//
// A word ends at a zero byte, as C's functions see it, save where it is a
// pattern (which may have none) or a password (which may have any).

// ruleError is why a rule is refused. Each way of giving rules makes its own
// message of it.
type ruleError string

func (e ruleError) Error() string { return string(e) }

const (
	errRuleSyntax   ruleError = "Syntax error"
	errRuleUnknown  ruleError = "Unknown command or category name in ACL"
	errRuleFirstArg ruleError = "Allowing first-arg of a subcommand is not supported"
	errRuleAllKeys  ruleError = "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not have any effect. " +
		"Try 'resetkeys' to start with an empty list of patterns"
	errRuleAllChannels ruleError = "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and does not have any effect. " +
		"Try 'resetchannels' to start with an empty list of channels"
	errRulePassword ruleError = "The password you are trying to remove from the user does not exist"
	errRuleHash     ruleError = "The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters"
)

// newUsersHearAll tells whether acl-pubsub-default gives new users all channels.
func (e *Engine) newUsersHearAll() bool { return e.conf.ACLPubSubDefault == config.AllChannels }

// joinSelectors puts the words of each selector that came as several arguments
// together. One that opens before another is closed takes its place, as in
// Redis. An opening parenthesis that is never closed is answered.
func joinSelectors(words [][]byte) (joined [][]byte, unclosed []byte) {
	var open [][]byte
	for _, w := range words {
		closes := len(w) > 0 && w[len(w)-1] == ')'
		switch {
		case len(w) > 0 && w[0] == '(' && !closes:
			open = [][]byte{w}
		case open != nil:
			if open = append(open, w); closes {
				joined, open = append(joined, bytes.Join(open, []byte(" "))), nil
			}
		default:
			joined = append(joined, w)
		}
	}
	if open != nil {
		return nil, open[0]
	}
	return joined, nil
}

// validUserName tells whether a name has no blanks and no zero byte.
func validUserName(name []byte) bool { return !hasBlank(name) }

func hasBlank(b []byte) bool { return bytes.ContainsAny(b, " \t\n\v\f\r\x00") }

// userWords are the rules on a user that have no argument.
var userWords = map[string]func(e *Engine, u *user){
	"on":                    func(_ *Engine, u *user) { u.on = true },
	"off":                   func(_ *Engine, u *user) { u.on = false },
	"nopass":                func(_ *Engine, u *user) { u.nopass, u.passwords = true, nil },
	"resetpass":             func(_ *Engine, u *user) { u.nopass, u.passwords = false, nil },
	"sanitize-payload":      func(_ *Engine, u *user) { u.sanitize = sanitizeOn },
	"skip-sanitize-payload": func(_ *Engine, u *user) { u.sanitize = sanitizeSkip },
	"clearselectors":        func(_ *Engine, u *user) { u.selectors = nil },
	"reset": func(e *Engine, u *user) {
		*u = user{name: u.name, limited: true, sanitize: sanitizeOn, root: e.newSelector()}
	},
}

// apply changes a user by one rule.
func (e *Engine) applyRule(u *user, rule []byte) error {
	word := string(cString(rule))
	if change, has := userWords[strings.ToLower(word)]; has {
		change(e, u)
		return nil
	}
	if len(rule) == 0 {
		return nil
	}
	switch rule[0] {
	case '>':
		u.addPassword(sha256.Sum256(rule[1:]))
		return nil
	case '<':
		return u.removePassword(sha256.Sum256(rule[1:]))
	case '#', '!':
		hash, ok := parseHash(rule[1:])
		if !ok {
			return errRuleHash
		}
		if rule[0] == '!' {
			return u.removePassword(hash)
		}
		u.addPassword(hash)
		return nil
	case '(':
		if rule[len(rule)-1] != ')' {
			break
		}
		return e.addSelector(u, cString(rule[1:len(rule)-1]))
	}
	return e.applySelectorRule(u.root, rule)
}

// addSelector adds what stands between two parentheses.
func (e *Engine) addSelector(u *user, rules []byte) error {
	s := e.newSelector()
	for _, rule := range bytes.Split(rules, []byte(" ")) {
		if len(rule) == 0 {
			continue
		}
		if err := e.applySelectorRule(s, rule); err != nil {
			return err
		}
	}
	u.selectors = append(u.selectors, s)
	return nil
}

func (u *user) addPassword(hash passwordHash) {
	u.nopass = false
	if !slices.Contains(u.passwords, hash) {
		u.passwords = append(u.passwords, hash)
	}
}

func (u *user) removePassword(hash passwordHash) error {
	i := slices.Index(u.passwords, hash)
	if i < 0 {
		return errRulePassword
	}
	u.passwords = slices.Delete(u.passwords, i, i+1)
	return nil
}

// parseHash reads a SHA-256 digest in lower-case hex.
func parseHash(text []byte) (hash passwordHash, ok bool) {
	if len(text) != 2*len(hash) || bytes.ContainsAny(text, "ABCDEF") {
		return hash, false
	}
	_, err := hex.Decode(hash[:], text)
	return hash, err == nil
}

// applySelectorRule changes a selector by one rule.
func (e *Engine) applySelectorRule(s *selector, rule []byte) error {
	word := string(cString(rule))
	switch strings.ToLower(word) {
	case "allkeys", "~*":
		s.allKeys, s.keys = true, nil
		return nil
	case "resetkeys":
		s.allKeys, s.keys = false, nil
		return nil
	case "allchannels", "&*":
		s.allChannels, s.channels = true, nil
		return nil
	case "resetchannels":
		s.allChannels, s.channels = false, nil
		return nil
	case "allcommands", "+@all":
		s.allowAll(e.table)
		return nil
	case "nocommands", "-@all":
		s.denyAll()
		return nil
	case "":
		return errRuleSyntax
	}
	switch rule[0] {
	case '~', '%':
		return s.applyKeyRule(rule)
	case '&':
		return s.applyChannelRule(rule[1:])
	case '+', '-':
		if err := e.applyCommandRule(s, word); err != nil {
			return err
		}
		s.remember(word)
		return nil
	}
	return errRuleSyntax
}

// applyKeyRule is ~pattern, or %RW~pattern with what may be done.
func (s *selector) applyKeyRule(rule []byte) error {
	if s.allKeys {
		return errRuleAllKeys
	}
	p := keyPattern{read: rule[0] == '~', write: rule[0] == '~'}
	pattern := rule[1:]
	if rule[0] == '%' {
		for len(pattern) > 0 && pattern[0] != '~' {
			switch ch := pattern[0] | 0x20; {
			case ch == 'r' && !p.read:
				p.read = true
			case ch == 'w' && !p.write:
				p.write = true
			default:
				return errRuleSyntax
			}
			pattern = pattern[1:]
		}
		if !p.read && !p.write {
			return errRuleSyntax
		}
		pattern = bytes.TrimPrefix(pattern, []byte("~"))
	}
	if hasBlank(pattern) {
		return errRuleSyntax
	}
	p.pattern = string(pattern)
	s.addKeys(p)
	return nil
}

func (s *selector) applyChannelRule(pattern []byte) error {
	switch {
	case s.allChannels:
		return errRuleAllChannels
	case hasBlank(pattern):
		return errRuleSyntax
	}
	s.addChannels(string(pattern))
	return nil
}

// applyCommandRule is +command, -command, +@category, -@category, or
// +command|argument.
func (e *Engine) applyCommandRule(s *selector, rule string) error {
	on, name := rule[0] == '+', rule[1:]
	if cat, is := strings.CutPrefix(name, "@"); is {
		c := e.table.category(cat)
		if c == 0 {
			return errRuleUnknown
		}
		s.changeCategory(e.table, c, on)
		return nil
	}
	bar := strings.LastIndexByte(name, '|')
	if !on || bar < 0 {
		cmd := e.table.Lookup(name)
		if cmd == nil {
			return errRuleUnknown
		}
		s.change(cmd, on)
		return nil
	}
	cmd, arg := e.table.Lookup(name[:bar]), name[bar+1:]
	switch {
	case cmd == nil:
		return errRuleUnknown
	case cmd.parent != nil:
		return errRuleFirstArg
	case arg == "":
		return errRuleSyntax
	case cmd.subs == nil:
		s.allowFirstArg(cmd, arg)
		return nil
	}
	sub := e.table.Lookup(name)
	if sub == nil {
		return errRuleUnknown
	}
	s.change(sub, true)
	return nil
}

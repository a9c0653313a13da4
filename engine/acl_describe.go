package engine

import (
	"encoding/hex"
	"strings"
)

// Telling users. ACL LIST, GETUSER, SAVE and CONFIG REWRITE tell a user by
// rules that make the same user again.

// flagNames lists what GETUSER calls a user's flags.
func (u *user) flagNames() []string {
	names := []string{"off"}
	if u.on {
		names[0] = "on"
	}
	if u.nopass {
		names = append(names, "nopass")
	}
	switch u.sanitize {
	case sanitizeOn:
		names = append(names, "sanitize-payload")
	case sanitizeSkip:
		names = append(names, "skip-sanitize-payload")
	}
	return names
}

// hashes are the passwords as they are shown.
func (u *user) hashes() []string {
	list := make([]string, len(u.passwords))
	for i := range u.passwords {
		list[i] = hex.EncodeToString(u.passwords[i][:])
	}
	return list
}

// describe tells a user in the form of a configuration file's line, without
// its first word.
func (e *Engine) describeUser(u *user) string {
	words := append([]string{u.name}, u.flagNames()...)
	for _, hash := range u.hashes() {
		words = append(words, "#"+hash)
	}
	words = append(words, e.describeSelector(u.root))
	for _, s := range u.selectors {
		words = append(words, "("+e.describeSelector(s)+")")
	}
	return strings.Join(words, " ")
}

func (e *Engine) describeSelector(s *selector) string {
	var words []string
	if keys := s.describeKeys(); keys != "" {
		words = append(words, keys)
	}
	if !s.allChannels {
		words = append(words, "resetchannels")
	}
	if channels := s.describeChannels(); channels != "" {
		words = append(words, channels)
	}
	return strings.Join(append(words, e.describeCommands(s)), " ")
}

func (s *selector) describeKeys() string {
	if s.allKeys {
		return "~*"
	}
	words := make([]string, len(s.keys))
	for i, p := range s.keys {
		switch {
		case p.read && p.write:
			words[i] = "~" + p.pattern
		case p.read:
			words[i] = "%R~" + p.pattern
		default:
			words[i] = "%W~" + p.pattern
		}
	}
	return strings.Join(words, " ")
}

func (s *selector) describeChannels() string {
	if s.allChannels {
		return "&*"
	}
	words := make([]string, len(s.channels))
	for i, p := range s.channels {
		words[i] = "&" + p
	}
	return strings.Join(words, " ")
}

// describeCommands tells which commands are allowed: from 7.2 on by the rules
// as they were given, before that by rules found anew. These begin with all
// commands or with none, go on with the categories that come nearest, one
// after the other, and end with single commands until nothing is missing.
//
// DIFFERS: single commands in ACL LIST and GETUSER stand in alphabetical order, where those of Redis 7.0 come in the order of its hash table.
func (e *Engine) describeCommands(s *selector) string {
	d := description{t: e.table, target: s, so: &selector{commands: newCommandSet(e.table)}}
	if s.later {
		d.words = append(d.words, "+@all")
		d.so.allowAll(e.table)
	} else {
		d.words = append(d.words, "-@all")
	}
	if e.table.ver.from(version{major: 7, minor: 2}) {
		return strings.Join(append(d.words, s.given...), " ")
	}
	d.categories()
	d.singles()
	return strings.Join(d.words, " ")
}

// description is a selector's commands being put into words.
type description struct {
	t      *Table
	target *selector
	so     *selector // what the words so far allow
	words  []string
}

// categories finds categories that have more in common with what is to be told
// than they have not: the fewest faults first, then the most in common. What a
// category has told counts no longer for the next.
func (d *description) categories() {
	adding := !d.target.later
	rest := d.target.clone()
	var used Category
	for {
		best, least, most := Category(0), 0, 0
		for i := range categoryNames {
			cat := Category(1) << i
			if used&cat != 0 {
				continue
			}
			same, faults := d.count(rest, cat, adding)
			if same > faults && (best == 0 || faults < least || faults == least && same > most) {
				best, least, most = cat, faults, same
			}
		}
		if best == 0 {
			return
		}
		used |= best
		d.so.changeCategory(d.t, best, adding)
		rest.changeCategory(d.t, best, !adding)
		sign := "-@"
		if adding {
			sign = "+@"
		}
		d.words = append(d.words, sign+best.Names()[0])
	}
}

// count counts a category's commands that are as wanted, and those that are
// not. Where no version is emulated those that 7.0 had decide, so that it is
// told in 7.0's words.
func (d *description) count(s *selector, cat Category, on bool) (same, faults int) {
	old := version{major: 7}
	for _, cmd := range d.t.all {
		if cmd.Categories()&cat == 0 || !d.t.visible(cmd) || !old.has(cmd.since) && d.t.ver.isZero() && cat != CatArray {
			continue
		}
		if s.commands.has(cmd.id) == on {
			same++
		} else {
			faults++
		}
	}
	return same, faults
}

// singles tells the commands that the words so far have wrong. A container
// comes before its subcommands, and takes them along.
func (d *description) singles() {
	for _, cmd := range d.t.all {
		if !d.t.visible(cmd) {
			continue
		}
		on := d.target.commands.has(cmd.id)
		if on != d.so.commands.has(cmd.id) {
			sign := "-"
			if on {
				sign = "+"
			}
			d.words = append(d.words, sign+cmd.lower)
			d.so.change(cmd, on)
		}
		if on {
			continue
		}
		for _, arg := range d.target.firstArgs[cmd.id] {
			d.words = append(d.words, "+"+cmd.lower+"|"+arg)
		}
	}
}

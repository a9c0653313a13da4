package engine

import (
	"maps"
	"slices"
	"strings"

	"minikv/value"
)

// selector is one set of permissions.
type selector struct {
	allKeys, allChannels bool
	// allCommands: every command, whatever its bit; later: commands yet to come
	// too, so that it is told as +@all less something.
	allCommands, later bool

	commands  commandSet
	firstArgs map[int][]string // by Command.id: allowed with this argument alone
	keys      []keyPattern
	channels  []string
	// given are the rules on commands as they were given, without those that a
	// later one makes void: how Redis 7.2 tells them.
	given []string
}

// keyPattern is a pattern of keys and what may be done with them.
type keyPattern struct {
	pattern     string
	read, write bool
}

// commandSet is a set of Command.id.
type commandSet []uint64

func (s commandSet) has(id int) bool { return s[id/64]&(1<<(id%64)) != 0 }

func (s commandSet) set(id int, on bool) {
	if on {
		s[id/64] |= 1 << (id % 64)
	} else {
		s[id/64] &^= 1 << (id % 64)
	}
}

func newCommandSet(t *Table) commandSet { return make(commandSet, (t.size+63)/64) }

// newSelector makes one that allows nothing, save channels if
// acl-pubsub-default says so.
func (e *Engine) newSelector() *selector {
	return &selector{commands: newCommandSet(e.table), allChannels: e.newUsersHearAll()}
}

func (s *selector) clone() *selector {
	c := *s
	c.commands = slices.Clone(s.commands)
	c.firstArgs = maps.Clone(s.firstArgs)
	for id, args := range c.firstArgs {
		c.firstArgs[id] = slices.Clone(args)
	}
	c.keys, c.channels, c.given = slices.Clone(s.keys), slices.Clone(s.channels), slices.Clone(s.given)
	return &c
}

func (s *selector) allowsEverything() bool { return s.allCommands && s.allKeys && s.allChannels }

// allowAll is +@all.
func (s *selector) allowAll(t *Table) {
	s.allCommands, s.later = true, true
	for i := range s.commands {
		s.commands[i] = ^uint64(0)
	}
	s.firstArgs, s.given = nil, nil
}

// denyAll is -@all.
func (s *selector) denyAll() {
	s.allCommands, s.later = false, false
	clear(s.commands)
	s.firstArgs, s.given = nil, nil
}

// change allows or denies a command with its subcommands.
func (s *selector) change(cmd *Command, on bool) {
	s.commands.set(cmd.id, on)
	delete(s.firstArgs, cmd.id)
	for _, sub := range cmd.subs {
		s.change(sub, on)
	}
	if !on {
		s.allCommands = false
	}
}

// changeCategory does so with every command of a category.
func (s *selector) changeCategory(t *Table, cat Category, on bool) {
	for _, cmd := range t.all {
		if cmd.Categories()&cat != 0 && t.visible(cmd) {
			s.change(cmd, on)
		}
	}
	if !on {
		s.allCommands = false
	}
}

// allowFirstArg allows a command if this is its first argument.
func (s *selector) allowFirstArg(cmd *Command, arg string) {
	same := func(other string) bool { return strings.EqualFold(other, arg) }
	if slices.ContainsFunc(s.firstArgs[cmd.id], same) {
		return
	}
	if s.firstArgs == nil {
		s.firstArgs = make(map[int][]string)
	}
	s.firstArgs[cmd.id] = append(s.firstArgs[cmd.id], arg)
}

// addKeys allows a pattern of keys, or what was not yet allowed with it.
func (s *selector) addKeys(p keyPattern) {
	for i := range s.keys {
		if known := &s.keys[i]; known.pattern == p.pattern {
			known.read, known.write = known.read || p.read, known.write || p.write
			return
		}
	}
	s.keys = append(s.keys, p)
}

func (s *selector) addChannels(pattern string) {
	if !slices.Contains(s.channels, pattern) {
		s.channels = append(s.channels, pattern)
	}
}

// remember keeps a rule on commands as it was given; earlier rules on the same
// thing, or on parts of it, are void.
func (s *selector) remember(rule string) {
	rule = strings.ToLower(rule)
	s.given = slices.DeleteFunc(s.given, func(earlier string) bool {
		part, has := strings.CutPrefix(earlier[1:], rule[1:])
		return has && (part == "" || part[0] == '|')
	})
	s.given = append(s.given, rule)
}

// allows tells whether the command may run, by its bit or its first argument.
func (s *selector) allows(cmd *Command, argv [][]byte) bool {
	switch {
	case s.allCommands, cmd.Flags&NoAuth != 0, s.commands.has(cmd.id):
		return true
	case s.firstArgs == nil || len(argv) < 2:
		return false
	}
	return slices.ContainsFunc(s.firstArgs[cmd.id], func(arg string) bool { return strings.EqualFold(arg, string(argv[1])) })
}

// allowsKey tells whether a command may do with a key what its flags say.
func (s *selector) allowsKey(key []byte, flags KeyFlag) bool {
	if s.allKeys {
		return true
	}
	read, write := flags&Access != 0, flags&(Insert|Delete|Update) != 0
	for i := range s.keys {
		p := &s.keys[i]
		if (p.read || !read) && (p.write || !write) && value.Glob([]byte(p.pattern), key) {
			return true
		}
	}
	return false
}

// allowsChannel tells whether a channel may be used. A pattern that is to be
// subscribed to must be allowed literally.
func (s *selector) allowsChannel(channel []byte, literal bool) bool {
	if s.allChannels {
		return true
	}
	for _, p := range s.channels {
		if literal && p == string(channel) || !literal && value.Glob([]byte(p), channel) {
			return true
		}
	}
	return false
}

package engine

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

// Flag is one property of a command. The first block is what COMMAND INFO
// shows; the second is for the engine alone.
type Flag uint64

// The flags of commands, in the order in which COMMAND INFO lists them.
const (
	Write Flag = 1 << iota
	ReadOnly
	DenyOOM
	Module
	Admin
	PubSub
	NoScript
	Blocking
	Loading
	Stale
	SkipMonitor
	SkipSlowlog
	Asking
	Fast
	NoAuth
	MayReplicate
	Sentinel
	OnlySentinel
	NoMandatoryKeys
	Protected
	NoAsyncLoading
	NoMulti
	MovableKeys
	AllowBusy

	// NotQueued commands run at once inside MULTI (EXEC, DISCARD, WATCH ...).
	NotQueued
	// InSubscribe commands are allowed to a RESP2 client that has subscriptions.
	InSubscribe
	// Terminal: the connection closes after the reply.
	Terminal
	// Runner commands run others (EXEC, EVAL): their effects are those others'.
	Runner
	// Commits marks EXEC: refused itself, it says so as EXECABORT.
	Commits
	// ForTests marks commands that test-commands opens.
	ForTests
	// TellsOfDisk commands fail while data cannot be saved (PING).
	TellsOfDisk
	// TakesAway marks MIGRATE, which runs here while a slot moves whatever keys are left.
	TakesAway
	// EndsMulti commands end a transaction, so they need no memory to keep them.
	EndsMulti

	// shownFlags are those that COMMAND INFO shows.
	shownFlags = (NotQueued - 1) &^ (MayReplicate | Protected)
)

var flagNames = []string{
	"write", "readonly", "denyoom", "module", "admin", "pubsub", "noscript", "blocking",
	"loading", "stale", "skip_monitor", "skip_slowlog", "asking", "fast", "no_auth",
	"may_replicate", "sentinel", "only-sentinel", "no_mandatory_keys", "protected",
	"no_async_loading", "no_multi", "movablekeys", "allow_busy",
}

// Names lists the flags as COMMAND INFO shows them.
func (f Flag) Names() []string {
	var names []string
	for i, name := range flagNames {
		if f&shownFlags&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// Group is a command's group on redis.io.
type Group string

// The groups.
const (
	Generic      Group = "generic"
	String       Group = "string"
	List         Group = "list"
	Set          Group = "set"
	SortedSet    Group = "sorted-set"
	Hash         Group = "hash"
	PubSubGroup  Group = "pubsub"
	Transactions Group = "transactions"
	Connection   Group = "connection"
	Server       Group = "server"
	Scripting    Group = "scripting"
	HyperLogLog  Group = "hyperloglog"
	Cluster      Group = "cluster"
	Geo          Group = "geo"
	Stream       Group = "stream"
	Bitmap       Group = "bitmap"
	Array        Group = "array"
	Minikv       Group = "minikv" // its own, for tests
)

// Command is the one declaration of a command: a row beside its handler in
// cmd_<group>.go. Everything that is said of a command anywhere derives from it.
type Command struct {
	// Name as users write it; a subcommand's is its second word alone.
	Name string
	// Arity counts the arguments with the name(s); negative: at least so many.
	Arity int
	Flags Flag
	// ACL names the categories that flags and group do not imply.
	ACL  Category
	Keys []KeySpec
	// GetKeys finds the keys where the specs cannot say it all.
	GetKeys func(argv [][]byte) ([]KeyRef, error)
	// Channels are the arguments that are channels of pub/sub.
	Channels ChannelSpec
	Group    Group
	Since    string // version that brought it: "6.2.0", or "valkey-9.0.0"
	// Syntax is what follows the name. Brackets are optional parts, bars are
	// alternatives, upper-case words are keywords; WORD@8.4 marks a keyword
	// that came with a later version than the command: see syntax.go.
	Syntax     string
	Summary    string
	Complexity string
	Deprecated string // version since which another is preferred, or empty
	ReplacedBy string
	Tips       []string // COMMAND INFO's hints to clients
	Handler    func(c *Ctx) error
	Sub        []*Command
	// FlagsOf answers the flags of one call, where its arguments decide on them:
	// of EVAL, whose script may say what it does.
	FlagsOf func(c *Ctx) Flag
	// Variants are what emulated versions have differently.
	Variants []Variant

	// Filled in by newTable.
	id     int // index into statistics
	parent *Command
	lower  string // the full name in lower case, "client|list"
	subs   map[string]*Command
	newer  map[string]version // keywords newer than the command
	since  version
}

// Variant is how a command was before a version, or is from one on. What is not
// given here is as the row has it.
type Variant struct {
	Before, From string
	Arity        int
	Without      Flag // flags that it has not
}

// variant is the command as an emulated version has it.
func (cmd *Command) variant(ver version) *Command {
	for i := range cmd.Variants {
		v := &cmd.Variants[i]
		if !v.concerns(ver) {
			continue
		}
		other := *cmd
		if v.Arity != 0 {
			other.Arity = v.Arity
		}
		other.Flags &^= v.Without
		return &other
	}
	return cmd
}

// inScriptsToo are the variants of commands that wait: Redis 7.2 has allowed them
// to scripts, where they do not wait.
var inScriptsToo = []Variant{{From: "7.2", Without: NoScript}}

func (v *Variant) concerns(ver version) bool {
	before, _ := parseVersion(v.Before)
	from, _ := parseVersion(v.From)
	return v.Before != "" && !ver.has(before) || v.From != "" && ver.from(from)
}

// FullName is the lower-case name, with a bar before a subcommand.
func (cmd *Command) FullName() string { return cmd.lower }

// Table finds commands by name. It is immutable and shared between engines.
type Table struct {
	byName map[string]*Command
	all    []*Command // containers before their subcommands, by name
	size   int        // how many ids are in use
	cats   Category   // of all commands of the version
	ver    version
}

// fullTable holds every command there is; tableFor cuts it to a version.
var fullTable *Table

func init() {
	var rows []*Command
	for _, group := range [][]*Command{
		stringCommands(), genericCommands(), connectionCommands(), clusterCommands(), transactionCommands(),
		pubsubCommands(), serverCommands(), commandCommands(), configCommands(), aclCommands(), clientCommands(), debugCommands(),
		memoryCommands(), latencyCommands(), moduleCommands(), replicationCommands(), scriptingCommands(), functionCommands(), bitmapCommands(), hyperLogLogCommands(), geoCommands(), sortCommands(), listCommands(), hashCommands(), setCommands(), sortedSetCommands(), streamCommands(),
		dumpCommands(), arrayCommands(), minikvCommands(),
	} {
		rows = append(rows, group...)
	}
	fullTable = newTable(rows)
}

// newTable checks the rows and derives what is derived. A faulty row is a
// programming error and panics at start-up, before anything is served.
func newTable(rows []*Command) *Table {
	t := &Table{byName: make(map[string]*Command)}
	for _, cmd := range rows {
		t.add(cmd, nil)
	}
	sort.Slice(t.all, func(i, j int) bool { return t.all[i].lower < t.all[j].lower })
	for i, cmd := range t.all {
		cmd.id = i
	}
	t.size = len(t.all)
	t.cats = t.categories()
	return t
}

func (t *Table) add(cmd, parent *Command) {
	cmd.parent = parent
	cmd.lower = strings.ToLower(cmd.Name)
	into := t.byName
	if parent != nil {
		into = parent.subs
		into[cmd.lower] = cmd
		cmd.lower = parent.lower + "|" + cmd.lower
	} else if _, taken := into[cmd.lower]; taken {
		panic("command declared twice: " + cmd.lower)
	} else {
		into[cmd.lower] = cmd
	}
	if cmd.Group == "" && parent != nil {
		cmd.Group = parent.Group
	}
	var err error
	if cmd.since, err = parseVersion(cmd.Since); err != nil {
		panic(fmt.Sprintf("command %s: %v", cmd.lower, err))
	}
	if parent != nil && cmd.Variants != nil {
		panic("variants of a subcommand: " + cmd.lower)
	}
	syntax, err := ParseSyntax(cmd.Syntax)
	if err != nil {
		panic(fmt.Sprintf("command %s: %v", cmd.lower, err))
	}
	cmd.newer = syntax.newerWords()
	t.all = append(t.all, cmd)
	if len(cmd.Sub) > 0 {
		cmd.subs = make(map[string]*Command, len(cmd.Sub)+1)
		for _, sub := range cmd.Sub {
			t.add(sub, cmd)
		}
		if _, has := cmd.subs["help"]; !has {
			t.add(helpRow(cmd), cmd)
		}
	}
}

// longestName bounds the names that lookup lower-cases without allocating.
const longestName = 32

// find is the row for a name as a client typed it, or nil.
func (t *Table) find(name []byte) *Command { return named(t.byName, name) }

// named finds a row by its lower-case name, given in any case.
func named(rows map[string]*Command, name []byte) *Command {
	var buf [longestName]byte
	if len(name) > longestName {
		return nil
	}
	for i, ch := range name {
		if 'A' <= ch && ch <= 'Z' {
			ch += 'a' - 'A'
		}
		buf[i] = ch
	}
	return rows[string(buf[:len(name)])]
}

// visible tells whether the emulated version has a command.
func (t *Table) visible(cmd *Command) bool { return t == fullTable || t.ver.has(cmd.since) }

// Lookup finds a command by its full name, "get" or "client|list" (any case).
func (t *Table) Lookup(full string) *Command {
	name, sub, isSub := strings.Cut(strings.ToLower(full), "|")
	cmd := t.byName[name]
	if cmd != nil && isSub {
		cmd = cmd.subs[sub]
	}
	if cmd == nil || !t.visible(cmd) {
		return nil
	}
	return cmd
}

// Commands lists all rows of the table's version, subcommands too, by name.
func (t *Table) Commands() []*Command {
	list := make([]*Command, 0, len(t.all))
	for _, cmd := range t.all {
		if t.visible(cmd) {
			list = append(list, cmd)
		}
	}
	return list
}

// tableFor is the table as the emulated version has it ("" is everything).
func tableFor(ver string) *Table {
	v, err := parseVersion(ver)
	if err != nil || v.isZero() {
		return fullTable
	}
	t := *fullTable
	t.ver, t.byName, t.all = v, maps.Clone(t.byName), slices.Clone(t.all)
	for i, cmd := range t.all {
		if len(cmd.Variants) > 0 {
			t.all[i] = cmd.variant(v)
			t.byName[cmd.lower] = t.all[i]
		}
	}
	t.cats = t.categories()
	return &t
}

// Commands is the full table, for documentation and generators.
func Commands() *Table { return fullTable }

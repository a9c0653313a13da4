package engine

import (
	"strings"

	"minikv/value"
)

func commandCommands() []*Command {
	const flags = Loading | Stale
	unordered := []string{"nondeterministic_output_order"}
	return []*Command{
		{Name: "COMMAND", Arity: -1, Flags: flags, ACL: CatConnection, Group: Server, Since: "2.8.13", Tips: unordered,
			Complexity: "O(N), N the commands", Summary: "Describes all commands.", Handler: cmdCommand, Sub: []*Command{
				{Name: "COUNT", Arity: 2, Flags: flags, ACL: CatConnection, Since: "2.8.13",
					Complexity: "O(1)", Summary: "Counts the commands.", Handler: cmdCommandCount},
				{Name: "DOCS", Arity: -2, Flags: flags, ACL: CatConnection, Since: "7.0.0", Tips: unordered,
					Syntax: "[command-name [command-name ...]]", Complexity: "O(N), N the commands asked for",
					Summary: "Documents commands, or all.", Handler: cmdCommandDocs},
				{Name: "GETKEYS", Arity: -4, Flags: flags, ACL: CatConnection, Since: "2.8.13",
					Syntax: "command [arg [arg ...]]", Complexity: "O(N), N the arguments",
					Summary: "Finds the keys in a command line.", Handler: cmdCommandGetKeys},
				{Name: "GETKEYSANDFLAGS", Arity: -4, Flags: flags, ACL: CatConnection, Since: "7.0.0",
					Syntax: "command [arg [arg ...]]", Complexity: "O(N), N the arguments",
					Summary: "Finds the keys in a command line and says what happens to them.", Handler: cmdCommandGetKeysAndFlags},
				{Name: "INFO", Arity: -2, Flags: flags, ACL: CatConnection, Since: "2.8.13", Tips: unordered,
					Syntax: "[command-name [command-name ...]]", Complexity: "O(N), N the commands asked for",
					Summary: "Describes commands, or all.", Handler: cmdCommandInfo},
				{Name: "LIST", Arity: -2, Flags: flags, ACL: CatConnection, Since: "7.0.0", Tips: unordered,
					Syntax:     "[FILTERBY <MODULE module-name | ACLCAT category | PATTERN pattern>]",
					Complexity: "O(N), N the commands", Summary: "Lists the names of commands.", Handler: cmdCommandList},
				{Name: "HELP", Arity: 2, Flags: flags, ACL: CatConnection, Since: "5.0.0",
					Complexity: "O(1)", Summary: "Shows the subcommands.", Handler: cmdHelp},
			}},
	}
}

// topLevel lists the commands of the emulated version without subcommands.
func (t *Table) topLevel() []*Command {
	var list []*Command
	for _, cmd := range t.all {
		if cmd.parent == nil && t.visible(cmd) {
			list = append(list, cmd)
		}
	}
	return list
}

// visibleSubs lists a container's subcommands, by name.
func (t *Table) visibleSubs(parent *Command) []*Command {
	var list []*Command
	for _, cmd := range t.all {
		if cmd.parent == parent && t.visible(cmd) {
			list = append(list, cmd)
		}
	}
	return list
}

func cmdCommand(c *Ctx) error {
	c.describeAll()
	return nil
}

func (c *Ctx) describeAll() {
	list := c.e.table.topLevel()
	c.out.Array(len(list))
	for _, cmd := range list {
		c.describe(cmd)
	}
}

func cmdCommandCount(c *Ctx) error { return c.int(int64(len(c.e.table.topLevel()))) }

func cmdCommandInfo(c *Ctx) error {
	if len(c.argv) == 2 {
		c.describeAll()
		return nil
	}
	c.out.Array(len(c.argv) - 2)
	for _, name := range c.argv[2:] {
		if cmd := c.e.table.Lookup(string(name)); cmd != nil {
			c.describe(cmd)
		} else {
			c.out.Null()
		}
	}
	return nil
}

// describe writes a command's ten fields of COMMAND INFO.
func (c *Ctx) describe(cmd *Command) {
	out := c.out
	out.Array(10)
	out.BulkString(cmd.lower)
	out.Int(int64(cmd.Arity))
	c.statusSet(cmd.Flags.Names())
	first, last, step := cmd.legacyRange()
	out.Int(int64(first))
	out.Int(int64(last))
	out.Int(int64(step))
	cats := cmd.Categories().Names()
	for i, cat := range cats {
		cats[i] = "@" + cat
	}
	c.statusSet(cats)
	out.Set(len(cmd.Tips))
	for _, tip := range cmd.Tips {
		out.BulkString(tip)
	}
	out.Set(len(cmd.Keys))
	for i := range cmd.Keys {
		c.describeKeys(&cmd.Keys[i])
	}
	subs := c.e.table.visibleSubs(cmd)
	out.Set(len(subs))
	for _, sub := range subs {
		c.describe(sub)
	}
}

func (c *Ctx) statusSet(words []string) {
	c.out.Set(len(words))
	for _, w := range words {
		c.out.Status(w)
	}
}

// describeKeys writes a key specification.
func (c *Ctx) describeKeys(s *KeySpec) {
	out := c.out
	if s.Notes != "" {
		out.Map(4)
		out.BulkString("notes")
		out.BulkString(s.Notes)
	} else {
		out.Map(3)
	}
	out.BulkString("flags")
	c.statusSet(s.Flags.Names())
	out.BulkString("begin_search")
	switch {
	case s.Keyword != "":
		c.spec("keyword", "keyword", s.Keyword, "startfrom", s.From)
	case s.Index != 0:
		c.spec("index", "index", s.Index)
	default:
		c.spec("unknown")
	}
	out.BulkString("find_keys")
	switch {
	case s.Step > 0:
		c.spec("range", "lastkey", s.Last, "keystep", s.Step, "limit", s.Limit)
	case s.KeyStep > 0:
		c.spec("keynum", "keynumidx", s.NumIdx, "firstkey", s.First, "keystep", s.KeyStep)
	default:
		c.spec("unknown")
	}
}

// spec writes one half of a key specification: its type, then names and values.
func (c *Ctx) spec(typ string, fields ...any) {
	out := c.out
	out.Map(2)
	out.BulkString("type")
	out.BulkString(typ)
	out.BulkString("spec")
	out.Map(len(fields) / 2)
	for _, f := range fields {
		switch f := f.(type) {
		case string:
			out.BulkString(f)
		case int:
			out.Int(int64(f))
		}
	}
}

func cmdCommandList(c *Ctx) error {
	want := func(*Command) bool { return true }
	a := c.Scan()
	if a.More() {
		if !a.Word("FILTERBY") || a.Left() != 2 {
			return errSyntax
		}
		switch {
		case a.Word("MODULE"):
			want = func(*Command) bool { return false } // there are no modules
		case a.Word("ACLCAT"):
			cat := categoryNamed(string(a.Next()))
			want = func(cmd *Command) bool { return cmd.Categories()&cat != 0 }
		case a.Word("PATTERN"):
			pattern := a.Next()
			want = func(cmd *Command) bool { return value.GlobFold(pattern, []byte(cmd.lower)) }
		default:
			return errSyntax
		}
	}
	var names []string
	for _, cmd := range c.e.table.Commands() {
		if want(cmd) {
			names = append(names, cmd.lower)
		}
	}
	c.out.Array(len(names))
	for _, name := range names {
		c.out.BulkString(name)
	}
	return nil
}

// categoryNamed finds an ACL category by name, in any case; 0 if there is none.
func categoryNamed(name string) Category {
	for i, known := range categoryNames {
		if strings.EqualFold(known, name) {
			return 1 << i
		}
	}
	return 0
}

// keysOfLine finds the keys of the command line that stands in the arguments.
func (c *Ctx) keysOfLine() (argv [][]byte, refs []KeyRef, err error) {
	argv = c.argv[2:]
	line := &Ctx{e: c.e, argv: argv}
	err = c.e.resolve(line)
	cmd := line.cmd
	switch {
	case cmd == nil:
		return nil, nil, errNoSuchCommand
	case len(cmd.Keys) == 0 && cmd.GetKeys == nil || len(cmd.Keys) > 0 && cmd.Keys[0].Flags&NotKey != 0:
		return nil, nil, errNoKeyArgs
	case err != nil:
		return nil, nil, errLineArity
	}
	refs, ok := cmd.keysOf(argv, nil)
	if (!ok || len(refs) == 0) && cmd.Flags&NoMandatoryKeys == 0 {
		return nil, nil, errLineArgs
	}
	if !ok {
		refs = nil
	}
	return argv, refs, nil
}

func cmdCommandGetKeys(c *Ctx) error {
	argv, refs, err := c.keysOfLine()
	if err != nil {
		return err
	}
	c.out.Array(len(refs))
	for _, ref := range refs {
		c.out.Bulk(argv[ref.Pos])
	}
	return nil
}

func cmdCommandGetKeysAndFlags(c *Ctx) error {
	argv, refs, err := c.keysOfLine()
	if err != nil {
		return err
	}
	c.out.Array(len(refs))
	for _, ref := range refs {
		c.out.Array(2)
		c.out.Bulk(argv[ref.Pos])
		c.statusSet(ref.Flags.Names())
	}
	return nil
}

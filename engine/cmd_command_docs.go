package engine

import "strings"

// cmdCommandDocs documents commands: a row's facts, and its arguments as the
// tree that ParseSyntax makes of its Syntax. redis-cli draws its hints from it.
func cmdCommandDocs(c *Ctx) error {
	list := c.e.table.topLevel()
	if len(c.argv) > 2 {
		list = nil
		for _, name := range c.argv[2:] {
			if cmd := c.e.table.Lookup(string(name)); cmd != nil {
				list = append(list, cmd)
			}
		}
	}
	c.documents(list)
	return nil
}

func (c *Ctx) documents(list []*Command) {
	c.out.Map(len(list))
	for _, cmd := range list {
		c.out.BulkString(cmd.lower)
		c.document(cmd)
	}
}

// field is a name of a map with what writes its value.
type field struct {
	name  string
	write func()
}

// fields writes a map.
func (c *Ctx) fields(fields []field) {
	c.out.Map(len(fields))
	for _, f := range fields {
		c.out.BulkString(f.name)
		f.write()
	}
}

func (c *Ctx) document(cmd *Command) {
	var fields []field
	add := func(name string, write func()) { fields = append(fields, field{name, write}) }
	text := func(name, s string) {
		if s != "" {
			add(name, func() { c.out.BulkString(s) })
		}
	}
	text("summary", cmd.Summary)
	text("since", cmd.Since)
	text("group", string(cmd.Group))
	text("complexity", cmd.Complexity)
	if cmd.Deprecated != "" {
		add("doc_flags", func() { c.statusSet([]string{"deprecated"}) })
		text("deprecated_since", cmd.Deprecated)
		text("replaced_by", cmd.ReplacedBy)
	}
	if args := cmd.args(c.e.table.ver); len(args) > 0 {
		add("arguments", func() { c.arguments(args) })
	}
	if subs := c.e.table.visibleSubs(cmd); len(subs) > 0 {
		add("subcommands", func() { c.documents(subs) })
	}
	c.fields(fields)
}

// args is the command's syntax tree as a version has it. The rows were parsed
// without an error when the table was made.
func (cmd *Command) args(ver version) ArgTree {
	tree, _ := ParseSyntax(cmd.Syntax)
	tree = tree.forVersion(ver)
	tree.bindKeys(cmd.Keys)
	return tree
}

func (c *Ctx) arguments(args ArgTree) {
	c.out.Array(len(args))
	for i := range args {
		c.argument(&args[i])
	}
}

func (c *Ctx) argument(a *Arg) {
	text := func(s string) func() { return func() { c.out.BulkString(s) } }
	fields := []field{{"name", text(a.Name)}, {"type", text(string(a.Kind))}}
	if a.Kind == ArgKey {
		fields = append(fields, field{"key_spec_index", func() { c.out.Int(int64(a.KeySpec)) }})
	}
	if a.Token != "" {
		fields = append(fields, field{"token", text(a.Token)})
	}
	if a.Since != "" {
		fields = append(fields, field{"since", text(longVersion(a.Since))})
	}
	if flags := a.flags(); len(flags) > 0 {
		fields = append(fields, field{"flags", func() { c.statusSet(flags) }})
	}
	if len(a.Args) > 0 {
		fields = append(fields, field{"arguments", func() { c.arguments(a.Args) }})
	}
	c.fields(fields)
}

func (a *Arg) flags() []string {
	var flags []string
	if a.Optional {
		flags = append(flags, "optional")
	}
	if a.Multiple {
		flags = append(flags, "multiple")
	}
	if a.MultipleToken {
		flags = append(flags, "multiple_token")
	}
	return flags
}

// longVersion writes "6.2" as "6.2.0".
func longVersion(s string) string {
	if strings.Count(s, ".") == 1 {
		return s + ".0"
	}
	return s
}

package engine

import "strings"

// helpRow makes the HELP subcommand that every container has: its text is
// drawn from the rows of the others.
func helpRow(parent *Command) *Command {
	return &Command{
		Name: "HELP", Arity: 2, Flags: Loading | Stale, ACL: noGroupCategory, Group: parent.Group, Since: helpSince(parent),
		Summary: "Shows the subcommands.", Complexity: "O(1)", Handler: cmdHelp,
	}
}

// helpSince is the version that brought HELP to a container: 5.0, or the
// container's own if that is later.
func helpSince(parent *Command) string {
	if v, err := parseVersion(parent.Since); err == nil && v.after(version{major: 5}) {
		return parent.Since
	}
	return "5.0.0"
}

func cmdHelp(c *Ctx) error {
	parent := c.cmd.parent
	lines := []string{strings.ToUpper(parent.lower) + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"}
	for _, sub := range parent.Sub {
		if sub == c.cmd || !c.e.table.visible(sub) {
			continue
		}
		lines = append(lines, strings.TrimSpace(strings.ToUpper(sub.Name)+" "+plainSyntax(sub.Syntax)), "    "+sub.Summary)
	}
	lines = append(lines, "HELP", "    Prints this help.")
	c.out.Array(len(lines))
	for _, line := range lines {
		c.out.Status(line)
	}
	return nil
}

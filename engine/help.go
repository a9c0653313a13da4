package engine

import (
	"regexp"
	"strings"
)

// helpRow makes the HELP subcommand that every container has: its text is
// drawn from the rows of the others.
func helpRow(parent *Command) *Command {
	return &Command{
		Name: "HELP", Arity: 2, Flags: Loading | Stale, Group: parent.Group, Since: helpSince(parent),
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
	c.helpLines(lines)
	return nil
}

// helpLines answers a help text, with HELP's own lines at its end.
func (c *Ctx) helpLines(lines []string) {
	lines = append(lines, "HELP", "    Prints this help.")
	c.out.Array(len(lines))
	for _, line := range lines {
		c.out.Status(line)
	}
}

// syntaxMark is the "@8.4" behind a keyword that is newer than its command, or
// the ":integer" behind a placeholder.
var syntaxMark = regexp.MustCompile(`@[0-9a-z.-]+|:(key|string|integer|double|pattern|unix-time)\b`)

// plainSyntax is a Syntax string without marks, for people.
func plainSyntax(s string) string { return syntaxMark.ReplaceAllString(s, "") }

// Usage is the command as users write it, with its arguments.
func (cmd *Command) Usage() string {
	name := strings.ToUpper(strings.ReplaceAll(cmd.lower, "|", " "))
	return strings.TrimSpace(name + " " + plainSyntax(cmd.Syntax))
}

package engine

import (
	"math"
	"slices"
)

func aclCommands() []*Command {
	const own = NoScript | Loading | Stale
	const admin = own | Admin
	return []*Command{
		{Name: "ACL", Arity: -2, Group: Server, Since: "6.0.0", Complexity: "Depends on subcommand.",
			Summary: "Says who may do what.", Sub: []*Command{
				{Name: "CAT", Arity: -2, Flags: own, Since: "6.0.0", Syntax: "[category]", Complexity: "O(N), N the commands",
					Summary: "Lists the categories, or the commands of one.", Handler: cmdACLCat},
				{Name: "DELUSER", Arity: -3, Flags: admin, Since: "6.0.0", Syntax: "username [username ...]",
					Complexity: "O(N), N the connections", Summary: "Removes users and closes their connections.", Handler: cmdACLDelUser},
				{Name: "DRYRUN", Arity: -4, Flags: admin, Since: "7.0.0", Syntax: "username command [arg [arg ...]]",
					Complexity: "O(N), N the rules of the user", Summary: "Tells whether a user may run a command, without running it.", Handler: cmdACLDryRun},
				{Name: "GENPASS", Arity: -2, Flags: own, Since: "6.0.0", Syntax: "[bits:integer]", Complexity: "O(1)",
					Summary: "Draws a random password.", Handler: cmdACLGenPass},
				{Name: "GETUSER", Arity: 3, Flags: admin, Since: "6.0.0", Syntax: "username", Complexity: "O(N), N the rules of the user",
					Summary: "Describes a user.", Handler: cmdACLGetUser},
				{Name: "LIST", Arity: 2, Flags: admin, Since: "6.0.0", Complexity: "O(N), N the rules of all users",
					Summary: "Lists the users as lines of a configuration file.", Handler: cmdACLList},
				{Name: "LOAD", Arity: 2, Flags: admin, Since: "6.0.0", Complexity: "O(N), N the users",
					Summary: "Replaces the users by those of the ACL file.", Handler: cmdACLLoad},
				{Name: "LOG", Arity: -2, Flags: admin, Since: "6.0.0", Syntax: "[count:integer | RESET]", Complexity: "O(N), N the entries shown",
					Summary: "Lists what users were refused.", Handler: cmdACLLog},
				{Name: "SAVE", Arity: 2, Flags: admin, Since: "6.0.0", Complexity: "O(N), N the users",
					Summary: "Writes the users to the ACL file.", Handler: cmdACLSave},
				{Name: "SETUSER", Arity: -3, Flags: admin, Since: "6.0.0", Syntax: "username [rule [rule ...]]",
					Complexity: "O(N), N the rules given", Summary: "Makes a user, or changes one.", Handler: cmdACLSetUser},
				{Name: "USERS", Arity: 2, Flags: admin, Since: "6.0.0", Complexity: "O(N), N the users",
					Summary: "Lists the names of the users.", Handler: cmdACLUsers},
				{Name: "WHOAMI", Arity: 2, Flags: own, Since: "6.0.0", Complexity: "O(1)",
					Summary: "Answers the name of the connection's user.", Handler: cmdACLWhoAmI},
			}},
	}
}

func cmdACLWhoAmI(c *Ctx) error {
	c.out.BulkString(c.cl.user.name)
	return nil
}

func cmdACLCat(c *Ctx) error {
	if len(c.argv) > 3 {
		return errUnknownSubArity(c)
	}
	t := c.e.table
	if len(c.argv) == 2 {
		names := t.cats.Names()
		c.out.Array(len(names))
		for _, name := range names {
			c.out.BulkString(name)
		}
		return nil
	}
	cat := t.category(string(c.argv[2]))
	if cat == 0 {
		return errorf("ERR Unknown category '%s'", clip(c.argv[2], 128))
	}
	list := slices.DeleteFunc(t.Commands(), func(cmd *Command) bool { return cmd.Categories()&cat == 0 })
	c.out.Array(len(list))
	for _, cmd := range list {
		c.out.BulkString(cmd.FullName())
	}
	return nil
}

// genPassBits are those of a password if nobody says how many, and the most
// that anybody may ask for.
const genPassBits, maxGenPassBits = 256, 4096

func cmdACLGenPass(c *Ctx) error {
	if len(c.argv) > 3 {
		return errUnknownSubArity(c)
	}
	a := c.Scan()
	bits := int64(genPassBits)
	if a.More() {
		bits = a.Int()
	}
	if err := a.Err(); err != nil {
		return err
	}
	if bits <= 0 || bits > maxGenPassBits {
		return errGenPass
	}
	c.out.BulkString(c.e.hexID(int(bits+3) / 4))
	return nil
}

// cmdACLDryRun judges a command line by a user's rules.
func cmdACLDryRun(c *Ctx) error {
	u := c.e.acl.users[string(c.argv[2])]
	if u == nil {
		return errorf("ERR User '%s' not found", clip(c.argv[2], len(c.argv[2])))
	}
	line := &Ctx{e: c.e, argv: c.argv[3:]}
	err := c.e.resolve(line)
	switch {
	case line.cmd == nil:
		return errorf("ERR Command '%s' not found", clip(c.argv[3], len(c.argv[3])))
	case err != nil:
		return err
	}
	d := c.e.check(u, line.cmd, line.argv)
	if d.why == granted {
		return c.ok()
	}
	c.out.BulkString(c.e.dryRunText(u, line.cmd, line.argv, d))
	return nil
}

func cmdACLLog(c *Ctx) error {
	if len(c.argv) > 3 {
		return errUnknownSubArity(c)
	}
	log := &c.e.acl.log
	a := c.Scan()
	if a.Word("RESET") {
		log.entries = nil
		return c.ok()
	}
	count := int64(10)
	if a.More() {
		count = max(a.IntIn(math.MinInt64, math.MaxInt64, errNotInteger), 0)
	}
	if err := a.Err(); err != nil {
		return err
	}
	entries := log.entries[:min(int64(len(log.entries)), count)]
	c.out.Array(len(entries))
	for _, en := range entries {
		c.accessEntry(en)
	}
	return nil
}

// accessEntry writes one entry of ACL LOG.
func (c *Ctx) accessEntry(en *accessEntry) {
	out, stamps := c.out, c.e.table.ver.from(version{major: 7, minor: 2})
	if stamps {
		out.Map(10)
	} else {
		out.Map(7)
	}
	out.BulkString("count")
	out.Int(en.count)
	for _, field := range [...][2]string{
		{"reason", en.why.String()}, {"context", en.context}, {"object", en.object}, {"username", en.user},
	} {
		out.BulkString(field[0])
		out.BulkString(field[1])
	}
	out.BulkString("age-seconds")
	out.Double(float64(c.nowMS()-en.last) / 1000)
	out.BulkString("client-info")
	out.BulkString(en.client)
	if !stamps {
		return
	}
	out.BulkString("entry-id")
	out.Int(en.id)
	out.BulkString("timestamp-created")
	out.Int(en.created)
	out.BulkString("timestamp-last-updated")
	out.Int(en.last)
}

func cmdACLLoad(c *Ctx) error { return c.askForFile(RequestACLLoad) }
func cmdACLSave(c *Ctx) error { return c.askForFile(RequestACLSave) }

// askForFile asks for what is done with the ACL file.
func (c *Ctx) askForFile(kind RequestKind) error {
	if c.e.conf.ACLFile == "" {
		return errNoACLFile
	}
	return c.ask(Request{Kind: kind})
}

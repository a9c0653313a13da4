package engine

// What a user hears of what it may not do. Redis 7.2 names the user.

func (e *Engine) namesUsers() bool { return e.table.ver.from(version{major: 7, minor: 2}) }

// errNoPermission is the answer to a command that a user may not run.
func (e *Engine) errNoPermission(u *user, cmd *Command, why deniedWhy) error {
	switch {
	case e.namesUsers():
		return wireError("NOPERM " + permissionText(u, cmd, why))
	case why == deniedKey:
		return errNoKeyPermission
	case why == deniedChannel:
		return errNoChannelPermission
	}
	return errorf("NOPERM this user has no permissions to run the '%s' command", cmd.FullName())
}

// errScriptPermission is the answer to a script's command.
func (e *Engine) errScriptPermission(u *user, cmd *Command, why deniedWhy) error {
	switch {
	case e.namesUsers():
		return wireError("NOPERM ACL failure in script: " + permissionText(u, cmd, why))
	case why == deniedKey:
		return errScriptKeyPermission
	case why == deniedChannel:
		return errScriptChannelPermission
	}
	return errScriptCommandPermission
}

// permissionText is Redis 7.2's way of saying it.
func permissionText(u *user, cmd *Command, why deniedWhy) string {
	switch why {
	case deniedKey:
		return "No permissions to access a key"
	case deniedChannel:
		return "No permissions to access a channel"
	}
	return "User " + u.name + " has no permissions to run the '" + cmd.FullName() + "' command"
}

// dryRunText is what ACL DRYRUN says of a command line that a user may not run.
func (e *Engine) dryRunText(u *user, cmd *Command, argv [][]byte, d denial) string {
	who := "This user"
	if e.namesUsers() {
		who = "User " + u.name
	}
	if d.why == deniedCommand {
		return who + " has no permissions to run the '" + cmd.FullName() + "' command"
	}
	return who + " has no permissions to access the '" + string(argv[d.pos]) + "' " + d.why.String()
}

// errRulesChanged is the answer to a command that was allowed when it was
// queued and is not any more.
func errRulesChanged(why deniedWhy) error {
	reasons := [...]string{
		deniedCommand: "no permission to execute the command or subcommand",
		deniedKey:     "no permission to touch the specified keys",
		deniedChannel: "no permission to access one of the channels used as arguments",
	}
	return errorf("NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC call. "+
		"This command is no longer allowed for the following reason: %s", reasons[why])
}

// Access control.
var (
	errNoKeyPermission         error = wireError("NOPERM this user has no permissions to access one of the keys used as arguments")
	errNoChannelPermission     error = wireError("NOPERM this user has no permissions to access one of the channels used as arguments")
	errScriptCommandPermission error = wireError("ERR The user executing the script can't run this command or subcommand")
	errScriptKeyPermission     error = wireError("ERR The user executing the script can't access at least one of the keys mentioned in the command arguments")
	errScriptChannelPermission error = wireError("ERR The user executing the script can't publish to the channel mentioned in the command")
	errSortBy                  error = wireError("ERR BY option of SORT denied due to insufficient ACL permissions.")
	errSortGet                 error = wireError("ERR GET option of SORT denied due to insufficient ACL permissions.")
	errUserName                error = wireError("ERR Usernames can't contain spaces or null characters")
	errDefaultStays            error = wireError("ERR The 'default' user cannot be removed")
	errGenPass                 error = wireError("ERR ACL GENPASS argument must be the number of bits for the output password, a positive number up to 4096")
	errNoACLFile               error = wireError("ERR This Redis instance is not configured to use an ACL file. You may want to specify users via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a Redis configuration file set) in order to store users in the Redis configuration.")
)

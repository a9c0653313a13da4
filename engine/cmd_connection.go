package engine

import "strings"

func connectionCommands() []*Command {
	const always = NoScript | Loading | Stale | Fast | NoAuth | AllowBusy
	return []*Command{
		{Name: "AUTH", Arity: -2, Flags: always, Group: Connection, Since: "1.0.0", Syntax: "[username] password",
			Complexity: "O(N), N the passwords of the user", Summary: "Authenticates the connection.", Handler: cmdAuth},
		{Name: "ECHO", Arity: 2, Flags: Loading | Stale | Fast, Group: Connection, Since: "1.0.0", Syntax: "message",
			Complexity: "O(1)", Summary: "Answers its argument.", Handler: cmdEcho},
		{Name: "HELLO", Arity: -1, Flags: always, Group: Connection, Since: "6.0.0",
			Syntax:     "[protover [AUTH username password] [SETNAME clientname]]",
			Complexity: "O(1)", Summary: "Chooses RESP2 or RESP3 and introduces both sides.", Handler: cmdHello},
		{Name: "PING", Arity: -1, Flags: Fast | InSubscribe | TellsOfDisk, Group: Connection, Since: "1.0.0", Syntax: "[message]",
			Tips:       []string{"request_policy:all_shards", "response_policy:all_succeeded"},
			Complexity: "O(1)", Summary: "Answers PONG, or its argument.", Handler: cmdPing},
		{Name: "QUIT", Arity: -1, Flags: always | InSubscribe | NotQueued | EndsMulti, Group: Connection, Since: "1.0.0",
			Complexity: "O(1)", Summary: "Closes the connection.", Handler: cmdQuit},
		{Name: "RESET", Arity: 1, Flags: always | InSubscribe | NotQueued | EndsMulti, Group: Connection, Since: "6.2.0",
			Complexity: "O(1)", Summary: "Sets the connection back to how it began.", Handler: cmdReset},
		{Name: "SELECT", Arity: 2, Flags: Loading | Stale | Fast, Group: Connection, Since: "1.0.0", Syntax: "index",
			Complexity: "O(1)", Summary: "Changes the connection's database.", Handler: cmdSelect},
	}
}

func cmdPing(c *Ctx) error {
	switch {
	case len(c.argv) > 2:
		return errArity(c.cmd)
	case c.cl.subs.count() > 0 && !c.resp3():
		c.out.Array(2)
		c.out.BulkString("pong")
		if len(c.argv) == 1 {
			c.out.BulkString("")
			return nil
		}
	case len(c.argv) == 1:
		c.out.Status("PONG")
		return nil
	}
	c.out.Bulk(c.argv[1])
	return nil
}

func cmdEcho(c *Ctx) error {
	c.out.Bulk(c.argv[1])
	return nil
}

func cmdSelect(c *Ctx) error {
	db, err := c.dbIndex(c.argv[1], errNotInteger)
	if c.e.cluster != nil && err != errNotInteger && db != c.e.dbs[0] {
		return errSelectCluster
	}
	if err != nil {
		return err
	}
	c.selectDB(db)
	return c.ok()
}

// DIFFERS: QUIT closes the connection also under CLIENT REPLY OFF or SKIP, where Redis 7.0 leaves it open and deaf.
func cmdQuit(c *Ctx) error {
	c.cl.closing = true
	return c.ok()
}

func cmdReset(c *Ctx) error {
	cl := c.cl
	cl.multi.reset()
	cl.fieldsets = nil
	c.e.unwatch(cl)
	c.e.unsubscribeAll(cl)
	c.e.untrack(cl)
	c.e.unmonitor(cl)
	c.selectDB(c.e.dbs[0])
	cl.setProto(2)
	cl.name = ""
	cl.off, cl.skipNext = false, false
	cl.noTouch = false
	cl.asking, cl.readonly = 0, false
	if c.e.table.ver.from(version{major: 7, minor: 2}) {
		cl.noEvict = false
	}
	cl.logout()
	c.out.Status("RESET")
	return nil
}

func cmdAuth(c *Ctx) error {
	user, password := []byte(defaultUser), c.argv[1]
	for i := range c.argv[1:] {
		c.secret(i + 1)
	}
	switch {
	case len(c.argv) > 3:
		return errSyntax
	case len(c.argv) == 3:
		user, password = c.argv[1], c.argv[2]
	case c.e.acl.def.nopass:
		return errNoPassword
	}
	if err := c.login(user, password); err != nil {
		return err
	}
	return c.ok()
}

func cmdHello(c *Ctx) error {
	a := c.Scan()
	proto := int64(c.out.Proto())
	if a.More() {
		proto = a.IntOr(errProtoVersion)
		if a.Err() == nil && (proto < 2 || proto > 3) {
			return errNoProto
		}
	}
	user, authed, name := c.cl.user, c.cl.authed, c.cl.name
	err := c.introduce(&a)
	if err == nil && !c.cl.authed && c.e.acl.authRequired() {
		err = errHelloNoAuth
	}
	if err != nil {
		if c.e.table.ver.from(version{major: 7, minor: 2}) {
			c.cl.user, c.cl.authed, c.cl.name = user, authed, name
		}
		return err
	}
	c.cl.setProto(int(proto))
	c.hello()
	return nil
}

// introduce does what HELLO's options say, one after the other, up to the first
// that is wrong.
func (c *Ctx) introduce(a *Scanner) error {
	for a.More() {
		switch {
		case a.WordWith("AUTH", 2):
			c.secret(a.pos)
			c.secret(a.pos + 1)
			user, password := a.Next(), a.Next()
			if err := c.login(user, password); err != nil {
				return err
			}
		case a.WordWith("SETNAME", 1):
			name := a.Next()
			if !validName(name) {
				return errClientName
			}
			c.cl.name = string(name)
		default:
			return errorf("ERR Syntax error in HELLO option '%s'", clip(a.Next(), 128))
		}
	}
	return a.Err()
}

// hello describes the server to the client.
func (c *Ctx) hello() {
	c.out.Map(7)
	c.out.BulkString("server")
	c.out.BulkString("redis")
	c.out.BulkString("version")
	c.out.BulkString(c.e.version())
	c.out.BulkString("proto")
	c.out.Int(int64(c.cl.out.Proto()))
	c.out.BulkString("id")
	c.out.Int(c.cl.id)
	c.out.BulkString("mode")
	c.out.BulkString(c.e.mode())
	c.out.BulkString("role")
	c.out.BulkString("master")
	c.out.BulkString("modules")
	c.out.Array(0)
}

// validName tells whether a client's name has no character that would spoil
// CLIENT LIST: only printable ASCII, no blanks.
func validName(name []byte) bool {
	return strings.IndexFunc(string(name), func(r rune) bool { return r < '!' || r > '~' }) < 0
}

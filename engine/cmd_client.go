package engine

import (
	"math"
	"slices"
	"strings"
)

func clientCommands() []*Command {
	const own = NoScript | Loading | Stale
	const admin = own | Admin
	return []*Command{
		{Name: "CLIENT", Arity: -2, ACL: noGroupCategory, Group: Connection, Since: "2.4.0", Complexity: "Depends on subcommand.",
			Summary: "Asks about and steers connections.", Sub: append(trackingCommands(), []*Command{
				{Name: "GETNAME", Arity: 2, Flags: own, Since: "2.6.9", Complexity: "O(1)",
					Summary: "Answers the connection's name.", Handler: cmdClientGetName},
				{Name: "ID", Arity: 2, Flags: own, Since: "5.0.0", Complexity: "O(1)",
					Summary: "Answers the connection's number.", Handler: cmdClientID},
				{Name: "INFO", Arity: 2, Flags: own, Since: "6.2.0", Complexity: "O(1)", Tips: []string{"nondeterministic_output"},
					Summary: "Describes the connection.", Handler: cmdClientInfo},
				{Name: "KILL", Arity: -3, Flags: admin, Since: "2.4.0", Complexity: "O(N), N the connections",
					Syntax:  "<ip:port | [ID client-id] [TYPE <NORMAL | MASTER | REPLICA | PUBSUB>] [USER username] [ADDR ip:port] [LADDR ip:port] [SKIPME <YES | NO>] [MAXAGE@7.4 maxage]>",
					Summary: "Closes connections.", Handler: cmdClientKill},
				{Name: "LIST", Arity: -2, Flags: admin, Since: "2.4.0", Complexity: "O(N), N the connections", Tips: []string{"nondeterministic_output"},
					Syntax:  "[TYPE <NORMAL | MASTER | REPLICA | PUBSUB>] [ID client-id [client-id ...]]",
					Summary: "Describes connections.", Handler: cmdClientList},
				{Name: "NO-EVICT", Arity: 3, Flags: admin, Since: "7.0.0", Syntax: "<ON | OFF>", Complexity: "O(1)",
					Summary: "Keeps the connection from being closed to free memory.", Handler: cmdClientNoEvict},
				{Name: "NO-TOUCH", Arity: 3, Flags: own, Since: "7.2.0", Syntax: "<ON | OFF>", Complexity: "O(1)",
					Summary: "Keeps the connection's reads from counting as use of keys.", Handler: cmdClientNoTouch},
				{Name: "PAUSE", Arity: -3, Flags: admin, Since: "2.9.50", Syntax: "timeout:integer [WRITE@6.2 | ALL@6.2]", Complexity: "O(1)",
					Summary: "Holds all commands, or all writes, back for a time.", Handler: cmdClientPause},
				{Name: "REPLY", Arity: 3, Flags: own, Since: "3.2.0", Syntax: "<ON | OFF | SKIP>", Complexity: "O(1)",
					Summary: "Switches replies off and on.", Handler: cmdClientReply},
				{Name: "SETINFO", Arity: 4, Flags: own, Since: "7.2.0", Syntax: "<LIB-NAME libname | LIB-VER libver>", Complexity: "O(1)",
					Summary: "Notes the client library.", Handler: cmdClientSetInfo},
				{Name: "SETNAME", Arity: 3, Flags: own, Since: "2.6.9", Syntax: "connection-name", Complexity: "O(1)",
					Summary: "Names the connection.", Handler: cmdClientSetName},
				{Name: "UNBLOCK", Arity: -3, Flags: admin, Since: "5.0.0", Syntax: "client-id [TIMEOUT | ERROR]", Complexity: "O(log N), N the connections",
					Summary: "Ends the wait of a blocked connection.", Handler: cmdClientUnblock},
				{Name: "UNPAUSE", Arity: 2, Flags: admin, Since: "6.2.0", Complexity: "O(N), N the held connections",
					Summary: "Ends CLIENT PAUSE.", Handler: cmdClientUnpause},
			}...)},
	}
}

func cmdClientID(c *Ctx) error { return c.int(c.cl.id) }

func cmdClientGetName(c *Ctx) error {
	if c.cl.name == "" {
		c.out.Null()
		return nil
	}
	c.out.BulkString(c.cl.name)
	return nil
}

func cmdClientSetName(c *Ctx) error {
	if !validName(c.argv[2]) {
		return errClientName
	}
	c.cl.name = string(c.argv[2])
	return c.ok()
}

func cmdClientSetInfo(c *Ctx) error {
	a := c.Scan()
	field := &c.cl.libName
	switch {
	case a.Word("LIB-NAME"):
	case a.Word("LIB-VER"):
		field = &c.cl.libVer
	default:
		return errorf("ERR Unrecognized option '%s'", clip(c.argv[2], 128))
	}
	if !validName(c.argv[3]) {
		return errorf("ERR %s cannot contain spaces, newlines or special characters.", clip(c.argv[2], 128))
	}
	*field = string(c.argv[3])
	return c.ok()
}

func cmdClientInfo(c *Ctx) error {
	c.out.Verbatim("txt", []byte(c.cl.info()+"\n"))
	return nil
}

// clientTypes are the words of TYPE; there are no replication links, so the
// last three find nobody.
var clientTypes = []string{"normal", "pubsub", "replica", "slave", "master"}

func (a *Scanner) clientType() string {
	word := a.Next()
	typ := strings.ToLower(string(word))
	if !slices.Contains(clientTypes, typ) {
		a.Fail(errorf("ERR Unknown client type '%s'", clip(word, 128)))
	}
	return typ
}

func cmdClientList(c *Ctx) error {
	a := c.Scan()
	list := c.e.clientsByID()
	switch {
	case !a.More():
	case a.Left() == 2 && a.Word("TYPE"):
		typ := a.clientType()
		list = slices.DeleteFunc(list, func(cl *Client) bool { return cl.kind() != typ })
	case a.WordWith("ID", 1):
		list = nil
		for a.More() {
			if cl := c.e.clients[a.IntOr(errClientIDs)]; cl != nil {
				list = append(list, cl)
			}
		}
	default:
		a.Syntax()
	}
	if err := a.Done(); err != nil {
		return err
	}
	var b strings.Builder
	for _, cl := range list {
		b.WriteString(cl.info())
		b.WriteByte('\n')
	}
	c.out.Verbatim("txt", []byte(b.String()))
	return nil
}

// clientsByID lists the clients, the oldest first.
func (e *Engine) clientsByID() []*Client {
	list := make([]*Client, 0, len(e.clients))
	for _, cl := range e.clients {
		list = append(list, cl)
	}
	slices.SortFunc(list, func(a, b *Client) int { return int(a.id - b.id) })
	return list
}

// cmdClientKill has an old form with one address, which must exist, and a new
// one with filters, which answers how many fitted them.
func cmdClientKill(c *Ctx) error {
	if len(c.argv) == 3 {
		for _, cl := range c.e.clientsByID() {
			if cl.conn.Addr == string(c.argv[2]) {
				c.e.kill(cl)
				return c.ok()
			}
		}
		return errNoSuchClient
	}
	want, err := c.killFilter()
	if err != nil {
		return err
	}
	n := 0
	for _, cl := range c.e.clientsByID() {
		if want(cl) {
			c.e.kill(cl)
			n++
		}
	}
	return c.int(int64(n))
}

// killFilter reads CLIENT KILL's filters; a client must fit all of them.
func (c *Ctx) killFilter() (func(*Client) bool, error) {
	var id, maxAge int64
	var typ, addr, laddr string
	var user *user
	skipMe := true
	a := c.Scan()
	for a.More() {
		switch {
		case a.WordWith("ID", 1):
			id = a.IntIn(1, math.MaxInt64, errClientIDPositive)
		case a.WordWith("TYPE", 1):
			typ = a.clientType()
		case a.WordWith("ADDR", 1):
			addr = string(a.Next())
		case a.WordWith("LADDR", 1):
			laddr = string(a.Next())
		case a.WordWith("USER", 1):
			name := a.Next()
			if user = c.e.acl.users[string(name)]; user == nil {
				return nil, errorf("ERR No such user '%s'", clip(name, 128))
			}
		case a.WordWith("MAXAGE", 1):
			if maxAge = a.IntOr(errMaxAge); a.Err() == nil && maxAge < 1 {
				return nil, errMaxAgePositive
			}
		case a.WordWith("SKIPME", 1):
			skipMe = a.Word("YES")
			if !skipMe && !a.Word("NO") {
				a.Syntax()
			}
		default:
			a.Syntax()
		}
	}
	return func(cl *Client) bool {
		return (id == 0 || cl.id == id) && (typ == "" || cl.kind() == typ) && (addr == "" || cl.conn.Addr == addr) &&
			(laddr == "" || cl.conn.LAddr == laddr) && (user == nil || cl.user == user) &&
			(maxAge == 0 || (c.e.now-cl.created)/1_000_000 >= maxAge) && !(skipMe && cl == c.cl)
	}, a.Err()
}

// onOff reads the last argument of a switch.
func (c *Ctx) onOff(set *bool) error {
	a := c.Scan()
	on := a.Word("ON")
	if !on && !a.Word("OFF") {
		return errSyntax
	}
	*set = on
	return c.ok()
}

func cmdClientNoEvict(c *Ctx) error { return c.onOff(&c.cl.noEvict) }
func cmdClientNoTouch(c *Ctx) error { return c.onOff(&c.cl.noTouch) }

func cmdClientPause(c *Ctx) error {
	word, err := c.lastOption()
	if err != nil {
		return err
	}
	kind := pauseAll
	switch {
	case isWord(word, "WRITE"):
		kind = pauseWrites
	case word != nil && !isWord(word, "ALL"):
		return errPauseMode
	}
	a := c.Scan()
	ms := a.IntOr(errTimeoutInt)
	switch {
	case a.Err() != nil:
		return a.Err()
	case ms < 0:
		return errTimeoutNeg
	}
	if ms > math.MaxInt64-c.nowMS() {
		return c.ok() // as in Redis, where the sum is a time long gone
	}
	const longest = 1 << 52 // keeps the sum, and its microseconds, in range
	c.e.setPause(kind, c.nowMS()+min(ms, longest))
	return c.ok()
}

func cmdClientUnpause(c *Ctx) error {
	c.e.unpause()
	return c.ok()
}

func cmdClientReply(c *Ctx) error {
	a := c.Scan()
	switch {
	case a.Word("ON"):
		c.cl.off, c.cl.skip = false, false
		return c.ok()
	case a.Word("OFF"):
		c.cl.off = true
	case a.Word("SKIP"):
		c.cl.skipNext = !c.cl.off
	default:
		return errSyntax
	}
	return nil
}

// lastOption is the word that may follow a subcommand and its argument. More
// than that is no form of the command.
func (c *Ctx) lastOption() ([]byte, error) {
	switch len(c.argv) {
	case 3:
		return nil, nil
	case 4:
		return c.argv[3], nil
	}
	return nil, errUnknownSubArity(c)
}

func cmdClientUnblock(c *Ctx) error {
	word, err := c.lastOption()
	if err != nil {
		return err
	}
	withError := isWord(word, "ERROR")
	if word != nil && !withError && !isWord(word, "TIMEOUT") {
		return errUnblockReason
	}
	a := c.Scan()
	id := a.Int()
	if err := a.Err(); err != nil {
		return err
	}
	cl := c.e.clients[id]
	return c.bool(cl != nil && c.e.unblockByCommand(cl, withError))
}

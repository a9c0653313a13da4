package engine

import (
	"slices"
	"strconv"

	"minikv/value"
)

func serverCommands() []*Command {
	const allShards, allOK = "request_policy:all_shards", "response_policy:all_succeeded"
	rows := []*Command{
		{Name: "DBSIZE", Arity: 1, Flags: ReadOnly | Fast, ACL: CatKeyspace, Group: Server, Since: "1.0.0",
			Tips:       []string{allShards, "response_policy:agg_sum"},
			Complexity: "O(1)", Summary: "Counts the keys of the database.", Handler: cmdDBSize},
		{Name: "FLUSHALL", Arity: -1, Flags: Write, ACL: CatDangerous | CatKeyspace, Group: Server, Since: "1.0.0",
			Syntax: "[ASYNC@4.0 | SYNC@6.2]", Tips: []string{allShards, allOK},
			Complexity: "O(N), N the keys of all databases", Summary: "Deletes all keys of all databases.", Handler: cmdFlushAll},
		{Name: "FLUSHDB", Arity: -1, Flags: Write, ACL: CatDangerous | CatKeyspace, Group: Server, Since: "1.0.0",
			Syntax: "[ASYNC@4.0 | SYNC@6.2]", Tips: []string{allShards, allOK},
			Complexity: "O(N), N the keys of the database", Summary: "Deletes all keys of the database.", Handler: cmdFlushDB},
		{Name: "INFO", Arity: -1, Flags: Loading | Stale, ACL: CatDangerous, Group: Server, Since: "1.0.0",
			Syntax: "[section [section ...]]", Tips: []string{"nondeterministic_output", allShards, "response_policy:special"},
			Complexity: "O(1)", Summary: "Describes the server's state, section by section.", Handler: cmdInfo},
		{Name: "LOLWUT", Arity: -1, Flags: ReadOnly | Fast, Group: Server, Since: "5.0.0",
			Syntax: "[VERSION version]", Complexity: "O(1)", Summary: "Draws a picture and tells the version.", Handler: cmdLolwut},
		{Name: "MONITOR", Arity: 1, Flags: Admin | NoScript | Loading | Stale, Group: Server, Since: "1.0.0",
			Complexity: "O(1)", Summary: "Shows the connection every command that runs.", Handler: cmdMonitor},
		{Name: "ROLE", Arity: 1, Flags: NoScript | Loading | Stale | Fast, ACL: CatAdmin | CatDangerous, Group: Server, Since: "2.8.12",
			Complexity: "O(1)", Summary: "Tells the server's part in replication.", Handler: cmdRole},
		{Name: "SHUTDOWN", Arity: -1, Flags: Admin | NoScript | Loading | Stale | NoMulti | AllowBusy, Group: Server, Since: "1.0.0",
			Syntax:     "[NOSAVE | SAVE] [NOW@7.0] [FORCE@7.0] [ABORT@7.0]",
			Complexity: "O(N) when saving, N the keys", Summary: "Ends the server.", Handler: cmdShutdown},
		{Name: "SWAPDB", Arity: 3, Flags: Write | Fast, ACL: CatDangerous | CatKeyspace, Group: Server, Since: "4.0.0",
			Syntax: "index1 index2", Complexity: "O(N), N the clients that watch or wait for keys of either",
			Summary: "Swaps the contents of two databases.", Handler: cmdSwapDB},
		{Name: "TIME", Arity: 1, Flags: Loading | Stale | Fast, Group: Server, Since: "2.6.0", Tips: []string{"nondeterministic_output"},
			Complexity: "O(1)", Summary: "Answers the time in seconds and microseconds.", Handler: cmdTime},
	}
	return slices.Concat(rows, slowlogCommands(), persistenceCommands())
}

func cmdDBSize(c *Ctx) error { return c.int(int64(c.db.keys.Len())) }

// flushMode reads ASYNC or SYNC. Both come to the same: the old tables are
// left to the garbage collector.
func (c *Ctx) flushMode() error {
	a := c.Scan()
	if a.More() && !a.Word("ASYNC") && !a.Word("SYNC") {
		return errSyntax
	}
	return a.Done()
}

func cmdFlushDB(c *Ctx) error {
	if err := c.flushMode(); err != nil {
		return err
	}
	c.e.stats.dirty += int64(c.db.flush())
	c.e.invalidateAll()
	c.effect(c.argv...)
	return c.ok()
}

func cmdFlushAll(c *Ctx) error {
	if err := c.flushMode(); err != nil {
		return err
	}
	c.e.stats.dirty += c.e.flushAll()
	c.e.invalidateAll()
	if len(c.e.conf.Save) > 0 {
		c.e.persist.scheduled = true
	}
	c.effect(c.argv...)
	return c.ok()
}

func cmdSwapDB(c *Ctx) error {
	if c.e.cluster != nil {
		return errSwapCluster
	}
	firstNumber, err := dbNumber(c.argv[1], errFirstDB)
	if err != nil {
		return err
	}
	secondNumber, err := dbNumber(c.argv[2], errSecondDB)
	if err != nil {
		return err
	}
	first, err := c.numbered(firstNumber)
	if err != nil {
		return err
	}
	second, err := c.numbered(secondNumber)
	if err != nil {
		return err
	}
	c.e.stats.dirty++
	if first != second {
		first.swap(second)
	}
	return c.ok()
}

// swap exchanges what two databases hold. Clients stay with their database's
// number: whoever watches a key that either side holds has seen it change, and
// whoever waits for a key may find it now.
func (db *DB) swap(other *DB) {
	db.failSwapped(other)
	other.failSwapped(db)
	db.keys, other.keys = other.keys, db.keys
	db.expires, other.expires = other.expires, db.expires
	db.fields, other.fields = other.fields, db.fields
	db.timed, other.timed = other.timed, db.timed
	db.bytes, other.bytes = other.bytes, db.bytes
	for _, d := range []*DB{db, other} {
		for key := range d.waits {
			d.awaken([]byte(key))
		}
	}
}

// failSwapped fails the transactions that watch a key of db which stands here
// or in the other database.
func (db *DB) failSwapped(other *DB) {
	for key := range db.watchers {
		if db.keys.GetString(key) != nil || other.keys.GetString(key) != nil {
			db.failWatchers([]byte(key))
		}
	}
}

func cmdTime(c *Ctx) error {
	c.out.Array(2)
	c.out.BulkInt(c.e.now / 1_000_000)
	c.out.BulkInt(c.e.now % 1_000_000)
	return nil
}

// cmdRole knows one answer: there are no replicas.
func cmdRole(c *Ctx) error {
	c.out.Array(3)
	c.out.BulkString("master")
	c.out.Int(0)
	c.out.Array(0)
	return nil
}

// cmdShutdown asks the loop to end the server; how, it reads from the request.
func cmdShutdown(c *Ctx) error {
	var noSave, save, now, force, abort bool
	a := c.Scan()
	for a.More() {
		switch {
		case a.Word("NOSAVE"):
			noSave = true
		case a.Word("SAVE"):
			save = true
		case a.Word("NOW"):
			now = true
		case a.Word("FORCE"):
			force = true
		case a.Word("ABORT"):
			abort = true
		default:
			return errSyntax
		}
	}
	switch {
	case abort && (noSave || save || now || force), noSave && save:
		return errSyntax
	case abort:
		return errNoShutdown
	case c.e.scripts.busy && !noSave:
		return c.e.scripts.busyError()
	}
	return c.ask(Request{Kind: RequestShutdown, NoSave: noSave, Save: save, Force: force})
}

func cmdInfo(c *Ctx) error {
	c.out.Verbatim("txt", c.e.info(c.argv[1:]))
	return nil
}

// cmdLolwut draws. Redis draws another picture with each version; so do we,
// and it is our own.
func cmdLolwut(c *Ctx) error {
	if len(c.argv) >= 3 && isWord(c.argv[1], "VERSION") {
		if _, ok := value.ParseInt(c.argv[2]); !ok {
			return errNotInteger
		}
	}
	c.out.Verbatim("txt", append(c.e.drawTree(), "Redis ver. "+c.e.version()+"\n"...))
	return nil
}

// drawTree draws a tree of keys, as tall as it happens to be.
//
// DIFFERS: LOLWUT draws one small picture of its own, whatever VERSION and its other arguments ask for.
func (e *Engine) drawTree() []byte {
	const lowest, spread = 3, 5
	height := lowest + int(e.random(spread))
	var b []byte
	row := func(indent int, text string) {
		for range indent {
			b = append(b, ' ')
		}
		b = append(append(b, text...), '\n')
	}
	for i := range height {
		leaves := make([]byte, 2*i+1)
		for j := range leaves {
			leaves[j] = "kv.:*"[e.random(5)]
		}
		row(height-i, string(leaves))
	}
	row(height, "|")
	row(0, strconv.Itoa(height*height)+" leaves, no two trees alike")
	return append(b, '\n')
}

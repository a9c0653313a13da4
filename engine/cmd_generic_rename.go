package engine

func renameRows() []*Command {
	return []*Command{
		{Name: "RENAME", Arity: 3, Flags: Write, Keys: specs(key(1, RW|Access|Delete), key(2, OW|Update)), Group: Generic, Since: "1.0.0",
			Syntax: "key newkey", Summary: "Gives a key another name, in place of whatever bore it.", Complexity: "O(1)", Handler: cmdRename},
		{Name: "RENAMENX", Arity: 3, Flags: Write | Fast, Keys: specs(key(1, RW|Access|Delete), key(2, OW|Insert)), Group: Generic, Since: "1.0.0",
			Syntax: "key newkey", Summary: "Gives a key another name unless that is taken.", Complexity: "O(1)", Handler: cmdRenameNX},
		{Name: "MOVE", Arity: 3, Flags: Write | Fast, Keys: key(1, RW|Access|Update), Group: Generic, Since: "1.0.0",
			Syntax: "key db", Summary: "Moves a key to another database.", Complexity: "O(1)", Handler: cmdMove},
		{Name: "COPY", Arity: -3, Flags: Write | DenyOOM, Keys: specs(key(1, RO|Access), key(2, OW|Update)), Group: Generic, Since: "6.2.0",
			Syntax: "source destination [DB destination-db] [REPLACE]", Summary: "Copies a key's value to another key.",
			Complexity: "O(N) for a collection of N elements, O(1) for a string", Handler: cmdCopy},
	}
}

func cmdRename(c *Ctx) error {
	if _, err := c.rename(true); err != nil {
		return err
	}
	return c.ok()
}

func cmdRenameNX(c *Ctx) error {
	done, err := c.rename(false)
	if err != nil {
		return err
	}
	return c.bool(done)
}

// rename is RENAME (overwriting) and RENAMENX; done is false when nothing
// changed.
func (c *Ctx) rename(overwrite bool) (done bool, err error) {
	from, to := c.argv[1], c.argv[2]
	en := c.LookupWrite(from)
	if en == nil {
		return false, errNoSuchKey
	}
	if string(from) == string(to) {
		return false, nil
	}
	if old := c.LookupWrite(to); old != nil {
		if !overwrite {
			return false, nil
		}
		c.db.remove(old)
	}
	c.db.transfer(en, c.db, to)
	c.db.changed(from, ClassGeneric, "rename_from")
	c.db.changed(to, ClassGeneric, "rename_to")
	return true, nil
}

func cmdMove(c *Ctx) error {
	if c.e.cluster != nil {
		return errMoveCluster
	}
	key := c.argv[1]
	to, err := c.dbIndex(c.argv[2], errNotInteger)
	if err != nil {
		return err
	}
	if to == c.db {
		return errSameObject
	}
	en := c.LookupWrite(key)
	if en == nil || to.live(key) != nil {
		return c.int(0)
	}
	c.db.transfer(en, to, key)
	c.db.changed(key, ClassGeneric, "move_from")
	to.changed(key, ClassGeneric, "move_to")
	return c.int(1)
}

// transfer puts an entry's value under another name, where no key stands, with
// its deadline and its time of last use. The value itself is not copied, so it
// stays of the epoch in which it was born: see Snapshot.
func (db *DB) transfer(en *Entry, to *DB, key []byte) {
	o, at := en.Val, en.Val.expireAt()
	db.remove(en)
	moved := to.add(key, o)
	moved.Val.epoch, moved.Val.clock = o.epoch, o.clock
	if at >= 0 {
		to.setExpire(moved, at)
	}
}

func cmdCopy(c *Ctx) error {
	a := c.Scan()
	from, to := a.Next(), a.Next()
	db, replace := c.db, false
	for a.More() {
		switch {
		case a.Word("REPLACE"):
			replace = true
		case a.WordWith("DB", 1):
			var err error
			if db, err = c.dbIndex(a.Next(), errNotInteger); err != nil {
				return err
			}
		default:
			return errSyntax
		}
	}
	if db != c.db && c.e.cluster != nil {
		return errCopyCluster
	}
	if db == c.db && string(from) == string(to) {
		return errSameObject
	}
	en := c.Lookup(from)
	if en == nil {
		return c.int(0)
	}
	if old := db.live(to); old != nil {
		if !replace {
			return c.int(0)
		}
		db.remove(old)
	}
	copied := db.add(to, en.Val.clone())
	if at := en.Val.expireAt(); at >= 0 {
		db.setExpire(copied, at)
	}
	db.changed(to, ClassGeneric, "copy_to")
	return c.int(1)
}

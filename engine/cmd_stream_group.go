package engine

import (
	"minikv/value"
)

func streamGroups() []*Command {
	return []*Command{
		{Name: "XGROUP", Arity: -2, ACL: noGroupCategory, Group: Stream, Since: "5.0.0",
			Summary: "Commands for consumer groups.", Complexity: "Depends on subcommand.", Sub: []*Command{
				{Name: "CREATE", Arity: -5, Flags: Write | DenyOOM, Keys: key(2, RW|Insert), Since: "5.0.0",
					Syntax:  "key group <id:string | $> [MKSTREAM] [ENTRIESREAD@7.0 entries-read:integer]",
					Summary: "Makes a group that reads what stands behind an ID.", Complexity: "O(1)", Handler: cmdXGroupCreate},
				{Name: "CREATECONSUMER", Arity: 5, Flags: Write | DenyOOM, Keys: key(2, RW|Insert), Since: "6.2.0",
					Syntax: "key group consumer", Summary: "Makes a consumer.", Complexity: "O(1)", Handler: cmdXGroupCreateConsumer},
				{Name: "DELCONSUMER", Arity: 5, Flags: Write, Keys: key(2, RW|Delete), Since: "5.0.0",
					Syntax:     "key group consumer",
					Summary:    "Removes a consumer with its pending entries, and answers how many those were.",
					Complexity: "O(N) for N pending entries", Handler: cmdXGroupDelConsumer},
				{Name: "DESTROY", Arity: 4, Flags: Write, Keys: key(2, RW|Delete), Since: "5.0.0",
					Syntax: "key group", Summary: "Removes a group.", Complexity: "O(N) for N pending entries", Handler: cmdXGroupDestroy},
				{Name: "SETID", Arity: -5, Flags: Write, Keys: key(2, RW|Update), Since: "5.0.0",
					Syntax:  "key group <id:string | $> [ENTRIESREAD@7.0 entries-read:integer]",
					Summary: "Sets how far a group has read.", Complexity: "O(1)", Handler: cmdXGroupSetID},
			}},
	}
}

// groupOptions is what follows XGROUP CREATE and SETID.
type groupOptions struct {
	id      []byte
	make    bool
	entries int64
}

func (c *Ctx) groupOptions(a *Scanner, mayMake bool) (o groupOptions, err error) {
	o.id, o.entries = a.Next(), value.UnknownEntriesRead
	for a.More() {
		switch {
		case mayMake && a.Word("MKSTREAM"):
			o.make = true
		case a.WordWith("ENTRIESREAD", 1):
			if o.entries = a.Int(); o.entries < value.UnknownEntriesRead {
				a.Fail(errEntriesRead)
			}
		default:
			a.Fail(errUnknownSubArity(c))
		}
	}
	return o, a.Err()
}

// resolve is the ID of the options; $ is the stream's last. S may be nil.
func (o *groupOptions) resolve(s *value.Stream) (id value.StreamID, err error) {
	if string(o.id) == "$" {
		if s != nil {
			id = s.LastID
		}
		return id, nil
	}
	id, ok := value.ParseStreamID(o.id, 0)
	if !ok {
		return id, errStreamID
	}
	return id, nil
}

// resolveAny is resolve that takes - and + too.
func (o *groupOptions) resolveAny(s *value.Stream) (id value.StreamID, err error) {
	switch string(o.id) {
	case "-":
		return value.StreamID{}, nil
	case "+":
		return value.MaxStreamID, nil
	}
	return o.resolve(s)
}

// streamOfGroup is the entry of the stream at key, which must exist.
func (c *Ctx) streamOfGroup(key []byte) (*Entry, error) {
	en, err := c.Write(key, value.KindStream)
	if err == nil && en == nil {
		return nil, errGroupNeedsKey
	}
	return en, err
}

// groupAt is the entry of the stream at key, which must exist and have a group.
func (c *Ctx) groupAt(key, group []byte) (*Entry, error) {
	en, err := c.streamOfGroup(key)
	if err != nil {
		return nil, err
	}
	return en, c.hasGroup(en, group)
}

// hasGroup tells by an error that a stream lacks a group.
func (c *Ctx) hasGroup(en *Entry, group []byte) error {
	if en.Val.stream().Group(group) == nil {
		return errorf("NOGROUP No such consumer group '%s' for key name '%s'", cText(group), cText(en.KeyBytes()))
	}
	return nil
}

func cmdXGroupCreate(c *Ctx) error {
	const mostArgs = 8
	a := c.Scan()
	key, name := a.Next(), a.Next()
	o, err := c.groupOptions(&a, true)
	if err != nil {
		return err
	}
	en, err := c.Write(key, value.KindStream)
	var s *value.Stream
	switch {
	case err != nil:
		return err
	case en != nil:
		s = en.Val.stream()
	case !o.make:
		return errGroupNeedsKey
	}
	id, err := o.resolve(s)
	switch {
	case len(c.argv) > mostArgs:
		return errUnknownSubArity(c)
	case err != nil:
		return err
	case s != nil && s.Group(name) != nil:
		return errBusyGroup
	case s == nil:
		en = c.db.add(key, collectionObject(value.KindStream, value.NewStream()))
		c.db.signal(key, ClassStream)
	}
	c.streamToWrite(en).AddGroup(name, id, o.entries)
	c.db.noticed(key, ClassStream, "xgroup-create")
	return c.ok()
}

func cmdXGroupSetID(c *Ctx) error {
	const mostArgs = 7
	a := c.Scan()
	key, name := a.Next(), a.Next()
	o, err := c.groupOptions(&a, false)
	if err != nil {
		return err
	}
	en, err := c.groupAt(key, name)
	if err != nil {
		return err
	}
	id, err := o.resolveAny(en.Val.stream())
	switch {
	case len(c.argv) > mostArgs:
		return errUnknownSubArity(c)
	case err != nil:
		return err
	}
	g := c.streamToWrite(en).Group(name)
	g.LastID, g.EntriesRead = id, o.entries
	c.db.noticed(key, ClassStream, "xgroup-setid")
	return c.ok()
}

func cmdXGroupDestroy(c *Ctx) error {
	key, name := c.argv[2], c.argv[3]
	en, err := c.streamOfGroup(key)
	if err != nil {
		return err
	}
	if en.Val.stream().Group(name) == nil {
		return c.int(0)
	}
	c.streamToWrite(en).RemoveGroup(name)
	c.db.noticed(key, ClassStream, "xgroup-destroy")
	c.db.awaken(key) // who reads for the group waits in vain
	return c.int(1)
}

func cmdXGroupCreateConsumer(c *Ctx) error {
	key, name := c.argv[2], c.argv[4]
	en, err := c.groupAt(key, c.argv[3])
	if err != nil {
		return err
	}
	g := en.Val.stream().Group(c.argv[3])
	if g.Consumer(name) != nil {
		return c.int(0)
	}
	c.streamToWrite(en).Group(c.argv[3]).AddConsumer(name, c.nowMS())
	c.db.noticed(key, ClassStream, "xgroup-createconsumer")
	return c.int(1)
}

func cmdXGroupDelConsumer(c *Ctx) error {
	key, name := c.argv[2], c.argv[4]
	en, err := c.groupAt(key, c.argv[3])
	if err != nil {
		return err
	}
	if en.Val.stream().Group(c.argv[3]).Consumer(name) == nil {
		return c.int(0)
	}
	pending, _ := c.streamToWrite(en).Group(c.argv[3]).RemoveConsumer(name)
	c.db.noticed(key, ClassStream, "xgroup-delconsumer")
	return c.int(int64(pending))
}

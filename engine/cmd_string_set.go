package engine

import (
	"minikv/value"
)

func stringSets() []*Command {
	return []*Command{
		{Name: "SET", Arity: -3, Flags: Write | DenyOOM, Group: String, Since: "1.0.0",
			Keys:    noted("RW and ACCESS due to the optional `GET` argument", key(1, RW|Access|Update|VariableFlags)),
			GetKeys: keysOfSet,
			Syntax: "key value [NX@2.6.12 | XX@2.6.12 | IFEQ@8.4.0 ifeq-value | IFNE@8.4.0 ifne-value | IFDEQ@8.4.0 ifdeq-digest | IFDNE@8.4.0 ifdne-digest] [GET@6.2.0]" +
				" [EX@2.6.12 seconds | PX@2.6.12 milliseconds | EXAT@6.2.0 unix-time-seconds | PXAT@6.2.0 unix-time-milliseconds | KEEPTTL@6.0.0]",
			Summary: "Makes a key hold a string, whatever it held before.", Complexity: "O(1)", Handler: cmdSet},
		{Name: "SETNX", Arity: 3, Flags: Write | DenyOOM | Fast, Keys: key(1, OW|Insert), Group: String, Since: "1.0.0", Syntax: "key value",
			Summary: "Makes a key hold a string unless the key exists.", Complexity: "O(1)", Handler: cmdSetNX},
		{Name: "SETEX", Arity: 4, Flags: Write | DenyOOM, Keys: key(1, OW|Update), Group: String, Since: "2.0.0", Syntax: "key seconds value",
			Summary: "Makes a key hold a string for some seconds.", Complexity: "O(1)", Handler: cmdSetEX},
		{Name: "PSETEX", Arity: 4, Flags: Write | DenyOOM, Keys: key(1, OW|Update), Group: String, Since: "2.6.0", Syntax: "key milliseconds value",
			Summary: "Makes a key hold a string for some milliseconds.", Complexity: "O(1)", Handler: cmdPSetEX},
		{Name: "GETSET", Arity: 3, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Access|Update), Group: String, Since: "1.0.0", Syntax: "key value",
			Deprecated: "6.2.0", ReplacedBy: "`SET` with the `!GET` argument",
			Summary: "Makes a key hold a string and returns the old one.", Complexity: "O(1)", Handler: cmdGetSet},
		{Name: "MSET", Arity: -3, Flags: Write | DenyOOM, Keys: keys(1, -1, 2, OW|Update), Group: String, Since: "1.0.1", Syntax: "key value [key value ...]",
			Tips:    []string{"request_policy:multi_shard", "response_policy:all_succeeded"},
			Summary: "Makes several keys hold strings in one step.", Complexity: "O(N), N being the number of keys", Handler: cmdMSet},
		{Name: "MSETNX", Arity: -3, Flags: Write | DenyOOM, Keys: keys(1, -1, 2, OW|Insert), Group: String, Since: "1.0.1", Syntax: "key value [key value ...]",
			Tips:    []string{"request_policy:multi_shard", "response_policy:agg_min"},
			Summary: "Makes several keys hold strings in one step, unless any of them exists.", Complexity: "O(N), N being the number of keys", Handler: cmdMSetNX},
		{Name: "MSETEX", Arity: -4, Flags: Write | DenyOOM | MovableKeys, Group: String, Since: "8.4.0",
			Keys:    []KeySpec{{Flags: OW | Update, Index: 1, First: 1, KeyStep: 2}},
			Syntax:  "numkeys key value [key value ...] [NX | XX] [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds | KEEPTTL]",
			Summary: "Makes several keys hold strings in one step, on a condition and with one deadline for all.", Complexity: "O(N), N being the number of keys", Handler: cmdMSetEX},
	}
}

// setOptions are what follows SET's key and value.
type setOptions struct {
	cond condition
	get  bool
	ttl  ttlOption
}

// keysOfSet finds SET's key and what is done with it: the old value is read only
// with GET.
func keysOfSet(argv [][]byte) ([]KeyRef, error) {
	for _, arg := range argv[3:] {
		if isWord(arg, "GET") {
			return []KeyRef{{Pos: 1, Flags: RW | Access | Update}}, nil
		}
	}
	return []KeyRef{{Pos: 1, Flags: OW | Update}}, nil
}

func cmdSet(c *Ctx) error {
	var opt setOptions
	if len(c.argv) > 3 {
		if err := c.scanSet(&opt); err != nil {
			return err
		}
	}
	at, err := c.deadline(opt.ttl)
	if err != nil {
		return err
	}
	name, text := c.argv[1], c.argv[2]
	var en *Entry
	if opt.get {
		if en, err = c.Read(name, value.KindString); err != nil {
			return err
		}
	} else {
		en = c.LookupWrite(name)
	}
	ok, err := opt.cond.met(en)
	if err != nil {
		return err
	}
	switch {
	case opt.get:
		c.stringOrNull(en)
	case ok:
		c.out.OK()
	default:
		c.out.Null()
	}
	if !ok {
		return nil
	}
	keep := opt.ttl.word == ttlKeep
	c.setString(en, name, text, at, keep)
	if at != 0 || opt.get || opt.cond.compares() {
		c.effectSet(name, text, at, keep)
	}
	return nil
}

func (c *Ctx) scanSet(opt *setOptions) error {
	a := c.Scan()
	a.Next()
	a.Next()
	for a.More() {
		switch {
		case a.Word("GET"):
			opt.get = true
		case a.existence(&opt.cond), a.comparison(&opt.cond), a.ttl(&opt.ttl, ttlKeep):
		default:
			a.Syntax()
		}
	}
	if opt.get && opt.cond.word == condNX && !c.e.table.ver.has(getWithNX) {
		a.Syntax()
	}
	return a.Err()
}

// getWithNX is the version that first took GET together with NX.
var getWithNX = version{major: 7}

// setString makes a key hold text, en being its entry or nil: until at, if
// that is not 0, else for ever or, with keep, as long as before.
func (c *Ctx) setString(en *Entry, name, text []byte, at int64, keep bool) {
	en = c.putString(en, name, text, keep || at != 0)
	c.db.changed(name, ClassString, "set")
	if at != 0 {
		c.db.setExpire(en, at)
		c.db.notify(ClassGeneric, "expire", name)
	}
}

func cmdSetNX(c *Ctx) error {
	en := c.LookupWrite(c.argv[1])
	if en != nil {
		return c.int(0)
	}
	c.setString(nil, c.argv[1], c.argv[2], 0, false)
	return c.int(1)
}

func cmdSetEX(c *Ctx) error  { return c.setUntil(ttlEX) }
func cmdPSetEX(c *Ctx) error { return c.setUntil(ttlPX) }

// setUntil is SETEX and PSETEX: key, time, value.
func (c *Ctx) setUntil(word ttlWord) error {
	name, text := c.argv[1], c.argv[3]
	at, err := c.deadline(ttlOption{word, c.argv[2]})
	if err != nil {
		return err
	}
	c.setString(c.LookupWrite(name), name, text, at, false)
	c.effectSet(name, text, at, false)
	return c.ok()
}

func cmdGetSet(c *Ctx) error {
	name, text := c.argv[1], c.argv[2]
	en, err := c.Read(name, value.KindString)
	if err != nil {
		return err
	}
	c.stringOrNull(en)
	c.setString(en, name, text, 0, false)
	c.effectSet(name, text, 0, false)
	return nil
}

func cmdMSet(c *Ctx) error {
	pairs := c.argv[1:]
	if len(pairs)%2 != 0 {
		return errArity(c.cmd)
	}
	c.setPairs(pairs, 0, false)
	return c.ok()
}

func cmdMSetNX(c *Ctx) error {
	pairs := c.argv[1:]
	if len(pairs)%2 != 0 {
		return errArity(c.cmd)
	}
	if !c.pairsMeet(pairs, condition{word: condNX}) {
		return c.int(0)
	}
	c.setPairs(pairs, 0, false)
	return c.int(1)
}

// setPairs sets keys and values that take turns.
func (c *Ctx) setPairs(pairs [][]byte, at int64, keep bool) {
	for i := 0; i < len(pairs); i += 2 {
		c.setString(c.LookupWrite(pairs[i]), pairs[i], pairs[i+1], at, keep)
	}
}

// pairsMeet tells whether all keys of such a list exist, or all do not.
func (c *Ctx) pairsMeet(pairs [][]byte, cond condition) bool {
	for i := 0; i < len(pairs); i += 2 {
		if ok, _ := cond.met(c.LookupWrite(pairs[i])); !ok {
			return false
		}
	}
	return true
}

func cmdMSetEX(c *Ctx) error {
	a := c.Scan()
	n := a.IntOr(errNumKeys)
	if a.Err() == nil && (n <= 0 || n > 1<<31-1) {
		return errNumKeys
	}
	if err := a.Err(); err != nil {
		return err
	}
	if n > int64(a.Left()/2) {
		return errNumPairs
	}
	pairs := c.argv[2 : 2+2*n]
	a.pos = int(2 + 2*n)
	var opt setOptions
	for a.More() {
		if !a.existence(&opt.cond) && !a.ttl(&opt.ttl, ttlKeep) {
			a.Syntax()
		}
	}
	if err := a.Err(); err != nil {
		return err
	}
	at, err := c.deadline(opt.ttl)
	if err != nil {
		return err
	}
	if !c.pairsMeet(pairs, opt.cond) {
		return c.int(0)
	}
	keep := opt.ttl.word == ttlKeep
	c.setPairs(pairs, at, keep)
	if at != 0 {
		for i := 0; i < len(pairs); i += 2 {
			c.effectSet(pairs[i], pairs[i+1], at, keep)
		}
	}
	return c.int(1)
}

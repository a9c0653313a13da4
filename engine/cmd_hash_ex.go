package engine

import "strconv"

func hashExtras() []*Command {
	const cost, list = "O(N) for N fields", " FIELDS numfields field [field ...]"
	const times = "EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds"
	return []*Command{
		{Name: "HGETDEL", Arity: -5, Flags: Write | Fast, Keys: key(1, RW|Access|Delete), Group: Hash, Since: "8.0.0",
			Syntax: "key" + list, Summary: "Answers the values of fields of a hash and deletes them.", Complexity: cost, Handler: cmdHGetDel},
		{Name: "HGETEX", Arity: -5, Flags: Write | Fast, Keys: key(1, RW|Access|Update), Group: Hash, Since: "8.0.0",
			Syntax: "key [" + times + " | PERSIST]" + list, Summary: "Answers the values of fields of a hash and sets their deadlines.",
			Complexity: cost, Handler: cmdHGetEx},
		{Name: "HSETEX", Arity: -6, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Update), Group: Hash, Since: "8.0.0",
			Syntax:  "key [FNX | FXX] [" + times + " | KEEPTTL] FIELDS numfields field value [field value ...]",
			Summary: "Sets fields of a hash with a deadline, if none or all of them are there.", Complexity: cost, Handler: cmdHSetEx},
	}
}

// fieldTTL reads EX, PX, EXAT or PXAT with its time, or the word also, if one
// comes next. A second one fails with clash.
func (a *Scanner) fieldTTL(o *ttlOption, at *int64, also ttlWord, clash error) bool {
	word := a.ttlWord(also)
	switch {
	case word == ttlNone:
		return false
	case o.word != ttlNone:
		a.Fail(clash)
		return true
	}
	o.word = word
	switch word {
	case ttlEX:
		*at = a.fieldDeadline(1000, a.c.nowMS())
	case ttlPX:
		*at = a.fieldDeadline(1, a.c.nowMS())
	case ttlEXAT:
		*at = a.fieldDeadline(1000, 0)
	case ttlPXAT:
		*at = a.fieldDeadline(1, 0)
	}
	return true
}

func cmdHGetDel(c *Ctx) error {
	a := c.Scan()
	name := a.Next()
	en, err := c.writeHash(name)
	if err != nil {
		return err
	}
	fields := a.fields(errFieldsPositive)
	if a.Err() != nil {
		return a.Err()
	}
	if en == nil {
		return c.nulls(len(fields))
	}
	en = c.db.write(en)
	h := en.Val.hash()
	var deleted [][]byte
	c.out.Array(len(fields))
	for _, field := range fields {
		c.fieldOrNull(h, field)
		if h.Delete(field) {
			deleted = append(deleted, field)
		}
	}
	if len(deleted) > 0 {
		c.fieldsDeleted(en, name, deleted)
	}
	return nil
}

// nulls answers an array of n nulls.
func (c *Ctx) nulls(n int) error {
	c.out.Array(n)
	for range n {
		c.out.Null()
	}
	return nil
}

func cmdHGetEx(c *Ctx) error {
	a := c.Scan()
	name := a.Next()
	en, err := c.writeHash(name)
	if err != nil {
		return err
	}
	var ttl ttlOption
	var at int64
	for a.More() && a.fieldTTL(&ttl, &at, ttlPersist, errOneOfPersist) {
	}
	fields := a.fields(errFieldsPositive)
	if a.Err() != nil {
		return a.Err()
	}
	if en == nil {
		return c.nulls(len(fields))
	}
	h := en.Val.hash()
	c.out.Array(len(fields))
	for _, field := range fields {
		c.fieldOrNull(h, field)
	}
	if ttl.word != ttlNone {
		c.retime(c.db.write(en), name, fields, &ttl, at)
	}
	return nil
}

// retime gives those of the fields that are there a deadline, or takes theirs
// away.
func (c *Ctx) retime(en *Entry, name []byte, fields [][]byte, ttl *ttlOption, at int64) {
	h := en.Val.hash()
	var done [][]byte
	for _, field := range fields {
		switch {
		case !h.Has(field):
			continue
		case ttl.word == ttlPersist:
			if !h.Persist(field) {
				continue
			}
		case at <= c.nowMS():
			h.Delete(field)
		default:
			h.SetDeadline(field, at)
		}
		done = append(done, field)
	}
	if ttl.word == ttlPersist && len(done) > 0 {
		c.db.timeFields(en)
		c.db.changed(name, ClassHash, "hpersist")
		c.effect(fieldsCommand("HPERSIST", name, done)...)
		return
	}
	c.fieldsTimed(en, name, done, at)
}

// hsetex is what HSETEX is asked for.
type hsetex struct {
	fnx, fxx bool
	ttl      ttlOption
	at       int64
	pairs    [][]byte
}

func (a *Scanner) hsetex() (o hsetex) {
	for a.More() && !isWord(a.c.argv[a.pos], "FIELDS") {
		switch {
		case a.Word("FNX"):
			if o.fnx || o.fxx {
				a.Fail(errOneOfFXX)
			}
			o.fnx = true
		case a.Word("FXX"):
			if o.fnx || o.fxx {
				a.Fail(errOneOfFXX)
			}
			o.fxx = true
		case a.fieldTTL(&o.ttl, &o.at, ttlKeep, errOneOfKeepTTL):
		default:
			a.Fail(errUnknownArgument(a.Next()))
		}
	}
	n := a.fieldsNumber(errFieldsPositive)
	if o.pairs = a.Rest(); a.err == nil && (len(o.pairs)%2 != 0 || n != int64(len(o.pairs)/2)) {
		a.Fail(errArity(a.c.cmd))
	}
	return o
}

// met tells whether FNX or FXX lets the fields be set; en is the hash or nil.
func (o *hsetex) met(en *Entry) bool {
	if en == nil {
		return !o.fxx
	}
	for i := 0; i < len(o.pairs); i += 2 {
		if has := en.Val.hash().Has(o.pairs[i]); has && o.fnx || !has && o.fxx {
			return false
		}
	}
	return true
}

func cmdHSetEx(c *Ctx) error {
	a := c.Scan()
	name := a.Next()
	en, err := c.writeHash(name)
	if err != nil {
		return err
	}
	o := a.hsetex()
	if a.Err() != nil {
		return a.Err()
	}
	if !o.met(en) {
		return c.int(0)
	}
	h, limits := c.openHash(en, name), c.e.limits()
	h.Prepare(limits, o.pairs...)
	var fields [][]byte
	for i := 0; i < len(o.pairs); i += 2 {
		h.Set(limits, o.pairs[i], o.pairs[i+1])
		if o.ttl.word != ttlKeep {
			h.Persist(o.pairs[i])
		}
		fields = append(fields, o.pairs[i])
	}
	c.db.changed(name, ClassHash, "hset")
	c.effectHSetEx(name, &o)
	if en = c.db.live(name); o.ttl.timed() {
		c.retime(en, name, fields, &o.ttl, o.at)
	} else {
		c.db.timeFields(en)
	}
	return c.int(1)
}

// effectHSetEx says that fields were set, without conditions.
func (c *Ctx) effectHSetEx(name []byte, o *hsetex) {
	if o.ttl.word == ttlKeep {
		argv := [][]byte{[]byte("HSETEX"), name, []byte("KEEPTTL"), []byte("FIELDS"), strconv.AppendInt(nil, int64(len(o.pairs)/2), 10)}
		c.effect(append(argv, o.pairs...)...)
		return
	}
	c.effect(append([][]byte{[]byte("HSET"), name}, o.pairs...)...)
}

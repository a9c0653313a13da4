package engine

import (
	"math"

	"minikv/value"
)

func streamAdditions() []*Command {
	return []*Command{
		{Name: "XADD", Arity: -5, Flags: Write | DenyOOM | Fast, Tips: []string{"nondeterministic_output"},
			Keys:  noted("UPDATE instead of INSERT because of the optional trimming feature", key(1, RW|Update)),
			Group: Stream, Since: "5.0.0",
			Syntax:     "key [NOMKSTREAM@6.2] [KEEPREF@8.2 | DELREF@8.2 | ACKED@8.2] [IDMPAUTO@8.6 producer-id:string | IDMP@8.6 producer-id:string idempotent-id:string] [<MAXLEN | MINID@6.2> [= | ~] threshold [LIMIT@6.2 count]] <* | id:string> field value [field value ...]",
			Summary:    "Adds an entry to a stream, which it creates if need be.",
			Complexity: "O(1), and O(N) for N entries that are trimmed", Handler: cmdXAdd},
		{Name: "XTRIM", Arity: -4, Flags: Write, Tips: []string{"nondeterministic_output"}, Keys: key(1, RW|Delete),
			Group: Stream, Since: "5.0.0", Syntax: "key <MAXLEN | MINID@6.2> [= | ~] threshold [LIMIT@6.2 count] [KEEPREF@8.2 | DELREF@8.2 | ACKED@8.2]",
			Summary:    "Deletes the oldest entries of a stream.",
			Complexity: "O(N) for N entries that go", Handler: cmdXTrim},
	}
}

// trimming is the trimming part of XADD and XTRIM.
type trimming struct {
	value.StreamTrim
	trims bool
	refs  bool  // what to do about groups is given
	limit int64 // as given, or -1
}

// option reads one option of the trimming; false if the next word is none.
func (t *trimming) option(a *Scanner) bool {
	switch {
	case a.WordWith("MAXLEN", 1):
		t.threshold(a, false)
	case a.WordWith("MINID", 1):
		t.threshold(a, true)
	case a.WordWith("LIMIT", 1):
		if t.limit = a.Int(); t.limit < 0 {
			a.Fail(errTrimLimit)
		}
	default:
		return a.refPolicy(&t.Refs, &t.refs)
	}
	return true
}

func (t *trimming) threshold(a *Scanner, byID bool) {
	if t.trims {
		a.Fail(errTrimBoth)
		return
	}
	t.trims, t.ByID = true, byID
	if t.Approximate = a.WordWith("~", 1); !t.Approximate {
		a.WordWith("=", 1)
	}
	if byID {
		t.MinID = a.streamID(0)
	} else if t.MaxLen = a.Int(); t.MaxLen < 0 {
		a.Fail(errTrimMaxLen)
	}
}

// finish judges the options as a whole. Without LIMIT an approximate trimming
// goes over a hundred full blocks at most, lest it take too long.
func (t *trimming) finish(a *Scanner, needed bool) error {
	switch {
	case a.err != nil:
		return a.err
	case t.limit > 0 && !t.trims:
		return errTrimLimitAlone
	case needed && !t.trims:
		return errTrimNothing
	case t.limit >= 0 && !t.Approximate:
		return errTrimLimitExact
	case t.limit >= 0:
		t.Limit = t.limit
	case t.Approximate:
		const most, some = 1_000_000, 10_000
		if t.Limit = some; a.c.e.conf.StreamNodeMaxEntries > 0 {
			t.Limit = 100 * min(a.c.e.conf.StreamNodeMaxEntries, most/100)
		}
	}
	return nil
}

// again is the words for a trimming that comes to the same, whatever the blocks:
// an exact one to what is left of the stream.
func (t *trimming) again(s *value.Stream) [][]byte {
	words := [][]byte{[]byte("MAXLEN"), []byte("="), value.AppendInt(nil, int64(s.Len()))}
	switch t.Refs {
	case value.DeleteRefs:
		words = append(words, []byte("DELREF"))
	case value.OnlyAcked:
		words = append(words, []byte("ACKED"))
	}
	return words
}

func cmdXTrim(c *Ctx) error {
	a := c.Scan()
	key, t := a.Next(), trimming{limit: -1}
	for a.More() {
		if !t.option(&a) {
			a.Syntax()
		}
	}
	if err := t.finish(&a, true); err != nil {
		return err
	}
	en, err := c.Write(key, value.KindStream)
	if err != nil || en == nil {
		return c.intOr(0, err)
	}
	s := c.streamToWrite(en)
	n := s.Trim(t.StreamTrim)
	if n > 0 {
		c.streamShrunk(key, "xtrim", n)
		if t.Approximate {
			c.effect(append([][]byte{[]byte("XTRIM"), key}, t.again(s)...)...)
		}
	}
	return c.int(n)
}

// addition is the arguments of XADD.
type addition struct {
	trimming
	idempotent
	key      []byte
	noCreate bool
	id       value.StreamID
	newest   bool // *: the ID is to be found
	autoSeq  bool // 5-*: its number is
	pairs    [][]byte
}

func (c *Ctx) parseAddition() (ad addition, err error) {
	a := c.Scan()
	ad.key, ad.limit = a.Next(), -1
	named := false // the ID ends the options
	for a.More() && !named {
		switch {
		case ad.trimming.option(&a), ad.idempotent.option(&a), a.err != nil:
		case a.Word("NOMKSTREAM"):
			ad.noCreate = true
		default:
			named = true
			ad.parseID(&a)
		}
	}
	if err := ad.finish(&a, false); err != nil {
		return ad, err
	}
	ad.pairs = a.Rest()
	switch {
	case !named, len(ad.pairs) < 2, len(ad.pairs)%2 != 0:
		return ad, errArity(c.cmd)
	case ad.given && !ad.newest:
		return ad, errIdmpID
	case !ad.newest && !ad.autoSeq && ad.id.IsZero():
		return ad, errAddZero
	}
	if ad.auto {
		ad.name = nameOf(ad.pairs)
	}
	return ad, nil
}

func (ad *addition) parseID(a *Scanner) {
	arg := a.Next()
	if string(arg) == "*" {
		ad.newest = true
	} else if ad.id.MS, ad.autoSeq = value.ParseStreamMS(arg); !ad.autoSeq {
		a.pos--
		ad.id = a.streamID(0)
	}
}

// nextID is the ID of an entry to be added: greater than all before.
func (ad *addition) nextID(s *value.Stream, now int64) (id value.StreamID, err error) {
	if s.LastID == value.MaxStreamID {
		return id, errStreamFull
	}
	id = ad.id
	switch {
	case ad.newest && s.LastID.MS < uint64(now):
		id = value.StreamID{MS: uint64(now)}
	case ad.newest:
		id, _ = s.LastID.Next()
	case ad.autoSeq && s.LastID.MS == id.MS:
		if s.LastID.Seq == math.MaxUint64 {
			return id, errAddTooLarge // in Redis's words
		}
		id.Seq = s.LastID.Seq + 1
	}
	if !s.LastID.Less(id) {
		return id, errAddTop
	}
	return id, nil
}

func cmdXAdd(c *Ctx) error {
	ad, err := c.parseAddition()
	if err != nil {
		return err
	}
	en, err := c.Write(ad.key, value.KindStream)
	if err != nil {
		return err
	}
	s := value.NewStream()
	switch {
	case en != nil:
		s = en.Val.stream()
	case ad.noCreate:
		c.out.Null()
		return nil
	}
	if c.recall(&ad.idempotent, en) {
		return nil
	}
	id, err := ad.nextID(s, c.nowMS())
	if err != nil {
		return err
	}
	return c.addEntry(&ad, en, id)
}

// addEntry adds an entry that has its ID, trims, and answers the ID.
func (c *Ctx) addEntry(ad *addition, en *Entry, id value.StreamID) error {
	if !value.StreamTakes(ad.pairs) {
		return errAddTooLarge
	}
	if en == nil {
		en = c.db.add(ad.key, collectionObject(value.KindStream, value.NewStream()))
	}
	s := c.streamToWrite(en)
	s.Add(c.streamLimits(), id, ad.pairs)
	c.db.changed(ad.key, ClassStream, "xadd")
	if ad.trims && s.Trim(ad.StreamTrim) > 0 {
		c.db.notify(ClassStream, "xtrim", ad.key)
	}
	if c.e.opt.Effects != nil {
		c.effect(ad.again(s, id)...)
	}
	c.remember(&ad.idempotent, ad.key, s, id)
	c.bulkID(id)
	return nil
}

// again is the command that adds the same entry again.
func (ad *addition) again(s *value.Stream, id value.StreamID) [][]byte {
	argv := [][]byte{[]byte("XADD"), ad.key}
	if ad.trims {
		argv = append(argv, ad.trimming.again(s)...)
	}
	return append(append(argv, id.Append(nil)), ad.pairs...)
}

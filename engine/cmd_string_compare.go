package engine

import (
	"bytes"
	"encoding/hex"

	"github.com/zeebo/xxh3"

	"minikv/value"
)

func stringCompares() []*Command {
	return []*Command{
		{Name: "DIGEST", Arity: 2, Flags: ReadOnly | Fast, Keys: key(1, RO|Access), Group: String, Since: "8.4.0", Syntax: "key",
			Summary: "Returns a short hash of a string, to compare it by.", Complexity: "O(N), N being the length of the string", Handler: cmdDigest},
		{Name: "DELEX", Arity: -2, Flags: Write | Fast, Keys: key(1, RW|Delete), Group: String, Since: "8.4.0",
			Syntax:  "key [IFEQ ifeq-value | IFNE ifne-value | IFDEQ ifdeq-digest | IFDNE ifdne-digest]",
			Summary: "Deletes a key if its string, or the string's digest, is or is not as given.", Complexity: "O(1), by digest O(N), N being the length of the string", Handler: cmdDelEx},
		{Name: "DELIFEQ", Arity: 3, Flags: Write | Fast, Keys: key(1, RW|Access|Delete), Group: String, Since: "valkey-9.0.0", Syntax: "key value",
			Summary: "Deletes a key if its string is as given.", Complexity: "O(1)", Handler: cmdDelIfEq},
	}
}

// condWord is a keyword that makes a change depend on what the key holds.
type condWord uint8

const (
	condNone condWord = iota
	condNX
	condXX
	condIFEQ
	condIFNE
	condIFDEQ
	condIFDNE
)

var condWords = [...]string{condNX: "NX", condXX: "XX", condIFEQ: "IFEQ", condIFNE: "IFNE", condIFDEQ: "IFDEQ", condIFDNE: "IFDNE"}

// condition is such a keyword with what it compares with. The zero condition
// is always met.
type condition struct {
	word condWord
	arg  []byte
}

// existence reads NX or XX and answers whether one of them came; a second,
// different condition is a syntax error.
func (a *Scanner) existence(cond *condition) bool { return a.condition(cond, condNX, condXX) }

// comparison reads IFEQ, IFNE, IFDEQ or IFDNE with its argument likewise.
func (a *Scanner) comparison(cond *condition) bool {
	if !a.condition(cond, condIFEQ, condIFDNE) {
		return false
	}
	cond.arg = a.Next()
	if cond.word >= condIFDEQ && a.Err() == nil && !isDigest(cond.arg) {
		a.Fail(errDigest)
	}
	return true
}

func (a *Scanner) condition(cond *condition, first, last condWord) bool {
	for word := first; word <= last; word++ {
		if !a.Word(condWords[word]) {
			continue
		}
		if cond.word != condNone && cond.word != word {
			a.Syntax()
		}
		cond.word = word
		return true
	}
	return false
}

// compares tells whether the condition looks at the key's string.
func (cond condition) compares() bool { return cond.word >= condIFEQ }

// met tells whether a key, or its absence (nil), meets the condition. One that
// looks at the string of a key of another kind is WRONGTYPE.
func (cond condition) met(en *Entry) (bool, error) {
	switch cond.word {
	case condNone:
		return true, nil
	case condNX:
		return en == nil, nil
	case condXX:
		return en != nil, nil
	}
	unequal := cond.word == condIFNE || cond.word == condIFDNE
	if en == nil {
		return unequal, nil
	}
	if en.Val.kind() != value.KindString {
		return false, errWrongType
	}
	return cond.equals(&en.Val) != unequal, nil
}

// equals compares a string, or its digest, with the condition's argument.
func (cond condition) equals(o *Object) bool {
	var buf [20]byte
	text := o.text(buf[:])
	if cond.word < condIFDEQ {
		return bytes.Equal(text, cond.arg)
	}
	return bytes.EqualFold(digest(text), cond.arg)
}

// digest is a string's digest: its 64-bit XXH3 hash as 16 hex digits.
func digest(text []byte) []byte {
	var sum [8]byte
	for i, h := 7, xxh3.Hash(text); i >= 0; i, h = i-1, h>>8 {
		sum[i] = byte(h)
	}
	return hex.AppendEncode(nil, sum[:])
}

func isDigest(arg []byte) bool {
	var sum [8]byte
	if len(arg) != hex.EncodedLen(len(sum)) {
		return false
	}
	_, err := hex.Decode(sum[:], arg)
	return err == nil
}

func cmdDigest(c *Ctx) error {
	en, err := c.Read(c.argv[1], value.KindString)
	if err != nil {
		return err
	}
	if en == nil {
		c.out.Null()
		return nil
	}
	c.out.Bulk(digest(en.Val.text(nil)))
	return nil
}

func cmdDelEx(c *Ctx) error {
	if n := len(c.argv); n != 2 && n != 4 {
		return errArity(c.cmd)
	}
	a := c.Scan()
	name := a.Next()
	var cond condition
	if a.More() && !a.comparison(&cond) {
		a.Fail(errCondition)
	}
	if err := a.Err(); err != nil {
		return err
	}
	en := c.LookupWrite(name)
	if en != nil && cond.compares() && en.Val.kind() != value.KindString {
		return errCondString
	}
	return c.deleteIf(en, cond)
}

func cmdDelIfEq(c *Ctx) error {
	en, err := c.Write(c.argv[1], value.KindString)
	if err != nil {
		return err
	}
	return c.deleteIf(en, condition{condIFEQ, c.argv[2]})
}

// deleteIf deletes a key that exists and meets the condition, and answers how
// many keys it deleted.
func (c *Ctx) deleteIf(en *Entry, cond condition) error {
	if en == nil {
		return c.int(0)
	}
	if ok, err := cond.met(en); err != nil {
		return err
	} else if !ok {
		return c.int(0)
	}
	c.db.delete(en)
	c.effect([]byte("DEL"), c.argv[1])
	return c.int(1)
}

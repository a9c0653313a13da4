package engine

import (
	"slices"
	"strconv"

	"minikv/value"
)

func stringEdits() []*Command {
	return []*Command{
		{Name: "APPEND", Arity: 3, Flags: Write | DenyOOM | Fast, Keys: key(1, RW|Insert), Group: String, Since: "2.0.0", Syntax: "key value",
			Summary: "Adds bytes at the end of a string, which may be missing.", Complexity: "O(N), N being the bytes added, on average", Handler: cmdAppend},
		{Name: "SETRANGE", Arity: 4, Flags: Write | DenyOOM, Keys: key(1, RW|Update), Group: String, Since: "2.2.0", Syntax: "key offset value",
			Summary: "Overwrites a string from an offset on, with zero bytes before it where it is too short.", Complexity: "O(N), N being the bytes written", Handler: cmdSetRange},
	}
}

func cmdAppend(c *Ctx) error {
	name, text := c.argv[1], c.argv[2]
	en, err := c.Write(name, value.KindString)
	if err != nil {
		return err
	}
	if en == nil {
		en = c.putString(nil, name, text, false)
	} else {
		if err := c.checkStringLen(int64(en.Val.strlen()), int64(len(text))); err != nil {
			return err
		}
		en = c.db.write(en)
		en.Val.appendText(text)
	}
	c.db.changed(name, ClassString, "append")
	return c.int(int64(en.Val.strlen()))
}

// appendText adds text at the end of a string, which becomes raw. Bytes that
// were handed out stay as they are: only the room behind them is written.
func (o *Object) appendText(text []byte) {
	b := o.str()
	if o.enc() == encInt {
		b = strconv.AppendInt(nil, o.num(), 10)
	}
	shared := o.has(flagShared) && cap(b)-len(b) >= len(text)
	o.setBytes(append(b, text...))
	o.mark(flagShared, shared)
}

func cmdSetRange(c *Ctx) error {
	a := c.Scan()
	name, offset, text := a.Next(), a.Int(), a.Next()
	if err := a.Done(); err != nil {
		return err
	}
	if offset < 0 {
		return errOffset
	}
	en, err := c.Write(name, value.KindString)
	if err != nil {
		return err
	}
	if len(text) == 0 { // nothing to write: no key is made, no zero bytes are added
		if en == nil {
			return c.int(0)
		}
		return c.int(int64(en.Val.strlen()))
	}
	if err := c.checkStringLen(offset, int64(len(text))); err != nil {
		return err
	}
	if en == nil {
		fresh := rawObject(nil)
		fresh.overwrite(int(offset), text)
		en = c.db.add(name, fresh)
	} else {
		en = c.db.write(en)
		en.Val.overwrite(int(offset), text)
	}
	c.db.changed(name, ClassString, "setrange")
	return c.int(int64(len(en.Val.str())))
}

// overwrite puts text at an offset of a string, which becomes raw, and zero
// bytes before it where there were none.
func (o *Object) overwrite(offset int, text []byte) {
	b := o.editable()
	if old, need := len(b), offset+len(text); need > old {
		b = slices.Grow(b, need-old)[:need]
		if offset > old {
			clear(b[old:offset])
		}
	}
	copy(b[offset:], text)
	o.setBytes(b)
}

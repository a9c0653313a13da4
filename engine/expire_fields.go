package engine

import (
	"math"

	"minikv/expiry"
	"minikv/value"
)

// Fields of a hash may have deadlines of their own. The hash knows them (see
// package value); a database keeps, for each hash that has any, when the first of
// them is due. Who changes deadlines calls timeFields, who takes fields away
// fieldsGone.
//
// Fields that are due go when Tick comes by, or when anybody finds the key:
// whoever looks at a hash never sees one.

// fieldsDue tells whether it is time to look at a hash's fields. While CLIENT
// PAUSE holds the data still it is not.
//
// DIFFERS: during CLIENT PAUSE a field of a hash whose time is over can still be seen; Redis hides it until the pause ends and it can be deleted.
func (db *DB) fieldsDue(en *Entry) bool {
	return en.Val.has(flagTimed) && db.e.nowMS() > db.timed[en].At() && !db.e.holdsData()
}

// expireFields deletes fields whose time is over, at most so many. It answers
// how many they were, and the key's entry, nil if that went with the last.
func (db *DB) expireFields(en *Entry, most int) (n int, left *Entry) {
	en = db.write(en)
	h, key := en.Val.hash(), en.KeyBytes()
	effect := [][]byte{[]byte("HDEL"), key}
	h.Expire(db.e.nowMS(), most, func(field string) { effect = append(effect, []byte(field)) })
	n = len(effect) - 2
	db.e.stats.expiredFields += int64(n)
	db.spread(key, ClassHash, "hexpired")
	db.e.addEffect(db, effect...)
	return n, db.fieldsGone(en)
}

// fieldsGone notes that fields were taken out of a hash, which goes with the last;
// it answers the hash's entry, or nil.
func (db *DB) fieldsGone(en *Entry) *Entry {
	if en.Val.hash().Len() == 0 {
		db.emptied(en)
		return nil
	}
	db.timeFields(en)
	return en
}

// allFieldsDue deletes all fields of an entry whose time is over.
func (db *DB) allFieldsDue(en *Entry) *Entry {
	_, left := db.expireFields(en, math.MaxInt)
	return left
}

// expireFieldsDue deletes up to budget fields whose time is over, and answers
// how many.
func (e *Engine) expireFieldsDue(budget int) (n int) {
	for _, db := range e.dbs {
		for n < budget {
			d := db.fields.Min()
			if d == nil || !db.fieldsDue(d.Owner) {
				break
			}
			expired, _ := db.expireFields(d.Owner, budget-n)
			n += expired
		}
	}
	return n
}

// timeFields notes when the first of a hash's fields is due.
func (db *DB) timeFields(en *Entry) {
	at, any := int64(0), false
	if en.Val.kind() == value.KindHash {
		at, any = en.Val.hash().NextDeadline()
	}
	switch d := db.fieldsDeadline(en); {
	case any && d == nil:
		db.setFieldsDeadline(en, at)
	case any && d.At() != at:
		db.fields.Move(d, at)
	case !any:
		db.untimeFields(en)
	}
}

// untimeFields forgets an entry's fields: the entry goes, or gets another value.
func (db *DB) untimeFields(en *Entry) {
	if d := db.fieldsDeadline(en); d != nil {
		db.fields.Remove(d)
		delete(db.timed, en)
		en.Val.mark(flagTimed, false)
	}
}

// fieldsDeadline is when fields of an entry may be due, nil: never. Few entries
// have one, so it stands beside them.
func (db *DB) fieldsDeadline(en *Entry) *expiry.Deadline[*Entry] {
	if !en.Val.has(flagTimed) {
		return nil
	}
	return db.timed[en]
}

func (db *DB) setFieldsDeadline(en *Entry, at int64) {
	if db.timed == nil {
		db.timed = make(map[*Entry]*expiry.Deadline[*Entry])
	}
	db.timed[en] = db.fields.Add(at, en)
	en.Val.mark(flagTimed, true)
}

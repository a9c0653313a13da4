package engine

import (
	"bytes"
	"math"
	"strconv"

	"minikv/value"
)

func keyspaceRows() []*Command {
	return []*Command{
		{Name: "KEYS", Arity: 2, Flags: ReadOnly, ACL: CatDangerous, Group: Generic, Since: "1.0.0",
			Syntax: "pattern", Summary: "Lists all keys whose names match a pattern.", Complexity: "O(N) for N keys in the database",
			Tips: []string{"request_policy:all_shards", "nondeterministic_output_order"}, Handler: cmdKeys},
		{Name: "RANDOMKEY", Arity: 1, Flags: ReadOnly, Group: Generic, Since: "1.0.0",
			Summary: "Names any one key of the database.", Complexity: "O(1)",
			Tips: []string{"request_policy:all_shards", "nondeterministic_output"}, Handler: cmdRandomKey},
		{Name: "SCAN", Arity: -2, Flags: ReadOnly, Group: Generic, Since: "2.8.0",
			Syntax:     "cursor [MATCH pattern] [COUNT count] [TYPE@6.0 type]",
			Summary:    "Lists the keys of the database piece by piece.",
			Complexity: "O(1) for each call, O(N) for a whole iteration over N keys",
			Tips:       []string{"nondeterministic_output", "request_policy:special"}, Handler: cmdScan},
	}
}

func cmdKeys(c *Ctx) error {
	pattern := c.argv[1]
	all := string(pattern) == "*"
	var found []string
	for en := range c.db.keys.All() {
		if (all || value.Glob(pattern, en.KeyBytes())) && !c.db.due(en) {
			found = append(found, en.Key)
		}
	}
	c.keyNames(found)
	return nil
}

// keyNames answers a list of keys, each of which was looked at.
func (c *Ctx) keyNames(names []string) {
	c.out.Array(len(names))
	for _, name := range names {
		if c.e.opt.Tap != nil {
			c.e.touch(c.db, name, false)
		}
		c.out.BulkString(name)
	}
}

func cmdRandomKey(c *Ctx) error {
	en := c.db.randomKey()
	if en == nil {
		c.out.Null()
		return nil
	}
	if c.e.opt.Tap != nil {
		c.e.touch(c.db, en.Key, false)
	}
	c.out.BulkString(en.Key)
	return nil
}

// randomKeyTries bounds how many keys RANDOMKEY draws that have expired.
const randomKeyTries = 100

// randomKey draws a key, each with the same chance, nil if there is none. Keys
// that have expired are deleted on the way; where nearly all have, the draw
// ends with the first live key in table order, which costs a walk, not their
// deletion.
func (db *DB) randomKey() *Entry {
	for range randomKeyTries {
		en := db.keys.Random(db.e.random)
		if en == nil || !db.due(en) {
			return en
		}
		if !db.e.holdsData() {
			db.expire(en)
		}
	}
	for en := range db.keys.All() {
		if !db.due(en) {
			return en
		}
	}
	return nil
}

// scanOptions are what SCAN, HSCAN, SSCAN and ZSCAN have in common.
type scanOptions struct {
	cursor uint64
	count  int64  // how many elements a call should look at
	match  []byte // nil: all match
}

// scanCount is COUNT's default.
const scanCount = 10

// scanOption reads one of the options that all scans know, and answers false
// for another word.
func (a *Scanner) scanOption(s *scanOptions) bool {
	switch {
	case a.WordWith("COUNT", 1):
		if s.count = a.Int(); s.count < 1 {
			a.Syntax()
		}
	case a.WordWith("MATCH", 1):
		s.match = a.Next()
		if string(s.match) == "*" {
			s.match = nil
		}
	default:
		return false
	}
	return true
}

// matches tells whether MATCH lets an element through.
func (s *scanOptions) matches(name []byte) bool {
	return s.match == nil || value.Glob(s.match, name)
}

// buckets is how many slots of a table a call may visit: sparse tables are
// not to keep the server for long.
func (s *scanOptions) buckets() int64 {
	if s.count > math.MaxInt64/10 {
		return math.MaxInt64
	}
	return s.count * 10
}

// cursor reads a cursor as C's strtoul does: a sign and leading zeros may
// stand there, and nothing at all is 0.
func (a *Scanner) cursor() uint64 {
	arg, _, _ := bytes.Cut(a.Next(), []byte{0})
	digits, negative := arg, false
	if len(digits) > 0 && (digits[0] == '-' || digits[0] == '+') {
		negative, digits = digits[0] == '-', digits[1:]
		if len(digits) == 0 {
			a.Fail(errCursor)
		}
	}
	if len(digits) == 0 {
		return 0
	}
	n, err := strconv.ParseUint(string(digits), 10, 64)
	if err != nil {
		a.Fail(errCursor)
	}
	if negative {
		return -n
	}
	return n
}

func cmdScan(c *Ctx) error {
	a := c.Scan()
	s := scanOptions{cursor: a.cursor(), count: scanCount}
	var typeName []byte
	typed := false
	for a.More() {
		switch {
		case a.scanOption(&s):
		case a.WordWith("TYPE", 1):
			typeName, typed = a.Next(), true
		default:
			a.Syntax()
		}
	}
	if a.Err() != nil {
		return a.Err()
	}
	kind, known := value.ParseKind(typeName)
	if typed && !known && c.e.table.ver.from(version{major: 8}) {
		return errUnknownType(typeName)
	}
	next, found := c.db.scan(&s)
	keep := found[:0]
	for _, name := range found {
		if s.matches([]byte(name)) && c.scanned(name, typed, kind) {
			keep = append(keep, name)
		}
	}
	c.out.Array(2)
	c.out.BulkString(strconv.FormatUint(next, 10))
	c.keyNames(keep)
	return nil
}

// walk calls step with one cursor after the other: it visits what stands there
// and answers the next cursor and how many elements the call has come by in
// all. The walk ends, with the cursor to go on with, when those are as many as
// COUNT asks for, when too many slots were visited, or with a cursor of 0.
func (s *scanOptions) walk(step func(cursor uint64) (next uint64, seen int)) (next uint64) {
	next = s.cursor
	for left := s.buckets(); ; left-- {
		var seen int
		next, seen = step(next)
		if next == 0 || left == 0 || int64(seen) >= s.count {
			return next
		}
	}
}

// scan visits slots of the table until it has seen as many keys as COUNT asks
// for, and answers the cursor to go on with.
func (db *DB) scan(s *scanOptions) (next uint64, found []string) {
	next = s.walk(func(cursor uint64) (uint64, int) {
		next := db.keys.Scan(cursor, func(en *Entry) { found = append(found, en.Key) })
		return next, len(found)
	})
	return next, found
}

// scanned tells whether a key that SCAN came by is alive and of the type asked
// for; only with a type is that a lookup in the sense of INFO.
func (c *Ctx) scanned(name string, typed bool, kind value.Kind) bool {
	if !typed {
		return c.db.live([]byte(name)) != nil
	}
	en := c.Peek([]byte(name))
	return en != nil && en.Val.kind() == kind
}

package engine

import (
	"bytes"
	"math"

	"minikv/value"
)

func sortCommands() []*Command {
	const (
		options = "key [BY pattern] [LIMIT offset count] [GET pattern [GET pattern ...]] [ASC | DESC] [ALPHA]"
		cost    = "O(N+M*log(M)), N being the elements of the key and M those that are answered"
		reads   = "For the optional BY/GET keyword. It is marked 'unknown' because the key names derive from the content of the key we sort"
		stores  = "For the optional STORE keyword. It is marked 'unknown' because the keyword can appear anywhere in the argument array"
	)
	patterns := KeySpec{Flags: RO | Access, Notes: reads}
	return []*Command{
		{Name: "SORT", Arity: -2, Flags: Write | DenyOOM | MovableKeys, ACL: CatDangerous | CatList | CatSet | CatSortedset | noGroupCategory,
			Keys:    specs(key(1, RO|Access), []KeySpec{patterns, {Flags: OW | Update, Notes: stores}}),
			GetKeys: sortKeys, Group: Generic, Since: "1.0.0", Syntax: options + " [STORE destination]",
			Summary: "Sorts a list, a set or a sorted set, by its elements or by other keys.", Complexity: cost, Handler: cmdSort},
		{Name: "SORT_RO", Arity: -2, Flags: ReadOnly | MovableKeys, ACL: CatDangerous | CatList | CatSet | CatSortedset | noGroupCategory,
			Keys:    specs(key(1, RO|Access), []KeySpec{patterns}),
			GetKeys: sortSource, Group: Generic, Since: "7.0.0", Syntax: options,
			Summary: "Sorts a list, a set or a sorted set, without storing the result.", Complexity: cost, Handler: cmdSortRO},
	}
}

func sortSource(argv [][]byte) ([]KeyRef, error) { return []KeyRef{{1, RO | Access}}, nil }

// sortKeys finds the key and the last destination.
func sortKeys(argv [][]byte) ([]KeyRef, error) {
	refs, store := []KeyRef{{1, RO | Access}}, 0
	for i := 2; i < len(argv); i++ {
		switch {
		case isWord(argv[i], "LIMIT"):
			i += 2
		case isWord(argv[i], "GET"), isWord(argv[i], "BY"):
			i++
		case isWord(argv[i], "STORE") && i+1 < len(argv):
			i++
			store = i
		}
	}
	if store > 0 {
		refs = append(refs, KeyRef{store, OW | Update})
	}
	return refs, nil
}

// sorting is what SORT is asked for.
type sorting struct {
	by          sortPattern
	byOther     bool // weights come from other keys
	asIs        bool // BY a constant: nothing is sorted
	desc, alpha bool

	offset, count int64 // count < 0: all
	gets          []sortPattern
	store         []byte // nil: the result is answered
}

// sorted is an element with what decides about its place.
type sorted struct {
	text   []byte
	score  float64
	weight []byte // of ALPHA with BY
	absent bool   // the weight's key is not there
}

func cmdSort(c *Ctx) error   { return c.sort(true) }
func cmdSortRO(c *Ctx) error { return c.sort(false) }

func (a *Scanner) sorting(mayStore bool) (q sorting) {
	q.count = -1
	for a.More() {
		switch {
		case a.Word("ASC"):
			q.desc = false
		case a.Word("DESC"):
			q.desc = true
		case a.Word("ALPHA"):
			q.alpha = true
		case a.WordWith("LIMIT", 2):
			q.offset, q.count = a.Int(), a.Int()
		case mayStore && a.WordWith("STORE", 1):
			q.store = a.Next()
		case a.WordWith("BY", 1):
			q.by = parseSortPattern(a.Next())
			q.byOther = true
			q.asIs = q.asIs || q.by.constant()
			switch {
			case q.by.constant():
			case a.c.e.cluster != nil:
				a.Fail(errSortByCluster)
			case !a.c.mayReadAllKeys():
				a.Fail(errSortBy)
			}
		case a.WordWith("GET", 1):
			q.gets = append(q.gets, parseSortPattern(a.Next()))
			switch {
			case a.c.e.cluster != nil:
				a.Fail(errSortGetCluster)
			case !a.c.mayReadAllKeys():
				a.Fail(errSortGet)
			}
		default:
			a.Syntax()
		}
	}
	return q
}

// bounds are the places of the elements that are wanted, the last one included.
func (q *sorting) bounds(n int) (start, end int) {
	size := int64(n)
	from, count := min(max(q.offset, 0), size), min(max(q.count, -1), size)
	to := from + count - 1
	if count < 0 {
		to = size - 1
	}
	if from >= size {
		return n - 1, n - 2
	}
	return int(from), int(min(to, size-1))
}

func (c *Ctx) sort(mayStore bool) error {
	a := c.Scan()
	name := a.Next()
	q := a.sorting(mayStore)
	if err := a.Err(); err != nil {
		return err
	}
	en := c.Lookup(name)
	var list []sorted
	if en != nil {
		var err error
		if list, err = c.sortElements(en, &q); err != nil {
			return err
		}
	}
	if q.store != nil {
		return c.storeSorted(&q, list)
	}
	c.out.Array(len(list) * max(1, len(q.gets)))
	for i := range list {
		if len(q.gets) == 0 {
			c.out.Bulk(list[i].text)
		}
		for j := range q.gets {
			if text, has := c.byPattern(&q.gets[j], list[i].text); has {
				c.out.Bulk(text)
			} else {
				c.out.Null()
			}
		}
	}
	return nil
}

// storeSorted makes a list of the result.
func (c *Ctx) storeSorted(q *sorting, list []sorted) error {
	result := value.NewList()
	for i := range list {
		if len(q.gets) == 0 {
			result.PushBack(list[i].text)
		}
		for j := range q.gets {
			text, _ := c.byPattern(&q.gets[j], list[i].text)
			result.PushBack(text)
		}
	}
	n := result.Len()
	switch old := c.LookupWrite(q.store); {
	case n > 0:
		c.putObject(old, q.store, collectionObject(value.KindList, result), false)
		c.db.changed(q.store, ClassList, "sortstore")
		c.e.stats.dirty += int64(n - 1)
	case old != nil:
		c.db.delete(old)
	}
	return c.int(int64(n))
}

// sortPattern says where something of an element is to be found: at the key
// that the pattern is with the element in place of its first asterisk, there in a
// field, if one follows after "->".
type sortPattern struct {
	self           bool // "#": the element itself
	lookup         bool // there is an asterisk
	prefix, suffix []byte
	field          []byte // nil: a string
}

func parseSortPattern(text []byte) (p sortPattern) {
	if string(text) == "#" {
		return sortPattern{self: true}
	}
	visible, _, _ := bytes.Cut(text, []byte{0}) // where C looks for things
	at := bytes.IndexByte(visible, '*')
	if at < 0 {
		return p
	}
	p.lookup, p.prefix, p.suffix = true, text[:at], text[at+1:]
	if arrow := bytes.Index(visible[at+1:], []byte("->")); arrow >= 0 && arrow+2 < len(visible)-at-1 {
		p.field = p.suffix[arrow+2:]
		p.suffix = p.suffix[:arrow]
	}
	return p
}

// constant tells that the pattern, as one of BY, is the same for all elements.
func (p *sortPattern) constant() bool { return !p.lookup }

// byPattern finds what a pattern means for an element. The text is valid until
// the key changes; one of a long string as long as a reply may need it.
func (c *Ctx) byPattern(p *sortPattern, element []byte) (text []byte, has bool) {
	switch {
	case p.self:
		return element, true
	case !p.lookup:
		return nil, false
	}
	var room [64]byte
	name := append(append(append(room[:0], p.prefix...), element...), p.suffix...)
	en := c.Lookup(name)
	switch {
	case en == nil:
		return nil, false
	case p.field != nil:
		if en.Val.kind() != value.KindHash {
			return nil, false
		}
		h := en.Val.hash()
		text, has = h.Get(p.field)
		return replyText(h, text), has
	case en.Val.kind() != value.KindString:
		return nil, false
	}
	text = en.Val.text(nil)
	if len(text) >= sharedFrom {
		en.Val.mark(flagShared, true)
	}
	return text, true
}

// cString is text up to a zero byte, which is where C's functions see its end.
func cString(text []byte) []byte {
	text, _, _ = bytes.Cut(text, []byte{0})
	return text
}

// sortScore reads a number as strtod does: leading blanks are skipped, and
// nothing at all is zero.
//
// DIFFERS: each number is judged by itself, where Redis 7.0, having met one that no double can hold, may refuse good ones in later SORT commands too.
func sortScore(text []byte) (score float64, ok bool) {
	const smallestNormal = 0x1p-1022
	text = cString(text)
	if len(text) == 0 {
		return 0, true
	}
	score, ok = value.ParseFloat(bytes.TrimLeft(text, " \t\n\v\f\r"))
	return score, ok && (score == 0 || math.Abs(score) >= smallestNormal)
}

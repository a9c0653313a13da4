package rdb

import (
	"math"

	"minikv/value"
)

// Options say what values are read into, and what is refused.
type Options struct {
	// Limits say when packed collections turn into indexed ones; nil are
	// Redis's defaults.
	Limits *value.Limits
	// Seed decides the order of one hash table; nil is 0 for each.
	Seed func() uint64
	// MaxString is the longest string that is read, compressed or not; 0 is
	// that of Redis, 512 MB.
	MaxString int
	// Version is the newest version of the format that is read; 0 is Version.
	Version int
}

const maxString = 512 << 20

// decoder makes values from what its input gives.
type decoder struct {
	input
	limits  value.Limits
	seed    func() uint64
	version int
	field   []byte // what comes before a value, kept while that is read
}

func newDecoder(opt Options) decoder {
	d := decoder{limits: value.DefaultLimits(), seed: opt.Seed, version: opt.Version}
	if opt.Limits != nil {
		d.limits = *opt.Limits
	}
	if d.seed == nil {
		d.seed = func() uint64 { return 0 }
	}
	if d.most = opt.MaxString; d.most == 0 {
		d.most = maxString
	}
	if d.version == 0 {
		d.version = Version
	}
	return d
}

// errEmpty is a collection without elements, which no key can hold.
var errEmpty = formatError("an empty collection")

// value reads what follows a type. After errEmpty the input is at the value's
// end, after any other error it is of no more use.
func (d *decoder) value(typ byte) (Value, error) {
	v := d.body(typ)
	switch {
	case d.err != nil:
		return Value{}, d.err
	case empty(v.Data):
		return Value{}, errEmpty
	}
	return v, nil
}

// empty tells whether a collection is empty that must not be.
func empty(c Collection) bool {
	switch c := c.(type) {
	case *value.List:
		return c.Len() == 0
	case *value.Set:
		return c.Len() == 0
	case *value.ZSet:
		return c.Len() == 0
	case *value.Hash:
		return c.Len() == 0
	case *value.Array:
		return c.Count() == 0
	}
	return false
}

func (d *decoder) body(typ byte) Value {
	switch typ {
	case typeString:
		return Value{Kind: value.KindString, Text: append([]byte{}, d.text()...)}
	case typeList, typeListZiplist, typeListOfZiplists, typeListOfListpacks:
		return Value{Kind: value.KindList, Data: d.list(typ)}
	case typeSet, typeSetIntset:
		return Value{Kind: value.KindSet, Data: d.set(typ)}
	case typeZSetText, typeZSet, typeZSetZiplist, typeZSetListpack:
		return Value{Kind: value.KindZSet, Data: d.zset(typ)}
	case typeHash, typeHashZipmap, typeHashZiplist, typeHashListpack:
		return Value{Kind: value.KindHash, Data: d.hash(typ)}
	case typeStream1, typeStream2:
		return Value{Kind: value.KindStream, Data: d.stream(typ)}
	}
	switch {
	case typ == typeArray && d.version >= ownVersion:
		return Value{Kind: value.KindArray, Data: d.array()}
	case typ == typeSetListpack && d.version >= 11:
		return Value{Kind: value.KindSet, Data: d.set(typ)}
	case typ == typeStream3 && d.version >= 11, typ == typeStreamOwn && d.version >= ownVersion:
		return Value{Kind: value.KindStream, Data: d.stream(typ)}
	case (typ == typeHashTimed || typ == typeHashTimedListpack) && d.version >= deadlineVersion:
		return Value{Kind: value.KindHash, Data: d.timedHash(typ)}
	}
	d.fail(formatError("there is no type %d", typ))
	return Value{}
}

// each reads a number and then hands so many strings to fn; each is valid during
// the call.
func (d *decoder) each(fn func(elem []byte)) {
	for n := d.length(); n > 0 && d.err == nil; n-- {
		if elem := d.text(); d.err == nil {
			fn(elem)
		}
	}
}

// unpacked hands the elements of a packed blob to fn.
func (d *decoder) unpacked(blob elements, fn func(elem []byte)) {
	for d.err == nil {
		elem, ok := blob.next()
		if !ok {
			break
		}
		fn(elem)
	}
	if !blob.sound() {
		d.fail(formatError("a packed blob is damaged"))
	}
}

// pairs hands elements of a packed blob to fn two by two.
func (d *decoder) pairs(blob elements, fn func(first, second []byte)) {
	var first []byte
	half := false
	d.unpacked(blob, func(elem []byte) {
		if half = !half; half {
			first = elem
			return
		}
		fn(first, elem)
	})
	if half {
		d.fail(formatError("an odd number of elements"))
	}
}

func (d *decoder) list(typ byte) *value.List {
	l := value.NewList()
	switch typ {
	case typeList:
		d.each(l.PushBack)
	case typeListZiplist:
		d.unpacked(openZiplist(d.text()), l.PushBack)
	case typeListOfZiplists:
		d.each(func(blob []byte) { d.unpacked(openZiplist(blob), l.PushBack) })
	case typeListOfListpacks:
		for n := d.length(); n > 0 && d.err == nil; n-- {
			switch form := d.length(); {
			case d.err != nil:
			case form == nodePlain:
				if elem := d.text(); d.err == nil {
					l.PushBack(elem)
				}
			case form == nodePacked:
				d.unpacked(openListpack(d.text()), l.PushBack)
			default:
				d.fail(formatError("there is no list node of form %d", form))
			}
		}
	}
	return l
}

func (d *decoder) set(typ byte) *value.Set {
	s := value.NewSet(d.seed())
	add := func(member []byte) {
		if !s.Add(&d.limits, member) {
			d.fail(formatError("member %.64q stands twice", member))
		}
	}
	switch typ {
	case typeSet:
		d.each(add)
	case typeSetIntset:
		d.unpacked(openIntset(d.text()), add)
	case typeSetListpack:
		d.unpacked(openListpack(d.text()), add)
	}
	return s
}

// zset reads a sorted set.
//
// DIFFERS: RESTORE puts the members of a sorted set in order and refuses scores that are no numbers, while Redis keeps a listpack's order, and takes such scores for 0 or what a number at their beginning says.
func (d *decoder) zset(typ byte) *value.ZSet {
	z := value.NewZSet(d.seed())
	limits := d.limits
	add := func(member []byte, score float64) {
		if score != score {
			d.fail(formatError("the score of %.64q is not a number", member))
		} else if added, _ := z.Add(&limits, member, score); !added {
			d.fail(formatError("member %.64q stands twice", member))
		}
	}
	scored := func(member, text []byte) {
		score, ok := value.ParseFloat(text)
		if !ok {
			d.fail(formatError("%.64q is no score", text))
			return
		}
		add(member, score)
	}
	switch typ {
	case typeZSet, typeZSetText:
		limits.ZSetMaxListpackEntries = 0 // packed at the end, as then alone -0 becomes 0
		for n := d.length(); n > 0 && d.err == nil; n-- {
			d.field = append(d.field[:0], d.text()...)
			score := d.score(typ)
			if d.err == nil {
				add(d.field, score)
			}
		}
		z.Pack(&d.limits)
	case typeZSetZiplist:
		limits.ZSetMaxListpackValue = math.MaxInt
		d.pairs(openZiplist(d.text()), scored)
	case typeZSetListpack:
		limits.ZSetMaxListpackValue = math.MaxInt
		d.pairs(openListpack(d.text()), scored)
	}
	return z
}

// score reads the score of a set that is not packed. As text it has its length
// in front, or is one of three bytes alone.
func (d *decoder) score(typ byte) float64 {
	if typ == typeZSet {
		return math.Float64frombits(d.uint64())
	}
	switch n := d.byte(); n {
	case 253:
		return math.NaN()
	case 254:
		return math.Inf(1)
	case 255:
		return math.Inf(-1)
	default:
		text := d.take(int(n))
		score, ok := value.ParseFloat(text)
		if !ok {
			d.fail(formatError("%.64q is no score", text))
		}
		return score
	}
}

// hash reads a hash. Of the packed forms only the number of fields decides
// whether it stays packed, not their length: so does Redis, which takes the
// blob as it is.
func (d *decoder) hash(typ byte) *value.Hash {
	h := value.NewHash(d.seed())
	limits := d.limits
	set := func(field, text []byte) {
		if !h.Set(&limits, field, text) {
			d.fail(formatError("field %.64q stands twice", field))
		}
	}
	switch typ {
	case typeHash:
		for n := d.length(); n > 0 && d.err == nil; n-- {
			d.field = append(d.field[:0], d.text()...)
			if text := d.text(); d.err == nil {
				set(d.field, text)
			}
		}
	case typeHashZipmap:
		d.pairs(openZipmap(d.text()), set)
	case typeHashZiplist:
		limits.HashMaxListpackValue = math.MaxInt
		d.pairs(openZiplist(d.text()), set)
	case typeHashListpack:
		limits.HashMaxListpackValue = math.MaxInt
		d.pairs(openListpack(d.text()), set)
	}
	return h
}

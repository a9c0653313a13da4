package engine

import (
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"strconv"

	"minikv/resp"
	"minikv/value"
)

// A digest stands for data: of two nodes that hold the same it is the same, be
// they minikv or Redis, whatever the encodings and the order of their tables.
// It is built in two ways. Mixing in is for what has an order: the digest is
// combined with the hash of what comes, and the result hashed. Adding is for
// what has none: the hash of what comes is combined with it, and no more, so
// that it does not matter what comes first.
type dataDigest [sha1.Size]byte

// add combines b, the order of which among others does not count.
func (d *dataDigest) add(b []byte) {
	h := sha1.Sum(b)
	for i := range d {
		d[i] ^= h[i]
	}
}

// mix combines b, which comes after what was mixed in before.
func (d *dataDigest) mix(b []byte) {
	d.add(b)
	*d = sha1.Sum(d[:])
}

// mixNumber mixes in a number as it stands in four bytes, high first.
func (d *dataDigest) mixNumber(n int) {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], uint32(n))
	d.mix(b[:])
}

func (d *dataDigest) String() string { return hex.EncodeToString(d[:]) }

// digestTypes are the numbers of types in a digest. That of arrays, which Redis
// 7.0 has not, is minikv's own.
var digestTypes = map[value.Kind]int{
	value.KindString: 0, value.KindList: 1, value.KindSet: 2, value.KindZSet: 3, value.KindHash: 4, value.KindStream: 6, value.KindArray: 128,
}

// digest is that of all data.
func (e *Engine) digest() dataDigest {
	var all dataDigest
	for _, db := range e.dbs {
		if db.keys.Len() == 0 {
			continue
		}
		all.mixNumber(db.id)
		for en := range db.keys.All() {
			var one dataDigest
			one.mix(en.KeyBytes())
			one.value(&en.Val)
			all.add(one[:])
		}
	}
	return all
}

// value combines a value with its deadline.
func (d *dataDigest) value(o *Object) {
	d.mixNumber(digestTypes[o.kind()])
	switch o.kind() {
	case value.KindString:
		d.mix(o.text(nil))
	case value.KindList:
		for _, elem := range o.list().All() {
			d.mix(elem)
		}
	case value.KindSet:
		for member := range o.set().All() {
			d.add(member)
		}
	case value.KindZSet:
		var text [32]byte
		for member, score := range o.zset().All() {
			d.addPair([]byte(member), resp.AppendDouble(text[:0], score))
		}
	case value.KindHash:
		for field, text := range o.hash().All() {
			d.addPair(field, text)
		}
	case value.KindStream:
		d.stream(o.stream())
	case value.KindArray:
		for index, text := range o.array().All(0, value.MaxArrayIndex) {
			d.addPair(strconv.AppendUint(nil, index, 10), text)
		}
	}
	if o.ttl != nil {
		d.add([]byte("!!expire!!"))
	}
}

// addPair adds two things that belong together.
func (d *dataDigest) addPair(first, second []byte) {
	var pair dataDigest
	pair.mix(first)
	pair.mix(second)
	d.add(pair[:])
}

// stream mixes in a stream's entries; its groups have no part in it.
func (d *dataDigest) stream(s *value.Stream) {
	var id []byte
	for e := range s.Range(value.StreamID{}, value.MaxStreamID) {
		id = strconv.AppendUint(id[:0], e.ID.MS, 10)
		id = strconv.AppendUint(append(id, '.'), e.ID.Seq, 10)
		d.mix(id)
		for field, text := range e.All {
			d.mix(field)
			d.mix(text)
		}
	}
}

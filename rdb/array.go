package rdb

import "minikv/value"

// An array is its cursor and the slots that are set, each by its distance from
// the one before (the first: from -1).
//
//	cursor | number of slots | distance, text ...
//
// DIFFERS: DUMP writes arrays in a form of minikv's own, under a type that Redis does not have, so that no other server can restore them.
const typeArray = 128

func (e *Encoder) appendArray(b []byte, a *value.Array) []byte {
	b = appendLength(appendLength(b, a.Next()), uint64(a.Count()))
	next := uint64(0)
	for index, text := range a.All(0, value.MaxArrayIndex) {
		b = appendLength(b, index-next+1)
		b = e.appendText(b, text)
		next = index + 1
	}
	return b
}

func (d *decoder) array() *value.Array {
	a := value.NewArray()
	a.Seek(d.length())
	next := uint64(0)
	for n := d.length(); n > 0 && d.err == nil; n-- {
		distance := d.length()
		if distance == 0 || distance-1 > value.MaxArrayIndex-next {
			d.fail(formatError("a slot %d behind %d", distance, next))
			break
		}
		next += distance
		if text := d.text(); d.err == nil {
			a.Set(next-1, text)
		}
		if next > value.MaxArrayIndex && n > 1 {
			d.fail(formatError("slots behind the last one"))
		}
	}
	return a
}

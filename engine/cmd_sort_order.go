package engine

import (
	"bytes"
	"cmp"
	"iter"
	"slices"

	"minikv/value"
)

// sortElements answers the elements that are wanted, in order.
func (c *Ctx) sortElements(en *Entry, q *sorting) ([]sorted, error) {
	switch en.Val.kind() {
	case value.KindSet:
		if q.asIs && (q.store != nil || c.source == FromScript) { // the order of a set is not to be seen there
			q.asIs, q.alpha, q.byOther = false, true, false
		}
	case value.KindZSet:
		if !en.Val.zset().Indexed() { // Redis sorts no other, and leaves it so
			en = c.db.write(en)
			en.Val.zset().Index()
		}
	case value.KindList:
	default:
		return nil, errWrongType
	}
	start, end := q.bounds(elementsOf(en))
	if q.asIs {
		return collect(storedOrder(en, q.desc), start, end), nil
	}
	list := collect(storedOrder(en, false), 0, elementsOf(en)-1)
	if !c.weigh(q, list) {
		return nil, errSortScore
	}
	if order := q.order(); q.byOther && (start != 0 || end != len(list)-1) {
		partialSort(list, start, end, order)
	} else {
		slices.SortStableFunc(list, order)
	}
	if end < start {
		return nil, nil
	}
	return list[start : end+1], nil
}

func elementsOf(en *Entry) int {
	switch en.Val.kind() {
	case value.KindList:
		return en.Val.list().Len()
	case value.KindSet:
		return en.Val.set().Len()
	}
	return en.Val.zset().Len()
}

// storedOrder yields the elements of a list, set or sorted set as they stand
// there, or backwards, which a set does not know. They are valid until that changes.
func storedOrder(en *Entry, backward bool) iter.Seq[[]byte] {
	switch {
	case en.Val.kind() == value.KindList && backward:
		return elems(en.Val.list().Backward())
	case en.Val.kind() == value.KindList:
		return elems(en.Val.list().All())
	case en.Val.kind() == value.KindSet: // which gives out numbers in one place
		return cloned(en.Val.set().All())
	case backward:
		return membersOf(en.Val.zset().Backward(0, en.Val.zset().Len()))
	}
	return membersOf(en.Val.zset().All())
}

func elems(seq iter.Seq2[int, []byte]) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, elem := range seq {
			if !yield(elem) {
				return
			}
		}
	}
}

func cloned(seq iter.Seq[[]byte]) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for elem := range seq {
			if !yield(bytes.Clone(elem)) {
				return
			}
		}
	}
}

func membersOf(seq iter.Seq2[string, float64]) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for member := range seq {
			if !yield([]byte(member)) {
				return
			}
		}
	}
}

// collect takes the elements at the places start..end.
func collect(seq iter.Seq[[]byte], start, end int) []sorted {
	if end < start {
		return nil
	}
	list, at := make([]sorted, 0, end-start+1), 0
	for elem := range seq {
		if at > end {
			break
		}
		if at >= start {
			list = append(list, sorted{text: elem})
		}
		at++
	}
	return list
}

// weigh finds out what decides about the place of each element. It is false if
// that should be a number and is none.
func (c *Ctx) weigh(q *sorting, list []sorted) bool {
	if q.alpha && !q.byOther {
		return true
	}
	good := true
	for i := range list {
		s := &list[i]
		text := s.text
		if q.byOther {
			var has bool
			if text, has = c.byPattern(&q.by, s.text); !has {
				s.absent = true
				continue
			}
		}
		if q.alpha {
			s.weight = text
			continue
		}
		score, ok := sortScore(text)
		s.score, good = score, good && ok
	}
	return good
}

// order compares two elements. Texts that are answered are compared as C strings,
// those that are stored as bytes.
func (q *sorting) order() func(x, y sorted) int {
	text := func(x, y []byte) int { return bytes.Compare(cString(x), cString(y)) }
	if q.store != nil {
		text = bytes.Compare
	}
	order := func(x, y sorted) int { return text(x.text, y.text) }
	switch {
	case !q.alpha:
		order = func(x, y sorted) int {
			return cmp.Or(cmp.Compare(x.score, y.score), bytes.Compare(x.text, y.text))
		}
	case q.byOther:
		order = func(x, y sorted) int {
			switch {
			case x.absent && y.absent:
				return 0
			case x.absent:
				return -1
			case y.absent:
				return 1
			}
			return text(x.weight, y.weight)
		}
	}
	if q.desc {
		return func(x, y sorted) int { return -order(x, y) }
	}
	return order
}

package value

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
)

// scoredRun is a packed sorted set: entries as those of a list, in the set's
// order, each of a member with its score behind it:
//
//	member | score | bytes of the score
//
// A score that is a whole number takes as many bytes as it needs, from none for 0
// up to 7; any other the eight of its bits.
type scoredRun struct {
	run   []byte
	count int
}

// scoredElem is one entry's contents.
type scoredElem struct {
	member []byte
	score  float64
}

const floatBytes = 8 // of a score that is no whole number, or a large one

// scoreBytes is how many bytes a score takes, and they.
func scoreBytes(score float64) (width int, bits uint64) {
	const most = 1 << 52
	if score != math.Trunc(score) || score > most || score < -most {
		return floatBytes, math.Float64bits(score)
	}
	n := int64(score)
	for n != 0 {
		width++
		if unused := 64 - 8*width; n<<unused>>unused == n {
			break
		}
	}
	return width, uint64(n)
}

// size is what the element takes in a run.
func (e scoredElem) size() int {
	width, _ := scoreBytes(e.score)
	n := len(e.member) + width + 1
	n += numberSize(n)
	return n + numberSize(n)
}

// putScored writes elem at the start of b, which has room for it.
func putScored(b []byte, elem scoredElem) {
	width, bits := scoreBytes(elem.score)
	at := putLength(b, len(elem.member)+width+1)
	at += copy(b[at:], elem.member)
	for i := range width {
		b[at+i] = byte(bits >> (8 * i))
	}
	b[at+width] = byte(width)
	putBack(b, at+width+1)
}

// span is where the contents of the entry at off start, where their last byte
// stands (the number of the score's), and where the next entry starts.
func (s scoredRun) span(off int) (start, last, next int) {
	if n := int(s.run[off]); n < 0x7e {
		return off + 1, off + n, off + n + 2
	}
	b, next := entryAt(s.run, off)
	start = off + numberSize(len(b))
	return start, start + len(b) - 1, next
}

// score is the score whose bytes' number stands at last.
func (s scoredRun) score(last int) float64 {
	width := int(s.run[last])
	var bits uint64 // the score's bytes on top
	if last >= 8 {
		bits = binary.LittleEndian.Uint64(s.run[last-8:])
	} else {
		for i := range width {
			bits = bits>>8 | uint64(s.run[last-width+i])<<56
		}
	}
	switch width {
	case 0:
		return 0
	case floatBytes:
		return math.Float64frombits(bits)
	}
	return float64(int64(bits) >> (64 - 8*width))
}

// elem is the entry with the contents from start to last.
func (s scoredRun) elem(start, last int) scoredElem {
	end := last - int(s.run[last])
	return scoredElem{s.run[start:end:end], s.score(last)}
}

// at is the element at off, and where the next one starts.
func (s scoredRun) at(off int) (elem scoredElem, next int) {
	start, last, next := s.span(off)
	return s.elem(start, last), next
}

// before is the element that ends at end, and where it starts.
func (s scoredRun) before(end int) (elem scoredElem, start int) {
	_, start = entryBefore(s.run, end)
	elem, _ = s.at(start)
	return elem, start
}

// offset is where the element of a rank starts; the rank may be the count.
func (s scoredRun) offset(rank int) int {
	b := block{buf: s.run, count: s.count}
	return b.offset(rank)
}

// find is where a member stands, -1 if nowhere, where the next one does, and its
// rank and score.
func (s scoredRun) find(member []byte) (at, next, rank int, score float64) {
	tail := byte(0) // the last byte tells most members apart
	if len(member) > 0 {
		tail = member[len(member)-1]
	}
	for at < len(s.run) {
		start, last, next := s.span(at)
		end := start + len(member)
		if end <= last && (s.run[end-1] == tail || end == start) && string(s.run[start:end]) == string(member) && end+int(s.run[last]) == last {
			return at, next, rank, s.score(last)
		}
		at = next
		rank++
	}
	return -1, 0, 0, 0
}

// byScore is the ranks of the members whose scores are in r.
func (s scoredRun) byScore(r *ScoreRange) (from, to int) {
	for off := 0; off < len(s.run); {
		_, last, next := s.span(off)
		score := s.score(last)
		if from == to && !r.above(score) {
			from++
		} else if !r.below(score) {
			break
		}
		to++
		off = next
	}
	return from, to
}

// less is the order of the set.
func (e scoredElem) less(other scoredElem) bool {
	return e.score < other.score || e.score == other.score && bytes.Compare(e.member, other.member) < 0
}

// place is where elem would start.
func (s scoredRun) place(elem scoredElem) (off int) {
	if len(s.run) > 0 { // often: they come in order
		if last, _ := s.before(len(s.run)); last.less(elem) {
			return len(s.run)
		}
	}
	for off < len(s.run) {
		start, last, next := s.span(off)
		score := s.score(last)
		if score > elem.score || score == elem.score && !s.elem(start, last).less(elem) {
			break
		}
		off = next
	}
	return off
}

func (s scoredRun) check() error {
	seen := make(map[string]bool, s.count)
	var before scoredElem
	for off := 0; off < len(s.run); {
		e, next := s.at(off)
		if back, start := s.before(next); start != off || !bytes.Equal(back.member, e.member) {
			return fmt.Errorf("zset: %q stands at %d, from behind at %d", e.member, off, start)
		}
		if len(seen) > 0 && !before.less(e) {
			return fmt.Errorf("zset: %q stands before %q", before.member, e.member)
		}
		if seen[string(e.member)] {
			return fmt.Errorf("zset: %q stands twice", e.member)
		}
		seen[string(e.member)] = true
		before, off = e, next
	}
	if len(seen) != s.count {
		return fmt.Errorf("zset: %d members, %d counted", len(seen), s.count)
	}
	return nil
}

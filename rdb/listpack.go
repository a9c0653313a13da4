package rdb

import (
	"encoding/binary"

	"minikv/value"
)

// A listpack is a run of elements in one piece.
//
//	size of the whole (4) | number of elements (2) | elements | 0xff
//
// What an element looks like is value's to know: streams are kept in this form.
const (
	listpackHead    = 6
	listpackUnknown = 0xffff // the number of elements, if it is not less
	listpackEnd     = 0xff
)

func (e *Encoder) beginListpack() {
	e.blob = append(e.blob[:0], make([]byte, listpackHead)...)
	e.elements = 0
}

// element puts an element behind the others.
func (e *Encoder) element(elem []byte) {
	e.blob = value.AppendPacked(e.blob, elem)
	e.elements++
}

// appendListpack ends the listpack and appends it.
func (e *Encoder) appendListpack(b []byte) []byte {
	e.blob = append(e.blob, listpackEnd)
	binary.LittleEndian.PutUint32(e.blob, uint32(len(e.blob)))
	binary.LittleEndian.PutUint16(e.blob[4:], uint16(min(e.elements, listpackUnknown)))
	return e.appendText(b, e.blob)
}

// elements is a packed blob that is read from its start: a listpack, a ziplist or
// a zipmap.
type elements interface {
	// next is the next element, valid until the call after the next one; ok is
	// false at the end, and if the blob is damaged.
	next() (elem []byte, ok bool)
	// sound tells, at the end, whether the blob was as it should be.
	sound() bool
}

type listpack struct {
	blob   []byte
	off    int
	left   int // elements to come as the head has it, or unknown
	exact  bool
	bad    bool
	digits [2][20]byte
}

func openListpack(blob []byte) *listpack {
	lp := &listpack{blob: blob, off: listpackHead}
	if len(blob) < listpackHead+1 || binary.LittleEndian.Uint32(blob) != uint32(len(blob)) || blob[len(blob)-1] != listpackEnd {
		lp.bad = true
		return lp
	}
	lp.left = int(binary.LittleEndian.Uint16(blob[4:]))
	lp.exact = lp.left != listpackUnknown
	return lp
}

func (lp *listpack) next() (elem []byte, ok bool) {
	end := len(lp.blob) - 1
	if lp.bad || lp.off == end {
		return nil, false
	}
	elem, next, ok := value.PackedAt(lp.blob[:end], lp.off, lp.digits[lp.left&1][:])
	if !ok {
		lp.bad = true
		return nil, false
	}
	lp.off = next
	lp.left--
	return elem, true
}

func (lp *listpack) sound() bool {
	return !lp.bad && lp.off == len(lp.blob)-1 && !(lp.exact && lp.left != 0)
}

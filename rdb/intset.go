package rdb

import (
	"encoding/binary"
	"math"

	"minikv/value"
)

// An intset is sorted integers.
//
//	bytes of each: 2, 4 or 8 (4) | number of them (4) | integers, ascending
type intset struct {
	blob   []byte // what is left
	width  int
	before int64
	first  bool
	bad    bool
	digits [20]byte
}

const intsetHead = 8

func openIntset(blob []byte) *intset {
	s := &intset{bad: true, first: true}
	if len(blob) < intsetHead {
		return s
	}
	width, count := binary.LittleEndian.Uint32(blob), binary.LittleEndian.Uint32(blob[4:])
	s.blob, s.width = blob[intsetHead:], int(width)
	s.bad = width != 2 && width != 4 && width != 8 || uint64(width)*uint64(count) != uint64(len(s.blob))
	return s
}

func (s *intset) next() (elem []byte, ok bool) {
	if s.bad || len(s.blob) == 0 {
		return nil, false
	}
	n := int64(math.MinInt64)
	switch s.width {
	case 2:
		n = int64(int16(binary.LittleEndian.Uint16(s.blob)))
	case 4:
		n = int64(int32(binary.LittleEndian.Uint32(s.blob)))
	case 8:
		n = int64(binary.LittleEndian.Uint64(s.blob))
	}
	if !s.first && n <= s.before {
		s.bad = true
		return nil, false
	}
	s.blob, s.before, s.first = s.blob[s.width:], n, false
	return value.AppendInt(s.digits[:0], n), true
}

func (s *intset) sound() bool { return !s.bad && len(s.blob) == 0 }

package value

import "encoding/binary"

// ints are ascending integers in a run, all of one width: 2, 4 or 8 bytes, by the
// widest of them.
type ints struct {
	run          []byte
	count, width int
}

func intsOf(run []byte, count int) ints {
	if count == 0 {
		return ints{width: 2}
	}
	return ints{run, count, len(run) / count}
}

// intWidth is how many bytes n needs.
func intWidth(n int64) int {
	switch {
	case n == int64(int16(n)):
		return 2
	case n == int64(int32(n)):
		return 4
	}
	return 8
}

// putInt writes n into the whole of b.
func putInt(b []byte, n int64) {
	switch len(b) {
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(n))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(n))
	default:
		binary.LittleEndian.PutUint64(b, uint64(n))
	}
}

func (s ints) at(i int) int64 {
	switch b := s.run[i*s.width:]; s.width {
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(b)))
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(b)))
	default:
		return int64(binary.LittleEndian.Uint64(b))
	}
}

// search is where n stands or would stand.
func (s ints) search(n int64) (at int, found bool) {
	if s.count == 0 || n > s.at(s.count-1) { // often: they come in order
		return s.count, false
	}
	high := s.count
	for at < high {
		switch mid := int(uint(at+high) >> 1); {
		case s.at(mid) < n:
			at = mid + 1
		default:
			high = mid
		}
	}
	return at, s.at(at) == n
}

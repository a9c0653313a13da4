package value

import (
	"bytes"
	"cmp"
	"math"
	"strconv"
)

// StreamID names an entry of a stream: a time in milliseconds and a number
// among the entries of that millisecond. The zero ID names no entry.
type StreamID struct {
	MS, Seq uint64
}

// MaxStreamID is the last ID there is.
var MaxStreamID = StreamID{math.MaxUint64, math.MaxUint64}

// Compare is -1, 0 or 1 as id stands before, at or behind other.
func (id StreamID) Compare(other StreamID) int {
	if c := cmp.Compare(id.MS, other.MS); c != 0 {
		return c
	}
	return cmp.Compare(id.Seq, other.Seq)
}

// Less tells whether id stands before other.
func (id StreamID) Less(other StreamID) bool {
	return id.MS < other.MS || id.MS == other.MS && id.Seq < other.Seq
}

// IsZero tells whether id is 0-0.
func (id StreamID) IsZero() bool { return id == StreamID{} }

// Next is the ID right behind id; ok is false behind the last one.
func (id StreamID) Next() (next StreamID, ok bool) {
	switch {
	case id.Seq < math.MaxUint64:
		return StreamID{id.MS, id.Seq + 1}, true
	case id.MS < math.MaxUint64:
		return StreamID{id.MS + 1, 0}, true
	}
	return StreamID{}, false
}

// Prev is the ID right before id; ok is false before the first one.
func (id StreamID) Prev() (prev StreamID, ok bool) {
	switch {
	case id.Seq > 0:
		return StreamID{id.MS, id.Seq - 1}, true
	case id.MS > 0:
		return StreamID{id.MS - 1, math.MaxUint64}, true
	}
	return StreamID{}, false
}

// Append appends the ID as clients see it, "5-1".
func (id StreamID) Append(dst []byte) []byte {
	dst = strconv.AppendUint(dst, id.MS, 10)
	dst = append(dst, '-')
	return strconv.AppendUint(dst, id.Seq, 10)
}

// String is the ID as clients see it.
func (id StreamID) String() string { return string(id.Append(nil)) }

// longestStreamID is the length of the longest spelling of an ID that is read.
const longestStreamID = 127

// ParseStreamID reads "5-1", or "5" with seq for the missing number. What stands
// behind a zero byte is not read.
func ParseStreamID(s []byte, seq uint64) (id StreamID, ok bool) {
	ms, rest, whole := splitStreamID(s)
	if id.MS, ok = parseUint(ms); !ok {
		return StreamID{}, false
	}
	if id.Seq = seq; whole {
		id.Seq, ok = parseUint(rest)
	}
	return id, ok
}

// ParseStreamMS reads "5-*", the time of an ID whose number is still to be found.
func ParseStreamMS(s []byte) (ms uint64, ok bool) {
	text, rest, whole := splitStreamID(s)
	if !whole || string(rest) != "*" {
		return 0, false
	}
	return parseUint(text)
}

// splitStreamID parts an ID at its dash, if it has one. What is too long comes
// back as nothing, which is no number.
func splitStreamID(s []byte) (ms, seq []byte, whole bool) {
	if len(s) > longestStreamID {
		return nil, nil, false
	}
	if i := bytes.IndexByte(s, 0); i >= 0 {
		s = s[:i]
	}
	return bytes.Cut(s, []byte("-"))
}

// parseUint reads a 64-bit number as C's strtoull does: after spaces and a sign,
// which may be a minus if the number is not one that ParseInt would read.
func parseUint(s []byte) (uint64, bool) {
	if n, ok := ParseInt(s); ok {
		return uint64(n), n >= 0
	}
	for len(s) > 0 && (s[0] == ' ' || s[0] >= '\t' && s[0] <= '\r') {
		s = s[1:]
	}
	neg := len(s) > 0 && s[0] == '-'
	if neg || len(s) > 0 && s[0] == '+' {
		s = s[1:]
	}
	if len(s) == 0 {
		return 0, false
	}
	var n uint64
	for _, c := range s {
		d := uint64(c - '0')
		if d > 9 || n > (math.MaxUint64-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	if neg {
		n = -n
	}
	return n, true
}

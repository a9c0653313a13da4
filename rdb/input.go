package rdb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"minikv/value"
)

// ErrFormat is that the bytes are not what they should be: wrapped with what is
// wrong.
var ErrFormat = errors.New("bad data format")

func formatError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
}

// input gives out a run of bytes piece by piece, from memory or, if there is a
// src, as it comes from there. After the first error it gives zeros and nothing;
// whoever reads many things asks for err once, and in each round of a loop whose
// end the input has told.
type input struct {
	buf    []byte
	pos    int // buf[pos:] is not taken yet
	src    io.Reader
	sum    uint64 // checksum of what was taken before buf[summed:pos]
	summed int
	before int64 // what was taken before buf
	most   int   // longest string
	err    error

	expanded []byte   // a string that was compressed
	digits   [20]byte // a string that was a number
}

const (
	inputChunk = 64 << 10
	bufferKeep = 1 << 20 // a larger buffer is not kept for the next use
)

// fail latches an error unless one was latched before.
func (in *input) fail(err error) {
	if in.err == nil {
		in.err = err
	}
}

// take returns the next n bytes, nil if there are not so many. They are valid
// until the next call; those in memory as long as that.
func (in *input) take(n int) []byte {
	if in.err != nil || len(in.buf)-in.pos < n && !in.fill(n) {
		return nil
	}
	p := in.buf[in.pos : in.pos+n : in.pos+n]
	in.pos += n
	return p
}

// fill reads until n bytes are there. The buffer grows with what has come, not
// with what was promised.
func (in *input) fill(n int) bool {
	if in.src == nil {
		in.fail(formatError("it ends early"))
		return false
	}
	in.checksum()
	in.before += int64(in.pos)
	left := in.buf[in.pos:]
	if cap(in.buf) < inputChunk || cap(in.buf) > bufferKeep {
		in.buf = make([]byte, 0, max(inputChunk, len(left)))
	}
	in.buf, in.pos, in.summed = append(in.buf[:0], left...), 0, 0
	for empty := 0; len(in.buf) < n; {
		if len(in.buf) == cap(in.buf) {
			in.buf = append(make([]byte, 0, min(2*len(in.buf), n+inputChunk)), in.buf...)
		}
		m, err := in.src.Read(in.buf[len(in.buf):cap(in.buf)])
		in.buf = in.buf[:len(in.buf)+m]
		if empty++; m > 0 {
			empty = 0
		}
		switch {
		case len(in.buf) >= n:
		case errors.Is(err, io.EOF):
			in.fail(io.ErrUnexpectedEOF)
			return false
		case err != nil:
			in.fail(err)
			return false
		case empty == 100:
			in.fail(io.ErrNoProgress)
			return false
		}
	}
	return true
}

// offset is how much was taken.
func (in *input) offset() int64 { return in.before + int64(in.pos) }

// checksum is that of all that was taken.
func (in *input) checksum() uint64 {
	in.sum = checksum(in.sum, in.buf[in.summed:in.pos])
	in.summed = in.pos
	return in.sum
}

func (in *input) byte() byte {
	if p := in.take(1); p != nil {
		return p[0]
	}
	return 0
}

func (in *input) uint16() uint16 {
	if p := in.take(2); p != nil {
		return binary.LittleEndian.Uint16(p)
	}
	return 0
}

func (in *input) uint32() uint32 {
	if p := in.take(4); p != nil {
		return binary.LittleEndian.Uint32(p)
	}
	return 0
}

func (in *input) uint64() uint64 {
	if p := in.take(8); p != nil {
		return binary.LittleEndian.Uint64(p)
	}
	return 0
}

// lengthOr reads a length, or the mark of an encoded string, which encoded tells.
func (in *input) lengthOr() (n uint64, encoded bool) {
	c := in.byte()
	switch {
	case c < length14:
		return uint64(c), false
	case c < length32:
		return uint64(c&0x3f)<<8 | uint64(in.byte()), false
	case c >= encodedMark:
		return uint64(c), true
	case c == length32:
		if p := in.take(4); p != nil {
			return uint64(binary.BigEndian.Uint32(p)), false
		}
		return 0, false
	case c == length64:
		if p := in.take(8); p != nil {
			return binary.BigEndian.Uint64(p), false
		}
		return 0, false
	}
	in.fail(formatError("%#x begins no length", c))
	return 0, false
}

// length reads a length. Where the mark of an encoded string stands in its place,
// its lower bits are the length, as Redis has it.
func (in *input) length() uint64 {
	n, encoded := in.lengthOr()
	if encoded {
		return n &^ encodedMark
	}
	return n
}

// size reads the length of a string.
func (in *input) size() int { return in.bounded(in.length()) }

func (in *input) bounded(n uint64) int {
	if n > uint64(in.most) {
		in.fail(formatError("a string of %d bytes", n))
		return 0
	}
	return int(n)
}

// text reads a string, valid until the next call of any kind.
func (in *input) text() []byte {
	n, encoded := in.lengthOr()
	if !encoded {
		return in.take(in.bounded(n))
	}
	switch n {
	case encodedInt8:
		return value.AppendInt(in.digits[:0], int64(int8(in.byte())))
	case encodedInt16:
		return value.AppendInt(in.digits[:0], int64(int16(in.uint16())))
	case encodedInt32:
		return value.AppendInt(in.digits[:0], int64(int32(in.uint32())))
	case encodedPacked:
		return in.packedText()
	}
	in.fail(formatError("%#x encodes no string", n))
	return nil
}

// packedText reads a compressed string.
func (in *input) packedText() []byte {
	packed, size := in.size(), in.size()
	src := in.take(packed)
	if in.err != nil {
		return nil
	}
	if cap(in.expanded) > bufferKeep {
		in.expanded = nil
	}
	if size/lzfGrowth <= packed && size > cap(in.expanded) {
		in.expanded = make([]byte, 0, size)
	}
	text, ok := unpack(in.expanded[:0], src, size)
	if !ok {
		in.fail(formatError("a compressed string does not expand to %d bytes", size))
		return nil
	}
	in.expanded = text
	return text
}

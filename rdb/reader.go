package rdb

import (
	"errors"
	"fmt"
	"io"
	"strconv"
)

// ErrVersion is that a file is of a version that cannot be read.
var ErrVersion = errors.New("can't handle this RDB format version")

// A Reader reads a file key by key. Deadlines are told, not judged: what has
// passed is the caller's to leave out.
type Reader struct {
	// Aux, if it is set, is told what the file says of itself, and Function the
	// libraries that are in it; both before the keys, as they come. The bytes
	// are valid during the call. An error of theirs ends the reading.
	Aux      func(name, text []byte) error
	Function func(code []byte) error

	decoder
	name   []byte
	db     int
	format int // of the file; 0 before it was begun
	done   bool
}

// NewReader reads from src, more than the file has if there is more.
func NewReader(src io.Reader, opt Options) *Reader {
	r := &Reader{decoder: newDecoder(opt)}
	r.src = src
	return r
}

// Offset is how far the file was read: after an error, where that came up.
func (r *Reader) Offset() int64 { return r.offset() }

// DB is the database of the key that was read last.
func (r *Reader) DB() int { return r.db }

// Next reads the next key; the error is io.EOF at the end of a file that is whole
// and has the right checksum. After an error there is nothing more to read.
func (r *Reader) Next() (*Entry, error) {
	if r.done {
		return nil, io.EOF
	}
	if r.format == 0 {
		r.begin()
	}
	e := &Entry{ExpireAt: -1, Idle: -1, Freq: -1}
	for r.err == nil {
		typ := r.byte()
		switch {
		case r.err != nil:
		case typ == opEnd:
			r.end()
			if r.err == nil {
				r.done = true
				return nil, io.EOF
			}
		case typ >= opSlotInfo:
			r.record(typ, e)
		default:
			if r.key(typ, e) {
				return e, nil
			}
			e = &Entry{ExpireAt: -1, Idle: -1, Freq: -1}
		}
	}
	return nil, r.err
}

// begin reads the head of the file.
func (r *Reader) begin() {
	head := r.take(9)
	if head == nil {
		return
	}
	if string(head[:5]) != "REDIS" {
		r.fail(formatError("it does not begin as an RDB file does"))
		return
	}
	n, err := strconv.Atoi(string(head[5:]))
	if err != nil || n < 1 || n > r.version {
		r.fail(fmt.Errorf("%w: %.4q", ErrVersion, head[5:]))
		return
	}
	r.format = n
}

// firstSummed is the first version that has a checksum at the end.
const firstSummed = 5

// end reads the checksum; 0 is none.
func (r *Reader) end() {
	if r.format < firstSummed {
		return
	}
	want := r.checksum()
	if sum := r.uint64(); r.err == nil && sum != 0 && sum != want {
		r.fail(formatError("the checksum is %016x, not %016x", want, sum))
	}
}

// record reads what is not a key. Some of it is about the key e to come.
func (r *Reader) record(op byte, e *Entry) {
	switch op {
	case opAux:
		r.name = append(r.name[:0], r.text()...)
		if text := r.text(); r.err == nil && r.Aux != nil {
			if err := r.Aux(r.name, text); err != nil {
				r.fail(err)
			}
		}
	case opFunction:
		if code := r.text(); r.err == nil && r.Function != nil {
			if err := r.Function(code); err != nil {
				r.fail(err)
			}
		}
	case opSelectDB:
		r.db = r.size()
	case opResizeDB:
		r.length()
		r.length()
	case opSlotInfo:
		for range 3 {
			r.length()
		}
	case opExpireMS:
		e.ExpireAt = max(0, r.time())
	case opExpire:
		e.ExpireAt = max(0, int64(int32(r.uint32()))*1000)
	case opIdle:
		e.Idle = r.count(0)
	case opFreq:
		e.Freq = int(r.byte())
	case opModuleAux:
		r.fail(formatError("there is data of a module"))
	case opFunctionV1:
		r.fail(formatError("there are functions of a candidate for release"))
	default:
		r.fail(formatError("there is no record %d", op))
	}
}

// key reads a key and its value; false if it failed, or if the value is an empty
// collection, which Redis leaves out.
func (r *Reader) key(typ byte, e *Entry) bool {
	e.Key = append([]byte{}, r.text()...)
	if r.err != nil {
		return false
	}
	v, err := r.value(typ)
	if err == nil {
		e.Value = v
		return true
	}
	if !errors.Is(err, errEmpty) {
		r.err = fmt.Errorf("key %.64q: %w", e.Key, err)
	}
	return false
}

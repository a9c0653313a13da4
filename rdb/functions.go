package rdb

import (
	"encoding/binary"
	"errors"
)

// AppendFunctions appends the payload that FUNCTION DUMP answers: the code of
// libraries, one after the other.
func (e *Encoder) AppendFunctions(b []byte, codes [][]byte) []byte {
	start := len(b)
	for _, code := range codes {
		b = e.appendText(append(b, opFunction), code)
	}
	e.tidy()
	b = binary.LittleEndian.AppendUint16(b, Version)
	return binary.LittleEndian.AppendUint64(b, checksum(0, b[start:]))
}

// What is wrong with a payload of functions, besides ErrChecksum.
var (
	ErrNoFunction     = errors.New("something that is not a function")
	ErrNoFunctionCode = errors.New("no library could be read")
)

// ReadFunctions reads a payload as FUNCTION RESTORE gets it and hands on the code
// of each library, valid during the call; the first error ends it.
//
// DIFFERS: FUNCTION RESTORE does not read the payloads of the release candidates of Redis 7.0, which had another form.
func ReadFunctions(payload []byte, opt Options, each func(code []byte) error) error {
	d := newDecoder(opt)
	if !d.open(payload) {
		return ErrChecksum
	}
	for end := len(payload) - footer; d.pos < end; {
		if d.byte() != opFunction {
			return ErrNoFunction
		}
		code := d.text()
		if d.err != nil {
			return ErrNoFunctionCode
		}
		if err := each(code); err != nil {
			return err
		}
	}
	return nil
}

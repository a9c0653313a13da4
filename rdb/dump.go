package rdb

import (
	"encoding/binary"
	"errors"
)

// ErrChecksum is that a payload is of a version which cannot be read, or that its
// checksum is wrong.
var ErrChecksum = errors.New("payload version or checksum are wrong")

// footer is what stands behind a payload's value: version and checksum.
const footer = 2 + 8

// AppendDump appends the payload that DUMP answers.
func (e *Encoder) AppendDump(b []byte, v Value) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint16(e.AppendValue(b, v), versionOf(v))
	e.tidy()
	return binary.LittleEndian.AppendUint64(b, checksum(0, b[start:]))
}

// VersionOf is the oldest version, from Version on, that has a value's form.
func VersionOf(v Value) int { return int(versionOf(v)) }

// versionOf is VersionOf as payloads have it.
func versionOf(v Value) uint16 {
	switch typeOf(v) {
	case typeHashTimed, typeHashTimedListpack:
		return deadlineVersion
	case typeArray, typeStreamOwn:
		return ownVersion
	}
	return Version
}

// ReadDump reads a payload as RESTORE gets it. The value keeps nothing of it.
// Only the checksum keeps a value from ending before or behind where its version
// begins: that, Redis does not look at, and neither do we.
func ReadDump(payload []byte, opt Options) (Value, error) {
	d := newDecoder(opt)
	if !d.open(payload) {
		return Value{}, ErrChecksum
	}
	return d.value(d.byte())
}

// open begins to read a payload, unless its version or its checksum is wrong.
func (d *decoder) open(payload []byte) bool {
	end := len(payload) - footer
	d.buf = payload
	return end >= 0 && int(binary.LittleEndian.Uint16(payload[end:])) <= d.version &&
		binary.LittleEndian.Uint64(payload[end+2:]) == checksum(0, payload[:end+2])
}

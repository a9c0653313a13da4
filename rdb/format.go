package rdb

import (
	"hash/crc64"

	"minikv/value"
)

// Version is the version of the format that is written: that of Redis 7.0.
const Version = 10

// Newest is the newest version that can be read: that of Redis 7.4.
const Newest = 12

// ownVersion is that of payloads whose types are minikv's own.
const ownVersion = Newest

// The types of values.
const (
	typeString          = 0
	typeList            = 1
	typeSet             = 2
	typeZSetText        = 3 // scores as text
	typeHash            = 4
	typeZSet            = 5 // scores as doubles
	typeHashZipmap      = 9
	typeListZiplist     = 10
	typeSetIntset       = 11
	typeZSetZiplist     = 12
	typeHashZiplist     = 13
	typeListOfZiplists  = 14
	typeStream1         = 15
	typeHashListpack    = 16
	typeZSetListpack    = 17
	typeListOfListpacks = 18
	typeStream2         = 19 // knows the first ID, the deleted and the added
	typeSetListpack     = 20 // from version 11 on
	typeStream3         = 21 // from version 11 on: knows when consumers were active

	// From version 12 on: the fields have deadlines.
	typeHashTimed         = 24
	typeHashTimedListpack = 25
)

// The records of a file that are not keys.
const (
	opSlotInfo   = 244 // from version 12 on, of a cluster's node: hints of sizes
	opFunction   = 245
	opIdle       = 248
	opFreq       = 249
	opAux        = 250
	opResizeDB   = 251
	opExpireMS   = 252
	opExpire     = 253
	opSelectDB   = 254
	opEnd        = 255
	opModuleAux  = 247
	opFunctionV1 = 246 // of release candidates
)

// A length begins with two bits that say how it goes on. Encoded strings stand
// where a length is expected: the rest of the byte says how they are encoded.
const (
	length6       = 0 << 6 // six bits
	length14      = 1 << 6 // and a byte
	length32      = 0x80   // alone, then four bytes, high first
	length64      = 0x81   // alone, then eight
	encodedMark   = 3 << 6
	encodedInt8   = encodedMark
	encodedInt16  = encodedMark | 1
	encodedInt32  = encodedMark | 2
	encodedPacked = encodedMark | 3 // LZF
)

// The forms of a list's nodes.
const (
	nodePlain  = 1 // one element
	nodePacked = 2 // a listpack
)

// A Value is a value of any kind: a string's Text, or any other kind's Data.
type Value struct {
	Kind value.Kind
	Text []byte
	Data Collection
}

// Collection is a *value.List, *value.Set, *value.ZSet, *value.Hash,
// *value.Stream or *value.Array.
type Collection interface {
	Encoding() string
	MemoryUsage() int
	Check() error
}

// crcTable belongs to the polynomial that Jones proposed, bits reversed.
var crcTable = crc64.MakeTable(0x95ac9329ac4bc9b5)

// checksum goes on with a CRC-64 over p, begun with 0. Unlike the standard
// library's it is not inverted at its ends.
func checksum(sum uint64, p []byte) uint64 { return ^crc64.Update(^sum, crcTable, p) }

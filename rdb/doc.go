// Package rdb reads and writes values as Redis serialises them: the payloads of
// DUMP and RESTORE, and whole RDB files. It turns bytes into values and values
// into bytes; it opens no file, knows no clock and deletes nothing that is past
// its time.
//
// A value is written as its type, one byte, and what that type asks for: lengths,
// strings, and packed blobs (listpacks, integer sets), each of which is a string
// again and may be compressed. A payload is a value with a version and a checksum
// behind it; a file is a head, keys with their values among records that say
// where they belong and until when they live, and a checksum.
//
//	input.go     lengths, strings and numbers, from memory or from an io.Reader
//	encoder.go   values to bytes, in the forms that Redis 7.0 writes
//	decoder.go   bytes to values, in these and all older forms
//	dump.go      payloads of values
//	functions.go payloads of function libraries
//	writer.go    files, written
//	reader.go    files, read
//
// What is read may be damaged, or made to do harm. No length is believed before
// the bytes it promises are there, every blob is checked to its last byte, and a
// value comes out valid or not at all.
package rdb

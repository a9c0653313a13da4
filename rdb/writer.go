package rdb

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Entry is one key of a file.
type Entry struct {
	Key   []byte
	Value Value
	// ExpireAt is the deadline in unix milliseconds, -1 if there is none.
	ExpireAt int64
	// Idle is for how many seconds the key was not used, Freq how often it is
	// used, from 0 to 255; -1 if that is not told. A file tells one of them at
	// most.
	Idle int64
	Freq int
}

// A Writer writes a file: Aux and Function first, then for each database Select
// and its keys, then Close. Once writing has failed, every call answers that
// error.
//
// What is written stands in memory until there is enough of it to be worth a
// call of the io.Writer; a value is written as a whole.
type Writer struct {
	enc *Encoder
	dst io.Writer
	buf []byte
	sum uint64
	err error
	opt WriterOptions
}

// WriterOptions say how a file is written.
type WriterOptions struct {
	// Version of the format; 0 is Version. It must be at least VersionOf each
	// value.
	Version int
	// Compress and Summed are the settings rdbcompression and rdbchecksum.
	Compress, Summed bool
}

// writerChunk is what is gathered before it is written.
const writerChunk = 64 << 10

// NewWriter begins a file.
func NewWriter(dst io.Writer, opt WriterOptions) *Writer {
	if opt.Version == 0 {
		opt.Version = Version
	}
	w := &Writer{enc: &Encoder{Compress: opt.Compress}, dst: dst, opt: opt}
	w.buf = fmt.Appendf(w.buf, "REDIS%04d", opt.Version)
	return w
}

// Aux tells something of the file, by a name: "redis-ver", "ctime", "used-mem".
func (w *Writer) Aux(name, text string) error {
	w.buf = w.enc.appendText(append(w.buf, opAux), []byte(name))
	w.buf = w.enc.appendText(w.buf, []byte(text))
	return w.flush(writerChunk)
}

// Function adds a library of functions: its source.
func (w *Writer) Function(code []byte) error {
	w.buf = w.enc.appendText(append(w.buf, opFunction), code)
	return w.flush(writerChunk)
}

// Select begins a database, of so many keys, so many of them with a deadline.
func (w *Writer) Select(db, keys, expires int) error {
	w.buf = appendLength(append(w.buf, opSelectDB), uint64(db))
	w.buf = appendLength(append(w.buf, opResizeDB), uint64(keys))
	w.buf = appendLength(w.buf, uint64(expires))
	return w.flush(writerChunk)
}

// Key adds a key to the database that was selected last.
func (w *Writer) Key(e *Entry) error {
	if v := VersionOf(e.Value); v > w.opt.Version && w.err == nil {
		w.err = fmt.Errorf("key %.64q: a value of version %d in a file of version %d", e.Key, v, w.opt.Version)
	}
	if e.ExpireAt >= 0 {
		w.buf = appendTime(append(w.buf, opExpireMS), e.ExpireAt)
	}
	if e.Idle >= 0 {
		w.buf = appendLength(append(w.buf, opIdle), uint64(e.Idle))
	}
	if e.Freq >= 0 {
		w.buf = append(w.buf, opFreq, byte(e.Freq))
	}
	w.buf = w.enc.appendText(append(w.buf, typeOf(e.Value)), e.Key)
	w.buf = w.enc.appendBody(w.buf, e.Value)
	w.enc.tidy()
	return w.flush(writerChunk)
}

// Close ends the file. It does not close the io.Writer.
func (w *Writer) Close() error {
	w.buf = append(w.buf, opEnd)
	if err := w.flush(0); err != nil {
		return err
	}
	if !w.opt.Summed {
		w.sum = 0
	}
	w.buf = binary.LittleEndian.AppendUint64(w.buf, w.sum)
	return w.flush(0)
}

// flush writes what was gathered, if that is at least so much.
func (w *Writer) flush(least int) error {
	if w.err != nil {
		w.buf = w.buf[:0]
		return w.err
	}
	if len(w.buf) < least {
		return nil
	}
	w.sum = checksum(w.sum, w.buf)
	_, w.err = w.dst.Write(w.buf)
	if w.buf = w.buf[:0]; cap(w.buf) > bufferKeep {
		w.buf = nil
	}
	return w.err
}

// Package resp writes and reads the Redis serialization protocol, versions 2
// and 3.
//
// Writer is the reply side of a connection; Decode and Reader are its mirror,
// for scripts, clients and tests. The appenders beneath Writer also encode
// requests.
package resp

// A Writer collects replies as a list of chunks.
//
// Idea: replies are copied into buffers of the writer's own, and a large value
// is not copied at all but becomes a chunk itself; the chunks go to the socket
// with one vectored write.
//
// Invariant: a buffer of the writer's own always has less than refSize bytes
// of capacity, a referenced value always has at least that length. So any
// chunk tells whose it is, and Recycle may be given every chunk that was
// taken. full holds closed chunks and cur the open one, which is always the
// writer's own; base counts the bytes that were taken and done those in full.
//
// Price: a value between the buffers' end and refSize is copied in two pieces,
// so a reply may span chunks; Since then has to join them.
//
// The zero value is ready and speaks protocol 2. A Writer is not for
// concurrent use.
type Writer struct {
	cur   []byte
	full  [][]byte
	base  int64
	done  int
	resp3 bool
	own   Buffers
	pool  *Buffers
}

const (
	// refSize is the length from which a value is referenced, not copied.
	refSize = 16 << 10
	// smallSize is the capacity of the first buffer of a batch of replies; most
	// batches need no other.
	smallSize = 1 << 10
	// wholeSize is the length up to which a value is kept in one chunk.
	wholeSize = 512
	// headSize is room for any header, with a line end to spare.
	headSize = 32
)

// SetProto chooses protocol version 2 or 3 for what is written from now on.
func (w *Writer) SetProto(p int) { w.resp3 = p >= 3 }

// Proto returns the protocol version in use, 2 or 3.
func (w *Writer) Proto() int {
	if w.resp3 {
		return 3
	}
	return 2
}

// Status writes a simple string, such as OK. CR and LF become spaces.
func (w *Writer) Status(s string) { w.line('+', s) }

// OK writes the status OK.
func (w *Writer) OK() { w.cur = append(w.room(headSize), "+OK\r\n"...) }

// Error writes an error; s begins with its code, as in "ERR syntax error". CR
// and LF become spaces.
func (w *Writer) Error(s string) { w.line('-', s) }

// Int writes an integer.
func (w *Writer) Int(n int64) { w.cur = appendHeader(w.room(headSize), ':', n) }

// Bulk writes a bulk string. A short b is copied; one of 16 KiB or more is
// referenced, and the caller must never change it afterwards.
func (w *Writer) Bulk(b []byte) {
	if len(b) <= wholeSize {
		w.cur = AppendBulk(w.room(len(b)+headSize), b)
		return
	}
	w.header('$', len(b))
	w.payload(b)
}

// BulkString writes a bulk string, always copied.
func (w *Writer) BulkString(s string) {
	if len(s) <= wholeSize {
		w.cur = AppendBulkString(w.room(len(s)+headSize), s)
		return
	}
	w.header('$', len(s))
	w.text(s)
	w.text(crlf)
}

// BulkInt writes n in decimal as a bulk string.
func (w *Writer) BulkInt(n int64) { w.cur = AppendBulkInt(w.room(2*headSize), n) }

// Null writes the null of a missing value: a null bulk string in RESP2.
func (w *Writer) Null() {
	if w.resp3 {
		w.cur = AppendNull(w.room(headSize))
		return
	}
	w.cur = AppendNilBulk(w.room(headSize))
}

// NullArray writes the null of a missing list of values: a null array in
// RESP2.
func (w *Writer) NullArray() {
	if w.resp3 {
		w.cur = AppendNull(w.room(headSize))
		return
	}
	w.cur = AppendNilArray(w.room(headSize))
}

// Array opens an array: n values follow.
func (w *Writer) Array(n int) { w.header('*', n) }

// Map opens a map: n pairs follow. In RESP2 it is an array of 2n.
func (w *Writer) Map(n int) { w.header(w.mapHeader(n)) }

// Set opens a set: n values follow. In RESP2 it is an array.
func (w *Writer) Set(n int) { w.header(w.setHeader(n)) }

// Push opens an out-of-band message: n values follow. In RESP2 it is an array.
func (w *Writer) Push(n int) {
	if w.resp3 {
		w.header('>', n)
		return
	}
	w.header('*', n)
}

// Attribute opens an attribute of the reply that comes next: n pairs follow.
// RESP2 has none; there it writes nothing and returns false, and the pairs are
// to be left out.
func (w *Writer) Attribute(n int) bool {
	if w.resp3 {
		w.header('|', n)
	}
	return w.resp3
}

// Double writes a floating-point number: a bulk string in RESP2.
func (w *Writer) Double(f float64) {
	if w.resp3 {
		w.cur = append(AppendDouble(append(w.room(headSize), ','), f), crlf...)
		return
	}
	var text [32]byte
	w.cur = AppendBulk(w.room(2*headSize), AppendDouble(text[:0], f))
}

// Bool writes a boolean: the integer 1 or 0 in RESP2.
func (w *Writer) Bool(b bool) {
	switch {
	case w.resp3:
		w.cur = AppendBool(w.room(headSize), b)
	case b:
		w.Int(1)
	default:
		w.Int(0)
	}
}

// BigNumber writes an integer of any size, given in decimal: a bulk string in
// RESP2. In RESP3 CR and LF become spaces.
func (w *Writer) BigNumber(s string) {
	if w.resp3 {
		w.line('(', s)
		return
	}
	w.BulkString(s)
}

// Verbatim writes text with its format, a name of three bytes such as txt: a
// bulk string in RESP2. A text of 16 KiB or more is referenced, as by Bulk.
func (w *Writer) Verbatim(ext string, b []byte) {
	if !w.resp3 {
		w.Bulk(b)
		return
	}
	w.header('=', len(b)+4)
	w.text((ext + "   ")[:3])
	w.text(":")
	w.payload(b)
}

// Raw copies what is already encoded for this protocol version.
func (w *Writer) Raw(b []byte) { w.copy(b) }

func (w *Writer) mapHeader(n int) (byte, int) {
	if w.resp3 {
		return '%', n
	}
	return '*', 2 * n
}

func (w *Writer) setHeader(n int) (byte, int) {
	if w.resp3 {
		return '~', n
	}
	return '*', n
}

func (w *Writer) header(kind byte, n int) {
	w.cur = appendHeader(w.room(headSize), kind, int64(n))
}

func (w *Writer) line(kind byte, s string) {
	if len(s) <= wholeSize {
		w.cur = appendLine(append(w.room(len(s)+headSize), kind), s)
		return
	}
	w.cur = append(w.room(headSize), kind)
	for len(s) > 0 {
		n := min(len(s), wholeSize)
		start := len(w.room(wholeSize))
		w.cur = append(w.cur, s[:n]...)
		blankLineBreaks(w.cur[start:])
		s = s[n:]
	}
	w.text(crlf)
}

// payload writes a bulk string's bytes and line end, referencing a large b.
func (w *Writer) payload(b []byte) {
	if len(b) >= refSize {
		w.close()
		w.full = append(w.full, b[:len(b):len(b)])
		w.done += len(b)
	} else {
		w.copy(b)
	}
	w.text(crlf)
}

// copy fills the open buffer and as many more as b needs.
func (w *Writer) copy(b []byte) {
	for len(b) > 0 {
		cur := w.room(1)
		n := min(len(b), cap(cur)-len(cur))
		w.cur = append(cur, b[:n]...)
		b = b[n:]
	}
}

func (w *Writer) text(s string) {
	for len(s) > 0 {
		cur := w.room(1)
		n := min(len(s), cap(cur)-len(cur))
		w.cur = append(cur, s[:n]...)
		s = s[n:]
	}
}

// room returns the open buffer with space for n more bytes.
func (w *Writer) room(n int) []byte {
	if cap(w.cur)-len(w.cur) < n {
		w.open(n)
	}
	return w.cur
}

// open closes the open buffer and begins one with space for n bytes: a small
// one at first, and between large values, which need only their headers.
func (w *Writer) open(n int) {
	w.close()
	last := len(w.full) - 1
	small := last < 0 || cap(w.full[last]) >= refSize
	w.cur = w.buffers().get(n, small)
}

// close moves the open buffer, if it holds anything, to the closed chunks.
func (w *Writer) close() {
	if len(w.cur) > 0 {
		w.full = append(w.full, w.cur)
		w.done += len(w.cur)
	} else {
		w.Recycle(w.cur)
	}
	w.cur = nil
}

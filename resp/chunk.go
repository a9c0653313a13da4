package resp

import "slices"

// Buffers keeps buffers for reuse. A Writer has some of its own; the writers
// of one goroutine may share one (Writer.Share), so that idle connections hold
// none. The zero value is ready; it is not for concurrent use.
type Buffers struct {
	free  [][]byte
	limit int
}

// Keep sets how many free buffers are kept at most, in place of a few.
func (p *Buffers) Keep(limit int) {
	p.limit = limit
	if len(p.free) > limit {
		clear(p.free[limit:])
		p.free = p.free[:limit]
	}
}

const defaultKeep = 4

func (p *Buffers) get(need int, small bool) []byte {
	if last := len(p.free) - 1; last >= 0 {
		b := p.free[last]
		p.free[last] = nil
		p.free = p.free[:last]
		if cap(b) >= need {
			return b
		}
	}
	if small && need <= smallSize {
		return make([]byte, 0, smallSize)
	}
	return make([]byte, 0, refSize)[: 0 : refSize-1]
}

func (p *Buffers) put(b []byte) {
	limit := p.limit
	if limit == 0 {
		limit = defaultKeep
	}
	if cap(b) < smallSize || cap(b) >= refSize || len(p.free) >= limit {
		return
	}
	p.free = append(p.free, b[:0])
}

// Share makes the writer take its buffers from p and give them back to it.
func (w *Writer) Share(p *Buffers) { w.pool = p }

func (w *Writer) buffers() *Buffers {
	if w.pool != nil {
		return w.pool
	}
	return &w.own
}

// Recycle gives back a chunk that Take handed out, for reuse. The caller must
// not touch it afterwards. A referenced value is recognised and left alone.
// The chunk must be whole: not a part of one, and given back once.
func (w *Writer) Recycle(b []byte) { w.buffers().put(b) }

// Take moves all chunks to dst and empties the writer. The chunks now belong
// to the caller, who may read them but not change them (a large one is a
// referenced value), and may return each by Recycle.
func (w *Writer) Take(dst [][]byte) [][]byte {
	w.base += int64(w.Len())
	dst = append(dst, w.full...)
	if len(w.cur) > 0 {
		dst = append(dst, w.cur)
		w.cur = nil
	}
	w.forget()
	return dst
}

// Reset drops all that was written and keeps the protocol version.
func (w *Writer) Reset() {
	w.base += int64(w.Len())
	for _, b := range w.full {
		w.Recycle(b)
	}
	w.cur = w.cur[:0]
	w.forget()
}

// forget empties the list of closed chunks; a very long one is let go.
func (w *Writer) forget() {
	const keep = 256
	if cap(w.full) > keep {
		w.full = nil
	} else {
		clear(w.full)
		w.full = w.full[:0]
	}
	w.done = 0
}

// Len returns how many bytes were written and not yet taken.
func (w *Writer) Len() int { return w.done + len(w.cur) }

// A Mark is a place in a writer's output. It stays good until what it stands
// on is taken, truncated or pushed aside by a header inserted before it; using
// it later panics or hits another place.
type Mark struct{ at int64 }

// Mark returns the place where the next reply will begin.
func (w *Writer) Mark() Mark { return Mark{w.base + int64(w.Len())} }

// InsertArray writes the header of an array of n values at m: for replies
// whose length is known only once they are written.
func (w *Writer) InsertArray(m Mark, n int) { w.insert(m, '*', n) }

// InsertMap writes the header of a map of n pairs at m.
func (w *Writer) InsertMap(m Mark, n int) {
	kind, n := w.mapHeader(n)
	w.insert(m, kind, n)
}

// InsertSet writes the header of a set of n values at m.
func (w *Writer) InsertSet(m Mark, n int) {
	kind, n := w.setHeader(n)
	w.insert(m, kind, n)
}

// insert puts a header at m. The open buffer usually has the room; otherwise
// the chunk at m is cut, and what follows in it moves to a buffer of its own,
// because two chunks must never share one.
func (w *Writer) insert(m Mark, kind byte, n int) {
	if m == w.Mark() {
		w.header(kind, n)
		return
	}
	var space [headSize]byte
	head := appendHeader(space[:0], kind, int64(n))
	if off := m.at - w.base - int64(w.done); off >= 0 && cap(w.cur)-len(w.cur) >= len(head) {
		w.cur = slices.Insert(w.cur, int(off), head...)
		return
	}
	w.close()
	i, off := w.find(m)
	w.insertClosed(i, off, head)
	w.done += len(head)
	w.reopen()
}

func (w *Writer) insertClosed(i, off int, head []byte) {
	chunk := w.full[i]
	tail := chunk[off:]
	switch {
	case cap(chunk)-len(chunk) >= len(head):
		w.full[i] = slices.Insert(chunk, off, head...)
	case len(head)+len(tail) < refSize:
		moved := w.buffers().get(len(head)+len(tail), false)
		moved = append(append(moved, head...), tail...)
		if off == 0 {
			w.full[i] = moved
			w.Recycle(chunk)
			return
		}
		w.full = slices.Insert(w.full, i+1, moved)
		w.full[i] = chunk[:off]
	default:
		moved := append(w.buffers().get(len(tail), false), tail...)
		w.full = slices.Insert(w.full, i+1, moved)
		w.full[i] = append(chunk[:off], head...)
	}
}

// Truncate drops what was written since m.
func (w *Writer) Truncate(m Mark) {
	if off := m.at - w.base - int64(w.done); off >= 0 && off <= int64(len(w.cur)) {
		w.cur = w.cur[:off]
		return
	}
	w.close()
	i, off := w.find(m)
	for _, b := range w.full[i+1:] {
		w.done -= len(b)
		w.Recycle(b)
	}
	w.done -= len(w.full[i]) - off
	w.full[i] = w.full[i][:off]
	clear(w.full[i+1:])
	w.full = w.full[:i+1]
	w.reopen()
}

// Since returns the bytes written since m, to be read only and valid until the
// next use of the writer. They are copied only if they begin before the open
// buffer.
func (w *Writer) Since(m Mark) []byte {
	if off := m.at - w.base - int64(w.done); off >= 0 && off <= int64(len(w.cur)) {
		return w.cur[off:len(w.cur):len(w.cur)]
	}
	i, off := w.find(m)
	joined := make([]byte, 0, w.base+int64(w.Len())-m.at)
	joined = append(joined, w.full[i][off:]...)
	for _, b := range w.full[i+1:] {
		joined = append(joined, b...)
	}
	return append(joined, w.cur...)
}

// find returns the closed chunk that m is in or at the end of, and its offset
// there; only the very start of the output is offset 0. The chunk is never a
// value, as those have a header before and a line end after them.
func (w *Writer) find(m Mark) (i, off int) {
	start := w.base + int64(w.done)
	for i = len(w.full) - 1; i >= 0; i-- {
		end := start
		start -= int64(len(w.full[i]))
		if start < m.at && m.at <= end || start == m.at && i == 0 {
			if cap(w.full[i]) >= refSize {
				break
			}
			return i, int(m.at - start)
		}
	}
	panic("resp: the mark is not in the writer's output")
}

// reopen makes the last closed chunk the open one again. It is the writer's
// own: at least a line end comes after a value.
func (w *Writer) reopen() {
	last := len(w.full) - 1
	w.cur = w.full[last]
	w.full[last] = nil
	w.full = w.full[:last]
	w.done -= len(w.cur)
}

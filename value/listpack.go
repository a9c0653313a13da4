package value

// AppendPacked appends s as an element of a listpack, as an integer if it spells
// one.
func AppendPacked(b, s []byte) []byte { return appendPacked(b, s) }

// PackedAt reads the element of a listpack at off and where the next one starts;
// ok is false if no sound one stands there, whatever the bytes. Elem is read-only
// and aliases b, or buf if it is an integer.
func PackedAt(b []byte, off int, buf []byte) (elem []byte, next int, ok bool) {
	size, ok := packedSize(b, off)
	if !ok {
		return nil, off, false
	}
	e, _ := packedAt(b, off)
	return e.bytes(buf), off + size, true
}

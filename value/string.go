package value

import "fmt"

// String is a string value. One that reads as an integer is stored as one; what
// is changed in place is raw from then on, as OBJECT ENCODING tells.
//
// The zero String is not valid: strings come from the New functions.
type String struct {
	text []byte // nil for an integer
	num  int64  // the integer; beside a text, rawText or 0
}

const (
	embstrMax = 44
	rawText   = 1
)

// NewString is the value SET stores: an integer if text spells one. Text is
// copied.
func NewString(text []byte) *String {
	if n, ok := ParseInt(text); ok {
		return &String{num: n}
	}
	return NewText(text)
}

// NewText is a value that stays text though it may spell an integer, as
// INCRBYFLOAT stores it. Text is copied.
func NewText(text []byte) *String { return OwnText(append(make([]byte, 0, len(text)), text...)) }

// OwnText is NewText without the copy: the String owns text from now on.
func OwnText(text []byte) *String {
	s := &String{text: text}
	if text == nil {
		s.text = []byte{}
	}
	if len(text) > embstrMax {
		s.num = rawText
	}
	return s
}

// NewRaw is a raw value of any length, as SETBIT, BITOP and PFADD store it. It
// owns text.
func NewRaw(text []byte) *String {
	s := OwnText(text)
	s.num = rawText
	return s
}

// NewInt is the value of INCR.
func NewInt(n int64) *String { return &String{num: n} }

// SetInt makes s the integer n.
func (s *String) SetInt(n int64) { s.text, s.num = nil, n }

// Int is the integer that s spells, if it does.
func (s *String) Int() (int64, bool) {
	if s.text == nil {
		return s.num, true
	}
	return ParseInt(s.text)
}

// Bytes is the text; that of an integer is spelled into scratch[:0], the other is
// the value's own: read-only, and valid until the value is changed in place (by
// Mutable; Append leaves it alone).
func (s *String) Bytes(scratch []byte) []byte {
	if s.text == nil {
		return AppendInt(scratch[:0], s.num)
	}
	return s.text
}

// Len is the length in bytes.
func (s *String) Len() int {
	if s.text == nil {
		return intLen(s.num)
	}
	return len(s.text)
}

// Append adds text at the end and makes the value raw. Slices that Bytes gave
// before keep their contents.
func (s *String) Append(text []byte) {
	s.makeRaw(len(text))
	s.text = append(s.text, text...)
}

// Mutable makes the value raw and at least size bytes long, padded with zero
// bytes, and returns its bytes to be changed in place.
func (s *String) Mutable(size int) []byte {
	s.makeRaw(0)
	if old := len(s.text); size > old {
		if size > cap(s.text) {
			grown := make([]byte, size, max(size, min(2*old, old+growMax)))
			copy(grown, s.text)
			s.text = grown
		} else {
			s.text = s.text[:size]
			clear(s.text[old:])
		}
	}
	return s.text
}

const growMax = 1 << 20

// Unshare gives the value a copy of its bytes, so that slices which Bytes gave
// before outlive changes in place.
func (s *String) Unshare() {
	if s.text != nil {
		s.text = append(make([]byte, 0, cap(s.text)), s.text...)
	}
}

func (s *String) makeRaw(room int) {
	if s.text == nil {
		s.text = AppendInt(make([]byte, 0, max(intLen(s.num)+room, 24)), s.num)
	}
	s.num = rawText
}

// Encoding is OBJECT ENCODING's answer.
func (s *String) Encoding() string {
	switch {
	case s.text == nil:
		return "int"
	case s.num == rawText:
		return "raw"
	}
	return "embstr"
}

// Clone is an independent copy of the same encoding.
func (s *String) Clone() *String {
	c := &String{num: s.num}
	if s.text != nil {
		c.text = append(make([]byte, 0, len(s.text)), s.text...)
	}
	return c
}

const stringHeader = 32

// MemoryUsage is about the bytes in use.
func (s *String) MemoryUsage() int { return stringHeader + cap(s.text) }

// Check verifies the value.
func (s *String) Check() error {
	if s.text != nil && s.num != 0 && s.num != rawText {
		return fmt.Errorf("string: text and the integer %d", s.num)
	}
	if s.Encoding() == "embstr" && len(s.text) > embstrMax {
		return fmt.Errorf("string: embstr of %d bytes", len(s.text))
	}
	return nil
}

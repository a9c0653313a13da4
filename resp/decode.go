package resp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

var (
	// ErrIncomplete tells that the bytes are the beginning of a reply.
	ErrIncomplete = errors.New("resp: incomplete reply")
	// ErrProtocol is wrapped by every error about bytes that are no reply.
	ErrProtocol = errors.New("resp: protocol error")
)

const (
	// maxDepth bounds how deep aggregates nest. A script of Redis's can answer
	// with close to 8000 levels.
	maxDepth = 8192
	// maxLine bounds the simple types, which have no announced length, on a
	// stream.
	maxLine = 16 << 20
	// maxElems bounds what an aggregate may announce.
	maxElems = 1<<31 - 1
)

// Decode reads the first reply in b and returns how many bytes it took. When b
// ends too early the error is ErrIncomplete. Nothing is allocated on the
// strength of an announced length alone.
func Decode(b []byte) (v Value, n int, err error) {
	src := sliceSource{b: b}
	d := decoder{src: &src}
	if v, err = d.value(0); err != nil {
		return Value{}, 0, err
	}
	return v, src.pos, nil
}

// A Reader reads replies from a stream. Not for concurrent use.
type Reader struct {
	src streamSource
}

// NewReader returns a Reader of r, with a buffer of its own.
func NewReader(r io.Reader) *Reader {
	return &Reader{src: streamSource{r: bufio.NewReaderSize(r, refSize)}}
}

// Read returns the next reply. The error is io.EOF when the stream ends
// between replies and io.ErrUnexpectedEOF within one; after any error the
// stream is of no further use.
func (r *Reader) Read() (Value, error) {
	if _, err := r.src.r.Peek(1); err != nil {
		return Value{}, err
	}
	d := decoder{src: &r.src}
	v, err := d.value(0)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return Value{}, err
	}
	return v, nil
}

// Buffered returns how many bytes were read from the stream and not yet
// returned.
func (r *Reader) Buffered() int { return r.src.r.Buffered() }

// A source hands a decoder its bytes.
type source interface {
	// line returns what stands before the next CRLF, valid until the next call.
	line() ([]byte, error)
	// blob returns the next n bytes, which CRLF must follow.
	blob(n int64) (string, error)
}

type decoder struct {
	src source
}

func (d *decoder) value(depth int) (Value, error) {
	if depth > maxDepth {
		return Value{}, fmt.Errorf("%w: nested too deep", ErrProtocol)
	}
	var attrs []Value
	for {
		line, err := d.src.line()
		if err != nil {
			return Value{}, err
		}
		if len(line) == 0 {
			return Value{}, fmt.Errorf("%w: empty line", ErrProtocol)
		}
		kind, rest := line[0], line[1:]
		if kind == TypeAttribute {
			n, err := count(rest)
			if err != nil {
				return Value{}, err
			}
			if attrs, err = d.elems(attrs, 2*n, depth+1); err != nil {
				return Value{}, err
			}
			continue
		}
		v, err := d.typed(kind, rest, depth)
		v.Attrs = attrs
		return v, err
	}
}

func (d *decoder) typed(kind byte, rest []byte, depth int) (Value, error) {
	v := Value{Type: kind}
	var err error
	switch kind {
	case TypeStatus, TypeError, TypeBigNumber:
		v.Str = string(rest)
	case TypeInt:
		v.Int, err = integer(rest)
	case TypeDouble:
		v.Str = string(rest)
		v.Float, err = double(v.Str)
	case TypeBool:
		if v.Bool = string(rest) == "t"; !v.Bool && string(rest) != "f" {
			err = fmt.Errorf("%w: bad boolean %.32q", ErrProtocol, rest)
		}
	case TypeNull:
		if len(rest) > 0 {
			err = fmt.Errorf("%w: bad null %.32q", ErrProtocol, rest)
		}
	case TypeBulk, TypeBulkError, TypeVerbatim:
		return d.blob(v, rest)
	case TypeArray, TypeMap, TypeSet, TypePush:
		return d.aggregate(v, rest, depth)
	default:
		err = fmt.Errorf("%w: unknown type %q", ErrProtocol, kind)
	}
	return v, err
}

func (d *decoder) blob(v Value, length []byte) (Value, error) {
	if v.Type == TypeBulk && string(length) == "-1" {
		v.Nil = true
		return v, nil
	}
	n, err := integer(length)
	if err != nil {
		return v, err
	}
	if n < 0 {
		return v, fmt.Errorf("%w: bad length %d", ErrProtocol, n)
	}
	if v.Str, err = d.src.blob(n); err != nil || v.Type != TypeVerbatim {
		return v, err
	}
	if len(v.Str) < 4 || v.Str[3] != ':' {
		return v, fmt.Errorf("%w: verbatim string without a format", ErrProtocol)
	}
	v.Format, v.Str = v.Str[:3], v.Str[4:]
	return v, nil
}

func (d *decoder) aggregate(v Value, length []byte, depth int) (Value, error) {
	if v.Type == TypeArray && string(length) == "-1" {
		v.Nil = true
		return v, nil
	}
	n, err := count(length)
	if err != nil {
		return v, err
	}
	if v.Type == TypeMap {
		n *= 2
	}
	v.Elems, err = d.elems(nil, n, depth+1)
	return v, err
}

// elems appends n values to vs, which grows only as they arrive.
func (d *decoder) elems(vs []Value, n int64, depth int) ([]Value, error) {
	if vs == nil && n > 0 {
		vs = make([]Value, 0, min(n, 8))
	}
	for ; n > 0; n-- {
		v, err := d.value(depth)
		if err != nil {
			return nil, err
		}
		vs = append(vs, v)
	}
	return vs, nil
}

func integer(b []byte) (int64, error) {
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: bad integer %.32q", ErrProtocol, b)
	}
	return n, nil
}

// double reads what AppendDouble writes, and any other decimal number.
func double(s string) (float64, error) {
	if s == "-nan" {
		return math.Copysign(math.NaN(), -1), nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%w: bad double %.32q", ErrProtocol, s)
	}
	return f, nil
}

func count(b []byte) (int64, error) {
	n, err := integer(b)
	if err == nil && (n < 0 || n > maxElems) {
		err = fmt.Errorf("%w: bad number of elements %d", ErrProtocol, n)
	}
	return n, err
}

type sliceSource struct {
	b   []byte
	pos int
}

func (s *sliceSource) line() ([]byte, error) {
	rest := s.b[s.pos:]
	end := bytes.IndexByte(rest, '\n')
	if end < 0 {
		return nil, ErrIncomplete
	}
	s.pos += end + 1
	return trimLine(rest[:end+1])
}

func (s *sliceSource) blob(n int64) (string, error) {
	rest := s.b[s.pos:]
	if n > int64(len(rest)-len(crlf)) {
		return "", ErrIncomplete
	}
	if string(rest[n:n+2]) != crlf {
		return "", fmt.Errorf("%w: no CRLF after a bulk string", ErrProtocol)
	}
	s.pos += int(n) + len(crlf)
	return string(rest[:n]), nil
}

type streamSource struct {
	r *bufio.Reader
}

func (s *streamSource) line() ([]byte, error) {
	part, err := s.r.ReadSlice('\n')
	if err == nil {
		return trimLine(part)
	}
	line := bytes.Clone(part)
	for err == bufio.ErrBufferFull && len(line) <= maxLine {
		part, err = s.r.ReadSlice('\n')
		line = append(line, part...)
	}
	if err == bufio.ErrBufferFull {
		return nil, fmt.Errorf("%w: too long a line", ErrProtocol)
	}
	if err != nil {
		return nil, err
	}
	return trimLine(line)
}

func (s *streamSource) blob(n int64) (string, error) {
	var text strings.Builder
	text.Grow(int(min(n, refSize)))
	for n > 0 {
		part, err := s.r.Peek(int(min(n, refSize)))
		if err != nil {
			return "", err
		}
		text.Write(part)
		n -= int64(len(part))
		_, _ = s.r.Discard(len(part)) // cannot fail: they were peeked
	}
	end, err := s.r.Peek(len(crlf))
	if err != nil {
		return "", err
	}
	if string(end) != crlf {
		return "", fmt.Errorf("%w: no CRLF after a bulk string", ErrProtocol)
	}
	_, _ = s.r.Discard(len(crlf))
	return text.String(), nil
}

// trimLine takes the CRLF off a line that ends in LF.
func trimLine(line []byte) ([]byte, error) {
	body, ok := bytes.CutSuffix(line, []byte(crlf))
	if !ok || bytes.IndexByte(body, '\r') >= 0 {
		return nil, fmt.Errorf("%w: a line must end in CRLF", ErrProtocol)
	}
	return body, nil
}

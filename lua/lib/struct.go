package lib

import (
	"encoding/binary"
	"math"
	"strings"
)

// Structs is the library struct: binary records described by a format.
var Structs = map[string]Function{
	"pack":   structPack,
	"size":   structSize,
	"unpack": structUnpack,
}

const (
	maxAlign   = 8  // the alignment of "!" without a number
	maxIntSize = 32 // the largest n of "In"
)

// layout reads a format option by option.
type layout struct {
	c      *Call
	format string
	align  int
	big    bool
}

func (c *Call) layout() *layout { return &layout{c: c, format: untilNUL(c.String(1)), align: 1} }

// next takes the next option with its size; ok is false at the end.
func (f *layout) next() (option byte, size int, ok bool) {
	if f.format == "" {
		return 0, 0, false
	}
	option, f.format = f.format[0], f.format[1:]
	switch option {
	case 'b', 'B', 'x':
		size = 1
	case 'h', 'H':
		size = 2
	case 'f':
		size = 4
	case 'l', 'L', 'T', 'd':
		size = 8
	case 'c':
		size = f.number(1)
	case 'i', 'I':
		size = f.number(4)
		if size > maxIntSize {
			f.c.Errorf("integral size %d is larger than limit of %d", size, maxIntSize)
		}
	}
	return option, size, true
}

// number reads the number behind an option, or takes one by default.
func (f *layout) number(otherwise int) int {
	if f.format == "" || !isDigit(f.format[0]) {
		return otherwise
	}
	n := 0
	for f.format != "" && isDigit(f.format[0]) {
		d := int(f.format[0] - '0')
		if n > math.MaxInt32/10 || n*10 > math.MaxInt32-d {
			f.c.Errorf("integral size overflow")
		}
		n, f.format = n*10+d, f.format[1:]
	}
	return n
}

// padding returns how many bytes align an option at an offset.
func (f *layout) padding(option byte, size, offset int) int {
	if size == 0 || option == 'c' {
		return 0
	}
	size = min(size, f.align)
	return (size - offset&(size-1)) & (size - 1)
}

// control obeys an option that stands for no data.
func (f *layout) control(option byte) {
	switch option {
	case ' ':
	case '>':
		f.big = true
	case '<':
		f.big = false
	case '!':
		n := f.number(maxAlign)
		if n <= 0 || n&(n-1) != 0 {
			f.c.Errorf("alignment %d is not a power of 2", n)
		}
		f.align = n
	default:
		f.c.ArgError(1, "invalid format option '"+string([]byte{option})+"'")
	}
}

func structPack(c *Call) {
	f := c.layout()
	var b []byte
	// A missing argument reads as nil here, not as no value.
	c.Args = append(c.Args, Value{})
	arg := 2
	for {
		option, size, ok := f.next()
		if !ok {
			break
		}
		b = append(b, make([]byte, f.padding(option, size, len(b)))...)
		switch option {
		case 'b', 'B', 'h', 'H', 'l', 'L', 'T', 'i', 'I':
			b = appendInteger(b, c.Number(arg), size, f.big)
			arg++
		case 'x':
			b = append(b, 0)
		case 'f', 'd':
			b = appendFloat(b, c.Number(arg), size, f.big)
			arg++
		case 'c', 's':
			s := c.String(arg)
			arg++
			if size == 0 {
				size = len(s)
			}
			if len(s) < size {
				c.ArgError(arg, "string too short")
			}
			b = append(b, s[:size]...)
			if option == 's' {
				b = append(b, 0)
			}
		default:
			f.control(option)
		}
		c.bound(len(b))
	}
	c.PushString(string(b))
}

// appendInteger writes the low bytes of a number of 64 bits.
func appendInteger(b []byte, n float64, size int, big bool) []byte {
	v := toUint64(n)
	start := len(b)
	b = append(b, make([]byte, size)...)
	for i := range size {
		at := start + i
		if big {
			at = start + size - 1 - i
		}
		b[at] = byte(v)
		v >>= 8
	}
	return b
}

func appendFloat(b []byte, n float64, size int, big bool) []byte {
	var order binary.AppendByteOrder = binary.LittleEndian
	if big {
		order = binary.BigEndian
	}
	if size == 4 {
		return order.AppendUint32(b, math.Float32bits(float32(n)))
	}
	return order.AppendUint64(b, math.Float64bits(n))
}

func structSize(c *Call) {
	f := c.layout()
	total := 0
	for {
		option, size, ok := f.next()
		if !ok {
			break
		}
		total += f.padding(option, size, total)
		switch {
		case option == 's':
			c.ArgError(1, "option 's' has no fixed size")
		case option == 'c' && size == 0:
			c.ArgError(1, "option 'c0' has no fixed size")
		case !isAlpha(option) && !isDigit(option):
			f.control(option)
		}
		total += size
	}
	c.PushNumber(float64(total))
}

func structUnpack(c *Call) {
	f := c.layout()
	data := c.String(2)
	start := c.OptInteger(3, 1)
	if start == 0 {
		c.ArgError(3, "offset must be 1 or greater")
	}
	at := int(min(start-1, int64(len(data))+1))
	if at < 0 {
		at = len(data) + 1
	}
	need := func(size int) {
		if size < 0 || size > len(data) || at > len(data)-size {
			c.ArgError(2, "data string too short")
		}
	}
	for {
		option, size, ok := f.next()
		if !ok {
			break
		}
		at += f.padding(option, size, at)
		need(size)
		if len(c.Results) >= maxSlots-c.N()-2 {
			c.Errorf("stack overflow (too many results)")
		}
		switch option {
		case 'b', 'B', 'h', 'H', 'l', 'L', 'T', 'i', 'I':
			c.PushNumber(readInteger(data[at:at+size], f.big, option >= 'a'))
		case 'x':
		case 'f', 'd':
			c.PushNumber(readFloat(data[at:at+size], f.big))
		case 'c':
			if size == 0 {
				size = previousSize(c)
				need(size)
			}
			c.PushString(data[at : at+size])
		case 's':
			end := strings.IndexByte(data[at:], 0)
			if end < 0 {
				c.Errorf("unfinished string in data")
			}
			c.PushString(data[at : at+end])
			size = end + 1
		default:
			f.control(option)
		}
		at += size
	}
	c.PushNumber(float64(at + 1))
}

// previousSize takes the last result back: it is the size of a "c0".
func previousSize(c *Call) int {
	if n := len(c.Results); n > 0 {
		if size, ok := c.Results[n-1].Number(); ok {
			c.Results = c.Results[:n-1]
			return int(ToInt64(size))
		}
	}
	c.Errorf("format 'c0' needs a previous size")
	return 0
}

// readInteger reads an integer; of one longer than 8 bytes the low 8 remain.
func readInteger(b string, big, signed bool) float64 {
	var v uint64
	for i := range len(b) {
		if big {
			v = v<<8 | uint64(b[i])
		} else {
			v = v<<8 | uint64(b[len(b)-1-i])
		}
	}
	if !signed {
		return float64(v)
	}
	mask := ^uint64(0) << (uint(len(b)*8-1) & 63)
	if v&mask != 0 {
		v |= mask
	}
	return float64(int64(v))
}

func readFloat(s string, big bool) float64 {
	var order binary.ByteOrder = binary.LittleEndian
	if big {
		order = binary.BigEndian
	}
	if len(s) == 4 {
		return float64(math.Float32frombits(order.Uint32([]byte(s))))
	}
	return math.Float64frombits(order.Uint64([]byte(s)))
}

package cli

import (
	"fmt"
	"strconv"
	"strings"

	"minikv/resp"
)

// A Format is how replies are shown, each as redis-cli 7.0.15 does.
type Format int

// The formats: for a person, for a program, and JSON.
const (
	Formatted Format = iota
	Raw
	JSON
)

// show gives a reply with the end of its last line.
func (f Format) show(v resp.Value) string {
	var b strings.Builder
	switch f {
	case Raw:
		writeRaw(&b, v)
		b.WriteByte('\n')
	case JSON:
		writeJSON(&b, v)
		b.WriteByte('\n')
	default:
		writeFormatted(&b, v, "")
	}
	return b.String()
}

// writeFormatted writes v and a line end; indent is what further lines of it
// begin with. redis-cli gives up at a big number and at RESP3's long errors,
// which are shown here.
func writeFormatted(b *strings.Builder, v resp.Value, indent string) {
	switch {
	case v.IsNull():
		b.WriteString("(nil)\n")
		return
	case v.IsError():
		b.WriteString("(error) " + v.Str + "\n")
		return
	}
	switch v.Type {
	case resp.TypeInt:
		fmt.Fprintf(b, "(integer) %d\n", v.Int)
	case resp.TypeDouble:
		b.WriteString("(double) " + v.Str + "\n")
	case resp.TypeBigNumber:
		b.WriteString("(big number) " + v.Str + "\n")
	case resp.TypeBool:
		fmt.Fprintf(b, "(%t)\n", v.Bool)
	case resp.TypeBulk:
		b.Write(append(resp.AppendQuoted(nil, v.Str), '\n'))
	case resp.TypeArray, resp.TypeSet, resp.TypePush, resp.TypeMap:
		writeElements(b, v, indent)
	default: // a status or a verbatim string
		b.WriteString(v.Str + "\n")
	}
}

// elements counts a map's pairs, and the elements of another aggregate.
func elements(v resp.Value) int {
	if v.Type == resp.TypeMap {
		return len(v.Elems) / 2
	}
	return len(v.Elems)
}

func writeElements(b *strings.Builder, v resp.Value, indent string) {
	name, mark := "array", ')'
	switch v.Type {
	case resp.TypeMap:
		name, mark = "hash", '#'
	case resp.TypeSet:
		name, mark = "set", '~'
	case resp.TypePush:
		name, mark = "push", '>'
	}
	n := elements(v)
	if n == 0 {
		b.WriteString("(empty " + name + ")\n")
		return
	}
	width := len(strconv.Itoa(n))
	inner := indent + strings.Repeat(" ", width+2)
	for i := range n {
		if i > 0 {
			b.WriteString(indent)
		}
		fmt.Fprintf(b, "%*d%c ", width, i+1, mark)
		if v.Type != resp.TypeMap {
			writeFormatted(b, v.Elems[i], inner)
			continue
		}
		var key strings.Builder
		writeFormatted(&key, v.Elems[2*i], inner)
		b.WriteString(strings.TrimSuffix(key.String(), "\n") + " => ")
		value := v.Elems[2*i+1]
		if elements(value) > 1 {
			b.WriteString("\n" + inner)
		}
		writeFormatted(b, value, inner)
	}
}

// writeRaw writes what a program can read: no types, an element a line.
func writeRaw(b *strings.Builder, v resp.Value) {
	switch {
	case v.IsNull():
		return
	case v.IsError():
		b.WriteString(v.Str + "\n")
		return
	}
	switch v.Type {
	case resp.TypeInt:
		b.WriteString(strconv.FormatInt(v.Int, 10))
	case resp.TypeBool:
		fmt.Fprintf(b, "(%t)", v.Bool)
	case resp.TypeArray, resp.TypeSet, resp.TypePush, resp.TypeMap:
		for i, e := range v.Elems {
			switch {
			case i == 0:
			case v.Type == resp.TypeMap && i%2 == 1:
				b.WriteByte(' ')
			default:
				b.WriteByte('\n')
			}
			writeRaw(b, e)
		}
	default:
		b.WriteString(v.Str)
	}
}

func writeJSON(b *strings.Builder, v resp.Value) {
	switch {
	case v.IsNull():
		b.WriteString("null")
		return
	case v.IsError():
		b.WriteString("error:")
		writeJSONString(b, v.Str)
		return
	}
	switch v.Type {
	case resp.TypeInt:
		b.WriteString(strconv.FormatInt(v.Int, 10))
	case resp.TypeDouble, resp.TypeBigNumber:
		b.WriteString(v.Str)
	case resp.TypeBool:
		b.WriteString(strconv.FormatBool(v.Bool))
	case resp.TypeMap:
		b.WriteByte('{')
		for i, e := range v.Elems {
			switch {
			case i%2 == 1:
				b.WriteByte(':')
			case i > 0:
				b.WriteByte(',')
			}
			if i%2 == 1 {
				writeJSON(b, e)
			} else {
				writeJSONKey(b, e)
			}
		}
		b.WriteByte('}')
	case resp.TypeArray, resp.TypeSet, resp.TypePush:
		b.WriteByte('[')
		for i, e := range v.Elems {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, e)
		}
		b.WriteByte(']')
	default:
		writeJSONString(b, v.Str)
	}
}

// writeJSONKey writes a map's key, which JSON wants to be a string.
func writeJSONKey(b *strings.Builder, v resp.Value) {
	var key strings.Builder
	writeJSON(&key, v)
	if strings.HasPrefix(key.String(), `"`) {
		b.WriteString(key.String())
		return
	}
	writeJSONString(b, key.String())
}

// writeJSONString leaves bytes beyond ASCII as they are, UTF-8 or not.
func writeJSONString(b *strings.Builder, s string) {
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		case '\b':
			b.WriteString(`\b`)
		case '\f':
			b.WriteString(`\f`)
		default:
			if c < ' ' {
				fmt.Fprintf(b, `\u%04x`, c)
			} else {
				b.WriteByte(c)
			}
		}
	}
	b.WriteByte('"')
}

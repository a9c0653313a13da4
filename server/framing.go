package server

import (
	"bytes"

	"minikv/resp"
)

// Framing finds commands in the bytes of a connection. It is the one reader of
// the protocol: both transports use it, the event loop in place in its read
// buffer, the sessions inside the guard in front of redcon.
//
// A framer does not own bytes. Its caller keeps those of the unfinished command
// and presents them again with more behind them; the framer remembers how far
// it got, so that a command of a million arguments that arrives in pieces is
// read once. Arguments of a multibulk request alias the caller's buffer. What
// is announced costs nothing before it comes: "*2147483647\r\n" is eight bytes
// of state.

// protocolError is the text of a protocol error, as Redis words it after
// "Protocol error: ".
type protocolError string

func (e protocolError) Error() string { return "Protocol error: " + string(e) }

// The protocol errors.
const (
	errBigInline     protocolError = "too big inline request"
	errQuotes        protocolError = "unbalanced quotes in request"
	errBigCount      protocolError = "too big mbulk count string"
	errCount         protocolError = "invalid multibulk length"
	errUnauthCount   protocolError = "unauthenticated multibulk length"
	errBigBulkHeader protocolError = "too big bulk count string"
	errBulkLength    protocolError = "invalid bulk length"
	errUnauthBulk    protocolError = "unauthenticated bulk length"
)

const (
	maxLine         = 64 << 10 // an unterminated line may be this long
	maxArguments    = 1<<31 - 1
	unauthArguments = 10
	unauthBulk      = 16384
	keptArguments   = 1024 // spans kept for the next command
)

// limits bound what a client may send. They may change between two calls.
type limits struct {
	maxBulk int64 // proto-max-bulk-len
	unauth  bool  // the client has to authenticate first
}

// span is an argument's place, relative to the start of its command.
type span struct{ start, end int }

// framer is the state of one connection's unfinished command. The zero value
// stands at the start of a command.
type framer struct {
	args []span
	left int  // arguments still to come
	bulk int  // length of the argument being read, if open
	open bool // the header of an argument was read, its bytes not yet
	pos  int  // where reading goes on
	scan int  // up to here no line end was found behind pos
}

// next reads the next command of buf, which begins where the present command
// begins, and appends its arguments to dst. If a whole command is there, out is
// longer than dst and n bytes of buf were used. If not, out is dst, and n bytes
// are done with (empty requests): the caller drops them and calls again when
// there is more behind the rest. After an error nothing has changed but that
// the commands before it are gone: the call may be repeated under other limits.
func (f *framer) next(buf []byte, lim limits, dst [][]byte) (out [][]byte, n int, err error) {
	if f.left == 0 {
		if out, n = usual(buf, dst); n > 0 {
			f.scan = 0
			return out, n, nil
		}
	}
	for {
		b := buf[n:]
		if f.left == 0 {
			if len(b) == 0 {
				return dst, n, nil
			}
			if b[0] != '*' {
				args, used, err := f.inline(b, dst)
				if err != nil || used == 0 || len(args) > len(dst) {
					return args, n + used, err
				}
				n += used
				continue
			}
			used, err := f.count(b, lim)
			if err != nil || used == 0 {
				return dst, n, err
			}
			if f.left == 0 {
				n += used
				continue
			}
		}
		if err := f.arguments(b, lim); err != nil || f.left > 0 {
			return dst, n, err
		}
		for _, s := range f.args {
			dst = append(dst, b[s.start:s.end:s.end])
		}
		n += f.pos
		f.reset()
		return dst, n, nil
	}
}

// usual is next for what nearly every command is: few and short arguments, all
// of which are there. It reads each byte of the headers once and keeps nothing. n
// is 0 if the command is anything else, right or wrong. No limit is so low that it
// could forbid what is read here.
func usual(b []byte, dst [][]byte) (out [][]byte, n int) {
	if len(b) < 4 || b[0] != '*' || b[2] != '\r' {
		return dst, 0
	}
	count := b[1] - '0'
	if count == 0 || count >= unauthArguments {
		return dst, 0
	}
	out = dst
	at := 4
	for range count {
		if len(b)-at < 4 || b[at] != '$' {
			return dst, 0
		}
		size := int(b[at+1] - '0')
		if size > 9 {
			return dst, 0
		}
		switch c := b[at+2]; {
		case c == '\r':
			at += 4
		case c-'0' <= 9 && size > 0 && b[at+3] == '\r':
			size = size*10 + int(c-'0')
			at += 5
		default:
			return dst, 0
		}
		end := at + size
		if len(b) < end+2 {
			return dst, 0
		}
		out = append(out, b[at:end:end])
		at = end + 2
	}
	return out, at
}

// reset forgets the unfinished command.
func (f *framer) reset() {
	args := f.args[:0]
	if cap(args) > keptArguments {
		args = nil
	}
	*f = framer{args: args}
}

// line finds the end of the line that begins at pos: the place of its '\r',
// behind which any one byte must stand, or -1. As in Redis, a zero byte hides
// what comes behind it.
func (f *framer) line(b []byte) int {
	for i := max(f.scan, f.pos); i < len(b); i++ {
		switch b[i] {
		case '\r':
			f.scan = i
			if i+1 == len(b) {
				return -1
			}
			return i
		case 0:
			f.scan = i
			return -1
		}
	}
	f.scan = len(b)
	return -1
}

// count reads "*<count>\r\n"; used is 0 if it is not whole. A count below one
// is an empty request and leaves no argument to come.
func (f *framer) count(b []byte, lim limits) (used int, err error) {
	end := f.line(b)
	if end < 0 {
		if len(b) > maxLine {
			return 0, errBigCount
		}
		return 0, nil
	}
	n, ok := parseLength(b[1:end])
	switch {
	case !ok || n > maxArguments:
		return 0, errCount
	case n > unauthArguments && lim.unauth:
		return 0, errUnauthCount
	}
	f.scan = 0
	if n > 0 {
		f.left, f.pos = int(n), end+2
	}
	return end + 2, nil
}

// arguments reads arguments as far as they have come.
func (f *framer) arguments(b []byte, lim limits) error {
	for f.left > 0 {
		if !f.open {
			end := f.line(b)
			if end < 0 {
				if len(b)-f.pos > maxLine {
					return errBigBulkHeader
				}
				return nil
			}
			if b[f.pos] != '$' {
				return errNoBulk(b[f.pos])
			}
			n, ok := parseLength(b[f.pos+1 : end])
			switch {
			case !ok || n < 0 || n > lim.maxBulk:
				return errBulkLength
			case n > unauthBulk && lim.unauth:
				return errUnauthBulk
			}
			f.pos, f.scan = end+2, 0
			f.bulk, f.open = int(n), true
		}
		if len(b)-f.pos < f.bulk+2 {
			return nil
		}
		f.args = append(f.args, span{f.pos, f.pos + f.bulk})
		f.pos += f.bulk + 2 // whatever the two bytes behind an argument are
		f.open = false
		f.left--
	}
	return nil
}

// errNoBulk is the error for an argument that does not begin with '$'. Line
// ends are shown as blanks, as in every error.
func errNoBulk(c byte) protocolError {
	if c == '\r' || c == '\n' {
		c = ' '
	}
	return protocolError("expected '$', got '" + string([]byte{c}) + "'")
}

// grow is the size that a full buffer is to have, in which used bytes of the
// unfinished command lie: twice as many, or less if the last argument is being
// read and needs less.
func (f *framer) grow(used int) int {
	size := 2 * used
	if f.open && f.left == 1 {
		if need := f.pos + f.bulk + 2; used < need && need < size {
			size = need
		}
	}
	return size
}

// inline reads a line of words. Its arguments are copies. used is 0 if the
// line is not whole; an empty line has no arguments.
func (f *framer) inline(b []byte, dst [][]byte) (out [][]byte, used int, err error) {
	from := f.scan
	end := bytes.IndexByte(b[from:], '\n')
	if nul := bytes.IndexByte(b[from:], 0); end < 0 || nul >= 0 && nul < end {
		f.scan = len(b)
		if nul >= 0 {
			f.scan = from + nul
		}
		if len(b) > maxLine {
			return dst, 0, errBigInline
		}
		return dst, 0, nil
	}
	end += from
	line := b[:end]
	if end > 0 && line[end-1] == '\r' {
		line = line[:end-1]
	}
	out, ok := resp.SplitWords(dst, line)
	if !ok {
		return dst, 0, errQuotes
	}
	f.scan = 0
	return out, end + 1, nil
}

// parseLength reads a number as Redis's protocol has it: no blank, no plus
// sign, no leading zero.
func parseLength(b []byte) (n int64, ok bool) {
	if len(b) == 1 && b[0] == '0' {
		return 0, true
	}
	neg := len(b) > 0 && b[0] == '-'
	if neg {
		b = b[1:]
	}
	if len(b) == 0 || len(b) > 19 || b[0] < '1' || b[0] > '9' {
		return 0, false
	}
	var u uint64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		u = u*10 + uint64(c-'0')
	}
	if neg {
		return -int64(u), u <= 1<<63
	}
	return int64(u), u < 1<<63
}

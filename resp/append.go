package resp

import "strconv"

// The appenders below add one piece of the protocol to dst and return the
// longer slice. They know nothing of a connection, so each writes exactly the
// type it is named after; Writer chooses among them by protocol version.

const crlf = "\r\n"

// AppendStatus appends a simple string. CR and LF in s become spaces.
func AppendStatus(dst []byte, s string) []byte { return appendLine(append(dst, '+'), s) }

// AppendError appends an error; s begins with its code, as in "ERR syntax
// error". CR and LF in s become spaces.
func AppendError(dst []byte, s string) []byte { return appendLine(append(dst, '-'), s) }

// AppendInt appends an integer reply.
func AppendInt(dst []byte, n int64) []byte { return appendHeader(dst, ':', n) }

// AppendBulk appends a bulk string.
func AppendBulk(dst, b []byte) []byte {
	dst = appendHeader(dst, '$', int64(len(b)))
	dst = append(dst, b...)
	return append(dst, crlf...)
}

// AppendBulkString appends a bulk string.
func AppendBulkString(dst []byte, s string) []byte {
	dst = appendHeader(dst, '$', int64(len(s)))
	dst = append(dst, s...)
	return append(dst, crlf...)
}

// AppendBulkInt appends n in decimal as a bulk string.
func AppendBulkInt(dst []byte, n int64) []byte {
	var digits [20]byte
	return AppendBulk(dst, strconv.AppendInt(digits[:0], n, 10))
}

// AppendArray appends the header of an array of n elements.
func AppendArray(dst []byte, n int) []byte { return appendHeader(dst, '*', int64(n)) }

// AppendMap appends the header of a RESP3 map of n pairs.
func AppendMap(dst []byte, n int) []byte { return appendHeader(dst, '%', int64(n)) }

// AppendSet appends the header of a RESP3 set of n elements.
func AppendSet(dst []byte, n int) []byte { return appendHeader(dst, '~', int64(n)) }

// AppendPush appends the header of a RESP3 push of n elements.
func AppendPush(dst []byte, n int) []byte { return appendHeader(dst, '>', int64(n)) }

// AppendAttribute appends the header of a RESP3 attribute of n pairs.
func AppendAttribute(dst []byte, n int) []byte { return appendHeader(dst, '|', int64(n)) }

// AppendNilBulk appends RESP2's null bulk string.
func AppendNilBulk(dst []byte) []byte { return append(dst, "$-1\r\n"...) }

// AppendNilArray appends RESP2's null array.
func AppendNilArray(dst []byte) []byte { return append(dst, "*-1\r\n"...) }

// AppendNull appends RESP3's null.
func AppendNull(dst []byte) []byte { return append(dst, "_\r\n"...) }

// AppendBool appends a RESP3 boolean.
func AppendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, "#t\r\n"...)
	}
	return append(dst, "#f\r\n"...)
}

// AppendCommand appends a request: an array of bulk strings.
func AppendCommand(dst []byte, args ...[]byte) []byte {
	dst = AppendArray(dst, len(args))
	for _, arg := range args {
		dst = AppendBulk(dst, arg)
	}
	return dst
}

// AppendCommandStrings appends a request whose words are strings.
func AppendCommandStrings(dst []byte, args ...string) []byte {
	dst = AppendArray(dst, len(args))
	for _, arg := range args {
		dst = AppendBulkString(dst, arg)
	}
	return dst
}

func appendHeader(dst []byte, kind byte, n int64) []byte {
	dst = append(dst, kind)
	switch u := uint64(n); {
	case u < 10:
		return append(dst, byte('0'+u), '\r', '\n')
	case u < 100:
		return append(dst, byte('0'+u/10), byte('0'+u%10), '\r', '\n')
	}
	dst = strconv.AppendInt(dst, n, 10)
	return append(dst, crlf...)
}

func appendLine(dst []byte, s string) []byte {
	start := len(dst)
	dst = append(dst, s...)
	blankLineBreaks(dst[start:])
	return append(dst, crlf...)
}

// blankLineBreaks keeps a text on one line, as the simple types need.
func blankLineBreaks(b []byte) {
	for i, c := range b {
		if c == '\r' || c == '\n' {
			b[i] = ' '
		}
	}
}

package server

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

const defaultMaxBulk = 512 << 20

var anyLimits = limits{maxBulk: defaultMaxBulk}

// feed gives the bytes to a framer in pieces of at most step bytes, the way a
// connection would, and tells what it found: one string a command, then the
// error, if any, and how many bytes are left over.
func feed(data string, step int, lim limits) (found []string, left int, err error) {
	var f framer
	var buf []byte
	for len(data) > 0 {
		n := min(step, len(data))
		// Each piece moves the buffer: nothing may hang on its place.
		buf = append(append(make([]byte, 0, len(buf)+n), buf...), data[:n]...)
		data = data[n:]
		for {
			argv, used, err := f.next(buf, lim, nil)
			buf = buf[used:]
			if err != nil {
				return found, len(buf), err
			}
			if len(argv) == 0 {
				break
			}
			found = append(found, fmt.Sprintf("%q", argv))
		}
	}
	return found, len(buf), nil
}

func TestFraming(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxLine)
	unauth := limits{maxBulk: defaultMaxBulk, unauth: true}
	tests := []struct {
		data string
		want []string // commands
		err  string   // or
		left int      // bytes of an unfinished command
		lim  limits
	}{
		{data: "*1\r\n$4\r\nPING\r\n", want: []string{`["PING"]`}},
		{data: "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n*1\r\n$0\r\n\r\n", want: []string{`["GET" "k"]`, `[""]`}},
		{data: "*1\r\n$4\r\nPINGxxPING\r\n", want: []string{`["PING"]`, `["PING"]`}},
		{data: "*1\rx$4\rxPINGxxPING\r\n", want: []string{`["PING"]`, `["PING"]`}},
		{data: "*0\r\n*-1\r\n*-10\r\n\r\n\n  \r\n\r\r\nPING\n", want: []string{`["PING"]`}},
		{data: "*-9223372036854775808\r\nPING\r\n", want: []string{`["PING"]`}},
		{data: "*1\r\n$4\r\nPING\r", left: 13},
		{data: "*2147483647\r\n", left: 13},
		{data: "*1\n$4\nPING\n", left: 11},
		{data: "*1\x00\r\nPING\r\n", left: 11},
		{data: "P\x00ING\r\nPING\r\n", left: 13},
		{data: "*1\r\n\x00x\r\n", left: 8},
		{data: "*1\r\nx", left: 5},
		{data: "*1\r\n$536870912\r\n", left: 16},

		{data: "*2147483648\r\n", err: "invalid multibulk length"},
		{data: "*9223372036854775808\r\n", err: "invalid multibulk length"},
		{data: "*-9223372036854775809\r\n", err: "invalid multibulk length"},
		{data: "*01\r\n", err: "invalid multibulk length"},
		{data: "*-0\r\n", err: "invalid multibulk length"},
		{data: "*+1\r\n", err: "invalid multibulk length"},
		{data: "* 1\r\n", err: "invalid multibulk length"},
		{data: "*\r\n", err: "invalid multibulk length"},
		{data: "*1\r\n$9223372036854775807\r\n", err: "invalid bulk length"},
		{data: "*1\r\n$536870913\r\n", err: "invalid bulk length"},
		{data: "*1\r\n$-1\r\n", err: "invalid bulk length"},
		{data: "*1\r\n$\r\n", err: "invalid bulk length"},
		{data: "PING\r\n*2\r\n$4\r\nPING\r\n$x\r\n", want: []string{`["PING"]`}, err: "invalid bulk length"},
		{data: "*1\r\nx4\r\n", err: "expected '$', got 'x'"},
		{data: "*1\r\n\r\n", err: "expected '$', got ' '"},
		{data: "*1\r\n\n\r\n", err: "expected '$', got ' '"},
		{data: "*1\r\n\xff\r\n", err: "expected '$', got '\xff'"},

		{data: long, left: maxLine},
		{data: long + "x", err: "too big inline request"},
		{data: "*" + long[1:], left: maxLine},
		{data: "*" + long, err: "too big mbulk count string"},
		{data: "*1\r\n$" + long[1:], left: maxLine + 4},
		{data: "*1\r\n$" + long, err: "too big bulk count string"},
		{data: "*1\r\n" + long + "x", err: "too big bulk count string"},

		{data: "*10\r\n", lim: unauth, left: 5},
		{data: "*11\r\n", lim: unauth, err: "unauthenticated multibulk length"},
		{data: "*1\r\n$16384\r\n", lim: unauth, left: 12},
		{data: "*1\r\n$16385\r\n", lim: unauth, err: "unauthenticated bulk length"},
	}
	for _, test := range tests {
		if test.lim.maxBulk == 0 {
			test.lim = anyLimits
		}
		for _, step := range []int{1, 2, 3, 7, 16 << 10, 1 << 20} {
			if step < 1000 && len(test.data) > 1000 {
				continue
			}
			found, left, err := feed(test.data, step, test.lim)
			name := fmt.Sprintf("%.40q by %d", test.data, step)
			if fmt.Sprint(found) != fmt.Sprint(test.want) {
				t.Errorf("%s: found %s, want %s", name, found, test.want)
			}
			got := ""
			if err != nil {
				got = strings.TrimPrefix(err.Error(), "Protocol error: ")
			} else if left != test.left {
				t.Errorf("%s: %d bytes are left, want %d", name, left, test.left)
			}
			if got != test.err {
				t.Errorf("%s: error %q, want %q", name, got, test.err)
			}
		}
	}
}

func TestInlineQuoting(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"ECHO a":            `["ECHO" "a"]`,
		" \tECHO\ta \v":     `["ECHO" "a"]`,
		"ECHO a\vb":         `["ECHO" "a\vb"]`,
		"ECHO a\rb":         `["ECHO" "a" "b"]`,
		`ECHO "a\x41\n\q"`:  `["ECHO" "aA\nq"]`,
		`ECHO "a\x00b"`:     `["ECHO" "a\x00b"]`,
		`ECHO "a\xg1"`:      `["ECHO" "axg1"]`,
		`ECHO "a\x4"`:       `["ECHO" "ax4"]`,
		`ECHO "\b\a\t\r"`:   `["ECHO" "\b\a\t\r"]`,
		`ECHO 'a\'b\n'`:     `["ECHO" "a'b\\n"]`,
		`ECHO a"b c" ''`:    `["ECHO" "ab c" ""]`,
		`ECHO a'b c'`:       `["ECHO" "ab c"]`,
		`ECHO "a" ` + "\v":  `["ECHO" "a"]`,
		`ECHO "a"` + "\v":   `["ECHO" "a"]`,
		`""`:                `[""]`,
		"ECHO \xff":         `["ECHO" "\xff"]`,
		`ECHO "abc`:         "",
		`ECHO 'abc`:         "",
		`ECHO "abc"d`:       "",
		`ECHO a"b c"d`:      "",
		`ECHO 'a'b`:         "",
		`ECHO "a\"`:         "",
		`ECHO "a\`:          "",
		`ECHO 'a\'`:         "",
		`ECHO "a" "b" "c""`: "",
	} {
		found, _, err := feed(line+"\r\n", 1<<20, anyLimits)
		if want == "" {
			if err != errQuotes {
				t.Errorf("%q: found %s, %v", line, found, err)
			}
		} else if err != nil || len(found) != 1 || found[0] != want {
			t.Errorf("%q: found %s, %v, want %s", line, found, err, want)
		}
	}
}

// An AUTH in front of a long command lifts the limit before it is judged.
func TestFramingJudgesAgain(t *testing.T) {
	t.Parallel()
	data := []byte("*1\r\n$20000\r\n" + strings.Repeat("x", 20000) + "\r\n")
	var f framer
	if _, n, err := f.next(data, limits{maxBulk: defaultMaxBulk, unauth: true}, nil); err != errUnauthBulk || n != 0 {
		t.Fatalf("unauthenticated: %d bytes used, %v", n, err)
	}
	argv, n, err := f.next(data, anyLimits, nil)
	if err != nil || n != len(data) || len(argv) != 1 || len(argv[0]) != 20000 {
		t.Fatalf("authenticated: %d bytes used, %d arguments, %v", n, len(argv), err)
	}
}

func TestFramingRemembers(t *testing.T) {
	t.Parallel()
	const n = 200_000
	command := fmt.Appendf(nil, "*%d\r\n", n)
	for range n {
		command = append(command, "$1\r\nx\r\n"...)
	}
	var f framer
	last := 0
	for end := 0; end < len(command); end += 4096 {
		argv, used, err := f.next(command[:end], anyLimits, nil)
		if len(argv) != 0 || used != 0 || err != nil {
			t.Fatalf("after %d bytes: %d arguments, %d used, %v", end, len(argv), used, err)
		}
		if end > 0 && (f.pos <= last || end-f.pos > 16) {
			t.Fatalf("after %d bytes reading goes on at %d", end, f.pos)
		}
		last = f.pos
	}
	argv, used, err := f.next(command, anyLimits, nil)
	if len(argv) != n || used != len(command) || err != nil {
		t.Fatalf("%d arguments, %d used, %v", len(argv), used, err)
	}
}

// A long command is read with few, ever larger reads, and into a buffer that
// fits where its length is known.
func TestBufferGrowth(t *testing.T) {
	t.Parallel()
	many := fmt.Appendf(nil, "*%d\r\n", 100_000)
	for range 100_000 {
		many = append(many, "$10\r\n0123456789\r\n"...)
	}
	one := fmt.Appendf(nil, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n%s\r\n", 10<<20, make([]byte, 10<<20))
	for name, command := range map[string][]byte{"many": many, "one": one} {
		var f framer
		size, grown := 16<<10, 0
		for size < len(command) {
			if argv, _, err := f.next(command[:size], anyLimits, nil); len(argv) != 0 || err != nil {
				t.Fatalf("%s: after %d bytes %d arguments, %v", name, size, len(argv), err)
			}
			next := f.grow(size)
			if next <= size || next > 2*size {
				t.Fatalf("%s: a buffer of %d bytes grows to %d", name, size, next)
			}
			size = next
			grown++
		}
		if grown > 12 {
			t.Errorf("%s: the buffer grew %d times", name, grown)
		}
		if name == "one" && size != len(command) {
			t.Errorf("%s: the buffer has %d bytes for a command of %d", name, size, len(command))
		}
	}
}

func TestFramingAllocatesNothing(t *testing.T) {
	command := []byte("*3\r\n$3\r\nSET\r\n$16\r\nkey:000000000001\r\n$3\r\nabc\r\n")
	var f framer
	dst := make([][]byte, 0, 8)
	allocs := testing.AllocsPerRun(100, func() {
		f.next(command[:20], anyLimits, dst)
		if argv, _, _ := f.next(command, anyLimits, dst); len(argv) != 3 {
			t.Fatal("no command")
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations a command", allocs)
	}
}

// FuzzFraming checks that pieces do not matter, and that what was found is
// what the bytes say.
func FuzzFraming(f *testing.F) {
	for _, seed := range []string{
		"*1\r\n$4\r\nPING\r\n", "PING\r\n", "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", "*0\r\n\r\nECHO \"a\\x41\" 'b'\n",
		"*1\r\n$9223372036854775807\r\n", "*2147483647\r\n", "*-1\r\n*1\r\nx\r\n", "*1\x00\r\n", "SET a \"b\r\n",
	} {
		f.Add(seed, 3, false)
	}
	f.Fuzz(func(t *testing.T, data string, step int, unauth bool) {
		if len(data) > maxLine {
			t.Skip("a long line is judged by what has come of it")
		}
		lim := limits{maxBulk: 1 << 20, unauth: unauth}
		whole, left, err := feed(data, len(data)+1, lim)
		pieces, leftPieces, errPieces := feed(data, 1+(step&15), lim)
		if fmt.Sprint(whole, err) != fmt.Sprint(pieces, errPieces) {
			t.Fatalf("at once: %v, %v\nin pieces: %v, %v", whole, err, pieces, errPieces)
		}
		if err == nil && left != leftPieces {
			t.Fatalf("%d bytes are left at once, %d in pieces", left, leftPieces)
		}
	})
}

func BenchmarkFraming(b *testing.B) {
	command := []byte("*3\r\n$3\r\nSET\r\n$16\r\nkey:000000000001\r\n$3\r\nabc\r\n")
	buf := bytes.Repeat(command, 100)
	var f framer
	var dst [][]byte
	b.ReportAllocs()
	for b.Loop() {
		for rest := buf; len(rest) > 0; {
			argv, n, _ := f.next(rest, anyLimits, dst[:0])
			dst, rest = argv, rest[n:]
		}
	}
	b.SetBytes(int64(len(buf)))
}

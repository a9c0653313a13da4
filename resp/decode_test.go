package resp_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"minikv/resp"
)

// replies are one reply each, canonically encoded, with its text.
var replies = []struct{ name, wire, text string }{
	{"status", "+OK\r\n", "OK"},
	{"empty status", "+\r\n", ""},
	{"error", "-ERR no such key\r\n", "(error) ERR no such key"},
	{"integer", ":-42\r\n", "(integer) -42"},
	{"bulk", "$6\r\na\"\\\r\n\x00\r\n", `"a\"\\\r\n\x00"`},
	{"bulk of control characters", "$7\r\n\a\b\t\x7f\x80\xff~\r\n", `"\a\b\t\x7f\x80\xff~"`},
	{"empty bulk", "$0\r\n\r\n", `""`},
	{"null bulk", "$-1\r\n", "(nil)"},
	{"null array", "*-1\r\n", "(nil array)"},
	{"null", "_\r\n", "(null)"},
	{"empty array", "*0\r\n", "(empty array)"},
	{"empty map", "%0\r\n", "(empty hash)"},
	{"empty set", "~0\r\n", "(empty set)"},
	{"empty push", ">0\r\n", "(empty push)"},
	{"array", "*2\r\n+a\r\n$1\r\nb\r\n", "1) a\n2) \"b\""},
	{"nested arrays", "*3\r\n*2\r\n:1\r\n*1\r\n:2\r\n*0\r\n*2\r\n:3\r\n:4\r\n", "1) 1) (integer) 1\n   2) 1) (integer) 2\n2) (empty array)\n3) 1) (integer) 3\n   2) (integer) 4"},
	{"array of ten", "*10\r\n" + strings.Repeat("_\r\n", 9) + "*2\r\n:1\r\n:2\r\n",
		" 1) (null)\n 2) (null)\n 3) (null)\n 4) (null)\n 5) (null)\n 6) (null)\n 7) (null)\n 8) (null)\n 9) (null)\n10) 1) (integer) 1\n    2) (integer) 2"},
	{"map", "%2\r\n$1\r\na\r\n*2\r\n:1\r\n:2\r\n$1\r\nb\r\n%0\r\n", "1# \"a\" =>\n   1) (integer) 1\n   2) (integer) 2\n2# \"b\" => (empty hash)"},
	{"set", "~2\r\n$1\r\nx\r\n:1\r\n", "1~ \"x\"\n2~ (integer) 1"},
	{"push", ">2\r\n$7\r\nmessage\r\n$1\r\nx\r\n", "1> \"message\"\n2> \"x\""},
	{"double", ",0.10000000000000001\r\n", "(double) 0.10000000000000001"},
	{"double infinity", ",-inf\r\n", "(double) -inf"},
	{"double nan", ",-nan\r\n", "(double) -nan"},
	{"true", "#t\r\n", "(true)"},
	{"false", "#f\r\n", "(false)"},
	{"big number", "(-1234567999999999999999\r\n", "(big number) -1234567999999999999999"},
	{"verbatim", "=9\r\ntxt:a\nb\r\n\r\n", "a\nb\r\n"},
	{"verbatim of another format", "=9\r\nmkd:a\nb\r\n\r\n", "a\nb\r\n"},
	{"bulk error", "!5\r\nERR x\r\n", "(bulk error) ERR x"},
	{"attribute", "|1\r\n+ttl\r\n:9\r\n$1\r\nv\r\n", "1| ttl => (integer) 9\n\"v\""},
	{"another attribute", "|1\r\n+ttl\r\n:8\r\n$1\r\nv\r\n", "1| ttl => (integer) 8\n\"v\""},
	{"attribute within", "*1\r\n|1\r\n+ttl\r\n:9\r\n$1\r\nv\r\n", "1) 1| ttl => (integer) 9\n   \"v\""},
}

func TestDecodeOfEveryType(t *testing.T) {
	t.Parallel()
	for _, c := range replies {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v, n, err := resp.Decode([]byte(c.wire + "+next\r\n"))
			if err != nil || n != len(c.wire) {
				t.Fatalf("Decode: n = %d of %d, err = %v", n, len(c.wire), err)
			}
			if got := v.String(); got != c.text {
				t.Errorf("String:\n%s\nwant:\n%s", got, c.text)
			}
			if got := string(resp.AppendValue(nil, v)); got != c.wire {
				t.Errorf("AppendValue: %q, want %q", got, c.wire)
			}
			for i := range c.wire {
				if _, _, err := resp.Decode([]byte(c.wire[:i])); err != resp.ErrIncomplete {
					t.Errorf("Decode of the first %d bytes: %v", i, err)
				}
			}
		})
	}
}

func TestEveryTwoRepliesDiffer(t *testing.T) {
	t.Parallel()
	for i, a := range replies {
		for j, b := range replies {
			v, _, _ := resp.Decode([]byte(a.wire))
			u, _, _ := resp.Decode([]byte(b.wire))
			if got := v.Equal(u); got != (i == j) {
				t.Errorf("%s Equal %s is %v", a.name, b.name, got)
			}
		}
	}
}

func TestDecodedFields(t *testing.T) {
	t.Parallel()
	decode := func(wire string) resp.Value {
		t.Helper()
		v, _, err := resp.Decode([]byte(wire))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := decode(":9223372036854775807\r\n"); v.Type != resp.TypeInt || v.Int != math.MaxInt64 {
		t.Errorf("integer: %+v", v)
	}
	if v := decode(",1.5\r\n"); v.Float != 1.5 || !v.Equal(resp.Value{Type: resp.TypeDouble, Float: 1.5}) {
		t.Errorf("double: %+v", v)
	}
	if v := decode(",1e400\r\n"); !math.IsInf(v.Float, 1) || v.Str != "1e400" {
		t.Errorf("double out of range: %+v", v)
	}
	if v := decode(",-nan\r\n"); !math.IsNaN(v.Float) || !math.Signbit(v.Float) {
		t.Errorf("negative nan: %+v", v)
	}
	if v := decode("=5\r\nmkd:x\r\n"); v.Format != "mkd" || v.Str != "x" {
		t.Errorf("verbatim: %+v", v)
	}
	for _, wire := range []string{"$-1\r\n", "*-1\r\n", "_\r\n"} {
		if !decode(wire).IsNull() {
			t.Errorf("%q is no null", wire)
		}
	}
	if decode("$0\r\n\r\n").IsNull() || !decode("-ERR\r\n").IsError() || decode("+ERR\r\n").IsError() {
		t.Error("IsNull or IsError of a value that is not")
	}
}

func TestDecodeRefusesWhatIsNoReply(t *testing.T) {
	t.Parallel()
	for _, wire := range []string{
		"\r\n", "\n", "PING\r\n", "+a\n", "+a\rb\r\n", ":\r\n", ":1x\r\n", ":9223372036854775808\r\n",
		"$-2\r\n", "$x\r\n", "$1\r\nabc", "*-2\r\n", "%-1\r\n", "~-1\r\n", "*2147483648\r\n", "*9223372036854775807\r\n",
		"!-1\r\n", "=-1\r\n", "=3\r\ntxt\r\n", "=4\r\ntxt-\r\n", "#x\r\n", "#\r\n", "_x\r\n", ",\r\n", ",x\r\n", ",1.5.\r\n",
		"|-1\r\n", "*1\r\n?\r\n", "$?\r\n", "*?\r\n", ".\r\n",
		strings.Repeat("*1\r\n", 10000),
		strings.Repeat("|1\r\n", 10000),
	} {
		if v, _, err := resp.Decode([]byte(wire)); !errors.Is(err, resp.ErrProtocol) {
			t.Errorf("Decode(%.40q) = %v, %v", wire, v, err)
		}
		if _, err := resp.NewReader(strings.NewReader(wire)).Read(); !errors.Is(err, resp.ErrProtocol) {
			t.Errorf("Read of %.40q: %v", wire, err)
		}
	}
}

// A reply of a script may nest as deep as Lua's stack allows.
func TestDecodeOfDeepReplies(t *testing.T) {
	t.Parallel()
	wire := strings.Repeat("*1\r\n", 7993) + "*0\r\n"
	v, n, err := resp.Decode([]byte(wire))
	if err != nil || n != len(wire) || string(resp.AppendValue(nil, v)) != wire {
		t.Errorf("n = %d of %d, err = %v", n, len(wire), err)
	}
}

// Not parallel: it measures what the process allocates.
func TestAnnouncedLengthsCostNoMemory(t *testing.T) {
	for _, wire := range []string{
		"$9223372036854775807\r\nabc", "*2147483647\r\n:1\r\n", "%2147483647\r\n",
		"|2147483647\r\n", "=1000000000000\r\ntxt:", strings.Repeat("*2147483647\r\n", 20),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := resp.Decode([]byte(wire))
		_, streamErr := resp.NewReader(strings.NewReader(wire)).Read()
		runtime.ReadMemStats(&after)
		if err != resp.ErrIncomplete || streamErr != io.ErrUnexpectedEOF {
			t.Errorf("%.40q: Decode: %v, Read: %v", wire, err, streamErr)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 200<<10 {
			t.Errorf("%.40q took %d bytes", wire, n)
		}
	}
}

func TestReaderReadsRepliesOneByOne(t *testing.T) {
	t.Parallel()
	var stream bytes.Buffer
	for _, c := range replies {
		stream.WriteString(c.wire)
	}
	big := strings.Repeat("0123456789", 10000)
	stream.Write(resp.AppendBulkString(nil, big))
	stream.Write(resp.AppendStatus(nil, big))
	r := resp.NewReader(iotest.OneByteReader(&stream))
	for _, c := range replies {
		v, err := r.Read()
		if err != nil || v.String() != c.text {
			t.Fatalf("%s: %v, %v", c.name, v, err)
		}
	}
	for range 2 {
		if v, err := r.Read(); err != nil || v.Str != big {
			t.Fatalf("a long text: %d bytes, %v", len(v.Str), err)
		}
	}
	if _, err := r.Read(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	for _, part := range []string{"*1\r\n", "$5\r\nab", "$2\r\nab", "+a"} {
		if _, err := resp.NewReader(strings.NewReader(part)).Read(); err != io.ErrUnexpectedEOF {
			t.Errorf("after %q: %v", part, err)
		}
	}
}

func TestReaderKeepsWhatFollows(t *testing.T) {
	t.Parallel()
	r := resp.NewReader(strings.NewReader("+a\r\n+b\r\n"))
	if _, err := r.Read(); err != nil || r.Buffered() != 4 {
		t.Errorf("Buffered() = %d, err = %v", r.Buffered(), err)
	}
}

// letters is a stream without a line end.
type letters struct{}

func (letters) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '+'
	}
	return len(b), nil
}

func TestReaderRefusesAnEndlessLine(t *testing.T) {
	t.Parallel()
	if _, err := resp.NewReader(letters{}).Read(); !errors.Is(err, resp.ErrProtocol) {
		t.Errorf("err = %v", err)
	}
}

func TestAppendersOfOneType(t *testing.T) {
	t.Parallel()
	var b []byte
	b = resp.AppendError(b, "ERR a\r\nb")
	b = resp.AppendMap(b, 1)
	b = resp.AppendSet(b, 2)
	b = resp.AppendPush(b, 3)
	b = resp.AppendAttribute(b, 4)
	b = resp.AppendBulkInt(b, -12)
	if want := "-ERR a  b\r\n%1\r\n~2\r\n>3\r\n|4\r\n$3\r\n-12\r\n"; string(b) != want {
		t.Errorf("got %q, want %q", b, want)
	}
}

func TestAppendCommand(t *testing.T) {
	t.Parallel()
	const want = "*2\r\n$3\r\nGET\r\n$2\r\nk\n\r\n"
	if got := string(resp.AppendCommand(nil, []byte("GET"), []byte("k\n"))); got != want {
		t.Errorf("AppendCommand: %q", got)
	}
	if got := string(resp.AppendCommandStrings(nil, "GET", "k\n")); got != want {
		t.Errorf("AppendCommandStrings: %q", got)
	}
}

func FuzzDecode(f *testing.F) {
	for _, c := range replies {
		f.Add([]byte(c.wire))
	}
	f.Add([]byte("*2\r\n$-1\r\n%1\r\n|1\r\n+a\r\n+b\r\n,1e5\r\n:+07\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, n, err := resp.Decode(b)
		u, streamErr := resp.NewReader(bytes.NewReader(b)).Read()
		if (err == nil) != (streamErr == nil) {
			t.Fatalf("Decode: %v, Read: %v", err, streamErr)
		}
		if errors.Is(err, resp.ErrProtocol) && !errors.Is(streamErr, resp.ErrProtocol) {
			t.Fatalf("Decode: %v, Read: %v", err, streamErr)
		}
		if err != nil {
			return
		}
		if n <= 0 || n > len(b) {
			t.Fatalf("n = %d of %d", n, len(b))
		}
		if !v.Equal(u) {
			t.Fatalf("Decode: %v\nRead: %v", v, u)
		}
		wire := resp.AppendValue(nil, v)
		again, m, err := resp.Decode(wire)
		if err != nil || m != len(wire) || !again.Equal(v) {
			t.Fatalf("encoded as %q, decoded as %v (%d bytes, %v)", wire, again, m, err)
		}
		if again.String() != v.String() {
			t.Fatalf("String: %s\nand %s", v, again)
		}
	})
}
